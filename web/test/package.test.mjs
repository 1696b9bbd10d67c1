// The package as a user has it, beside the native command GALLOP_COMMAND: the same outputs, its errors, its memory.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, test } from "node:test";
import { Controller, Crowd, GallopError, load, Network } from "gallop";

const root = new URL("../../", import.meta.url).pathname, models = `${root}models`;
const place = mkdtempSync(`${tmpdir()}/gallop-web-`);
after(() => rmSync(place, { recursive: true }));

const gallop = (...words) => execFileSync(process.env.GALLOP_COMMAND, words, { stdio: ["ignore", "pipe", "inherit"] });

function writeNpy(path, values, rows, columns) {
  const shape = columns ? `(${rows}, ${columns})` : `(${rows},)`;
  const head = `{'descr': '<f4', 'fortran_order': False, 'shape': ${shape}, }`;
  const size = Math.ceil((head.length + 11) / 64) * 64 - 10;
  const prefix = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, size & 255, size >> 8]);
  writeFileSync(path, Buffer.concat([prefix, Buffer.from(`${head.padEnd(size - 1)}\n`), Buffer.from(values.buffer)]));
}

function readNpy(path) {
  const file = readFileSync(path), from = 10 + file.readUInt16LE(8);
  return new Float32Array(new Uint8Array(file.subarray(from)).buffer);
}

// Numbers that are the same everywhere, within -1..1.
function noise(count, seed) {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2147483648 - 1;
  });
}

const walker = await Controller.open(`${models}/walker.gallop`);

test("every import is a path, which a page without a bundler finds", () => {
  const sources = new URL("../src/", import.meta.url);
  for (const name of readdirSync(sources).filter((name) => name.endsWith(".js"))) {
    const text = readFileSync(new URL(name, sources), "utf8");
    for (const [, from] of text.matchAll(/(?:from|import) *\(?"([^"]*)"/g)) assert.match(from, /^\.\//, name);
  }
});

test("the relaxed module is in use, and fuses", async () => {
  const { version, isas } = await load();
  assert.deepEqual(isas, ["scalar", "wasm"]);
  assert.equal(walker.network.info.isa, "wasm");
  assert.match(version, /^\d+\.\d+\.\d+$/);
});

for (const [model, gate] of [["walker", "phase"], ["dog", "network"]]) {
  for (const precision of ["stored", "fp16", "bf16-dot", "int16", "int8", "int8-dot"]) {
    test(`${model} in ${precision}: the outputs of the native command, bit for bit`, async () => {
      const network = await Network.open(`${models}/${model}.gallop`, { precision }), count = 11;
      const x = noise(count * network.info.inputs, 7).map((v) => 30 * v), phase = noise(count, 8).map((v) => 3 * v);
      writeNpy(`${place}/x.npy`, x, count, network.info.inputs);
      writeNpy(`${place}/phase.npy`, phase, count);
      gallop("eval", `${models}/${model}.gallop`, "--x", `${place}/x.npy`, ...(gate === "phase" ? ["--phase", `${place}/phase.npy`] : []),
        "--precision", precision, "-o", `${place}/y.npy`);
      const y = network.run(x, gate === "phase" ? { phase } : {});
      assert.deepEqual(new Uint32Array(y.buffer), new Uint32Array(readNpy(`${place}/y.npy`).buffer));
      network.close();
    });
  }
}

test("a crowd walks as the native command's does, bit for bit", () => {
  writeFileSync(`${place}/input.csv`, "frame,move_x,move_y,run\n0,0,1,0\n120,0.7,0.7,0\n240,1,0,1\n360,0,0,0\n480,0,0,0\n");
  gallop("drive", `${models}/walker.gallop`, "--input", `${place}/input.csv`, "-o", `${place}/poses.npy`);
  const native = readNpy(`${place}/poses.npy`), joints = walker.joints.length, frames = native.length / joints / 3;
  const crowd = new Crowd(walker, { capacity: 8 }), who = crowd.add();
  for (let i = 1; i < 8; i++) crowd.setInput(crowd.add({ x: 100 * i }), { moveY: -1, run: i / 8 });
  const inputs = [[0, { moveY: 1 }], [120, { moveX: 0.7, moveY: 0.7 }], [240, { moveX: 1, run: 1 }], [360, {}]];
  let worst = 0;
  for (let frame = 0; frame < frames; frame++) {
    for (const [from, input] of inputs) if (frame === from) crowd.setInput(who, input);
    crowd.step();
    const pose = crowd.pose(who);
    for (let j = 0; j < joints; j++) {
      for (let k = 0; k < 3; k++) worst = Math.max(worst, Math.abs(pose[7 * j + k] - native[3 * (frame * joints + j) + k]));
    }
  }
  assert.ok(frames >= 480);
  assert.equal(worst, 0);
  crowd.close();
});

test("poses of all, between frames, local; state and path", () => {
  const crowd = new Crowd(walker, { capacity: 3 }), characters = [0, 100, 200].map((x) => crowd.add({ x, facing: 1 }));
  assert.deepEqual(crowd.characters, characters);
  for (const who of characters) crowd.setInput(who, { moveY: 1 });
  for (let i = 0; i < 60; i++) crowd.step();
  const width = 7 * walker.joints.length, all = crowd.poses();
  assert.equal(all.length, 3 * width);
  characters.forEach((who, i) => assert.deepEqual(all.slice(i * width, (i + 1) * width), crowd.pose(who)));
  assert.deepEqual(crowd.poses(0).slice(0, width), crowd.poseBetween(characters[0], 0));
  const out = new Float32Array(width);
  assert.equal(crowd.poseLocal(characters[1], out), out);
  assert.notDeepEqual(out, crowd.pose(characters[1]));
  const { root, speed, contacts } = crowd.state(characters[2]), { points, facings } = crowd.trajectory(characters[2]);
  assert.ok(root[2] > 20 && speed > 20, `${root}, ${speed}`);
  assert.equal(contacts.length, walker.info.contacts);
  const touching = walker.contactJoints.map((joint) => walker.joints[joint].name);
  assert.deepEqual(touching, ["LeftAnkle", "LeftToe", "RightAnkle", "RightToe"]);
  assert.equal(points.length, 3 * facings.length);
  const gaits = crowd.gaits(characters[2]);
  assert.deepEqual(Object.keys(gaits), ["stand", "walk", "run"]);
  assert.ok(gaits.walk > 0.9 && gaits.stand < 0.1, JSON.stringify(gaits));
  assert.throws(() => crowd.gaits(0), GallopError);
  crowd.close();
});

test("a snapshot goes on as the crowd did", () => {
  const crowd = new Crowd(walker, { capacity: 4 }), other = new Crowd(walker, { capacity: 4 });
  const who = crowd.add({ x: 10 });
  crowd.setInput(who, { moveX: 1, run: 1 });
  for (let i = 0; i < 30; i++) crowd.step();
  const snapshot = crowd.save();
  other.restore(snapshot);
  for (let i = 0; i < 30; i++) [crowd, other].forEach((each) => each.step());
  assert.deepEqual(other.pose(who), crowd.pose(who));
  assert.deepEqual(other.save(), crowd.save());
  snapshot[40] ^= 255;
  assert.throws(() => other.restore(snapshot), (error) => error instanceof GallopError && error.status === "bad data");
  crowd.close();
  other.close();
});

test("far ones may be evaluated seldom, by a stand-in", async () => {
  const small = await Controller.open(`${models}/walker.gallop`, { precision: "int8" });
  const crowd = new Crowd(walker, { capacity: 2, standIns: [small] }), [near, far] = [crowd.add(), crowd.add({ x: 300 })];
  for (const who of [near, far]) crowd.setInput(who, { moveY: 1 });
  crowd.setPace(far, { frames: 8, level: 1 });
  for (let i = 0; i < 240; i++) crowd.step();
  const alone = new Crowd(walker), other = alone.add();
  alone.setInput(other, { moveY: 1 });
  for (let i = 0; i < 240; i++) alone.step();
  assert.deepEqual(crowd.pose(near), alone.pose(other));
  assert.notDeepEqual(crowd.pose(far).slice(1, 7), alone.pose(other).slice(1, 7));
  assert.ok(Math.abs(crowd.state(far).root[2] - alone.state(other).root[2]) < 40);
  assert.throws(() => crowd.setPace(far, { frames: 9 }), /a pace of 9 frames by level 0: bad argument/);
  assert.throws(() => crowd.setPace(far, { frames: 1, level: 2 }), /a pace of 1 frames by level 2: bad argument/);
  assert.throws(() => small.close(), /1 crowds that are open/);
  crowd.setPace(far, null);
  crowd.close();
  small.close();
  alone.close();
});

test("a crowd keeps to a budget by what matters", async () => {
  const small = await Controller.open(`${models}/walker-small.gallop`), count = 200;
  const crowd = new Crowd(walker, { capacity: count, standIns: [small] }), all = Array.from({ length: count }, (_, i) => crowd.add({ x: 100 * i }));
  all.forEach((who, i) => {
    crowd.setInput(who, { moveY: 1 });
    crowd.setPriority(who, 1 / (1 + i));
  });
  crowd.step();
  assert.equal(crowd.load.evaluated, 0);
  crowd.setBudget(1, { nominal: true });
  for (let i = 0; i < 60; i++) crowd.step();
  assert.ok(crowd.load.evaluated > 10 && crowd.load.evaluated < count / 2, JSON.stringify(crowd.load));
  crowd.setBudget(1000);
  for (let i = 0; i < 60; i++) crowd.step();
  assert.equal(crowd.load.evaluated, count);
  assert.throws(() => crowd.setBudget(NaN), /a budget of NaN ms/);
  crowd.setBudget(null);
  crowd.close();
  small.close();
});

test("ground by a function and by a height field", () => {
  const rows = 41, columns = 41, cell = 50, height = (x, z) => 0.1 * x + 0.05 * z;
  const heights = Float32Array.from({ length: rows * columns }, (_, i) =>
    height((i % columns - 20) * cell, (Math.floor(i / columns) - 20) * cell));
  const grounds = [height, { heights, rows, columns, cell, originX: -1000, originZ: -1000 }];
  const ends = grounds.map((ground) => {
    const crowd = new Crowd(walker, { ground }), who = crowd.add();
    crowd.setInput(who, { moveX: -1 });
    for (let i = 0; i < 120; i++) crowd.step();
    const { root } = crowd.state(who);
    crowd.close();
    return root;
  });
  assert.ok(Math.abs(ends[0][1] - height(ends[0][0], ends[0][2])) < 1, `${ends[0]}`);
  assert.ok(ends[0][1] > 5, `${ends[0]}`);
  ends[0].forEach((v, i) => assert.ok(Math.abs(v - ends[1][i]) < 0.1, `${ends}`));
});

test("what a ground function throws comes out of the call", () => {
  let broken = false;
  const crowd = new Crowd(walker, { ground: () => { if (broken) throw new Error("no such place"); return 0; } });
  crowd.add();
  broken = true;
  assert.throws(() => crowd.step(), /no such place/);
  broken = false;
  crowd.step();
  crowd.close();
});

test("errors are the library's words", async () => {
  await assert.rejects(Controller.open(new Uint8Array(100)), (error) =>
    error instanceof GallopError && error.status === "bad data" && error.message.length > 10);
  await assert.rejects(Controller.open(`${place}/nosuch.gallop`), /nosuch/);
  writeFileSync(`${place}/text.gallop`, "no model, but a text that is long enough for a header");
  for (const kind of [Controller, Network]) {
    await assert.rejects(kind.open(`${place}/text.gallop`), /text\.gallop: header: offset 0: not a Gallop model/);
    await assert.rejects(kind.open(new URL(`file://${place}/text.gallop`)), /text\.gallop: header: /);
  }
  await assert.rejects(Network.open(`${models}/walker.gallop`, { precision: "int9" }), /precision "int9": one of stored, f32/);
  await assert.rejects(Network.open(`${models}/walker.gallop`, { isa: "avx2" }), /avx2 kernels: not in this build/);
  await assert.rejects(Network.open(`${models}/walker.gallop`, { plan: "nonsense" }), /plan/);
  assert.throws(() => new Crowd(walker, { capacity: 70000 }), /capacity is 70000, at most 65535/);
  assert.throws(() => new Crowd(walker, { ground: { heights: [1, 2], rows: 1, columns: 2, cell: 1 } }), RangeError);
  const halves = { heights: new Float32Array(10), rows: 2.5, columns: 4, cell: 1 }; // was written past 2 x 4 of them
  assert.throws(() => new Crowd(walker, { ground: halves }), RangeError);
  assert.throws(() => new Crowd("walker.gallop"), /a Controller expected/);
  const crowd = new Crowd(walker, { capacity: 1 }), who = crowd.add();
  assert.throws(() => crowd.add({ X: 1 }), /add: no "X"; x, z, facing, phase expected/);
  assert.throws(() => crowd.setInput(who, { move_y: 1 }), /setInput: no "move_y"; moveX, moveY/);
  assert.throws(() => crowd.add(), /a crowd of 1: full/);
  assert.throws(() => crowd.pose(12345), /character 12345: not found/);
  assert.throws(() => crowd.setInput(12345, {}), /character 12345: not found/);
  assert.throws(() => new Crowd(walker).add({ x: NaN }), /add at x NaN, z 0, facing 0, phase 0: bad argument/);
  for (const capacity of [0, -1, 1.5, NaN, "many"]) {
    assert.throws(() => new Crowd(walker, { capacity }), new RegExp(`capacity ${capacity}: a whole number from 1 to 65535 expected`));
  }
  assert.throws(() => crowd.pose(crowd.characters[0], new Float32Array(3)), /an array of 3 numbers, 161 expected/);
  assert.throws(() => walker.network.run(new Float32Array(3)), /x has 3 numbers, a multiple of 222 expected/);
  assert.throws(() => walker.network.run(new Float32Array(222)), /phase/);
  crowd.remove(who);
  crowd.close();
  assert.throws(() => crowd.step(), /the crowd is closed/);
});

test("a word that is misspelled is an error, not passed over", async () => {
  const open = Controller.open(`${models}/walker.gallop`, { precison: "int8" });
  await assert.rejects(open, /^TypeError: open: no "precison"; isa, form, plan, precision, block expected/);
  for (const source of [undefined, 5, {}]) await assert.rejects(Controller.open(source), /a URL, a path, bytes or a Response expected/);
  assert.throws(() => new Crowd(walker, { size: 4 }), /new Crowd: no "size"; capacity, ground, standIns expected/);
  const field = { heights: new Float32Array(4), rows: 2, columns: 2, cell: 1, originx: 3 };
  assert.throws(() => new Crowd(walker, { ground: field }), /ground: no "originx"; heights, rows/);
  assert.throws(() => walker.network.run(new Float32Array(222), { phse: 1 }), /run: no "phse"; phase, blend expected/);
  const crowd = new Crowd(walker), who = crowd.add();
  assert.throws(() => crowd.setBudget(1, { nominl: true }), /setBudget: no "nominl"; nominal expected/);
  assert.throws(() => crowd.setPace(who, { frame: 2 }), /setPace: no "frame"; frames, level expected/);
  crowd.close();
});

test("a saved game comes back from a file, whatever its bytes are seen through", () => {
  const crowd = new Crowd(walker), who = crowd.add({ x: 30 }), saved = crowd.save();
  const alone = saved.buffer.slice(saved.byteOffset, saved.byteOffset + saved.byteLength);
  for (const bytes of [alone, new DataView(alone), Buffer.from(saved)]) {
    crowd.teleport(who, 500, 0, 0);
    crowd.restore(bytes);
    assert.equal(crowd.state(who).root[0], 30);
  }
  for (const none of [undefined, "saved", [1, 2]]) assert.throws(() => crowd.restore(none), /restore: the bytes of a save expected/);
  crowd.close();
});

test("what is closed is freed, and not used again", async () => {
  const { memory } = walker.module.call;
  let grown = 0;
  for (let i = 0; i < 40; i++) {
    const controller = await Controller.open(`${models}/walker.gallop`), crowd = new Crowd(controller, { capacity: 100 });
    assert.throws(() => controller.close(), /1 crowds that are open/);
    crowd.add();
    crowd.poses();
    crowd.close();
    const { network } = controller;
    controller.close();
    assert.throws(() => network.run([]), /the controller is closed/);
    if (i === 3) grown = memory.buffer.byteLength;
  }
  assert.equal(memory.buffer.byteLength, grown);
});
