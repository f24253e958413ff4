"""Contact manifolds of two shapes."""

from __future__ import annotations

from engine.common._record_kernel import checked_trace
from engine.common.arrays import FloatArray
from engine.contracts import Manifold, ManifoldPoint
from engine.geometry import AnyShape, Transform
from engine.narrowphase import batched
from engine.narrowphase.packing import cached_pack
from engine.narrowphase.rules import Rule, check_rule
from engine.narrowphase.scratch import ONE_PAIR, pose_row

__all__ = ["manifold"]


def manifold(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform, rule: Rule = "exact", trace: FloatArray | None = None) -> Manifold:
    """Contact of two shapes: a unit normal from A to B and at most two points.

    Parameters
    ----------
    a, b : Circle, Polygon, Capsule or Segment
        Body frame, meters. Polygons and segments may carry skins.
    xf_a, xf_b : Transform
        World poses.
    rule : "exact" or "box2d"
        "exact" takes the true minimum-penetration axis over all edges of both polygons; where A's and B's are equal within
        rounding it takes A's, and the first of equal edges. With a capsule or a segment it is the axis of the rounded shapes,
        which may run from corner to corner. A segment with ghosts is a link of a chain: of its normals it has those that its
        neighbors leave to it, on the side where the other shape lies. "box2d" repeats the choice of Box2D 2.3.0, for segments
        with their ghosts too; it has no capsules and collides no two segments.
    trace : float64 (k, TRACE_WIDTH), optional
        Receives the axes tried, in order, the reference and the incident edge, what each side plane leaves, the points: kinds in
        `_sat_kernel` and `_clip_kernel`. `engine.trace.manifold` decodes them.

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
    See `engine.narrowphase._manifold_kernel`, which derives it, `_core_manifold_kernel`, `_link_kernel` and `_edge_kernel`.

    Examples
    --------
    >>> from engine.geometry import Polygon
    >>> box = Polygon.box(0.5, 0.5)
    >>> found = manifold(box, Transform(), box, Transform((0.25, 0.75)))
    >>> found.normal, [(point.position, point.separation) for point in found.points]
    ((0.0, 1.0), [((-0.25, 0.375), -0.25), ((0.5, 0.375), -0.25)])
    """
    shapes = cached_pack(a, b)
    number = check_rule(rule, shapes, ONE_PAIR)
    poses = pose_row(xf_a).reshape(1, 4), pose_row(xf_b).reshape(1, 4)
    if trace is None:
        rows = batched.manifold_rows(shapes, ONE_PAIR, *poses, number)
    else:
        rows = batched.traced_rows(shapes, ONE_PAIR, *poses, number, checked_trace(trace))
    count = int(rows.count[0])
    if count == 0:
        return Manifold(None, ())
    numbers = zip(rows.points[0].tolist(), rows.names[0].tolist(), strict=True)
    points = tuple(ManifoldPoint((x, y), separation, name) for (x, y, separation), name in numbers)
    normal_x, normal_y = rows.axis[0, :2].tolist()
    return Manifold((normal_x, normal_y), points[:count])
