// A file's bytes, by its URL; in node by its path, too, which no import says: browsers and bundlers would stumble over it.
const files = globalThis.process?.getBuiltinModule?.("node:fs/promises");

export async function read(source) {
  const url = String(source);
  if (files && !/^(https?|data|blob):/.test(url)) {
    return files.readFile(url.startsWith("file:") ? new URL(url) : url);
  }
  const answer = await fetch(source);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
  return new Uint8Array(await answer.arrayBuffer());
}
