"""Draws a demo in its view: the same code serves the window, screenshots and timing runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pygame

from engine.app.dropped_picture import DroppedPainter
from engine.app.second_picture import Farthest, farthest_of, heading, paint_second
from engine.app.session import Session
from engine.app.stage_views import views_of
from engine.common.arrays import FloatArray
from engine.contracts.agreement import REASONS, Difference
from engine.render import palette
from engine.render.backdrop import draw_backdrop, draw_impulse_scale, draw_scale_bar
from engine.render.camera import Camera, Place
from engine.render.canvas import Canvas
from engine.render.controls import Controls
from engine.render.debug_draw import DebugDraw
from engine.render.differences import PlacedDifferences, length_words, reason_color
from engine.render.fonts import FontBook
from engine.render.hud import draw_lines, lines_size
from engine.render.interpolation import step_path
from engine.render.palette import Color
from engine.render.raster import DiscBook, Raster, load_raster
from engine.sim.demo import Demo, StatusLine
from engine.sim.stage import Stage

__all__ = ["FoundDifference", "FramePainter", "painter_for"]

_FULL_VIEW = (600.0, 400.0)
"""Height of a view from which its text has full size at a UI scale of 1, pixels."""
_MIN_SCALE = 0.6
_NARROWEST = 150.0
"""Width of the view below which dots replace its text, design pixels."""
_READOUT_SHARE, _MIN_LINES = 0.4, 2
"""Maximum share of the view's height for the demo's lines, and their minimum number; "…" stands for omitted lines."""
_VERDICTS = (21.0, 18.0, 16.0)
"""Font sizes of a verdict, tried in this order; other lines use 14."""
_INSET = 12.0
"""Distance of the demo's lines from the corner of the view, design pixels."""
_LABEL, _MIN_LABEL = 15.0, 7.0
"""Font size of the names of worlds, design pixels."""
_FAR = 30_000.0
"""Coordinate limit of drawing, pixels, within the range of pygame's rectangles."""
_DOT_REACH = 6.0
"""Distance within which the pointer selects a contact point rather than a body, design pixels."""
_REACH = 12.0
"""Distance within which the pointer selects a difference, design pixels."""


class FoundDifference(NamedTuple):
    """A difference, its world, and its position in the picture, meters."""

    stage: Stage
    difference: Difference
    at: tuple[float, float]


class _Shown(NamedTuple):
    """The drawn differences of one world, and the camera used."""

    stage: Stage
    differences: PlacedDifferences
    points: FloatArray
    camera: Camera


class FramePainter:
    """Paints sessions; caches fonts, discs and packed shapes between frames.

    Without a `raster`, pygame draws the bodies, which takes longer. If `shrinks`, text becomes smaller in a small view: for pictures, but
    not for a window, whose user chose the text size.

    Attributes
    ----------
    readout : pygame.Rect
        Rectangle of the demo's lines in the last picture.
    corners : list of pygame.Rect
        Rectangles of the scale bar and of the impulse scale in the last picture.
    controls : Controls
        Controls drawn in the last picture.
    shows_nothing : bool
        True if the camera was moved so that the last picture shows no body.
    """

    def __init__(self, ui_scale: float = 1.0, raster: Raster | None = None, shrinks: bool = True) -> None:
        self.raster = raster
        self._shrinks = shrinks
        self.shows_nothing = False
        self.fonts = FontBook(ui_scale)
        self._book = self.fonts
        self._discs = DiscBook()
        self._debug = DebugDraw()
        self._dropped = DroppedPainter()
        self._found: list[_Shown] = []
        self.readout = pygame.Rect(0, 0, 0, 0)
        self.corners: list[pygame.Rect] = []
        self.controls = Controls()
        self._was_left = False
        self._lines: list[tuple[str, Color]] = []
        """The demo's lines, wrapped to the view."""
        self._wrapped: set[str] = set()
        """Fragments of wrapped lines, and truncated lines."""
        self._verdict: float | None = None
        """Font size of the first line, if it is the demo's verdict."""
        self._farthest: Farthest | None = None
        """The body farthest from its counterpart in the comparison."""

    def prepare(self, session: Session, pointer: tuple[int, int] | None = None, has_readout: bool = True) -> None:
        """Prepare the next picture: the demo's lines, the camera's free area, and the moment between two steps.

        Call it before each `paint`, which does not change the session.
        """
        fraction, view = session.clock.fraction, session.view.camera.view
        beside = session.beside
        demos = (session.demo,) if beside is None else (session.demo, beside.demo)
        self._debug.keep_only(stage.world for demo in demos for stage in demo.stages)
        self._book = self._book_for(view)
        self._farthest = None if beside is None else farthest_of(beside)
        above = heading(session, self._farthest)
        self._verdict = None
        self._wrapped.clear()
        self._lines, plate = self._readout(session, session.demo, view, above, has_readout)
        self.readout = plate = self._with_verdict(plate, view) if not above else plate
        session.view.keep_clear((plate.right - view[0], plate.bottom - view[1]) if self._has_words(view) else (0, 0), self._book.ui_scale)
        session.show_moment(fraction, lambda stage: self._debug.poses(stage.world, step_path(stage), fraction), pointer)

    def paint(
        self,
        surface: pygame.Surface,
        session: Session,
        pointer: tuple[int, int] | None = None,
        paint_over: Callable[[Canvas], None] | None = None,
    ) -> None:
        """Draw the session's view as prepared, and nothing outside it.

        A difference under the `pointer` is explained next to it. `paint_over` adds drawings over the bodies.
        """
        demo, plate = session.demo, self.readout
        clip = surface.get_clip()
        self._found, self.controls = [], Controls()
        surface.set_clip(session.view.camera.view)
        canvas = self._canvas(surface, session.view.camera, self.controls)
        canvas.room.take(plate)
        labels = _stage_labels(canvas, demo) if canvas.has_words else []
        self._paint_demo(canvas, session, demo)
        if session.beside is not None:
            paint_second(canvas, self._debug, session.beside, self._farthest)
        if paint_over is not None:
            paint_over(canvas)
        for words, place in labels:
            surface.blit(words, place)
        above = replace(session.view.camera, view=_free_of_diagrams(session, self._book.ui_scale))
        foot = Canvas(surface, above, self._book, self._discs, canvas.room)
        self.corners = [draw_scale_bar(foot, self._was_left)]
        self._was_left = self.corners[0].centerx < pygame.Rect(foot.camera.view).centerx
        if session.layers.impulses and self._debug.longest_impulse > 0.0:
            self.corners.append(draw_impulse_scale(foot, self._debug.longest_impulse, self.corners[0]))
        for corner in self.corners:
            canvas.room.keep_off(corner)
        canvas.room.settle()
        draw_lines(surface, self._book, plate.topleft, self._lines, head=self._verdict)
        self.shows_nothing = not session.view.is_untouched and not self._shows_something(canvas, session)
        self._tell(surface, session, pointer)
        surface.set_clip(clip)

    def _canvas(self, surface: pygame.Surface, camera: Camera, controls: Controls | None = None) -> Canvas:
        has_words = self._has_words(camera.view)
        return Canvas(surface, camera, self._book, self._discs, raster=self.raster, has_words=has_words, controls=controls)

    def _paint_demo(self, canvas: Canvas, session: Session, demo: Demo) -> None:
        """Draw the background, bodies, contacts and the demo's own drawing, and record the differences."""
        layers, fraction = session.layers, demo.viewer.drawn_fraction

        def draw_ground() -> None:
            draw_backdrop(canvas)
            session.attempt(lambda: demo.draw_background(canvas))
            self._dropped.draw(canvas, demo)

        is_alone = len(demo.stages) == 1 and demo.stages[0].window is None
        is_empty = type(demo).draw_background is Demo.draw_background and not demo.dropped
        if not (is_alone and is_empty):
            draw_ground()
        for stage in demo.stages:
            with canvas.at(stage.offset).clipped(stage.window):
                ground = draw_ground if is_alone and is_empty else None
                drawn = self._debug.draw(canvas, views_of(demo).scene(stage), layers, fraction, stage.drawn_poses, ground)
            self._found.append(_Shown(stage, *drawn, canvas.at(stage.offset).camera))
        session.attempt(lambda: demo.draw(canvas))

    def _has_words(self, view: Place) -> bool:
        """Return True if a view is wide enough for text."""
        return view[2] >= _NARROWEST * self._book.ui_scale

    def _book_for(self, view: Place) -> FontBook:
        """Return the fonts for a view, smaller in a picture so small that text would cover it."""
        if not self._shrinks:
            return self.fonts
        room = max(min(view[2] / _FULL_VIEW[0], view[3] / _FULL_VIEW[1]), _MIN_SCALE)
        scale = min(self.fonts.ui_scale, round(20.0 * room) / 20.0)
        if scale != self._book.ui_scale:
            return self.fonts if scale == self.fonts.ui_scale else FontBook(scale)
        return self._book

    def n_asleep(self, session: Session) -> int:
        """Return the number of dynamic bodies that sleep."""
        return sum(self._debug.n_asleep(stage.world) for stage in session.demo.stages)

    def _readout(
        self, session: Session, demo: Demo, view: Place, above: list[StatusLine], is_wanted: bool
    ) -> tuple[list[tuple[str, Color]], pygame.Rect]:
        """Return a heading and the demo's lines, wrapped to the view, and the rectangle for them."""
        left, top, width, height = view
        inset = round(_INSET * self._book.ui_scale)
        lines: list[tuple[str, Color]] = []
        unwrapped: list[StatusLine] = list(above)
        if is_wanted:
            session.attempt(lambda: unwrapped.extend([*_verdict_lines(demo), *demo.status()]))
        head, side, _ = demo.margins(width, height, self._book.ui_scale)
        room = max(width - round(side) - 4 * inset, 1)
        for line in unwrapped:
            text, color = (line, palette.TEXT) if isinstance(line, str) else line
            parts = self._book.wrapped(text, 14.0, room)
            lines.extend((part, color) for part in parts)
            self._wrapped.update(parts if len(parts) > 1 else ())
        row = lines_size(self._book, lines[:1] * 2)[1] - lines_size(self._book, lines[:1])[1]
        most = max(int(_READOUT_SHARE * height / max(row, 1)), _MIN_LINES)
        if is_wanted and width < _NARROWEST * self._book.ui_scale:  # one word per line would cover the whole view
            lines = [("…", palette.TEXT)]
        elif len(lines) > most:
            text, color = lines[most - 1]
            lines = [*lines[: most - 1], (self._book.shortened(f"{text} …", 14.0, room), color)]
            self._wrapped.add(lines[-1][0])
        place = (
            pygame.Rect((left + inset, top + round(head) + inset), lines_size(self._book, lines)) if lines else pygame.Rect(left, top, 0, 0)
        )
        return lines, place

    def _with_verdict(self, plate: pygame.Rect, view: Place) -> pygame.Rect:
        """Put the verdict first, larger if it fits in one line; return the rectangle."""
        unwrapped = [line for line in self._lines if line[0] not in self._wrapped]
        verdicts = [line for line in unwrapped if line[1] in (palette.AGREE, palette.UNEXPLAINED) or "(predicted" in line[0]]
        if not verdicts:
            return plate
        lines = [verdicts[0], *(line for line in self._lines if line is not verdicts[0])]
        for head in _VERDICTS:
            size = lines_size(self._book, lines, head=head)
            if size[0] <= view[2] - 2 * round(_INSET * self._book.ui_scale) and size[1] <= _READOUT_SHARE * view[3]:
                self._lines, self._verdict = lines, head
                return pygame.Rect(plate.topleft, size)
        return plate

    def _shows_something(self, canvas: Canvas, session: Session) -> bool:
        return any(self._debug.is_in_view(canvas.at(stage.offset), stage.world) for stage in session.demo.stages)

    def difference_at(self, pointer: tuple[int, int]) -> FoundDifference | None:
        """Return the difference under the pointer in the last picture."""
        nearest = _nearest(((shown, shown.differences.positions) for shown in self._found), pointer, _REACH * self._book.ui_scale)
        return None if nearest is None else _found(nearest[0].stage, nearest[0].differences, nearest[1])

    def contact_at(self, pointer: tuple[int, int]) -> tuple[Stage, int] | None:
        """Return the world and the row of the contact whose point is under the pointer in the last picture."""
        there = ((shown, shown.points.reshape(-1, 2)) for shown in self._found if len(shown.points) == len(shown.stage.world.contacts))
        nearest = _nearest(there, pointer, _DOT_REACH * self._book.ui_scale)
        return None if nearest is None else (nearest[0].stage, nearest[1] // 2)

    def differences_of(self, reason: str) -> list[FoundDifference]:
        """Return the differences of the last picture that have a reason, the largest first."""
        shown_differences = [
            (stage, shown, k, difference) for stage, shown, _, _ in self._found for k, difference in enumerate(shown.differences)
        ]
        chosen = [_found(stage, shown, k) for stage, shown, k, difference in shown_differences if difference.reason == reason]
        return sorted(chosen, key=lambda found: -found.difference.size)

    def _tell(self, surface: pygame.Surface, session: Session, pointer: tuple[int, int] | None) -> None:
        """Explain the difference under the pointer, otherwise the one that the camera is zoomed in on."""
        room = _free_of_diagrams(session, self._book.ui_scale)  # the text does not cover the demo's own diagram
        pointed = self.difference_at(pointer) if pointer is not None else None
        if pointed is not None and pointer is not None:
            self._explain(surface, room, pointer, pointed.difference, session.view.focus is not None)
            return
        if pointer is not None and session.clock.paused and not session.demo.grabbing and self.contact_at(pointer) is not None:
            words = "Click to see the solver's next step." if session.layers.impulses else "Click to step through this contact."
            self._write_beside(surface, room, pointer, [(words, palette.ACCENT)])
        focus = session.view.focus
        for stage, shown, _, camera in self._found if focus is not None else ():
            for k, difference in enumerate(shown.differences):
                if focus is not None and focus.is_of(stage, difference):
                    x, y = camera.to_screen_array(shown.positions[k]).tolist()
                    gap = 40.0 * self._book.ui_scale
                    if math.isfinite(x + y):
                        self._explain(surface, room, (round(x + gap), round(y + gap)), difference, is_close=True)

    def _explain(self, surface: pygame.Surface, view: Place, at: tuple[int, int], difference: Difference, is_close: bool) -> None:
        """Explain a difference and its proof next to a pixel."""
        reason, color = REASONS[difference.reason], reason_color(difference.reason)
        width = min(round(340 * self._book.ui_scale), round(0.8 * view[2]))
        lines: list[tuple[str, Color]] = [(f"{reason.name}, {length_words(difference.size)}", color)]
        lines += [(line, palette.TEXT) for line in self._book.wrapped(reason.sentence, 13.0, width)]
        proof = f"Proof for fixtures {difference.fixture_a} and {difference.fixture_b}: {difference.evidence}."
        lines += [(line, palette.CAPTION) for line in self._book.wrapped(proof, 13.0, width)]
        lines.append(
            ("Click the ring or press F6 to step through it." if is_close else "Click for a close-up. F6 steps through it.", palette.ACCENT)
        )
        self._write_beside(surface, view, at, lines)

    def _write_beside(self, surface: pygame.Surface, view: Place, at: tuple[int, int], lines: list[tuple[str, Color]]) -> None:
        """Write lines on a plate next to a pixel, within the view."""
        place = pygame.Rect((0, 0), lines_size(self._book, lines, 13.0))
        gap = round(14 * self._book.ui_scale)
        place.topleft = at[0] + gap, at[1] + gap
        if place.right > view[0] + view[2]:
            place.right = at[0] - gap
        if place.bottom > view[1] + view[3]:
            place.bottom = at[1] - gap
        draw_lines(surface, self._book, place.clamp(pygame.Rect(view)).topleft, lines, 13.0, 248)


def _stage_labels(canvas: Canvas, demo: Demo) -> list[tuple[pygame.Surface, pygame.Rect]]:
    """Return the rendered names of adjacent worlds and their places, which no other text may cover.

    A name is at most as high as the gap between worlds, and as wide as a world.
    """
    labels = []
    fonts, scale = canvas.fonts, canvas.camera.scale
    largest = min(_LABEL, max(_MIN_LABEL, float(round(0.45 * scale / canvas.ui_scale))))
    for stage in demo.stages:
        box, at = stage.bounds, canvas.camera.to_screen(stage.label_at)
        if not stage.label or box is None or not all(abs(coordinate) < _FAR for coordinate in at):
            continue
        room, size = round(min((box.upper[0] - box.lower[0]) * scale, _FAR)), largest
        while size > _MIN_LABEL and fonts.width(stage.label, size, True) > room:
            size -= 1.0
        words = fonts.render(fonts.shortened(stage.label, size, max(room, 1), True), size, palette.TEXT, True)
        place = words.get_rect(midbottom=(round(at[0]), round(at[1])))
        if canvas.room.has_words(place):  # in a low view the readout extends down to it
            continue
        canvas.room.take(place)
        labels.append((words, place))
    return labels


def painter_for(demo: Demo, ui_scale: float) -> FramePainter:
    """Return a painter for a demo alone; it uses kernels if the worlds have referees, because those are loaded then."""
    has_kernels = bool(demo.stages) and all(stage.referee is not None for stage in demo.stages)
    return FramePainter(ui_scale, load_raster() if has_kernels else None)


def _free_of_diagrams(session: Session, ui_scale: float) -> Place:
    """Return the part of the view that the demo's own drawing leaves free."""
    left, top, width, height = session.view.camera.view
    head, right, foot = session.demo.margins(width, height, ui_scale)
    return left, round(top + head), round(width - right), round(height - head - foot)


def _nearest(places: Iterable[tuple[_Shown, FloatArray]], pointer: tuple[int, int], reach: float) -> tuple[_Shown, int] | None:
    """Return the world point, of float64 (n, 2), nearest to a pixel and at most `reach` pixels away."""
    best = None
    for shown, points in places:
        if len(points):
            away = np.hypot(*(shown.camera.to_screen_array(points) - np.array(pointer, dtype=np.float64)).T)
            k = int(np.argmin(np.where(np.isnan(away), np.inf, away)))
            if away[k] <= reach:
                best, reach = (shown, k), float(away[k])
    return best


def _found(stage: Stage, shown: PlacedDifferences, k: int) -> FoundDifference:
    x, y = shown.positions[k].tolist()
    return FoundDifference(stage, shown.differences[k], (x + stage.offset[0], y + stage.offset[1]))


def _verdict_lines(demo: Demo) -> list[StatusLine]:
    """Return the verdicts of a demo's claims: green if measurement and prediction agree, otherwise yellow."""
    return [(verdict.words, palette.of_verdict(verdict.holds)) for verdict in demo.verdicts()]
