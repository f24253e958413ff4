"""Lists the watched body, the camera that follows it or shows everything that moves, and the numbers of the body at the pointer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import pygame

from engine.app.panels.dock import Dock
from engine.geometry import AABB, FixtureShape, Transform
from engine.render import palette
from engine.render.fonts import ALL_SIDES
from engine.sim.stage import Stage, union

if TYPE_CHECKING:
    from engine.app.editor.editor import Editor
    from engine.app.session import Session
    from engine.render.canvas import Canvas

__all__ = ["CameraDock"]

_CLICK = 4.0
"""Design pixels that a pressed pointer may move and still mean a click: a drag of the middle button moves the view."""
_BESIDE_POINTER = 18.0
"""Design pixels from the pointer to the numbers of a body."""
_SMALL, _BESIDE_BODY = 120.0, 6.0
"""Design pixels: the largest height or width of a body whose numbers are beside it, and how far away they are then."""
_ABOVE, _BELOW, _RIGHT, _LEFT = ((0, -1), (1, -1), (-1, -1)), ((0, 1), (1, 1), (-1, 1)), ((1, 0),), ((-1, 0),)
"""Sides of a body that a label can be on, as for `LabelRoom.beside`."""
_CORNER = 7.0
"""Design pixels of a side of the corners around the watched body."""


class CameraDock(Dock):
    """Has no place of its own: keys, a click of the middle button or with Alt, and corners around the body that is watched.

    The first body selected with the editor's tools is watched too.
    """

    side = "over"
    title = "Camera"
    keys: ClassVar[tuple[tuple[str, str], ...]] = (("Middle click", "watch a body, or none (or Alt click)"),)

    def __init__(self, editor: Editor | None = None) -> None:
        self._pointer: tuple[int, int] | None = None
        self._pressed: tuple[int, int] | None = None
        self._hands = editor
        self._selected: tuple[int, int] | None = None
        self._shapes: tuple[FixtureShape, ...] = ()
        self._shapes_of: tuple[int, int, int] | None = None

    def handle(self, event: pygame.event.Event, session: Session) -> bool:
        if event.type == pygame.MOUSEMOTION:
            self._pointer = event.pos if session.view.holds(event.pos) else None
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1 and _has_alt(event):
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
        if selected is not None and selected != self._selected:  # what is newly taken in hand is watched
            session.timeline.watched = selected
        self._selected = selected

    def paint(self, canvas: Canvas, session: Session) -> None:
        self._paint_numbers(canvas, session)
        watched = session.timeline.watched
        if watched is None or watched[0] >= len(session.demo.stages):
            return
        stage = session.demo.stages[watched[0]]
        if not stage.world.is_body(watched[1]):
            return
        world = stage.world
        known = (id(world), world.structure_version, watched[1])
        if known != self._shapes_of:
            self._shapes_of, self._shapes = known, _shapes(stage, watched[1])
        box = _box(stage, self._shapes, stage.drawn_pose(watched[1]))
        gap, side = 4.0 * canvas.ui_scale, _CORNER * canvas.ui_scale
        seen = _seen(canvas, box)
        if seen is None:
            return
        left, top, right, bottom = seen.left - gap, seen.top - gap, seen.right + gap, seen.bottom + gap
        thick = max(1, round(1.5 * canvas.ui_scale))
        for x, y, way_x, way_y in ((left, top, 1, 1), (right, top, -1, 1), (left, bottom, 1, -1), (right, bottom, -1, -1)):
            corners = ((x + way_x * side, y), (x, y), (x, y + way_y * side))
            pygame.draw.lines(canvas.surface, palette.ACCENT, False, corners, thick)
        series = session.timeline.series
        if series is not None:
            is_followed = session.view.following.followed == watched
            words = series.name(*watched) + (", followed" if is_followed else "")
            canvas.label((right, top), words, palette.ACCENT, 12.0, 6.0, bold=True, plate=True)

    def _paint_numbers(self, canvas: Canvas, session: Session) -> None:
        """Write mass and motion of the body that is pointed at beside it, or beside the pointer on a large body."""
        pointed = None if self._pointer is None or session.view.lane_at(self._pointer) is not None else body_under(session, self._pointer)
        if self._pointer is None or pointed is None:
            return
        stage = session.demo.stages[pointed[0]]
        world = stage.world
        body, state = world.body(pointed[1]), world.state(pointed[1])
        if body.spec.type == "static":
            return
        mass = f"{body.mass:.3g} kg, " if body.spec.type == "dynamic" else ""
        words = f"{mass}{math.hypot(*state.linear_velocity):.2f} m/s, {state.angular_velocity:.2f} rad/s"
        at, gap = self._pointer, _BESIDE_POINTER
        sides: Sequence[tuple[int, int]] = ALL_SIDES
        seen, small = _seen(canvas, _box(stage, _shapes(stage, pointed[1]), stage.drawn_pose(pointed[1]))), _SMALL * canvas.ui_scale
        if seen is not None and min(seen.size) <= small:
            x, y = at
            left, top, width, _ = canvas.camera.view
            if seen.height <= small:
                at, sides = ((x, seen.top), _ABOVE) if seen.top - small > top else ((x, seen.bottom), _BELOW)
            else:
                at, sides = ((seen.right, y), _RIGHT) if x < left + width / 2 else ((seen.left, y), _LEFT)
            gap = _BESIDE_BODY
        canvas.label_last(at, words, palette.TEXT, 12.0, gap, plate=True, sides=sides)

    def show_moving(self, session: Session) -> None:
        """Show everything that can move."""
        session.view.show(moving_box(session))

    def follow(self, session: Session) -> None:
        """Follow the body that is pointed at, or watched; stop if it is followed already."""
        pointed = body_under(session, self._pointer) if self._pointer is not None else None
        target = pointed if pointed is not None else session.timeline.watched
        if target is None:
            session.messages.say("Point at a body, then press V to follow it.")
        elif session.view.following.followed == target:
            session.view.following.stop()
        else:
            session.timeline.watched = target
            session.view.follow(target)


_FAR = 30_000.0
"""Pixels from the window's corner at which nothing is drawn that pygame would have to clip."""


def body_under(session: Session, pixel: tuple[int, int]) -> tuple[int, int] | None:
    """Return stage and id of the body at a pixel: one that moves before one that does not; None where there is none."""
    point, demo = session.view.to_world(pixel), session.demo
    if (lane := session.view.lane_at(pixel)) is not None:
        demo = session.besides[lane].demo
    for only_dynamic in (True, False):
        for k, stage in enumerate(demo.stages):
            body = stage.world.body_at(stage.local(point), only_dynamic)
            if body is not None:
                return k, body
    return None


def moving_box(session: Session) -> AABB:
    """Return the box around every body that can move, as they stand, the picture's frame; the demo's own where none can."""
    boxes: list[AABB] = []
    for stage in session.demo.stages:
        for body in stage.world.body_ids:
            spec = stage.world.body(body).spec
            if spec.type != "static" and spec.active:
                box = _box(stage, _shapes(stage, body), tuple(stage.world.poses[stage.world.row_of(body)].tolist()))
                boxes += [box] if box is not None else []
    around = union(boxes)
    return around if around is not None else session.demo.home()


def _seen(canvas: Canvas, box: AABB | None) -> pygame.Rect | None:
    """Return where a box of the picture is drawn, pixels; None without one, or too far away."""
    if box is None:
        return None
    (left, bottom), (right, top) = canvas.camera.to_screen(box.lower), canvas.camera.to_screen(box.upper)
    is_far = max(abs(left), abs(top), abs(right), abs(bottom)) > _FAR
    return None if is_far else pygame.Rect(round(left), round(top), round(right - left), round(bottom - top))


def _shapes(stage: Stage, body: int) -> tuple[FixtureShape, ...]:
    """Return the shapes of a body's fixtures, its own frame."""
    return tuple(stage.world.fixture(fixture).shape for fixture in stage.world.body(body).fixtures)


def _box(stage: Stage, shapes: tuple[FixtureShape, ...], pose: tuple[float, ...]) -> AABB | None:
    """Return the box around shapes of a body at x, y, angle, the picture's frame."""
    x, y, angle = pose
    xf = Transform((x + stage.offset[0], y + stage.offset[1]), angle)
    return union([shape.aabb(xf) for shape in shapes])


def _has_alt(event: pygame.event.Event) -> bool:
    """Return True if Alt is held down: an event made by hand says so itself."""
    return bool((event.mod if hasattr(event, "mod") else pygame.key.get_mods()) & pygame.KMOD_ALT)
