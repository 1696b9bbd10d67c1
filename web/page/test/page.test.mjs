// The page PAGE in Chromium, as a person uses it: from file://, without a network, by keys, thumb and gamepad. REPLAY is the
// recorded one that is inside it.
//
// What is shown depends on the machine's speed, so a test holds a key and runs the page's frames itself.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const SWIFTSHADER = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const address = `file://${process.env.PAGE}`;
let browser;

const launch = (args) => chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", ...args] });

before(async () => { browser = await launch(SWIFTSHADER); });
after(() => browser.close());

// The page, ready, standing still but for what `run` runs; its complaints and what it asked the network for.
async function open(hash = "", options = {}) {
  const context = await browser.newContext({ viewport: { width: 800, height: 600 }, ...options }), page = await context.newPage();
  page.complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !/GPU stall|GL Driver/.test(message.text())) page.complaints.push(message.text());
  });
  page.on("pageerror", (error) => page.complaints.push(error.message));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) page.complaints.push(`asked for ${request.url()}`);
  });
  await page.goto(`${address}#paused=1&${hash}`);
  await page.waitForSelector("body.ready", { timeout: 90000 });
  return page;
}

const run = (page, seconds) => page.evaluate((frames) => {
  for (let i = 0; i < frames; i++) window.page.step(1 / 60);
  return window.page.world.player();
}, Math.round(60 * seconds));

const where = (page) => page.evaluate(() => window.page.world.player());

async function finish(page) {
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

test("keys walk, run, turn and stop", async () => {
  const page = await open("count=1");
  await page.keyboard.down("KeyW");
  const walked = await run(page, 3);
  assert.ok(walked.root[2] > 1.2 && Math.abs(walked.root[0]) < 0.4, `walked to ${walked.root}`);
  await page.keyboard.down("ShiftLeft");
  const ran = await run(page, 3);
  assert.ok(ran.speed > 1.3 * walked.speed, `${walked.speed} to ${ran.speed} m/s`);
  await page.keyboard.up("ShiftLeft");
  await page.keyboard.up("KeyW");
  await page.keyboard.down("ArrowRight");
  const turned = await run(page, 2);
  assert.ok(turned.facing < ran.facing - 0.8, `faces ${ran.facing}, then ${turned.facing}`);
  await page.keyboard.up("ArrowRight");
  const stood = await run(page, 3);
  assert.ok(stood.speed < 0.08, `${stood.speed} m/s`);
  await finish(page);
});

test("a thumb on the left half steers, a finger on the right turns the view", async () => {
  const page = await open("count=1", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const session = await page.context().newCDPSession(page);
  const touch = (type, points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  await touch("touchStart", [{ x: 90, y: 720, id: 1 }]);
  await touch("touchMove", [{ x: 90, y: 685, id: 1 }]);
  const walked = await run(page, 3);
  assert.ok(walked.root[2] > 0.8, `walked to ${walked.root}`);
  const yaw = await page.evaluate(() => window.page.view.yaw);
  await touch("touchStart", [{ x: 90, y: 685, id: 1 }, { x: 300, y: 300, id: 2 }]);
  await touch("touchMove", [{ x: 90, y: 685, id: 1 }, { x: 220, y: 300, id: 2 }]);
  await page.waitForFunction((from) => window.page.view.yaw > from + 0.2, yaw);
  await touch("touchEnd", []);
  assert.ok((await run(page, 3)).speed < 0.08);
  await finish(page);
});

test("a gamepad steers", async () => {
  const page = await open("count=1");
  await page.evaluate(() => {
    navigator.getGamepads = () => [null, { connected: true, axes: [0.05, -1, 0, 0], buttons: [] }];
  });
  assert.match(await page.locator("#keys").innerText(), /W\s*A\s*S\s*D/);
  assert.ok((await run(page, 3)).root[2] > 1.2);
  assert.match(await page.locator("#keys").innerText(), /Left stick\s+walk\s+RT\s+run/);
  await finish(page);
});

test("stairs lead up the mound, and feet stay near the ground", async () => {
  const page = await open("count=1");
  await page.evaluate(() => {
    const { world } = window.page;
    world.crowd.teleport(world.who[0], 5.5 / world.unit, 3 / world.unit, 0);
  });
  await page.keyboard.down("KeyW");
  let top = { root: [0, 0, 0] };
  for (let i = 0; i < 13; i++) {
    const now = await run(page, 0.5);
    top = now.root[1] > top.root[1] ? now : top;
  }
  assert.ok(Math.abs(top.root[0] - 5.5) < 1 && Math.abs(top.root[1] - 1.04) < 0.12, `was highest at ${top.root}`);
  await finish(page);
});

test("settings change while it runs", async () => {
  const page = await open("count=4");
  const state = () => page.evaluate(() => {
    const { world, figures } = window.page;
    return { model: world.model, precision: world.controller.network.info.precision, isa: world.controller.network.info.isa,
      count: world.crowd.count, joints: figures.joints, finite: world.poses.every(Number.isFinite), resets: world.crowd.resets };
  });
  const first = await state();
  assert.deepEqual([first.isa, first.count, first.precision], ["wasm", 4, "f32"]);
  await page.keyboard.down("KeyW");
  const before = await run(page, 2);
  await page.keyboard.up("KeyW");
  await page.click("#precision button[data-value=int8]");
  await page.waitForFunction(() => window.page.world.controller.network.info.precision === "int8");
  const kept = await where(page);
  assert.ok(Math.hypot(kept.root[0] - before.root[0], kept.root[2] - before.root[2]) < 0.01, `${before.root} became ${kept.root}`);
  await page.locator("#count").fill("6");
  await page.click("#lock");
  await page.locator("#budget").fill("5");
  await run(page, 0.2);
  assert.equal(await page.textContent("#budgetText"), "none");
  assert.equal((await page.evaluate(() => window.page.world.crowd.load)).evaluated, 0);
  await run(page, 1);
  assert.deepEqual((await state()).count, 64);
  for (const model of await page.locator("#model button").evaluateAll((all) => all.map((each) => each.dataset.value))) {
    await page.click(`#model button[data-value="${model}"]`);
    await page.waitForFunction((name) => window.page.world.model === name && document.querySelector(`#model button[data-value="${name}"]`).ariaPressed === "true", model);
    await run(page, 1);
    const now = await state();
    assert.ok(now.finite && now.resets === 0 && now.count === 64, JSON.stringify(now));
  }
  await page.evaluate(() => window.page.draw(1 / 60));
  await finish(page);
});

test("bodies are coarse in the first frame, then as many fine as there is time for", async () => {
  const page = await open("count=12");
  const shown = () => page.evaluate(() => window.page.figures.meshes.map((mesh) => mesh.geometry.instanceCount));
  assert.equal((await shown()).length, 1);
  const after = (fine) => page.evaluate((count) => {
    const { stage, view, world, figures } = window.page;
    view.camera.position.set(0, 2, 0);
    figures.refine();
    stage.fine = count;
    figures.show(world.poses, world.count, view.camera.position, stage.fine);
  }, fine).then(shown);
  const one = await after(1), many = await after(40);
  assert.equal(one[1], 1);
  assert.ok(many[1] > 1 && many[0] + many[1] === one[0] + one[1], `${one}, ${many}`);
  const fine = await page.evaluate(() => {
    const { stage } = window.page, seen = [];
    for (const seconds of [1 / 60, 1 / 10]) {
      for (let i = 0; i < 600; i++) stage.adapt(seconds);
      seen.push(stage.fine);
    }
    return seen;
  });
  assert.deepEqual(fine, [40, 1]);
  await finish(page);
});

test("a thousand wander, keep to the ground and do not stand in each other", async () => {
  const page = await open("count=1000&precision=int8");
  await run(page, 0.5);
  const crowd = await page.evaluate(() => {
    const { world } = window.page, far = Math.max(...world.places.map(Math.abs));
    return { count: world.crowd.count, finite: world.poses.every(Number.isFinite), far };
  });
  assert.ok(crowd.count === 1000 && crowd.finite && crowd.far < 42, JSON.stringify(crowd));
  const load = await page.evaluate(() => window.page.world.crowd.load);
  assert.ok(load.evaluated > 0 && load.evaluated < 700, JSON.stringify(load));
  await finish(page);
});

for (const width of [320, 360, 390, 1280]) {
  test(`everything is within ${width} pixels`, async () => {
    const page = await open("count=1", { viewport: { width, height: 720 }, hasTouch: width < 760, isMobile: width < 760 });
    for (const opened of ["true", "false"]) {
      if (await page.getAttribute("#toggle", "aria-expanded") !== opened) await page.click("#toggle");
      const outside = await page.evaluate(() => {
        const bad = [...document.querySelectorAll("button, input, #head, #bars, kbd, #stick, #thumb")].filter((each) => {
          const box = each.getBoundingClientRect();
          return each.checkVisibility() && (box.left < 0 || box.right > innerWidth || each.scrollWidth > each.clientWidth + 1 && each.tagName === "BUTTON");
        });
        const beside = (each) => each.scrollWidth - each.clientWidth;
        return { scroll: document.documentElement.scrollWidth - innerWidth, panel: beside(document.querySelector("#panel")),
          bad: bad.map((each) => each.id || each.textContent) };
      });
      assert.deepEqual(outside, { scroll: 0, panel: 0, bad: [] });
    }
    await finish(page);
  });
}

test("the recorded crowd plays inside", async () => {
  const page = await open("count=1");
  if (await page.getAttribute("#toggle", "aria-expanded") !== "true") await page.click("#toggle");
  await page.click("#replay");
  const frame = page.frameLocator("#recorded iframe");
  await frame.locator("#cast button").nth(7).waitFor();
  await page.click("#back");
  assert.equal(await page.locator("#recorded iframe").count(), 0);
  await finish(page);
});

for (const width of [320, 390]) {
  test(`the way back does not lie on the recording's title at ${width} pixels`, async () => {
    const page = await open("count=1", { viewport: { width, height: 700 } });
    if (await page.getAttribute("#toggle", "aria-expanded") !== "true") await page.click("#toggle");
    await page.click("#replay");
    const title = page.frameLocator("#recorded iframe").locator("h1");
    await title.waitFor();
    const words = await title.evaluate((h) => { const r = document.createRange(); r.selectNodeContents(h); return r.getBoundingClientRect().right; });
    const back = await page.locator("#back").boundingBox();
    assert.ok(words <= back.x && back.x + back.width <= width, `${words}, ${JSON.stringify(back)}`);
    await finish(page);
  });
}

for (const width of [320, 390]) {
  test(`the recording's toolbar is within ${width} pixels`, async () => {
    const page = await browser.newPage({ viewport: { width, height: 640 } });
    await page.goto(`file://${process.env.REPLAY}`);
    await page.waitForSelector("#cast button");
    const boxes = await page.locator("#bar > *:visible").evaluateAll((all) => all.map((each) => {
      const { left, right, width: wide } = each.getBoundingClientRect();
      return { id: each.id, left, right, wide };
    }));
    for (const { id, left, right } of boxes) assert.ok(left >= 0 && right <= width, `${id}: ${left} to ${right}`);
    assert.ok(boxes.find(({ id }) => id === "scrub").wide > 200, JSON.stringify(boxes));
    await page.close();
  });
}

test("light and dark follow the system", async () => {
  const page = await open("count=1", { colorScheme: "light" });
  const theme = () => page.getAttribute("html", "data-theme");
  assert.equal(await theme(), "light");
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  await finish(page);
});

test("without WebGL the page says so", async () => {
  const bare = await launch(["--disable-gpu", "--disable-3d-apis"]), page = await bare.newPage();
  await page.goto(address);
  await page.waitForSelector("#sorry:not([hidden])");
  assert.match(await page.textContent("#why"), /no WebGL 2/);
  await bare.close();
});

test("the golden bits in Chromium", { skip: !process.env.BITS }, async () => {
  const page = await (await browser.newContext()).newPage(), program = await readFile(new URL("../../test/program.js", import.meta.url), "utf8");
  const bytes = (await readFile(`${process.env.BITS}/relaxed.wasm`)).toString("base64");
  const { output } = await page.evaluate(async ([source, text]) => {
    const { runProgram } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
    return runProgram(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)), { GALLOP_ISA: "wasm" });
  }, [program, bytes]);
  assert.equal(output, await readFile(new URL("../../../test/bits/golden.txt", import.meta.url), "utf8"));
  await page.context().close();
});
