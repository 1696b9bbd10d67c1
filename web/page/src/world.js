// The player and the others in one crowd: how many, of which model, in which precision. Lengths are metres outside.
import { Controller, Crowd } from "gallop";
import { heightField } from "./ground.js";
import { Others } from "./others.js";
import { namesOf, unpack } from "./packed.js";

export const MOST = 1000; // characters, the player included

// The smaller model of the same body, where there is one, else the same; both in int8.
async function standInOf(model, bytes) {
  const small = `${model}-small`;
  return Controller.open(namesOf("model").includes(small) ? await unpack("model", small) : bytes, { precision: "int8" });
}

function closeAll(crowd) {
  const { controllers } = crowd;
  crowd.close();
  for (const controller of controllers) controller.close();
}

export class World {
  constructor() {
    this.others = new Others();
    this.count = 0;
    this.frame = 0;
    this.clock = 0;
    this.fraction = 1;
    this.budget = null;
    this.footLock = true;
    this.poses = new Float32Array(0);
    this.places = new Float32Array(0);
  }

  /** Opens a model; who is there stays where it is. */
  async open(model, precision) {
    const bytes = await unpack("model", model), controller = await Controller.open(bytes, { precision });
    const unit = controller.info.unitMetres, same = this.model === model, standIn = await standInOf(model, bytes);
    const crowd = new Crowd(controller, { capacity: MOST, ground: heightField(unit), standIns: [standIn] });
    const before = this.crowd, count = Math.max(this.count, 1), snapshot = same ? before.save() : null;
    const stood = Array.from({ length: this.count }, (_, i) => ({ at: this.placeOf(i), facing: before.state(this.who[i]).facing }));
    Object.assign(this, { model, precision, controller, crowd, unit, standIn, count: 0, joints: controller.joints.length });
    this.crowd.setBudget(this.budget);
    this.who = this.who ?? [];
    if (snapshot) {
      crowd.restore(snapshot);
      this.count = count;
    } else {
      this.who = [];
      this.others.all.length = 0;
      for (let i = 0; i < count; i++) this.#add(stood[i] && { x: stood[i].at[0], z: stood[i].at[1], facing: stood[i].facing });
    }
    if (before) closeAll(before);
    this.#read();
  }

  #add(spawn) {
    const i = this.count, at = spawn ?? (i === 0 ? { x: 0, z: 0, facing: 0 } : this.others.place(i));
    this.who.push(this.crowd.add({ x: at.x / this.unit, z: at.z / this.unit, facing: at.facing, phase: (i * 1.7) % 6.2 }));
    if (i > 0) this.others.join(at.facing);
    if (i === 0) this.crowd.setPace(this.who[0], { frames: 1, level: 0 });
    if (!this.footLock) this.crowd.setFootLock(this.who[i], false);
    this.count++;
  }

  /** Milliseconds that a step may take; null: whatever it takes. */
  setBudget(budget) {
    this.budget = budget;
    this.crowd?.setBudget(budget);
  }

  // Who is near matters. A sixth of them in turn look how far they are, as they look around.
  #weigh() {
    const [px, pz] = this.placeOf(0);
    for (let i = 1 + this.frame % 6; i < this.count; i += 6) {
      this.crowd.setPriority(this.who[i], 1 / (1 + Math.hypot(this.places[2 * i] - px, this.places[2 * i + 1] - pz)));
    }
  }

  setCount(count) {
    while (this.count < count) this.#add();
    while (this.count > count) {
      this.crowd.remove(this.who.pop());
      this.others.leave();
      this.count--;
    }
    this.#read();
  }

  setFootLock(on) {
    this.footLock = on;
    for (const who of this.who) this.crowd.setFootLock(who, on);
  }

  /** Runs what is due after `seconds`; returns { frames, milliseconds } of the steps. */
  advance(seconds, input) {
    this.crowd.setInput(this.who[0], input);
    this.others.play(this.places, this.frame++, this.clock, (i, stick) => this.crowd.setInput(this.who[i + 1], stick));
    this.#weigh();
    const from = performance.now(), { frames, fraction } = this.crowd.advance(seconds, 2), milliseconds = performance.now() - from;
    this.clock += seconds;
    this.fraction = fraction;
    this.#read();
    return { frames, milliseconds };
  }

  // The poses now, between two steps.
  #read() {
    const size = this.count * this.joints * 7;
    if (this.poses.length !== size) {
      this.poses = new Float32Array(size);
      this.places = new Float32Array(2 * this.count);
    }
    this.crowd.poses(this.fraction, this.poses);
    for (let i = 0; i < this.count; i++) {
      this.places[2 * i] = this.poses[i * this.joints * 7] * this.unit;
      this.places[2 * i + 1] = this.poses[i * this.joints * 7 + 2] * this.unit;
    }
  }

  placeOf(i) {
    return [this.places[2 * i], this.places[2 * i + 1]];
  }

  /** The player: { root, facing, speed } in metres and seconds. */
  player() {
    const { root, facing, speed } = this.crowd.state(this.who[0]);
    const hips = [0, 1, 2].map((k) => this.poses[k] * this.unit);
    return { root: [hips[0], root[1] * this.unit, hips[2]], facing, speed: speed * this.unit };
  }
}
