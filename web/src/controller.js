import { forgotten, GallopError, handleOf, load, opened } from "./module.js";
import { Network } from "./network.js";

/** A model file's contract, network and motion rules; shared by any number of crowds. */
export class Controller {
  #handle;

  constructor(module, handle) {
    this.module = module;
    this.#handle = handle;
    this.crowds = 0; // that are open
    const { joints, ...info } = infoOf(module, handle);
    this.info = info;
    this.contactJoints = Array.from({ length: info.contacts }, (_, i) => module.call.gal_controller_contact_joint(handle, i));
    this.gaits = gaitsOf(module, handle);
    this.joints = Array.from({ length: joints }, (_, i) => jointOf(module, handle, i));
    this.release = () => module.call.gal_controller_close(handle);
    forgotten.register(this, this.release, this);
  }

  static async open(source, options) {
    const module = await load();
    return new Controller(module, await opened(module, "controller", source, options));
  }

  get handle() {
    return handleOf(this.#handle, "controller");
  }

  /** The network inside. */
  get network() {
    return new Network(this.module, this.module.call.gal_controller_network(this.handle), this);
  }

  close() {
    if (this.crowds) throw new GallopError("bad argument", `the controller has ${this.crowds} crowds that are open`);
    forgotten.unregister(this);
    this.release?.();
    this.#handle = 0;
    this.release = null;
  }
}

function infoOf(module, handle) {
  const name = module.text(module.call.controller_info(handle, module.scratch));
  const [rate, unitMetres, joints, contacts, legs, speedWalk, speedRun, canCrouch, canJump] =
    module.doubles(module.scratch, 9);
  return {
    name, rate, unitMetres, joints, contacts, legs, speedWalk, speedRun, canCrouch: canCrouch !== 0, canJump: canJump !== 0,
  };
}

function gaitsOf(module, handle) {
  const names = [];
  for (let at; (at = module.call.gal_controller_gait_name(handle, names.length));) names.push(module.text(at));
  return names;
}

function jointOf(module, handle, i) {
  const { call, scratch } = module;
  call.joint_rest(handle, i, scratch);
  return {
    name: module.text(call.gal_controller_joint_name(handle, i)),
    parent: call.gal_controller_joint_parent(handle, i),
    rest: module.floats(scratch, 7).slice(),
  };
}
