// The time of a step, beside the line of two milliseconds: bars of the last frames, and their median.

const BARS = 90, BUDGET = 2;

export class Meter {
  constructor(canvas, label) {
    this.canvas = canvas;
    this.label = label;
    this.times = [];
    this.shown = 0;
  }

  add(milliseconds) {
    this.times.push(milliseconds);
    if (this.times.length > BARS) this.times.shift();
  }

  clear() {
    this.times.length = 0;
  }

  get median() {
    // Browsers round their clock to a tenth or so: the mean of the middle half is finer than the middle one.
    const sorted = [...this.times].sort((a, b) => a - b), quarter = sorted.length >> 2;
    const middle = sorted.slice(quarter, sorted.length - quarter);
    return middle.reduce((sum, t) => sum + t, 0) / Math.max(middle.length, 1);
  }

  draw(now, text) {
    if (now - this.shown < 120) return;
    this.shown = now;
    const { canvas } = this, ratio = devicePixelRatio || 1, style = getComputedStyle(canvas);
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const pen = canvas.getContext("2d"), most = Math.max(2 * BUDGET, 2 * this.median), bar = width / BARS;
    pen.clearRect(0, 0, width, height);
    this.times.forEach((time, i) => {
      pen.fillStyle = style.getPropertyValue(time <= BUDGET ? "--accent" : "--warn");
      const tall = Math.min(Math.max(time / most * height, ratio), height);
      pen.fillRect(i * bar, height - tall, Math.max(bar - ratio, ratio), tall);
    });
    pen.fillStyle = style.getPropertyValue("--quiet");
    pen.fillRect(0, height * (1 - BUDGET / most), width, ratio);
    this.label.textContent = text(this.median);
  }
}
