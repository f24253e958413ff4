"""Seeded rays at the shapes of a chunk; their origins serve as points too.

Half of them connect random points near the shape. The others belong to one of the families below.

==========  ======================================================================================================================
surface     start or end, or both, on a corner or an edge
along       on the line of an edge, or a circle's tangent, forward or back
beside      parallel to an edge, slightly or a skin outside or inside it
grazing     through a corner, at any angle
nothing     start and end are the same point: anywhere, on a corner or inside
short       a micrometer to a millimeter long
long        hundreds of meters, and several times the shape
==========  ======================================================================================================================
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.rng import stream
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.compare.cases.pairs import CHUNK, CaseChunk
from engine.compare.cases.shapes import CIRCLE, EDGE, POLYGON, directions, outline_of, rounded, turned
from engine.geometry import Circle, Segment

__all__ = ["RAY_FAMILIES", "RayChunk", "ray_chunk"]

RAY_FAMILIES = ("surface", "along", "beside", "grazing", "nothing", "short", "long")
"""The families of rays."""

_SHARES = (0.2, 0.08, 0.06, 0.08, 0.03, 0.04, 0.04)

_ON_SURFACE_SHARE = 0.7
"""Distances of the starts and of the ends of the family "long"."""

_FAR = 100.0
"""Meters."""

_HAIR = 1e-6
"""Meters: a few float32 spacings."""


@dataclass(frozen=True, slots=True)
class RayChunk:
    """Indices (n,) of shapes of a chunk, their kinds, poses (n, 3), and rays from origin to end (n, 2); the origins also serve as points.

    `family` is that of the ray, -1 for a random one.
    """

    indices: IntArray
    kind: IntArray
    poses: FloatArray
    origins: FloatArray
    ends: FloatArray
    family: IntArray


def ray_chunk(cases: CaseChunk, seed: int, chunk: int, with_edges: bool = True) -> RayChunk:
    """Return a ray at the first shape of each pair of `cases`; without edges, at the pair's other shape if the first is an edge."""
    rng = stream(seed, "compare", "rays", chunk)
    n = len(cases.pairs)
    is_edge = np.array([isinstance(shape, Segment) for shape in cases.shapes])
    is_circle = np.array([isinstance(shape, Circle) for shape in cases.shapes])
    is_second = is_edge[cases.pairs[:, 0]] & (not with_edges)
    indices = np.where(is_second, cases.pairs[:, 1], cases.pairs[:, 0])
    poses = np.where(is_second[:, None], cases.poses_b, cases.poses_a)
    outlines = [outline_of(shape) for shape in cases.shapes]
    centers = np.array([outline.mean(axis=0) for outline in outlines])
    reach = np.array([np.hypot(*(outline - center).T).mean() for outline, center in zip(outlines, centers, strict=True)])
    family = np.searchsorted(np.cumsum(_SHARES), rng.random(CHUNK))[:n]
    on_surface = family == RAY_FAMILIES.index("surface")
    locals_ = []
    for farthest in (3.0, 1.5):
        toward, far, is_on, at, share = (rng.random(CHUNK)[:n] for _ in range(5))
        angle = 2.0 * math.pi * toward
        local = centers[indices] + (farthest * far * reach[indices])[:, None] * directions(angle)
        for row in np.flatnonzero(on_surface & (is_on < _ON_SURFACE_SHARE)).tolist():
            outline = outlines[indices[row]]
            edge = int(at[row] * len(outline))
            along = share[row] if share[row] < 0.5 else 0.0  # half of them at a corner
            local[row] = (1.0 - along) * outline[edge] + along * outline[(edge + 1) % len(outline)]
        locals_.append(local)
    numbers = rng.random((CHUNK, 6))[:n]
    for row in np.flatnonzero((family < len(RAY_FAMILIES)) & ~on_surface).tolist():
        shape = int(indices[row])
        _make(RAY_FAMILIES[family[row]], row, numbers[row], outlines[shape], bool(is_circle[shape]), locals_[0], locals_[1])
    origins, ends = (rounded(poses[:, :2] + turned(poses[:, 2], local)) for local in locals_)
    nothing = family == RAY_FAMILIES.index("nothing")
    ends[nothing] = origins[nothing]
    kind = np.where(is_edge[indices], EDGE, np.where(is_circle[indices], CIRCLE, POLYGON))
    return RayChunk(indices, kind, np.ascontiguousarray(poses), origins, ends, np.where(family < len(RAY_FAMILIES), family, -1))


def _make(family: str, row: int, numbers: FloatArray, outline: FloatArray, is_circle: bool, origins: FloatArray, ends: FloatArray) -> None:
    """Change one row of random rays to one of a family, in the shape's frame."""
    at = int(numbers[0] * len(outline))
    start, end = outline[at], outline[(at + 1) % len(outline)]
    edge = end - start
    if is_circle:  # its tangent there
        away = start - outline.mean(axis=0)
        edge = np.array((-away[1], away[0]))
    normal = np.array((edge[1], -edge[0])) / math.hypot(*edge)
    sign = 1.0 if numbers[1] < 0.5 else -1.0
    if family in ("along", "beside"):
        beside = 0.0 if family == "along" else (2.0 * numbers[2] - 1.0) * (_HAIR if numbers[3] < 0.5 else BOX2D_POLYGON_SKIN)
        origins[row] = start - sign * (0.1 + 1.5 * numbers[4]) * edge + beside * normal
        ends[row] = start + sign * (0.1 + 2.0 * numbers[5]) * edge + beside * normal
    elif family == "grazing":
        ends[row] = start + (0.1 + 2.0 * numbers[2]) * (start - origins[row])
    elif family == "short":
        angle, length = 2.0 * math.pi * numbers[2], 10.0 ** (-6.0 + 3.0 * numbers[3])
        if numbers[4] < 0.5:
            origins[row] = (1.0 - numbers[5]) * start + numbers[5] * end
        ends[row] = origins[row] + length * np.array((math.cos(angle), math.sin(angle)))
    elif family == "long":
        through = ends[row].copy()
        away = origins[row] - through
        origins[row] = through + (1.0 + 4.0 * numbers[2]) * max(1.0, _FAR / max(math.hypot(*away), _HAIR)) * away
        ends[row] = through + numbers[3] * (through - origins[row])
