"""The collisions of a whole scene at one moment: bodies' boxes, the pairs whose boxes overlap, their manifolds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from engine.broadphase import Automatic, BroadPhase, automatic
from engine.common.arrays import FloatArray, IntArray, frozen, index_column
from engine.common.errors import InvalidInputError
from engine.query._checking import check_poses, writable
from engine.query.batch import ManifoldBatch, columns_of
from engine.query.shape_batch import ShapeBatch

if TYPE_CHECKING:
    from engine.narrowphase.rules import Rule

__all__ = ["SceneContacts", "aabb", "collide", "warm"]


@dataclass(frozen=True, slots=True)
class SceneContacts:
    """Pairs of bodies (n, 2) whose boxes overlap, smaller number first, sorted; and a manifold for each."""

    pairs: IntArray
    manifolds: ManifoldBatch


def aabb(shapes: ShapeBatch, which: ArrayLike, xf: ArrayLike) -> FloatArray:
    """Return the tight boxes of posed shapes; see `shape.aabb`.

    Parameters
    ----------
    which : (n,) whole numbers
        Indices into `shapes`.
    xf : (n, 3)
        Poses x, y, angle.

    Returns
    -------
    float64 (n, 4)
        Lower x, lower y, upper x, upper y, radii and skins included.

    Raises
    ------
    InvalidInputError
        An index out of range, lengths that differ, a number that is not finite.

    Examples
    --------
    >>> from engine.geometry import Circle
    >>> aabb(ShapeBatch([Circle(1.0)]), [0], [(3.0, 0.0, 0.0)]).tolist()
    [[2.0, -1.0, 4.0, 1.0]]
    """
    chosen, poses = _checked(shapes, which, xf)
    from engine.narrowphase import batched

    return frozen(batched.box_rows(shapes.packed, chosen, batched.poses_with_rotation(poses)))


def collide(
    shapes: ShapeBatch, which: ArrayLike, xf: ArrayLike, rule: Rule = "exact", broad_phase: BroadPhase | None = None
) -> SceneContacts:
    """Return all contacts of bodies: body i has shape ``which[i]`` and stands at ``xf[i]``.

    Parameters and errors are those of `aabb` and of `manifold`; `broad_phase` finds the pairs; if none is given, an
    `Automatic` that does so for this call only. A caller that asks frame by frame does well to keep one, for it remembers what it chose.

    Examples
    --------
    >>> from engine.geometry import Circle
    >>> found = collide(ShapeBatch([Circle(1.0)]), [0, 0, 0], [(0, 0, 0), (9, 0, 0), (1.5, 0, 0)])
    >>> found.pairs.tolist(), found.manifolds.separation[:, 0].tolist()
    ([[0, 2]], [-0.5])
    """
    chosen, poses = _checked(shapes, which, xf)
    from engine.narrowphase import batched
    from engine.narrowphase.rules import check_rule

    turned = batched.poses_with_rotation(poses)
    finder = Automatic() if broad_phase is None else broad_phase
    if not callable(getattr(finder, "pairs", None)):
        raise InvalidInputError("broad_phase", "a BroadPhase, with `pairs`", broad_phase)
    pairs = finder.pairs(batched.box_rows(shapes.packed, chosen, turned))
    number = check_rule(rule, shapes.packed, pairs[:0] if rule == "exact" else chosen[pairs])
    rows = batched.manifold_rows_of_bodies(shapes.packed, chosen, turned, pairs, number)
    return SceneContacts(frozen(pairs), columns_of(rows))


def warm() -> None:
    """Load the kernels of this module and those in lanes, compiling what is not on disk yet."""
    from engine.geometry import Circle, Polygon
    from engine.narrowphase.batched import LANES_FROM

    n = LANES_FROM
    poses = np.column_stack((0.5 * np.arange(n), np.zeros(n), np.zeros(n)))
    collide(ShapeBatch([Circle(0.5), Polygon.box(0.5, 0.5)]), np.arange(n) % 2, poses)
    automatic.warm()


def _checked(shapes: ShapeBatch, which: ArrayLike, xf: ArrayLike) -> tuple[IntArray, FloatArray]:
    if not isinstance(shapes, ShapeBatch):
        raise InvalidInputError("shapes", "a ShapeBatch", shapes)
    chosen = writable(index_column("which", which, len(shapes)))
    return chosen, check_poses("xf", xf, len(chosen))
