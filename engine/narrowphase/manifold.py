"""Contact manifolds of two shapes."""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray
from engine.contracts import Manifold, ManifoldPoint
from engine.geometry import AnyShape, Transform
from engine.narrowphase import batched
from engine.narrowphase._manifold_kernel import frame_is_b
from engine.narrowphase._step_kernel import CLIPPED, INCIDENT, MANIFOLD_TRACE_WIDTH, POINT, REFERENCE, TRIED
from engine.narrowphase.packing import cached_pack
from engine.narrowphase.rules import Rule, check_rule
from engine.narrowphase.scratch import ONE_PAIR, new_trace, pose_row, steps_to_world, trace_rows

__all__ = ["CLIPPED", "INCIDENT", "POINT", "REFERENCE", "TRIED", "manifold", "new_trace"]


def manifold(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform, rule: Rule = "exact", trace: FloatArray | None = None) -> Manifold:
    """Contact of two shapes: a unit normal from A to B and at most two points.

    Parameters
    ----------
    a, b : Circle, Polygon, Capsule or Segment
        Body frame, metres. Polygons and segments may carry skins.
    xf_a, xf_b : Transform
        World poses.
    rule : "exact" or "box2d"
        "exact" takes the true minimum-penetration axis over all edges of both polygons; where A's and B's are equal within
        rounding it takes A's, and the first of equal edges. With a capsule or a segment it is the axis of the rounded shapes,
        which may run from corner to corner; ghosts count for nothing. "box2d" repeats the choice of Box2D 2.3.0, for segments
        with their ghosts; it has no capsules and collides no two segments.
    trace : float64 (k, MANIFOLD_TRACE_WIDTH), optional
        From `new_trace`; takes the first k steps: the axes tried, in order, the reference and the incident edge, what each side plane
        leaves, the points. Coordinates are the world's; kinds and columns are in `engine.narrowphase._step_kernel`.

    Returns
    -------
    Manifold
        Positions midway between the two surfaces, skins included; separations without the skins (a circle's and a capsule's
        radius is its surface). A point at positive separation appears only within the sum of the skins. No contact: no points, normal None.

    Raises
    ------
    InvalidInputError
        `a` or `b` is no shape, the rule has another name, or it is "box2d" and Box2D does not collide the two; the trace is
        no such array.

    References
    ----------
    See `engine.narrowphase._manifold_kernel`, which derives it, `_core_manifold_kernel` and `_edge_kernel`.

    Examples
    --------
    >>> from engine.geometry import Polygon
    >>> box = Polygon.box(0.5, 0.5)
    >>> found = manifold(box, Transform(), box, Transform((0.25, 0.75)))
    >>> found.normal, [(point.position, point.separation) for point in found.points]
    ((0.0, 1.0), [((-0.25, 0.375), -0.25), ((0.5, 0.375), -0.25)])

    >>> trace = new_trace(20)
    >>> found = manifold(box, Transform(), box, Transform((0.25, 0.75)), trace=trace)
    >>> [(int(side), int(edge), separation) for kind, side, edge, separation, *_ in trace.tolist() if kind == TRIED]
    [(0, 0, -1.75), (0, 1, -0.75), (0, 2, -0.25), (0, 3, -1.25), (1, 0, -0.25), (1, 1, -1.25), (1, 2, -1.75), (1, 3, -0.75)]
    >>> [row[1:3] for row in trace.tolist() if row[0] == REFERENCE]
    [[0.0, 2.0]]
    """
    shapes = cached_pack(a, b)
    number = check_rule(rule, shapes, ONE_PAIR)
    poses = pose_row(xf_a).reshape(1, 4), pose_row(xf_b).reshape(1, 4)
    if trace is None:
        rows = batched.manifold_rows(shapes, ONE_PAIR, *poses, number)
    else:
        steps = trace_rows(trace, MANIFOLD_TRACE_WIDTH)
        steps.fill(np.nan)
        rows = batched.traced_rows(shapes, ONE_PAIR, *poses, number, steps)
        steps_to_world(steps, xf_b if frame_is_b(int(shapes.kind[0]), int(shapes.kind[1]), number) else xf_a)
    count = int(rows.count[0])
    if count == 0:
        return Manifold(None, ())
    numbers = zip(rows.points[0].tolist(), rows.names[0].tolist(), strict=True)
    points = tuple(ManifoldPoint((x, y), separation, name) for (x, y, separation), name in numbers)
    normal_x, normal_y = rows.axis[0, :2].tolist()
    return Manifold((normal_x, normal_y), points[:count])
