import { Controller } from "./controller.js";
import { forgotten, handleOf, viewOf } from "./module.js";
import { checkNames } from "./names.js";

const TRANSFORM = 7; // position x y z, rotation x y z w
const SAMPLES_MOST = 64; // of a trajectory
const LEVELS_MOST = 4; // GAL_LEVELS_MAX
const FULL = 5; // GAL_FULL
const NOT_FOUND = 6; // GAL_NOT_FOUND

const SPAWN = { x: 0, z: 0, facing: 0, phase: 0 };
const INPUT = { moveX: 0, moveY: 0, run: 0, strafe: 0, crouch: 0, cameraYaw: 0, responsive: false, jump: false };
const OPTIONS = ["capacity", "ground", "standIns"];
const FIELD = ["heights", "rows", "columns", "cell", "originX", "originZ"];

/** Up to `capacity` characters of one controller. */
export class Crowd {
  #handle;

  constructor(controller, options = {}) {
    checkNames("new Crowd", options, OPTIONS);
    const { capacity = 16, ground = null, standIns = [] } = options, controllers = [controller, ...standIns];
    if (!controllers.every((each) => each instanceof Controller)) {
      throw new TypeError("new Crowd(controller): a Controller expected, which `await Controller.open(...)` gives");
    }
    if (!(Number.isInteger(capacity) && capacity >= 1)) throw new RangeError(`capacity ${capacity}: a whole number from 1 to 65535 expected`);
    if (controllers.length > LEVELS_MOST) throw new RangeError(`${standIns.length} stand-ins, at most ${LEVELS_MOST - 1} expected`);
    const { module } = controller;
    this.controller = controller;
    this.controllers = controllers;
    this.module = module;
    const laid = layGround(module, ground);
    try {
      const levels = Array.from({ length: LEVELS_MOST }, (_, i) => controllers[i]?.handle ?? 0);
      module.check(module.lend(Uint32Array.from(levels), (at) => module.call.crowd_create(module.scratch, at, capacity,
        laid.kind, laid.index, laid.field, module.error)));
    } catch (error) {
      laid.release();
      throw error;
    }
    const handle = (this.#handle = module.pointer(module.scratch));
    this.roomFor = 0; // characters whose poses fit into the room in the module's memory
    const room = (this.room = { at: 0 });
    this.release = () => {
      module.call.gal_crowd_destroy(handle);
      module.call.release(room.at);
      laid.release();
      for (const each of controllers) each.crowds--;
    };
    forgotten.register(this, this.release, this);
    for (const each of controllers) each.crowds++;
  }

  get handle() {
    return handleOf(this.#handle, "crowd");
  }

  /** Characters now. */
  get count() {
    return this.module.call.gal_crowd_count(this.handle);
  }

  /** Handles of all, in the order of `poses`. */
  get characters() {
    return Array.from({ length: this.count }, (_, i) => this.module.call.gal_crowd_at(this.handle, i) >>> 0);
  }

  /** Times a character whose state became non-finite was set back to rest. */
  get resets() {
    return this.module.call.crowd_resets(this.handle);
  }

  /** Adds a character at rest; returns its handle. */
  add(spawn = SPAWN) {
    checkNames("add", spawn, Object.keys(SPAWN));
    const { x = 0, z = 0, facing = 0, phase = 0 } = spawn;
    const { module } = this, status = module.call.crowd_add(this.handle, x, z, facing, phase, module.scratch);
    module.afterGround();
    module.checkOf(status, status === FULL ? `a crowd of ${this.count}` : `add at x ${x}, z ${z}, facing ${facing}, phase ${phase}`);
    return module.pointer(module.scratch);
  }

  remove(character) {
    this.#about(character, this.module.call.gal_crowd_remove(this.handle, character));
  }

  /** What the player wants from the next step on. */
  setInput(character, input = INPUT) {
    checkNames("setInput", input, Object.keys(INPUT));
    const { moveX = 0, moveY = 0, run = 0, strafe = 0, crouch = 0, cameraYaw = 0, responsive = false, jump = false } = input;
    this.#about(character, this.module.call.crowd_input(this.handle, character, moveX, moveY, run, strafe, crouch, cameraYaw,
      +responsive, +jump));
  }

  teleport(character, x, z, facing) {
    const status = this.module.call.gal_crowd_teleport(this.handle, character, x, z, facing);
    this.module.afterGround();
    this.#about(character, status);
  }

  setFootLock(character, on) {
    const status = this.module.call.gal_crowd_set_foot_lock(this.handle, character, +on);
    this.module.afterGround();
    this.#about(character, status);
  }

  /** How a character is evaluated, from its next evaluation on; null: as the crowd decides. */
  setPace(character, pace) {
    checkNames("setPace", pace, ["frames", "level"]);
    const { frames = 1, level = 0 } = pace ?? {};
    if (!(frames >= 1)) throw new RangeError(`a pace of ${frames} frames: 1 to 8 expected`);
    const status = this.module.call.crowd_set_pace(this.handle, character, pace ? frames : 0, level);
    this.module.checkOf(status, status === NOT_FOUND ? `character ${character}` : `a pace of ${frames} frames by level ${level}`);
  }

  /** How much a character matters to the budget, against the others. */
  setPriority(character, priority) {
    this.#about(character, this.module.call.gal_crowd_set_priority(this.handle, character, priority));
  }

  /** What a step may cost, in milliseconds; null: whatever it takes. */
  setBudget(milliseconds, options = {}) {
    checkNames("setBudget", options, ["nominal"]);
    const { nominal = false } = options;
    if (milliseconds !== null && !(milliseconds >= 0)) throw new RangeError(`a budget of ${milliseconds} ms`);
    this.module.checkOf(this.module.call.crowd_set_budget(this.handle, milliseconds === null ? -1 : 1000 * milliseconds, +nominal),
      "a budget");
  }

  /** What the last step came to, where there is a budget. */
  get load() {
    const { module } = this;
    module.call.crowd_load(this.handle, module.scratch);
    const [microseconds, evaluated, bridged, waiting, bar] = module.doubles(module.scratch, 5);
    return { milliseconds: microseconds / 1000, evaluated, bridged, waiting, bar };
  }

  /** One frame of 1 / rate seconds for all. */
  step() {
    this.module.call.gal_crowd_step(this.handle);
    this.module.afterGround();
  }

  /** The whole frames due after `seconds` more: how many ran, and the part of a frame left over. */
  advance(seconds, most = 0) {
    const { module } = this, frames = module.call.gal_crowd_advance(this.handle, seconds, most, module.scratch);
    module.afterGround();
    return { frames, fraction: module.floats(module.scratch, 1)[0] };
  }

  /** World transforms [joints * 7] after the last step. */
  pose(character, out = new Float32Array(this.#width)) {
    const at = this.module.call.crowd_pose(this.handle, character);
    this.#about(character, at ? 0 : NOT_FOUND);
    return filled(out, this.module.floats(at, this.#width));
  }

  /** The same between the last two steps: fraction 0 the earlier, 1 the later. */
  poseBetween(character, fraction, out = new Float32Array(this.#width)) {
    return this.#poseBy("gal_crowd_pose_between", character, [fraction], out);
  }

  /** The transforms in each parent's frame. */
  poseLocal(character, out = new Float32Array(this.#width)) {
    return this.#poseBy("gal_crowd_pose_local", character, [], out);
  }

  /** World transforms of all, [count * joints * 7], between the last two steps; 1: after the last. */
  poses(fraction = 1, out = new Float32Array(this.count * this.#width)) {
    const { count, module } = this, at = this.#roomOf(count);
    module.call.crowd_poses(this.handle, this.controller.joints.length, fraction, at);
    return filled(out, module.floats(at, count * this.#width));
  }

  /** Where a character is and how it moves. */
  state(character) {
    const { module } = this;
    this.#about(character, module.call.crowd_state(this.handle, character, module.scratch));
    const [x, y, z, facing, phase, speed, ...contacts] = module.floats(module.scratch, 22);
    return { root: [x, y, z], facing, phase, speed, contacts: contacts.slice(0, this.controller.info.contacts) };
  }

  /** How much it is in each gait, 0..1, by name. */
  gaits(character) {
    const { module } = this, { gaits } = this.controller;
    const count = module.call.gal_crowd_gaits(this.handle, character, module.scratch, gaits.length);
    this.#about(character, count ? 0 : NOT_FOUND);
    const amounts = module.floats(module.scratch, count);
    return Object.fromEntries(gaits.map((name, i) => [name, amounts[i]]));
  }

  /** World points [samples * 3] and facings [samples] of its path. */
  trajectory(character) {
    const { module } = this, facings = module.scratch + SAMPLES_MOST * 12;
    const count = module.call.gal_crowd_trajectory(this.handle, character, module.scratch, facings, SAMPLES_MOST);
    this.#about(character, count ? 0 : NOT_FOUND);
    return { points: module.floats(module.scratch, 3 * count).slice(), facings: module.floats(facings, count).slice() };
  }

  /** All that the crowd goes on from, bit for bit. */
  save() {
    const { module } = this, size = module.call.gal_crowd_snapshot_size(this.handle), at = module.allocate(size);
    try {
      module.checkOf(module.call.gal_crowd_save(this.handle, at, size, module.scratch), "a snapshot");
      return new Uint8Array(module.call.memory.buffer, at, module.pointer(module.scratch)).slice();
    } finally {
      module.call.release(at);
    }
  }

  restore(snapshot) {
    const { module } = this, bytes = viewOf(snapshot);
    if (!bytes) throw new TypeError("restore: the bytes of a save expected");
    module.lend(bytes, (at) => module.check(module.call.gal_crowd_restore(this.handle, at, bytes.byteLength, module.error)));
  }

  close() {
    forgotten.unregister(this);
    this.release?.();
    this.#handle = 0;
    this.release = null;
  }

  get #width() {
    return this.controller.joints.length * TRANSFORM;
  }

  #about(character, status) {
    this.module.checkOf(status, `character ${character}`);
  }

  #poseBy(name, character, extra, out) {
    const at = this.#roomOf(1);
    this.#about(character, this.module.call[name](this.handle, character, ...extra, at));
    return filled(out, this.module.floats(at, this.#width));
  }

  #roomOf(count) {
    if (count > this.roomFor) {
      this.module.call.release(this.room.at);
      this.room.at = 0;
      this.room.at = this.module.allocate(4 * count * this.#width);
      this.roomFor = count;
    }
    return this.room.at;
  }
}

function filled(out, numbers) {
  if (out.length < numbers.length) throw new RangeError(`an array of ${out.length} numbers, ${numbers.length} expected`);
  out.set(numbers);
  return out;
}

// What crowd_create takes of a ground, and what frees it.
function layGround(module, ground) {
  if (ground === null) return { kind: 0, index: 0, field: 0, release() {} };
  if (typeof ground === "function") {
    const index = module.nextGround++;
    module.grounds.set(index, ground);
    return { kind: 1, index, field: 0, release: () => module.grounds.delete(index) };
  }
  checkNames("ground", ground, FIELD);
  const { heights, rows, columns, cell, originX = 0, originZ = 0 } = ground;
  const sized = Number.isInteger(rows) && Number.isInteger(columns) && rows >= 2 && columns >= 2;
  if (!(sized && cell > 0 && heights?.length === rows * columns)) {
    throw new RangeError("ground: heights [rows * columns], at least 2 x 2, and a cell above 0 expected");
  }
  const field = module.call.field_create(rows, columns, cell, originX, originZ);
  if (!field) module.allocate(4 * rows * columns); // throws what there was no memory for
  module.floats(module.call.field_heights(field), rows * columns).set(heights);
  return { kind: 2, index: 0, field, release: () => module.call.release(field) };
}
