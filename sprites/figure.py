"""Shows Tuk at a pose. What Tuk collides with is none of its business."""

from __future__ import annotations

import math

import pygame

from engine.geometry import Transform
from engine.render.canvas import Canvas
from sprites.figure_outline import FRAME_LOWER, FRAME_UPPER, N_FRAMES, PICTURE

__all__ = ["FigureSprite"]

_TURN_STEP = math.radians(1.0)
_MAX_KEPT = 256


class FigureSprite:
    """The picture of the figure, with the sizes and turns that were asked for kept for the next frame."""

    def __init__(self) -> None:
        strip = pygame.image.load(PICTURE)
        width = strip.get_width() // N_FRAMES
        self._frames = [strip.subsurface((k * width, 0, width, strip.get_height())).copy() for k in range(N_FRAMES)]
        self._frames += [pygame.transform.flip(frame, True, False) for frame in self._frames]
        self._kept: dict[tuple[int, bool, int, int], pygame.Surface] = {}

    def draw(
        self, canvas: Canvas, position: tuple[float, float], angle: float = 0.0, looks_left: bool = False, walked: float = 0.0
    ) -> None:
        """Draw the figure with the point between its feet at `position`.

        Parameters
        ----------
        canvas : Canvas
        position : pair of float
            World, meters.
        angle : float
            Radians; drawn to the nearest degree.
        looks_left : bool
            Mirrored about the vertical through the origin.
        walked : float
            Meters walked: picks the frame of the stride; 0 stands.
        """
        frame = 0 if walked == 0.0 else 1 + int(abs(walked) / _STRIDE_FRAME) % (N_FRAMES - 1)
        # from the picture's middle to the figure's origin, then turned
        middle = 0.5 * (FRAME_LOWER[0] + FRAME_UPPER[0]) * (-1.0 if looks_left else 1.0), 0.5 * (FRAME_LOWER[1] + FRAME_UPPER[1])
        if canvas.is_sketch:
            canvas.image(self._whole(frame, looks_left), Transform(position, angle).apply(middle), angle, FRAME_UPPER[0] - FRAME_LOWER[0])
            return
        x, y = canvas.camera.to_screen(position)
        width = round((FRAME_UPPER[0] - FRAME_LOWER[0]) * canvas.camera.scale)
        left, top, view_width, view_height = canvas.camera.view
        reach = 2.0 * width
        if not (2 <= width <= 4096 and left - reach <= x <= left + view_width + reach and top - reach <= y <= top + view_height + reach):
            return
        turn = round(angle / _TURN_STEP) % 360
        picture = self._picture(frame, looks_left, width, turn)
        scale, (dx, dy) = canvas.camera.scale, Transform((0.0, 0.0), turn * _TURN_STEP).apply(middle)
        at = x + scale * dx, y - scale * dy
        canvas.surface.blit(picture, (round(at[0] - 0.5 * picture.get_width()), round(at[1] - 0.5 * picture.get_height())))

    def _whole(self, frame: int, looks_left: bool) -> pygame.Surface:
        return self._frames[frame + (N_FRAMES if looks_left else 0)]

    def _picture(self, frame: int, looks_left: bool, width: int, turn: int) -> pygame.Surface:
        key = (frame, looks_left, width, turn)
        if key not in self._kept:
            if len(self._kept) >= _MAX_KEPT:
                self._kept.clear()
            whole = self._whole(frame, looks_left)
            height = max(1, round(whole.get_height() * width / whole.get_width()))
            picture = pygame.transform.smoothscale(whole, (width, height))
            self._kept[key] = pygame.transform.rotozoom(picture, float(turn), 1.0) if turn else picture
        return self._kept[key]


_STRIDE_FRAME = 0.17
"""Meters a walking frame lasts: the feet are half a meter apart in the widest one, so that a stride of four takes 0.68 m."""
