"""Overlap of convex polygons: edge against edge, a bounding circle first, GJK with a cached witness, by the number of vertices."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from engine.common.arrays import IntArray
from engine.common.rng import stream
from engine.experiments.studies._overlap_tests_kernel import (
    CIRCLE_THEN_EDGES,
    CIRCLE_THEN_GJK,
    CIRCLES,
    EDGES,
    GJK,
    KEPT_GJK,
    SAT,
    count_overlaps,
)
from engine.experiments.studies.study import Finding, growth, seconds_in_turn, study
from engine.geometry import Polygon
from engine.query import batch
from engine.report import Chart, Curve, Table, Value

__all__ = ["TESTS", "Passes", "overlap_tests"]

TESTS = {
    "edge against edge": EDGES,
    "circle, then edges": CIRCLE_THEN_EDGES,
    "GJK": GJK,
    "GJK, cached witness": KEPT_GJK,
    "circle, then that": CIRCLE_THEN_GJK,
    "SAT": SAT,
}
_SIZES = (8, 16, 24, 40, 56, 80)
_PAIRS, _FRAMES, _ROUNDS = 48, 72, 5
_SPEED, _SPIN = 2.0 / 60.0, 1.0 / 60.0
"""Relative motion of the polygons: m and rad per frame, 2 m/s and up to 1 rad/s at 60 frames a second."""
_RADII, _FLAT = (0.25, 0.5), 4.0
"""Meters of a round one; how many times longer than wide a flat one is."""


class Passes:
    """Pairs of polygons, each of which passes the other in the course of the frames, some through it.

    Attributes
    ----------
    shapes : ShapeBatch
        Two for each pair, with the origin at the centroid.
    pairs : int64 (n, 2)
    poses_a, poses_b : float64 (frames * n, 4)
        x, y, cos, sin.
    """

    def __init__(self, n_vertices: int, is_flat: bool, n_pairs: int, n_frames: int) -> None:
        rng = stream(0, "overlap tests", n_vertices, int(is_flat))
        self.shapes = batch.ShapeBatch(_polygon(rng, n_vertices, is_flat) for _ in range(2 * n_pairs))
        self.pairs: IntArray = np.arange(2 * n_pairs).reshape(-1, 2)
        way = rng.uniform(0.0, 2.0 * math.pi, n_pairs)
        beside = rng.uniform(-1.0, 1.0, n_pairs)
        angles, spins = rng.uniform(0.0, 2.0 * math.pi, (2, n_pairs)), rng.uniform(-_SPIN, _SPIN, (2, n_pairs))
        poses = []
        for frame in range(n_frames):
            along = (frame - 0.5 * n_frames) * _SPEED
            x, y = along * np.cos(way) - beside * np.sin(way), along * np.sin(way) + beside * np.cos(way)
            turns = angles + frame * spins
            poses.append([np.column_stack((k * x, k * y, np.cos(turns[k]), np.sin(turns[k]))) for k in (0, 1)])
        self.poses_a, self.poses_b = (np.concatenate([frame[k] for frame in poses]) for k in (0, 1))

    def asked(self, test: int) -> tuple[IntArray, int]:
        """Return what a test says (frames * n,), and the steps of GJK."""
        answers = np.zeros(len(self.poses_a), dtype=np.int64)
        _, steps = count_overlaps(test, self.shapes.packed.arrays, self.pairs, self.poses_a, self.poses_b, answers)
        return answers, steps


def _polygon(rng: np.random.Generator, n_vertices: int, is_flat: bool) -> Polygon:
    """Return a polygon whose corners lie on a circle at irregular angles; a flat one is squeezed to a quarter."""
    angles = 2.0 * math.pi * (np.arange(n_vertices) + rng.uniform(-0.3, 0.3, n_vertices)) / n_vertices
    corners = rng.uniform(*_RADII) * np.column_stack((np.cos(angles), np.sin(angles) / (_FLAT if is_flat else 1.0)))
    return Polygon(corners - Polygon(corners).centroid)


@study(
    "overlap of convex polygons, 8 to 80 vertices",
    "Table 7.1 (2010) compares edge against edge, a bounding circle first, and GJK with a cached witness, for 8 to 80 vertices.",
)
def overlap_tests(quick: bool) -> Finding:
    """Pairs pass each other at 60 frames a second, round ones and flat ones; all tests are asked of the same frames, in turn."""
    sizes, n_pairs, n_frames, rounds = ((8, 16), 6, 12, 1) if quick else (_SIZES, _PAIRS, _FRAMES, _ROUNDS)
    rows: list[tuple[Value, ...]] = []
    growths: list[tuple[Value, ...]] = []
    counted: list[tuple[Value, ...]] = []
    charts, ratios, false_hits, steps_of = [], {}, {}, {}
    for is_flat in (False, True):
        kind = "flat, 4 : 1" if is_flat else "round"
        costs: dict[str, list[float]] = {name: [] for name in TESTS}
        for n in sizes:
            passes = Passes(n, is_flat, n_pairs, n_frames)
            xf_a, xf_b = (np.column_stack((p[:, :2], np.arctan2(p[:, 3], p[:, 2]))) for p in (passes.poses_a, passes.poses_b))
            true = batch.overlap(passes.shapes, np.tile(passes.pairs, (n_frames, 1)), xf_a, xf_b)
            circles, crossing = passes.asked(CIRCLES)[0] == 1, passes.asked(EDGES)[0] == 1
            false_hits[kind, n] = float((circles & ~true).sum() / circles.sum())
            steps = [passes.asked(test)[1] / len(true) for test in (GJK, KEPT_GJK)]
            steps_of[kind, n] = steps
            counted.append((kind, n, float(true.mean()), 100.0 * false_hits[kind, n], int((true & ~crossing).sum()), *steps))
            seconds = seconds_in_turn({name: partial(passes.asked, test) for name, test in TESTS.items()}, rounds)
            for name in TESTS:
                costs[name].append(1e9 * seconds[name] / len(true))
            rows.append((kind, n, *(costs[name][-1] for name in TESTS)))
            ratios[kind, n] = {name: costs[name][-1] / max(costs["edge against edge"][-1], 1e-9) for name in TESTS}
        growths.append((kind, *(growth(sizes, np.maximum(costs[name], 1e-9)) for name in TESTS)))
        curves = tuple(Curve(name, tuple(map(float, sizes)), tuple(costs[name])) for name in TESTS)
        charts.append(Chart(f"{kind}: one test", "vertices of each", "ns", curves, (True, True)))
    shares = tuple(
        Curve(kind, tuple(map(float, sizes)), tuple(100.0 * false_hits[kind, n] for n in sizes)) for kind in ("round", "flat, 4 : 1")
    )
    charts.append(Chart("false hits of the circle", "vertices of each", "% of its hits", shares, (True, False)))
    last = sizes[-1]
    kept = "GJK, cached witness"
    sentences = (
        f"At {last} vertices, a cached witness makes GJK {1.0 / ratios['round', last][kept]:.0f} times as fast as edge against edge on "
        "round "
        f"pairs, {1.0 / ratios['flat, 4 : 1', last][kept]:.0f} times on flat ones; at {sizes[0]} "
        f"{1.0 / ratios['round', sizes[0]][kept]:.1f} and {1.0 / ratios['flat, 4 : 1', sizes[0]][kept]:.1f} times.",
        f"Testing the circle first saves {100.0 * (1.0 - ratios['round', last]['circle, then edges']):.0f} % of edge against edge for "
        "round pairs and "
        f"{100.0 * (1.0 - ratios['flat, 4 : 1', last]['circle, then edges']):.0f} % for flat ones, at {last} vertices.",
        f"Of the circle's hits, {100.0 * false_hits['round', sizes[0]]:.0f} % are false for round pairs of {sizes[0]} vertices, "
        f"{100.0 * false_hits['round', last]:.1f} % for {last}; for flat ones {100.0 * false_hits['flat, 4 : 1', sizes[0]]:.0f} and "
        f"{100.0 * false_hits['flat, 4 : 1', last]:.0f} %.",
    )
    names = tuple(TESTS)
    tables = (
        Table("ns per pair and frame", ("polygons", "vertices", *names), tuple(rows)),
        Table("growth: exponent of the cost over the number of vertices", ("polygons", *names), tuple(growths)),
        Table(
            "counted",
            (
                "polygons",
                "vertices",
                "share overlapping",
                "false hits of the circle, %",
                "containment that edges miss",
                "steps of GJK",
                "of kept",
            ),
            tuple(counted),
        ),
    )
    return Finding(tables, tuple(charts), sentences)
