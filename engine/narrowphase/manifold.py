"""Contact manifolds of two shapes."""

from __future__ import annotations

from engine.contracts import Manifold, ManifoldPoint
from engine.geometry import Shape, Transform
from engine.narrowphase import batched
from engine.narrowphase.packing import pack
from engine.narrowphase.rules import Rule, rule_number
from engine.narrowphase.scratch import ONE_PAIR, pose_row

__all__ = ["manifold"]


def manifold(a: Shape, xf_a: Transform, b: Shape, xf_b: Transform, rule: Rule = "exact") -> Manifold:
    """Contact of two shapes: a unit normal from A to B and at most two points.

    Parameters
    ----------
    a, b : Circle or Polygon
        Body frame, metres. Polygons may carry skins.
    xf_a, xf_b : Transform
        World poses.
    rule : "exact" or "box2d"
        "exact" takes the true minimum-penetration axis over all edges of both polygons; where A's and B's are equal within
        rounding it takes A's, and the first of equal edges. "box2d" repeats the choice of Box2D 2.3.0.

    Returns
    -------
    Manifold
        Positions midway between the two surfaces, skins included; separations without the skins (a circle's radius is its
        surface). A point at positive separation appears only within the sum of the skins. No contact: no points, normal None.

    Raises
    ------
    InvalidInputError
        `a` or `b` is not a Circle or Polygon, or the rule has another name.

    References
    ----------
    See `engine.narrowphase._manifold_kernel`, which derives it.

    Examples
    --------
    >>> from engine.geometry import Polygon
    >>> box = Polygon.box(0.5, 0.5)
    >>> found = manifold(box, Transform(), box, Transform((0.25, 0.75)))
    >>> found.normal, [(point.position, point.separation) for point in found.points]
    ((0.0, 1.0), [((-0.25, 0.375), -0.25), ((0.5, 0.375), -0.25)])
    """
    number = rule_number(rule)
    rows = batched.manifold_rows(pack((a, b)), ONE_PAIR, pose_row(xf_a).reshape(1, 4), pose_row(xf_b).reshape(1, 4), number)
    count = int(rows.count[0])
    if count == 0:
        return Manifold(None, ())
    numbers = zip(rows.points[0].tolist(), rows.names[0].tolist(), strict=True)
    points = tuple(ManifoldPoint((x, y), separation, name) for (x, y, separation), name in numbers)
    normal_x, normal_y = rows.axis[0, :2].tolist()
    return Manifold((normal_x, normal_y), points[:count])
