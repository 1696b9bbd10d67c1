// Vectors are plain arrays of three, matrices arrays of sixteen in column-major order, lengths metres.
// Right-handed, y up, as in the controller.

const TURN = 2 * Math.PI;

const clamp = (x, least, most) => Math.min(Math.max(x, least), most);
const mix = (a, b, t) => a + (b - a) * t;
const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const mix3 = (a, b, t) => [mix(a[0], b[0], t), mix(a[1], b[1], t), mix(a[2], b[2], t)];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const normal = (a) => scale(a, 1 / Math.max(Math.hypot(...a), 1e-9));

// The shortest way from angle a to b, t of it.
function mixAngle(a, b, t) {
  const way = ((b - a) % TURN + 1.5 * TURN) % TURN - TURN / 2;
  return a + way * t;
}

function multiply(a, b) {
  const out = new Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[k * 4 + row] * b[column * 4 + k];
      out[column * 4 + row] = sum;
    }
  }
  return out;
}

function perspective(fieldOfView, aspect, near, far) {
  const f = 1 / Math.tan(fieldOfView / 2);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0];
}

function orthographic(size, near, far) {
  return [1 / size, 0, 0, 0, 0, 1 / size, 0, 0, 0, 0, 2 / (near - far), 0, 0, 0, (far + near) / (near - far), 1];
}

function lookAt(eye, target, up) {
  const back = normal(sub(eye, target));
  const right = normal(cross(up, back));
  const above = cross(back, right);
  return [right[0], above[0], back[0], 0, right[1], above[1], back[1], 0, right[2], above[2], back[2], 0,
    -dot(right, eye), -dot(above, eye), -dot(back, eye), 1];
}

// A point through a matrix, divided by w: x and y in -1..1 where it is in view; the fourth is w.
function project(matrix, p) {
  const out = [0, 1, 2, 3].map((row) =>
    matrix[row] * p[0] + matrix[4 + row] * p[1] + matrix[8 + row] * p[2] + matrix[12 + row]);
  return [out[0] / out[3], out[1] / out[3], out[2] / out[3], out[3]];
}
