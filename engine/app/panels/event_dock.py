"""The log of contact events on the right: which bodies started and stopped touching, and their approach speed. A click goes to the step."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

from engine.app.event_log import KINDS, Event
from engine.app.panels.dock import Dock
from engine.common.words import decimals
from engine.render import palette
from engine.render.palette import Color
from engine.ui.rows import Button, Buttons, Note, Row

if TYPE_CHECKING:
    from engine.app.session import Session
    from engine.app.time_series import TimeSeries

__all__ = ["EventDock"]

_ROW, _LINE, _HEAD = 17.0, 20.0, 90.0
"""Height of an event's button, of its line with the gap, and of the buttons above all, design pixels."""
_AHEAD = 4
"""Number of future events listed after the present step, if the demo was rewound."""


class EventDock(Dock):
    """Lists the events up to the present step, the newest last, and in gray the next ones after rewinding."""

    side = "right"
    extent = 268.0
    min_extent = 150.0
    worlds = "own"
    gives_way = True
    title = "Event log"
    keys: ClassVar[tuple[tuple[str, str], ...]] = (("Click an event", "go to its step"),)

    def __init__(self) -> None:
        self.kinds: frozenset[str] = frozenset(KINDS)
        self.only_watched = False

    def head(self, session: Session) -> Sequence[Row]:
        series = session.timeline.series
        if series is None:
            return ()
        watched = series.name(*session.timeline.watched) if session.timeline.watched is not None else "one body (middle-click it)"
        kinds = [Button(kind, partial(self._toggle_kind, kind), f"List each {kind}.", is_on=kind in self.kinds) for kind in KINDS]
        only = Button(f"only {watched}", self._toggle_watched, "List only the watched body's events.", is_on=self.only_watched)
        return (Buttons((*kinds, only), height=20.0),)

    def rows(self, session: Session) -> Sequence[Row]:
        history, series = session.timeline.history, session.timeline.series
        if history is None or series is None:
            return ()
        events = self.listed(session, series, history.now)
        if not events:
            return (Note("No events yet."),)
        buttons = tuple(
            Button(
                _words(event, series),
                partial(session.timeline.seek, event.step),
                key="" if math.isnan(event.speed) else f"{decimals(event.speed, 2)} m/s",
                color=_color(event) if event.step <= history.now else palette.CAPTION,
            )
            for event in events
        )
        return (Buttons(buttons, columns=1, height=_ROW, is_list=True),)

    def listed(self, session: Session, series: TimeSeries, now: int) -> list[Event]:
        """Return the events to list: the last ones, as many as fit, and at most `_AHEAD` future ones."""
        log, happened = series.events.events, series.events.until(now)
        watched = session.timeline.watched if self.only_watched else None

        def first(events: Iterable[Event], n: int) -> list[Event]:
            matching = (event for event in events if event.kind in self.kinds and (watched is None or event.is_about(*watched)))
            return [*islice(matching, n)]

        n_rows = max(int((self.place[3] / self.fonts.ui_scale - _HEAD) / _LINE), 1)
        ahead = first(log[happened:], min(_AHEAD, n_rows - 1))
        return [*reversed(first(reversed(log[:happened]), n_rows - len(ahead))), *ahead]

    def _toggle_kind(self, kind: str) -> None:
        self.kinds ^= {kind}

    def _toggle_watched(self) -> None:
        self.only_watched = not self.only_watched


def _words(event: Event, series: TimeSeries) -> str:
    names = " – ".join(series.name(event.stage, body, event.step) for body in (event.body_a, event.body_b))
    return f"{event.step}  {event.kind}  {names}{f' ×{event.pairs}' if event.pairs > 1 else ''}"


def _color(event: Event) -> Color:
    if event.sensor:
        return palette.SENSOR
    return {"impact": palette.IMPULSE, "begin": palette.AGREE}.get(event.kind, palette.TEXT)
