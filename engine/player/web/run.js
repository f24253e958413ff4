// Draws a recorded run as the window does: the same layers, marks, sizes and colors (engine/render/debug_draw.py).

import { element } from "./dom.js";
import { Labels, TURN, arrows, drawBackdrop, drawScaleBar, label, lengthWords, roundAbove, stroke } from "./view.js";

export const LAYERS = [
  ["shapes", "Shapes", true], ["aabbs", "AABBs", false], ["points", "Points", true], ["normals", "Normals", false], ["joints", "Joints", true],
  ["centers", "Centers", false], ["separations", "Separations", false], ["check", "Live check", true], ["impulses", "Impulses", false],
  ["labels", "Labels", false], ["drawing", "Demo's drawing", true],
];
const FADE_STEPS = 24, FLASH_STEPS = 10; // as in engine/render/trail.py
const DOT_METERS = 0.045, LONGEST = 64, MAX_LABELS = 160, PERIODS = [9, 16, 5], SMALLEST_DISC = 1.5, SAME_WAY = 0.9998;

export class RunScene {
  constructor(recording) {
    this.recording = recording;
    this.home = recording.home;
    this.steps = recording.steps;
    this.seconds = recording.seconds;
    this.layers = Object.fromEntries(LAYERS.map(([name, , isOn]) => [name, recording.layers[name] ?? isOn]));
    this.layerNames = LAYERS.filter(([name]) => name !== "drawing" || recording.drawing.figures);
    const most = Math.max(...recording.began, 1);
    this.marks = Array.from(recording.began, (n, step) => ({ step, height: n ? 0.35 + 0.65 * Math.log1p(n) / Math.log1p(most) : 0, color: "point-add" }));
    const reasons = recording.differences.filter((difference) => difference.reason === "unexplained");
    this.marks = this.marks.filter((mark) => mark.height).concat(reasons.map(({ first }) => ({ step: first, height: 1, color: "unexplained" })));
    for (const { step } of recording.notes) this.marks.push({ step, height: 1, color: "warning" });
    recording.besides.forEach(({ step }, k) => step !== null && this.marks.push({ step, height: 1, color: `besides-${k}` }));
  }

  draw(ctx, view, time, theme) {
    const frame = { ctx, view, time, theme, scale: view.scale, recording: this.recording, step: Math.ceil(time), labels: new Labels(ctx, theme, view) };
    drawBackdrop(ctx, view, theme);
    const all = this.recording.bodies.filter((body) => this.recording.isShown(body, time)), bodies = all.filter(({ beside }) => !beside);
    frame.centers = [];
    for (const body of all) frame.centers[body.index] = this.recording.centerOf(body, time);
    const [behind, over] = this.layers.drawing ? this.recording.drawingAt(frame.step) : [[], []];
    drawFigures(frame, behind);
    if (this.layers.shapes) drawShapes(frame, bodies);
    this.recording.besides.forEach((_, which) => drawBeside(frame, all.filter(({ beside }) => beside === which + 1), which));
    if (this.layers.aabbs) drawBoxes(frame, bodies);
    if (this.layers.joints) drawJoints(frame);
    if (this.layers.centers) drawCenters(frame, bodies);
    if (this.layers.normals) drawNormals(frame);
    if (this.layers.impulses) drawImpulses(frame);
    if (this.layers.points) drawPoints(frame);
    if (this.layers.check) drawDifferences(frame, this.layers.labels);
    if (this.layers.separations) drawSeparations(frame);
    drawFigures(frame, over);
    drawStageNames(frame);
    drawScaleBar(ctx, view, theme);
  }

  // What is under a point of the canvas: sentences, or null.
  describe(point, view, time) {
    const recording = this.recording, step = Math.ceil(time);
    const near = (place, reach) => Math.hypot(...view.toScreen(place).map((value, k) => value - point[k])) <= reach;
    if (this.layers.check) {
      const difference = recording.differencesAt[step].find((each) => near(recording.placeOfDifference(each, time), 10));
      if (difference) return this.#difference(difference);
    }
    const row = this.layers.points ? recording.pointsAt(time).find((each) => near(recording.placeOf(each, time), 6)) : undefined;
    if (row !== undefined) return this.#point(row, time);
    const body = recording.bodies.findLast((each) => !each.beside && recording.has(each, time) && contains(recording, each, view.toPlane(point), time));
    return body ? this.#body(body, step) : null;
  }

  #difference({ pair, reason, size, worst, evidence, box2d, ours }) {
    const [name, sentence] = this.recording.reasons[reason];
    const names = (this.recording.bodiesOfPair.get(pair) ?? []).map((body) => body.name).join(" and ");
    const [theirs, own] = [box2d, ours].map((normal) => normal && `(${normal.map((value) => value.toFixed(3)).join(", ")})`);
    const normals = `Normal from Box2D ${theirs}${own ? `, from our algorithm ${own}` : ""}`;
    return [`${name}, ${lengthWords(size)}`, names, sentence, normals, `${capital(evidence)} (step ${worst}).`];
  }

  #point(row, time) {
    const { contacts, tracks, bodies, seconds } = this.recording, track = contacts.track[row];
    const gap = 1000 * contacts.separation(row), age = (time - tracks.first[track]) * seconds;
    return [
      `Contact of ${bodies[tracks.a[track]].name} and ${bodies[tracks.b[track]].name}`,
      `separation ${gap > 0 ? "+" : ""}${gap.toFixed(1)} mm`,
      `impulse ${rounded(contacts.impulse(row))} N s, friction ${rounded(contacts.tangent(row))} N s`,
      tracks.first[track] === Math.ceil(time) ? "new in this step" : `${Math.max(age, 0).toFixed(2)} s old`,
    ];
  }

  #body(body, step) {
    const recording = this.recording, [x, y, angle] = recording.pose(body, step), at = body.row + step;
    const lines = [body.name, `${body.kind}${recording.look[at] % 2 ? ", asleep" : ""}${body.mass > 0 ? `, ${rounded(body.mass)} kg` : ""}`];
    lines.push(`x ${x.toFixed(3)} m, y ${y.toFixed(3)} m, angle ${(angle * 360 / TURN).toFixed(1)}°`);
    if (step > body.first) {
      const speed = Math.hypot(recording.x[at] - recording.x[at - 1], recording.y[at] - recording.y[at - 1]) / recording.seconds;
      lines.push(`moved at ${speed.toFixed(2)} m/s over the last step`);
    }
    return lines;
  }

  stepAt(time) {
    return Math.ceil(time - 1e-9);
  }

  clock(step, time) {
    return `${(time * this.seconds).toFixed(2)} s`;
  }

  count(step) {
    return `step ${step} of ${this.steps}`;
  }

  // The worlds beside this one: their solvers, and when they part from it.
  show(step, player) {
    const lines = this.recording.besides.map(({ solver, step: parted, text }, which) => {
      const line = element("button", `┅ ${solver}${parted === null ? "" : `: ${text} after ${(parted * this.seconds).toFixed(2)} s`}`, `var(--besides-${which})`);
      line.addEventListener("click", () => parted !== null && player.stepBy(parted - player.step));
      return line;
    });
    player.write("extra", lines);
  }

  // Lines of text beside the picture: [text, color] each.
  readout(step) {
    const isLight = matchMedia("(prefers-color-scheme: light)").matches;
    return this.recording.readoutAt(step).map(([text, color]) => [text, this.recording.colors[color][Number(isLight)]]);
  }

  // The last events until a step.
  news(step, most) {
    const { events, bodies, seconds } = this.recording;
    let low = 0, high = events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (events[middle].step <= step) low = middle + 1;
      else high = middle;
    }
    const words = ({ isEnd, sensor }) => (isEnd ? (sensor ? "left" : "separated from") : sensor ? "entered" : "touched");
    const isSame = (one, other) => other && ["step", "a", "b", "isEnd", "text"].every((name) => one[name] === other[name]);
    return events.slice(Math.max(low - 2 * most, 0), low).filter((event, k, all) => !isSame(event, all[k + 1])).reverse().slice(0, most).map((event) => ({
      step: event.step, text: `${(event.step * seconds).toFixed(2)} s  ${event.text ?? `${bodies[event.b].name} ${words(event)} ${bodies[event.a].name}`}`,
    }));
  }
}

const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);
const rounded = (value) => String(+value.toPrecision(3));

function drawShapes({ ctx, view, theme, recording, centers, step }, bodies) {
  const [left, top] = view.toPlane([0, 0]), [right, bottom] = view.toPlane(view.size), share = Number(theme.color("fill-share")), light = Number(theme.isLight);
  ctx.lineWidth = 1;
  ctx.lineJoin = "round";
  for (const body of bodies) {
    const center = centers[body.index], look = recording.look[body.row + step], color = recording.colors[look >> 2][light];
    for (const part of body.parts) {
      const reach = part.reach ??= Math.max(...part.points.map(([x, y]) => Math.hypot(x, y))) + part.radius;
      if (center[0] + reach < left || center[0] - reach > right || center[1] + reach < bottom || center[1] - reach > top) continue;
      ctx.beginPath(); // one path for many shapes, or Path2D in the frame of its body, takes several times as long
      outline(ctx, view, part, center);
      if (!part.sensor && !(look & 2)) {
        ctx.fillStyle = theme.fill(color, share);
        ctx.fill();
      }
      ctx.strokeStyle = part.sensor ? theme.color("sensor") : color;
      ctx.stroke();
    }
  }
}

// Outlines of the moving bodies of another world: dashes of a length of its own, on the color of the background.
function drawBeside({ ctx, theme, centers, view }, bodies, which) {
  ctx.setLineDash([PERIODS[which] / 2, PERIODS[which] / 2]);
  for (const [color, width] of [["background", 3], [`besides-${which}`, 1.25]]) {
    ctx.strokeStyle = theme.color(color);
    ctx.lineWidth = width;
    for (const body of bodies) {
      for (const part of body.kind === "static" ? [] : body.parts) {
        ctx.beginPath();
        outline(ctx, view, part, centers[body.index]);
        ctx.stroke();
      }
    }
  }
  ctx.setLineDash([]);
}

function outline(ctx, view, { points, radius }, [cx, cy, angle]) {
  const { scale } = view, cos = scale * Math.cos(angle), sin = scale * Math.sin(angle), [ox, oy] = view.toScreen([cx, cy]);
  for (let k = 0; k < points.length; k++) {
    const [x, y] = points[k], across = ox + cos * x - sin * y, down = oy - sin * x - cos * y;
    if (points.length > 1) {
      if (k) ctx.lineTo(across, down);
      else ctx.moveTo(across, down);
      continue;
    }
    ctx.moveTo(across + radius * cos, down - radius * sin);
    ctx.arc(across, down, radius * scale, -angle, -angle + TURN);
    ctx.lineTo(across, down);
    return;
  }
  ctx.closePath();
}

function drawBoxes(frame, bodies) {
  const { ctx, view, theme, scale } = frame;
  ctx.strokeStyle = theme.color("fixture-aabb");
  ctx.lineWidth = 1;
  ctx.setLineDash([4, 3]);
  ctx.beginPath();
  for (const body of bodies) {
    const [cx, cy, angle] = frame.centers[body.index], cos = Math.cos(angle), sin = Math.sin(angle);
    for (const { points, radius } of body.parts) {
      const xs = points.map(([x, y]) => cos * x - sin * y), ys = points.map(([x, y]) => sin * x + cos * y);
      const [left, top] = view.toScreen([cx + Math.min(...xs) - radius, cy + Math.max(...ys) + radius]);
      ctx.rect(left, top, scale * (Math.max(...xs) - Math.min(...xs) + 2 * radius), scale * (Math.max(...ys) - Math.min(...ys) + 2 * radius));
    }
  }
  ctx.stroke();
  ctx.setLineDash([]);
}

function drawJoints(frame) {
  const { ctx, view, recording, step, time } = frame, there = recording.joints.filter(({ first, last }) => first <= step && step <= last);
  const ends = there.map((joint) => recording.anchorsOf(joint, time).map((point) => view.toScreen(point)));
  const color = frame.theme.color("joint");
  stroke(frame, ends, color, 1.5);
  dots(frame, ends.map(([a]) => a), color, 4, true);
  dots(frame, ends.map(([, b]) => b), color, 2.5);
}

function drawCenters(frame, bodies) {
  const at = bodies.filter(({ kind }) => kind !== "static").map(({ index }) => frame.view.toScreen(frame.centers[index]));
  dots(frame, at, frame.theme.color("center-of-mass"), 4, true);
  dots(frame, at, frame.theme.color("center-of-mass"), 1.5);
}

function dots({ ctx }, places, color, radius, isRing = false, alpha = 1) {
  ctx.globalAlpha = alpha;
  ctx.strokeStyle = ctx.fillStyle = color;
  ctx.lineWidth = 1;
  for (const [x, y] of places) {
    if (radius < SMALLEST_DISC && !isRing) { // too small for its shape to be seen
      ctx.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
      continue;
    }
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, TURN);
    if (isRing) ctx.stroke();
    else ctx.fill();
  }
  ctx.globalAlpha = 1;
}

function placesOf({ view, recording, centers, scale, time }, rows) {
  const { tracks, contacts } = recording, [ox, oy] = view.toScreen([0, 0]);
  return Array.from(rows, (row) => {
    const center = centers[tracks.carrier[contacts.track[row]]];
    return center ? [ox + scale * (center[0] + contacts.x(row)), oy - scale * (center[1] + contacts.y(row))] : view.toScreen(recording.placeOf(row, time));
  });
}

function drawNormals(frame) {
  const rows = frame.recording.pointsAt(frame.time);
  const vectors = Array.from(rows, (row) => {
    const turn = frame.recording.contacts.normal(row);
    return [18 * Math.cos(turn), 18 * Math.sin(turn)];
  });
  arrows(frame, placesOf(frame, rows), vectors, frame.theme.color("normal"));
}

// Arrows whose length is the impulse; the scale is that of the largest within half a second, and is written below.
function drawImpulses(frame) {
  const { recording, step, view, theme } = frame, { contacts, loudest } = recording, half = Math.round(0.5 / recording.seconds);
  const largest = Math.max(...loudest.subarray(Math.max(step - half, 0), step + half + 1));
  if (!(largest > 0)) return;
  const rows = recording.pointsAt(frame.time), unit = LONGEST / roundAbove(largest);
  const vectors = Array.from(rows, (row) => {
    const turn = contacts.normal(row), cos = Math.cos(turn), sin = Math.sin(turn), push = unit * contacts.impulse(row), rub = unit * contacts.tangent(row);
    return [push * cos + rub * sin, push * sin - rub * cos]; // the tangent is the normal turned clockwise
  });
  arrows(frame, placesOf(frame, rows), vectors, theme.color("impulse"), 2);
  const at = [16, view.size[1] - 18];
  arrows(frame, [at], [[LONGEST, 0]], theme.color("impulse"), 2);
  label(frame.ctx, theme, `${roundAbove(largest)} N s`, [at[0], at[1] - 12], "caption", { size: 11 });
}

function drawPoints(frame) {
  const { recording, time, step, theme, view } = frame, { tracks, contacts } = recording;
  const dot = Math.min(Math.max(DOT_METERS * frame.scale, 1.1), 2.25);
  for (let age = 0; age < Math.min(FADE_STEPS, step); age++) { // gone, fading
    const at = [], share = age / FADE_STEPS, ended = tracks.ended, gone = step - age;
    for (let k = ended.starts[gone]; k < ended.starts[gone + 1]; k++) at.push(lastPlace(frame, ended.order[k]));
    if (at.length) dots(frame, at, theme.color("point-remove"), dot * (1.4 + 1.2 * share), true, 0.9 * (1 - share));
  }
  const rows = recording.pointsAt(time), places = placesOf(frame, rows), segments = [], lasting = [];
  const fresh = Array.from({ length: FLASH_STEPS }, () => []);
  places.forEach((place, k) => {
    const track = contacts.track[rows[k]], age = step - tracks.first[track];
    if (k && tracks.pair[contacts.track[rows[k - 1]]] === tracks.pair[track]) segments.push([places[k - 1], place]);
    if (age < FLASH_STEPS && step) fresh[age].push(place);
    if (age || !step) lasting.push(place);
  });
  stroke(frame, segments, theme.color("contact-segment"), 1);
  fresh.forEach((at, age) => {
    const share = age / FLASH_STEPS;
    if (at.length) dots(frame, at, theme.color("point-add"), dot * (1.8 + 2.2 * share), true, 0.9 * (1 - share) ** 2);
  });
  dots(frame, lasting, theme.color("point-persist"), dot);
  dots(frame, fresh[0], theme.color("point-add"), 1.6 * dot);
}

// Where a point was last, in the view.
function lastPlace({ recording, view }, track) {
  const { tracks, contacts, bodies } = recording, last = tracks.end[track] - 1, rows = recording.pointsAt(last);
  let low = 0, high = rows.length - 1;
  while (low < high) { // the rows of a step are in the order of their tracks
    const middle = (low + high) >> 1;
    if (contacts.track[rows[middle]] < track) low = middle + 1;
    else high = middle;
  }
  return view.toScreen(recording.placeOf(rows[low], last));
}

// A ring at each difference, with Box2D's normal and, where it is another, ours.
function drawDifferences(frame, hasLabels) {
  const { recording, time, view, theme } = frame, shown = recording.differencesAt[frame.step];
  const places = shown.map((difference) => view.toScreen(recording.placeOfDifference(difference, time)));
  const color = (difference) => (difference.reason === "unexplained" ? "unexplained" : "explained");
  for (const kind of ["explained", "unexplained"]) {
    const own = shown.map((_, k) => k).filter((k) => color(shown[k]) === kind);
    dots(frame, own.map((k) => places[k]), theme.color(kind), 7, true);
    arrows(frame, own.map((k) => places[k]), own.map((k) => shown[k].box2d.map((value) => 30 * value)), theme.color(kind), 2);
  }
  const other = shown.map((_, k) => k).filter((k) => shown[k].ours && shown[k].ours[0] * shown[k].box2d[0] + shown[k].ours[1] * shown[k].box2d[1] < SAME_WAY);
  arrows(frame, other.map((k) => places[k]), other.map((k) => shown[k].ours.map((value) => 20 * value)), theme.color("agree"), 2);
  if (!hasLabels) return;
  shown.slice(0, 40).forEach((difference, k) => {
    const words = `${recording.reasons[difference.reason][0]}  ${lengthWords(difference.size)}`;
    label(frame.ctx, theme, words, [places[k][0] + 11, places[k][1] - 11], color(difference), { bold: true, plate: true });
  });
}

// What the demo drew, as engine/render/sketch.py describes it.
function drawFigures({ ctx, view, theme, scale, recording, labels }, numbers) {
  if (!numbers.length) return;
  const { drawing, colors, pictures } = recording, unit = drawing.pitch * scale, [ox, oy] = view.toScreen([0, 0]);
  const color = (k) => (k === null ? null : colors[k][Number(theme.isLight)]), size = Math.min(Math.max(scale / drawing.scale, 0.6), 1.6);
  const places = (coordinates) => Array.from({ length: coordinates.length >> 1 }, (_, k) => [ox + unit * coordinates[2 * k], oy - unit * coordinates[2 * k + 1]]);
  const trace = (points) => (ctx.beginPath(), points.forEach((point, k) => (k ? ctx.lineTo(...point) : ctx.moveTo(...point))));
  const paint = (fill, outline, alpha) => {
    [ctx.globalAlpha, ctx.lineWidth, ctx.lineJoin] = [alpha, 1.25, "round"];
    if (fill !== null) ctx.fillStyle = color(fill), ctx.fill();
    if (outline !== null) ctx.strokeStyle = color(outline), ctx.stroke();
    ctx.globalAlpha = 1;
  };
  const texts = [];
  const draw = {
    polygon: (fill, outline, alpha, ...points) => (trace(places(points)), ctx.closePath(), paint(fill, outline, alpha)),
    circle(fill, outline, alpha, x, y, radius, angle) {
      const [[cx, cy]] = places([x, y]), r = unit * radius;
      ctx.beginPath();
      if (angle !== null) ctx.moveTo(cx, cy);
      ctx.arc(cx, cy, r, -(angle ?? 0), TURN - (angle ?? 0));
      paint(fill, outline, alpha);
    },
    lines(stroked, width, dash, ...ends) {
      const points = places(ends);
      ctx.setLineDash(dash ? [dash, dash] : []);
      stroke({ ctx }, points.flatMap((point, k) => (k % 2 ? [[points[k - 1], point]] : [])), color(stroked), width);
      ctx.setLineDash([]);
    },
    dots: (filled, radius, alpha, isRing, ...points) => dots({ ctx }, places(points), color(filled), radius, isRing, alpha),
    arrows(filled, width, length, ...ends) {
      const points = places(ends), starts = points.filter((_, k) => !(k % 2));
      const ways = starts.map(([x, y], k) => [points[2 * k + 1][0] - x, y - points[2 * k + 1][1]].map((value, _, way) => (length * value) / (Math.hypot(...way) || 1)));
      arrows({ ctx }, starts, ways, color(filled), width);
    },
    text(filled, height, align, bold, plate, x, y, text) {
      texts.push([text, places([x, y])[0], color(filled), { size: height * size, align, bold, plate }]);
    },
    image(number, alpha, x, y, angle, width) {
      const picture = pictures[number], wide = unit * width, high = (wide * picture.height) / picture.width;
      ctx.save();
      ctx.globalAlpha = alpha;
      ctx.translate(...places([x, y])[0]);
      ctx.rotate(-angle);
      ctx.drawImage(picture, -wide / 2, -high / 2, wide, high);
      ctx.restore();
    },
    clip(...corners) {
      if (!corners.length) return ctx.restore();
      const [[left, bottom], [right, top]] = places(corners);
      ctx.save();
      ctx.beginPath();
      ctx.rect(left, top, right - left, bottom - top);
      ctx.clip();
    },
  };
  for (const number of numbers) {
    const [kind, ...values] = drawing.figures[number];
    draw[kind](...values);
  }
  texts.sort((one, other) => other[3].bold - one[3].bold).forEach((text) => labels.add(...text));
}

function drawSeparations(frame) {
  const rows = frame.recording.pointsAt(frame.time).subarray(0, MAX_LABELS);
  placesOf(frame, rows).forEach(([x, y], k) => {
    const gap = 1000 * frame.recording.contacts.separation(rows[k]);
    label(frame.ctx, frame.theme, `${gap >= 0 ? "+" : ""}${gap.toFixed(1)} mm`, [x + 7, y - 7], "text", { size: 11, plate: true });
  });
}

function drawStageNames({ view, recording, labels }) {
  const named = recording.stages.filter((stage) => stage.label).map((stage) => [stage.label, view.toScreen(stage.label_at)]);
  for (const [text, [x, y]] of named) {
    const beside = named.map(([, at]) => (Math.abs(at[1] - y) < 13 ? Math.abs(at[0] - x) - 8 : 0)).filter((gap) => gap > 0);
    labels.add(text, [x, Math.max(y - 10, 10)], "text", { bold: true, align: "center", size: 13, plate: true, grow: -1, width: Math.min(...beside) });
  }
}

function contains(recording, body, [px, py], time) {
  const [cx, cy, angle] = recording.centerOf(body, time), cos = Math.cos(angle), sin = Math.sin(angle);
  const x = cos * (px - cx) + sin * (py - cy), y = cos * (py - cy) - sin * (px - cx);
  return body.parts.some(({ points, radius }) => {
    if (points.length === 1) return Math.hypot(x - points[0][0], y - points[0][1]) <= radius;
    let isInside = false; // a ray to the right crosses the outline an odd number of times
    points.forEach(([ax, ay], k) => {
      const [bx, by] = points[(k + 1) % points.length];
      if (ay > y !== by > y && x < ax + ((y - ay) * (bx - ax)) / (by - ay)) isInside = !isInside;
    });
    return isInside;
  });
}
