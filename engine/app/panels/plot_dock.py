"""The plots above the time line: what bodies and worlds do over time, from the first step to the last."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import TYPE_CHECKING, ClassVar

import pygame

from engine.app.panels.buttons import Chip, Chips
from engine.app.panels.dock import Dock
from engine.app.time_series import QUANTITIES, SUMS, TimeSeries
from engine.common.words import counted
from engine.render import palette
from engine.render.camera import Place
from engine.render.hud import draw_lines, lines_size
from engine.render.palette import Color
from engine.render.plot import Curve, TimeAxis, draw_panes, draw_sample, number_words

if TYPE_CHECKING:
    from engine.app.session import Session
    from engine.sim.demo import Demo
    from engine.sim.history import History

__all__ = ["PlotDock"]

_HEIGHT = 196.0
_MIN_HEIGHT = 120.0
_CHOOSER = 236.0
_NARROW = 420.0
"""Design pixels of width below which curves and chooser do not fit beside each other."""
_MAX_CURVES = 5
"""As many as there are dashes and colors."""
_MAX_UNITS = 3
"""Panes above each other; a fourth would be too low to read."""
_SPAN = 20.0
"""Seconds shown at first."""
_MIN_SPAN, _WHEEL = 0.5, 1.25
_WHEEL_WORDS = "mouse wheel over a curve: zoom in time"
_AHEAD = 0.3
"""Share of the plot that shows what lies ahead, where the demo has been taken back."""

Source = tuple[str, str]
"""("body", name in QUANTITIES) or ("whole", name in SUMS)."""


class PlotDock(Dock):
    """Curves of quantities that are chosen at its left; a click in it goes to a step."""

    side = "bottom"
    worlds = "own"
    folds = True
    title = "Plots"
    keys: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Middle click", "plot and log that body"),
        ("Click, drag in a plot", "go to that step"),
        ("Wheel in a plot", "show more or less time"),
    )

    def __init__(self) -> None:
        self.shown = False
        self.chosen: list[Source] = [("whole", "kinetic"), ("whole", "potential"), ("whole", "total"), ("body", "speed")]
        self.seconds = _SPAN
        self._styles: dict[Source, int] = {source: k for k, source in enumerate(self.chosen)}
        self._chips = Chips()
        self._axis: TimeAxis | None = None
        self._pointer: tuple[int, int] | None = None
        self._dragging = False
        self._choosing = False
        self._wanted: int | None = None

    @property
    def size(self) -> float:
        return _HEIGHT if self.shown else 0.0

    @property
    def least(self) -> float:
        return _MIN_HEIGHT

    def begin(self, session: Session) -> None:
        self._dragging, self._wanted, self._axis = False, None, None

    def handle(self, event: pygame.event.Event, session: Session) -> bool:
        if not self.shown:
            return False
        inside = pygame.Rect(self.place)
        if event.type == pygame.MOUSEMOTION:
            self._pointer = event.pos if inside.collidepoint(event.pos) else None
            if self._dragging and self._axis is not None:
                self._wanted = self._axis.step(event.pos[0])
            return self._dragging
        if event.type == pygame.MOUSEBUTTONUP and event.button == 1 and self._dragging:
            self._dragging = False
            return True
        if event.type == pygame.MOUSEBUTTONDOWN and inside.collidepoint(event.pos):
            self._press(event)
            return True
        if event.type == pygame.MOUSEWHEEL and self._pointer is not None:
            self.seconds = min(max(self.seconds * _WHEEL ** -float(event.y), _MIN_SPAN), 3600.0)
            return True
        return False

    def toggle_shown(self) -> None:
        """Show or hide it."""
        self.shown = not self.shown
        self._chips.clear()

    def update(self, session: Session, elapsed: float) -> None:
        history = session.timeline.history
        if self._wanted is not None and history is not None:  # once a frame, however many motions there were
            session.timeline.seek(min(max(self._wanted, 0), history.last))
        self._wanted = None

    def shows(self, session: Session) -> Hashable:
        history = session.timeline.history
        if history is None or self._pointer is not None or self._dragging:
            return None
        return history.now, history.last, session.timeline.watched, tuple(self.chosen), self.seconds

    def draw(self, surface: pygame.Surface, session: Session) -> None:
        history, series = session.timeline.history, session.timeline.series
        if not self.shown or history is None or series is None or self.place[3] < 1:
            return
        ui, (left, top, width, height) = self.fonts.ui_scale, self.place
        clip = surface.get_clip()
        surface.set_clip(self.place)
        pygame.draw.rect(surface, palette.PANEL, self.place)
        pygame.draw.line(surface, palette.PANEL_EDGE, (left, top), (left + width - 1, top))
        self._chips.clear()
        if not session.demo.stages:
            told = self.fonts.shortened("This demo has no world, so there is nothing to plot.", 13.0, width)
            picture = self.fonts.render(told, 13.0, palette.CAPTION)
            surface.blit(picture, picture.get_rect(center=pygame.Rect(self.place).center))
            self._axis = None
            surface.set_clip(clip)
            return
        is_narrow = width < _NARROW * ui
        chooser = 0 if is_narrow else round(_CHOOSER * ui)
        if is_narrow and self._choosing:
            chooser = width
        if chooser:
            self._draw_chooser(surface, session, series, chooser)
        if is_narrow and self._choosing:
            self._offer_choice(surface, "plots ›")
            self._axis = None
            surface.set_clip(clip)
            return
        curves = self._curves(session, series)
        gap = round(6 * ui)
        head = round(24 * ui) if is_narrow else gap  # for the button
        room = (left + chooser + gap, top + head, width - chooser - 2 * gap, height - head)
        if not curves:
            words = self.fonts.render("Choose what to plot on the left.", 13.0, palette.CAPTION)
            surface.blit(words, words.get_rect(center=(room[0] + room[2] // 2, room[1] + room[3] // 2)))
            self._axis = None
        else:
            span = self._span(history, session.demo.step_seconds)
            self._axis = draw_panes(surface, self.fonts, room, curves, span, history.now, session.demo.step_seconds)
            self._tell(surface, session, history, curves, room)
        if is_narrow:
            self._offer_choice(surface, "choose ›")
            self._tell_of_wheel(surface, (left + round(8 * ui), top + round(3 * ui), top + height))
        surface.set_clip(clip)

    def toggle(self, source: Source) -> None:
        """Plot a quantity, or plot it no more; the oldest curve makes room where there are too many, or too many units."""
        if source in self.chosen:
            self.chosen.remove(source)
            return
        self.chosen.append(source)
        while len(self.chosen) > _MAX_CURVES or len({_unit(one) for one in self.chosen}) > _MAX_UNITS:
            self.chosen.pop(0)
        taken = {self._styles[one] for one in self.chosen[:-1]}
        self._styles[source] = next(k for k in range(_MAX_CURVES) if k not in taken)

    # -- inside -------------------------------------------------------------------------------------------------------

    def _press(self, event: pygame.event.Event) -> None:
        chip = self._chips.at(event.pos)
        if event.button != 1:
            return
        if chip is not None:
            chip.action()
        elif self._axis is not None and event.pos[0] >= self._axis.left:
            self._dragging = True
            self._wanted = self._axis.step(event.pos[0])

    def _span(self, history: History[Demo], step_seconds: float) -> tuple[float, float]:
        """Return the first and last step shown: all, or the part around now."""
        steps = max(self.seconds / step_seconds, 2.0)
        if history.last <= steps:
            return 0.0, max(float(history.last), min(steps, 1.0 / step_seconds))
        last = min(float(history.last), max(history.now + _AHEAD * steps, steps))
        return last - steps, last

    def _curves(self, session: Session, series: TimeSeries) -> list[Curve]:
        watched = session.timeline.watched
        stage = watched[0] if watched is not None else 0
        curves = []
        for source in self.chosen:
            kind, name = source
            style = self._styles[source]
            if kind == "whole":
                values = series.sums(stage)[name]
                curves.append(Curve(f"whole: {SUMS[name].name}", SUMS[name].unit, values, style, series.breaks(stage)))
            elif watched is not None:
                values = series.curve(*watched, name)
                words = f"{series.name(*watched)}: {QUANTITIES[name].name}"
                curves.append(Curve(words, QUANTITIES[name].unit, values, style, series.breaks(*watched)))
        return curves

    def _offer_choice(self, surface: pygame.Surface, words: str) -> None:
        """Draw the button that changes between curves and their list, where there is room for one of them only."""
        ui, (left, top, width, _) = self.fonts.ui_scale, self.place
        wide = round(62 * ui)
        chip = Chip(words, False, self._change_side)
        self._chips.draw(surface, self.fonts, (left + width - wide, top + round(5 * ui), wide), [chip], self._pointer)

    def _tell_of_wheel(self, surface: pygame.Surface, place: tuple[int, int, int]) -> None:
        """Say what the wheel does, at left and top, where there is room above a bottom and before whatever else stands there."""
        left, top, bottom = place
        words = self.fonts.render(_WHEEL_WORDS, 10.5, palette.CAPTION)
        where = words.get_rect(topleft=(left, top))
        if where.bottom <= bottom and where.collidelist([rect for rect, _ in self._chips.shown]) < 0:
            surface.blit(words, (left, top + round(2 * self.fonts.ui_scale)))

    def _change_side(self) -> None:
        self._choosing = not self._choosing

    def _draw_chooser(self, surface: pygame.Surface, session: Session, series: TimeSeries, width: int) -> None:
        ui, (left, top, _, _) = self.fonts.ui_scale, self.place
        inset = round(8 * ui)
        x, y, room = left + inset, top + round(6 * ui), width - 2 * inset
        watched = session.timeline.watched
        name = series.name(*watched) if watched is not None else "no body (middle-click one)"
        step = [Chip("‹", False, lambda: self._walk(session, -1)), Chip("›", False, lambda: self._walk(session, 1))]
        after = self._chips.draw(surface, self.fonts, (x, y, room), step, self._pointer)
        name = self.fonts.shortened(name, 12.5, max(room - round(40 * ui), 1), True)
        words = self.fonts.render(name, 12.5, palette.TEXT if watched is not None else palette.CAPTION, True)
        surface.blit(words, (x + round(40 * ui), y))
        y = self._chips.draw(surface, self.fonts, (x, after, room), self._offered("body", watched is not None), self._pointer)
        y += round(3 * ui)
        many = len(session.demo.stages) > 1
        stage = watched[0] if watched is not None else 0
        head = "the whole world" if not many else f"all of {session.demo.stages[stage].label or 'world 1'}"
        fallen = series.n_fallen(stage, session.timeline.history.now) if session.timeline.history is not None else 0
        if fallen:
            head = f"{session.demo.stages[stage].label or 'the world'} except {counted(fallen, 'fallen body', 'fallen bodies')}"
        heading = self.fonts.render(self.fonts.shortened(head, 12.5, room, True), 12.5, palette.TEXT, True)
        surface.blit(heading, (x, y))
        y = self._chips.draw(surface, self.fonts, (x, y + round(18 * ui), room), self._offered("whole", True), self._pointer)
        self._tell_of_wheel(surface, (x, y, self.place[1] + self.place[3]))
        for rect, chip in self._chips.shown:
            if chip.lead and chip.chosen:
                source = next(one for one in self.chosen if _short(one) == chip.words)
                draw_sample(surface, ui, (rect.left + round(5 * ui), rect.centery, round(20 * ui)), self._styles[source])

    def _offered(self, kind: str, is_ready: bool) -> list[Chip]:
        """Return the chips of a kind of quantity; those of a body only while there is one."""
        sources: list[Source] = [(kind, name) for name in (QUANTITIES if kind == "body" else SUMS)]
        return [self._chip(source) for source in sources if is_ready]

    def _chip(self, source: Source) -> Chip:
        is_on = source in self.chosen
        return Chip(_short(source), is_on, lambda: self.toggle(source), 24.0 if is_on else 0.0)

    def _walk(self, session: Session, way: int) -> None:
        """Watch the next body that can move, or the one before."""
        stages = session.demo.stages
        movable = [
            (k, body) for k, stage in enumerate(stages) for body in stage.world.body_ids if stage.world.body(body).spec.type != "static"
        ]
        if movable:
            at = movable.index(session.timeline.watched) if session.timeline.watched in movable else -1 if way > 0 else 0
            session.timeline.watched = movable[(at + way) % len(movable)]

    def _tell(self, surface: pygame.Surface, session: Session, history: History[Demo], curves: list[Curve], room: Place) -> None:
        """Write what the curves are under the pointer."""
        axis = self._axis
        if axis is None or self._pointer is None or not axis.left <= self._pointer[0] < axis.left + axis.width:
            return
        step = min(max(axis.step(self._pointer[0]), 0), history.last)
        x = round(axis.x(step))
        pygame.draw.line(surface, palette.CAPTION, (x, room[1]), (x, room[1] + room[3]))
        lines: list[tuple[str, Color]] = [(f"step {step}, {step * session.demo.step_seconds:.3f} s", palette.TEXT)]
        for curve in curves:
            value = float(curve.values[step]) if step < len(curve.values) else math.nan
            words = "unknown" if math.isnan(value) else f"{number_words(value, 0.001 * max(abs(value), 1.0))} {curve.unit}"
            lines.append((f"{curve.name}: {words}", palette.SERIES[curve.style]))
        if lines_size(self.fonts, lines, 11.5)[0] > 0.6 * room[2]:
            lines = [lines[0], *((words.split(": ", 1)[1], color) for words, color in lines[1:])]
        wide, high = lines_size(self.fonts, lines, 11.5)
        is_left = x - axis.left < axis.width // 2  # told at the other end: what is told about stays to be seen
        left = axis.left + axis.width - wide if is_left else axis.left
        draw_lines(surface, self.fonts, (left, room[1] + max((room[3] - high) // 2, 0)), lines, 11.5, 240)


_SHORT = {
    "energy": "kinetic",
    "impulse": "impulses",
    "px": "momentum x",
    "py": "momentum y",
    "angular": "angular momentum",
}


def _short(source: Source) -> str:
    """Return the words of a chip; no two are the same."""
    kind, name = source
    return _SHORT.get(name, name) if kind == "body" else {"kinetic": "total kinetic"}.get(name, _SHORT.get(name, name))


def _unit(source: Source) -> str:
    kind, name = source
    return (QUANTITIES if kind == "body" else SUMS)[name].unit
