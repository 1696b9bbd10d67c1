// The page: time, buttons, keys and the panel of the picked character.
// The address may carry a start, for links and tests: #t=3.5&pick=2&paused=1&theme=light&yaw=1&pitch=0.3&zoom=0.8

const element = (id) => document.getElementById(id);

class Player {
  constructor(recording) {
    this.recording = recording;
    this.canvas = element("view");
    this.camera = new Camera(recording);
    this.seconds = 0;
    this.speed = 1;
    this.playing = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.picked = -1;
    this.paths = this.contacts = true;
    this.theme = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
    this.jumped = true;
    this.readAddress();
    this.scene = this.makeScene();
    this.buildList();
    this.bind();
    this.applyTheme();
    this.pick(this.picked);
    this.last = performance.now();
    this.wake();
    requestAnimationFrame((now) => this.frame(now));
  }

  // #flat=1 asks for the plain drawing, for tests.
  makeScene() {
    if (!new URLSearchParams(location.hash.slice(1)).has("flat")) {
      try {
        return new Scene(this.canvas, this.recording);
      } catch (error) {
        console.warn(`${error.message}: drawing without it`);
      }
    }
    return new FlatScene(this.canvas, this.recording);
  }

  readAddress() {
    const given = new URLSearchParams(location.hash.slice(1)), number = (name, or) =>
      given.has(name) && Number.isFinite(+given.get(name)) ? +given.get(name) : or;
    this.seconds = clamp(number("t", 0), 0, this.recording.seconds);
    this.picked = clamp(Math.round(number("pick", 0)), 0, this.recording.count) - 1;
    this.playing = given.has("paused") ? number("paused", 0) === 0 : this.playing;
    this.theme = ["light", "dark"].includes(given.get("theme")) ? given.get("theme") : this.theme;
    this.camera.yaw = number("yaw", this.camera.yaw);
    this.camera.pitch = clamp(number("pitch", this.camera.pitch), -0.05, 1.5);
    this.camera.zoom = clamp(number("zoom", 1), 0.15, 6);
  }

  buildList() {
    this.labels = this.recording.characters.map((character, i) => {
      const item = document.createElement("button"), label = document.createElement("span");
      item.type = "button";
      item.className = "chip";
      item.style.setProperty("--own", paletteColour(i));
      item.innerHTML = "<b></b><span></span>";
      item.firstChild.textContent = i + 1;
      item.lastChild.textContent = character.name;
      item.addEventListener("click", () => this.pick(this.picked === i ? -1 : i));
      element("cast").append(item);
      label.className = "tag";
      label.textContent = i + 1;
      label.style.setProperty("--own", paletteColour(i));
      element("tags").append(label);
      return { item, label };
    });
  }

  bind() {
    const click = (id, act) => element(id).addEventListener("click", act);
    click("play", () => this.play(!this.playing));
    click("back", () => this.step(-1));
    click("forth", () => this.step(1));
    click("paths", () => this.toggle("paths"));
    click("contacts", () => this.toggle("contacts"));
    click("theme", () => this.switchTheme());
    click("home", () => this.home());
    click("help", () => this.help());
    click("shut", () => this.help(false));
    element("speed").addEventListener("change", (event) => { this.speed = +event.target.value; });
    const scrub = element("scrub");
    scrub.max = this.recording.frames - 1;
    scrub.addEventListener("input", () => this.seek(+scrub.value / this.recording.rate));
    watchPointers(this.canvas, this.camera, (x, y) => this.pickAt(x, y), () => this.wake());
    for (const kind of ["pointerdown", "pointerup", "keydown", "input", "click", "resize"]) {
      addEventListener(kind, () => this.wake());
    }
    addEventListener("keydown", (event) => this.key(event));
    matchMedia("(prefers-color-scheme: light)").addEventListener("change", (event) => {
      this.theme = event.matches ? "light" : "dark";
      this.applyTheme();
      this.wake();
    });
  }

  // Drawing stops when nothing plays and nothing was touched for as long as the camera glides.
  wake() {
    this.awake = performance.now() + 2000;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    const onButton = event.target.tagName === "BUTTON", jump = event.shiftKey ? 10 : 1;
    const acts = {
      " ": () => this.play(!this.playing), ArrowLeft: () => this.step(-jump), ArrowRight: () => this.step(jump),
      ArrowUp: () => this.camera.turn(0, 12), ArrowDown: () => this.camera.turn(0, -12),
      Home: () => this.seek(0), End: () => this.seek(this.recording.seconds),
      "+": () => this.camera.scaleBy(0.9), "=": () => this.camera.scaleBy(0.9), "-": () => this.camera.scaleBy(1.1),
      a: () => this.camera.turn(14, 0), d: () => this.camera.turn(-14, 0),
      w: () => this.camera.turn(0, 12), s: () => this.camera.turn(0, -12),
      t: () => this.toggle("paths"), c: () => this.toggle("contacts"), l: () => this.switchTheme(),
      f: () => this.pick(this.picked < 0 ? 0 : -1), Escape: () => this.escape(), 0: () => this.pick(-1),
      r: () => this.home(), n: () => this.pick((this.picked + 1) % this.recording.count), "?": () => this.help(),
      h: () => this.help(),
    };
    const act = event.key >= "1" && event.key <= "9" && +event.key <= this.recording.count
      ? () => this.pick(+event.key - 1) : acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || (onButton && event.key === " ")) return;
    event.preventDefault();
    act();
  }

  play(on) {
    if (on && this.seconds >= this.recording.seconds) this.seek(0);
    this.playing = on;
    element("play").setAttribute("aria-label", on ? "Pause" : "Play");
    document.body.classList.toggle("playing", on);
  }

  seek(seconds) {
    this.seconds = clamp(seconds, 0, this.recording.seconds);
    this.jumped = true;
  }

  step(frames) {
    this.play(false);
    this.seek((Math.round(this.seconds * this.recording.rate) + frames) / this.recording.rate);
  }

  toggle(name) {
    this[name] = !this[name];
    element(name).setAttribute("aria-pressed", this[name]);
  }

  switchTheme() {
    this.theme = this.theme === "dark" ? "light" : "dark";
    this.applyTheme();
  }

  applyTheme() {
    document.documentElement.dataset.theme = this.theme;
  }

  home() {
    this.camera.reset();
    this.jumped = true;
  }

  help(on = element("keys").hidden) {
    element("keys").hidden = !on;
    element("help").setAttribute("aria-expanded", on);
    (on ? element("shut") : element("help")).focus();
  }

  escape() {
    if (!element("keys").hidden) this.help(false);
    else this.pick(-1);
  }

  pick(character) {
    this.picked = character;
    this.camera.offset = [0, 0, 0];
    this.labels.forEach(({ item, label }, i) => {
      item.setAttribute("aria-pressed", i === character);
      label.classList.toggle("picked", i === character);
    });
    element("panel").hidden = character < 0;
    document.body.classList.toggle("following", character >= 0);
    if (character >= 0) element("who").textContent = `${character + 1}  ${this.recording.characters[character].name}`;
  }

  // The character whose nearest joint is within reach of the click; none: all are followed again.
  pickAt(x, y) {
    let best = 38, found = -1;
    const box = this.canvas.getBoundingClientRect();
    this.moment.poses.forEach((pose, i) => {
      for (let j = 0; j < this.recording.jointCount; j++) {
        const p = this.onPage(jointAt(pose, j)), away = Math.hypot(p[0] - (x - box.left), p[1] - (y - box.top));
        if (p[2] > 0 && away < best) [best, found] = [away, i];
      }
    });
    this.pick(found);
  }

  onPage(p) {
    const q = project(this.moment.view, p);
    return [(q[0] + 1) / 2 * this.canvas.clientWidth, (1 - q[1]) / 2 * this.canvas.clientHeight, q[3]];
  }

  resize() {
    const ratio = Math.min(devicePixelRatio || 1, 2), { canvas } = this;
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    return Math.max(width, 1) / Math.max(height, 1);
  }

  frame(now) {
    const elapsed = Math.min(Math.max(now - this.last, 0) / 1000, 0.1); // a first frame may have begun before the page
    this.last = now;
    requestAnimationFrame((next) => this.frame(next));
    if (!this.playing && now > this.awake) return;
    if (this.playing) {
      this.seconds += elapsed * this.speed;
      if (this.seconds > this.recording.seconds) {
        this.seconds = 0;
        this.jumped = true;
      }
    }
    const aspect = this.resize();
    this.camera.follow(this.seconds, this.picked, elapsed, this.jumped);
    this.jumped = false;
    this.moment = momentOf(this.recording, {
      seconds: this.seconds, picked: this.picked, paths: this.paths, contacts: this.contacts,
      camera: this.camera.at(aspect),
    }, THEMES[this.theme]);
    this.scene.draw(this.moment, THEMES[this.theme]);
    this.showTime();
    this.showTags();
    if (this.picked >= 0) this.showPanel();
  }

  showTime() {
    const frame = Math.round(this.seconds * this.recording.rate), scrub = element("scrub");
    scrub.value = frame;
    scrub.style.setProperty("--done", `${100 * frame / Math.max(this.recording.frames - 1, 1)}%`);
    element("time").textContent = `${this.seconds.toFixed(2)} s`;
  }

  showTags() {
    this.labels.forEach(({ label }, i) => {
      const pose = this.moment.poses[i];
      let top = [0, -1e9, 0];
      for (let j = 0; j < this.recording.jointCount; j++) if (pose[3 * j + 1] > top[1]) top = jointAt(pose, j);
      const [x, y, depth] = this.onPage(add(top, [0, this.recording.tall * 0.17, 0]));
      label.hidden = depth <= 0;
      label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -100%)`;
    });
  }

  showPanel() {
    const when = this.recording.between(this.seconds), state = this.recording.state(this.picked, when);
    const degrees = Math.round(state.facing * 360 / TURN), turned = ((degrees + 180) % 360 + 360) % 360 - 180;
    element("pace").textContent = state.speed.toFixed(2);
    element("facing").textContent = `${turned}°`;
    element("phase").style.setProperty("--turn", `${state.phase}rad`);
    element("stick").style.setProperty("--x", state.moveX);
    element("stick").style.setProperty("--y", -state.moveY);
    const flags = ["run", "strafe", "crouch", "jump"].filter((name) => state[name] > 0.05);
    element("flags").textContent = flags.join(" + ") || "walk";
    const feet = element("feet");
    if (feet.childElementCount !== this.recording.contactJoints.length) {
      feet.replaceChildren(...this.recording.contactJoints.map((joint) => {
        const foot = document.createElement("i");
        foot.title = this.recording.joints[joint].name;
        return foot;
      }));
    }
    [...feet.children].forEach((foot, i) =>
      foot.style.setProperty("--on", this.recording.contact(this.picked, when, i).toFixed(2)));
  }
}

function start() {
  const recording = new Recording(JSON.parse(element("recording").textContent));
  document.title = recording.title;
  element("title").textContent = recording.title;
  element("subtitle").textContent = recording.subtitle;
  try {
    const player = new Player(recording);
    player.play(player.playing);
  } catch (error) {
    element("sorry").hidden = false;
    element("why").textContent = error.message;
  }
}

start();
