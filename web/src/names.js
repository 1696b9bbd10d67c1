/** A field of another name would be passed over without a word. */
export function checkNames(what, given, known) {
  for (const name in given) {
    if (!known.includes(name)) throw new TypeError(`${what}: no "${name}"; ${known.join(", ")} expected`);
  }
}
