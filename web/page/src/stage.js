// Renderer, light and colours, by theme; and how much of the screen's resolution, and how many fine bodies, there is time for.
import * as THREE from "three";
import { clamp } from "./vectors.js";
import { Ground } from "./ground.js";

const THEMES = {
  light: { sky: 0xe9edf1, ground: 0xd9dee3, line: 0xb4bdc8, above: 0xffffff, below: 0xb9c0c8, ambient: 1.5, sun: 0xfff3df, strength: 2.4 },
  dark: { sky: 0x161b24, ground: 0x2b3340, line: 0x465365, above: 0xaebfda, below: 0x1c222c, ambient: 1.35, sun: 0xffe9cf, strength: 2.7 },
};
const SLOW = 1 / 26, FAST = 1 / 50; // seconds of a frame that cost resolution and fine bodies, or allow more
const FINE_MOST = 40;

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.scene = new THREE.Scene();
    this.scene.fog = new THREE.Fog(0, 14, 60);
    this.sky = new THREE.HemisphereLight();
    this.sun = new THREE.DirectionalLight();
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.normalBias = 0.025;
    this.scene.add(this.sky, this.sun, this.sun.target);
    this.ground = new Ground(this.scene);
    this.ratio = Math.min(devicePixelRatio || 1, 2);
    this.least = Math.min(0.6, this.ratio);
    this.fine = 1; // bodies that are drawn fine: the player's at the start
    this.pace = 1 / 60;
    this.settled = 0;
  }

  theme(name) {
    const colours = THEMES[name];
    document.documentElement.dataset.theme = name;
    this.scene.background = new THREE.Color(colours.sky);
    this.scene.fog.color.set(colours.sky);
    this.sky.color.set(colours.above);
    this.sky.groundColor.set(colours.below);
    this.sky.intensity = colours.ambient;
    this.sun.color.set(colours.sun);
    this.sun.intensity = colours.strength;
    this.ground.colour(colours.ground, colours.line);
  }

  /** After a frame of that many: fewer pixels and fine bodies where frames take long, more again where they do not. */
  adapt(seconds) {
    this.pace += (Math.min(seconds, 0.25) - this.pace) * 0.05;
    this.settled += seconds;
    if (this.settled < 0.8) return;
    const most = Math.min(devicePixelRatio || 1, 2), slow = this.pace > SLOW, fast = this.pace < FAST;
    const ratio = clamp(slow ? this.ratio * 0.8 : fast ? this.ratio * 1.15 : this.ratio, this.least, most);
    const fine = clamp(slow ? this.fine >> 1 : fast ? 2 * this.fine : this.fine, 1, FINE_MOST);
    if (Math.abs(ratio - this.ratio) > 0.01 || fine !== this.fine) {
      Object.assign(this, { ratio, fine });
      this.settled = 0;
    }
  }

  draw(view, seconds) {
    const { canvas, renderer, sun } = this, width = canvas.clientWidth, height = canvas.clientHeight;
    this.adapt(seconds);
    if (this.width !== width || this.height !== height || this.drawn !== this.ratio) {
      Object.assign(this, { width, height, drawn: this.ratio });
      renderer.setPixelRatio(this.ratio);
      renderer.setSize(width, height, false);
      view.camera.aspect = width / Math.max(height, 1);
      view.camera.fov = clamp(45 / Math.min(view.camera.aspect, 1) ** 0.6, 45, 68);
      view.camera.updateProjectionMatrix();
    }
    // The shadow's square follows in whole texels' steps, so that edges do not crawl.
    const reach = clamp(view.away * 2.2, 9, 32), { shadow } = sun, snap = 2 * reach / 2048 * 8;
    sun.target.position.set(Math.round(view.at.x / snap) * snap, Math.round(view.at.y / snap) * snap, Math.round(view.at.z / snap) * snap);
    sun.position.copy(sun.target.position).add(new THREE.Vector3(9, 17, -6));
    if (shadow.camera.right !== reach) {
      Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 1, far: 50 });
      shadow.camera.updateProjectionMatrix();
    }
    this.scene.fog.near = 14 + view.away;
    this.scene.fog.far = 60 + 2 * view.away;
    renderer.render(this.scene, view.camera);
  }
}
