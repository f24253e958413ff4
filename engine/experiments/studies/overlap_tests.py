"""Repeats Table 7.1 of Ostroški (2010, p. 48-49) in the plane: three overlap tests of two equally refined bodies that bounce in a box."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from engine.bounding import smallest_circle
from engine.common.arrays import FloatArray, IntArray
from engine.common.rng import stream
from engine.experiments.studies import _overlap_tests_kernel as tests
from engine.experiments.studies.study import Figure, Results, curves, growth, seconds_in_turn, study
from engine.geometry.mass import polygon_mass
from engine.report import Chart, Table

__all__ = ["PUBLISHED", "SIZES", "TESTS", "Boxes", "overlap_tests"]

TESTS = {"all pairs of edges": tests.EDGES, "circle, then pairs": tests.CIRCLE_THEN_EDGES, "GJK": tests.GJK, "no test": tests.NOTHING}
PAIRS, CIRCLE, YES_OR_NO = list(TESTS)[:3]

SIZES = (8, 16, 24, 32, 40, 48, 56, 64, 72, 80)
PUBLISHED = {
    PAIRS: (11.35, 26.31, 48.89, 79.67, 117.54, 164.06, 216.99, 296.23, 403.87, 524.69),
    CIRCLE: (8.55, 15.81, 23.41, 36.65, 44.98, 64.38, 77.55, 102.74, 121.49, 150.34),
    YES_OR_NO: (8.62, 11.61, 13.67, 16.58, 19.59, 22.38, 25.67, 29.63, 32.07, 34.12),
}
"""Table 7.1: mean time of ten thousand iterations by the number of triangles of each of the two bodies; the unit is not stated."""

_SIDE, _REACH = 10.0, 0.155
"""Side of the box, m, and the circumradius of a body as a share of it: that of two octahedra that fill 1 % of a cube."""
_FLAT = 4.0
"""Aspect ratio of a body. An octahedron fills 32 % of its sphere; a flat polygon fills 25 % of its circle, and a round one all of it."""
_STEP, _SPEED, _SPIN = 0.002, 10.0, 3.0
"""s; m/s and rad/s at most."""


class Boxes:
    """Square boxes with two bodies each at random places with random velocities.

    Attributes
    ----------
    pair : Pair
    pose, velocity : float64 (k, 2, 3)
        At the start.
    """

    def __init__(self, n_edges: int, n_boxes: int, *, is_crowded: bool = False) -> None:
        rng = stream(0, "overlap tests", n_boxes)
        corners, circle = _polygon(n_edges), smallest_circle(_polygon(n_edges))
        mass = polygon_mass(corners, 1.0)
        inverse = np.array([(1.0 / mass.mass, 1.0 / mass.inertia)] * 2)
        self.pair = tests.Pair(corners, corners.copy(), np.array([(*circle.core[0], circle.radius)] * 2), inverse)
        reach = _REACH * _SIDE
        half = 1.5 * reach if is_crowded else 0.5 * _SIDE - reach
        self.pose, self.velocity = np.empty((n_boxes, 2, 3)), np.empty((n_boxes, 2, 3))
        for box in range(n_boxes):
            while True:
                places = rng.uniform(-half, half, (2, 2))
                if is_crowded or math.dist(*places) > 2.0 * reach:
                    break
            self.pose[box, :, :2], self.pose[box, :, 2] = places, rng.uniform(-math.pi, math.pi, 2)
            way, speed = rng.uniform(-math.pi, math.pi, 2), rng.uniform(0.5 * _SPEED, _SPEED, 2)
            self.velocity[box, :, :2] = np.column_stack((speed * np.cos(way), speed * np.sin(way)))
            self.velocity[box, :, 2] = rng.uniform(-_SPIN, _SPIN, 2)

    def run(self, test: int, n_steps: int) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return the counts (k, N_COUNTS) of `n_steps` steps, and the poses and velocities (k, 2, 3) after them."""
        pose, velocity = self.pose.copy(), self.velocity.copy()
        counts: IntArray = np.zeros((len(pose), tests.N_COUNTS), dtype=np.int64)
        tests.bounce(test, n_steps, _STEP, 0.5 * _SIDE, self.pair, pose, velocity, counts)
        return counts, pose, velocity


def _polygon(n_edges: int) -> FloatArray:
    """Return a flat polygon: a regular one compressed along y."""
    angles = 2.0 * math.pi * np.arange(n_edges) / n_edges
    return _REACH * _SIDE * np.column_stack((np.cos(angles), np.sin(angles) / _FLAT))


@study(
    "overlap of convex polygons, 8 to 80 edges",
    "Ostroški (2010), Table 7.1: the mean time of ten thousand iterations with two bodies of n triangles each in a cube: all pairs of "
    "triangles, the smallest sphere first, and GJK.",
)
def overlap_tests(quick: bool) -> Results:
    """Two polygons with n edges each have his octahedra's circumradius; every test runs the same 10,000 steps of 2 ms in turn."""
    sizes, n_boxes, n_steps, rounds = ((8, 16), 1, 200, 1) if quick else (SIZES, 4, 10_000, 3)
    ns: dict[str, list[float]] = {name: [] for name in TESTS}
    looks: dict[str, list[float]] = {name: [] for name in TESTS}
    shares: list[tuple[float, float]] = []
    for n in sizes:
        boxes, total = Boxes(n, n_boxes), n_boxes * n_steps
        seconds = seconds_in_turn({name: partial(boxes.run, test, n_steps) for name, test in TESTS.items()}, rounds)
        counts = {name: boxes.run(test, n_steps)[0].sum(axis=0) for name, test in TESTS.items()}
        for name in TESTS:
            ns[name].append(1e9 * max(seconds[name], 1e-9) / total)
            looks[name].append(float(counts[name][tests.LOOKS]) / total)
        shares.append((100.0 * counts[CIRCLE][tests.CIRCLE_HITS] / total, 100.0 * counts[PAIRS][tests.HITS] / total))
    columns = {name: 1 + k for k, name in enumerate(PUBLISHED)}
    theirs = {name: [time / PUBLISHED[PAIRS][0] for time in PUBLISHED[name]] for name in PUBLISHED}
    ours = {name: [time / ns[PAIRS][0] for time in ns[name]] for name in PUBLISHED}
    rows = {
        title: [(n, *row) for n, *row in zip(sizes, *times.values(), strict=False)] for title, times in (("2010", theirs), ("here", ours))
    }
    charts = tuple(
        Chart(title, "edges or triangles of each body", "relative to all pairs at 8", curves(values, 0, columns), (True, True))
        for title, values in rows.items()
    )
    powers = {name: (growth(SIZES, PUBLISHED[name]), growth(sizes, ns[name])) for name in PUBLISHED}
    last = sizes[-1]
    figures = (
        *(Figure(f"exponent of growth of a step, {name}", "", *both) for name, both in powers.items()),
        *(
            Figure(f"time at {last}, {name}, relative to all pairs at 8", "times", theirs[name][SIZES.index(last)], ours[name][-1])
            for name in PUBLISHED
        ),
    )
    circles = [circle for circle, _ in shares]
    implied = [100.0 * (circle - gjk) / (pairs - gjk) for pairs, circle, gjk in zip(*PUBLISHED.values(), strict=True)][1:]
    sentences = (
        "Exponents of growth (published, here): " + "; ".join(f"{name} {a:.2f}, {b:.2f}" for name, (a, b) in powers.items()) + ".",
        f"The published times imply overlapping spheres in {min(implied):.0f} to {max(implied):.0f} % of the steps from 16 triangles on; "
        f"here, circles overlap in {min(circles):.0f} to {max(circles):.0f} %, and the polygons in "
        f"{min(hit for _, hit in shares):.1f} to {max(hit for _, hit in shares):.1f} %.",
    )
    heads = tuple(f"{name}, {where}" for name in PUBLISHED for where in ("2010", "here"))
    beside = tuple(
        (n, *(cost for both in zip(row, mine, strict=True) for cost in both))
        for (n, *row), (_, *mine) in zip(rows["2010"], rows["here"], strict=False)
    )
    tables = (
        Table("mean time of a step relative to all pairs at 8", ("n", *heads), beside, ()),
        Table("ns per step", ("n", *TESTS), tuple((n, *row) for n, *row in zip(sizes, *ns.values(), strict=True))),
        Table(
            "comparisons of a corner with a line per step",
            ("n", *TESTS),
            tuple((n, *r) for n, *r in zip(sizes, *looks.values(), strict=True)),
        ),
        Table("overlaps, % of the steps", ("n", "circles", "polygons"), tuple((n, *share) for n, share in zip(sizes, shares, strict=True))),
    )
    return Results(tables, charts, sentences, figures)
