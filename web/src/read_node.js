// A file's bytes, by its path or URL.
import { readFile } from "node:fs/promises";

export async function read(source) {
  const url = String(source);
  if (!/^(https?|data|blob):/.test(url)) {
    return readFile(url.startsWith("file:") ? new URL(url) : url);
  }
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
  return new Uint8Array(await answer.arrayBuffer());
}
