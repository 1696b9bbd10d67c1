import { forgotten, handleOf, load, opened } from "./module.js";
import { checkNames } from "./names.js";

/** A model file's network, open for running. */
export class Network {
  #handle;

  // owner: who closes it; null: this object.
  constructor(module, handle, owner = null) {
    this.module = module;
    this.#handle = handle;
    this.owner = owner;
    this.info = infoOf(module, handle);
    if (!owner) {
      this.release = () => module.call.gal_network_close(handle);
      forgotten.register(this, this.release, this);
    }
  }

  static async open(source, options) {
    const module = await load();
    return new Network(module, await opened(module, "network", source, options));
  }

  get handle() {
    void this.owner?.handle; // throws if that is closed
    return handleOf(this.#handle, "network");
  }

  /** How it runs on this machine, layer by layer. */
  get plan() {
    const { call } = this.module, size = call.gal_network_plan_text(this.handle, 0, 0) + 1, at = this.module.allocate(size);
    call.gal_network_plan_text(this.handle, at, size);
    const text = this.module.text(at);
    call.release(at);
    return text;
  }

  /** Outputs [count * outputs] of raw features x [count * inputs]. */
  run(x, given = {}) {
    checkNames("run", given, ["phase", "blend"]);
    const { phase, blend } = given;
    const { inputs, outputs, gate, experts } = this.info, count = x.length / inputs;
    if (!Number.isInteger(count)) throw new RangeError(`x has ${x.length} numbers, a multiple of ${inputs} expected`);
    const phases = gateValues("phase", phase, count, 1), blends = gateValues("blend", blend, count, experts);
    if ((phases && (gate === "network" || gate === "caller")) || (blends && gate !== "caller")) {
      throw new RangeError(`a network whose gate is "${gate}" takes no ${phases ? "phase" : "blend"}`);
    }
    const { module } = this, size = module.call.gal_network_workspace_size(this.handle, count);
    const workspace = module.allocate(size), y = module.allocate(4 * count * outputs);
    try {
      return module.lend(Float32Array.from(x), (at) => lendIf(module, phases, (p) => lendIf(module, blends, (b) => {
        module.check(module.call.network_run(this.handle, count, at, p, b, y, workspace, size, module.error));
        return module.floats(y, count * outputs).slice();
      })));
    } finally {
      module.call.release(workspace);
      module.call.release(y);
    }
  }

  close() {
    if (this.release) {
      forgotten.unregister(this);
      this.release();
    }
    this.#handle = 0;
    this.release = null;
  }
}

function lendIf(module, values, use) {
  return values ? module.lend(values, use) : use(0);
}

// One number or row for all, or one for each.
function gateValues(name, values, count, width) {
  if (values === undefined) return null;
  const given = typeof values === "number" ? [values] : values;
  if (given.length !== width && given.length !== count * width) {
    throw new RangeError(`${name} has ${given.length} numbers, ${width} or ${count * width} expected`);
  }
  return Float32Array.from({ length: count * width }, (_, i) => given[i % given.length]);
}

function infoOf(module, handle) {
  module.call.network_info(handle, module.scratch);
  const [inputs, outputs, liveInputs, layers, gate, experts, parameters, memory, isa, precision] =
    module.doubles(module.scratch, 10);
  const { names } = module;
  return {
    inputs, outputs, liveInputs, layers, gate: names.gate[gate], experts, parameters, memory,
    isa: names.isa[isa], precision: names.precision[precision],
  };
}
