export { Controller } from "./controller.js";
export { Crowd } from "./crowd.js";
export { GallopError } from "./module.js";
export { Network } from "./network.js";
import { load as loadModule } from "./module.js";

export async function load(sources) {
  const module = await loadModule(sources), { call, names } = module;
  return {
    version: module.text(call.gal_version()),
    isas: names.isa.filter((name, i) => name !== "best" && call.gal_isa_available(i)),
  };
}
