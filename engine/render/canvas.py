"""Drawing in world coordinates on a pygame surface.

Everything is clipped before it is passed to pygame, so that any coordinate of a world, including NaN, is drawn or omitted without an
exception. Widths, radii named `_px` and text sizes are design pixels and scale with the UI.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pygame

from engine.common.arrays import FloatArray, IntArray
from engine.geometry.aabb import AABB
from engine.render import palette
from engine.render.camera import Camera
from engine.render.clip import clip_polygon, clip_segment, dashes
from engine.render.controls import Controls
from engine.render.fonts import ALL_SIDES, FontBook, LabelRoom
from engine.render.palette import Color
from engine.render.raster import MAX_DISC, NO_COLOR, DiscBook, Raster

__all__ = ["Canvas", "Dots"]

Point = tuple[float, float]

_GUARD = 64.0
"""Clipping margin beyond the view, pixels, so that no cut edge shows."""
_FAR = 30_000
"""Maximum coordinate passed to pygame, pixels; it stores some coordinates in 16 bits."""
_ARC_ERROR = 0.3
"""Tolerance of a large circle's polygon, pixels; the sagitta r (1 - cos(pi / n)) is about r pi^2 / (2 n^2)."""
_MAX_CORNERS = 4096
_OUTLINE = 1.25
"""Width of the outline of a shape, design pixels."""
_LABEL_PAD = 2.0
"""Margin at both ends of a label that no other label may cover, design pixels."""
_PLATE = 205
"""Opacity of the plate under a label, 0 to 255."""
_BATCH = 64
"""Maximum number of figures whose corners are Python lists at the same time; more would trigger the garbage collector in every frame."""
_CROWD = 400
"""Polygons, or lines in one call, from this number on are not smoothed: they are small, and smoothing takes four times as long."""


@dataclass(frozen=True, slots=True)
class Dots:
    """Equal dots, or hollow rings, of fixed size on the screen: world positions float64 (n, 2)."""

    positions: FloatArray
    color: Color
    radius_px: float = 3.0
    alpha: float = 1.0
    ring: bool = False


class Canvas:
    """A surface, a camera whose `view` is the drawable part of it, and the images and fonts cached between frames.

    Parameters
    ----------
    fonts, discs : optional
        Kept by the caller between frames; the fonts have the UI scale.
    room : optional
        Occupied areas of the view, so that no text overlaps another; a new one for each frame.
    raster : optional
        Draws batches of polygons; without it, pygame draws them.
    has_words : bool
        False if the view is too narrow for text; nothing is written then.
    controls : optional
        Collects the controls that are drawn.
    """

    is_sketch = False
    """True if drawings are recorded instead of painted."""

    def __init__(
        self,
        surface: pygame.Surface,
        camera: Camera,
        fonts: FontBook | None = None,
        discs: DiscBook | None = None,
        room: LabelRoom | None = None,
        raster: Raster | None = None,
        has_words: bool = True,
        controls: Controls | None = None,
    ) -> None:
        self.surface = surface
        self.camera = camera
        self.fonts = fonts if fonts is not None else FontBook()
        self.discs = discs if discs is not None else DiscBook()
        self.room = room if room is not None else LabelRoom(camera.view)
        self.controls = controls if controls is not None else Controls()
        self._raster = raster
        self._has_words = has_words
        left, top, width, height = camera.view
        self._box = (left - _GUARD, top - _GUARD, left + width + _GUARD, top + height + _GUARD)

    @property
    def has_words(self) -> bool:
        """True if the view is wide enough for text."""
        return self._has_words

    @property
    def raster(self) -> Raster | None:
        """The renderer of polygon batches; None if pygame draws them."""
        return self._raster

    @property
    def can_paint(self) -> bool:
        """True if our kernels can draw on the surface; otherwise pygame draws."""
        return self._raster is not None and self._raster.can_paint(self.surface)

    @property
    def ui_scale(self) -> float:
        """Screen pixels per design pixel."""
        return self.fonts.ui_scale

    def at(self, offset: Point) -> Canvas:
        """Return a canvas for a world whose origin lies at `offset` in this one."""
        return Canvas(
            self.surface, self.camera.shifted(offset), self.fonts, self.discs, self.room, self._raster, self._has_words, self.controls
        )

    @contextmanager
    def clipped(self, box: AABB | None) -> Iterator[None]:
        """Clip to a box of the world inside the block; None changes nothing."""
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

    # Single figures

    def polygon(self, points: Iterable[Point] | FloatArray, fill: Color | None, outline: Color | None = None, alpha: float = 1.0) -> None:
        """Draw a convex polygon; with `alpha` below 1, the background shows through."""
        world = np.asarray(points if isinstance(points, np.ndarray) else list(points), dtype=np.float64)
        if len(world) >= 3:
            self._polygon_px(self.camera.to_screen_array(world).tolist(), fill, outline, alpha)

    def circle(
        self, center: Point, radius: float, fill: Color | None, outline: Color | None = None, alpha: float = 1.0, angle: float | None = None
    ) -> None:
        """Draw a circle; `angle` adds the line from the center that shows how it has turned."""
        x, y = self.camera.to_screen(center)
        radius_px = radius * self.camera.scale
        if not math.isfinite(radius_px) or not self._near(x, y, radius_px):
            return
        if radius_px <= MAX_DISC:
            self._blit_centered(self.discs.picture(radius_px, fill, outline, _OUTLINE * self.ui_scale, alpha), x, y)
        else:
            n = min(_MAX_CORNERS, math.ceil(math.pi * math.sqrt(radius_px / (2.0 * _ARC_ERROR))))
            turn = np.arange(n) * (2.0 * math.pi / n)
            ring = np.column_stack((x + radius_px * np.cos(turn), y + radius_px * np.sin(turn)))
            self._polygon_px(ring.tolist(), fill, outline, alpha)
        if angle is not None and outline is not None and math.isfinite(angle):
            self._line_px((x, y), (x + radius_px * math.cos(angle), y - radius_px * math.sin(angle)), outline, 1.0)

    def circles(
        self, centers: FloatArray, radii: FloatArray, angles: FloatArray, kinds: IntArray, looks: Sequence[tuple[Color | None, Color]]
    ) -> None:
        """Draw many circles, each with the line that shows how it has turned: (n, 2), (n,) and (n,).

        `looks` are the fill and the outline of each kind, and `kinds`, int64 (n,), is the kind of each circle.
        """
        pixels, sizes = self.camera.to_screen_array(centers), radii * self.camera.scale
        rims = pixels + sizes[:, None] * np.column_stack((np.cos(angles), -np.sin(angles)))
        width, disc = _OUTLINE * self.ui_scale, self.discs.picture
        if not (np.abs(rims).max(initial=0.0) < _FAR and sizes.max(initial=0.0) <= MAX_DISC):  # true for NaN
            for (x, y), radius, kind, angle in zip(centers.tolist(), radii.tolist(), kinds.tolist(), angles.tolist(), strict=True):
                fill, outline = looks[kind]
                self.circle((x, y), radius, fill, outline, angle=angle)
            return
        # equal circles share an image
        _, first, same = np.unique(DiscBook.steps(sizes) * len(looks) + kinds, return_index=True, return_inverse=True)
        chosen = zip(sizes[first].tolist(), (looks[kind] for kind in kinds[first].tolist()), strict=True)
        pictures = [disc(size, fill, outline, width) for size, (fill, outline) in chosen]
        halves = np.array([picture.get_width() // 2 for picture in pictures], dtype=np.int64)
        corners = np.floor(pixels).astype(np.int64) - halves[same][:, None]
        self.surface.fblits(zip(map(pictures.__getitem__, same.tolist()), corners.tolist(), strict=True))
        lines = np.stack((pixels, rims), axis=1)
        for color in {looks[kind][1] for kind in kinds.tolist()}:
            is_of_color = np.array([outline == color for _, outline in looks], dtype=np.bool_)
            self._lines_px(lines[is_of_color[kinds]], color, 1.0)

    def segment(self, a: Point, b: Point, color: Color, width: float = 1.0) -> None:
        """Draw a straight line of `width` design pixels."""
        self._line_px(self.camera.to_screen(a), self.camera.to_screen(b), color, width)

    def dashed(self, a: Point, b: Point, color: Color, dash_px: float = 6.0, width: float = 1.0) -> None:
        """Draw a dashed line."""
        cut = clip_segment(self.camera.to_screen(a), self.camera.to_screen(b), self._box)
        if cut is None:
            return
        for start, end in dashes(*cut, dash_px * self.ui_scale):
            self._line_px(start, end, color, width)

    def arrow(self, start: Point, direction: Point, length_px: float, color: Color, width: float = 1.5) -> None:
        """Draw an arrow of fixed length on the screen along a world direction."""
        self.arrows(np.array([start], dtype=np.float64), np.array([direction], dtype=np.float64), length_px, color, width)

    def arrows(self, starts: FloatArray, directions: FloatArray, length_px: float, color: Color, width: float = 1.5) -> None:
        """Draw arrows of fixed length on the screen along world directions, float64 (n, 2) each."""
        sizes = np.hypot(directions[:, 0], directions[:, 1])
        pixels = self.camera.to_screen_array(starts)
        length, head = length_px * self.ui_scale, 4.0 * self.ui_scale
        left, top, right, bottom = self._box
        x, y = pixels[:, 0], pixels[:, 1]
        near = (x >= left - length) & (x <= right + length) & (y >= top - length) & (y <= bottom + length)  # false for NaN
        near &= (sizes > 0.0) & (sizes < np.inf)
        if not near.any():
            return
        pixels, ways = pixels[near], directions[near] / sizes[near, None] * (1.0, -1.0)
        tips = pixels + length * ways
        necks = tips - head * ways
        self._lines_px(np.stack((pixels, necks), axis=1), color, width)
        wings = 0.6 * head * np.column_stack((-ways[:, 1], ways[:, 0]))
        self.figures_px(np.stack((tips, necks + wings, necks - wings), axis=1), color)

    def aabb(self, box: AABB, color: Color) -> None:
        """Draw the outline of an axis-aligned box."""
        self.boxes(np.array([(*box.lower, *box.upper)]), color)

    def point(self, position: Point, color: Color, radius_px: float = 3.0, alpha: float = 1.0, ring: bool = False) -> None:
        """Draw a dot, or a hollow ring, of fixed size on the screen."""
        self.points(np.array([position], dtype=np.float64), color, radius_px, alpha, ring)

    def image(self, picture: pygame.Surface, position: Point, angle: float, width: float, alpha: float = 1.0) -> None:
        """Draw an image `width` meters wide, centered at `position` and rotated by `angle`."""
        x, y = self.camera.to_screen(position)
        scale = width * self.camera.scale / max(picture.get_width(), 1)
        reach = scale * math.hypot(*picture.get_size())
        if not self._near(x, y, reach) or not 0.5 < reach < 8192.0 or not math.isfinite(angle):
            return
        turned = pygame.transform.rotozoom(picture, math.degrees(angle), scale)
        if alpha < 1.0:
            turned.set_alpha(round(255 * alpha))
        self._blit_centered(turned, x, y)

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
        """Write text at a world point; `anchor` is the part of the text at the point: center, left, right, top or bottom.

        `plate` draws the background's color under the text.
        """
        x, y = self.camera.to_screen(position)
        if self._near(x, y, 0.0):
            self.text_px((x, y), text, color, size, anchor, bold, plate)

    def text_px(
        self, pixel: Point, text: str, color: Color, size: float = 13.0, anchor: str = "topleft", bold: bool = False, plate: bool = False
    ) -> pygame.Rect:
        """Write text at a pixel; `anchor` is the name of a corner or side of pygame's rectangles. Return the covered rectangle."""
        if not self._has_words:
            return pygame.Rect(round(pixel[0]), round(pixel[1]), 0, 0)
        picture = self.fonts.render(text, size, color, bold)
        name = {"left": "midleft", "right": "midright", "top": "midtop", "bottom": "midbottom"}.get(anchor, anchor)
        place = picture.get_rect(**{name: (round(pixel[0]), round(pixel[1]))})
        side = next((side for side in ("left", "right") if side in name), "center")
        self._write(picture, place, side, text, color, size, bold, plate)
        self.room.take(place)
        return place

    def label(
        self,
        pixel: Point,
        text: str,
        color: Color,
        size: float,
        gap: float,
        bold: bool = False,
        plate: bool = False,
        sides: Sequence[tuple[int, int]] = ALL_SIDES,
    ) -> bool:
        """Write text next to a pixel, `gap` design pixels away, where it covers no other text; return False if there is no room.

        `sides` are the allowed sides, as for `LabelRoom.beside`.
        """
        left, top, right, bottom = self._box
        if not (self._has_words and left <= pixel[0] <= right and top <= pixel[1] <= bottom):
            return False
        picture = self.fonts.render(text, size, color, bold)
        wide, high = picture.get_size()
        place = self.room.beside(pixel, (wide + 2 * round(_LABEL_PAD * self.ui_scale), high), (gap - _LABEL_PAD) * self.ui_scale, sides)
        if place is None:
            return False
        self._write(picture, picture.get_rect(center=place.center), "center", text, color, size, bold, plate)
        return True

    def label_last(
        self,
        pixel: Point,
        text: str,
        color: Color,
        size: float,
        gap: float,
        bold: bool = False,
        plate: bool = False,
        sides: Sequence[tuple[int, int]] = ALL_SIDES,
    ) -> None:
        """Write a label as `label` does, but after all text with a fixed place, when `LabelRoom.settle` is called."""
        clip = self.surface.get_clip()

        def write() -> None:
            before = self.surface.get_clip()
            self.surface.set_clip(clip)
            self.label(pixel, text, color, size, gap, bold, plate, sides)
            self.surface.set_clip(before)

        self.room.wait(write)

    def keep_clear(self, pixels: FloatArray, side: float) -> None:
        """Keep labels off squares of `side` design pixels centered at pixels, float64 (n, 2)."""
        square = round(side * self.ui_scale)
        for x, y in pixels[(np.abs(pixels) < 1e6).all(axis=1)].tolist():
            self.room.keep_off(pygame.Rect(round(x) - square // 2, round(y) - square // 2, square, square))

    # Batches

    def points(self, positions: FloatArray, color: Color, radius_px: float = 3.0, alpha: float = 1.0, ring: bool = False) -> None:
        """Draw many equal dots or rings, world positions float64 (n, 2)."""
        self.dots([Dots(positions, color, radius_px, alpha, ring)])

    def dots(self, groups: Sequence[Dots]) -> None:
        """Draw groups of dots in one pass, later groups on top."""
        groups = [group for group in groups if len(group.positions) and group.alpha > 0.0]
        if not groups:
            return
        pixels = self.camera.to_screen_array(np.concatenate([group.positions for group in groups]))
        lengths, ui = [len(group.positions) for group in groups], self.ui_scale
        if self._raster is not None and self.can_paint:
            stamps = self.discs.stamps((group.radius_px * ui, group.ring, 1.5 * ui, group.alpha) for group in groups)
            colors = np.array([self.surface.map_rgb(palette.now(group.color)) for group in groups], dtype=np.int64)
            self._raster.dots(self.surface, pixels, np.cumsum(lengths), stamps, colors, np.array(self._box))
            return
        left, top, right, bottom = self._box
        seen = (pixels >= (left, top)).all(axis=1) & (pixels <= (right, bottom)).all(axis=1)  # false for NaN
        kinds = np.repeat(np.arange(len(groups)), lengths)[seen]
        columns, rows = np.floor(pixels[seen]).astype(np.int64).T
        pictures = [self._dot(group) for group in groups]
        halves = np.array([picture.get_width() // 2 for picture in pictures])[kinds]
        each = map(pictures.__getitem__, kinds.tolist())
        self.surface.fblits(zip(each, zip((columns - halves).tolist(), (rows - halves).tolist(), strict=True), strict=True))

    def _dot(self, group: Dots) -> pygame.Surface:
        fill, outline = (None, group.color) if group.ring else (group.color, None)
        return self.discs.picture(group.radius_px * self.ui_scale, fill, outline, 1.5 * self.ui_scale, group.alpha)

    def boxes(self, boxes: FloatArray, color: Color, width: float = 1.0) -> None:
        """Draw the outlines of axis-aligned boxes: float64 (n, 4) x0, y0, x1, y1, in the world."""
        thick, mapped, draw = max(1, round(width * self.ui_scale)), self.surface.map_rgb(palette.now(color)), pygame.draw.rect
        for place in self.camera.rectangles(boxes)[1]:
            draw(self.surface, mapped, place, thick)

    def segments(self, starts: FloatArray, ends: FloatArray, color: Color, width: float = 1.0) -> None:
        """Draw many lines, world positions float64 (n, 2) each."""
        if len(starts) == 0:
            return
        self._lines_px(self.camera.to_screen_array(np.stack((starts, ends), axis=1)), color, width)

    def polygons(self, vertices: FloatArray, starts: IntArray, fills: IntArray, outlines: IntArray) -> None:
        """Draw many convex polygons in one pass.

        Parameters
        ----------
        vertices : float64 (n, 2)
            World points of all polygons, one after another.
        starts : int64 (p + 1,)
            Polygon k has the vertices ``starts[k]`` to ``starts[k + 1]``, three or more.
        fills, outlines : int64 (p,)
            Colors as `mapped` returns them.
        """
        if len(starts) >= 2:
            self._polygons_px(self.camera.to_screen_array(vertices), starts, fills, outlines)

    def mapped(self, colors: Sequence[Color | None]) -> IntArray:
        """Return colors as the surface maps them, `raster.NO_COLOR` for None."""
        shades = {color: NO_COLOR if color is None else self.surface.map_rgb(color) for color in set(colors)}
        return np.fromiter(map(shades.__getitem__, colors), dtype=np.int64, count=len(colors))

    def figures_px(self, corners: FloatArray, color: Color) -> None:
        """Fill convex polygons with the same number of corners, pixels, float64 (p, c, 2): needles, arrowheads."""
        if not len(corners):
            return
        mapped, flat = self.surface.map_rgb(palette.now(color)), corners.reshape(-1, 2)
        if self._raster is not None and self._raster.can_paint(self.surface, flat):
            starts = np.arange(0, len(flat) + 1, corners.shape[1])
            fills, outlines = np.full(len(corners), mapped), np.full(len(corners), NO_COLOR)
            self._raster.polygons(self.surface, flat, starts, fills, outlines, self.ui_scale, self.ui_scale, _CROWD)
            return
        for start in range(0, len(corners), _BATCH):
            for figure in corners[start : start + _BATCH].tolist():
                pygame.draw.polygon(self.surface, mapped, figure)

    # In pixels

    def _polygons_px(self, pixels: FloatArray, starts: IntArray, fills: IntArray, outlines: IntArray) -> None:
        if self._raster is not None and self._raster.can_paint(self.surface, pixels):
            self._raster.polygons(self.surface, pixels, starts, fills, outlines, _OUTLINE * self.ui_scale, self.ui_scale, _CROWD)
            return
        low = np.minimum.reduceat(pixels, starts[:-1], axis=0)
        high = np.maximum.reduceat(pixels, starts[:-1], axis=0)
        left, top, right, bottom = self._box
        # comparisons with NaN are false, so that polygons with NaN are invisible
        seen = (high[:, 0] >= left) & (low[:, 0] <= right) & (high[:, 1] >= top) & (low[:, 1] <= bottom)
        in_reach = (low[:, 0] >= left - 8000) & (low[:, 1] >= top - 8000) & (high[:, 0] <= right + 8000) & (high[:, 1] <= bottom + 8000)
        offsets = starts.tolist()
        visible = np.flatnonzero(seen).tolist()
        crowded = len(visible) > _CROWD
        is_thin = self.ui_scale < 1.75 or crowded
        surface, fill_polygon, draw_outline = self.surface, pygame.draw.polygon, pygame.draw.lines if crowded else pygame.draw.aalines
        shades = zip(fills[visible].tolist(), outlines[visible].tolist(), strict=True)
        for k, (fill, outline) in zip(visible, shades, strict=True):
            # one list per polygon; thousands of lists at the same time would trigger the garbage collector in every frame
            ring = pixels[offsets[k] : offsets[k + 1]].tolist()
            if not (is_thin and in_reach[k]):
                self._polygon_px(ring, fill if fill != NO_COLOR else None, outline if outline != NO_COLOR else None, 1.0)
                continue
            if fill != NO_COLOR:
                fill_polygon(surface, fill, ring)
            if outline != NO_COLOR:
                draw_outline(surface, outline, True, ring)

    def _lines_px(self, lines: FloatArray, color: Color, width: float) -> None:
        """Draw lines between pixels, float64 (n, 2, 2)."""
        corners, thick = lines.reshape(-1, 2), max(1, round(width * self.ui_scale))
        mapped = self.surface.map_rgb(palette.now(color))
        if self._raster is not None and self._raster.can_paint(self.surface, corners):
            starts = np.arange(0, len(corners) + 1, 2)
            fills, outlines = np.full(len(lines), mapped), np.full(len(lines), NO_COLOR)
            self._raster.polygons(self.surface, corners, starts, fills, outlines, max(thick, _OUTLINE), thick, _CROWD)
            return
        left, top, right, bottom = self._box
        low, high = lines.min(axis=1), lines.max(axis=1)
        inside = (low[:, 0] >= left) & (low[:, 1] >= top) & (high[:, 0] <= right) & (high[:, 1] <= bottom)
        draw_line = pygame.draw.line if len(lines) > _CROWD else pygame.draw.aaline
        for x0, y0, x1, y1 in zip(*lines[inside].reshape(-1, 4).T.tolist(), strict=True):
            draw_line(self.surface, mapped, (x0, y0), (x1, y1), thick)
        for (x0, y0), (x1, y1) in lines[~inside].tolist() if not inside.all() else ():
            self._line_px((x0, y0), (x1, y1), color, width)

    def _write(
        self, picture: pygame.Surface, place: pygame.Rect, side: str, text: str, color: Color, size: float, bold: bool, plate: bool
    ) -> None:
        """Place rendered text; `side` is the side of the place that stays fixed if the text is written in another size."""
        if plate:
            self._plate(place)
        self.surface.blit(picture, place)

    def _plate(self, place: pygame.Rect) -> None:
        outer = place.inflate(round(8.0 * self.ui_scale), round(2.0 * self.ui_scale))
        self.surface.blit(self.fonts.plate(outer.size, palette.BACKGROUND, _PLATE, round(4.0 * self.ui_scale)), outer)

    def _near(self, x: float, y: float, reach: float) -> bool:
        left, top, right, bottom = self._box
        return left - reach <= x <= right + reach and top - reach <= y <= bottom + reach

    def _blit_centered(self, picture: pygame.Surface, x: float, y: float) -> None:
        self.surface.blit(picture, (round(x - picture.get_width() / 2.0), round(y - picture.get_height() / 2.0)))

    def _line_px(self, a: Point, b: Point, color: Color, width: float) -> None:
        left, top, right, bottom = self._box
        inside = left <= a[0] <= right and left <= b[0] <= right and top <= a[1] <= bottom and top <= b[1] <= bottom
        cut = (a, b) if inside else clip_segment(a, b, self._box)
        if cut is not None:
            thick = max(1, round(width * self.ui_scale))
            pygame.draw.aaline(self.surface, palette.now(color), cut[0], cut[1], thick)

    def _polygon_px(self, pixels: Sequence[Point], fill: Color | int | None, outline: Color | int | None, alpha: float) -> None:
        left, top, right, bottom = self._box
        inside = all(left <= x <= right and top <= y <= bottom for x, y in pixels)
        corners = pixels if inside else clip_polygon(pixels, self._box)
        if len(corners) < 3:
            return
        fill, outline = (palette.now(color) if isinstance(color, tuple) else color for color in (fill, outline))
        surface, ring = self.surface, corners
        if alpha < 1.0:
            xs, ys = [x for x, _ in corners], [y for _, y in corners]
            corner = math.floor(min(xs)) - 2, math.floor(min(ys)) - 2
            surface = pygame.Surface((math.ceil(max(xs)) - corner[0] + 3, math.ceil(max(ys)) - corner[1] + 3), pygame.SRCALPHA)
            ring = [(x - corner[0], y - corner[1]) for x, y in corners]
        if fill is not None:
            pygame.draw.polygon(surface, fill, ring)
        if outline is not None:
            thick = max(1, round(_OUTLINE * self.ui_scale))
            if thick == 1:
                pygame.draw.aalines(surface, outline, True, ring)
            else:
                for i, end in enumerate(ring):
                    pygame.draw.aaline(surface, outline, ring[i - 1], end, thick)
        if surface is not self.surface:
            surface.set_alpha(round(255.0 * max(alpha, 0.0)))
            self.surface.blit(surface, corner)
