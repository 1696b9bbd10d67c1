// A file's bytes, by its URL.
export async function read(source) {
  const answer = await fetch(source);
  if (!answer.ok) throw new Error(`${source}: ${answer.status} ${answer.statusText}`);
  return new Uint8Array(await answer.arrayBuffer());
}
