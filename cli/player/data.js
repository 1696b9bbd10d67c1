// The recorded run. Everything is in metres and radians; arrays are base64, little-endian.
//   roots      float32 [character][frame][3]           trajectory's current point
//   poses      int16   [character][frame][joint][3]    relative to the root, in units of poseScale
//   states     int16   [character][frame][STATE]       in units of stateScale[column]
//   contacts   uint8   [character][frame][contact]     0..255
//   trajectory int16   [character][frame][sample][3]   x, z relative to the root in trajectoryScale, facing / 10000
//   ground     int16   [row][column]                   heights in ground.scale; row along z, column along x

const STATE = ["facing", "phase", "speed", "moveX", "moveY", "run", "strafe", "crouch", "cameraYaw", "jump"];

function bytesOf(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

class Recording {
  constructor(json) {
    Object.assign(this, json);
    this.roots = new Float32Array(bytesOf(json.roots).buffer);
    this.poses = new Int16Array(bytesOf(json.poses).buffer);
    this.states = new Int16Array(bytesOf(json.states).buffer);
    this.contacts = bytesOf(json.contacts);
    this.trajectory = new Int16Array(bytesOf(json.trajectory).buffer);
    this.heights = new Int16Array(bytesOf(json.ground.heights).buffer);
    this.seconds = (this.frames - 1) / this.rate;
    this.count = this.characters.length;
    this.jointCount = this.joints.length;
  }

  // Two frames and the way between them at a time in seconds.
  between(seconds) {
    const at = clamp(seconds * this.rate, 0, this.frames - 1);
    const first = Math.min(Math.floor(at), Math.max(this.frames - 2, 0));
    return { first, second: Math.min(first + 1, this.frames - 1), t: at - first };
  }

  root(character, when) {
    const a = 3 * (character * this.frames + when.first), b = 3 * (character * this.frames + when.second);
    return [0, 1, 2].map((i) => mix(this.roots[a + i], this.roots[b + i], when.t));
  }

  // World positions of all joints, [joint][3], into out.
  pose(character, when, out) {
    const width = 3 * this.jointCount, row = character * this.frames;
    const a = (row + when.first) * width, b = (row + when.second) * width, root = this.root(character, when);
    for (let i = 0; i < width; i++) {
      out[i] = root[i % 3] + this.poseScale * mix(this.poses[a + i], this.poses[b + i], when.t);
    }
    return out;
  }

  state(character, when) {
    const width = STATE.length, row = character * this.frames, out = {};
    const a = (row + when.first) * width, b = (row + when.second) * width;
    STATE.forEach((name, i) => {
      const s = this.stateScale[i], from = this.states[a + i] * s, to = this.states[b + i] * s;
      out[name] = name === "facing" || name === "phase" || name === "cameraYaw" ? mixAngle(from, to, when.t)
        : mix(from, to, when.t);
    });
    return out;
  }

  contact(character, when, index) {
    const width = this.contactJoints.length, row = character * this.frames;
    return mix(this.contacts[(row + when.first) * width + index], this.contacts[(row + when.second) * width + index],
      when.t) / 255;
  }

  // [{x, z, facing, offset}] of the samples, offset in frames from now.
  path(character, when) {
    const width = 3 * this.samples.length, row = character * this.frames;
    const a = (row + when.first) * width, b = (row + when.second) * width, root = this.root(character, when);
    return this.samples.map((offset, i) => {
      const at = (k) => this.trajectoryScale * mix(this.trajectory[a + 3 * i + k], this.trajectory[b + 3 * i + k], when.t);
      const facing = mixAngle(this.trajectory[a + 3 * i + 2] / 1e4, this.trajectory[b + 3 * i + 2] / 1e4, when.t);
      return { x: root[0] + at(0), z: root[2] + at(1), facing, offset };
    });
  }

  height(x, z) {
    const g = this.ground;
    const u = clamp((x - g.x) / g.cell, 0, g.columns - 1.001), v = clamp((z - g.z) / g.cell, 0, g.rows - 1.001);
    const i = Math.floor(u), j = Math.floor(v), at = (c, r) => this.heights[r * g.columns + c] * g.scale;
    return mix(mix(at(i, j), at(i + 1, j), u - i), mix(at(i, j + 1), at(i + 1, j + 1), u - i), v - j);
  }

  slope(x, z) {
    const d = this.ground.cell;
    return normal([this.height(x - d, z) - this.height(x + d, z), 2 * d, this.height(x, z - d) - this.height(x, z + d)]);
  }
}
