"""Drawing in world coordinates on a pygame surface.

Everything is clipped before pygame sees it, so that any coordinate a world can hold, NaN included, is drawn or left out but
never raises. Widths, radii named `_px` and text sizes are design pixels and grow with the UI scale.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat

import numpy as np
import pygame

from engine.common.arrays import FloatArray, IntArray
from engine.geometry.aabb import AABB
from engine.render import palette
from engine.render.camera import Camera
from engine.render.clip import clip_polygon, clip_segment
from engine.render.dashes import draw_dashed_box
from engine.render.discs import LARGEST_DISC, DiscBook
from engine.render.fonts import FontBook
from engine.render.labels import LabelRoom
from engine.render.palette import Color

__all__ = ["Canvas"]

Point = tuple[float, float]

_GUARD = 64.0
"""Pixels beyond the view where clipping cuts, so that no cut edge shows."""
_ARC_ERROR = 0.3
"""Pixels a large circle's polygon may deviate; the sagitta r (1 - cos(pi / n)) is about r pi^2 / (2 n^2)."""
_MOST_CORNERS = 4096
_CROWD = 400
"""Polygons, or lines of one call, from which they are no longer smoothed: they are small then, and smoothing costs four times as much."""


class Canvas:
    """A surface, a camera, and the pictures and fonts kept between frames.

    Parameters
    ----------
    surface : pygame.Surface
    camera : Camera
        Its `view` is the part of the surface drawn on.
    fonts, discs : optional
        Kept by the caller from frame to frame; the fonts carry the UI scale.
    room : optional
        What is taken of the view, so that no words are written over others; one for each frame.
    """

    def __init__(
        self,
        surface: pygame.Surface,
        camera: Camera,
        fonts: FontBook | None = None,
        discs: DiscBook | None = None,
        room: LabelRoom | None = None,
    ) -> None:
        self.surface = surface
        self.camera = camera
        self.fonts = fonts if fonts is not None else FontBook()
        self.discs = discs if discs is not None else DiscBook()
        self.room = room if room is not None else LabelRoom(camera.view)
        left, top, width, height = camera.view
        self._box = (left - _GUARD, top - _GUARD, left + width + _GUARD, top + height + _GUARD)

    @property
    def ui_scale(self) -> float:
        """Screen pixels to a design pixel."""
        return self.fonts.ui_scale

    def at(self, offset: Point) -> Canvas:
        """Return the canvas for a world whose origin lies at `offset` of this one's."""
        return Canvas(self.surface, self.camera.shifted(offset), self.fonts, self.discs, self.room)

    @contextmanager
    def clipped(self, box: AABB | None) -> Iterator[None]:
        """Draw nothing outside a box of the world for a while; None changes nothing."""
        before = self.surface.get_clip()
        if box is not None:
            (left, bottom), (right, top) = self.camera.to_screen(box.lower), self.camera.to_screen(box.upper)
            far = 1.0e6  # pixels; pygame's rectangles hold 32-bit integers
            left, top, right, bottom = (round(min(max(edge, -far), far)) for edge in (left, top, right, bottom))
            self.surface.set_clip(pygame.Rect(left, top, right - left, bottom - top).clip(before))
        try:
            yield
        finally:
            self.surface.set_clip(before)

    # One thing at a time

    def polygon(self, points: Iterable[Point] | FloatArray, fill: Color | None, outline: Color | None = None, alpha: float = 1.0) -> None:
        """Draw a convex polygon; `alpha` below 1 lets the ground show through."""
        world = np.asarray(points if isinstance(points, np.ndarray) else list(points), dtype=np.float64)
        if len(world) >= 3:
            self._polygon_px(self.camera.to_screen_array(world).tolist(), fill, outline, alpha)

    def circle(
        self, center: Point, radius: float, fill: Color | None, outline: Color | None = None, alpha: float = 1.0, angle: float | None = None
    ) -> None:
        """Draw a circle; `angle` adds the line from the centre that shows how it has turned."""
        x, y = self.camera.to_screen(center)
        radius_px = radius * self.camera.scale
        if not math.isfinite(radius_px) or not self._near(x, y, radius_px):
            return
        if radius_px <= LARGEST_DISC:
            self._blit_centred(self.discs.picture(radius_px, fill, outline, 1.25 * self.ui_scale, alpha), x, y)
        else:
            n = min(_MOST_CORNERS, math.ceil(math.pi * math.sqrt(radius_px / (2.0 * _ARC_ERROR))))
            turn = np.arange(n) * (2.0 * math.pi / n)
            ring = np.column_stack((x + radius_px * np.cos(turn), y + radius_px * np.sin(turn)))
            self._polygon_px(ring.tolist(), fill, outline, alpha)
        if angle is not None and outline is not None and math.isfinite(angle):
            self._line_px((x, y), (x + radius_px * math.cos(angle), y - radius_px * math.sin(angle)), outline, 1.0)

    def segment(self, a: Point, b: Point, color: Color, width: float = 1.0) -> None:
        """Draw a straight line of `width` design pixels."""
        self._line_px(self.camera.to_screen(a), self.camera.to_screen(b), color, width)

    def dashed(self, a: Point, b: Point, color: Color, dash_px: float = 6.0, width: float = 1.0) -> None:
        """Draw a dashed line."""
        cut = clip_segment(self.camera.to_screen(a), self.camera.to_screen(b), self._box)
        if cut is None:
            return
        (x0, y0), (x1, y1) = cut
        length = math.hypot(x1 - x0, y1 - y0)
        dash = dash_px * self.ui_scale
        for k in range(int(length / (2.0 * dash)) + 1):
            s, t = min(2.0 * dash * k / max(length, 1e-9), 1.0), min(dash * (2.0 * k + 1.0) / max(length, 1e-9), 1.0)
            start, end = (x0 + s * (x1 - x0), y0 + s * (y1 - y0)), (x0 + t * (x1 - x0), y0 + t * (y1 - y0))
            self._line_px(start, end, color, width)

    def arrow(self, start: Point, direction: Point, length_px: float, color: Color, width: float = 1.5) -> None:
        """Draw an arrow of fixed length on the screen along a world direction."""
        size = math.hypot(*direction)
        if size == 0.0 or not math.isfinite(size):
            return
        ux, uy = direction[0] / size, -direction[1] / size
        x, y = self.camera.to_screen(start)
        length, head = length_px * self.ui_scale, 4.0 * self.ui_scale
        tip = (x + length * ux, y + length * uy)
        if not self._near(x, y, length):
            return
        neck = (tip[0] - head * ux, tip[1] - head * uy)
        self._line_px((x, y), neck, color, width)
        wing = 0.6 * head
        corners = [tip, (neck[0] - wing * uy, neck[1] + wing * ux), (neck[0] + wing * uy, neck[1] - wing * ux)]
        self._polygon_px(corners, color, None, 1.0)

    def aabb(self, box: AABB, color: Color) -> None:
        """Draw the outline of an axis-aligned box, dashed."""
        self.boxes(np.array([(*box.lower, *box.upper)]), color)

    def point(self, position: Point, color: Color, radius_px: float = 3.0, alpha: float = 1.0, ring: bool = False) -> None:
        """Draw a dot, or a hollow ring, of fixed size on the screen."""
        self.points(np.array([position], dtype=np.float64), color, radius_px, alpha, ring)

    def image(self, picture: pygame.Surface, position: Point, angle: float, width: float, alpha: float = 1.0) -> None:
        """Draw a picture `width` metres wide, its middle at `position`, turned by `angle`."""
        x, y = self.camera.to_screen(position)
        scale = width * self.camera.scale / max(picture.get_width(), 1)
        reach = scale * math.hypot(*picture.get_size())
        if not self._near(x, y, reach) or not 0.5 < reach < 8192.0 or not math.isfinite(angle):
            return
        turned = pygame.transform.rotozoom(picture, math.degrees(angle), scale)
        if alpha < 1.0:
            turned.set_alpha(round(255 * alpha))
        self._blit_centred(turned, x, y)

    def text(
        self,
        position: Point,
        text: str,
        color: Color,
        size: float = 13.0,
        anchor: str = "center",
        bold: bool = False,
        plate: bool = False,
    ) -> None:
        """Write at a world point. `anchor`: which part of the text lies there: center, left, right, top or bottom.

        `plate` lays the background's colour under the words.
        """
        x, y = self.camera.to_screen(position)
        if self._near(x, y, 0.0):
            self.text_px((x, y), text, color, size, anchor, bold, plate)

    def text_px(
        self, pixel: Point, text: str, color: Color, size: float = 13.0, anchor: str = "topleft", bold: bool = False, plate: bool = False
    ) -> pygame.Rect:
        """Write at a pixel; `anchor` is the name of a corner or side of pygame's rectangles. Return the place taken."""
        picture = self.fonts.render(text, size, color, bold)
        name = {"left": "midleft", "right": "midright", "top": "midtop", "bottom": "midbottom"}.get(anchor, anchor)
        place = picture.get_rect(**{name: (round(pixel[0]), round(pixel[1]))})
        if plate:
            self._plate(place)
        self.surface.blit(picture, place)
        self.room.take(place)
        return place

    def label(self, pixel: Point, text: str, color: Color, size: float, gap: float, bold: bool = False, plate: bool = False) -> bool:
        """Write beside a pixel, `gap` design pixels away, where nothing else is written; return False if there is no room."""
        left, top, right, bottom = self._box
        if not (left <= pixel[0] <= right and top <= pixel[1] <= bottom):
            return False
        picture = self.fonts.render(text, size, color, bold)
        place = self.room.beside(pixel, picture.get_size(), gap * self.ui_scale)
        if place is None:
            return False
        if plate:
            self._plate(place)
        self.surface.blit(picture, place)
        return True

    def keep_clear(self, pixels: FloatArray, side: float) -> None:
        """Let no label lie on these pixels, float64 (n, 2), each the middle of a square of `side` design pixels."""
        square = round(side * self.ui_scale)
        for x, y in pixels[(np.abs(pixels) < 1e6).all(axis=1)].tolist():
            self.room.take(pygame.Rect(round(x) - square // 2, round(y) - square // 2, square, square))

    # Many things at once

    def points(self, positions: FloatArray, color: Color, radius_px: float = 3.0, alpha: float = 1.0, ring: bool = False) -> None:
        """Draw many equal dots or rings, world positions float64 (n, 2)."""
        if len(positions) == 0 or alpha <= 0.0:
            return
        pixels = self.camera.to_screen_array(positions)
        left, top, right, bottom = self._box
        seen = (pixels[:, 0] >= left) & (pixels[:, 0] <= right) & (pixels[:, 1] >= top) & (pixels[:, 1] <= bottom)
        radius = radius_px * self.ui_scale
        picture = self.discs.picture(radius, None if ring else color, color if ring else None, 1.5 * self.ui_scale, alpha)
        x, y = np.rint(pixels[seen] - picture.get_width() / 2.0).astype(np.int64).T
        self.surface.fblits(zip(repeat(picture), zip(x.tolist(), y.tolist(), strict=True), strict=False))

    def boxes(self, boxes: FloatArray, color: Color) -> None:
        """Draw the outlines of axis-aligned boxes, dashed: float64 (n, 4) x0, y0, x1, y1, in the world."""
        dash, thick, color = max(2, round(4.0 * self.ui_scale)), max(1, round(0.8 * self.ui_scale)), palette.now(color)
        pixels = self.camera.to_screen_array(boxes.reshape(-1, 2, 2))
        for (left, bottom), (right, top) in pixels[np.isfinite(pixels).all(axis=(1, 2))].tolist():
            draw_dashed_box(self.surface, (left, top, right, bottom), color, dash, thick)

    def segments(self, starts: FloatArray, ends: FloatArray, color: Color, width: float = 1.0) -> None:
        """Draw many lines, world positions float64 (n, 2) each."""
        if len(starts) == 0:
            return
        a, b = self.camera.to_screen_array(starts), self.camera.to_screen_array(ends)
        left, top, right, bottom = self._box
        low, high = np.minimum(a, b), np.maximum(a, b)
        inside = (low[:, 0] >= left) & (low[:, 1] >= top) & (high[:, 0] <= right) & (high[:, 1] <= bottom)
        thick = max(1, round(width * self.ui_scale))
        draw_line = pygame.draw.line if len(a) > _CROWD else pygame.draw.aaline
        surface, mapped = self.surface, self.surface.map_rgb(palette.now(color))
        for p, q in zip(a[inside].tolist(), b[inside].tolist(), strict=True):
            draw_line(surface, mapped, p, q, thick)
        for p, q in zip(a[~inside].tolist(), b[~inside].tolist(), strict=True):
            self._line_px((p[0], p[1]), (q[0], q[1]), color, width)

    def polygons(
        self, vertices: FloatArray, starts: IntArray | Sequence[int], fills: Sequence[Color | None], outlines: Sequence[Color | None]
    ) -> None:
        """Draw many convex polygons in one pass.

        Parameters
        ----------
        vertices : float64 (n, 2)
            World points of all polygons, one after another.
        starts : (p + 1,) integers
            Polygon k has the vertices ``starts[k]`` to ``starts[k + 1]``, three or more.
        fills, outlines : p colours or None each
        """
        bounds = np.asarray(starts, dtype=np.int64)
        if len(bounds) < 2:
            return
        pixels = self.camera.to_screen_array(vertices)
        low = np.minimum.reduceat(pixels, bounds[:-1], axis=0)
        high = np.maximum.reduceat(pixels, bounds[:-1], axis=0)
        left, top, right, bottom = self._box
        # a comparison with NaN is false, so that a polygon with one is not seen
        seen = (high[:, 0] >= left) & (low[:, 0] <= right) & (high[:, 1] >= top) & (low[:, 1] <= bottom)
        whole = (low[:, 0] >= left - 8000) & (low[:, 1] >= top - 8000) & (high[:, 0] <= right + 8000) & (high[:, 1] <= bottom + 8000)
        offsets = bounds.tolist()
        surface, fill_polygon, plain_outline, smooth_outline = self.surface, pygame.draw.polygon, pygame.draw.lines, pygame.draw.aalines
        visible = np.flatnonzero(seen).tolist()
        crowded = len(visible) > _CROWD
        thick = self.ui_scale >= 1.75 and not crowded
        for k in visible:
            fill, outline = fills[k], outlines[k]
            # a list for each: thousands of them alive at once would set the garbage collector going in every frame
            ring = pixels[offsets[k] : offsets[k + 1]].tolist()
            if whole[k] and not thick:
                if fill is not None:
                    fill_polygon(surface, fill, ring)
                if outline is not None and crowded:
                    plain_outline(surface, outline, True, ring)
                elif outline is not None:
                    smooth_outline(surface, outline, True, ring)
            else:
                self._polygon_px(ring, fill, outline, 1.0)

    # In pixels

    def _plate(self, place: pygame.Rect) -> None:
        outer = place.inflate(round(8.0 * self.ui_scale), round(2.0 * self.ui_scale))
        plate = pygame.Surface(outer.size, pygame.SRCALPHA)
        pygame.draw.rect(plate, (*palette.BACKGROUND, 205), plate.get_rect(), border_radius=round(4.0 * self.ui_scale))
        self.surface.blit(plate, outer)

    def _near(self, x: float, y: float, reach: float) -> bool:
        left, top, right, bottom = self._box
        return left - reach <= x <= right + reach and top - reach <= y <= bottom + reach

    def _blit_centred(self, picture: pygame.Surface, x: float, y: float) -> None:
        self.surface.blit(picture, (round(x - picture.get_width() / 2.0), round(y - picture.get_height() / 2.0)))

    def _line_px(self, a: Point, b: Point, color: Color, width: float) -> None:
        left, top, right, bottom = self._box
        inside = left <= a[0] <= right and left <= b[0] <= right and top <= a[1] <= bottom and top <= b[1] <= bottom
        cut = (a, b) if inside else clip_segment(a, b, self._box)
        if cut is not None:
            thick = max(1, round(width * self.ui_scale))
            pygame.draw.aaline(self.surface, palette.now(color), cut[0], cut[1], thick)

    def _polygon_px(self, pixels: Sequence[Point], fill: Color | None, outline: Color | None, alpha: float) -> None:
        left, top, right, bottom = self._box
        inside = all(left <= x <= right and top <= y <= bottom for x, y in pixels)
        corners = pixels if inside else clip_polygon(pixels, self._box)
        if len(corners) < 3:
            return
        fill, outline = palette.now(fill) if fill is not None else None, palette.now(outline) if outline is not None else None
        surface, ring = self.surface, corners
        if alpha < 1.0:
            xs, ys = [x for x, _ in corners], [y for _, y in corners]
            corner = math.floor(min(xs)) - 2, math.floor(min(ys)) - 2
            surface = pygame.Surface((math.ceil(max(xs)) - corner[0] + 3, math.ceil(max(ys)) - corner[1] + 3), pygame.SRCALPHA)
            ring = [(x - corner[0], y - corner[1]) for x, y in corners]
        if fill is not None:
            pygame.draw.polygon(surface, fill, ring)
        if outline is not None:
            thick = max(1, round(1.25 * self.ui_scale))
            if thick == 1:
                pygame.draw.aalines(surface, outline, True, ring)
            else:
                for i, end in enumerate(ring):
                    pygame.draw.aaline(surface, outline, ring[i - 1], end, thick)
        if surface is not self.surface:
            surface.set_alpha(round(255.0 * max(alpha, 0.0)))
            self.surface.blit(surface, corner)
