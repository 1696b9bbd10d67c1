// The same moment drawn on a plain 2D canvas, where a browser has no WebGL: painted from far to near, with
// flat colours and shadows cast along the sun. Same interface as Scene.

const FLAT_REACH = 22; // metres of ground around the target

const shownColour = (linear, alpha = 1) => {
  const [r, g, b] = linear.map((x) => Math.round(255 * clamp(x * (1 + x * 0.12) / (1 + x * 0.35), 0, 1) ** (1 / 2.2)));
  return `rgb(${r} ${g} ${b} / ${alpha})`;
};

class FlatScene {
  constructor(canvas, recording) {
    this.context = canvas.getContext("2d");
    if (!this.context) throw new Error("neither WebGL 2 nor a 2D canvas is available");
    this.canvas = canvas;
    this.recording = recording;
  }

  // [x, y, size of a metre] in pixels; null behind the eye.
  place(p) {
    const q = project(this.view, p), { width, height } = this.canvas;
    return q[3] < 0.05 ? null : [(q[0] + 1) / 2 * width, (1 - q[1]) / 2 * height, height / 2 / Math.tan(FIELD / 2) / q[3]];
  }

  polygon(points, fill) {
    const c = this.context;
    c.beginPath();
    points.forEach((p) => c.lineTo(p[0], p[1]));
    c.closePath();
    c.fillStyle = fill;
    c.fill();
  }

  sky(moment, theme) {
    const { width, height } = this.canvas, line = clamp((1 - moment.horizon) / 2, 0, 1) * height;
    const fill = this.context.createLinearGradient(0, line, 0, line - height * 0.7);
    fill.addColorStop(0, shownColour(theme.fogColour));
    fill.addColorStop(1, shownColour(theme.zenithColour));
    this.context.fillStyle = fill;
    this.context.fillRect(0, 0, width, height);
  }

  // One square metre: lit by its slope, fading at the edge of what is drawn.
  cell(x, z, theme, middle) {
    const r = this.recording, corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(([i, j]) => [x + i, z + j]);
    const points = corners.map(([u, v]) => this.place([u, r.height(u, v), v]));
    if (points.includes(null)) return;
    const up = r.slope(x + 0.5, z + 0.5), sun = Math.max(dot(up, SUN), 0);
    const light = add(add(scale(theme.skyColour, 0.8), scale(theme.bounceColour, 0.2)), scale(theme.sunColour, sun));
    const tint = scale(theme.groundColour, 1 + 0.03 * ((x + z) % 2 === 0 ? 1 : -1));
    const fade = clamp((Math.hypot(x + 0.5 - middle[0], z + 0.5 - middle[2]) / FLAT_REACH - 0.55) / 0.4, 0, 1);
    const fill = shownColour(mix3(tint.map((t, i) => t * light[i]), theme.fogColour, fade));
    this.polygon(points, fill);
    this.context.strokeStyle = fade < 1 ? shownColour(mix3(theme.lineColour, theme.fogColour, fade), 0.28 * (1 - fade)) : fill;
    this.context.stroke();
  }

  ground(moment, theme) {
    const middle = moment.target, cells = [];
    const [x0, z0] = [Math.round(middle[0]), Math.round(middle[2])];
    for (let i = -FLAT_REACH; i < FLAT_REACH; i++) {
      for (let j = -FLAT_REACH; j < FLAT_REACH; j++) {
        if (Math.hypot(i, j) < FLAT_REACH) cells.push([x0 + i, z0 + j]);
      }
    }
    const far = ([x, z]) => (x - moment.eye[0]) ** 2 + (z - moment.eye[2]) ** 2;
    cells.sort((a, b) => far(b) - far(a)).forEach(([x, z]) => this.cell(x, z, theme, middle));
  }

  // The outline of two discs and their common tangents, added to the path.
  outline(a, ra, b, rb) {
    const c = this.context, turn = Math.atan2(b[1] - a[1], b[0] - a[0]);
    const lean = (ra - rb) / Math.max(Math.hypot(b[0] - a[0], b[1] - a[1]), 1e-6);
    if (Math.abs(lean) >= 1) {
      const [at, r] = ra > rb ? [a, ra] : [b, rb];
      c.moveTo(at[0] + r, at[1]);
      c.arc(at[0], at[1], r, 0, TURN);
    } else {
      const open = Math.acos(lean);
      c.moveTo(b[0] + rb * Math.cos(turn - open), b[1] + rb * Math.sin(turn - open));
      c.arc(b[0], b[1], rb, turn - open, turn + open);
      c.arc(a[0], a[1], ra, turn + open, turn - open + TURN);
      c.closePath();
    }
  }

  limbAt(moment, i) {
    const f = moment.limbs.subarray(i * LIMB_FLOATS, (i + 1) * LIMB_FLOATS);
    return { a: [...f.slice(0, 3)], ra: f[3], b: [...f.slice(4, 7)], rb: f[7], tint: [...f.slice(8, 11)] };
  }

  // All in one path, so that shadows do not darken each other.
  shadows(limbs) {
    const fall = (p) => {
      const drop = (p[1] - this.recording.height(p[0], p[2])) / SUN[1], q = sub(p, scale(SUN, drop));
      return this.place([q[0], this.recording.height(q[0], q[2]), q[2]]);
    };
    this.context.beginPath();
    for (const limb of limbs) {
      const a = fall(limb.a), b = fall(limb.b);
      if (a && b) this.outline(a, limb.ra * a[2] * 0.8, b, limb.rb * b[2] * 0.8);
    }
    this.context.fillStyle = "rgb(10 14 24 / 0.3)";
    this.context.fill();
  }

  limb(limb, theme) {
    const a = this.place(limb.a), b = this.place(limb.b), c = this.context;
    if (!a || !b) return;
    const light = add(scale(theme.sunColour, 0.55), theme.skyColour), lit = limb.tint.map((t, i) => t * light[i]);
    c.beginPath();
    this.outline(a, limb.ra * a[2], b, limb.rb * b[2]);
    c.fillStyle = shownColour(lit);
    c.fill();
    c.strokeStyle = shownColour(scale(lit, 0.45), 0.8);
    c.stroke();
  }

  marks(moment) {
    const list = moment.marks, read = (i) => list.slice(i, i + MARK_FLOATS);
    for (let i = 0; i < list.length; i += 3 * MARK_FLOATS) {
      const corners = [0, 1, 2].map((k) => read(i + k * MARK_FLOATS)), [first] = corners;
      const fill = shownColour(first.slice(3, 6), first[6]);
      if (first[7] === 0) { // part of a strip
        const points = corners.map((v) => this.place(v));
        if (!points.includes(null)) this.polygon(points, fill);
      } else if (corners[1][8] < 0) { // the first half of a disc: its corners are (-1, -1), (1, -1), (1, 1)
        const [p, q, r] = corners.map((v) => v.slice(0, 3)), at = mix3(p, r, 0.5);
        const u = scale(sub(q, p), 0.5), v = scale(sub(r, q), 0.5);
        const rim = Array.from({ length: 16 }, (_, k) =>
          this.place(add(at, add(scale(u, Math.cos(TURN * k / 16)), scale(v, Math.sin(TURN * k / 16))))));
        if (!rim.includes(null)) this.polygon(rim, fill);
      }
    }
  }

  draw(moment, theme) {
    this.view = moment.view;
    this.context.lineWidth = Math.max(this.canvas.height / 900, 0.75);
    this.sky(moment, theme);
    this.ground(moment, theme);
    const limbs = Array.from({ length: moment.limbCount }, (_, i) => this.limbAt(moment, i));
    this.shadows(limbs);
    this.marks(moment);
    const depth = (limb) => Math.hypot(...sub(mix3(limb.a, limb.b, 0.5), moment.eye));
    limbs.sort((a, b) => depth(b) - depth(a)).forEach((limb) => this.limb(limb, theme));
  }
}
