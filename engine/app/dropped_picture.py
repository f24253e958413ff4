"""Draws what was dropped: its own picture on the body, moved and turned with it."""

from __future__ import annotations

import math
import os
from functools import lru_cache
from typing import TYPE_CHECKING

import pygame

from engine.app.demo import Demo
from engine.app.dropping import DroppedBody
from engine.geometry import Transform
from engine.render.canvas import Canvas

if TYPE_CHECKING:
    from engine.decompose import BodyFile

__all__ = ["DroppedPainter", "picture_of"]

_LARGEST = 640
"""Pixels of a picture's longer side that are kept: a body on the screen is smaller, and a turn costs by the pixel."""
_TURN_STEP = math.radians(0.5)
_NARROWEST, _WIDEST = 2.0, 4096.0
"""Pixels of a picture on the screen: a smaller one is not seen; of a larger one only a corner, and the fixtures' outlines tell enough."""

_Crop = tuple[int, int, int, int] | None
_Drawn = tuple[tuple[int, int, int], pygame.Surface]
"""What it was drawn with, width, height and turn; and the picture."""


def picture_of(file: BodyFile) -> pygame.Surface | None:
    """Return the picture of a body, with transparency; None if it has none, or none that can be read (any more).

    Any thread may ask; who asks again gets the same surface, until the file changes.
    """
    picture = file.picture
    if picture is None:
        return None
    try:
        changed = os.stat(picture.file).st_mtime_ns
    except (OSError, ValueError):
        return None
    (left, bottom), (right, top) = picture.lower, picture.upper
    return _read(picture.file, picture.crop, (top - bottom) / (right - left), changed)


@lru_cache(maxsize=32)
def _read(file: str, crop: _Crop, height_share: float, changed: int) -> pygame.Surface | None:
    try:
        if file.lower().endswith(".svg"):
            longer = max(1.0, height_share)
            size = max(1, round(_LARGEST / longer)), max(1, round(_LARGEST * height_share / longer))
            whole = pygame.image.load_sized_svg(file, size)
        else:
            whole = pygame.image.load(file)
        if crop is not None:
            whole = whole.subsurface(pygame.Rect(crop).clip(whole.get_rect()))
        clear = pygame.Surface(whole.get_size(), pygame.SRCALPHA)  # of any kind of picture one with transparency
        clear.blit(whole, (0, 0))
        factor = min(1.0, _LARGEST / max(clear.get_size()))
        return pygame.transform.smoothscale_by(clear, factor) if factor < 1.0 else clear
    except (pygame.error, OSError, ValueError):
        return None


class DroppedPainter:
    """Keeps the picture of each dropped body as large and as turned as it was drawn last: a body at rest costs one copy a frame."""

    def __init__(self) -> None:
        self._drawn: dict[DroppedBody, _Drawn] = {}

    def draw(self, canvas: Canvas, demo: Demo) -> None:
        """Draw the dropped bodies of a demo; those without a picture are left to the fixtures' own fill."""
        there = [body for body in demo.dropped if body.is_there]
        before, self._drawn = self._drawn, {}  # of one that is out of view nothing is kept: seen from close by, each takes up to 134 MB
        for body in there:
            whole = picture_of(body.file)
            if whole is None:
                body.stage.outline_only.discard(body.body)
            else:
                self._draw(canvas.at(body.stage.offset), body, whole, before.get(body))

    def _draw(self, canvas: Canvas, body: DroppedBody, whole: pygame.Surface, drawn: _Drawn | None) -> None:
        assert body.file.picture is not None
        (left, bottom), (right, top) = body.file.picture.lower, body.file.picture.upper
        width, height = (right - left) * canvas.camera.scale, (top - bottom) * canvas.camera.scale
        pose = body.stage.drawn_pose(body.body)
        if not (_NARROWEST <= max(width, height) <= _WIDEST and all(map(math.isfinite, pose))):
            return
        x, y = canvas.camera.to_screen(Transform(pose[:2], pose[2]).apply((0.5 * (left + right), 0.5 * (bottom + top))))
        reach, view = math.hypot(width, height), canvas.camera.view
        if not (view[0] - reach <= x <= view[0] + view[2] + reach and view[1] - reach <= y <= view[1] + view[3] + reach):
            return
        key = max(1, round(width)), max(1, round(height)), round(pose[2] / _TURN_STEP)
        if drawn is None or drawn[0] != key:
            sized = pygame.transform.smoothscale(whole, key[:2])
            drawn = key, pygame.transform.rotozoom(sized, math.degrees(key[2] * _TURN_STEP), 1.0)
        self._drawn[body] = drawn
        canvas.surface.blit(drawn[1], (round(x - 0.5 * drawn[1].get_width()), round(y - 0.5 * drawn[1].get_height())))
