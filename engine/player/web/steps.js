// Draws the steps of an algorithm as the window does (engine/render/marks.py, step_view.py): views, sentence, pseudo-code; and asks questions.

import { element, sized } from "./dom.js";
import { TURN, View, arrows, drawBackdrop, drawScaleBar, label, roundAbove } from "./view.js";

const HEAD = 9, SMALL = 1.5, SPOT = 14, MAX_NUMBERED = 16;
const SIDES = [[1, -1], [1, 0], [-1, -1], [-1, 0], [0, -1], [0, 1], [1, 1], [-1, 1]];

export class StepScene {
  constructor(recording) {
    this.recording = recording;
    this.frames = recording.frames;
    this.steps = this.frames.length - 1;
    this.seconds = 1;
    this.speeds = [0.5, 1, 2, 4];
    this.speedWords = (speed) => `${speed} step${speed === 1 ? "" : "s"}/s`;
    this.home = recording.cases[0].boxes[0];
    this.margin = 0.14;
    this.marks = this.steps <= 200 ? this.frames.map((_, step) => ({ step, height: 0.3, color: "caption" })) : [];
    this.isQuiz = this.frames.some((frame) => frame.is_answer);
    this.chosen = new Map(); // of each question, by the number of its first frame
  }

  stepAt(time) {
    return Math.floor(time + 1e-9);
  }

  clock(step) {
    return this.isQuiz ? `question ${(step >> 1) + 1} of ${this.frames.length / 2}` : `step ${step + 1} of ${this.frames.length}`;
  }

  count(step) {
    if (!this.isQuiz) return Object.entries(this.frames[step].cost).map(([name, number]) => `${name} ${number}`).join(", ");
    const results = [...this.chosen].map(([k, answer]) => answer === this.frames[k].question.right), right = results.filter(Boolean).length;
    return `${right} right, ${results.length - right} wrong`;
  }

  readout(step) {
    const { sentence, is_answer: isAnswer, question } = this.frames[step], lines = [[sentence, ""]];
    if (isAnswer) {
      const chosen = this.chosen.get(step - 1), right = question.answers[question.right];
      const verdict = chosen === undefined ? "Not answered" : chosen === question.right ? "Correct" : `Wrong: you said "${question.answers[chosen]}"`;
      lines.unshift([question.prompt, "var(--caption)"], [`${verdict}. The answer: ${right}`, `var(--${chosen === question.right ? "agree" : "warning"})`]);
    }
    return lines;
  }

  news() {
    return [];
  }

  describe(point, view, time) {
    const frame = this.frames[this.stepAt(time)], scenery = this.recording.cases[frame.scenery].scenery;
    const mark = [...scenery, ...frame.marks].findLast((each) => each.view === this.recording.views[0].name && each.form === "point"
      && each.points.some((place) => Math.hypot(...view.toScreen(place).map((value, k) => value - point[k])) < 7));
    if (!mark) return null;
    const meaning = this.recording.roles[mark.role].meaning;
    return [mark.text || "point", `(${mark.points[0].map((value) => +value.toPrecision(4)).join(", ")})${meaning ? `, ${meaning}` : ""}`];
  }

  // The other views, the answers as buttons and the pseudo-code, beside the picture.
  show(step, player) {
    const frame = this.frames[step], extra = player.part("extra"), { code, views } = this.recording;
    player.root.classList.add("steps");
    player.root.classList.toggle("quiz", this.isQuiz);
    if (!this.canvases) {
      this.canvases = views.slice(1).map(() => document.createElement("canvas"));
      this.answers = element("div", "");
      this.answers.className = "answers";
      this.code = element("ol", "");
      this.code.className = "code";
      this.code.append(...code.map((line) => {
        const item = element("li", line.trim());
        item.style.paddingLeft = `${0.6 + 0.5 * (line.length - line.trimStart().length)}rem`;
        return item;
      }));
      this.legend = element("p", "");
      this.legend.className = "legend";
      extra.append(...this.canvases.slice(0, 1), this.answers, ...this.canvases.slice(1), this.legend, this.code); // asked of what is shown
      extra.hidden = false;
    }
    [...this.code.children].forEach((item, k) => item.toggleAttribute("aria-current", k === frame.line));
    const isAsking = frame.question && !frame.is_answer;
    this.answers.replaceChildren(...(isAsking ? frame.question.labels : []).map((label, k) => {
      const button = element("button", label);
      button.addEventListener("click", () => this.answer(k, player));
      return button;
    }));
    const isLight = Number(player.theme.isLight), roles = new Set(frame.marks.map(({ role }) => role));
    this.legend.replaceChildren(...Object.entries(this.recording.roles).filter(([role, { meaning }]) => meaning && roles.has(role))
      .map(([, { meaning, words }]) => element("span", `● ${meaning}`, words[isLight])));
    player.view.home = this.recording.cases[frame.scenery].boxes[0];
  }

  answer(k, player) {
    const step = player.step, { question, is_answer: isAnswer } = this.frames[step];
    if (!question || isAnswer || !(k in question.answers)) return false;
    if (!this.chosen.has(step)) this.chosen.set(step, k); // the first answer counts
    player.stepBy(1);
    return true;
  }

  key(key, player) {
    return this.answer(this.frames[player.step].question?.keys.indexOf(key) ?? -1, player);
  }

  click(point, player) {
    const { question, is_answer: isAnswer } = this.frames[player.step];
    if (!question || isAnswer || question.view !== this.recording.views[0].name) return false;
    const k = question.places.findIndex((place) => Math.hypot(...player.view.toScreen(place).map((value, n) => value - point[n])) <= SPOT);
    return this.answer(k, player);
  }

  draw(ctx, view, time, theme) {
    const step = this.stepAt(time), [first, ...others] = this.recording.views, { boxes } = this.recording.cases[this.frames[step].scenery];
    drawBackdrop(ctx, view, theme);
    this.#drawMarks({ ctx, theme, size: view.size, scale: view.scale, place: (point) => view.toScreen(point) }, first, step);
    drawScaleBar(ctx, view, theme);
    (this.canvases ?? []).forEach((canvas, k) => this.#drawView(canvas, others[k], boxes[k + 1], step, theme));
  }

  #drawView(canvas, described, box, step, theme) {
    const size = sized(canvas), ctx = canvas.getContext("2d"), isPlane = !described.x && !described.y;
    ctx.save();
    ctx.scale(devicePixelRatio, devicePixelRatio);
    if (isPlane) {
      const view = Object.assign(new View(box, this.margin), { size });
      view.fit();
      drawBackdrop(ctx, view, theme);
      this.#drawMarks({ ctx, theme, size, scale: view.scale, place: (point) => view.toScreen(point) }, described, step);
    } else {
      this.#drawMarks({ ctx, theme, size, scale: 0, place: drawAxes(ctx, size, described, box, theme) }, described, step);
    }
    label(ctx, theme, described.title, [8, 12], "caption", { size: 11, plate: true });
    ctx.restore();
  }

  #drawMarks(frame, view, step) {
    const { marks, scenery: k, question, is_answer: isAnswer } = this.frames[step];
    const ofView = (all) => all.filter((mark) => mark.view === view.name), scenery = ofView(this.recording.cases[k].scenery), own = ofView(marks);
    Object.assign(frame, { roles: this.recording.roles, light: Number(frame.theme.isLight), taken: [] });
    if (question && question.view === view.name) drawSpots(frame, question, isAnswer ? this.chosen.get(step - 1) : undefined, isAnswer);
    for (const mark of [...scenery, ...own]) drawMark(frame, mark);
    for (const mark of [...scenery, ...own]) if (mark.form === "point" || mark.form === "arrow") keepClear(frame, mark);
    for (const mark of [...own, ...scenery]) drawLabel(frame, mark);
    const named = new Set(own.map(({ text }) => text));
    for (const mark of scenery) drawNumbers(frame, mark, named);
  }
}

function drawSpots({ ctx, theme, place }, { places, right }, chosen, isAnswer) {
  places.forEach((spot, k) => {
    ctx.strokeStyle = theme.color(!isAnswer ? "accent" : k === right ? "agree" : k === chosen ? "unexplained" : "panel-edge");
    ctx.lineWidth = 2;
    ctx.beginPath();
    ctx.arc(...place(spot), SPOT - 3, 0, TURN);
    ctx.stroke();
  });
}

function drawMark(frame, mark) {
  const { ctx, theme, place, roles, light, scale } = frame, style = roles[mark.role], color = style.colors[light], places = mark.points.map(place);
  ctx.strokeStyle = ctx.fillStyle = color;
  ctx.lineWidth = style.width;
  ctx.lineJoin = "round";
  ctx.setLineDash(style.dashed ? [5, 5] : []);
  const trace = (corners, isClosed) => {
    ctx.beginPath();
    corners.forEach((corner, k) => (k ? ctx.lineTo(...corner) : ctx.moveTo(...corner)));
    if (isClosed) ctx.closePath();
  };
  const fill = () => {
    ctx.globalAlpha = style.fill;
    if (style.fill) ctx.fill();
    ctx.globalAlpha = 1;
  };
  const rings = mark.rings?.map((ring) => ring.map(place)) ?? (mark.form === "polygon" ? [places] : []);
  if (mark.form === "point") {
    for (const at of places) dot(frame, at, style, color);
  } else if (mark.form === "circle") {
    ctx.beginPath();
    ctx.arc(...places[0], Math.max(mark.radius * scale, 0), 0, TURN);
    fill();
    ctx.stroke();
  } else if (mark.form === "arrow") {
    const [from, to] = [places[0], places.at(-1)];
    arrows(frame, [from], [[to[0] - from[0], from[1] - to[1]]], color, style.width, HEAD);
  } else if (mark.form === "line") {
    const [from, to] = [places[0], places.at(-1)], length = Math.hypot(to[0] - from[0], to[1] - from[1]);
    if (length > 0) {
      const reach = (2 * (frame.size[0] + frame.size[1] + Math.hypot(...from))) / length, way = [(to[0] - from[0]) * reach, (to[1] - from[1]) * reach];
      trace([[from[0] - way[0], from[1] - way[1]], [from[0] + way[0], from[1] + way[1]]]);
      ctx.stroke();
    }
  } else if (rings.length) {
    for (const ring of rings) {
      trace(ring, true);
      fill();
      ctx.stroke();
    }
  } else if (mark.form === "path") {
    trace(places);
    ctx.stroke();
  }
  ctx.setLineDash([]);
  const spread = (axis) => Math.max(...places.map((at) => at[axis])) - Math.min(...places.map((at) => at[axis]));
  if (!["point", "label"].includes(mark.form) && Math.max(spread(0), spread(1)) + 2 * mark.radius * scale < SMALL) dot(frame, places[0], style, color);
}

function dot({ ctx, theme }, [x, y], style, color) {
  ctx.setLineDash([]);
  ctx.beginPath();
  ctx.arc(x, y, style.dot, 0, TURN);
  if (style.ring) {
    ctx.lineWidth = 1.5;
    ctx.stroke();
    return;
  }
  ctx.strokeStyle = theme.color("background");
  ctx.lineWidth = 3;
  ctx.stroke();
  ctx.strokeStyle = ctx.fillStyle = color;
  ctx.fill();
}

function keepClear({ place, taken, roles }, mark) {
  const half = 1.2 * roles[mark.role].dot;
  for (const [x, y] of mark.points.map(place)) taken.push([x - half, y - half, x + half, y + half]);
}

// Write a text beside a place where nothing is yet, on the first side that has room; otherwise leave it out.
function write(frame, text, [x, y], gap, color, options, sides) {
  const { ctx, size, taken } = frame;
  ctx.font = `${options.bold ? 600 : 400} ${options.size}px system-ui, sans-serif`;
  const wide = ctx.measureText(text).width, high = options.size * 1.25;
  for (const [across, down] of sides) {
    const left = x + across * gap - (across < 0 ? wide : across ? 0 : wide / 2), top = y + down * gap - (down < 0 ? high : down ? 0 : high / 2);
    const box = [left, top, left + wide, top + high], isInside = left >= 2 && top >= 2 && box[2] <= size[0] - 2 && box[3] <= size[1] - 2;
    if (!isInside || taken.some((other) => other[0] < box[2] && box[0] < other[2] && other[1] < box[3] && box[1] < other[3])) continue;
    taken.push(box);
    label(ctx, frame.theme, text, [left, top + high / 2], color, options);
    return true;
  }
  return false;
}

function drawLabel(frame, mark) {
  if (!mark.text) return;
  const { roles, place, scale, light } = frame, style = roles[mark.role], places = mark.points.map(place), isOwn = mark.role !== "a" && mark.role !== "b";
  const mean = [0, 1].map((axis) => places.reduce((sum, at) => sum + at[axis], 0) / places.length);
  const options = { size: 12, bold: true, plate: isOwn }, color = style.words[light];
  if (mark.form === "polygon" || mark.form === "circle" || (mark.form === "path" && ["a", "b", "ghost"].includes(mark.role))) {
    const atEnd = (down) => { // rather above or below the mark than over it, at its highest or lowest corner
      const [x, y] = places.reduce((best, at) => (down * at[1] > down * best[1] ? at : best));
      return write(frame, mark.text, [x, y + down * mark.radius * scale], 3, color, options, [[0, down]]);
    };
    if (mark.text.length <= 3 || !(atEnd(-1) || atEnd(1))) write(frame, mark.text, mean, 8, color, options, [[0, 0], ...SIDES]);
    return;
  }
  const [from, to] = [places[0], places.at(-1)], along = [to[0] - from[0], to[1] - from[1]];
  if (mark.form === "path" || mark.form === "line") {
    const aside = side([-along[1], along[0]]);
    write(frame, mark.text, [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2], style.dot + 3, color, options, [aside, aside.map((value) => -value), ...SIDES]);
  } else write(frame, mark.text, to, style.dot + 3, color, options, mark.form === "arrow" ? [side(along), ...SIDES] : SIDES);
}

// The side of a label that lies along a vector of pixels.
function side([across, down]) {
  const level = 0.4 * Math.max(Math.abs(across), Math.abs(down));
  return [across, down].map((value) => (Math.abs(value) <= level ? 0 : Math.sign(value)));
}

function drawNumbers(frame, mark, named) {
  if (!["A", "B"].includes(mark.text) || !["polygon", "path"].includes(mark.form) || mark.points.length > MAX_NUMBERED) return;
  const places = mark.points.map(frame.place), style = frame.roles[mark.role];
  const mean = [0, 1].map((axis) => places.reduce((sum, at) => sum + at[axis], 0) / places.length);
  places.forEach((at, k) => {
    const [across, down] = side([at[0] - mean[0], at[1] - mean[1]]), name = `${mark.text}${k}`;
    if (named.has(name)) return;
    const sides = [[across, down], [across, 0], [0, down], [-across, down], [across, -down]].filter(([x, y]) => x || y);
    write(frame, name, at, 4 + mark.radius * frame.scale, style.words[frame.light], { size: 10.5 }, sides);
  });
}

// Axes of a plot with their ticks; returns the map of its points to pixels.
function drawAxes(ctx, [width, height], view, [x0, y0, x1, y1], theme) {
  const left = view.y ? 46 : 12, right = width - 12, top = 36, bottom = height - 34;
  const place = ([x, y]) => [left + ((right - left) * (x - x0)) / (x1 - x0), bottom - ((bottom - top) * (y - y0)) / (y1 - y0)];
  ctx.fillStyle = theme.color("background");
  ctx.fillRect(0, 0, width, height);
  ctx.lineWidth = 1;
  ctx.strokeStyle = theme.fill(theme.color("panel-edge"), 0.6);
  const ticks = (from, to, least) => {
    const pitch = roundAbove(Math.max((to - from) * least, Number.MIN_VALUE)), first = Math.ceil(from / pitch);
    return Array.from({ length: Math.max(Math.floor(to / pitch) - first + 1, 0) }, (_, k) => +((first + k) * pitch).toPrecision(6));
  };
  const line = (from, to) => (ctx.beginPath(), ctx.moveTo(...from), ctx.lineTo(...to), ctx.stroke());
  for (const x of ticks(x0, x1, 64 / (right - left))) {
    const [at] = place([x, y0]);
    line([at, top], [at, bottom]);
    label(ctx, theme, String(x), [at, bottom + 9], "caption", { size: 10.5, align: "center" });
  }
  for (const y of view.y ? ticks(y0, y1, 26 / (bottom - top)) : []) {
    const [, at] = place([x0, y]);
    line([left, at], [right, at]);
    label(ctx, theme, String(y), [left - 5, at], "caption", { size: 10.5, align: "right" });
  }
  ctx.strokeRect(left, top, right - left, bottom - top);
  label(ctx, theme, view.x, [right, height - 9], "text", { size: 11, align: "right" });
  label(ctx, theme, view.y, [8, 27], "text", { size: 11 });
  return place;
}
