// Reads a recording: a JSON header and streams of integers; engine/player/encoding.py describes the format.

function bytesOf(base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return bytes;
}

export async function unpack(base64) {
  const plain = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(plain).arrayBuffer());
  const headLength = new DataView(bytes.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headLength)));
  const places = new Map();
  let start = 4 + headLength;
  for (const [name, length] of Object.entries(header.streams)) {
    places.set(name, [start, start + length]);
    start += length;
  }
  const stream = (name, Kind = Int32Array) => integers(bytes, ...(places.get(name) ?? [0, 0]), Kind);
  return { header, stream };
}

function integers(bytes, start, end, Kind) {
  let count = 0;
  for (let k = start; k < end; k++) if (bytes[k] < 128) count++;
  const values = new Kind(count);
  let at = 0, value = 0, scale = 1;
  for (let k = start; k < end; k++) {
    const byte = bytes[k];
    if (byte < 128 && scale === 1) {
      values[at++] = (byte >> 1) ^ -(byte & 1);
      continue;
    }
    value += (byte & 127) * scale;
    scale *= 128;
    if (byte < 128) {
      values[at++] = value % 2 ? -(value + 1) / 2 : value / 2;
      value = 0;
      scale = 1;
    }
  }
  return values;
}

function summed(values) {
  for (let k = 1; k < values.length; k++) values[k] += values[k - 1];
  return values;
}

// Numbers 0 to n - 1 grouped by key: those of group g are order[starts[g]] to order[starts[g + 1] - 1].
function grouped(keys, n, groups) {
  const starts = new Int32Array(groups + 2);
  for (let k = 0; k < n; k++) starts[keys[k] + 1]++;
  summed(starts);
  const order = new Int32Array(n), next = starts.slice();
  for (let k = 0; k < n; k++) order[next[keys[k]]++] = k;
  return { starts, order };
}

export class Recording {
  constructor({ header, stream }) {
    Object.assign(this, header);
    this.#readBodies(stream);
    this.#readPoints(stream);
    this.#readEvents();
    this.bendsAt = new Map(); // by body and step: [fraction, x, y, angle] of each bend
    for (const [step, body, ...bend] of this.bends) {
      const key = body * (this.steps + 1) + step;
      this.bendsAt.set(key, [...(this.bendsAt.get(key) ?? []), bend].sort(([one], [other]) => one - other));
    }
    for (const joint of this.joints) joint.offset = this.stages[joint.stage].offset;
  }

  async loadPictures() {
    const load = (base64) => createImageBitmap(new Blob([bytesOf(base64)], { type: "image/png" }));
    this.pictures = await Promise.all((this.drawing.pictures ?? []).map(load));
  }

  #pairs = { step: -1, rows: new Map() };

  #readBodies(stream) {
    const dx = stream("x", Float64Array), dy = stream("y", Float64Array), turn = stream("angle", Float64Array);
    this.look = stream("look");
    let row = 0;
    this.bodies.forEach((body, index) => {
      body.index = index;
      body.row = row - body.first; // the row of step s is body.row + s
      body.last = body.first + body.steps - 1;
      ({ offset: body.offset, beside: body.beside } = this.stages[body.stage]);
      body.parts = body.shapes.map((k) => this.shapes[k]);
      for (const [values, pitch] of [[dx, this.pitch], [dy, this.pitch], [turn, body.turn]]) {
        let value = 0, speed = 0;
        for (let k = row; k < row + body.steps; k++) {
          if (k === row) value = values[k];
          else value += speed += values[k];
          values[k] = value * pitch;
        }
      }
      for (let k = row + 1; k < row + body.steps; k++) this.look[k] += this.look[k - 1];
      row += body.steps;
    });
    [this.x, this.y, this.angle] = [dx, dy, turn];
  }

  #readPoints(stream) {
    const { pitch = 1, gap_pitch: gapPitch = 1, turn = 1, doubling = 1, least_impulse: least = 0 } = this.points;
    const first = summed(stream("track_first")), a = summed(stream("track_a")), b = summed(stream("track_b"));
    const pair = summed(stream("track_pair")), length = stream("track_steps");
    const columns = ["x", "y", "separation", "impulse", "tangent", "normal"].map((name) => stream(`point_${name}`));
    const n = columns[0].length, end = new Int32Array(first.length), step = new Int32Array(n), track = new Int32Array(n);
    for (let t = 0, row = 0; t < first.length; t++) {
      end[t] = first[t] + length[t];
      for (let k = 0; k < length[t]; k++, row++) {
        step[row] = first[t] + k;
        track[row] = t;
        if (k > 0) for (const column of columns) column[row] += column[row - 1];
      }
    }
    const [x, y, separation, impulse, tangent, normal] = columns;
    const carrier = a.map((each, t) => (this.bodies[b[t]].kind === "static" ? each : b[t])); // the body that a point rides on
    this.tracks = { first, end, a, b, pair, carrier, began: grouped(first, first.length, this.steps), ended: grouped(end, end.length, this.steps + 1) };
    const newton = (value) => Math.sign(value) * least * (2 ** (Math.abs(value) / doubling) - 1);
    this.bodiesOfPair = new Map(Array.from(pair, (number, t) => [number, [this.bodies[a[t]], this.bodies[b[t]]]]));
    this.contacts = {
      track, byStep: grouped(step, n, this.steps),
      x: (row) => pitch * x[row], y: (row) => pitch * y[row], separation: (row) => gapPitch * separation[row],
      normal: (row) => normal[row] * (2 * Math.PI / turn), impulse: (row) => newton(impulse[row]), tangent: (row) => newton(tangent[row]),
    };
    this.loudest = new Float64Array(this.steps + 1); // the largest impulse of each step
    for (let row = 0; row < n; row++) this.loudest[step[row]] = Math.max(this.loudest[step[row]], Math.abs(newton(impulse[row])));
  }

  #readEvents() {
    this.events = this.events.map(([step, a, b, kind]) => ({ step, a, b, sensor: kind > 1, isEnd: kind % 2 === 1 }));
    this.events.push(...this.notes);
    this.events.sort((one, other) => one.step - other.step);
    this.began = new Int32Array(this.steps + 1);
    for (const event of this.events) if (event.isEnd === false) this.began[event.step]++;
    this.differencesAt = Array.from({ length: this.steps + 1 }, () => []);
    for (const difference of this.differences) {
      for (let k = 0; k < difference.steps; k++) this.differencesAt[difference.first + k].push(difference);
    }
  }

  // Whether a body exists at a time, in steps.
  has(body, time) {
    return body.first <= Math.ceil(time) && Math.ceil(time) <= body.last;
  }

  // Whether a body exists, and its center is in the part of its world that is shown.
  isShown(body, time) {
    const { window } = this.stages[body.stage], isThere = this.has(body, time);
    if (!window || !isThere) return isThere;
    const [x, y] = this.centerOf(body, time), [ox, oy] = body.offset;
    return x - ox >= window[0] && x - ox <= window[2] && y - oy >= window[1] && y - oy <= window[3];
  }

  // Center of mass and angle at a time, in the view: straight from one step to the next but for impacts, as the window draws it.
  centerOf(body, time) {
    const after = body.row + Math.min(Math.ceil(time), body.last), before = body.row + Math.max(Math.floor(time), body.first);
    const share = before < after ? time - Math.floor(time) : 0;
    const bends = share && this.bendsAt.get(body.index * (this.steps + 1) + Math.ceil(time));
    if (bends) return this.#bent(body, bends, before, after, share);
    const between = (values) => values[before] + share * (values[after] - values[before]);
    return [between(this.x) + body.offset[0], between(this.y) + body.offset[1], between(this.angle)];
  }

  #bent({ offset: [ox, oy] }, bends, before, after, share) {
    const place = (row) => [this.x[row], this.y[row], this.angle[row]], path = [[0, ...place(before)], ...bends, [1, ...place(after)]];
    const next = Math.max(path.findIndex(([fraction]) => fraction >= share), 1), [from, ...start] = path[next - 1], [to, ...end] = path[next];
    const part = to > from ? (share - from) / (to - from) : 1;
    return start.map((value, k) => value + part * (end[k] - value) + [ox, oy, 0][k]);
  }

  // Numbers of the figures that the demo drew at a step, behind its bodies and over them.
  drawingAt(step) {
    return this.drawing.steps?.findLast(([first]) => first <= step)?.[1] ?? [[], []];
  }

  // Position of the origin and angle at a whole step, in the world of the body; what `World.poses` had.
  pose(body, step) {
    const row = body.row + step, angle = this.angle[row], [x, y] = body.center, cos = Math.cos(angle), sin = Math.sin(angle);
    return [this.x[row] - (cos * x - sin * y), this.y[row] - (sin * x + cos * y), angle];
  }

  // Place of a contact point in the view; it rides on its body.
  placeOf(row, time) {
    const [x, y] = this.centerOf(this.bodies[this.tracks.carrier[this.contacts.track[row]]], time);
    return [x + this.contacts.x(row), y + this.contacts.y(row)];
  }

  // Rows of the contact points at a time: those of the step that is under way.
  pointsAt(time) {
    const { starts, order } = this.contacts.byStep, step = Math.ceil(time);
    return order.subarray(starts[step], starts[step + 1]);
  }

  // Where a difference is: at the first point of its pair, or where it was noted.
  placeOfDifference(difference, time) {
    const row = this.#rowsOfPairs(Math.ceil(time)).get(difference.pair);
    if (row !== undefined) return this.placeOf(row, time);
    const [x, y] = this.stages[difference.stage].offset;
    return [difference.at[0] + x, difference.at[1] + y];
  }

  #rowsOfPairs(step) {
    if (this.#pairs.step !== step) {
      const rows = new Map();
      for (const row of this.pointsAt(step)) {
        const pair = this.tracks.pair[this.contacts.track[row]];
        if (!rows.has(pair)) rows.set(pair, row);
      }
      this.#pairs = { step, rows };
    }
    return this.#pairs.rows;
  }

  readoutAt(step) {
    let lines = [];
    for (const [first, numbers] of this.readouts) {
      if (first > step) break;
      lines = numbers;
    }
    return lines.map((k) => this.lines[k]);
  }

  anchorsOf(joint, time) {
    const place = (index, [x, y]) => {
      const [cx, cy, angle] = this.centerOf(this.bodies[index], time), cos = Math.cos(angle), sin = Math.sin(angle);
      return [cx + cos * x - sin * y, cy + sin * x + cos * y];
    };
    const fixed = joint.at_a.findLast(([step]) => step <= Math.ceil(time)) ?? joint.at_a[0];
    const a = joint.a < 0 ? [fixed[1] + joint.offset[0], fixed[2] + joint.offset[1]] : place(joint.a, fixed.slice(1));
    const b = joint.b < 0 ? [joint.at_b[0] + joint.offset[0], joint.at_b[1] + joint.offset[1]] : place(joint.b, joint.at_b);
    return [a, b];
  }
}
