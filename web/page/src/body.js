// A body around a skeleton: rounded cones along its bones, grown together into one surface, with weights for its joints.
// Lengths are metres. What a person or a four-legged animal has beyond its bones (chest, head, hands, paws) is added by
// where the joints are, never by the name of a model.
import { add, clamp, length, mix, scale, sub } from "./vectors.js";
import { boneLength } from "./skeleton.js";

const GROWN = 0.05; // how far apart two parts begin to grow together
const SOFT = 0.016; // how far a joint's weight reaches past where another's begins

// part: { joint, a, b, ra, rb, wide, wider, zone, group }: widths in x at both ends. Zones: 0 body, 1 head, 2 hands and feet.
// Parts of one group (a number) only touch, as the bones of a limb do; others grow together.
const partOf = (joint, a, b, ra, rb, wide = 1, zone = 0, group = null) =>
  ({ joint, a, b, ra, rb, wide, wider: wide, zone, group: group ?? { own: true } });

// A bone is as thick as what it carries is long.
const thickness = (carried) => 0.029 + 0.046 * Math.pow(carried, 1.1);

export function partsOf(skeleton) {
  return skeleton.legs > 2 ? animal(skeleton) : person(skeleton);
}

// Arms and legs, each a group, with the muscle of their second bone.
function limbs(skeleton, skip) {
  const { joints } = skeleton, parts = [];
  joints.forEach((joint, i) => {
    if (joint.parent < 0 || skip(i) || boneLength(joints, i) < 0.01) return;
    const from = joints[joint.parent].bind.position, to = joint.bind.position, bone = boneLength(joints, i);
    const thick = thickness(joint.carried + bone), thin = thickness(joint.carried);
    let first = i;
    while (!isCentre(joints[joints[first].parent])) first = joints[first].parent;
    parts.push(partOf(joint.parent, from, to, thick, thin, 1, 0, first));
    const depth = i === first ? 0 : joints[joint.parent].parent === first ? 1 : 2;
    if (depth > 0 && bone > 0.2) {
      const leg = to[1] < joints[0].bind.position[1] - 0.2, back = [0, 0, leg ? (depth === 2 ? -0.014 : 0.006) : 0];
      parts.push(partOf(joint.parent, add(mix(from, to, 0.16), back), add(mix(from, to, 0.5), back), thick * 0.9, thick * 0.82, 1, 0));
    }
  });
  return parts;
}

const isCentre = (joint) => Math.abs(joint.bind.position[0]) < 0.02;

function person(skeleton) {
  const { joints, low } = skeleton, at = (i) => joints[i].bind.position, parts = [];
  // From the root up: the trunk as far as the arms, then neck and head.
  const centre = [0];
  for (let up; (up = joints[centre.at(-1)].children.find((i) => isCentre(joints[i]) && at(i)[1] > at(centre.at(-1))[1])); ) {
    centre.push(up);
  }
  let top = centre.findIndex((i) => i > 0 && joints[i].children.some((child) => !isCentre(joints[child])));
  top = top < 0 ? centre.length - 1 : top;
  const trunk = at(centre[top])[1] - at(0)[1];
  // Depth and width of the trunk by height.
  const profile = [[-0.16, 0.1, 1.5], [0.02, 0.11, 1.5], [0.2, 0.101, 1.44], [0.42, 0.095, 1.38], [0.66, 0.106, 1.46], [0.9, 0.112, 1.52],
    [1.08, 0.1, 1.55], [1.2, 0.075, 1.5]];
  for (let k = 0; k + 1 < profile.length; k++) {
    const [from, ra, wide] = profile[k], [to, rb, wider] = profile[k + 1];
    const joint = centre.filter((i, n) => n <= top && at(i)[1] <= at(0)[1] + (from + to) / 2 * trunk + 0.02).at(-1) ?? 0;
    const on = (h) => [0, at(0)[1] + h * trunk, at(centre[top])[2] * clamp(h, 0, 1) + (h > 0.5 ? 0.012 : 0)];
    parts.push({ ...partOf(joint, on(from), on(to), ra, rb, wide, 0, "trunk"), wider });
  }
  const head = centre.at(-1), neck = centre[Math.max(centre.length - 2, top)];
  parts.push(partOf(neck, add(at(neck), [0, -0.03, 0]), add(at(head), [0, 0.02, 0.012]), 0.06, 0.054));
  parts.push(partOf(head, add(at(head), [0, 0.025, 0.03]), add(at(head), [0, 0.03, 0.03]), 0.066, 0.066, 0.92, 1));
  parts.push(partOf(head, add(at(head), [0, 0.075, 0.012]), add(at(head), [0, 0.095, 0.018]), 0.09, 0.092, 0.88, 1));
  parts.push(...limbs(skeleton, (i) => centre.includes(i) || joints[i].parent === 0 || joints[i].children.length === 0 && at(i)[1] < low + 0.12));
  for (const collar of joints[centre[top]].children.filter((i) => !isCentre(joints[i]))) {
    const shoulder = joints[collar].children[0] ?? collar; // the slope from the neck
    parts.push(partOf(centre[top], add(at(neck), [Math.sign(at(shoulder)[0]) * 0.03, -0.035, 0]), mix(at(neck), at(shoulder), 0.75), 0.05, 0.044));
  }
  joints.forEach((joint, i) => {
    if (joint.children.length > 0 || centre.includes(i)) return;
    if (at(i)[1] < low + 0.12) foot(joints, i, low, parts);
    else hand(joints, i, parts);
  });
  return parts;
}

// From a wrist on: a palm and fingers.
function hand(joints, i, parts) {
  const wrist = joints[i].bind.position, bone = sub(wrist, joints[joints[i].parent].bind.position);
  const on = (d) => add(wrist, scale(bone, d / length(bone)));
  parts.push(partOf(i, on(0.0), on(0.07), 0.03, 0.037, 1, 2));
  parts.push(partOf(i, on(0.08), on(0.16), 0.033, 0.019, 1, 2));
  parts.push(partOf(i, add(on(0.03), [0, 0, 0.025]), add(on(0.09), [0, 0, 0.05]), 0.018, 0.014, 1, 2));
}

// Under an ankle: heel to toe.
function foot(joints, i, low, parts) {
  const ankle = joints[i].parent, at = joints[ankle].bind.position, toe = joints[i].bind.position;
  const floor = low - 0.012;
  const heel = [at[0], floor + 0.042, at[2] - 0.04], ball = [toe[0], floor + 0.036, toe[2] - 0.02];
  parts.push(partOf(ankle, at, heel, 0.045, 0.04, 1, 2));
  parts.push(partOf(ankle, add(at, [0, -0.02, 0.02]), ball, 0.045, 0.036, 1.1, 2));
  parts.push(partOf(ankle, heel, ball, 0.04, 0.036, 1.08, 2));
  parts.push(partOf(i, ball, [toe[0], floor + 0.028, toe[2] + 0.045], 0.036, 0.027, 1.3, 2));
}

function animal(skeleton) {
  const { joints } = skeleton, at = (i) => joints[i].bind.position, parts = [];
  const isLeg = (i) => { // leads down and out to a foot
    for (; joints[i].children.length; i = joints[i].children[0]);
    return !isCentre(joints[i]);
  };
  const hips = joints[0].children.filter(isLeg), middle = (list) => scale(list.reduce((s, i) => add(s, at(i)), [0, 0, 0]), 1 / list.length);
  const front = middle(hips.filter((i) => at(i)[2] > at(0)[2])), rear = middle(hips.filter((i) => at(i)[2] <= at(0)[2]));
  parts.push(partOf(0, add(front, [0, -0.005, 0.02]), mix(front, rear, 0.45), 0.108, 0.1, 0.86));
  parts.push(partOf(0, mix(front, rear, 0.45), add(rear, [0, 0.012, 0]), 0.1, 0.088, 0.86));
  parts.push(partOf(0, add(front, [0, 0.03, 0.01]), add(rear, [0, 0.035, -0.015]), 0.07, 0.07, 0.86));
  joints.forEach((joint, i) => {
    if (joint.parent < 0) return;
    const from = at(joint.parent), to = at(i);
    if (isCentre(joint) || hips.includes(i)) return;
    const rest = joint.carried, bone = boneLength(joints, i);
    parts.push(partOf(joint.parent, from, to, clamp(0.014 + 0.068 * (rest + bone), 0.02, 0.05), clamp(0.014 + 0.068 * rest, 0.02, 0.05)));
    if (joint.children.length === 0) {
      parts.push(partOf(joint.parent, add(to, [0, 0.012, -0.005]), add(to, [0, 0.006, 0.028]), 0.024, 0.021, 1.15, 2));
    }
  });
  joints.forEach((joint, i) => {
    if (i === 0 || !isCentre(joint)) return;
    const from = at(joint.parent), to = at(i), ahead = to[2] > from[2], muzzle = ahead && joint.children.length === 0;
    if (joint.parent === 0) {
      const inside = mix(ahead ? front : rear, to, 0.2);
      parts.push(partOf(0, inside, to, 0.08, ahead ? 0.074 : 0.045, 0.86));
    } else if (muzzle) {
      parts.push(partOf(joint.parent, add(from, [0, 0.004, 0]), mix(from, to, 0.3), 0.062, 0.052, 0.95, 1));
      parts.push(partOf(joint.parent, mix(from, to, 0.35), to, 0.038, 0.027, 1, 1));
      parts.push(partOf(joint.parent, add(to, [0, 0.012, 0.016]), add(to, [0, 0.012, 0.02]), 0.013, 0.012, 1.2, 2));
      for (const side of [-1, 1]) {
        parts.push(partOf(joint.parent, add(from, [0.036 * side, 0.042, -0.012]), add(from, [0.052 * side, 0.088, -0.03]), 0.022, 0.009, 1, 1));
      }
    } else {
      const thick = ahead ? [0.074, 0.058] : [0.026, 0.016];
      parts.push(partOf(joint.parent, from, to, thick[0], thick[1], ahead ? 0.92 : 1));
    }
  });
  return parts;
}

function distance(part, x, y, z) {
  const { a, b } = part, along = part.wide === part.wider ? 0 : clamp((y - a[1]) / (b[1] - a[1]), 0, 1);
  const wide = 1 / (part.wide + (part.wider - part.wide) * along);
  const bx = (b[0] - a[0]) * wide, by = b[1] - a[1], bz = b[2] - a[2];
  const px = (x - a[0]) * wide, py = y - a[1], pz = z - a[2];
  const t = clamp((px * bx + py * by + pz * bz) / (bx * bx + by * by + bz * bz + 1e-12), 0, 1);
  return Math.hypot(px - t * bx, py - t * by, pz - t * bz) - (part.ra + (part.rb - part.ra) * t);
}

// The field of all parts on a grid of cells: part by part, each only near itself.
function fieldOf(parts, cell) {
  const low = [1e9, 1e9, 1e9], high = [-1e9, -1e9, -1e9];
  const boxes = parts.map((part) => {
    const r = Math.max(part.ra, part.rb) + GROWN + 2 * cell;
    return [0, 1, 2].map((k) => {
      const reach = k === 0 ? r * Math.max(part.wide, part.wider, 1) : r;
      const box = [Math.min(part.a[k], part.b[k]) - reach, Math.max(part.a[k], part.b[k]) + reach];
      low[k] = Math.min(low[k], box[0]);
      high[k] = Math.max(high[k], box[1]);
      return box;
    });
  });
  const size = low.map((v, k) => Math.ceil((high[k] - v) / cell) + 2);
  const values = new Float32Array(size[0] * size[1] * size[2]).fill(1), group = new Float32Array(values.length);
  for (const name of new Set(parts.map((part) => part.group))) {
    group.fill(1);
    parts.forEach((part, n) => {
      if (part.group === name) touch(part, boxes[n], { group, size, low, cell });
    });
    grow(values, group);
  }
  return { values, size, low, cell };
}

// The nearer of the group and the part, near the part.
function touch(part, box, { group, size, low, cell }) {
  const [from, to] = [0, 1].map((end) => box.map((range, k) => clamp(Math.round((range[end] - low[k]) / cell), 0, size[k] - 1)));
  for (let k = from[2]; k <= to[2]; k++) {
    for (let j = from[1]; j <= to[1]; j++) {
      for (let i = from[0]; i <= to[0]; i++) {
        const at = (k * size[1] + j) * size[0] + i;
        group[at] = Math.min(group[at], distance(part, low[0] + i * cell, low[1] + j * cell, low[2] + k * cell));
      }
    }
  }
}

function grow(values, group) {
  for (let i = 0; i < values.length; i++) {
    if (group[i] === 1) continue;
    const h = Math.max(GROWN - Math.abs(group[i] - values[i]), 0) / GROWN;
    values[i] = Math.min(group[i], values[i]) - h * h * GROWN / 4;
  }
}

// Naive surface nets: a vertex in each cell that the surface crosses, a square around each edge that it crosses.
function surfaceOf({ values, size, low, cell }) {
  const [nx, ny, nz] = size, vertex = new Int32Array(values.length).fill(-1), positions = [], triangles = [];
  const step = [1, nx, nx * ny], corner = [0, 1, 2, 3, 4, 5, 6, 7].map((c) => (c & 1) + (c >> 1 & 1) * nx + (c >> 2) * nx * ny);
  for (let k = 0; k + 1 < nz; k++) {
    for (let j = 0; j + 1 < ny; j++) {
      for (let i = 0; i + 1 < nx; i++) {
        const at = (k * ny + j) * nx + i;
        let inside = 0;
        for (let c = 0; c < 8; c++) inside += values[at + corner[c]] < 0 ? 1 : 0;
        if (inside === 0 || inside === 8) continue;
        let x = 0, y = 0, z = 0, crossings = 0;
        for (let c = 0; c < 8; c++) {
          for (let axis = 0; axis < 3; axis++) {
            if (c >> axis & 1) continue;
            const v = values[at + corner[c]], w = values[at + corner[c] + step[axis]];
            if (v < 0 === w < 0) continue;
            const t = v / (v - w);
            x += (c & 1) + (axis === 0 ? t : 0);
            y += (c >> 1 & 1) + (axis === 1 ? t : 0);
            z += (c >> 2) + (axis === 2 ? t : 0);
            crossings++;
          }
        }
        vertex[at] = positions.length / 3;
        positions.push(low[0] + (i + x / crossings) * cell, low[1] + (j + y / crossings) * cell, low[2] + (k + z / crossings) * cell);
      }
    }
  }
  for (let k = 1; k + 1 < nz; k++) {
    for (let j = 1; j + 1 < ny; j++) {
      for (let i = 1; i + 1 < nx; i++) {
        const at = (k * ny + j) * nx + i;
        for (let axis = 0; axis < 3; axis++) {
          const v = values[at], w = values[at + step[axis]];
          if (v < 0 === w < 0) continue;
          const p = step[(axis + 1) % 3], q = step[(axis + 2) % 3];
          const [a, b, c, d] = [vertex[at], vertex[at - p], vertex[at - p - q], vertex[at - q]];
          if (v < 0) triangles.push(a, b, c, a, c, d);
          else triangles.push(a, c, b, a, d, c);
        }
      }
    }
  }
  return { positions: new Float32Array(positions), triangles };
}

function normalsOf({ positions, triangles }) {
  const normals = new Float32Array(positions.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => 3 * triangles[t + k]);
    const u = [0, 1, 2].map((k) => positions[b + k] - positions[a + k]), v = [0, 1, 2].map((k) => positions[c + k] - positions[a + k]);
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    for (const corner of [a, b, c]) for (let k = 0; k < 3; k++) normals[corner + k] += n[k];
  }
  for (let i = 0; i < normals.length; i += 3) {
    const size = Math.hypot(normals[i], normals[i + 1], normals[i + 2]) || 1;
    for (let k = 0; k < 3; k++) normals[i + k] /= size;
  }
  return normals;
}

// The three joints that a vertex follows most: of the nearest part, and of parts of its parent and children.
function bindings(parts, joints, positions) {
  const count = positions.length / 3, index = new Float32Array(3 * count), weight = new Float32Array(3 * count);
  const zone = new Float32Array(2 * count), near = (a, b) => a === b || joints[a].parent === b || joints[b].parent === a;
  for (let i = 0; i < count; i++) {
    const d = parts.map((part) => distance(part, positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]));
    const least = Math.min(...d), nearest = parts[d.indexOf(least)].joint, sums = new Map();
    parts.forEach((part, n) => {
      const w = Math.exp((least - d[n]) / SOFT);
      if (near(part.joint, nearest)) sums.set(part.joint, Math.max(sums.get(part.joint) ?? 0, w));
      if (part.zone) zone[2 * i + part.zone - 1] = Math.max(zone[2 * i + part.zone - 1], w);
    });
    const best = [...sums].sort((a, b) => b[1] - a[1]).slice(0, 3), sum = best.reduce((s, [, w]) => s + w, 0);
    best.forEach(([joint, w], n) => {
      index[3 * i + n] = joint;
      weight[3 * i + n] = w / sum;
    });
  }
  return { index, weight, zone };
}

/** The body's surface in cells of that size: { positions, normals, triangles, index, weight, zone }. */
export function bodyOf(skeleton, cell) {
  const parts = partsOf(skeleton), surface = surfaceOf(fieldOf(parts, cell));
  return { ...surface, normals: normalsOf(surface), ...bindings(parts, skeleton.joints, surface.positions) };
}
