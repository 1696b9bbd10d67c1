// The golden bits of test/bits, in node; in BITS/relaxed.wasm the module's multiply-add is relaxed, in BITS/simd.wasm not.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { runProgram } from "./program.js";

const golden = await readFile(new URL("../../test/bits/golden.txt", import.meta.url), "utf8");
const relaxed = await readFile(`${process.env.BITS}/relaxed.wasm`);
const simd = await readFile(`${process.env.BITS}/simd.wasm`);

test("relaxed SIMD gives the golden bits", async () => {
  for (const isa of ["best", "wasm"]) {
    const { exit, output, errors } = await runProgram(relaxed, { GALLOP_ISA: isa });
    assert.equal(errors, "");
    assert.equal(exit, 0);
    assert.equal(output, golden);
  }
});

test("its multiply-add, which fuses, is not taken for one that does not", async () => {
  const { exit, errors } = await runProgram(relaxed, { GALLOP_ISA: "wasm-unfused" });
  assert.notEqual(exit, 0);
  assert.match(errors, /wasm-unfused kernels: not in this build or not on this machine/);
});

test("plain SIMD says that its bits are its own", async () => {
  for (const isa of ["wasm", "scalar"]) {
    const { exit, errors } = await runProgram(simd, { GALLOP_ISA: isa });
    assert.notEqual(exit, 0);
    assert.match(errors, new RegExp(`${isa} kernels: not in this build or not on this machine`));
  }
  const { exit, output } = await runProgram(simd, { GALLOP_ISA: "wasm-unfused" });
  assert.equal(exit, 0);
  const lines = output.trim().split("\n"), expected = golden.trim().split("\n");
  assert.deepEqual(lines.map((line) => line.replace(/: .*/, "")), expected.map((line) => line.replace(/: .*/, "")));
  assert.notEqual(output, golden);
});
