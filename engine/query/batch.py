"""The same questions for many pairs at once.

Shapes are packed once; pairs are indices into them; each pair has its own two poses. Answers come in columns, a row for each
pair, and equal the scalar form's to the bit, for both run the same kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.common.arrays import FloatArray, IntArray, finite_rows, frozen, index_pairs
from engine.common.errors import InvalidInputError
from engine.geometry import Circle, Polygon, Shape
from engine.narrowphase.packing import PackedShapes, pack

if TYPE_CHECKING:
    from engine.narrowphase.rules import Rule

__all__ = ["ManifoldBatch", "ShapeBatch", "manifold", "overlap"]

_Array = TypeVar("_Array", bound=NDArray[Any])


class ShapeBatch:
    """Shapes, packed once for any number of questions.

    Parameters
    ----------
    shapes : iterable of Circle or Polygon
        Body frame, metres; mixed as they come.

    Raises
    ------
    InvalidInputError
        Something in `shapes` is neither.
    """

    def __init__(self, shapes: Iterable[Shape]) -> None:
        self._shapes = tuple(shapes)
        for at, shape in enumerate(self._shapes):
            if not isinstance(shape, Circle | Polygon):
                raise InvalidInputError(f"shapes[{at}]", "a Circle or Polygon", shape)
        self._packed = pack(self._shapes)

    def __len__(self) -> int:
        return len(self._shapes)

    def __getitem__(self, index: int) -> Shape:
        return self._shapes[index]

    def __iter__(self) -> Iterator[Shape]:
        return iter(self._shapes)

    @property
    def packed(self) -> PackedShapes:
        """The flat arrays the kernels read; not to be written to."""
        return self._packed


@dataclass(frozen=True, slots=True)
class ManifoldBatch:
    """Manifolds in columns, read-only, a row for each pair; world frame, metres.

    Attributes
    ----------
    count : int64 (n,)
        Points, 0 to 2. Everything past the count is zero.
    normal : float64 (n, 2)
        Unit, from A to B; zero where there is no contact.
    position : float64 (n, 2, 2); separation : float64 (n, 2)
        As in `ManifoldPoint`.
    feature_id : int64 (n, 2)
    axis : float64 (n, 2); axis_separation : float64 (n,)
        The axis the rule chose and the separation along it, without skins; filled for separated pairs as well, where the
        separation exceeds the skins. For `rule="exact"` and overlapping cores ``-axis_separation`` is the penetration depth.
    found_separation : float64 (n, 2)
        The greatest separation the rule found on A's edges and on B's; NaN where it did not look.
    amplification : float64 (n,)
        See `engine.narrowphase._manifold_kernel`.
    reference_side, reference_edge : int64 (n,)
        0 where A's edge carries the axis, 1 where B's does, -1 for two circles.
    """

    count: IntArray
    normal: FloatArray
    position: FloatArray
    separation: FloatArray
    feature_id: IntArray
    axis: FloatArray
    axis_separation: FloatArray
    found_separation: FloatArray
    amplification: FloatArray
    reference_side: IntArray
    reference_edge: IntArray


def overlap(shapes: ShapeBatch, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike) -> NDArray[np.bool_]:
    """Tell for each pair whether its shapes share a point; see `engine.query.overlap`.

    Parameters
    ----------
    pairs : (n, 2) whole numbers
        Indices of A and B in `shapes`.
    xf_a, xf_b : (n, 3)
        Poses x, y, angle of A and of B, row for row.

    Raises
    ------
    InvalidInputError
        An index out of range, lengths that differ, a number that is not finite.
    """
    checked, poses_a, poses_b = _checked(shapes, pairs, xf_a, xf_b)
    from engine.narrowphase import batched

    turned_a, turned_b = batched.poses_with_rotation(poses_a), batched.poses_with_rotation(poses_b)
    return frozen(batched.overlap_rows(shapes.packed, checked, turned_a, turned_b))


def manifold(shapes: ShapeBatch, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike, rule: Rule = "exact") -> ManifoldBatch:
    """Return the manifold of each pair; see `engine.query.manifold`.

    Parameters and errors are those of `overlap`, and a rule that is neither "exact" nor "box2d" is refused.

    Examples
    --------
    >>> from engine.geometry import Circle
    >>> found = manifold(ShapeBatch([Circle(1.0)]), [(0, 0), (0, 0)], [(0, 0, 0)] * 2, [(1.5, 0, 0), (9, 0, 0)])
    >>> found.count.tolist(), found.separation[0].tolist()
    ([1, 0], [-0.5, 0.0])
    """
    from engine.narrowphase.rules import rule_number

    number = rule_number(rule)
    checked, poses_a, poses_b = _checked(shapes, pairs, xf_a, xf_b)
    from engine.narrowphase import batched

    turned_a, turned_b = batched.poses_with_rotation(poses_a), batched.poses_with_rotation(poses_b)
    rows = batched.manifold_rows(shapes.packed, checked, turned_a, turned_b, number)
    return ManifoldBatch(
        count=frozen(rows.count),
        normal=frozen(np.where(rows.count[:, None] > 0, rows.axis[:, :2], 0.0)),
        position=frozen(np.ascontiguousarray(rows.points[:, :, :2])),
        separation=frozen(np.ascontiguousarray(rows.points[:, :, 2])),
        feature_id=frozen(rows.names),
        axis=frozen(np.ascontiguousarray(rows.axis[:, :2])),
        axis_separation=frozen(np.ascontiguousarray(rows.axis[:, 2])),
        found_separation=frozen(np.ascontiguousarray(rows.axis[:, 4:6])),
        amplification=frozen(np.ascontiguousarray(rows.axis[:, 3])),
        reference_side=frozen(np.ascontiguousarray(rows.reference[:, 0])),
        reference_edge=frozen(np.ascontiguousarray(rows.reference[:, 1])),
    )


def _checked(shapes: ShapeBatch, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike) -> tuple[IntArray, FloatArray, FloatArray]:
    if not isinstance(shapes, ShapeBatch):
        raise InvalidInputError("shapes", "a ShapeBatch", shapes)
    checked = index_pairs("pairs", pairs, len(shapes))
    poses_a, poses_b = (_poses(field, poses, len(checked)) for field, poses in (("xf_a", xf_a), ("xf_b", xf_b)))
    return _writable(checked), _writable(poses_a), _writable(poses_b)


def _poses(field: str, poses: ArrayLike, length: int) -> FloatArray:
    if length == 0 and np.size(poses) == 0:
        return np.zeros((0, 3))
    return finite_rows(field, poses, 3, length)


def _writable(array: _Array) -> _Array:
    # a read-only array is another type to Numba and would be compiled for once more
    return array if array.flags.writeable else array.copy()
