// The WebAssembly module: which of the two this engine takes, its memory, its errors.
//
// Nobody outside sees a pointer. Numbers go in and out through `scratch`, a small piece of the module's memory; views
// of that memory are made for each use, since it moves when it grows.
import { checkNames } from "./names.js";
import { read } from "./read.js";

/** What the library refused, in its own words; `status` is the kind ("bad data"). */
export class GallopError extends Error {
  constructor(status, message) {
    super(message);
    this.name = "GallopError";
    this.status = status;
  }
}

// A module of one function that is f32x4.relaxed_madd.
const RELAXED = new Uint8Array([
  0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 10, 9, 1, 7, 0, 0x00, 0xfd, 0x85, 0x02, 0x1a, 0x0b,
]);

const SCRATCH = 4096;
const ENOSYS = 52, EBADF = 8;
const text = new TextDecoder(), bytesOf = new TextEncoder();

export class Module {
  constructor() {
    this.grounds = new Map(); // index: a crowd's ground function
    this.nextGround = 1;
    this.failed = null; // what a ground function threw
  }

  static async make(source) {
    const self = new Module();
    const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(await bytesFrom(source));
    const instance = await WebAssembly.instantiate(module, self.imports());
    self.call = instance.exports;
    self.call._initialize();
    self.scratch = self.call.allocate(SCRATCH);
    self.error = self.call.allocate(self.call.error_size());
    if (!self.scratch || !self.error) throw new GallopError("out of memory", "no memory for the module");
    self.names = self.namesOfAll();
    return self;
  }

  // The library keeps to libc; of the system it asks the time, for plans that are measured, and an empty environment.
  imports() {
    return {
      gallop: { ground: (index, x, z) => this.groundAt(index, x, z), seconds: () => performance.now() / 1000 },
      wasi_snapshot_preview1: {
        clock_time_get: (clock, precision, out) => {
          this.view().setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
          return 0;
        },
        environ_sizes_get: (count, size) => {
          this.view().setUint32(count, 0, true);
          this.view().setUint32(size, 0, true);
          return 0;
        },
        environ_get: () => 0,
        fd_close: () => EBADF,
        fd_seek: () => EBADF,
        fd_write: () => EBADF,
        fd_fdstat_get: () => EBADF,
        proc_exit: () => { throw new GallopError("unsupported", "the module ended itself"); },
        sched_yield: () => ENOSYS,
      },
    };
  }

  groundAt(index, x, z) {
    try {
      return +this.grounds.get(index)(x, z);
    } catch (error) {
      this.failed ??= error;
      return 0;
    }
  }

  // Throws what a ground function threw during the last call.
  afterGround() {
    const failed = this.failed;
    this.failed = null;
    if (failed) throw failed;
  }

  namesOfAll() {
    const list = (name) => {
      const names = [];
      for (let i = 0; i < 64 && this.text(this.call[name](i)) !== "unknown"; i++) names.push(this.text(this.call[name](i)));
      return names;
    };
    return {
      isa: list("gal_isa_name"),
      precision: list("gal_precision_name"),
      form: ["per-expert", "blend"],
      gate: ["caller", "cubic", "linear", "constant", "network"],
    };
  }

  numberOf(kind, name) {
    const number = this.names[kind].indexOf(name);
    if (number < 0) throw new RangeError(`${kind} "${name}": one of ${this.names[kind].join(", ")} expected`);
    return number;
  }

  view() {
    return new DataView(this.call.memory.buffer);
  }

  floats(at, count) {
    return new Float32Array(this.call.memory.buffer, at, count);
  }

  doubles(at, count) {
    return new Float64Array(this.call.memory.buffer, at, count);
  }

  pointer(at) {
    return this.view().getUint32(at, true);
  }

  text(at) {
    const all = new Uint8Array(this.call.memory.buffer);
    return text.decode(all.subarray(at, all.indexOf(0, at)));
  }

  allocate(size) {
    const at = this.call.allocate(size);
    if (!at) throw new GallopError("out of memory", `no memory for ${size} bytes`);
    return at;
  }

  // Calls use(address) with a copy of the bytes in the module's memory, which is released after.
  lend(bytes, use) {
    const at = this.allocate(bytes.byteLength);
    try {
      new Uint8Array(this.call.memory.buffer, at, bytes.byteLength).set(
        new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      return use(at);
    } finally {
      this.call.release(at);
    }
  }

  lendText(string, use) {
    return string == null ? use(0) : this.lend(bytesOf.encode(`${string}\0`), use);
  }

  // A status of a call that filled in this.error.
  check(status) {
    if (status) {
      throw new GallopError(this.text(this.call.gal_status_text(status)), this.text(this.call.error_message(this.error)));
    }
  }

  // A status of a call about `what`, which has no message of its own.
  checkOf(status, what) {
    if (status) {
      const kind = this.text(this.call.gal_status_text(status));
      throw new GallopError(kind, `${what}: ${kind}`);
    }
  }

  // open("network" or "controller"): its handle, from a model file's bytes and the options of index.d.ts.
  open(kind, bytes, options = {}) {
    checkNames("open", options, ["isa", "form", "plan", "precision", "block"]);
    const { isa = "best", form = "per-expert", plan = null, precision = "stored", block = 0 } = options;
    const numbers = [this.numberOf("isa", isa), this.numberOf("form", form), this.numberOf("precision", precision)];
    return this.lendText(plan, (planAt) => this.lend(bytes, (at) => {
      this.check(this.call[`${kind}_open`](this.scratch, at, bytes.byteLength, numbers[0], numbers[1], planAt, numbers[2],
        block === "row" ? 0xffffffff : block, this.error));
      return this.pointer(this.scratch);
    }));
  }
}

/** Bytes as Uint8Array, whatever they are seen through; null: it is none. */
export function viewOf(bytes) {
  if (bytes instanceof ArrayBuffer) return new Uint8Array(bytes);
  return ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : null;
}

/** Bytes of what index.d.ts calls a Source. */
export async function bytesFrom(source) {
  const bytes = viewOf(source);
  if (bytes) return bytes;
  if (typeof Response !== "undefined" && source instanceof Response) return new Uint8Array(await source.arrayBuffer());
  if (typeof source !== "string" && !(source instanceof URL)) {
    throw new TypeError(`${source}: a URL, a path, bytes or a Response expected`);
  }
  return read(source);
}

/** The module's handle of the source's controller or network; a refusal says the path or URL. */
export async function opened(module, kind, source, options) {
  const bytes = await bytesFrom(source);
  try {
    return module.open(kind, bytes, options);
  } catch (error) {
    const place = typeof source === "string" || source instanceof URL ? String(source) : "";
    if (error instanceof GallopError && place) error.message = `${place.slice(0, 200)}: ${error.message}`;
    throw error;
  }
}

let loaded = null;

/** The module, loaded once; index.d.ts says more. */
export function load({ relaxed, simd } = {}) {
  loaded ??= Module.make(WebAssembly.validate(RELAXED)
    ? relaxed ?? new URL("../dist/gallop.wasm", import.meta.url)
    : simd ?? new URL("../dist/gallop-simd.wasm", import.meta.url));
  loaded.catch(() => { loaded = null; }); // another try may find what this one did not
  return loaded;
}

/** The handle, or an error where the object was closed. */
export function handleOf(handle, what) {
  if (!handle) throw new GallopError("bad argument", `the ${what} is closed`);
  return handle;
}

/** Calls release() when `owner` was forgotten without a close. */
export const forgotten = new FinalizationRegistry((release) => release());
