"""Measure the growth of a frame's cost with the number of boxes, with the spread of their sizes, and with how many of them move.

python -m benchmarks.broad_phase_growth FILE.png draws all three.
"""

from __future__ import annotations

import itertools
import math
import statistics
import sys
from collections.abc import Callable

import numpy as np

from benchmarks.measuring import Record, record
from benchmarks.moving_boxes import DT, SCENES, SPEED, Scene, frames_of, seconds_a_frame
from engine.broadphase import STRUCTURES, BroadPhase
from engine.common.rng import stream

__all__ = ["MOVING", "NUMBERS", "SPREADS", "run"]

NUMBERS = (1_000, 3_000, 10_000, 30_000, 100_000)
SPREADS = (1, 3, 10, 30, 100)
"""Largest size over smallest."""
MOVING = (1.0, 0.05)
"""Shares of the boxes that move in a frame."""

AMOUNT = 10_000
"""Boxes where the number does not grow."""

N_FRAMES = 4
"""Frames in a turn."""

PARTNERS = 1.0
"""Overlapping pairs per box, at any spread."""

MIN_BOXES = 1_000
"""Boxes of a quick run, and of a trial."""

LONGEST = 0.1
"""Seconds: what takes longer for a frame of 10,000 boxes is left out."""


def run(quick: bool = False) -> list[Record]:
    """Time growing numbers of boxes spread evenly, then sizes spread over a factor of 1 to 100, then all moving and one in twenty."""
    numbers, amount, rounds = (NUMBERS[:2], MIN_BOXES, 3) if quick else (NUMBERS, AMOUNT, 5)
    names = _quick_enough()
    records = []
    medians: dict[str, list[float]] = {name: [] for name in names}
    for n in numbers:
        scene = SCENES["uniform"](n)
        seconds = seconds_a_frame({name: frames_of(_made(name), scene, N_FRAMES) for name in names}, rounds, N_FRAMES)
        for name in names:
            medians[name].append(statistics.median(seconds[name]))
            records.append(record(_of_number(name, n), "ms", seconds[name]))
    for name in names:
        exponent = float(np.polyfit(np.log(numbers), np.log(medians[name]), 1)[0])
        records.append(
            record(f"{name}: exponent of growth with the number of boxes", "", [1.0 / exponent], amount=1.0, note=f"{exponent:.2f}")
        )
    for spread in SPREADS:
        scene = _spread_sizes(amount, float(spread))
        seconds = seconds_a_frame({name: frames_of(_made(name), scene, N_FRAMES) for name in names}, rounds, N_FRAMES)
        records += [record(_of_spread(name, spread), "ms", seconds[name]) for name in names]
    for share in MOVING:
        scene = SCENES["uniform"](amount)
        seconds = seconds_a_frame({name: _some_move(_made(name), scene, share) for name in names}, rounds, N_FRAMES)
        records += [record(_of_share(name, share), "ms", seconds[name]) for name in names]
    return sorted(records, key=lambda row: next(k for k, name in enumerate(names) if row.name.startswith(f"{name}: ")))


def _of_number(name: str, n: int) -> str:
    return f"{name}: {n:,} boxes"


def _of_spread(name: str, spread: int) -> str:
    return f"{name}: sizes 1 to {spread}"


def _of_share(name: str, share: float) -> str:
    return f"{name}: {share:.0%} move"


def _made(name: str) -> BroadPhase:
    return next(make for make in STRUCTURES if make.name == name)()


def _quick_enough() -> list[str]:
    """Return the structures but brute force, which grows as everybody knows, and those that a trial shows to be too slow."""
    scene = SCENES["uniform"](MIN_BOXES)
    names = []
    for make in STRUCTURES[1:]:
        tried = seconds_a_frame({make.name: frames_of(make(), scene, N_FRAMES)}, 2, N_FRAMES)[make.name]
        if min(tried) * AMOUNT / MIN_BOXES < LONGEST:
            names.append(make.name)
    return names


def _spread_sizes(n: int, spread: float) -> Scene:
    """Return squares whose sizes spread evenly in their logarithm, in a world so wide that the pairs remain as many."""
    rng = stream(0, "benchmarks", "sizes", n)
    half = 0.3 * spread ** rng.uniform(0.0, 1.0, (n, 1))
    side = math.sqrt(n * 0.5 * float(((half + half[::-1]) ** 2).mean()) * 4.0 / PARTNERS)
    centers = rng.uniform(0.0, side, (n, 2))
    return Scene(np.column_stack((centers - half, centers + half)), rng.choice((-1.0, 1.0), (n, 2)))


def _some_move(structure: BroadPhase, scene: Scene, share: float) -> Callable[[], None]:
    """Return a call that moves some boxes forth and back by `move`, other ones each frame, and asks for the pairs."""
    n = len(scene.boxes)
    structure.pairs(scene.boxes)
    ways = np.tile(scene.directions * SPEED * DT, 2)
    groups = np.array_split(stream(0, "benchmarks", "groups", n).permutation(n), round(1.0 / share))
    turns = itertools.cycle([(group, scene.boxes[group] + sign * ways[group]) for sign in (1.0, 0.0) for group in groups])

    def frames() -> None:
        for group, boxes in itertools.islice(turns, N_FRAMES):
            structure.move(group, boxes)
            structure.pairs()

    return frames


def draw(path: str) -> None:
    """Measure, and plot milliseconds a frame over boxes, over the spread of sizes, and by how many move."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot, ticker

    measured = {row.name: row.ours for row in run()}
    names = sorted({name.partition(": ")[0] for name in measured}, key=lambda name: measured[_of_number(name, NUMBERS[-1])])
    figure, panels = pyplot.subplots(1, 3, figsize=(13, 5), layout="constrained", width_ratios=(3, 3, 2))
    markers = itertools.cycle("os^vDPX*<>p")
    colors = itertools.cycle(pyplot.colormaps["tab20"].colors[::2] + pyplot.colormaps["tab20"].colors[1::2])
    for name in names:
        style = {"marker": next(markers), "markersize": 5, "color": next(colors), "linewidth": 2.5 if name == "automatic" else 1.2}
        panels[0].loglog(NUMBERS, [measured[_of_number(name, n)] for n in NUMBERS], label=name, **style)
        panels[1].loglog(SPREADS, [measured[_of_spread(name, spread)] for spread in SPREADS], **style)
        panels[2].semilogy([0, 1], [measured[_of_share(name, share)] for share in MOVING], **style)
    panels[0].set(xlabel="boxes, spread evenly, 5 overlaps each", ylabel="ms per frame", title="all move, constant density")
    panels[1].set(xlabel="largest size over smallest", title=f"{AMOUNT:,} boxes, {PARTNERS:.0f} overlaps each")
    panels[1].set_xticks(SPREADS, [str(spread) for spread in SPREADS])
    panels[1].minorticks_off()
    panels[2].set(title=f"{AMOUNT:,} boxes, by `move`", xlim=(-0.3, 1.3))
    panels[2].set_xticks([0, 1], [f"{share:.0%} move" for share in MOVING])
    for panel in panels:
        panel.grid(alpha=0.3, which="both")
        panel.yaxis.set_major_formatter("{x:g}")
    for panel in panels[1:]:  # less than a power of ten or two
        panel.yaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
        panel.yaxis.set_minor_formatter(ticker.NullFormatter())
    figure.legend(loc="outside lower center", ncols=6, fontsize=9)
    figure.savefig(path, dpi=90)


if __name__ == "__main__":
    draw(sys.argv[1])
