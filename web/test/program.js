// Runs a WASI program that reads nothing and prints text: in node and in a page alike.

const EBADF = 8, ENOSYS = 52;

class Ended extends Error {}

/** { exit, output, errors } of the program with these environment variables, {NAME: text}. */
export async function runProgram(bytes, environment = {}) {
  const written = { 1: "", 2: "" }, decoder = new TextDecoder(), encoder = new TextEncoder();
  const variables = Object.entries(environment).map(([name, value]) => encoder.encode(`${name}=${value}\0`));
  let memory = null, exit = 0;
  const view = () => new DataView(memory.buffer);
  const known = {
    environ_sizes_get(count, size) {
      view().setUint32(count, variables.length, true);
      view().setUint32(size, variables.reduce((sum, text) => sum + text.length, 0), true);
      return 0;
    },
    environ_get(list, at) {
      for (const text of variables) {
        view().setUint32(list, at, true);
        new Uint8Array(memory.buffer, at).set(text);
        [list, at] = [list + 4, at + text.length];
      }
      return 0;
    },
    fd_write(file, parts, count, out) {
      let size = 0;
      for (let i = 0; i < count; i++) {
        const at = view().getUint32(parts + 8 * i, true), length = view().getUint32(parts + 8 * i + 4, true);
        written[file] += decoder.decode(new Uint8Array(memory.buffer, at, length));
        size += length;
      }
      view().setUint32(out, size, true);
      return 0;
    },
    clock_time_get(clock, precision, out) {
      view().setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    fd_fdstat_get: (file, out) => {
      if (file > 2) return EBADF;
      new Uint8Array(memory.buffer, out, 24).fill(0);
      view().setUint8(out, 2); // a terminal
      return 0;
    },
    fd_prestat_get: () => EBADF,
    proc_exit(code) {
      exit = code;
      throw new Ended();
    },
  };
  const wasi = new Proxy(known, { get: (all, name) => all[name] ?? (() => ENOSYS) });
  const { instance } = await WebAssembly.instantiate(bytes, { wasi_snapshot_preview1: wasi });
  memory = instance.exports.memory;
  try {
    instance.exports._start();
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
  }
  return { exit, output: written[1], errors: written[2] };
}
