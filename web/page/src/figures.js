// Figures: any number of characters of one skeleton, each a copy of one body that the graphics card bends.
//
// A texture holds a row for each character and two texels for each joint: the dual quaternion from the pose that the body
// was modelled in to the pose now. Blending those keeps the thickness of a bent joint, which blending matrices does not.
import * as THREE from "three";
import { bodyOf } from "./body.js";
import { skeletonOf } from "./skeleton.js";

const FINE = 0.0155, COARSE = 0.042; // metres of a cell
const NEAR = 9; // metres from the camera within which figures are drawn fine, if there is time for it
const CLEAR = 1.4; // metres from the camera in which only the player is drawn

const SKIN = `
attribute vec3 skinIndex3, skinWeight3;
attribute vec2 zone;
attribute float row;
attribute vec3 tint;
uniform highp sampler2D pose;
varying vec2 vZone;
varying vec3 vTint, vModel;
vec4 gReal, gDual;
void skinBlend() {
  gReal = vec4(0.0); gDual = vec4(0.0);
  vec4 first = vec4(0.0);
  for (int i = 0; i < 3; i++) {
    ivec2 at = ivec2(2 * int(skinIndex3[i] + 0.5), int(row + 0.5));
    vec4 real = texelFetch(pose, at, 0), dual = texelFetch(pose, at + ivec2(1, 0), 0);
    if (i == 0) first = real;
    float w = dot(real, first) < 0.0 ? -skinWeight3[i] : skinWeight3[i];
    gReal += w * real; gDual += w * dual;
  }
  float size = 1.0 / max(length(gReal), 1e-6);
  gReal *= size; gDual *= size;
}
vec3 skinTurn(vec3 v) { return v + 2.0 * cross(gReal.xyz, cross(gReal.xyz, v) + gReal.w * v); }
vec3 skinPlace(vec3 v) {
  return skinTurn(v) + 2.0 * (gReal.w * gDual.xyz - gDual.w * gReal.xyz + cross(gReal.xyz, gDual.xyz));
}
`;

function bend(shader, uniforms) {
  Object.assign(shader.uniforms, uniforms);
  shader.vertexShader = shader.vertexShader
    .replace("#include <common>", `#include <common>\n${SKIN}`)
    .replace("#include <beginnormal_vertex>", "skinBlend();\nvec3 objectNormal = skinTurn(normal);")
    .replace("#include <begin_vertex>",
      "skinBlend();\nvec3 transformed = skinPlace(position);\nvZone = zone; vTint = tint; vModel = position;");
}

function materialOf(uniforms, visor) {
  const material = new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0.0 });
  material.onBeforeCompile = (shader) => {
    bend(shader, { ...uniforms, visor: { value: visor } });
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec2 vZone;\nvarying vec3 vTint, vModel;\nuniform vec4 visor;")
      .replace("#include <color_fragment>", `
        vec3 skin = mix(vTint, vec3(0.93, 0.9, 0.86), 0.3);
        vec3 dark = vTint * 0.36 + vec3(0.03);
        diffuseColor.rgb = mix(vTint, skin, smoothstep(0.45, 0.55, vZone.x));
        diffuseColor.rgb = mix(diffuseColor.rgb, dark, smoothstep(0.45, 0.55, vZone.y));
        if (visor.w > 0.0) {
          float face = smoothstep(-0.004, 0.004, visor.w - abs(vModel.y - visor.y)) * smoothstep(-0.004, 0.004, vModel.z - visor.z);
          diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.045, 0.055, 0.07), face * step(0.5, vZone.x));
        }`);
  };
  return material;
}

function depthOf(uniforms) {
  const material = new THREE.MeshDepthMaterial();
  material.onBeforeCompile = (shader) => bend(shader, uniforms);
  return material;
}

// A person's visor: [0, middle height, depth from which on, half its height] in the model; an animal has eyes of its own.
function visorOf(skeleton) {
  if (skeleton.legs > 2) return new THREE.Vector4(0, 0, 0, 0);
  const head = skeleton.joints.reduce((best, joint) =>
    (Math.abs(joint.bind.position[0]) < 0.02 && joint.bind.position[1] > best[1] ? joint.bind.position : best), [0, -1, 0]);
  return new THREE.Vector4(0, head[1] + 0.085, head[2] + 0.052, 0.021);
}

export class Figures {
  constructor(scene, controller, capacity) {
    this.scene = scene;
    this.capacity = capacity;
    this.unit = controller.info.unitMetres;
    this.skeleton = skeletonOf(controller);
    const joints = this.skeleton.joints.length;
    this.joints = joints;
    this.pose = new Float32Array(capacity * joints * 8);
    this.texture = new THREE.DataTexture(this.pose, 2 * joints, capacity, THREE.RGBAFormat, THREE.FloatType);
    this.uniforms = { pose: { value: this.texture } };
    this.visor = visorOf(this.skeleton);
    this.tints = new Float32Array(3 * capacity);
    this.meshes = [this.#mesh(COARSE)];
    this.bind = Float32Array.from(this.skeleton.joints.flatMap(({ bind }) => [...bind.position, ...bind.rotation]));
  }

  /** The fine body, which takes a while to grow: not needed for a first frame. */
  refine() {
    this.meshes[1] ??= this.#mesh(FINE);
  }

  #mesh(cell) {
    const { skeleton, uniforms, visor } = this;
    const body = bodyOf(skeleton, cell * skeleton.tall / 1.62 ** (skeleton.legs > 2 ? 0 : 1)), geometry = new THREE.InstancedBufferGeometry();
    const attribute = (name, values, width) => geometry.setAttribute(name, new THREE.BufferAttribute(values, width));
    attribute("position", body.positions, 3);
    attribute("normal", body.normals, 3);
    attribute("skinIndex3", body.index, 3);
    attribute("skinWeight3", body.weight, 3);
    attribute("zone", body.zone, 2);
    geometry.setIndex(body.triangles);
    const own = (name, width) => geometry.setAttribute(name,
      new THREE.InstancedBufferAttribute(new Float32Array(width * this.capacity), width).setUsage(THREE.DynamicDrawUsage));
    own("row", 1);
    own("tint", 3);
    geometry.instanceCount = 0;
    const mesh = new THREE.Mesh(geometry, materialOf(uniforms, visor));
    mesh.customDepthMaterial = depthOf(uniforms);
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = true;
    this.scene.add(mesh);
    return mesh;
  }

  setTint(character, colour) {
    this.tints.set(colour, 3 * character);
  }

  /** Poses [count][joints][7] as Crowd.poses gives them, seen from `eye` in metres; so many, if there, in the fine body. */
  show(poses, count, eye, fine) {
    this.count = count;
    for (let c = 0; c < count; c++) this.#fill(poses, c);
    this.texture.needsUpdate = true;
    const away = (c) => {
      const at = 7 * c * this.joints;
      return Math.hypot(poses[at] * this.unit - eye.x, poses[at + 1] * this.unit - eye.y, poses[at + 2] * this.unit - eye.z);
    };
    const lists = [[], []], most = this.meshes[1] ? fine : 0;
    for (let c = 0; c < count; c++) {
      const far = away(c), player = c === 0;
      if (player || far > CLEAR) lists[lists[1].length < most && (player || far < NEAR) ? 1 : 0].push(c);
    }
    this.meshes.forEach(({ geometry }, n) => {
      const list = lists[n], { row, tint } = geometry.attributes;
      list.forEach((c, i) => {
        row.array[i] = c;
        for (let k = 0; k < 3; k++) tint.array[3 * i + k] = this.tints[3 * c + k];
      });
      row.needsUpdate = tint.needsUpdate = true;
      geometry.instanceCount = list.length;
    });
  }

  // From the bind pose to now: q = now conj(bind), t = now - q bind; the dual part is t q / 2.
  #fill(poses, c) {
    const { bind, pose, joints, unit } = this;
    for (let j = 0; j < joints; j++) {
      const a = 7 * (c * joints + j), b = 7 * j, o = 8 * (c * joints + j);
      const ax = poses[a + 3], ay = poses[a + 4], az = poses[a + 5], aw = poses[a + 6];
      const bx = -bind[b + 3], by = -bind[b + 4], bz = -bind[b + 5], bw = bind[b + 6];
      const x = aw * bx + ax * bw + ay * bz - az * by, y = aw * by - ax * bz + ay * bw + az * bx;
      const z = aw * bz + ax * by - ay * bx + az * bw, w = aw * bw - ax * bx - ay * by - az * bz;
      const px = bind[b], py = bind[b + 1], pz = bind[b + 2];
      const cx = y * pz - z * py + w * px, cy = z * px - x * pz + w * py, cz = x * py - y * px + w * pz;
      const tx = poses[a] * unit - (px + 2 * (y * cz - z * cy));
      const ty = poses[a + 1] * unit - (py + 2 * (z * cx - x * cz));
      const tz = poses[a + 2] * unit - (pz + 2 * (x * cy - y * cx));
      pose[o] = x;
      pose[o + 1] = y;
      pose[o + 2] = z;
      pose[o + 3] = w;
      pose[o + 4] = 0.5 * (tx * w + ty * z - tz * y);
      pose[o + 5] = 0.5 * (-tx * z + ty * w + tz * x);
      pose[o + 6] = 0.5 * (tx * y - ty * x + tz * w);
      pose[o + 7] = 0.5 * (-tx * x - ty * y - tz * z);
    }
  }

  dispose() {
    for (const mesh of this.meshes) {
      this.scene.remove(mesh);
      mesh.geometry.dispose();
      mesh.material.dispose();
      mesh.customDepthMaterial.dispose();
    }
    this.texture.dispose();
  }
}
