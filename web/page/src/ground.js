// The ground: hills, and a mound with stairs up, a walk and a ramp down. Metres; y up, z ahead of where one starts.
import * as THREE from "three";
import { smooth } from "./vectors.js";

const HALF = 42; // the ground is a square from -HALF to HALF, and flat beyond
const CELL = 0.1; // of the height field

const STAIRS = { x: 5.5, z: 4, half: 2, steps: 8, rise: 0.13, tread: 0.42, walk: 3.5, ramp: 6, slope: 0.55 };
const stairsDeep = STAIRS.steps * STAIRS.tread, top = STAIRS.steps * STAIRS.rise;

// Height along the mound, s metres from the first step.
function profile(s) {
  if (s <= 0) return 0;
  if (s < stairsDeep) return Math.ceil(s / STAIRS.tread) * STAIRS.rise;
  const down = s - stairsDeep - STAIRS.walk;
  return down <= 0 ? top : Math.max(0, top * (1 - down / STAIRS.ramp));
}

function mound(x, z) {
  const beside = Math.max(0, Math.abs(x - STAIRS.x) - STAIRS.half);
  return Math.max(0, profile(z - STAIRS.z) - beside * STAIRS.slope);
}

function hills(x, z) {
  const deep = Math.max(Math.abs(x - STAIRS.x) - 5, 0), far = Math.max(Math.abs(z - STAIRS.z - 6) - 9, 0);
  const open = smooth(1, 9, Math.hypot(deep, far)) * smooth(HALF, HALF - 9, Math.max(Math.abs(x), Math.abs(z)));
  const waves = Math.sin(x * 0.21 + 1.3) * Math.cos(z * 0.17) + 0.5 * Math.sin(z * 0.33 + x * 0.12) + 0.22 * Math.cos(x * 0.5 - z * 0.36);
  return open * 0.85 * (waves + 0.25);
}

export const heightAt = (x, z) => (Math.max(Math.abs(x), Math.abs(z)) > HALF ? 0 : Math.max(mound(x, z), hills(x, z)));

/** The ground for a crowd whose unit is that many metres. */
export function heightField(unit) {
  const count = Math.round(2 * HALF / CELL) + 1, heights = new Float32Array(count * count);
  for (let r = 0; r < count; r++) {
    for (let c = 0; c < count; c++) heights[r * count + c] = heightAt(c * CELL - HALF, r * CELL - HALF) / unit;
  }
  return { heights, rows: count, columns: count, cell: CELL / unit, originX: -HALF / unit, originZ: -HALF / unit };
}

// Lines of the mesh: a metre apart, closer where the mound asks for it.
function lines(from, to, extra) {
  const all = new Set(extra.map((v) => v.toFixed(4)));
  for (let v = from; v <= to; v++) all.add(v.toFixed(4));
  return [...all].map(Number).filter((v) => v >= from && v <= to).sort((a, b) => a - b);
}

function meshLines() {
  const xs = [], zs = [];
  for (const side of [-1, 1]) {
    for (const d of [0, 0.25, 0.5, 0.75, 1, 1.5, 1.9]) xs.push(STAIRS.x + side * (STAIRS.half + d));
  }
  for (let i = 0; i <= STAIRS.steps; i++) zs.push(STAIRS.z + i * STAIRS.tread - 0.004, STAIRS.z + i * STAIRS.tread + 0.004);
  const walk = STAIRS.z + stairsDeep + STAIRS.walk;
  zs.push(walk, walk + STAIRS.ramp);
  for (let d = 0; d < STAIRS.ramp; d += 0.5) zs.push(walk + d);
  return [lines(-HALF, HALF, xs), lines(-HALF, HALF, zs)];
}

// The hills keep their round normals, each triangle of the mound has its own.
function withEdges(geometry) {
  const whole = geometry.toNonIndexed(), at = whole.attributes.position.array, normal = whole.attributes.normal.array;
  for (let t = 0; t < at.length; t += 9) {
    const middle = [0, 2].map((k) => (at[t + k] + at[t + 3 + k] + at[t + 6 + k]) / 3);
    if (mound(...middle) <= hills(...middle)) continue;
    const [a, b, c] = [0, 3, 6].map((k) => new THREE.Vector3().fromArray(at, t + k));
    const face = b.sub(a).cross(c.sub(a)).normalize();
    for (const k of [0, 3, 6]) face.toArray(normal, t + k);
  }
  return whole;
}

const GRID = `
  vec2 metre = vPlace.xz;
  vec2 width = fwidth(metre);
  vec2 line = abs(fract(metre - 0.5) - 0.5) / max(width, 0.008);
  float thin = (1.0 - min(min(line.x, line.y), 1.0)) * smoothstep(0.35, 0.02, max(width.x, width.y));
  vec2 five = abs(fract(metre / 5.0 - 0.5) - 0.5) * 5.0 / max(width, 0.012);
  float thick = (1.0 - min(min(five.x, five.y), 1.0)) * smoothstep(1.2, 0.1, max(width.x, width.y));
  diffuseColor.rgb = mix(diffuseColor.rgb, lineColour, 0.35 * thin + 0.4 * thick);
  float steep = 1.0 - clamp(vUp * vUp * vUp, 0.0, 1.0);
  diffuseColor.rgb *= 1.0 - 0.28 * steep;
`;

export class Ground {
  constructor(scene) {
    const [xs, zs] = meshLines(), geometry = new THREE.BufferGeometry(), positions = [], index = [];
    for (const z of zs) for (const x of xs) positions.push(x, heightAt(x, z), z);
    for (let r = 0; r + 1 < zs.length; r++) {
      for (let c = 0; c + 1 < xs.length; c++) {
        const a = r * xs.length + c, b = a + xs.length;
        index.push(a, b, a + 1, a + 1, b, b + 1);
      }
    }
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
    geometry.setIndex(index);
    geometry.computeVertexNormals();
    const whole = withEdges(geometry);
    this.lineColour = { value: new THREE.Color() };
    this.material = new THREE.MeshStandardMaterial({ roughness: 0.95 });
    this.material.onBeforeCompile = (shader) => {
      shader.uniforms.lineColour = this.lineColour;
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", "#include <common>\nvarying vec3 vPlace;\nvarying float vUp;")
        .replace("#include <begin_vertex>", "#include <begin_vertex>\nvPlace = position; vUp = normal.y;");
      shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", "#include <common>\nvarying vec3 vPlace;\nvarying float vUp;\nuniform vec3 lineColour;")
        .replace("#include <color_fragment>", GRID);
    };
    const mesh = new THREE.Mesh(whole, this.material);
    mesh.receiveShadow = mesh.castShadow = true;
    scene.add(mesh);
    const beyond = new THREE.Mesh(new THREE.RingGeometry(HALF * Math.SQRT2 * 0.999, 600, 4, 1, Math.PI / 4).rotateX(-Math.PI / 2), this.material);
    beyond.receiveShadow = true;
    scene.add(beyond);
  }

  colour(ground, line) {
    this.material.color.set(ground);
    this.lineColour.value.set(line);
  }
}
