"""The status strip at the bottom of the window: a note, the cost of a frame, the state of time, and the results of the live check.

It does not cover the picture, and a note precedes the figures. Urgent notes come first: why the demo has stopped; then messages
(`engine.app.messages`); then the demo's own state. An intermittent state is reported once, and again only after a long absence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pygame

from engine.app.costs import FrameTimes
from engine.app.frame import FramePainter
from engine.app.second_picture import title_of
from engine.app.session import Session
from engine.render import palette
from engine.render.camera import Place
from engine.render.hud import draw_status, verdict_places
from engine.render.palette import Color

if TYPE_CHECKING:
    from engine.app.session import Session

__all__ = ["VERDICTS", "CheckNote", "Note", "Notes", "draw_strip", "verdict_at"]


@dataclass(frozen=True, slots=True)
class CheckNote:
    """State of the live check.

    Attributes
    ----------
    sentence : str
        Text for the panel; empty once the check has loaded.
    short : str
        A few words for the status strip, also while other algorithms are still being compiled.
    is_warming_up : bool
        True if the check is still loading.
    """

    sentence: str = ""
    short: str = ""
    is_warming_up: bool = False

    @classmethod
    def failed(cls, reason: str) -> CheckNote:
        """Return the state of a missing check."""
        return cls(f"no live check: {reason}", "no live check")

    def words(self, session: Session) -> str:
        """Return the text shown in place of a session's counts; empty if the counts are shown."""
        return self.sentence or ("" if session.layers.check else "off (press 8 to turn it on)")


Note = tuple[str, Color]

_SETTLED = 2.0
"""Time for which a state must last before it is shown, seconds: the mean lag has settled by then, and one long frame does not count."""
_REST = 60.0
"""Time of absence after which a state is shown again, seconds."""
_SLOW_FOR, _SLOW_AT_LEAST = 8.0, 4.0
"""Maximum and minimum number of seconds for which the note about slow time is shown, long enough to be read. After that the figure next to
the speed shows it."""


class _State:
    """A state with the time for which it has been shown.

    Parameters
    ----------
    least, longest : float
        Minimum time shown, even if the state has ended, and maximum time shown, seconds.
    """

    def __init__(self, least: float = 0.0, longest: float = math.inf) -> None:
        self._least, self._longest = least, longest
        self._lasted = self._told_for = 0.0
        self._gone_for = math.inf
        self._is_told = False

    def advance(self, elapsed: float, is_so: bool) -> bool:
        """Record whether the state held for `elapsed` seconds; return whether to show it now."""
        if not is_so and not (self._is_told and self._told_for < self._least):
            self._gone_for += elapsed
            self._lasted = 0.0
            self._is_told = False
            if self._gone_for >= _REST:
                self._told_for = 0.0
            return False
        self._lasted += elapsed
        if self._lasted >= _SETTLED:
            self._is_told = self._is_told or self._told_for == 0.0
            self._gone_for = 0.0
        if self._is_told:
            self._told_for += elapsed
            self._is_told = self._told_for <= self._longest
        return self._is_told


class Notes:
    """The note of a window, shared by its demos, so that a note is not repeated at once for the next demo."""

    def __init__(self) -> None:
        self._slow, self._empty = _State(_SLOW_AT_LEAST, _SLOW_FOR), _State()
        self._is_slow = self._is_empty = False
        self._share = ""
        """Share of the chosen speed when time last ran slowly; the note keeps it until it ends."""

    def advance(self, elapsed: float, is_slow: bool, shows_nothing: bool) -> None:
        """Advance by `elapsed` real seconds with the present states: time runs slowly, no body is in view."""
        self._is_slow = self._slow.advance(elapsed, is_slow)
        self._is_empty = self._empty.advance(elapsed, shows_nothing)

    def now(self, session: Session, is_warming_up: bool) -> Note | None:
        """Return the note about a session and its color; usually empty.

        During the warm-up, kernels are compiled or loaded between the frames, which slows them down.
        """
        if session.timeline.failure:
            return f"Stopped: {session.timeline.failure}  (R restarts)", palette.UNEXPLAINED
        if (message := session.messages.now) is not None:
            return message.words, message.color
        if self._is_empty:
            return "Nothing is in view. Press Home.", palette.WARNING
        if (sentence := next((note for stage in session.demo.stages for note in stage.world.step_notes), None)) is not None:
            return sentence, palette.WARNING
        if self._is_slow:
            if session.clock.is_slow:
                self._share = session.clock.share_of_speed
            what = _what_takes_long(session.costs.shown, is_warming_up)
            return f"Running at {self._share} of the chosen speed: {what}", palette.WARNING
        if session.view.focus is not None:
            return "Close-up. Esc returns.", palette.TEXT
        return None


def _what_takes_long(times: FrameTimes, is_warming_up: bool) -> str:
    """Return what takes most of a frame, in words; empty if our work takes less than half of it."""
    steps = max(times.steps, 1)
    parts = {
        "drawing takes too long": times.draw,
        "the steps take too long": steps * times.step,
        "the live check takes too long (press 8 to turn it off)": steps * times.check,
        "the comparison takes too long (press F11 to end it)": steps * times.beside,
    }
    longest = max(parts, key=lambda words: parts[words])
    if sum(parts.values()) > 0.5 * times.frame:
        return longest
    return "algorithms are being compiled" if is_warming_up else "other programs are using the processor"


Cell = tuple[str, str, Color]
VERDICTS = {
    "agree": "Contacts for which both algorithms give the same answer, within rounding.",
    "explained": "Contacts whose answers differ for a known reason, listed under More.",
    "unexplained": "Contacts whose answers differ for no known reason, which means a bug in one of the two algorithms.",
}
"""Tooltips of the counts of the live check."""


def draw_strip(
    surface: pygame.Surface, painter: FramePainter, place: Place, session: Session, check: CheckNote, is_preview: bool, note: Note | None
) -> None:
    """Draw the strip of a session, with the note before the figures; a preview without a check does not mention it."""
    draw_status(surface, painter.fonts, place, _cells(session, painter.n_asleep(session)), _check(session, check, is_preview), note)


def verdict_at(
    painter: FramePainter, place: Place, session: Session, check: CheckNote, is_preview: bool, pixel: tuple[int, int]
) -> tuple[str, pygame.Rect] | None:
    """Return the meaning of the count at a pixel of the strip, and the count's place."""
    right = _check(session, check, is_preview)
    places = verdict_places(painter.fonts, place, _cells(session, painter.n_asleep(session)), right)
    for (text, _), where in zip(right, places, strict=True):
        if where.collidepoint(pixel) and (words := VERDICTS.get(text.partition(" ")[0])) is not None:
            return words, where
    return None


def _cells(session: Session, n_asleep: int) -> list[Cell]:
    times, stages = session.costs.shown, session.demo.stages
    rate = f"{1000.0 / times.frame:.0f}/s" if times.frame > 0.0 else "-"
    frame: Cell = ("frame", f"{times.frame:.1f} ms {rate}", palette.TEXT)
    draw: Cell = ("draw", f"{times.draw:.1f} ms", palette.TEXT)
    if not stages:
        return [frame, draw]
    speed = f"{session.clock.pace} ({session.clock.share_of_speed})" if session.clock.is_slow else session.clock.pace
    solver = session.demo.sim.solver_title + ("" if session.beside is None else f" | {title_of(session.beside)}")
    bodies = str(sum(len(stage.world.body_ids) for stage in stages))
    return [
        frame,
        ("step", f"{times.step:.2f}{f' + {times.beside:.2f}' if session.beside else ''} ms", palette.TEXT),
        ("check", f"{times.check:.2f} ms", palette.TEXT),
        draw,
        ("speed", speed, palette.WARNING if session.clock.paused or session.clock.is_slow else palette.TEXT),
        ("solver", solver, palette.TEXT),
        ("t", session.timeline.clock_words, palette.TEXT),
        ("bodies", f"{bodies}, {n_asleep} asleep (dim)" if n_asleep else bodies, palette.TEXT),
        ("contacts", str(sum(stage.touching.shape[1] for stage in stages)), palette.TEXT),
    ]


def _check(session: Session, check: CheckNote, is_preview: bool) -> list[tuple[str, Color]]:
    """Return the text on the right: the results of the check, or why there is none."""
    stages = session.demo.stages
    progress = [(check.short, palette.WARNING)] if check.short and (check.is_warming_up or not is_preview) else []
    if progress and check.sentence:
        return progress
    if is_preview:
        return [*progress, ("preview", palette.CAPTION)]
    if not stages:
        return progress
    agree, explained = sum(stage.total.agree for stage in stages), sum(stage.total.explained for stage in stages)
    unexplained = sum(stage.total.unexplained + stage.pair_total.unexplained for stage in stages)
    counts = [*progress, (f"agree {agree:,}", palette.AGREE)]
    if explained:
        counts.append((f"explained {explained:,}", palette.EXPLAINED))
    return [*counts, (f"unexplained {unexplained:,}", palette.UNEXPLAINED if unexplained else palette.CAPTION)]
