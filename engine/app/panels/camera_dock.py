"""Chooses the watched body and the camera's motion, and shows the numbers of the body under the pointer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pygame

from engine.app.editor.tool import body_rings, draw_rings
from engine.app.panels.dock import Dock
from engine.render import palette
from engine.render.fonts import ALL_SIDES
from engine.sim.stage import Stage

if TYPE_CHECKING:
    from engine.app.editor.editor import Editor
    from engine.app.session import Session
    from engine.render.canvas import Canvas

__all__ = ["CameraDock"]

_CLICK = 4.0
"""Maximum pointer motion of a click, design pixels; a longer drag of the middle button pans."""
_BESIDE_POINTER = 18.0
"""Distance from the pointer to the numbers of a body, design pixels."""
_SMALL, _BESIDE_BODY = 120.0, 6.0
"""Largest body whose numbers are shown beside it, and their distance, design pixels."""
_ABOVE, _BELOW, _RIGHT, _LEFT = ((0, -1), (1, -1), (-1, -1)), ((0, 1), (1, 1), (-1, 1)), ((1, 0),), ((-1, 0),)
"""Sides of a body where a label can be placed, as for `LabelRoom.beside`."""
_FAR = 30_000.0
"""Coordinate limit of drawing, pixels from the window's corner."""


class CameraDock(Dock):
    """Without a panel: handles keys, a middle click and a click with Alt, and draws corners around the watched body.

    The first body selected with the editor's tools is watched too.
    """

    side = "over"
    title = "Camera"
    keys: ClassVar[tuple[tuple[str, str], ...]] = (("Middle click", "watch a body, or stop watching (Alt click does the same)"),)

    def __init__(self, editor: Editor | None = None) -> None:
        self._pressed: tuple[int, int] | None = None
        self._hands = editor
        self._selected: tuple[int, int] | None = None

    def handle(self, event: pygame.event.Event, session: Session) -> bool:
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1 and _has_alt(event):
            if session.view.holds(event.pos):
                session.timeline.watched = body_under(session, event.pos)
                return True
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 2:
            self._pressed = event.pos if session.view.holds(event.pos) else None
        elif event.type == pygame.MOUSEBUTTONUP and event.button == 2:
            pressed, self._pressed = self._pressed, None
            if pressed is not None and math.dist(pressed, event.pos) <= _CLICK * self.fonts.ui_scale:
                session.timeline.watched = body_under(session, event.pos)
        return False

    def update(self, session: Session, elapsed: float) -> None:
        chosen = self._hands.selection[0] if self._hands is not None and self._hands.selection else None
        selected = (chosen.stage, chosen.body) if chosen is not None else None
        if selected is not None and selected != self._selected:  # a newly selected body is watched
            session.timeline.watched = selected
        self._selected = selected

    def paint(self, canvas: Canvas, session: Session) -> None:
        self._paint_numbers(canvas, session)
        watched, series = session.timeline.watched, session.timeline.series
        if watched is None or series is None or not session.demo.sim.has_body(*watched):
            return
        if self._hands is not None and self._hands.is_building:
            return
        stage = session.demo.stages[watched[0]]
        seen = _seen(canvas, stage, watched[1])
        if seen is not None:
            draw_rings(canvas.at(stage.offset), body_rings(stage, watched[1]), palette.ACCENT, 1.5)
            words = series.name(*watched) + (", followed" if session.view.following.followed == watched else "")
            corners = canvas.at(stage.offset).camera.to_screen_array(np.concatenate([*body_rings(stage, watched[1])]))
            top = corners[np.lexsort((-corners[:, 0], corners[:, 1].round()))[0]]  # the highest corner; if there are several, the rightmost
            canvas.label(tuple(top.tolist()), words, palette.ACCENT, 12.0, 6.0, bold=True, plate=True)

    def _paint_numbers(self, canvas: Canvas, session: Session) -> None:
        """Write the mass and motion of the body under the pointer next to the body, or next to the pointer if the body is large."""
        if self._hands is not None and self._hands.is_building:
            return
        pointer = self._pointer(session)
        pointed = None if pointer is None else body_under(session, pointer)
        if pointer is None or pointed is None:
            return
        stage = session.demo.stages[pointed[0]]
        world = stage.world
        body, state = world.body(pointed[1]), world.state(pointed[1])
        if body.spec.type == "static":
            return
        mass = f"{body.mass:.3g} kg, " if body.spec.type == "dynamic" else ""
        is_asleep = body.spec.type == "dynamic" and not state.awake
        words = f"{mass}{math.hypot(*state.linear_velocity):.2f} m/s, {round(state.angular_velocity, 2) + 0.0:.2f} rad/s"  # no -0.00
        if is_asleep:
            words = f"{mass}asleep at rest (drawn dim)"
        at, gap = pointer, _BESIDE_POINTER
        sides: Sequence[tuple[int, int]] = ALL_SIDES
        seen, small = _seen(canvas, stage, pointed[1]), _SMALL * canvas.ui_scale
        if seen is not None and min(seen.size) <= small:
            x, y = at
            left, top, width, _ = canvas.camera.view
            if seen.height <= small:
                at, sides = ((x, seen.top), _ABOVE) if seen.top - small > top else ((x, seen.bottom), _BELOW)
            else:
                at, sides = ((seen.right, y), _RIGHT) if x < left + width / 2 else ((seen.left, y), _LEFT)
            gap = _BESIDE_BODY
        else:
            for ring in body_rings(stage, pointed[1]):  # in the middle of a large body no side is near
                pixels = canvas.at(stage.offset).camera.to_screen_array(ring)
                canvas.room.keep_off_lines(np.stack((pixels, np.roll(pixels, -1, axis=0)), axis=1))
        canvas.label_last(at, words, palette.TEXT, 12.0, gap, plate=True, sides=sides)

    def _pointer(self, session: Session) -> tuple[int, int] | None:
        pointer = self.form.ui.pointer
        return pointer if pointer is not None and session.view.holds(pointer) else None

    def follow(self, session: Session) -> None:
        """Follow the body under the pointer, otherwise one of the selected joint, otherwise the watched body; if already followed, stop."""
        pointer, joint = self._pointer(session), None if self._hands is None else self._hands.joint
        target = body_under(session, pointer) if pointer is not None else None
        if target is None and joint is not None:
            world = session.demo.stages[joint.stage].world
            moving = (body for body in world.joint_bodies(joint.joint) if body is not None and world.body(body).spec.type != "static")
            target = next(((joint.stage, body) for body in moving), None)
        target = target if target is not None else session.timeline.watched
        if target is None:
            session.messages.say("Point at a body, then press V to follow it.")
        elif session.view.following.followed == target:
            session.view.following.stop()
        else:
            session.timeline.watched = target
            session.view.follow(target)


def body_under(session: Session, pixel: tuple[int, int]) -> tuple[int, int] | None:
    """Return the stage and id of the body at a pixel, preferring moving bodies; None if there is none."""
    point, demo = session.view.to_world(pixel), session.demo
    for only_dynamic in (True, False):
        for k, stage in enumerate(demo.stages):
            body = stage.world.body_at(stage.local(point), only_dynamic)
            if body is not None:
                return k, body
    return None


def _seen(canvas: Canvas, stage: Stage, body: int) -> pygame.Rect | None:
    """Return the box of a body on the screen, pixels; None without fixtures, or if it is too far away."""
    rings = [*body_rings(stage, body)]
    if not rings:
        return None
    pixels = canvas.at(stage.offset).camera.to_screen_array(np.concatenate(rings))
    (left, top), (right, bottom) = pixels.min(axis=0).tolist(), pixels.max(axis=0).tolist()
    if not max(abs(left), abs(top), abs(right), abs(bottom)) < _FAR:
        return None
    return pygame.Rect(round(left), round(top), round(right - left), round(bottom - top))


def _has_alt(event: pygame.event.Event) -> bool:
    """Return True if Alt is held; a synthetic event states that itself."""
    return bool((event.mod if hasattr(event, "mod") else pygame.key.get_mods()) & pygame.KMOD_ALT)
