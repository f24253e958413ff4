// Starts every player of the page.

import { Recording, unpack } from "./data.js";
import { Player } from "./player.js";
import { RunScene } from "./run.js";
import { StepScene } from "./steps.js";

async function start(root) {
  try {
    const content = await unpack(root.querySelector("script").textContent);
    root.replaceChildren(document.getElementById("player").content.cloneNode(true));
    const isRun = content.header.kind === "run", recording = isRun ? new Recording(content) : content.header;
    if (isRun) await recording.loadPictures();
    const player = new Player(root, isRun ? new RunScene(recording) : new StepScene(recording), recording.title);
    const facts = Object.entries(recording.facts).map(([name, value]) => `${name} ${value}`).join(", ");
    player.part("watch").textContent = recording.watch;
    player.part("facts").textContent = facts;
    Object.assign(root, { player, recording });
    return player;
  } catch (error) {
    root.textContent = `This recording cannot be shown: ${error.message}`;
    console.error(error);
    return null;
  }
}

// A page with one player gives it every key, others only those pressed in a player.
const players = (await Promise.all([...document.querySelectorAll("section.player")].map(start))).filter(Boolean);
if (players.length === 1) {
  const [player] = players;
  player.hasAddress = true;
  const isPlaced = player.openAddress(), isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  addEventListener("hashchange", () => player.openAddress());
  if (!isPlaced && !isCalm && player.root.recording.kind === "run" && window === window.top) player.play(true);
  document.addEventListener("keydown", (event) => player.key(event));
}
document.documentElement.dataset.ready = "";
