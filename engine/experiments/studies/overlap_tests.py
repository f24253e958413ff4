"""Compares overlap tests of convex polygons by the number of edges: all pairs of edges, a circle first, GJK; in the scene of 2010."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from engine.bounding import BoundingCircle, diagonal_circle, smallest_circle
from engine.common.arrays import FloatArray, IntArray
from engine.common.rng import stream
from engine.experiments.studies import _overlap_tests_kernel as tests
from engine.experiments.studies.study import Figure, Results, curves, curves_by, growth, seconds_in_turn, study
from engine.geometry.mass import polygon_mass
from engine.report import Chart, Table, Value

__all__ = ["CASES", "PUBLISHED", "TESTS", "Boxes", "Case", "overlap_tests"]

TESTS = {
    "all pairs of edges": tests.EDGES,
    "circle, then pairs": tests.CIRCLE_THEN_EDGES,
    "GJK, overlap only": tests.GJK,
    "GJK, no cached support": tests.COLD_GJK,
    "circle, then GJK": tests.CIRCLE_THEN_GJK,
    "GJK, distance": tests.DISTANCE_GJK,
    "SAT": tests.SAT,
    "SAT, last edge first": tests.KEPT_SAT,
    "SAT, last edge and its neighbors first": tests.NEIGHBOR_SAT,
    "no test": tests.NOTHING,
}
PAIRS, CIRCLE, YES_OR_NO = list(TESTS)[:3]

SIZES = (8, 16, 24, 32, 40, 48, 56, 64, 72, 80)
PUBLISHED = {
    PAIRS: (11.35, 26.31, 48.89, 79.67, 117.54, 164.06, 216.99, 296.23, 403.87, 524.69),
    CIRCLE: (8.55, 15.81, 23.41, 36.65, 44.98, 64.38, 77.55, 102.74, 121.49, 150.34),
    YES_OR_NO: (8.62, 11.61, 13.67, 16.58, 19.59, 22.38, 25.67, 29.63, 32.07, 34.12),
}
"""Table 7.1 (2010): mean time of a step by the number of triangles of one body; the unit is not stated."""

_SIDE, _FILLED = 10.0, 0.01
"""Side of the box, m, and the share of its area that the two bodies fill."""
_STEP, _SPEED, _SPIN = 0.002, 10.0, 3.0
"""s; m/s and rad/s at most."""
_FLAT = 4.0
"""Aspect ratio of a flat polygon."""


class Case(NamedTuple):
    """Shape of the bodies, and whether both have n edges or one has 8."""

    is_flat: bool
    are_both_refined: bool

    @property
    def title(self) -> str:
        return ("flat" if self.is_flat else "round") + (", n and n edges" if self.are_both_refined else ", 8 and n edges")


CASES = (Case(False, False), Case(False, True), Case(True, False))


class Boxes:
    """Square boxes with two bodies each at random places with random velocities.

    Attributes
    ----------
    pair : Pair
    pose, velocity : float64 (k, 2, 3)
        At the start.
    """

    def __init__(self, case: Case, n_edges: int, n_boxes: int, *, has_diagonal_circles: bool = False, is_crowded: bool = False) -> None:
        rng = stream(0, "overlap tests", n_boxes)
        corners = [_polygon(n, case.is_flat) for n in (n_edges if case.are_both_refined else 8, n_edges)]
        around = diagonal_circle if has_diagonal_circles else smallest_circle
        circles = np.array([_row(around(polygon)) for polygon in corners])
        masses = [polygon_mass(polygon, 1.0) for polygon in corners]
        inverse = np.array([(1.0 / mass.mass, 1.0 / mass.inertia) for mass in masses])
        self.pair = tests.Pair(corners[0], corners[1], circles, inverse)
        reach = float(np.hypot(*np.concatenate(corners).T).max())
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


def _polygon(n_edges: int, is_flat: bool) -> FloatArray:
    """Return a regular polygon with half the area of two bodies, or the same stretched along x and compressed along y."""
    angles = 2.0 * math.pi * np.arange(n_edges) / n_edges
    radius = math.sqrt(_FILLED * _SIDE * _SIDE / (n_edges * math.sin(2.0 * math.pi / n_edges)))
    stretch = math.sqrt(_FLAT) if is_flat else 1.0
    return radius * np.column_stack((stretch * np.cos(angles), np.sin(angles) / stretch))


def _row(circle: BoundingCircle) -> tuple[float, float, float]:
    return *circle.center, circle.radius


@study(
    "overlap of convex polygons, 8 to 80 edges",
    "Table 7.1 (2010) gives the mean step time of two bodies in a box against the number of triangles for three tests: all pairs of "
    "triangles, a sphere first, and GJK.",
)
def overlap_tests(quick: bool) -> Results:
    """Two bodies fill 1 % of a box, and every test runs the same 10,000 steps of 2 ms in turn. See `_overlap_tests_kernel`."""
    sizes, n_boxes, n_steps, rounds = ((8, 16), 1, 200, 1) if quick else (SIZES, 8, 10_000, 5)
    rows = {(case, n): _measure(case, n, n_boxes, n_steps, rounds) for case in CASES for n in sizes}
    single, both, flat = CASES
    first, last = sizes[0], sizes[-1]
    unit, columns = rows[single, first].ns[PAIRS], {name: 1 + k for k, name in enumerate(PUBLISHED)}
    published = [(n, *(times[at] / PUBLISHED[PAIRS][0] for times in PUBLISHED.values())) for at, n in enumerate(SIZES)]
    here = {case: [(n, *(rows[case, n].ns[name] / unit for name in PUBLISHED)) for n in sizes] for case in CASES}
    false_hits = [
        (f"{circle} circle, {case.title}", n, 100.0 * rows[case, n].false_shares[at])
        for case in (single, flat)
        for at, circle in enumerate(("smallest", "diagonal"))
        for n in sizes
    ]

    def power(name: str, case: Case, quantity: str) -> float:
        return growth(sizes, [getattr(rows[case, n], quantity)[name] for n in sizes])

    named = (("published", "triangles", published), (f"here: {single.title}", "n", here[single]), (f"here: {both.title}", "n", here[both]))
    charts = (
        *(Chart(title, x, "relative to all pairs at 8", curves(values, 0, columns), (True, True)) for title, x, values in named),
        Chart("false hits", "n", "false hits, % of all hits", curves_by(false_hits, 0, 1, 2), (True, False)),
    )
    growths = [(name, growth(SIZES, PUBLISHED[name]), power(name, single, "ns"), power(name, both, "ns")) for name in PUBLISHED]
    figures = (
        *(Figure(f"exponent of growth of a step, {name}", "", published, ours) for name, published, ours, _ in growths),
        Figure(
            "ratio of all pairs to GJK, largest n",
            "times",
            PUBLISHED[PAIRS][-1] / PUBLISHED[YES_OR_NO][-1],
            rows[single, last].ns[PAIRS] / rows[single, last].ns[YES_OR_NO],
        ),
    )
    of_pairs = {case: rows[case, last].ns[PAIRS] / rows[case, last].ns[YES_OR_NO] for case in CASES}
    small, large = (tuple(100.0 * share for case in (single, flat) for share in rows[case, n].false_shares) for n in (first, last))
    sentences = (
        "Exponents of growth (published; measured for 8 and n edges; measured for n and n edges): "
        + "; ".join("{} {:.2f}, {:.2f}, {:.2f}".format(*row) for row in growths)
        + ".",
        f"With {last} edges, testing all pairs takes {of_pairs[single]:.1f} times as long as GJK, or {of_pairs[both]:.1f} times if both "
        f"bodies have as many edges; the published factor for {SIZES[-1]} is {PUBLISHED[PAIRS][-1] / PUBLISHED[YES_OR_NO][-1]:.1f}.",
        f"At {first} edges, {small[0]:.0f} % of the smallest circle's hits are false for round bodies and {small[2]:.0f} % for flat ones; "
        f"the circle from the box's diagonal has {small[1]:.0f} and {small[3]:.0f} % false hits. At {last} edges, the smallest circle "
        f"has {large[0]:.0f} and {large[2]:.0f} %, and the circle from the diagonal {large[1]:.0f} and {large[3]:.0f} %.",
        f"The published times imply overlapping spheres in {100.0 * min(_implied()[1:]):.0f} to {100.0 * max(_implied()):.0f} % of the "
        f"steps for 16 or more triangles; in our runs, circles overlap in {100.0 * rows[single, last].circle_share:.1f} % for round bodies "
        f"and in {100.0 * rows[flat, last].circle_share:.0f} % for flat ones.",
        "At {} edges, GJK needs {:.2f} support vertices per step with a cached support, {:.2f} without, and {:.2f} for the "
        "distance.".format(last, *(rows[single, last].supports[name] for name in _GJK)),
    )
    beside = tuple(
        (n, *(cost for pair in zip(theirs, ours, strict=True) for cost in pair))
        for (n, *theirs), (_, *ours) in zip(published, here[single], strict=False)
    )
    powers = tuple(
        (name, growth(SIZES, PUBLISHED[name]) if name in PUBLISHED else None)
        + tuple(power(name, case, quantity) for quantity in ("ns", "looks") for case in CASES)
        for name in TESTS
    )
    shares = tuple(
        (n, *row) for n, *row in zip(SIZES, _implied(), *([rows[c, n].circle_share for n in sizes] for c in CASES), strict=False)
    )
    heads = tuple(f"{name}, {where}" for name in PUBLISHED for where in ("2010", "here"))
    tables = (
        Table("mean time of a step (8 and n edges), relative to all pairs at 8", ("n", *heads), beside, ()),
        Table(
            "exponents of growth",
            ("test", "2010", *(f"{case.title}: {what}" for what in ("time", "comparisons") for case in CASES)),
            powers,
        ),
        Table("share of steps in which the circles overlap", ("n", "2010, implied", *(case.title for case in CASES)), shares, ()),
        _table("ns per step", TESTS, rows, lambda row: row.ns.values()),
        _table("comparisons of a corner with a line per step", TESTS, rows, lambda row: row.looks.values()),
        _table("support vertices per step", _GJK, rows, lambda row: (row.supports[name] for name in _GJK)),
        _table("overlaps, and a circle's false hits", _COUNTED, rows, lambda row: (row.hits, *row.false_hits, *row.false_shares)),
    )
    return Results(tables, charts, sentences, figures)


_GJK = ("GJK, overlap only", "GJK, no cached support", "GJK, distance")
_COUNTED = (
    "steps with overlap",
    "false hits, smallest circle",
    "false hits, diagonal circle",
    "false share, smallest circle",
    "false share, diagonal circle",
)


class _Row(NamedTuple):
    """Measurements of one case and size: nanoseconds, looks and supports per step by test, and counts of steps.

    Attributes
    ----------
    circle_share : float
        Share of steps in which the smallest circles overlap.
    false_hits, false_shares : tuple of two
        Of the smallest circles and those from the diagonals: false hits, and their share of all hits.
    """

    ns: dict[str, float]
    looks: dict[str, float]
    supports: dict[str, float]
    hits: int
    circle_share: float
    false_hits: tuple[int, ...]
    false_shares: tuple[float, ...]


def _measure(case: Case, n: int, n_boxes: int, n_steps: int, rounds: int) -> _Row:
    timed, boxes = Boxes(case, n, 1), Boxes(case, n, n_boxes)
    seconds = seconds_in_turn({name: partial(timed.run, test, n_steps) for name, test in TESTS.items()}, rounds)
    counts = {name: boxes.run(test, n_steps)[0].sum(axis=0) for name, test in TESTS.items()}
    looks, supports = ({name: int(row[at]) / (n_boxes * n_steps) for name, row in counts.items()} for at in (tests.LOOKS, tests.SUPPORTS))
    diagonal = Boxes(case, n, n_boxes, has_diagonal_circles=True).run(tests.CIRCLE_THEN_GJK, n_steps)[0].sum(axis=0)
    hits = int(counts[PAIRS][tests.HITS])
    circle_hits = [int(row[tests.CIRCLE_HITS]) for row in (counts[CIRCLE], diagonal)]
    shares = tuple((at - hits) / max(at, 1) for at in circle_hits)
    ns = {name: 1e9 * max(seconds[name], 1e-9) / n_steps for name in TESTS}
    return _Row(ns, looks, supports, hits, circle_hits[0] / (n_boxes * n_steps), tuple(at - hits for at in circle_hits), shares)


def _implied() -> list[float]:
    """Return the share of steps in which the published sphere test must have tested triangles, if the rest costs as much as GJK's step."""
    return [(circle - gjk) / (pairs - gjk) for pairs, circle, gjk in zip(*PUBLISHED.values(), strict=True)]


def _table(title: str, names: Iterable[str], rows: Mapping[tuple[Case, int], _Row], cells: Callable[[_Row], Iterable[Value]]) -> Table:
    return Table(title, ("bodies", "n", *names), tuple((case.title, n, *cells(row)) for (case, n), row in rows.items()))
