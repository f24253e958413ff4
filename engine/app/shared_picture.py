"""Drawing of other users in a shared world: pointers with names, grabbed and driven bodies, and ghosts of corrected bodies.

A pointer is an arrow with the user's name on a plate in the user's color. A body that a user grabs, or drives with force keys, is
outlined in that color; a line connects the pointer and the grab point. A correction leaves a dashed outline at the body's previous pose,
which fades within a second.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pygame

from engine.app.editor.tool import body_rings, draw_rings
from engine.common.arrays import FloatArray
from engine.geometry import Transform
from engine.render import palette
from engine.render.canvas import Canvas
from engine.render.palette import Color, mix
from engine.sim.action import Held
from engine.sim.demo import Demo

if TYPE_CHECKING:
    from engine.net.corrections import Correction

__all__ = ["Ghost", "draw_ghosts", "draw_holds", "draw_pointer", "ghosts_of", "millimeters", "user_color"]

Point = tuple[float, float]

_HELD, _DRIVEN = 2.5, 1.5
"""Line width of the outline of a grabbed and of a driven body, design pixels."""
_ARROW = ((0.0, 0.0), (0.0, 17.0), (4.2, 13.2), (7.2, 19.4), (9.9, 18.2), (7.0, 12.2), (12.2, 11.8))
"""Vertices of a pointer's arrow relative to its tip, design pixels, y down."""
_NAME = 12.0
_FAR = 30_000.0
_MIN_GHOST = 0.002
"""Smallest correction that is drawn, m; a pixel of the default view is 15 mm."""
_MAX_GHOSTS = 8
"""Maximum number of ghosts per correction, for the bodies with the largest errors."""


def user_color(number: int) -> Color:
    """Return a user's color in the present theme."""
    return palette.USERS[(number - 1) % len(palette.USERS)]


@dataclass(frozen=True, slots=True)
class Ghost:
    """Outline of a body before a correction, in picture coordinates, m.

    `of` is the body's stage and id, `meters` the size of the correction, and `seconds` the ghost's age.
    """

    of: tuple[int, int]
    rings: tuple[FloatArray, ...]
    at: Point
    meters: float
    seconds: float = 0.0


def ghosts_of(demo: Demo, correction: Correction) -> list[Ghost]:
    """Return ghosts of the bodies with the largest visible errors of a correction."""
    ghosts = []
    for body in correction.moved[:_MAX_GHOSTS]:
        if body.meters >= _MIN_GHOST and demo.sim.has_body(body.stage, body.body):
            stage, (x, y, _) = demo.stages[body.stage], body.before
            rings = tuple(ring + np.array(stage.offset) for ring in body_rings(stage, body.body, body.before))
            ghosts.append(Ghost((body.stage, body.body), rings, (x + stage.offset[0], y + stage.offset[1]), body.meters))
    return ghosts


def draw_holds(canvas: Canvas, demo: Demo, holders: Mapping[int, Held], pointers: Mapping[int, Point]) -> None:
    """Outline the bodies that users grab or drive, with a line from each user's pointer to the grab point."""
    for number, user in sorted(demo.sim.users.users.items()):
        color = user_color(number)
        driven = user.drives
        if driven is not None and demo.sim.has_body(*driven):
            stage = demo.stages[driven[0]]
            draw_rings(canvas.at(stage.offset), body_rings(stage, driven[1]), color, _DRIVEN)
            x, y, _ = stage.drawn_pose(driven[1])
            canvas.point((x + stage.offset[0], y + stage.offset[1]), color, 4.0, ring=True)
        if number not in holders:
            continue
        k, body, point = holders[number]
        stage = demo.stages[k]
        draw_rings(canvas.at(stage.offset), body_rings(stage, body), color, _HELD)
        x, y, angle = stage.drawn_pose(body)
        px, py = Transform((x, y), angle).apply(point)
        at = px + stage.offset[0], py + stage.offset[1]
        if number in pointers:
            canvas.segment(pointers[number], at, color, 1.75)
        canvas.point(at, color, 3.5)


def draw_pointer(canvas: Canvas, at: Point, name: str, color: Color) -> None:
    """Draw a user's pointer and name at a point of the picture, clamped to the edge of the view."""
    ui = canvas.ui_scale
    x, y = canvas.camera.to_screen(at)
    if not max(abs(x), abs(y)) < _FAR:
        return
    left, top, width, height = canvas.camera.view
    inset = 6.0 * ui
    x, y = min(max(x, left + inset), left + width - inset), min(max(y, top + inset), top + height - inset)
    corners = [(x + dx * ui, y + dy * ui) for dx, dy in _ARROW]
    pygame.draw.polygon(canvas.surface, color, corners)
    pygame.draw.polygon(canvas.surface, palette.BACKGROUND, corners, max(1, round(ui)))
    if not canvas.has_words:
        return
    words = canvas.fonts.render(canvas.fonts.shortened(name, _NAME, round(120 * ui), True), _NAME, palette.BACKGROUND, True)
    plate = words.get_rect(topleft=(round(x + 13 * ui), round(y + 14 * ui))).inflate(round(8 * ui), round(2 * ui))
    plate.clamp_ip(pygame.Rect(canvas.camera.view))
    pygame.draw.rect(canvas.surface, color, plate, border_radius=round(3 * ui))
    canvas.surface.blit(words, words.get_rect(center=plate.center))


def millimeters(meters: float) -> str:
    """Return a length in millimeters.

    Examples
    --------
    >>> millimeters(0.00234), millimeters(0.57)
    ('2.3 mm', '570 mm')
    """
    return f"{1000.0 * meters:.1f} mm" if meters < 0.01 else f"{1000.0 * meters:.0f} mm"


def draw_ghosts(canvas: Canvas, ghosts: list[Ghost], lasts: float) -> None:
    """Draw ghosts with the size of their correction, fading out over `lasts` seconds."""
    for ghost in ghosts:
        color = mix(palette.WARNING, palette.BACKGROUND, min(ghost.seconds / lasts, 1.0))
        for ring in ghost.rings:
            points = [(x, y) for x, y in ring.tolist()]
            for k, corner in enumerate(points):
                if k % 2 == 0 or len(points) < 8:
                    canvas.dashed(points[k - 1], corner, color, 4.0, 1.25)
        if np.isfinite(ghost.at).all():
            canvas.label(canvas.camera.to_screen(ghost.at), millimeters(ghost.meters), color, 11.0, 6.0, plate=True)
