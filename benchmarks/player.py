"""The page of a run in Chromium: its size, its first frame, and the frames while it plays.

python -m benchmarks.player 1000             # bodies, for ten seconds; --json prints the same as JSON

Script is what the page's code takes to draw a frame, raster what the browser takes to turn the drawing into pixels. Without a GPU the
browser rasters on the processor, so frames a second say less about a usual machine than both times do.
"""

from __future__ import annotations

import json
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.measuring import Record, record
from engine.common.errors import LabError
from engine.player.capture import Capture
from engine.player.page import player_page
from engine.sim.registry import find_demo

__all__ = ["measure", "run"]

_SECONDS = 10.0
_SIZE = 1280, 720
_FIRST_FRAME = """
new MutationObserver(() => requestAnimationFrame(() => setTimeout(() => (window.firstFrame ??= performance.now()))))
  .observe(document, { attributes: true, subtree: true, attributeFilter: ["data-ready"] });
"""
_PLAY = """
new Promise((done) => {
  const player = document.querySelector("section").player, draw = player.draw.bind(player);
  const script = [], frames = [], start = performance.now();
  player.draw = () => {
    const before = performance.now();
    draw();
    script.push(performance.now() - before);
  };
  const frame = (now) => {
    frames.push(now);
    if (now - start < 5000) return requestAnimationFrame(frame);
    player.play(false);
    player.draw = draw;
    done([script, frames]);
  };
  player.seek(0);
  player.play(true);
  requestAnimationFrame(frame);
})
"""
_RASTER = """
(() => {
  const player = document.querySelector("section").player, ctx = player.canvas.getContext("2d"), raster = [];
  for (let k = 0; k < 40; k++) {
    player.time = (k * player.scene.steps) / 40;
    player.draw();
    const before = performance.now();
    ctx.getImageData(0, 0, 1, 1);
    raster.push(performance.now() - before);
  }
  return raster;
})()
"""


def run(quick: bool = False) -> list[Record]:
    """Measure the page of 1,000 bodies, with `quick` of 40."""
    result = measure(40 if quick else 1000)
    size = f"{result['bytes'] / 1e3:,.0f} kB"
    note = f"{result['bodies']:,} bodies for {_SECONDS:g} s, {size}, {result['frames_per_second']:.0f} frames per second"
    names = {"first_frame_ms": "first frame", "script_ms": "script per frame", "raster_ms": "raster per frame"}
    return [record(f"page, {name}", "ms", [result[key] / 1e3], note=note) for key, name in names.items()]


def measure(count: int) -> dict[str, Any]:
    """Measure the page of ten seconds of so many bodies; milliseconds, bytes and frames a second.

    Raises
    ------
    LabError
        There is no browser.
    """
    from tests.chromium import PROGRAM, browser
    from tests.waiting import until

    if PROGRAM is None:
        raise LabError("the page needs Chromium or Chrome, and neither is installed")
    demo = find_demo("simple_shapes")(0, {"count": count})
    capture = Capture(demo)
    for _ in range(round(_SECONDS / demo.step_seconds)):
        demo.sim.step()
        capture.update()
    content = player_page(demo.title, [capture.packed()]).encode()
    with tempfile.TemporaryDirectory() as folder, browser() as tab:
        page = Path(folder) / "page.html"
        page.write_bytes(content)
        tab.look(*_SIZE)
        tab.call("Performance.enable")
        tab.call("Page.addScriptToEvaluateOnNewDocument", source=_FIRST_FRAME)
        before = _processor_seconds(tab)
        tab.open(page, "#t=0")
        wall = until(lambda: tab.run("window.firstFrame"))
        opening = 1e3 * (_processor_seconds(tab) - before)
        script, frames = tab.run(_PLAY)
        raster = tab.run(_RASTER)
    gaps = [later - earlier for earlier, later in pairwise(frames)]
    return {
        "bodies": count,
        "bytes": len(content),
        "first_frame_ms": wall,
        "first_frame_processor_ms": opening,
        "script_ms": _quantile(script, 0.5),
        "script_p95_ms": _quantile(script, 0.95),
        "raster_ms": _quantile(raster, 0.5),
        "frames_per_second": 1e3 * len(gaps) / sum(gaps),
        "frame_p95_ms": _quantile(gaps, 0.95),
    }


def _processor_seconds(tab: Any) -> float:
    return next(metric["value"] for metric in tab.call("Performance.getMetrics")["metrics"] if metric["name"] == "ProcessTime")


def _quantile(values: list[float], share: float) -> float:
    return sorted(values)[round(share * (len(values) - 1))]


def main(arguments: list[str]) -> int:
    """Print the measurements of as many bodies as the arguments say, 1,000 by default."""
    counts = [int(argument) for argument in arguments if argument != "--json"]
    try:
        result = measure(counts[0] if counts else 1000)
    except LabError as error:
        print(error, file=sys.stderr)
        return 1
    if "--json" in arguments:
        print(json.dumps(result))
        return 0
    print(f"{result['bodies']:,} bodies, {_SECONDS:g} s: {result['bytes'] / 1e3:,.0f} kB")
    print(f"first frame after {result['first_frame_ms']:.0f} ms, {result['first_frame_processor_ms']:.0f} ms of processor time")
    print(
        f"per frame: {result['script_ms']:.1f} ms of script (95 %: {result['script_p95_ms']:.1f}), {result['raster_ms']:.1f} ms of raster"
    )
    print(f"{result['frames_per_second']:.0f} frames per second, 95 % within {result['frame_p95_ms']:.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
