// From the recording and the camera to what a scene draws at one time: limbs, marks, light.

const colour = (hex) => [1, 3, 5].map((i) => (parseInt(hex.slice(i, i + 2), 16) / 255) ** 2.2);

const THEMES = {
  dark: {
    sunColour: scale(colour("#fff0dc"), 1.55), skyColour: scale(colour("#93a8cf"), 0.75),
    bounceColour: scale(colour("#6d6f86"), 0.42), fogColour: colour("#232c3d"), zenithColour: colour("#0e1219"),
    groundColour: colour("#454d5b"), lineColour: colour("#8390a8"),
    past: colour("#8b95a8"), future: colour("#5ad1c1"), contact: colour("#ffd166"),
  },
  light: {
    sunColour: scale(colour("#fff3df"), 1.15), skyColour: scale(colour("#cfdcf2"), 0.72),
    bounceColour: scale(colour("#b8ae9f"), 0.5), fogColour: colour("#eef1f4"), zenithColour: colour("#b9cfe8"),
    groundColour: colour("#c3c6c4"), lineColour: colour("#8d949c"),
    past: colour("#6c7480"), future: colour("#0b8f86"), contact: colour("#e07a00"),
  },
};

// One colour for each character; limbs on the left lean to amber, on the right to blue.
const PALETTE = ["#e8e6e1", "#7fc8a9", "#e58f8f", "#b79ce0", "#e8c25a", "#7db4e8", "#e5a0c8", "#a8c76a"];
const LEFT = colour("#f2a33c"), RIGHT = colour("#3f86e0");
const SUN = normal([0.55, 0.95, 0.35]);

const paletteColour = (character) => PALETTE[character % PALETTE.length];

function limbColour(limb, character, faded) {
  const own = colour(paletteColour(character));
  const tinted = limb.part === "visor" ? colour("#20242c") : limb.side > 0 ? mix3(own, LEFT, 0.78)
    : limb.side < 0 ? mix3(own, RIGHT, 0.78) : own;
  return faded ? mix3(tinted, [0.3, 0.3, 0.32], 0.35) : tinted;
}

const jointAt = (pose, i) => [pose[3 * i], pose[3 * i + 1], pose[3 * i + 2]];
const middle = (pose, pair) => scale(add(jointAt(pose, pair[0]), jointAt(pose, pair[1])), 0.5);

// Both ends of a limb in the world.
function limbEnds(limb, pose) {
  const a = middle(pose, limb.a), b = middle(pose, limb.b);
  return [mix3(a, b, limb.from), mix3(a, b, limb.to)];
}

function pushLimbs(recording, pose, character, faded, facing, out) {
  for (const limb of recording.limbs) {
    let [a, b] = limbEnds(limb, pose);
    if (limb.part === "visor") { // a bar across the front of the head
      const front = [Math.sin(facing), 0, Math.cos(facing)], side = [front[2], 0, -front[0]];
      const at = add(b, scale(front, limb.forward));
      [a, b] = [add(at, scale(side, limb.half)), add(at, scale(side, -limb.half))];
    }
    const c = limbColour(limb, character, faded);
    out.push(...a, limb.ra, ...b, limb.rb, ...c, limb.part === "visor" ? 2.5 : 1);
  }
}

// A flat quad around a point on the ground; `across` makes its rim round.
function pushDisc(recording, x, z, radius, tint, alpha, out) {
  const up = recording.slope(x, z), y = recording.height(x, z), at = add([x, y, z], scale(up, 0.012));
  const u = normal(cross(up, [1, 0, 0])), v = cross(up, u);
  const corner = (i, j) => [...add(at, add(scale(u, i * radius), scale(v, j * radius))), ...tint, alpha, i, j];
  out.push(...corner(-1, -1), ...corner(1, -1), ...corner(1, 1), ...corner(-1, -1), ...corner(1, 1), ...corner(-1, 1));
}

// A strip along the ground from one point to the next; points are {x, z, alpha, tint}.
function pushStrip(recording, points, width, out) {
  const sides = points.map((p, i) => {
    const before = points[Math.max(i - 1, 0)], after = points[Math.min(i + 1, points.length - 1)];
    const d = [after.x - before.x, after.z - before.z], l = Math.max(Math.hypot(...d), 1e-6);
    return [-1, 1].map((s) => {
      const x = p.x + s * width * d[1] / l, z = p.z - s * width * d[0] / l;
      return [x, recording.height(x, z) + 0.02, z, ...p.tint, p.alpha, 0, 0];
    });
  });
  for (let i = 0; i + 1 < sides.length; i++) {
    const [[a, b], [c, d]] = [sides[i], sides[i + 1]];
    out.push(...a, ...b, ...c, ...c, ...b, ...d);
  }
}

// The path with points between the samples, on a Catmull-Rom curve.
function finePath(path, parts) {
  const out = [], at = (i) => path[clamp(i, 0, path.length - 1)];
  for (let i = 0; i + 1 < path.length; i++) {
    for (let k = 0; k < parts; k++) {
      const t = k / parts, [a, b, c, d] = [at(i - 1), at(i), at(i + 1), at(i + 2)];
      const curve = (n) => 0.5 * (2 * b[n] + (c[n] - a[n]) * t + (2 * a[n] - 5 * b[n] + 4 * c[n] - d[n]) * t * t +
        (3 * b[n] - a[n] - 3 * c[n] + d[n]) * t * t * t);
      out.push({ x: curve("x"), z: curve("z"), offset: mix(b.offset, c.offset, t) });
    }
  }
  return path.length ? [...out, path[path.length - 1]] : out;
}

function pushPath(recording, path, theme, strength, out) {
  if (path.length < 2) return;
  const ends = Math.max(-path[0].offset, path[path.length - 1].offset, 1);
  const points = finePath(path, 4).map((p) => ({
    ...p, tint: p.offset < 0 ? theme.past : theme.future,
    alpha: strength * (1 - 0.75 * Math.abs(p.offset) / ends),
  }));
  pushStrip(recording, points, 0.022, out);
  for (const p of path.filter((q) => q.offset >= 0)) {
    const alpha = strength * (1 - 0.7 * p.offset / ends), reach = 0.22;
    const tip = { x: p.x + reach * Math.sin(p.facing), z: p.z + reach * Math.cos(p.facing) };
    pushStrip(recording, [{ ...p, tint: theme.future, alpha }, { ...tip, tint: theme.future, alpha: 0 }], 0.012, out);
    pushDisc(recording, p.x, p.z, 0.035, theme.future, alpha, out);
  }
}

function pushContacts(recording, character, pose, when, theme, strength, marks) {
  recording.contactJoints.forEach((joint, i) => {
    const amount = recording.contact(character, when, i);
    if (amount > 0.3) {
      const p = jointAt(pose, joint);
      pushDisc(recording, p[0], p[2], recording.footReach / 2, theme.contact, strength * (amount - 0.3), marks);
    }
  });
}

// The light's view of the neighbourhood, moved in whole texels so that shadows do not swim.
function shadowMatrix(target, radius) {
  const reach = 2 ** Math.ceil(Math.log2(Math.max(radius, 2)));
  const right = normal(cross([0, 1, 0], SUN)), above = cross(SUN, right), texel = 2 * reach / SHADOW_SIZE;
  const snap = (axis) => Math.round(dot(target, axis) / texel) * texel - dot(target, axis);
  const at = add(target, add(scale(right, snap(right)), scale(above, snap(above))));
  return multiply(orthographic(reach, 1, 4 * reach + 20), lookAt(add(at, scale(SUN, 2 * reach + 10)), at, [0, 1, 0]));
}

// options: seconds, picked (-1: none), camera {eye, target, view, horizon, distance, reach}, paths, contacts
function momentOf(recording, options, theme) {
  const when = recording.between(options.seconds), limbs = [], marks = [], feet = [], poses = [];
  for (let character = 0; character < recording.count; character++) {
    const pose = recording.pose(character, when, new Float32Array(3 * recording.jointCount));
    const faded = options.picked >= 0 && options.picked !== character;
    poses.push(pose);
    pushLimbs(recording, pose, character, faded, recording.state(character, when).facing, limbs);
    if (options.paths) pushPath(recording, recording.path(character, when), theme, faded ? 0.35 : 0.9, marks);
    if (options.contacts) pushContacts(recording, character, pose, when, theme, faded ? 0.4 : 0.85, marks);
    for (const joint of recording.groundJoints.slice(0, Math.floor(64 / recording.count))) {
      feet.push(...jointAt(pose, joint), recording.footReach);
    }
  }
  const { camera } = options;
  return {
    poses, marks, feet, limbs: new Float32Array(limbs), limbCount: limbs.length / LIMB_FLOATS, sun: SUN,
    eye: camera.eye, target: camera.target, view: camera.view, horizon: camera.horizon, distance: camera.distance,
    shadow: shadowMatrix(camera.target, camera.reach),
  };
}
