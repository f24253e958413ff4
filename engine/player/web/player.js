// One player: a canvas, a time line, controls, and what is said beside the picture. A scene knows what to draw.

import { element, sized } from "./dom.js";
import { Theme, View } from "./view.js";

const SPEEDS = [1 / 128, 1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4];
const MAX_NEWS = 6, TAP_PIXELS = 6;
const MIN_SECONDS = 2; // a shorter run begins in slow motion

export class Player {
  constructor(root, scene, title) {
    this.root = root;
    this.scene = scene;
    this.time = 0; // in steps
    this.isPlaying = this.isLooping = false;
    this.view = new View(scene.home, scene.margin);
    this.part = (name) => root.querySelector(`[data-part="${name}"]`);
    this.canvas = this.part("canvas");
    this.track = this.part("track");
    this.theme = new Theme(root, () => this.refresh((this.shownStep = -1)));
    this.part("title").textContent = title;
    this.#connectButtons();
    this.#connectPointer();
    this.#connectTrack();
    root.addEventListener("keydown", (event) => this.key(event));
    this.isResized = true; // to ask for the sizes in every frame would cost a layout each
    for (const part of [this.canvas.parentElement, this.track]) new ResizeObserver(() => this.refresh((this.isResized = true))).observe(part);
    this.last = performance.now();
    this.shownStep = -1;
    requestAnimationFrame((now) => this.#frame(now));
  }

  get step() {
    return this.scene.stepAt(this.time);
  }

  seek(time) {
    this.time = Math.min(Math.max(time, 0), this.scene.steps);
    this.refresh();
  }

  stepBy(n) {
    this.play(false);
    this.seek(n > 0 ? Math.floor(this.time + 1e-9) + n : Math.ceil(this.time - 1e-9) + n);
    this.#noteAddress();
  }

  play(isPlaying = !this.isPlaying) {
    if (isPlaying && this.time >= this.scene.steps) this.time = 0;
    if (this.isPlaying && !isPlaying) this.#noteAddress();
    this.isPlaying = isPlaying;
    this.part("play").setAttribute("aria-pressed", String(isPlaying));
    this.part("play").setAttribute("aria-label", isPlaying ? "Pause" : "Play");
    this.refresh();
  }

  refresh() {
    this.isStale = true;
  }

  // #t=3.2 opens a page at 3.2 s; it follows where the player is paused.
  openAddress() {
    const seconds = parseFloat(new URLSearchParams(location.hash.slice(1)).get("t"));
    if (Number.isFinite(seconds)) this.seek(Math.round(seconds / this.scene.seconds));
    return Number.isFinite(seconds);
  }

  #noteAddress() {
    if (!this.hasAddress || location.protocol === "about:") return;
    const seconds = this.scene.seconds * Math.round(this.time);
    history.replaceState(null, "", `#t=${+seconds.toFixed(4)}`);
  }

  #frame(now) {
    const elapsed = Math.min(Math.max((now - this.last) / 1000, 0), 0.1);
    this.last = now;
    if (this.isPlaying) {
      this.time += (elapsed * this.speed) / this.scene.seconds;
      if (this.time >= this.scene.steps) {
        this.time = this.isLooping ? 0 : this.scene.steps;
        if (!this.isLooping) this.play(false);
      }
      this.isStale = true;
    }
    if (this.isStale) {
      this.isStale = false;
      this.draw();
    }
    requestAnimationFrame((later) => this.#frame(later));
  }

  draw() {
    const step = this.step;
    if (step !== this.shownStep) {
      this.shownStep = step;
      this.scene.show?.(step, this);
      this.write("readout", this.scene.readout(step).map(([text, color]) => element("p", text, color)));
      this.write("news", this.scene.news(step, MAX_NEWS).map(({ text, step: at }) => this.#link(text, at)));
    }
    if (this.isResized) {
      this.isResized = false;
      this.view.size = sized(this.canvas);
      this.trackSize = sized(this.track);
    }
    this.view.fit();
    const ctx = this.canvas.getContext("2d");
    ctx.save();
    ctx.scale(devicePixelRatio, devicePixelRatio);
    this.scene.draw(ctx, this.view, this.time, this.theme);
    ctx.restore();
    this.#drawTrack();
    this.part("clock").textContent = this.scene.clock(step, this.time);
    this.part("count").textContent = this.scene.count(step);
    this.#describe();
  }

  write(name, children) {
    const part = this.part(name);
    part.replaceChildren(...children);
    part.hidden = !children.length;
  }

  #link(text, step) {
    const button = element("button", text);
    button.addEventListener("click", () => {
      this.play(false);
      this.seek(step);
      this.#noteAddress();
    });
    return button;
  }

  #drawTrack() {
    const [width, height] = this.trackSize, ctx = this.track.getContext("2d"), steps = Math.max(this.scene.steps, 1);
    const place = (step) => 8 + ((width - 16) * step) / steps, middle = height - 12;
    ctx.save();
    ctx.scale(devicePixelRatio, devicePixelRatio);
    ctx.clearRect(0, 0, width, height);
    const bar = (from, to, color, thick) => {
      ctx.strokeStyle = this.theme.color(color);
      ctx.lineWidth = thick;
      ctx.lineCap = "round";
      ctx.beginPath();
      ctx.moveTo(from, middle);
      ctx.lineTo(Math.max(to, from), middle);
      ctx.stroke();
    };
    bar(place(0), place(steps), "panel-edge", 4);
    bar(place(0), place(this.time), "accent", 4);
    for (const { step, height: share, color } of this.scene.marks) {
      ctx.fillStyle = this.theme.color(color);
      ctx.fillRect(Math.round(place(step)), middle - 5 - share * (middle - 6), 1, share * (middle - 6));
    }
    ctx.fillStyle = this.theme.color("accent");
    ctx.beginPath();
    ctx.arc(place(this.time), middle, 7, 0, 2 * Math.PI);
    ctx.fill();
    ctx.restore();
    this.track.setAttribute("aria-valuemax", this.scene.steps);
    this.track.setAttribute("aria-valuenow", this.step);
  }

  #describe() {
    const tip = this.part("tip"), lines = this.pointed && this.scene.describe(this.pointed, this.view, this.time);
    tip.hidden = !lines;
    if (!lines) return;
    tip.replaceChildren(...lines.map((line, k) => element(k ? "p" : "strong", line)));
    const [x, y] = this.pointed, [width, height] = this.view.size;
    tip.style.left = `${Math.max(Math.min(x + 14, width - tip.offsetWidth - 6), 6)}px`;
    tip.style.top = `${y + 18 + tip.offsetHeight > height ? Math.max(y - tip.offsetHeight - 10, 6) : y + 18}px`;
  }

  #connectButtons() {
    const actions = {
      start: () => this.stepBy(-this.scene.steps), back: () => this.stepBy(-1), play: () => this.play(), forward: () => this.stepBy(1),
      loop: () => this.#loop(), fit: () => this.#fit(), closer: () => this.#zoom(1.25), farther: () => this.#zoom(0.8),
    };
    for (const [name, act] of Object.entries(actions)) this.part(name).addEventListener("click", act);
    this.actions = actions;
    const speeds = this.part("speed"), seconds = this.scene.steps * this.scene.seconds;
    this.speed = this.scene.speeds ? 1 : SPEEDS.findLast((speed) => speed <= 1 && seconds / speed >= MIN_SECONDS) ?? SPEEDS[0];
    for (const speed of this.scene.speeds ?? SPEEDS) {
      const words = this.scene.speedWords?.(speed) ?? (speed < 1 ? `1/${1 / speed}` : `${speed}`) + "×";
      speeds.append(new Option(words, speed, speed === this.speed, speed === this.speed));
    }
    speeds.addEventListener("change", () => (this.speed = Number(speeds.value)));
    const layers = this.part("layers");
    this.boxes = (this.scene.layerNames ?? []).map(([name, title], k) => {
      const line = element("label", ` ${title}`), box = Object.assign(document.createElement("input"), { type: "checkbox" });
      box.checked = this.scene.layers[name];
      box.addEventListener("change", () => this.#layer(k, box.checked));
      line.prepend(box);
      line.title = `Key ${k < 10 ? (k + 1) % 10 : "D"}`;
      layers.append(line);
      return box;
    });
    this.part("layer-menu").hidden = !this.boxes.length;
  }

  #layer(k, isOn) {
    this.scene.layers[this.scene.layerNames[k][0]] = this.boxes[k].checked = isOn;
    this.refresh();
  }

  #loop() {
    this.isLooping = !this.isLooping;
    this.part("loop").setAttribute("aria-pressed", String(this.isLooping));
  }

  #fit() {
    this.view.reset();
    this.refresh();
  }

  #zoom(factor) {
    this.view.zoomAt(this.view.size.map((side) => side / 2), factor);
    this.refresh();
  }

  key(event) {
    if (event.defaultPrevented) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select")) return;
    const far = event.shiftKey ? 10 : 1, onButton = event.target.matches("button, input, summary");
    const keys = {
      " ": () => this.play(), ArrowLeft: () => this.stepBy(-far), ArrowRight: () => this.stepBy(far), ",": () => this.stepBy(-1), ".": () => this.stepBy(1),
      Home: () => this.stepBy(-this.scene.steps), End: () => this.stepBy(this.scene.steps), l: () => this.#loop(), f: () => this.#fit(),
      "+": () => this.#zoom(1.25), "=": () => this.#zoom(1.25), "-": () => this.#zoom(0.8), "[": () => this.#faster(-1), "]": () => this.#faster(1),
      Escape: () => this.#point(null),
    };
    const layer = event.key === "d" ? 10 : /^[0-9]$/.test(event.key) ? (Number(event.key) + 9) % 10 : -1;
    if (layer >= 0 && layer < this.boxes.length) this.#layer(layer, !this.boxes[layer].checked);
    else if (this.scene.key?.(event.key, this)) this.refresh();
    else if (keys[event.key] && !(event.key === " " && onButton)) keys[event.key]();
    else return;
    event.preventDefault();
  }

  #faster(n) {
    const speeds = this.part("speed");
    speeds.selectedIndex = Math.min(Math.max(speeds.selectedIndex + n, 0), speeds.options.length - 1);
    this.speed = Number(speeds.value);
  }

  #point(place) {
    this.pointed = place;
    this.refresh();
  }

  // A mouse hovers, drags and turns its wheel; a finger taps and drags; two fingers pinch.
  #connectPointer() {
    const down = new Map(), place = (event) => {
      const box = this.canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    let moved = 0;
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      this.canvas.focus({ preventScroll: true });
      if (!down.size) moved = 0;
      down.set(event.pointerId, place(event));
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const now = place(event), before = down.get(event.pointerId);
      if (!before) {
        if (event.pointerType === "mouse") this.#point(now);
        return;
      }
      const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
      moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
      if (other) {
        const apart = (point) => Math.max(Math.hypot(point[0] - other[0], point[1] - other[1]), 1);
        this.view.zoomAt(other, apart(now) / apart(before));
      } else if (moved > TAP_PIXELS || event.pointerType === "mouse") this.view.pan(now[0] - before[0], now[1] - before[1]);
      down.set(event.pointerId, now);
      if (moved > TAP_PIXELS) this.#point(null);
      this.refresh();
    });
    const up = (event) => {
      if (down.delete(event.pointerId) && moved <= TAP_PIXELS && event.type === "pointerup") {
        if (!this.scene.click?.(place(event), this)) this.#point(place(event));
      }
    };
    this.canvas.addEventListener("pointerup", up);
    this.canvas.addEventListener("pointercancel", up);
    this.canvas.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.#point(null));
    this.canvas.addEventListener("dblclick", () => this.#fit());
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.view.zoomAt(place(event), 2 ** (-event.deltaY / (event.deltaMode ? 10 : 300)));
      this.refresh();
    }, { passive: false });
  }

  #connectTrack() {
    const scrub = (event) => {
      const box = this.track.getBoundingClientRect();
      this.seek(Math.round((this.scene.steps * (event.clientX - box.left - 8)) / (box.width - 16)));
    };
    this.track.addEventListener("pointerdown", (event) => {
      this.track.setPointerCapture(event.pointerId);
      this.play(false);
      scrub(event);
    });
    this.track.addEventListener("pointermove", (event) => this.track.hasPointerCapture(event.pointerId) && scrub(event));
    this.track.addEventListener("pointerup", () => this.#noteAddress());
  }
}
