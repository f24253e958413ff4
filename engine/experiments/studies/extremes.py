"""The farthest corner along a direction: a scan of all, a binary search, or a climb from the last one, by the number of corners."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.rng import stream
from engine.experiments.studies._extremes_kernel import BINARY, CLIMB, SCAN, find_extremes
from engine.experiments.studies.study import Finding, curve, seconds_in_turn, study
from engine.geometry import Polygon
from engine.report import Chart, Table, Value

__all__ = ["SEARCHES", "Turning", "extremes"]

SEARCHES = {"scan": SCAN, "binary search": BINARY, "climb": CLIMB}
_SIZES = (4, 8, 16, 24, 32, 48, 64, 96, 128, 256)
_TURN = math.radians(2.0)
"""Radians from a direction to the next one, if they turn slowly."""


class Turning:
    """A convex polygon, and directions that are random or turn by two degrees each.

    Attributes
    ----------
    corners, normals : float64 (n, 2)
    directions : float64 (k, 2)
    """

    def __init__(self, n_corners: int, n_directions: int, *, is_slow: bool) -> None:
        rng = stream(0, "extremes", n_corners)
        angles = 2.0 * math.pi * (np.arange(n_corners) + rng.uniform(-0.3, 0.3, n_corners)) / n_corners
        polygon = Polygon(np.column_stack((np.cos(angles), 0.5 * np.sin(angles))))
        self.corners, self.normals = polygon.vertices, polygon.normals
        turns = _TURN * np.arange(n_directions) if is_slow else rng.uniform(-math.pi, math.pi, n_directions)
        self.directions: FloatArray = np.column_stack((np.cos(turns), np.sin(turns)))

    def find(self, way: int) -> tuple[IntArray, int]:
        """Return the farthest corner for each direction, and the number of looks."""
        farthest: IntArray = np.zeros(len(self.directions), dtype=np.int64)
        return farthest, find_extremes(way, self.corners, self.normals, self.directions, farthest)


@study(
    "the farthest corner along a direction",
    "2020: a search in O(log n) pays from 32 to 64 vertices on.",
)
def extremes(quick: bool) -> Finding:
    """Each search gets the same directions, random ones or slowly turning ones, in turn."""
    sizes, n_directions, rounds = ((4, 16), 100, 1) if quick else (_SIZES, 20_000, 9)
    rows: list[tuple[Value, ...]] = []
    from_corners: dict[tuple[str, str], int | None] = {}
    ns: dict[tuple[bool, str], list[float]] = {(is_slow, name): [] for is_slow in (False, True) for name in SEARCHES}
    for is_slow in (False, True):
        kind = "2 degrees further" if is_slow else "random"
        for n in sizes:
            turning = Turning(n, n_directions, is_slow=is_slow)
            seconds = seconds_in_turn({name: partial(turning.find, way) for name, way in SEARCHES.items()}, rounds)
            for name in SEARCHES:
                ns[is_slow, name].append(1e9 * seconds[name] / n_directions)
            looks = (turning.find(way)[1] / n_directions for way in SEARCHES.values())
            rows.append((kind, n, *(ns[is_slow, name][-1] for name in SEARCHES), *looks))
        for name in list(SEARCHES)[1:]:
            pays = [n for n, other, scan in zip(sizes, ns[is_slow, name], ns[is_slow, "scan"], strict=True) if other < scan]
            from_corners[kind, name] = next((n for n in pays if all(m in pays for m in sizes if m > n)), None)
    charts = tuple(
        Chart(
            "slowly turning directions" if is_slow else "random directions",
            "corners",
            "ns",
            tuple(curve(name, sizes, ns[is_slow, name]) for name in SEARCHES),
            (True, True),
        )
        for is_slow in (False, True)
    )
    sentences = tuple(
        f"Directions {kind}: the {name} is faster than the scan from {n or 'more than ' + str(sizes[-1])} corners on (published for O(log "
        "n): 32 to 64)."
        for (kind, name), n in from_corners.items()
    )
    heads = ("directions", "corners", *(f"{name}, ns" for name in SEARCHES), *(f"{name}, looks" for name in SEARCHES))
    return Finding((Table("the farthest corner", heads, tuple(rows)),), charts, sentences)
