"""Shapes packed once for any number of questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.common.errors import InvalidInputError
from engine.geometry import AnyShape, check_shape
from engine.narrowphase.packing import PackedShapes, pack

__all__ = ["ShapeBatch"]


class ShapeBatch:
    """Shapes, packed once for any number of questions.

    Parameters
    ----------
    shapes : iterable of Circle, Polygon, Capsule or Segment
        Body frame, metres; mixed as they come.

    Raises
    ------
    InvalidInputError
        Something in `shapes` is none of them.
    """

    def __init__(self, shapes: Iterable[AnyShape]) -> None:
        if not isinstance(shapes, Iterable):
            raise InvalidInputError("shapes", "shapes, one after another", shapes)
        self._shapes = tuple(shapes)
        for at, shape in enumerate(self._shapes):
            check_shape(f"shapes[{at}]", shape)
        self._packed = pack(self._shapes)

    def __len__(self) -> int:
        return len(self._shapes)

    def __getitem__(self, index: int) -> AnyShape:
        return self._shapes[index]

    def __iter__(self) -> Iterator[AnyShape]:
        return iter(self._shapes)

    @property
    def packed(self) -> PackedShapes:
        """The flat arrays the kernels read; not to be written to."""
        return self._packed
