"""A canvas that records drawings as plain data, for a page that redraws them at any zoom.

A drawing is a list of figures, each a tuple that begins with its kind; colors are of the current theme, widths, radii and text sizes in
design pixels, coordinates in whole multiples of `Sketch.pitch`:

    "polygon"   fill, outline, alpha, x, y, ...
    "circle"    fill, outline, alpha, x, y, radius, angle or None
    "lines"     color, width, dash or 0, x0, y0, x1, y1, ...
    "dots"      color, radius, alpha, is a ring, x, y, ...
    "arrows"    color, width, length, x, y, direction x, direction y, ...
    "text"      color, size, "left", "center" or "right", is bold, has a plate, x, y, text
    "image"     number of the picture, alpha, x, y, angle, width
    "clip"      x0, y0, x1, y1; without coordinates, the end of it

Direct drawings of a demo on the surface, such as a diagram at the bottom of the view, are omitted.
"""

from __future__ import annotations

import base64
import copy
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pygame

from engine.common.arrays import FloatArray
from engine.geometry.aabb import AABB
from engine.render.camera import Camera
from engine.render.canvas import Canvas, Dots, Point
from engine.render.fonts import FontBook, LabelRoom
from engine.render.palette import Color
from engine.render.raster import DiscBook

__all__ = ["Sketch", "SketchBook"]

_MAX_PICTURE = 192
"""Maximum width and height of a picture, pixels."""
_MAX_PIXEL = 1e6
"""Text farther outside than this is not recorded."""
_PITCH = 0.125
"""Size of the window in which the demo is first shown, pixels."""


class SketchBook:
    """Records what a demo draws from step to step, in a view of `size` pixels.

    Parameters
    ----------
    home : AABB
        Box that the view shows.
    margins : (top, right, bottom)
        Pixels of the view in which a demo draws diagrams.
    """

    size = 1280, 720

    def __init__(self, home: AABB, margins: tuple[float, float, float]) -> None:
        top, right, bottom = margins
        self.camera = Camera(view=(0, 0, *self.size)).fitted(home, kept=(0.0, *margins))
        self.inside = pygame.Rect(0, round(top), round(self.size[0] - right), round(self.size[1] - top - bottom))
        self.surface, self.fonts, self.discs = pygame.Surface(self.size), FontBook(), DiscBook()
        self._figures: dict[tuple[Any, ...], int] = {}
        self._steps: list[tuple[int, list[list[int]]]] = []
        self.pictures: dict[int, tuple[int, pygame.Surface]] = {}

    @property
    def pitch(self) -> float:
        """Unit of the coordinates, meters."""
        return _PITCH / self.camera.scale

    def add(self, step: int, *layers: Sequence[Callable[[Sketch], None]]) -> None:
        """Record what functions draw at a step, in layers; an unchanged drawing is recorded once."""
        drawings = []
        for functions in layers:
            sketch = Sketch(self)
            for draw in functions:
                draw(sketch)
            drawings.append([self._figures.setdefault(figure, len(self._figures)) for figure in sketch.finished()])
        if not self._steps or self._steps[-1][1] != drawings:
            self._steps.append((step, drawings))

    def as_json(self, color_number: Callable[[Color], int]) -> dict[str, Any]:
        """Return all drawings, with numbers for colors: the figures, and for each layer the steps from which it shows each of them."""
        return {
            "pitch": self.pitch,
            "scale": self.camera.scale,
            "figures": [[color_number(value) if isinstance(value, tuple) else value for value in figure] for figure in self._figures],
            "steps": self._steps,
            "pictures": [base64.b64encode(_png(picture)).decode("ascii") for _, picture in self.pictures.values()],
        }


def _png(picture: pygame.Surface) -> bytes:
    content, factor = io.BytesIO(), min(1.0, _MAX_PICTURE / max(picture.get_size()))
    pygame.image.save(pygame.transform.smoothscale_by(picture, factor) if factor < 1.0 else picture, content, "picture.png")
    return content.getvalue()


class Sketch(Canvas):
    """One drawing; `figures` are the figures recorded so far."""

    is_sketch = True

    def __init__(self, book: SketchBook) -> None:
        super().__init__(book.surface, book.camera, book.fonts, book.discs, LabelRoom(book.camera.view))
        self._book = book
        self._offset = np.zeros(2)
        self.figures: list[tuple[Any, ...]] = []

    def at(self, offset: Point) -> Sketch:
        there = copy.copy(self)
        there.camera, there._offset = self.camera.shifted(offset), self._offset + offset
        return there

    def finished(self) -> tuple[tuple[Any, ...], ...]:
        """Return all figures, including the deferred labels."""
        self.room.settle()
        return tuple(self.figures)

    def _add(self, kind: str, *style: Any, points: FloatArray, end: Sequence[Any] = ()) -> None:
        units = (np.asarray(points, dtype=np.float64).reshape(-1, 2) + self._offset) / self._book.pitch
        if len(units) and np.abs(units).max() < 2.0**31:  # false for NaN
            self.figures.append((kind, *style, *np.rint(units).astype(np.int64).ravel().tolist(), *end))

    def _length(self, meters: float) -> int:
        return round(min(meters / self._book.pitch, 2.0**31))

    @contextmanager
    def clipped(self, box: AABB | None) -> Iterator[None]:
        if box is not None:
            self._add("clip", points=np.array((box.lower, box.upper)))
        yield
        if box is not None:
            self.figures.append(("clip",))

    def polygon(self, points: Iterable[Point] | FloatArray, fill: Color | None, outline: Color | None = None, alpha: float = 1.0) -> None:
        self._add("polygon", fill, outline, alpha, points=np.array(points if isinstance(points, np.ndarray) else list(points)))

    def circle(
        self, center: Point, radius: float, fill: Color | None, outline: Color | None = None, alpha: float = 1.0, angle: float | None = None
    ) -> None:
        turn = None if angle is None else round(angle, 3)
        self._add("circle", fill, outline, alpha, points=np.array(center), end=(self._length(radius), turn))

    def segment(self, a: Point, b: Point, color: Color, width: float = 1.0) -> None:
        self._add("lines", color, width, 0, points=np.array((a, b)))

    def segments(self, starts: FloatArray, ends: FloatArray, color: Color, width: float = 1.0) -> None:
        self._add("lines", color, width, 0, points=np.stack((starts, ends), axis=1))

    def dashed(self, a: Point, b: Point, color: Color, dash_px: float = 6.0, width: float = 1.0) -> None:
        self._add("lines", color, width, dash_px, points=np.array((a, b)))

    def boxes(self, boxes: FloatArray, color: Color, width: float = 1.0) -> None:
        x0, y0, x1, y1 = boxes.T
        corners = np.stack([np.column_stack(pair) for pair in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))], axis=1)
        self._add("lines", color, width, 0, points=np.stack((corners, np.roll(corners, -1, axis=1)), axis=2))

    def arrows(self, starts: FloatArray, directions: FloatArray, length_px: float, color: Color, width: float = 1.5) -> None:
        sizes = np.hypot(*directions.T)[:, None]
        tips = starts + 1000.0 * self._book.pitch * directions / np.where(sizes > 0.0, sizes, 1.0)
        self._add("arrows", color, width, length_px, points=np.stack((starts, tips), axis=1))

    def dots(self, groups: Sequence[Dots]) -> None:
        for group in groups:
            self._add("dots", group.color, group.radius_px, round(group.alpha, 3), group.ring, points=group.positions)

    def image(self, picture: pygame.Surface, position: Point, angle: float, width: float, alpha: float = 1.0) -> None:
        number, _ = self._book.pictures.setdefault(id(picture), (len(self._book.pictures), picture))
        self._add("image", number, alpha, points=np.array(position), end=(round(angle, 3), self._length(width)))

    def figures_px(self, corners: FloatArray, color: Color) -> None:
        for polygon in corners.tolist():
            self.polygon([self.camera.to_world(corner) for corner in polygon], color)

    def _near(self, x: float, y: float, reach: float) -> bool:
        return abs(x) < _MAX_PIXEL and abs(y) < _MAX_PIXEL  # false for NaN

    def _write(
        self, picture: pygame.Surface, place: pygame.Rect, side: str, text: str, color: Color, size: float, bold: bool, plate: bool
    ) -> None:
        view, inside = pygame.Rect(self.camera.view), self._book.inside
        if inside.collidepoint(place.center) or not view.collidepoint(place.center):  # the rest is text of diagrams
            x = {"left": place.left, "right": place.right}.get(side, place.centerx)
            self._add("text", color, size, side, bold, plate, points=np.array(self.camera.to_world((x, place.centery))), end=(text,))
