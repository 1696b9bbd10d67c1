// The page: opens the models, runs the crowd, draws it, frame by frame.
// The address may carry a start, for links and tests: #model=dog&count=64&precision=int8&theme=light&paused=1
import { Controls } from "./controls.js";
import { Figures } from "./figures.js";
import { Meter } from "./meter.js";
import { namesOf, unpack } from "./packed.js";
import { bindPanel, bindReplay, element } from "./panel.js";
import { Stage } from "./stage.js";
import { View } from "./view.js";
import { MOST, World } from "./world.js";
import "./style.css";

const SOON = 0.3; // seconds after which bodies are made fine: the first frame is there before
const PLAYER = [0.93, 0.36, 0.13];
const TINTS = [[0.32, 0.52, 0.66], [0.36, 0.58, 0.52], [0.62, 0.56, 0.42], [0.5, 0.46, 0.66], [0.58, 0.42, 0.46], [0.44, 0.5, 0.58]];

class Page {
  constructor() {
    const given = new URLSearchParams(location.hash.slice(1)), models = namesOf("model");
    const among = (name, list) => (list.includes(given.get(name)) ? given.get(name) : list[0]);
    this.state = {
      model: among("model", models), precision: among("precision", ["f32", "int16", "int8"]), footLock: true, budget: 2,
      count: Math.min(Math.max(Math.round(+given.get("count")) || 8, 1), MOST),
      theme: among("theme", [matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark", "light", "dark"]),
    };
    this.canvas = element("view");
    this.stage = new Stage(this.canvas);
    this.view = new View();
    this.world = new World();
    this.world.setBudget(this.state.budget);
    this.controls = new Controls(this.canvas, element("stick"), this.view);
    this.meter = new Meter(element("bars"), element("time"));
    this.jumped = true;
    this.stopped = given.has("paused");
  }

  async start() {
    this.stage.theme(this.state.theme);
    await this.open();
    this.setCount(this.state.count);
    bindPanel(this.state, {
      model: (model) => this.change({ model }),
      precision: (precision) => this.change({ precision }),
      count: (count) => this.setCount(count),
      budget: (milliseconds) => {
        this.state.budget = milliseconds;
        this.world.setBudget(milliseconds);
      },
      footLock: (on) => this.world.setFootLock(on),
      theme: () => this.switchTheme(),
    });
    bindReplay(async () => new TextDecoder().decode(await unpack("page", "replay")), (on) => { this.stopped = on; });
    matchMedia("(prefers-color-scheme: light)").addEventListener("change", (event) => {
      this.state.theme = event.matches ? "light" : "dark";
      this.stage.theme(this.state.theme);
    });
    this.last = performance.now();
    this.draw(1 / 60);
    document.body.classList.add("ready");
    requestAnimationFrame((now) => this.frame(now));
  }

  async open() {
    const { world, state } = this, other = world.model !== state.model;
    await world.open(state.model, state.precision);
    if (other) {
      this.figures?.dispose();
      this.figures = new Figures(this.stage.scene, world.controller, MOST);
      for (let i = 0; i < MOST; i++) this.figures.setTint(i, i === 0 ? PLAYER : TINTS[i * 7 % TINTS.length].map((v) => v * (0.85 + 0.3 * ((i * 0.618) % 1))));
      this.jumped = true;
      this.shown = 0;
    }
    this.meter.clear();
    const { canCrouch, canJump } = world.controller.info;
    element("keyCrouch").hidden = !canCrouch;
    element("keyJump").hidden = !canJump;
  }

  async change(chosen) {
    Object.assign(this.state, chosen);
    await this.open();
  }

  setCount(count) {
    this.state.count = count;
    this.world.setCount(count);
    this.meter.clear();
  }

  switchTheme() {
    this.state.theme = this.state.theme === "dark" ? "light" : "dark";
    this.stage.theme(this.state.theme);
  }

  frame(now) {
    requestAnimationFrame((next) => this.frame(next));
    const seconds = Math.min((now - this.last) / 1000, 0.25);
    this.last = now;
    if (this.stopped) return;
    this.step(seconds);
    this.draw(seconds);
    this.meter.draw(now, (median) => `${median.toFixed(2)} ms`);
  }

  step(seconds) {
    const stick = this.controls.read(seconds);
    this.side = stick.x;
    const { frames, milliseconds } = this.world.advance(seconds, {
      moveX: stick.x, moveY: stick.y, run: stick.run, crouch: stick.crouch, jump: stick.jump > 0, cameraYaw: this.view.yaw,
    });
    if (frames) this.meter.add(milliseconds / frames);
    document.body.classList.toggle("used", this.controls.used);
    document.body.classList.toggle("pad", this.controls.padded);
  }

  draw(seconds) {
    const player = this.world.player();
    this.player = player;
    this.view.follow(player.root, this.figures.skeleton.tall, this.side ?? 0, seconds, this.jumped);
    this.jumped = false;
    if ((this.shown += seconds) > SOON) this.figures.refine();
    this.figures.show(this.world.poses, this.world.count, this.view.camera.position, this.stage.fine);
    this.stage.draw(this.view, seconds);
  }
}

function fail(error) {
  console.error(error);
  element("sorry").hidden = false;
  element("why").textContent = error.message;
}

try {
  const page = new Page();
  window.page = page; // for tests and the curious
  page.start().catch(fail);
} catch (error) {
  fail(/WebGL/i.test(error.message) ? new Error("this browser has no WebGL 2, or it is switched off") : error);
}
