"""Compares searches for the farthest corner along a direction, by the number of corners: scan, binary search and hill climbing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.rng import stream
from engine.experiments.studies._extremes_kernel import BINARY, CLIMB, SCAN, find_extremes
from engine.experiments.studies.study import Figure, Results, Row, curves, seconds_in_turn, study
from engine.geometry import Polygon
from engine.report import Chart, Table

__all__ = ["SEARCHES", "Turning", "extremes"]

SEARCHES = {"scan": SCAN, "binary search": BINARY, "climb": CLIMB}
_SIZES = (4, 8, 16, 24, 32, 48, 64, 96, 128, 256)
_PUBLISHED = "32 to 64"
_TURN = math.radians(2.0)
"""Angle between successive directions that turn slowly, rad."""


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
    f"Parać (2020, p. 12) reports Eberly's measurement that a binary search begins to pay off at {_PUBLISHED} vertices.",
)
def extremes(quick: bool) -> Results:
    """Each search gets the same directions in turn, either random or slowly turning."""
    sizes, n_directions, rounds = ((4, 16), 100, 1) if quick else (_SIZES, 20_000, 9)
    columns = {name: 2 + k for k, name in enumerate(SEARCHES)}
    rows: dict[str, list[Row]] = {}
    for kind, is_slow in (("random", False), ("turned by 2 degrees", True)):
        rows[kind] = []
        for n in sizes:
            turning = Turning(n, n_directions, is_slow=is_slow)
            seconds = seconds_in_turn({name: partial(turning.find, way) for name, way in SEARCHES.items()}, rounds)
            looks = (turning.find(way)[1] / n_directions for way in SEARCHES.values())
            rows[kind].append((kind, n, *(1e9 * seconds[name] / n_directions for name in SEARCHES), *looks))
    from_corners = {(kind, name): _pays_from(rows[kind], columns[name]) for kind in rows for name in list(SEARCHES)[1:]}
    charts = tuple(
        Chart(title, "corners", "ns", curves(rows[kind], 1, columns), (True, True))
        for title, kind in (("random directions", "random"), ("slowly turning directions", "turned by 2 degrees"))
    )
    sentences = tuple(
        f"For {'random' if kind == 'random' else 'slowly turning'} directions, the {name} becomes faster than the scan at "
        f"{n or 'more than ' + str(sizes[-1])} corners."
        for (kind, name), n in from_corners.items()
    )
    measured = from_corners["random", "binary search"]
    figures = (Figure("vertices at which a binary search becomes faster, random directions", "", _PUBLISHED, measured),)
    heads = ("directions", "corners", *(f"{name}, ns" for name in SEARCHES), *(f"{name}, products" for name in SEARCHES))
    return Results((Table("the farthest corner", heads, tuple(row for kind in rows.values() for row in kind)),), charts, sentences, figures)


def _pays_from(rows: Sequence[Row], column: int) -> int | None:
    """Return the number of corners from which on a search is always faster than the scan; None if there is none."""
    slower = [k for k, row in enumerate(rows) if float(row[column] or 0.0) >= float(row[2] or 0.0)]
    first = slower[-1] + 1 if slower else 0
    return int(rows[first][1] or 0) if first < len(rows) else None
