// What the player does: keys, gamepad, touch. One state: { x, y, run, crouch, jump } of the stick, and turns of the camera.
import { clamp } from "./vectors.js";

const KEYS = {
  KeyW: "up", ArrowUp: "up", KeyS: "down", ArrowDown: "down", KeyA: "left", ArrowLeft: "left", KeyD: "right", ArrowRight: "right",
  ShiftLeft: "run", ShiftRight: "run", KeyC: "crouch", Space: "jump",
};
const DEAD = 0.15; // of a gamepad's stick
const RUN_FROM = 0.8; // of a thumb's way, from which on it runs

/** A gamepad's stick past its dead zone, from 0 on and round: what a crowd is given has none of its own. */
const past = (x = 0, y = 0) => {
  const size = Math.hypot(x, y), scale = size > DEAD ? Math.min((size - DEAD) / (1 - DEAD), 1) / size : 0;
  return { x: x * scale, y: y * scale };
};

export class Controls {
  constructor(canvas, stick, view) {
    this.canvas = canvas;
    this.stick = stick;
    this.view = view;
    this.held = new Set();
    this.pointers = new Map();
    this.thumb = null; // { id, x, y, dx, dy } of the finger on the stick
    this.used = this.padded = false; // whether anything was done yet, and whether there is a gamepad
    addEventListener("keydown", (event) => this.#key(event, true));
    addEventListener("keyup", (event) => this.#key(event, false));
    addEventListener("blur", () => this.held.clear());
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, (event) => this.#up(event));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      view.zoom(Math.exp(clamp(event.deltaY, -100, 100) * 0.0016));
    }, { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  #key(event, down) {
    const act = KEYS[event.code], typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "checkbox";
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    if (down && (typing || (event.target.tagName === "BUTTON" && act === "jump"))) return;
    if (down) {
      event.preventDefault();
      this.held.add(event.code);
      this.used = true;
    } else {
      this.held.delete(event.code);
    }
  }

  #down(event) {
    this.canvas.setPointerCapture(event.pointerId);
    const touch = event.pointerType === "touch";
    if (touch && !this.thumb && event.clientX < innerWidth * 0.5 && event.clientY > innerHeight * 0.3) {
      this.thumb = { id: event.pointerId, x: event.clientX, y: event.clientY, dx: 0, dy: 0 };
      this.used = true;
      this.#drawStick();
    } else {
      this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    }
  }

  #move(event) {
    if (this.thumb?.id === event.pointerId) {
      const reach = 56, dx = (event.clientX - this.thumb.x) / reach, dy = (event.clientY - this.thumb.y) / reach;
      const size = Math.max(Math.hypot(dx, dy), 1);
      Object.assign(this.thumb, { dx: dx / size, dy: dy / size });
      this.#drawStick();
      return;
    }
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    if (this.pointers.size === 2) {
      const [a, b] = [...this.pointers.values()], apart = Math.hypot(a.x - b.x, a.y - b.y);
      Object.assign(before, { x: event.clientX, y: event.clientY });
      this.view.zoom(apart / Math.max(Math.hypot(a.x - b.x, a.y - b.y), 1));
      return;
    }
    this.view.turn((before.x - event.clientX) * 0.0055, (event.clientY - before.y) * 0.0045);
    Object.assign(before, { x: event.clientX, y: event.clientY });
  }

  #up(event) {
    if (this.thumb?.id === event.pointerId) {
      this.thumb = null;
      this.#drawStick();
    }
    this.pointers.delete(event.pointerId);
  }

  #drawStick() {
    const { stick, thumb } = this;
    stick.classList.toggle("held", Boolean(thumb));
    stick.style.setProperty("--dx", thumb?.dx ?? 0);
    stick.style.setProperty("--dy", thumb?.dy ?? 0);
    if (thumb) {
      stick.style.left = `${thumb.x}px`;
      stick.style.top = `${thumb.y}px`;
    } else {
      stick.style.left = stick.style.top = "";
    }
  }

  /** The stick now; a gamepad's right one turns the camera. */
  read(seconds) {
    const held = new Set([...this.held].map((code) => KEYS[code])), on = (act) => (held.has(act) ? 1 : 0);
    const state = { x: on("right") - on("left"), y: on("up") - on("down"), run: on("run"), crouch: on("crouch"), jump: on("jump") };
    if (this.thumb) {
      const size = Math.hypot(this.thumb.dx, this.thumb.dy);
      Object.assign(state, { x: this.thumb.dx, y: -this.thumb.dy, run: clamp((size - RUN_FROM) / (1 - RUN_FROM), 0, 1) });
    }
    const pad = navigator.getGamepads?.().find((each) => each?.connected);
    this.padded = Boolean(pad);
    if (pad) this.#readPad(pad, state, seconds);
    return state;
  }

  #readPad(pad, state, seconds) {
    const left = past(pad.axes[0], pad.axes[1]), right = past(pad.axes[2], pad.axes[3]);
    const pressed = (i) => (pad.buttons[i]?.pressed ? 1 : 0);
    if (left.x || left.y) {
      Object.assign(state, { x: left.x, y: -left.y });
      this.used = true;
    }
    state.run = Math.max(state.run, pad.buttons[7]?.value ?? 0, pressed(2), pressed(10));
    state.crouch = Math.max(state.crouch, pressed(1));
    state.jump = Math.max(state.jump, pressed(0));
    this.view.turn(-right.x * 2.6 * seconds, right.y * 1.8 * seconds);
  }
}
