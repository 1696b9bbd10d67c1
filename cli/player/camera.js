// An orbit camera that follows either one character or all of them, and is moved by pointer and wheel.

const FIELD = 0.72; // of view, radians, up and down

class Camera {
  constructor(recording) {
    this.recording = recording;
    this.yaw = 0.7;
    this.pitch = 0.42;
    this.zoom = 1;            // factor on the distance that fits what is followed
    this.offset = [0, 0, 0];  // pan
    this.target = null;       // smoothed
    this.reach = 4;
  }

  // Where what is followed is, and how far it spreads.
  subject(seconds, picked) {
    const when = this.recording.between(seconds), { tall, reach } = this.recording;
    const all = picked >= 0 ? [picked] : this.recording.characters.map((_, i) => i);
    const roots = all.map((i) => this.recording.root(i, when));
    const low = [0, 1, 2].map((k) => Math.min(...roots.map((r) => r[k])));
    const high = [0, 1, 2].map((k) => Math.max(...roots.map((r) => r[k])));
    const spread = Math.hypot(high[0] - low[0], high[2] - low[2]) / 2;
    return { at: add(mix3(low, high, 0.5), [0, tall * 0.52, 0]), reach: Math.max(spread * 0.8 + reach * 0.6, reach * 1.15) };
  }

  // Moves towards the subject: all at once after a jump, gently while playing.
  follow(seconds, picked, elapsed, jumped) {
    const { at, reach } = this.subject(seconds, picked);
    const share = jumped || !this.target ? 1 : 1 - Math.exp(-elapsed * 3.5);
    this.target = this.target ? mix3(this.target, at, share) : at;
    this.reach = mix(this.reach, reach, jumped ? 1 : 1 - Math.exp(-elapsed * 2));
  }

  at(aspect) {
    const narrow = Math.min(aspect * 1.15, 1.5) / 1.5;
    const distance = this.zoom * this.reach / Math.tan(FIELD / 2) / (0.62 + 0.38 * narrow) / Math.min(1, narrow * 1.35);
    const target = add(this.target, this.offset);
    const away = [Math.sin(this.yaw) * Math.cos(this.pitch), Math.sin(this.pitch), Math.cos(this.yaw) * Math.cos(this.pitch)];
    const eye = add(target, scale(away, distance));
    eye[1] = Math.max(eye[1], this.recording.height(eye[0], eye[2]) + 0.25);
    const lens = perspective(FIELD, aspect, Math.max(0.02, distance / 200), distance * 4 + 200);
    const look = lookAt(eye, target, [0, 1, 0]);
    const tilt = Math.asin(clamp((eye[1] - target[1]) / Math.max(distance, 1e-6), -1, 1));
    return {
      eye, target, distance, view: multiply(lens, look), reach: this.reach * Math.min(this.zoom, 1.2) * 1.6,
      horizon: Math.tan(tilt) / Math.tan(FIELD / 2),
    };
  }

  turn(x, y) {
    this.yaw -= x * 0.006;
    this.pitch = clamp(this.pitch + y * 0.005, -0.05, 1.5);
  }

  pan(x, y, height) {
    const size = 2 * this.zoom * this.reach / height;
    const right = [Math.cos(this.yaw), 0, -Math.sin(this.yaw)];
    const forward = [-Math.sin(this.yaw), 0, -Math.cos(this.yaw)];
    this.offset = add(this.offset, add(scale(right, -x * size), add(scale(forward, y * size * 0.8), [0, y * size * 0.35, 0])));
  }

  scaleBy(factor) {
    this.zoom = clamp(this.zoom * factor, 0.15, 6);
  }

  reset() {
    Object.assign(this, { yaw: 0.7, pitch: 0.42, zoom: 1, offset: [0, 0, 0] });
  }
}

// Pointer gestures on the canvas: drag turns, with shift or another button pans, two fingers pinch and pan,
// a click without a drag picks.
function watchPointers(canvas, camera, pick, changed) {
  const pointers = new Map();
  let moved = 0;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    moved = pointers.size > 1 ? 99 : 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY], step = [now[0] - before[0], now[1] - before[1]];
    moved += Math.hypot(...step);
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const size = (p) => Math.max(Math.hypot(p[0] - other[0], p[1] - other[1]), 1);
      camera.scaleBy(size(before) / size(now));
      camera.pan(step[0] / 2, step[1] / 2, canvas.clientHeight);
    } else if (event.shiftKey || event.buttons & 6) {
      camera.pan(step[0], step[1], canvas.clientHeight);
    } else {
      camera.turn(...step);
    }
    pointers.set(event.pointerId, now);
    changed();
  });
  const end = (event) => {
    if (pointers.delete(event.pointerId) && event.type === "pointerup" && moved < 5) pick(event.clientX, event.clientY);
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    camera.scaleBy(Math.exp(clamp(event.deltaY, -120, 120) * 0.0012));
    changed();
  }, { passive: false });
}
