// The module for engines without relaxed SIMD, given in place of the other: it walks too, says so, and does not promise the bits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Controller, Crowd, load } from "gallop";

const models = new URL("../../models/", import.meta.url);

test("without a fused multiply-add a crowd walks, under another name", async () => {
  const { isas } = await load({ relaxed: new URL("../dist/gallop-simd.wasm", import.meta.url) });
  assert.deepEqual(isas, ["wasm-unfused"]);
  const controller = await Controller.open(new URL("walker.gallop", models)), crowd = new Crowd(controller), who = crowd.add();
  assert.equal(controller.network.info.isa, "wasm-unfused");
  crowd.setInput(who, { moveY: 1 });
  for (let i = 0; i < 120; i++) crowd.step();
  const { root } = crowd.state(who);
  assert.ok(root[2] > 120 && root[2] < 170 && crowd.resets === 0, `${root}`);
  await assert.rejects(Controller.open(new URL("walker.gallop", models), { isa: "wasm" }), /wasm kernels: not in this build/);
});
