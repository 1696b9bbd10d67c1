// The others: each wanders for some seconds towards somewhere, and steps aside for whoever is in its way. Metres.
import { clamp, wrap } from "./vectors.js";

const FAR = 34, BACK = 27; // who gets further than FAR goes home until it is BACK
const ROOM = 1.1; // around each other
const TURNS = 6; // frames until everybody has looked around

export class Others {
  constructor(random = Math.random) {
    this.random = random;
    this.all = [];
  }

  /** Places for newcomers: a spiral around the middle, the first ones ahead of the player. */
  place(i) {
    const angle = i < 12 ? 1.3 * Math.sin(i * 2.39996) : i * 2.39996, r = 2.6 + 0.86 * Math.sqrt(i);
    return { x: r * Math.sin(angle), z: r * Math.cos(angle), facing: 2 * Math.PI * this.random() - Math.PI };
  }

  join(facing) {
    this.all.push({ heading: facing, amount: 0, run: 0, until: this.random() * 2, home: false });
  }

  leave() {
    this.all.pop();
  }

  #decide(one, x, z, now) {
    const dice = this.random();
    one.until = now + 1.5 + 5 * this.random();
    one.amount = dice < 0.22 ? 0 : 0.7 + 0.3 * this.random();
    one.run = dice > 0.8 ? this.random() : 0;
    one.heading = wrap(one.heading + (this.random() - 0.5) * 2.6);
    one.x = x;
    one.z = z;
  }

  /**
   * Moves the sticks of a sixth of all. places [1 + others][2]: where everybody is, the player first; set(i, input) sets
   * other i's.
   */
  play(places, frame, now, set) {
    const grid = this.#grid(places);
    for (let i = frame % TURNS; i < this.all.length; i += TURNS) {
      const one = this.all[i], x = places[2 * (i + 1)], z = places[2 * (i + 1) + 1], r = Math.hypot(x, z);
      if (now > one.until) this.#decide(one, x, z, now);
      one.home = one.home ? r > BACK : r > FAR;
      if (one.home) {
        one.heading = Math.atan2(-x, -z);
        one.amount = Math.max(one.amount, 0.8);
      }
      const aside = this.#aside(grid, places, i + 1, x, z, one.heading);
      const heading = one.heading + aside.turn, amount = one.amount * aside.slow;
      set(i, { moveX: -amount * Math.sin(heading), moveY: amount * Math.cos(heading), run: aside.slow < 1 ? 0 : one.run });
    }
  }

  #grid(places) {
    const grid = new Map();
    for (let i = 0; 2 * i < places.length; i++) {
      const key = Math.floor(places[2 * i] / ROOM) * 4096 + Math.floor(places[2 * i + 1] / ROOM);
      const cell = grid.get(key);
      if (cell) cell.push(i);
      else grid.set(key, [i]);
    }
    return grid;
  }

  // A turn away from whoever stands ahead within ROOM, and how much slower.
  #aside(grid, places, self, x, z, heading) {
    const cx = Math.floor(x / ROOM), cz = Math.floor(z / ROOM), ahead = [Math.sin(heading), Math.cos(heading)];
    let turn = 0, slow = 1;
    for (let dx = -1; dx <= 1; dx++) {
      for (let dz = -1; dz <= 1; dz++) {
        for (const i of grid.get((cx + dx) * 4096 + cz + dz) ?? []) {
          const ox = places[2 * i] - x, oz = places[2 * i + 1] - z, away = Math.hypot(ox, oz), front = ox * ahead[0] + oz * ahead[1];
          if (i === self || away > ROOM || front < 0) continue;
          const side = ox * ahead[1] - oz * ahead[0]; // positive: on its left
          turn -= (side >= 0 ? 1 : -1) * 1.1 * (1 - away / ROOM);
          slow = Math.min(slow, clamp(away / ROOM, 0.35, 1));
        }
      }
    }
    return { turn: clamp(turn, -1.4, 1.4), slow };
  }
}
