"""Cache for the picture of a scene at rest or paused: it is kept when two successive frames are equal, and copied from then on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pygame

from engine.common.arrays import FloatArray
from engine.render.canvas import Canvas

__all__ = ["StillPicture"]


class StillPicture:
    """The last picture of a view, and the values from which it was drawn."""

    def __init__(self) -> None:
        self._parts: list[object] = []
        """The values from which the last picture was drawn; only the first if the picture differed from the one before."""
        self._was_same = False
        self._picture: pygame.Surface | None = None
        self._points = np.zeros((0, 2, 2))

    def show(self, canvas: Canvas, parts: Iterator[object]) -> FloatArray | None:
        """Copy the kept picture into the view if its values are the same, and return its contact points; otherwise return None.

        For a moving scene, only the first part is compared.
        """
        first = next(parts)
        if not self._parts or not _is_same(first, self._parts[0]):
            self._parts, self._was_same, self._picture = [first], False, None
            return None
        current = [first, *parts]
        self._was_same = len(current) == len(self._parts) and all(map(_is_same, current, self._parts))
        self._parts = current
        if not self._was_same:
            self._picture = None
        if self._picture is None:
            return None
        canvas.surface.blit(self._picture, canvas.camera.view[:2])
        return self._points

    def keep(self, canvas: Canvas, points: FloatArray) -> None:
        """Keep the drawn view and its contact points if their values are those of the previous picture."""
        if self._was_same:
            is_clear = canvas.surface.get_flags() & pygame.SRCALPHA  # otherwise every pixel of the copy would be transparent
            self._picture, self._points = pygame.Surface(canvas.camera.view[2:], is_clear, canvas.surface), points
            self._picture.blit(canvas.surface, (0, 0), canvas.camera.view)


def _is_same(part: object, other: object) -> bool:
    if isinstance(part, np.ndarray) and isinstance(other, np.ndarray):
        return part is other or np.array_equal(part, other)
    return part is other or (type(part) is type(other) and bool(part == other))
