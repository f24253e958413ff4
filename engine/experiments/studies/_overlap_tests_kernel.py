"""Four ways to ask whether two convex polygons overlap, frame by frame, so that one call is worth a clock.

**Edge against edge.** Two edges (p, q) and (r, s) cross where r and s lie on different sides of the line p q, and p and q on different
sides of r s; the side is the sign of a cross product. Polygons whose outlines cross overlap. The converse fails: one may lie inside the
other. Apart, all n m pairs of edges are tried: the cost is n m.

**Bounding circle first.** Circles about the centroids that hold all vertices: where they are apart, the polygons are. Else edge against
edge. A *false hit* is a pair whose circles overlap and whose polygons do not.

**GJK** (`_gjk_kernel`), from the line of the centers; **with a kept witness**, from the vertices that were nearest a frame ago. A support
looks at all n + m vertices. A circle may be asked first here too.

**SAT** (`_sat_kernel`), left at the first edge that parts the polygons.
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import SAT_ROUNDING
from engine.contracts.status import SEPARATED
from engine.narrowphase._distance_kernel import placed_of
from engine.narrowphase._gjk_kernel import TRIANGLE_SIZE, gjk_cores, relative_cores
from engine.narrowphase._sat_kernel import face_separation
from engine.narrowphase._sides_kernel import Arrays, Shapes, most_vertices, move_to_frame

__all__ = ["CIRCLES", "CIRCLE_THEN_EDGES", "CIRCLE_THEN_GJK", "EDGES", "GJK", "KEPT_GJK", "SAT", "count_overlaps"]

EDGES, CIRCLE_THEN_EDGES, GJK, KEPT_GJK, CIRCLE_THEN_GJK, SAT, CIRCLES = range(7)


@inlined_kernel
def _do_edges_cross(a: FloatArray, b: FloatArray) -> bool:
    """Tell whether any edge of one outline meets any edge of the other, both in one frame."""
    n, m = a.shape[0], b.shape[0]
    for i in range(n):
        after = i + 1 if i + 1 < n else 0
        px, py = a[i, 0], a[i, 1]
        ex, ey = a[after, 0] - px, a[after, 1] - py
        before = ex * (b[0, 1] - py) - ey * (b[0, 0] - px)
        for j in range(m):
            following = j + 1 if j + 1 < m else 0
            rx, ry = b[j, 0], b[j, 1]
            fx, fy = b[following, 0] - rx, b[following, 1] - ry
            side = ex * (b[following, 1] - py) - ey * (b[following, 0] - px)
            if before * side <= 0.0:
                of_p = fx * (py - ry) - fy * (px - rx)
                of_q = fx * (a[after, 1] - ry) - fy * (a[after, 0] - rx)
                if of_p * of_q <= 0.0:
                    return True
            before = side
    return False


@inlined_kernel
def _is_parted(a: FloatArray, normals_a: FloatArray, b: FloatArray, normals_b: FloatArray, touch: float) -> bool:
    for edge in range(a.shape[0]):
        if face_separation(a, normals_a, edge, b) > touch:
            return True
    for edge in range(b.shape[0]):
        if face_separation(b, normals_b, edge, a) > touch:
            return True
    return False


@inlined_kernel
def _by_gjk(shapes: Shapes, a: int, b: int, poses_a: FloatArray, poses_b: FloatArray, row: int, simplex: IntArray) -> tuple[bool, int]:
    placed_a, placed_b = placed_of(shapes, a, poses_a, row), placed_of(shapes, b, poses_b, row)
    cores = relative_cores(placed_a, placed_b)
    rounding = SAT_ROUNDING * (placed_a.extent + placed_b.extent + math.hypot(cores.shift_x, cores.shift_y))
    status, steps, _, _, _, _ = gjk_cores(cores, rounding, rounding, simplex, None)
    return status != SEPARATED, steps


@inlined_kernel
def _by_edges(
    is_sat: bool, shapes: Shapes, a: int, b: int, poses_a: FloatArray, poses_b: FloatArray, row: int, moved: FloatArray, turned: FloatArray
) -> bool:
    low_a, high_a = shapes.first[a], shapes.first[a] + shapes.n_vertices[a]
    low_b, high_b = shapes.first[b], shapes.first[b] + shapes.n_vertices[b]
    core_a, core_b = shapes.vertices[low_a:high_a], moved[: high_b - low_b]
    move_to_frame(poses_a[row], poses_b[row], shapes.vertices[low_b:high_b], core_b, False)
    if not is_sat:
        return _do_edges_cross(core_a, core_b)
    normals_b = turned[: high_b - low_b]
    move_to_frame(poses_a[row], poses_b[row], shapes.normals[low_b:high_b], normals_b, True)
    return not _is_parted(core_a, shapes.normals[low_a:high_a], core_b, normals_b, 0.0)


@kernel
def count_overlaps(
    test: int, packed: Arrays, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, found: IntArray
) -> tuple[int, int]:
    """Ask `test` of every pair in every frame; return how often it says yes, and the steps of GJK that it took.

    Parameters
    ----------
    test : int
        One of the constants of this module; CIRCLES asks nothing but these.
    packed, pairs : arrays of `Shapes`, int64 (n, 2)
        Polygons without radius.
    poses_a, poses_b : float64 (frames * n, 4)
        x, y, cos, sin; all pairs of a frame, then those of the next.
    found : int64 (frames * n,)
        Written: 1 where it says yes.
    """
    shapes, n = Shapes(*packed), pairs.shape[0]
    most = most_vertices(shapes.n_vertices)
    moved, turned = np.empty((most, 2)), np.empty((most, 2))
    simplices = np.zeros((n, TRIANGLE_SIZE), dtype=np.int64)
    n_yes, n_steps = 0, 0
    for row in range(poses_a.shape[0]):
        pair = row % n
        a, b = pairs[pair, 0], pairs[pair, 1]
        is_yes = True
        if test in (CIRCLE_THEN_EDGES, CIRCLE_THEN_GJK, CIRCLES):
            dx, dy = poses_b[row, 0] - poses_a[row, 0], poses_b[row, 1] - poses_a[row, 1]
            reach = shapes.extent[a] + shapes.extent[b]
            is_yes = dx * dx + dy * dy <= reach * reach
        if is_yes and test in (GJK, KEPT_GJK, CIRCLE_THEN_GJK):
            if test == GJK:
                simplices[pair, 0] = 0
            is_yes, steps = _by_gjk(shapes, a, b, poses_a, poses_b, row, simplices[pair])
            n_steps += steps
        elif is_yes and test != CIRCLES:
            is_yes = _by_edges(test == SAT, shapes, a, b, poses_a, poses_b, row, moved, turned)
        found[row] = is_yes
        n_yes += is_yes
    return n_yes, n_steps
