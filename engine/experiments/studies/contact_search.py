"""Two shortcuts in the search for contacts, timed by the complete step: collision points tested first, and a filter by the plane."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.rng import stream
from engine.experiments.studies import _block_world_kernel as world
from engine.experiments.studies.study import Finding, curve, growth, seconds_in_turn, study
from engine.geometry import Polygon
from engine.geometry.mass import polygon_mass
from engine.report import Chart, Table, Value

__all__ = ["BUFFERS", "SCENES", "Scene", "bevelled", "contact_buffer", "falling", "plane_filter", "resting"]

BUFFERS = (-1, 0, 2, 4, 8, 12)
"""Remembered collision points of each body; -1: SAT alone."""
_STEPS = 1_000
_PLAN = world.Plan(h=0.01, gravity=10.0, restitution=0.4, friction=0.5, passes=5, sweeps=5, buffer=-1, is_filtered=False)
_FLOOR = Polygon.box(20.0, 0.5)
_BOX = Polygon.box(0.5, 0.5)


class Scene:
    """Convex polygons on a floor, as they start.

    Parameters
    ----------
    shapes : sequence of Polygon
        Density 1 kg/m^2.
    poses : sequence of (x, y, angle)
        Of the centroids.
    """

    def __init__(self, shapes: Sequence[Polygon], poses: Sequence[tuple[float, float, float]]) -> None:
        everyone = (_FLOOR, *shapes)
        masses = [polygon_mass(shape.vertices, 1.0) for shape in everyone]
        first = np.cumsum([0, *(len(shape.vertices) for shape in everyone)])
        corners = np.concatenate([shape.vertices - mass.centroid for shape, mass in zip(everyone, masses, strict=True)])
        normals = np.concatenate([shape.normals for shape in everyone])
        inverse = np.array([(0.0, 0.0), *((1.0 / mass.mass, 1.0 / mass.inertia) for mass in masses[1:])])
        self._start = world.Blocks(first, corners, normals, inverse, np.array([(0.0, -0.5, 0.0), *poses]), np.zeros((len(everyone), 3)))

    def run(self, buffer: int, is_filtered: bool, n_steps: int) -> tuple[FloatArray, IntArray]:
        """Return the poses (n, 3) after so many steps from the start, the floor's first, and the counts (N_COUNTS,)."""
        blocks = self._start._replace(pose=self._start.pose.copy(), velocity=self._start.velocity.copy())
        counts: IntArray = np.zeros(world.N_COUNTS, dtype=np.int64)
        world.run_blocks(blocks, _PLAN._replace(buffer=buffer, is_filtered=is_filtered), n_steps, counts)
        return blocks.pose, counts


def resting(n_blocks: int, block: Polygon = _BOX) -> Scene:
    """Return a tower of blocks, each one meter high, every other one 2 cm to the side."""
    return Scene([block] * n_blocks, [(0.02 * (level % 2), 0.5 + level, 0.0) for level in range(n_blocks)])


def falling() -> Scene:
    """Return five boxes above each other in the air, which fall, bounce and come to rest."""
    rng = stream(0, "contact search", "falling")
    return Scene([_BOX] * 5, [(float(rng.uniform(-0.4, 0.4)), 1.5 + 1.6 * level, float(rng.uniform(-0.6, 0.6))) for level in range(5)])


def bevelled(n_vertices: int) -> Polygon:
    """Return a square block of one meter, its corners cut such that it has so many vertices, a multiple of 4."""
    per_corner = n_vertices // 4
    cut = 0.0 if per_corner == 1 else 0.15
    corners = []
    for quarter in range(4):
        angles = 0.5 * math.pi * (quarter + (np.arange(per_corner) / max(per_corner - 1, 1)))
        middle = 0.5 * math.pi * (quarter + 0.5)
        at = math.sqrt(2.0) * (0.5 - cut) * np.array([math.cos(middle), math.sin(middle)])
        reach = np.column_stack((np.cos(angles), np.sin(angles))) * cut
        corners.append(at + reach)
    return Polygon(np.concatenate(corners))


SCENES: dict[str, Callable[[], Scene]] = {
    "A: three boxes at rest": lambda: resting(3),
    "B: five boxes fall and come to rest": falling,
    "A with 16 corners": lambda: resting(3, bevelled(16)),
}


@study(
    "testing the last collision points first",
    "2015 (2.1.4), with buffers of 0, 2, 4, 8 and 12 collision points per body: a buffer saves up to 25 % of the step time, most when "
    "bodies are at rest; 4 points are best.",
)
def contact_buffer(quick: bool) -> Finding:
    """Each scene runs 1,000 steps with each size of the buffer, in turn; the same motion results."""
    scenes, n_steps, rounds = (list(SCENES)[:1], 20, 1) if quick else (list(SCENES), _STEPS, 15)
    rows: list[tuple[Value, ...]] = []
    saved: dict[str, list[float]] = {}
    looks: dict[str, list[float]] = {}
    for name in scenes:
        scene = SCENES[name]()
        seconds = seconds_in_turn({str(size): partial(scene.run, size, False, n_steps) for size in BUFFERS}, rounds)
        counts = {size: scene.run(size, False, n_steps)[1] for size in BUFFERS}
        alone, all_looks = max(seconds["-1"], 1e-12), counts[-1][world.LOOKS]
        saved[name] = [100.0 * (1.0 - seconds[str(size)] / alone) for size in BUFFERS]
        looks[name] = [100.0 * (1.0 - float(counts[size][world.LOOKS] / all_looks)) for size in BUFFERS]
        for at, size in enumerate(BUFFERS):
            of_tests = 100.0 / int(counts[size][world.TESTS])
            yes, by_points = (of_tests * int(counts[size][which]) for which in (world.YES, world.POINT_HITS))
            us, n_looks = 1e6 * seconds[str(size)] / n_steps, int(counts[size][world.LOOKS]) / n_steps
            rows.append((name, "SAT alone" if size < 0 else size, us, saved[name][at], n_looks, looks[name][at], yes, by_points))
    charts = (
        Chart("time of a step", "cached points", "saved, %", tuple(curve(name, BUFFERS[1:], saved[name][1:]) for name in scenes)),
        Chart("comparisons in a step", "cached points", "saved, %", tuple(curve(name, BUFFERS[1:], looks[name][1:]) for name in scenes)),
    )
    best = {name: max(zip(saved[name], BUFFERS, strict=True)) for name in scenes}
    sentences = tuple(
        f"{name}: testing corners first saves {saved[name][1]:.0f} % of the time and {looks[name][1]:.0f} % of the "
        "comparisons; with 4 cached points, "
        f"it saves {saved[name][3]:.0f} and {looks[name][3]:.0f} %. The best size is {best[name][1]} (published: 4, at most 25 %)."
        for name in scenes
    )
    heads = (
        "scene",
        "cached points",
        "us per step",
        "saved, %",
        "comparisons per step",
        "saved, %",
        "tests with overlap, %",
        "by points, %",
    )
    return Finding((Table(f"mean of {n_steps} steps", heads, tuple(rows)),), charts, sentences)


@study(
    "corners and edges filtered by the separating plane",
    "2015 (2.2.3): for 2 to 5 resting blocks, filtering vertices and edges by the plane reduces O(V F) + O(E^2) to about linear.",
)
def plane_filter(quick: bool) -> Finding:
    """Towers run 1,000 steps with and without the filter, in turn; the same motion results. Overlap is tested by corners first."""
    numbers, corners, n_steps, rounds = ((2,), (4, 8), 20, 1) if quick else ((2, 3, 4, 5), (4, 8, 16, 32), _STEPS, 15)
    tall, rows = numbers[-1], []
    ratios: dict[tuple[int, int], float] = {}
    searched: dict[tuple[int, bool], float] = {}
    for n_blocks, n_corners in (*((n, 4) for n in numbers), *((tall, n) for n in corners[1:])):
        scene = resting(n_blocks, bevelled(n_corners))
        seconds = seconds_in_turn({str(way): partial(scene.run, 0, way, n_steps) for way in (False, True)}, rounds)
        counts = {way: scene.run(0, way, n_steps)[1] for way in (False, True)}
        us = [1e6 * max(seconds[str(way)], 1e-12) / n_steps for way in (False, True)]
        ratios[n_blocks, n_corners] = us[0] / us[1]
        looks = {way: (int(counts[way][world.SEARCH]) / int(counts[way][world.YES])) for way in (False, True)}
        if n_blocks == tall:
            searched |= {(n_corners, way): looks[way] for way in (False, True)}
        lost = 100.0 * int(counts[True][world.LOST]) / int(counts[True][world.CONTACTS])
        rows.append((n_blocks, n_corners, *us, us[0] / us[1], looks[False], looks[True], lost))
    powers = {way: growth(corners, [searched[n, way] for n in corners]) for way in (False, True)}
    named = ((False, "all"), (True, "filtered"))
    charts = (
        Chart("towers of boxes", "blocks", "speedup", (curve("4 corners", numbers, (ratios[n, 4] for n in numbers)),)),
        Chart(
            f"{tall} blocks",
            "corners",
            "speedup",
            (curve(f"{tall} blocks", corners, (ratios[tall, n] for n in corners)),),
            (True, False),
        ),
        Chart(
            "a search for contact points",
            "corners",
            "comparisons",
            tuple(curve(name, corners, (searched[n, way] for n in corners)) for way, name in named),
            (True, True),
        ),
    )
    sentences = (
        f"The number of comparisons in a search grows as the number of corners to the power {powers[False]:.2f}, or "
        f"{powers[True]:.2f} with the filter (published: 2 and about 1).",
        f"With the filter, a step of {tall} boxes is {ratios[tall, 4]:.2f} times as fast, and {ratios[tall, corners[-1]]:.1f} times with "
        f"{corners[-1]} corners.",
        f"The published rule for edges (both ends in the band) would lose {rows[0][-1]:.0f} % of the contact points of boxes in the plane.",
    )
    heads = ("blocks", "corners", "us per step", "filtered", "speedup", "comparisons per search", "filtered", "lost by both ends, %")
    return Finding((Table(f"mean of {n_steps} steps", heads, tuple(rows), ()),), charts, sentences)
