// Rows of planck.js for the table of `python main.py engines`:
//
//     npm install planck && node examples/planck_rows.js > rows.json
//     python main.py engines --rows rows.json
//
// Each function repeats a row of engine/experiments/engines with the same scene, settings and verdict.
const { World, Vec2, Box, Circle, Edge, Chain, Polygon } = require("planck");
const { readFileSync } = require("fs");
const version = JSON.parse(readFileSync(require.resolve("planck").replace(/planck[\\/]dist.*/, "planck/package.json"))).version;
const cells = [];
const STEP = 1 / 60;

function cell(test, row, settings, value, passes) {
  cells.push({ test, row, settings, value, verdict: passes ? "passes" : "fails" });
}

function empty(gravity) {
  return new World({ gravity: new Vec2(0, gravity), allowSleep: false });
}

// -- shots: discs of 5 cm radius at a target 5 cm thick ---------------------------------------------------------------

function shot(kind, speed, phase, bullet, sensor) {
  const world = empty(0);
  const target = world.createBody({ type: kind });
  target.createFixture(new Box(0.025, 1.05), { density: 4, isSensor: sensor });
  const start = -(Math.max(2, Math.min(48, Math.round(4 / (speed * STEP)))) + phase) * speed * STEP;
  const disc = world.createBody({ type: "dynamic", position: new Vec2(start, 0), linearVelocity: new Vec2(speed, 0), bullet });
  disc.createFixture(new Circle(0.05), { density: 5 });
  let felt = false;
  world.on("begin-contact", () => { felt = true; });
  for (let k = 0; k < 60; k++) {
    world.step(STEP, 8, 3);
    const x = disc.getPosition().x - target.getPosition().x;
    if (x > 0.025) return { through: true, felt };
  }
  return { through: false, felt };
}

function share(n, of) {
  let sum = 0;
  for (let k = 0; k < n; k++) sum += of((k + 0.5) / n) ? 1 : 0;
  return sum / n;
}

for (const [settings, bullet] of [["default", false], ["recommended", true]]) {
  for (const speed of [20, 60, 110, 200, 400]) {
    for (const kind of ["static", "dynamic"]) {
      const value = share(40, (phase) => shot(kind, speed, phase, bullet, false).through);
      cell("tunneling", `${kind}_${speed}`, settings, value, value === 0);
    }
  }
  for (const speed of [5, 20, 60, 200]) {
    const value = share(8, (phase) => shot("static", speed, phase, bullet, true).felt);
    cell("sensors", `sensor_${speed}`, settings, value, value === 1);
  }
}

// -- seams: sliders at 7 m/s without friction over ten pieces of floor ------------------------------------------------

function slide(ground, slider, phase) {
  const world = empty(-10);
  const floor = world.createBody();
  const ends = Array.from({ length: 11 }, (_, k) => new Vec2(k, 0));
  if (ground === "chain") floor.createFixture(new Chain(ends), { friction: 0 });
  for (let k = 0; k < 10 && ground !== "chain"; k++) {
    const tile = new Polygon([new Vec2(k, -0.3), new Vec2(k + 1, -0.3), new Vec2(k + 1, 0), new Vec2(k, 0)]);
    floor.createFixture(ground === "tiles" ? tile : new Edge(ends[k], ends[k + 1]), { friction: 0 });
  }
  const y = 0.25 + (slider === "box" ? 0.015 : 0.005); // skins of 1 cm overlap by the slop of 5 mm
  const body = world.createBody({ type: "dynamic", position: new Vec2(0.5 + phase * 7 * STEP, y), linearVelocity: new Vec2(7, 0) });
  body.createFixture(slider === "box" ? new Box(0.25, 0.25) : new Circle(0.25), { density: 1, friction: 0 });
  for (let k = 0; k < 600 && body.getPosition().x < 9.3 && body.getLinearVelocity().x > 0; k++) world.step(STEP, 8, 3);
  return (7 - body.getLinearVelocity().x) / 7;
}

for (const slider of ["box", "disc"]) {
  for (const ground of ["tiles", "edges", "chain"]) {
    const value = Math.max(...Array.from({ length: 60 }, (_, k) => slide(ground, slider, (k + 0.5) / 60)));
    cell("seams", `${slider}_${ground}`, "default", value, Math.abs(value) <= 0.01);
  }
}

// -- slow balls of restitution 1 --------------------------------------------------------------------------------------

function rebounds(speed) {
  const world = empty(0);
  world.createBody({ position: new Vec2(0.1, 0) }).createFixture(new Box(0.1, 1), { friction: 0, restitution: 1 });
  const ball = world.createBody({ type: "dynamic", position: new Vec2(-0.75, 0), linearVelocity: new Vec2(speed, 0) });
  ball.createFixture(new Circle(0.15), { density: 1, friction: 0, restitution: 1 });
  for (let k = 0; k < 144; k++) world.step(STEP, 8, 3);
  return Math.abs(-ball.getLinearVelocity().x - speed) <= 0.05 * speed;
}

const lost = Math.max(0, ...[0.5, 0.9, 0.99, 1.0, 1.01, 1.1, 1.5, 2.0].filter((speed) => !rebounds(speed)));
cell("slow", "rebound", "default", lost, lost === 0);

console.log(JSON.stringify({
  format: "engine-rows", version: 1, engine: "planck", engine_version: version,
  machine: `${process.platform}, ${process.arch}, Node.js ${process.version}`,
  method: "examples/planck_rows.js: 8 velocity and 3 position iterations, 60 Hz; recommended: bullet flag", cells,
}, null, 1));
