// The camera: behind the character, turned by hand, and slowly by walking sideways.
import * as THREE from "three";
import { clamp, wrap } from "./vectors.js";
import { heightAt } from "./ground.js";

export class View {
  constructor() {
    this.camera = new THREE.PerspectiveCamera(45, 1, 0.1, 400);
    this.yaw = 0;
    this.pitch = 0.26;
    this.away = 4.6;
    this.at = new THREE.Vector3();
    this.touched = 0; // seconds since a hand turned it
  }

  turn(yaw, pitch) {
    if (yaw || pitch) this.touched = 0;
    this.yaw = wrap(this.yaw + yaw);
    this.pitch = clamp(this.pitch + pitch, -0.25, 1.35);
  }

  zoom(factor) {
    this.away = clamp(this.away * factor, 1.6, 40);
  }

  /** Follows a body of that height at `root`; `side` is the stick's. */
  follow(root, tall, side, seconds, jumped) {
    this.touched += seconds;
    if (this.touched > 0.6) this.yaw = wrap(this.yaw - side * 0.75 * seconds);
    const to = new THREE.Vector3(root[0], root[1] + tall * 0.62, root[2]);
    const glide = jumped ? 1 : 1 - Math.exp(-seconds * 9), rise = jumped ? 1 : 1 - Math.exp(-seconds * 5);
    this.at.x += (to.x - this.at.x) * glide;
    this.at.z += (to.z - this.at.z) * glide;
    this.at.y += (to.y - this.at.y) * rise;
    const away = this.away * clamp(tall / 1.6, 0.62, 1.2), flat = away * Math.cos(this.pitch);
    const eye = this.camera.position;
    eye.set(this.at.x - Math.sin(this.yaw) * flat, this.at.y + away * Math.sin(this.pitch), this.at.z - Math.cos(this.yaw) * flat);
    eye.y = Math.max(eye.y, heightAt(eye.x, eye.z) + 0.25);
    this.camera.lookAt(this.at);
  }
}
