"""The log of events at the right: who began and ceased to touch whom, and how fast they met; a click goes there."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import pygame

from engine.app.event_log import KINDS, Event, EventLog
from engine.app.panels.dock import Dock
from engine.common.words import decimals
from engine.render import palette
from engine.render.palette import Color, mix
from engine.ui.rows import Area, Button, Buttons, Row

if TYPE_CHECKING:
    from engine.app.session import Session
    from engine.app.time_series import TimeSeries

__all__ = ["EventDock"]

_WIDTH = 268.0
_ROW = 17.0
_SIZE = 11.5
_MIN_WIDTH = 150.0
_NARROW = 220.0
"""Design pixels of width below which an event takes two lines, the names in the second."""
_AHEAD = 4
"""Rows under the last event that has happened, for those that lie ahead."""
_DIMMED = 0.45

Watched = tuple[int, int] | None


class _Filtered:
    """Those events of a book that are asked for, brought up to date without looking at old ones again."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._asked: object = None
        self._seen = 0

    def refresh(self, book: EventLog, kinds: frozenset[str], about: Watched) -> list[Event]:
        asked = (id(book), book.version, kinds, about)
        if asked != self._asked:
            self._asked, self._seen, self.events = asked, 0, []
        fresh = book.events[self._seen :]
        self._seen = len(book.events)
        self.events += [one for one in fresh if one.kind in kinds and (about is None or one.is_about(*about))]
        return self.events


class EventDock(Dock):
    """A list that follows the demo; the wheel goes through it, and what lies ahead after going back is dimmed."""

    side = "right"
    worlds = "own"
    folds = True
    title = "Event log"
    keys: ClassVar[tuple[tuple[str, str], ...]] = (("Click an event", "go to its step"),)

    def __init__(self) -> None:
        self.shown = False
        self.kinds: frozenset[str] = frozenset(KINDS)
        self.only_watched = False
        self._filtered = _Filtered()
        self._scrolled = 0
        self._listed: list[tuple[pygame.Rect, Event]] = []

    @property
    def size(self) -> float:
        return _WIDTH if self.shown else 0.0

    @property
    def least(self) -> float:
        return _MIN_WIDTH

    def begin(self, session: Session) -> None:
        self._scrolled = 0
        self._listed = []

    def toggle_shown(self) -> None:
        """Show or hide it."""
        self.shown = not self.shown

    def head(self, session: Session) -> Sequence[Row]:
        series = session.timeline.series
        if series is None:
            return ()
        watched = series.name(*session.timeline.watched) if session.timeline.watched is not None else "a body (middle click)"
        kinds = [Button(kind, partial(self._toggle_kind, kind), f"List each {kind}.", is_on=kind in self.kinds) for kind in KINDS]
        only = Button(f"only {watched}", self._toggle_watched, "List only events of the body that is watched.", is_on=self.only_watched)
        return (Buttons((*kinds, only), height=20.0),)

    def rows(self, session: Session) -> Sequence[Row]:
        history, series = session.timeline.history, session.timeline.series
        if history is None or series is None:
            return ()
        events, now = self._events(session, series), history.now
        shows = id(events), len(events), _until(events, now), self._scrolled
        return (
            Area(
                "events",
                partial(self._draw_rows, series, events, now),
                shows=shows,
                drag=partial(self._go_to, session),
                wheel=self._scroll,
                step=partial(self._go_on, session, events, now),
            ),
        )

    # -- inside -------------------------------------------------------------------------------------------------------

    def _events(self, session: Session, series: TimeSeries) -> list[Event]:
        """Return the events asked for; another list after something else was asked for."""
        return self._filtered.refresh(series.events, self.kinds, session.timeline.watched if self.only_watched else None)

    def _go_to(self, session: Session, at: tuple[int, int]) -> None:
        """Go to the step of the event at a pixel."""
        event = next((event for rect, event in self._listed if rect.collidepoint(at)), None)
        if event is not None:
            session.timeline.seek(event.step)

    def _go_on(self, session: Session, events: list[Event], now: int, way: int) -> None:
        """Go to the step of the next event, or of the one before."""
        steps = [event.step for event in events if (event.step > now) is (way > 0) and event.step != now]
        if steps:
            session.timeline.seek(steps[0] if way > 0 else steps[-1])

    def _scroll(self, notches: float) -> None:
        self._scrolled = max(self._scrolled + 3 * round(notches), 0)

    def _toggle_kind(self, kind: str) -> None:
        self.kinds, self._scrolled = self.kinds ^ {kind}, 0

    def _toggle_watched(self) -> None:
        self.only_watched, self._scrolled = not self.only_watched, 0

    def _draw_rows(
        self,
        series: TimeSeries,
        events: list[Event],
        now: int,
        surface: pygame.Surface,
        place: pygame.Rect,
        pointer: tuple[int, int] | None,
    ) -> None:
        ui = self.fonts.ui_scale
        row = round((2.0 if self._is_narrow else 1.0) * _ROW * ui)
        n_rows = max(place.height // row, 1)
        happened = _until(events, now)
        end = min(happened + min(_AHEAD, len(events) - happened), len(events))
        self._scrolled = min(self._scrolled, max(end - n_rows, 0))
        end -= self._scrolled
        start = max(end - n_rows, 0)
        self._listed = []
        if not events:
            words = self.fonts.render("no events yet", _SIZE, palette.CAPTION)
            surface.blit(words, place.topleft)
        for k, event in enumerate(events[start:end]):
            rect = pygame.Rect(place.left, place.top + k * row, place.width, row)
            if start + k == happened:
                pygame.draw.line(surface, palette.ACCENT, rect.topleft, rect.topright)
            if pointer is not None and rect.collidepoint(pointer):
                pygame.draw.rect(surface, palette.PANEL_RAISED, rect)
            self._draw_row(surface, series, event, rect, event.step > now)
            self._listed.append((rect, event))
        if self._scrolled:
            words = self.fonts.render(f"{self._scrolled} newer events below", 11.0, palette.ACCENT, True)
            plate = words.get_rect(midbottom=place.midbottom).inflate(round(12 * ui), 0)
            pygame.draw.rect(surface, palette.PANEL_RAISED, plate, border_radius=round(4 * ui))
            surface.blit(words, words.get_rect(center=plate.center))

    def _draw_row(self, surface: pygame.Surface, series: TimeSeries, event: Event, rect: pygame.Rect, is_ahead: bool) -> None:
        ui, line = self.fonts.ui_scale, round(_ROW * self.fonts.ui_scale)
        middle = rect.top + line // 2
        color = _color(event)
        text, caption = palette.TEXT, palette.CAPTION
        if is_ahead:
            color, text, caption = (mix(palette.PANEL, one, _DIMMED) for one in (color, text, caption))
        x = rect.left
        step = self.fonts.render(str(event.step), _SIZE, caption)
        end = x + (step.get_width() if self._is_narrow else round(36 * ui))
        surface.blit(step, step.get_rect(midright=(end, middle)))
        _symbol(surface, event, (end + round(11 * ui), middle), 3.6 * ui, color)
        speed = "" if math.isnan(event.speed) else f"{decimals(event.speed, 2)} m/s"
        right = self.fonts.render(speed, _SIZE, color if event.kind == "impact" else caption)
        edge = rect.right
        surface.blit(right, right.get_rect(midright=(edge, middle)))
        names = " – ".join(series.name(event.stage, body, event.step) for body in (event.body_a, event.body_b))
        left, room = x + round(58 * ui), edge - right.get_width() - round(62 * ui) - x
        if self._is_narrow:
            left, room, middle = x, edge - x, middle + line
        pairs = f"{event.pairs} fixture pairs" if event.pairs > 1 else ""
        if pairs and self.fonts.width(names, _SIZE) + round(6 * ui) + self.fonts.width(pairs, _SIZE) > room:
            pairs = f"×{event.pairs}"
        number = self.fonts.render(pairs, _SIZE, caption)
        room -= number.get_width() + round(6 * ui) if pairs else 0
        words = self.fonts.render(self.fonts.shortened(names, _SIZE, max(room, 1)), _SIZE, text)
        place = surface.blit(words, words.get_rect(midleft=(left, middle)))
        surface.blit(number, number.get_rect(midleft=(place.right + round(6 * ui), middle)))

    @property
    def _is_narrow(self) -> bool:
        return self.place[2] < _NARROW * self.fonts.ui_scale


def _until(events: list[Event], step: int) -> int:
    """Return how many events of an ascending list happened at a step or before it."""
    return bisect_right(events, step, key=lambda event: event.step)


def _color(event: Event) -> Color:
    if event.sensor:
        return palette.SENSOR
    return {"impact": palette.IMPULSE, "begin": palette.AGREE}.get(event.kind, palette.CAPTION)


def _symbol(surface: pygame.Surface, event: Event, at: tuple[int, int], reach: float, color: Color) -> None:
    """Draw the kind as a form: a star of an impact, a dot of a beginning, a ring of an end."""
    x, y = at
    if event.kind == "impact":
        for k in range(4):
            dx, dy = 1.3 * reach * math.cos(k * math.pi / 4), 1.3 * reach * math.sin(k * math.pi / 4)
            pygame.draw.line(surface, color, (x - dx, y - dy), (x + dx, y + dy), max(1, round(reach / 3.0)))
    elif event.kind == "begin":
        pygame.draw.circle(surface, color, at, reach)
    else:
        pygame.draw.circle(surface, color, at, reach, max(1, round(reach / 2.5)))
