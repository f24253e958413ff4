"""The collisions of a whole scene at one time: bounding boxes of bodies, pairs whose boxes overlap, and their manifolds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from engine.broadphase import Automatic, BroadPhase
from engine.common.arrays import FloatArray, IntArray, frozen
from engine.common.errors import InvalidInputError
from engine.query.batch import ManifoldBatch, columns_of
from engine.query.shape_batch import ShapeBatch, check_indices, turned_poses

if TYPE_CHECKING:
    from engine.narrowphase.rules import Rule

__all__ = ["SceneContacts", "aabb", "collide"]


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
        An index is out of range, lengths differ, or a number is not finite.

    Examples
    --------
    >>> from engine.geometry import Circle
    >>> aabb(ShapeBatch([Circle(1.0)]), [0], [(3.0, 0.0, 0.0)]).tolist()
    [[2.0, -1.0, 4.0, 1.0]]
    """
    packed, chosen = check_indices("which", shapes, which)
    poses = turned_poses("xf", xf, len(chosen))
    batched, _ = _narrow_phase()
    return frozen(batched.box_rows(packed, chosen, poses))


def collide(
    shapes: ShapeBatch, which: ArrayLike, xf: ArrayLike, rule: Rule = "exact", broad_phase: BroadPhase | None = None
) -> SceneContacts:
    """Return all contacts of bodies: body i has shape ``which[i]`` at pose ``xf[i]``.

    Parameters and errors are those of `aabb` and of `manifold`; `broad_phase` finds the pairs; by default, a new `Automatic` is used for
    this call. For calls in every frame, pass the same one, because it keeps its choice.

    Examples
    --------
    >>> from engine.geometry import Circle
    >>> found = collide(ShapeBatch([Circle(1.0)]), [0, 0, 0], [(0, 0, 0), (9, 0, 0), (1.5, 0, 0)])
    >>> found.pairs.tolist(), found.manifolds.separation[:, 0].tolist()
    ([[0, 2]], [-0.5])
    """
    packed, chosen = check_indices("which", shapes, which)
    poses = turned_poses("xf", xf, len(chosen))
    batched, rules = _narrow_phase()
    finder = Automatic() if broad_phase is None else broad_phase
    if not callable(getattr(finder, "pairs", None)):
        raise InvalidInputError("broad_phase", "a BroadPhase, with `pairs`", broad_phase)
    pairs = finder.pairs(batched.box_rows(packed, chosen, poses))
    number = rules.check_rule(rule, packed, pairs[:0] if rule == "exact" else chosen[pairs])
    manifolds = columns_of(batched.manifold_rows_of_bodies(packed, chosen, poses, pairs, number))
    return SceneContacts(frozen(pairs), manifolds)  # frozen last, because read-only pairs would compile the kernels again


@cache
def _narrow_phase() -> tuple[ModuleType, ModuleType]:
    """Import both sets of kernels on first use, like `batch`."""
    from engine.narrowphase import batched, rules

    return batched, rules
