// What the build put into the page as text elements: gzip in base64 (vite.config.js).

const find = (kind, name) => document.querySelector(`script[data-kind="${kind}"][data-name="${name}"]`);

/** Names of all of a kind. */
export const namesOf = (kind) =>
  [...document.querySelectorAll(`script[data-kind="${kind}"]`)].map((each) => each.dataset.name);

// By the browser, where it can (from 2025 on all do).
function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

/** The bytes; unpacked anew each time, so that nothing is kept. */
export async function unpack(kind, name) {
  const stream = new Blob([fromBase64(find(kind, name).textContent.trim())]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
