// A skeleton as it is modelled on: its rest pose in metres, with limbs that stand out sideways lowered, so that the skin of
// a shoulder is bent half as far in use.
import { add, length, multiply, rotate, scale, sub } from "./vectors.js";

const LOWERED = 0.9; // radians

/** { joints: [{ name, parent, children, bind: { position, rotation }, carried }], tall } of a Controller; metres. */
export function skeletonOf(controller) {
  const unit = controller.info.unitMetres;
  const joints = controller.joints.map(({ name, parent }) => ({ name, parent, children: [], bind: null, carried: 0 }));
  joints.forEach((joint, i) => { if (joint.parent >= 0) joints[joint.parent].children.push(i); });
  pose(joints, controller, unit, []);
  pose(joints, controller, unit, sideways(joints));
  for (let i = joints.length - 1; i > 0; i--) {
    const parent = joints[joints[i].parent];
    if (parent) parent.carried += joints[i].carried + boneLength(joints, i);
  }
  const heights = joints.map((joint) => joint.bind.position[1]);
  const low = Math.min(...heights), tall = Math.max(...heights) - low;
  return { joints, tall, low, legs: controller.info.legs };
}

export const boneLength = (joints, i) =>
  joints[i].parent < 0 ? 0 : length(sub(joints[i].bind.position, joints[joints[i].parent].bind.position));

function pose(joints, controller, unit, lowered) {
  joints.forEach((joint, i) => {
    const rest = controller.joints[i].rest, parent = joints[joint.parent]?.bind;
    const at = scale([rest[0], rest[1], rest[2]], unit), turn = [rest[3], rest[4], rest[5], rest[6]];
    const position = parent ? add(parent.position, rotate(parent.rotation, at)) : at;
    const rotation = parent ? multiply(parent.rotation, turn) : turn;
    const side = lowered[i] ?? 0;
    joint.bind = { position, rotation: multiply([0, 0, Math.sin(-side * LOWERED / 2), Math.cos(LOWERED * side / 2)], rotation) };
  });
}

// [joint]: 1 or -1 where an arm begins: the first joint of two bones or more that all lead straight to the side.
function sideways(joints) {
  const lowered = [];
  joints.forEach((joint, i) => {
    const chain = [];
    for (let j = i; joints[j].children.length === 1; j = joints[j].children[0]) {
      const bone = sub(joints[joints[j].children[0]].bind.position, joints[j].bind.position);
      chain.push(bone[0] / length(bone));
    }
    const straight = (from) => chain.length >= from && chain.every((x) => Math.abs(x) > 0.95 && x * chain[0] > 0);
    const far = chain.length >= 2 && Math.abs(joint.bind.position[0]) > 0.1;
    const parentFar = Math.abs(joints[joint.parent]?.bind.position[0] ?? 0) > 0.1;
    if (straight(2) && far && !parentFar) lowered[i] = Math.sign(chain[0]);
  });
  return lowered;
}
