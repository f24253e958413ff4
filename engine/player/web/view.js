// The part of the plane that a canvas shows, and the colors of the reader's theme.

const MIN_SCALE = 1e-3, MAX_SCALE = 1e7; // pixels per meter
export const TURN = 2 * Math.PI;

export class View {
  constructor(home, margin = 0.05) {
    this.home = home;
    this.margin = margin; // share of the size
    this.size = [1, 1];
    this.reset();
  }

  reset() {
    this.zoom = 1;
    this.middle = [(this.home[0] + this.home[2]) / 2, (this.home[1] + this.home[3]) / 2];
    this.fit();
  }

  // Compute the scale, pixels per meter; to be called when home, size or zoom changed.
  fit() {
    const [left, bottom, right, top] = this.home;
    const fit = Math.min(this.size[0] / Math.max(right - left, 1e-9), this.size[1] / Math.max(top - bottom, 1e-9));
    this.scale = Math.min(Math.max(fit * (1 - this.margin) * this.zoom, MIN_SCALE), MAX_SCALE);
  }

  toScreen([x, y]) {
    return [this.size[0] / 2 + (x - this.middle[0]) * this.scale, this.size[1] / 2 - (y - this.middle[1]) * this.scale];
  }

  toPlane([x, y]) {
    return [this.middle[0] + (x - this.size[0] / 2) / this.scale, this.middle[1] - (y - this.size[1] / 2) / this.scale];
  }

  zoomAt(point, factor) {
    const before = this.toPlane(point);
    this.zoom *= factor;
    this.fit();
    const after = this.toPlane(point);
    this.middle = [this.middle[0] + before[0] - after[0], this.middle[1] + before[1] - after[1]];
  }

  pan(dx, dy) {
    this.middle = [this.middle[0] - dx / this.scale, this.middle[1] + dy / this.scale];
  }
}

// The colors of engine/render/palette.py, which the page has as custom properties, for dark and light.
export class Theme {
  constructor(root, onChange) {
    const query = matchMedia("(prefers-color-scheme: light)");
    const read = () => {
      this.isLight = query.matches;
      this.style = getComputedStyle(root);
      this.known = new Map();
    };
    read();
    query.addEventListener("change", () => {
      read();
      onChange();
    });
  }

  color(name) {
    if (!this.known.has(name)) this.known.set(name, this.style.getPropertyValue(`--${name}`).trim());
    return this.known.get(name);
  }

  // A color with some of it replaced by the background, as fills are.
  fill(color, share) {
    const key = `${color} ${share}`;
    if (!this.known.has(key)) this.known.set(key, mixed(this.color("background"), color, share));
    return this.known.get(key);
  }
}

function mixed(from, to, share) {
  const parts = (color) => [1, 3, 5].map((k) => parseInt(color.slice(k, k + 2), 16));
  const [a, b] = [parts(from), parts(to)];
  return `rgb(${a.map((value, k) => Math.round(value * (1 - share) + b[k] * share)).join(" ")})`;
}

// The smallest 1, 2 or 5 times a power of ten that is not less than a number.
export function roundAbove(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((factor) => factor * power >= least * (1 - 1e-9)) ?? 10);
}

export function lengthWords(meters) {
  if (meters >= 0.1) return `${meters.toFixed(2)} m`;
  if (meters >= 1e-4) return `${(1e3 * meters).toFixed(2)} mm`;
  return meters >= 1e-7 ? `${(1e6 * meters).toFixed(1)} µm` : "< 0.1 µm";
}

export function drawBackdrop(ctx, view, theme) {
  const [width, height] = view.size, scale = view.scale, pitch = roundAbove(36 / scale);
  ctx.fillStyle = theme.color("background");
  ctx.fillRect(0, 0, width, height);
  const [left, top] = view.toPlane([0, 0]), [right, bottom] = view.toPlane([width, height]);
  ctx.lineWidth = 1;
  for (const [from, to, isX] of [[left, right, true], [bottom, top, false]]) {
    if (Math.max(Math.abs(from), Math.abs(to)) / pitch > 1e9) continue;
    for (let k = Math.ceil(from / pitch); k <= Math.floor(to / pitch); k++) {
      const [x, y] = view.toScreen([k * pitch, k * pitch]).map((value) => Math.round(value) + 0.5);
      ctx.strokeStyle = theme.color(k ? "grid" : "grid-axis");
      ctx.beginPath();
      ctx.moveTo(isX ? x : 0, isX ? 0 : y);
      ctx.lineTo(isX ? x : width, isX ? height : y);
      ctx.stroke();
    }
  }
}

export function drawScaleBar(ctx, view, theme) {
  const length = roundAbove(60 / view.scale), pixels = length * view.scale;
  const name = length >= 1 ? `${length} m` : length >= 0.01 ? `${+(100 * length).toPrecision(3)} cm` : `${+(1000 * length).toPrecision(3)} mm`;
  const right = Math.round(view.size[0] - 16) + 0.5, bottom = view.size[1] - 14.5;
  ctx.globalAlpha = 0.75;
  ctx.fillStyle = theme.color("background");
  ctx.fillRect(right - pixels - 6, bottom - 17, pixels + 12, 25);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = theme.color("caption");
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (const x of [right - pixels, right]) ctx.moveTo(x, bottom - 4), ctx.lineTo(x, bottom + 4);
  ctx.moveTo(right - pixels, bottom);
  ctx.lineTo(right, bottom);
  ctx.stroke();
  label(ctx, theme, name, [right - pixels / 2, bottom - 8], "caption", { size: 11, align: "center" });
}

export function label(ctx, theme, text, [x, y], color, { size = 12, align = "left", bold = false, plate = false } = {}) {
  ctx.font = fontOf(size, bold);
  ctx.textAlign = align;
  ctx.textBaseline = "middle";
  if (plate) {
    ctx.lineWidth = 4;
    ctx.lineJoin = "round";
    ctx.strokeStyle = theme.color("background");
    ctx.strokeText(text, x, y);
  }
  ctx.fillStyle = theme.color(color) || color;
  ctx.fillText(text, x, y);
}

// The texts of a picture, none of which lies over another: each is broken where there is no room and moved by whole lines, downwards or, for
// a `grow` of -1, upwards; one that is not bold and finds its place taken is left out.
export class Labels {
  constructor(ctx, theme, view) {
    Object.assign(this, { ctx, theme, view, taken: [] });
  }

  add(text, [x, y], color, { width = Infinity, grow = 1, ...style }) {
    const { size = 12, align = "left", bold = false } = style, height = 1.25 * size, across = this.view.size[0], { ctx, taken } = this;
    const room = Math.min(width, { left: across - x, right: x, center: 2 * Math.min(x, across - x) }[align] - 4);
    ctx.font = fontOf(size, bold);
    const boxes = (room > 6 * size ? broken(ctx, text, room) : [text]).map((line, k, lines) => {
      const wide = ctx.measureText(line).width, left = x - wide * { left: 0, right: 1, center: 0.5 }[align];
      return { line, left, wide, top: y + height * (grow > 0 ? k : k - lines.length + 1) };
    });
    const over = (one, other) => one.left < other.left + other.wide + 4 && other.left < one.left + one.wide + 4 && Math.abs(one.top - other.top) < 0.9 * height;
    const isFree = () => !boxes.some((box) => taken.some((other) => over(box, other)));
    const move = (right, down) => boxes.forEach((box) => ([box.left, box.top] = [box.left + right, box.top + down * grow * height]));
    const name = bold || align !== "left" ? undefined : taken.find((other) => other.left < x && over(other, boxes[0]));
    const shift = name ? name.left + name.wide + 6 - x : 0; // of a caption behind a name that is wider in this typeface
    if (shift < 4 * size) move(shift, 0);
    if (!bold && !isFree()) move(0, 1 - boxes.length); // its last line is where its first was
    if (!bold && !isFree()) return;
    for (let moved = 0; moved < 4 && !isFree(); moved++) move(0, 1);
    taken.push(...boxes);
    for (const { line, left, top } of boxes) label(ctx, this.theme, line, [left, top], color, { ...style, align: "left" });
  }
}

// A text in lines of at most a width, as far as its words allow.
const broken = (ctx, text, width) => text.split(" ").reduce((lines, word) => {
  const longer = `${lines.at(-1)} ${word}`;
  return lines.length && ctx.measureText(longer).width <= width ? [...lines.slice(0, -1), longer] : [...lines, word];
}, []);

const fontOf = (size, bold) => `${bold ? 600 : 400} ${size}px system-ui, sans-serif`;

export function stroke({ ctx }, lines, color, width) {
  ctx.strokeStyle = color;
  ctx.lineWidth = width;
  ctx.beginPath();
  for (const [from, to] of lines) ctx.moveTo(...from), ctx.lineTo(...to);
  ctx.stroke();
}

// Arrows from places in pixels along vectors in pixels, y up.
export function arrows(frame, places, vectors, color, width = 1.5, longestHead = 5) {
  const tips = places.map(([x, y], k) => [x + vectors[k][0], y - vectors[k][1]]);
  stroke(frame, places.map((from, k) => [from, tips[k]]), color, width);
  const { ctx } = frame;
  ctx.fillStyle = color;
  ctx.beginPath();
  tips.forEach(([x, y], k) => {
    const length = Math.hypot(...vectors[k]), head = Math.min(longestHead, 0.6 * length);
    if (!(length > 0)) return;
    const [ux, uy] = [vectors[k][0] / length, -vectors[k][1] / length];
    ctx.moveTo(x, y);
    ctx.lineTo(x - head * ux - 0.5 * head * uy, y - head * uy + 0.5 * head * ux);
    ctx.lineTo(x - head * ux + 0.5 * head * uy, y - head * uy - 0.5 * head * ux);
  });
  ctx.fill();
}
