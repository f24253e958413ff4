"""Draws the pictures of dropped bodies and of bodies in scenes, moving and turning with the body."""

from __future__ import annotations

import io
import math
import os
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pygame

from engine.app.files.writing import png_bytes
from engine.common.files import open_plain
from engine.geometry import Transform
from engine.render.canvas import Canvas
from engine.scenes.pictures import MAX_PICTURE_BYTES, MAX_PICTURES, BodyPicture
from engine.sim.demo import Demo
from engine.sim.dropping import DroppedBody
from engine.sim.stage import Stage

if TYPE_CHECKING:
    from engine.decompose import BodyFile
    from engine.decompose.outline import Outline
    from engine.decompose.tracing import Picture

__all__ = ["DroppedPainter", "kept_picture", "picture_of", "pictures_of"]

_LARGEST = 640
"""Maximum side of a kept picture, pixels; bodies are drawn smaller than that, and rotating costs time per pixel."""
_MAX_FILE = 64_000_000
"""Maximum number of bytes read, the same as for a traced picture."""
_TURN_STEP = math.radians(0.5)
_NARROWEST, _WIDEST = 2.0, 4096.0
"""Smallest and largest size of a picture on the screen, pixels. A smaller one is invisible; of a larger one only a corner would be visible,
and the fixtures' outlines suffice.
"""

_OPAQUE = 255
_ALL, _NOTHING = (255, 255, 255, 255), (255, 255, 255, 0)
_FINER = 2
"""Pixels of the mask per pixel of the picture along each axis: three levels between inside and outside."""

_Crop = tuple[int, int, int, int] | None
_Drawn = tuple[tuple[int, int, int], pygame.Surface]
"""Width, height and angle with which a picture was last drawn, and the result."""


Box = tuple[tuple[float, float], tuple[float, float]]
"""Lower and upper corner of the area that a picture fills, body frame, meters."""


def shown_of(body: DroppedBody) -> tuple[pygame.Surface, Box] | None:
    """Return the picture of a body and its box; None if the body has none or its file cannot be read."""
    if body.picture is not None:
        return _decoded(body.picture.png), (body.picture.lower, body.picture.upper)
    if body.file is None or body.file.picture is None:
        return None
    surface = picture_of(body.file)
    return None if surface is None else (surface, (body.file.picture.lower, body.file.picture.upper))


def picture_of(file: BodyFile) -> pygame.Surface | None:
    """Return the picture of a body, with transparency; None if the body has none or its file cannot be read.

    An opaque picture is cut along the outline, because the paper around a drawing is not part of the body. Thread-safe; the surface is
    cached until the file changes.
    """
    picture = file.picture
    if picture is None:
        return None
    try:
        changed = os.stat(picture.file).st_mtime_ns
    except (OSError, ValueError):
        return None
    return _of_body(picture, file.outline, changed)


def pictures_of(demo: Demo, stage: Stage) -> list[tuple[tuple[int, ...], DroppedBody]]:
    """Return groups of bodies that look alike, as ids, and one body of each."""
    alike: dict[object, list[DroppedBody]] = {}
    for body in demo.dropped:
        if body.stage is stage and body.is_there and (body.picture is not None or body.file is not None):
            alike.setdefault(body.picture if body.picture is not None else body.file, []).append(body)
    return [(tuple(picture.body for picture in pictures), pictures[0]) for pictures in alike.values()]


def kept_picture(bodies: tuple[int, ...], body: DroppedBody) -> BodyPicture | None:
    """Return the picture of bodies as a scene file stores it, within its size limit; None if it is invisible. Thread-safe."""
    if body.picture is not None:
        return replace(body.picture, bodies=bodies)
    shown = shown_of(body)
    if shown is None:
        return None
    surface, (lower, upper) = shown
    return BodyPicture(bodies, _encoded(surface), lower, upper)


@lru_cache(maxsize=MAX_PICTURES)
def _encoded(surface: pygame.Surface) -> bytes:
    content = png_bytes(surface)
    while len(content) > MAX_PICTURE_BYTES:
        surface = pygame.transform.smoothscale_by(surface, 0.5)
        content = png_bytes(surface)
    return content


@lru_cache(maxsize=MAX_PICTURES)
def _decoded(png: bytes) -> pygame.Surface:
    from PIL import Image

    with Image.open(io.BytesIO(png), formats=["PNG"]) as picture:  # checked by `BodyPicture`
        return _clear(pygame.image.frombytes(picture.convert("RGBA").tobytes(), picture.size, "RGBA"))


@lru_cache(maxsize=MAX_PICTURES)
def _of_body(picture: Picture, outline: Outline, changed: int) -> pygame.Surface | None:
    (left, bottom), (right, top) = picture.lower, picture.upper
    picture_surface = _read(picture.file, picture.crop, (top - bottom) / (right - left), changed)
    if picture_surface is None or int(pygame.surfarray.array_alpha(picture_surface).min()) < _OPAQUE:
        return picture_surface
    return _cut(picture_surface, outline, (left, top), (right - left, top - bottom))


def _cut(whole: pygame.Surface, outline: Outline, corner: tuple[float, float], size: tuple[float, float]) -> pygame.Surface:
    """Cut a picture, given its upper left corner and size in meters, along an outline with antialiased edges."""
    width, height = whole.get_size()
    mask = pygame.Surface((_FINER * width, _FINER * height), pygame.SRCALPHA)
    mask.fill(_NOTHING)
    scale = np.array((_FINER * width / size[0], -_FINER * height / size[1]))
    for part in sorted(outline.parts, key=lambda part: -part.area):  # a ring may lie in a hole of another
        for ring, color in ((part.outer, _ALL), *((hole, _NOTHING) for hole in part.holes)):
            pygame.draw.polygon(mask, color, ((ring - corner) * scale).tolist())
    cut = whole.copy()
    cut.blit(pygame.transform.smoothscale(mask, (width, height)), (0, 0), special_flags=pygame.BLEND_RGBA_MULT)
    return cut


def _clear(whole: pygame.Surface) -> pygame.Surface:
    """Convert a picture to one with transparency, within the kept size."""
    clear = pygame.Surface(whole.get_size(), pygame.SRCALPHA)
    clear.blit(whole, (0, 0))
    factor = min(1.0, _LARGEST / max(clear.get_size()))
    return pygame.transform.smoothscale_by(clear, factor) if factor < 1.0 else clear


@lru_cache(maxsize=32)
def _read(file: str, crop: _Crop, height_share: float, changed: int) -> pygame.Surface | None:
    try:
        if file.lower().endswith(".svg"):
            with open_plain(file) as opened:
                content = io.BytesIO(opened.read(_MAX_FILE))
            longer = max(1.0, height_share)
            size = max(1, round(_LARGEST / longer)), max(1, round(_LARGEST * height_share / longer))
            surface = pygame.image.load_sized_svg(content, size)
        else:
            from engine.decompose.image import read_pixels

            pixels = read_pixels(file, crop)  # rotated as its outline was; pygame ignores the orientation tag of photographs
            surface = pygame.image.frombuffer(np.ascontiguousarray(pixels).data, (pixels.shape[1], pixels.shape[0]), "RGBA")
            if max(surface.get_size()) > _LARGEST:  # before any copy: a large picture takes 64 MB
                surface = pygame.transform.smoothscale_by(surface, _LARGEST / max(surface.get_size()))
        return _clear(surface)
    except (pygame.error, OSError, ValueError):
        return None


class DroppedPainter:
    """Caches each dropped body's picture at the size and angle of its last drawing, so that a body at rest costs one copy per frame."""

    def __init__(self) -> None:
        self._drawn: dict[DroppedBody, _Drawn] = {}

    def draw(self, canvas: Canvas, demo: Demo) -> None:
        """Draw the dropped bodies of a demo; those without a picture keep the fill of their fixtures."""
        there = [body for body in demo.dropped if body.is_there]
        before, self._drawn = self._drawn, {}  # pictures out of view are not cached: zoomed in, each takes up to 134 MB
        for body in there:
            shown = shown_of(body)
            if shown is not None:
                self._draw(canvas.at(body.stage.offset), body, *shown, before.get(body))

    def _draw(self, canvas: Canvas, body: DroppedBody, whole: pygame.Surface, box: Box, drawn: _Drawn | None) -> None:
        (left, bottom), (right, top) = box
        width, height = (right - left) * canvas.camera.scale, (top - bottom) * canvas.camera.scale
        pose = body.stage.drawn_pose(body.body)
        if canvas.is_sketch:
            middle = Transform(pose[:2], pose[2]).apply((0.5 * (left + right), 0.5 * (bottom + top)))
            canvas.image(whole, middle, pose[2], right - left)
            return
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
