// The golden bits of test/bits, in node; in BITS/relaxed.wasm the module's multiply-add is relaxed, in BITS/simd.wasm not.
import assert from "node:assert/strict";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { WASI } from "node:wasi";
import { runProgram } from "./program.js";

const golden = await readFile(new URL("../../test/bits/golden.txt", import.meta.url), "utf8");
const relaxed = await readFile(`${process.env.BITS}/relaxed.wasm`);
const simd = await readFile(`${process.env.BITS}/simd.wasm`);

test("relaxed SIMD gives the golden bits", async () => {
  for (const isa of ["best", "wasm"]) {
    const { exit, output, errors } = await runProgram(relaxed, { GALLOP_ISA: isa });
    assert.equal(errors, "by wasm\n");
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

test("ten minutes of a crowd have the golden poses", async () => {
  const place = await mkdtemp(`${tmpdir()}/gallop-poses-`), out = await open(`${place}/out`, "w");
  const wasi = new WASI({
    version: "preview1", args: ["poses", "/models", "600"], env: { GALLOP_ISA: "wasm" }, stdout: out.fd,
    preopens: { "/models": fileURLToPath(new URL("../../models", import.meta.url)) },
  });
  const { instance } = await WebAssembly.instantiate(await readFile(`${process.env.BITS}/poses.wasm`), wasi.getImportObject());
  assert.equal(wasi.start(instance), 0);
  await out.close();
  const poses = await readFile(new URL("../../test/bits/golden_poses.txt", import.meta.url), "utf8");
  assert.equal(await readFile(`${place}/out`, "utf8"), poses);
  await rm(place, { recursive: true });
});
