// What the build put into the page as text elements: gzip in base64 (vite.config.js).

const find = (kind, name) => document.querySelector(`script[data-kind="${kind}"][data-name="${name}"]`);

/** Names of all of a kind. */
export const namesOf = (kind) =>
  [...document.querySelectorAll(`script[data-kind="${kind}"]`)].map((each) => each.dataset.name);

/** The bytes; unpacked anew each time, so that nothing is kept. */
export async function unpack(kind, name) {
  const raw = atob(find(kind, name).textContent.trim()), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
