// Runs an emitted module built for WebAssembly over recorded calls, as driver.c does:
// node driver.mjs NET.WASM CALLS WEIGHTS INPUTS GATE OUTPUTS WORKSPACE > OUT
import { readFileSync, writeSync } from "node:fs";

const [, , wasm, callsPath, weightsPath, ...sizes] = process.argv;
const [inputs, gate, outputs, workspace] = sizes.map(Number);
const calls = readFileSync(callsPath), weights = readFileSync(weightsPath);
const env = {
  floor: Math.floor,
  fmod: (x, y) => x % y,
  sqrt: Math.sqrt,
  sqrtf: Math.sqrt,
  memset: (to, value, size) => (bytes().fill(value, to, to + size), to),
  memcpy: (to, from, size) => (bytes().copyWithin(to, from, from + size), to),
};
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(wasm)), { env });
const bytes = () => new Uint8Array(exports.memory.buffer);
const first = exports.memory.grow(64) * 65536;
let next;

function place(size) {
  const at = next;
  next += Math.ceil(size / 64) * 64;
  return at;
}

for (let at = 0; at < calls.length; ) {
  const count = calls.readUInt32LE(at);
  const sizeX = 4 * count * inputs, sizeGate = 4 * count * gate, sizeY = 4 * count * outputs;
  next = first;
  const w = place(weights.length), x = place(sizeX), g = place(sizeGate), y = place(sizeY);
  const scratch = place(4 * count * workspace);
  bytes().set(weights, w);
  bytes().set(calls.subarray(at + 4, at + 4 + sizeX), x);
  bytes().set(calls.subarray(at + 4 + sizeX, at + 4 + sizeX + sizeGate), g);
  if (exports.net_run(...(gate ? [count, x, g, y, w, scratch] : [count, x, y, w, scratch])) !== 0) {
    process.exit(2);
  }
  writeSync(1, bytes().slice(y, y + sizeY));
  at += 4 + sizeX + sizeGate;
}
