"""What the panel says of the live check: the counts, the worst error of late, what it costs, and where the answers differ."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import numpy as np
import pygame

from engine.app.session import Session
from engine.app.widgets import ScrollPanel
from engine.common.arrays import FloatArray
from engine.contracts.agreement import REASONS
from engine.render import palette
from engine.render.differences import reason_color
from engine.render.fonts import FontBook
from engine.render.hud import draw_paragraph, draw_spark
from engine.render.palette import Color

__all__ = ["RefereePanel", "error_words", "worst_errors"]

_HEADINGS = ("CONTACTS, COMPUTED TWICE", "COMPUTED TWICE")
"""The longest for which there is room."""
_LINE = 17
_SPARK = 22
"""Design pixels."""
_MAX_LINES = 6
_STEPS = "step through the largest  ›"
_SECONDS = 5.0
"""Of world time that the spark line shows."""


_VERDICTS = (
    "Contacts to which both algorithms give the same answer, within rounding.",
    "Contacts whose answers differ for a known reason, listed below.",
    "Contacts whose answers differ for no known reason: a bug in one of the two.",
)
"""Tooltips of the counts: agree, explained, unexplained."""


class RefereePanel:
    """Draws its part of the panel's column, and knows where each reason stands."""

    def __init__(self, column: ScrollPanel, fonts: FontBook, session: Session) -> None:
        self._column, self._fonts, self._session = column, fonts, session
        self._counts_at = self._reasons_at = 0
        self._places: list[tuple[pygame.Rect, str]] = []
        self._steps: list[tuple[pygame.Rect, str]] = []

    def reserve_counts(self, top: int) -> int:
        """Keep room for the counts under `top`; return the y under it."""
        column = self._column
        self._counts_at = top
        for k, tip in enumerate(_VERDICTS):
            column.add_tip((column.left, top + column.px((k + 2) * _LINE), column.width, column.px(_LINE)), tip)
        return column.reserve(top, column.px(8 * _LINE + _SPARK + 5))

    def reserve_reasons(self, top: int) -> None:
        """Let the reasons begin at `top`; they are the last of the column."""
        self._reasons_at = top

    def reason_at(self, at: tuple[int, int]) -> str | None:
        """Return the reason whose line is under a pixel."""
        return next((reason for place, reason in self._places if place.collidepoint(at)), None)

    def steps_at(self, at: tuple[int, int]) -> str | None:
        """Return the reason of which the largest difference is to be watched step by step, where its words are under a pixel."""
        return next((reason for place, reason in self._steps if place.collidepoint(at)), None)

    def draw(self, surface: pygame.Surface, missing: str) -> None:
        """Draw; `missing` says why there is no live check, empty if there is one."""
        self._places, self._steps = [], []
        column = self._column
        top = column.shifted(self._counts_at)
        if self._session.demo.stages:
            room = column.width if missing else column.width - self._fonts.width("88.88 ms", 11.0, True) - column.px(6)
            words = next((one for one in _HEADINGS if self._fonts.width(one, 11.0, True) <= room), _HEADINGS[-1])
            self._write(surface, words, column.left, top, palette.CAPTION, 11.0)
            top += column.px(_LINE)
        if missing:
            self._paragraph(surface, missing, top)
            return
        cost = f"{self._session.costs.shown.check:.2f} ms"
        self._write(surface, cost, column.left + column.width, top - column.px(_LINE), palette.TEXT, 11.0, True)
        self._draw_counts(surface, top)
        self._draw_pairs(surface, top + column.px(4 * _LINE + 1))
        self._draw_errors(surface, top + column.px(5 * _LINE + 3))
        self._draw_reasons(surface)

    def _paragraph(self, surface: pygame.Surface, words: str, top: int) -> None:
        """Write at most `_MAX_LINES` lines."""
        column = self._column
        lines = self._fonts.wrapped(words, 12.5, column.width)
        if len(lines) > _MAX_LINES:
            lines = [*lines[: _MAX_LINES - 1], self._fonts.shortened(f"{lines[_MAX_LINES - 1]} …", 12.5, column.width)]
        for k, line in enumerate(lines):
            surface.blit(self._fonts.render(line, 12.5, palette.CAPTION), (column.left, top + k * column.px(_LINE)))

    def _draw_counts(self, surface: pygame.Surface, top: int) -> None:
        column, stages = self._column, self._session.demo.stages
        steps, totals = [stage.agreement for stage in stages], [stage.total for stage in stages]
        edges = (column.left + round(0.62 * column.width), column.left + column.width)
        for words, edge in zip(("this step", "since start"), edges, strict=True):
            self._write(surface, words, edge, top, palette.CAPTION, 11.0, True, bold=False)
        rows: list[tuple[str, int, int, Color]] = [
            ("agree", sum(one.agree for one in steps), sum(one.agree for one in totals), palette.AGREE),
            ("explained", sum(one.explained for one in steps), sum(one.explained for one in totals), palette.EXPLAINED),
            ("unexplained", sum(one.unexplained for one in steps), sum(one.unexplained for one in totals), palette.UNEXPLAINED),
        ]
        for k, (name, now, total, color) in enumerate(rows):
            y = top + column.px((k + 1) * _LINE)
            self._write(surface, name, column.left, y, color if total else palette.CAPTION, 13.0)
            for count, edge in zip((now, total), edges, strict=True):
                self._write(surface, f"{count:,}", edge, y, color if count else palette.CAPTION, 13.0, True)

    def _draw_pairs(self, surface: pygame.Surface, top: int) -> None:
        """Say how many pairs touch, found by us from the bodies alone, and by the solver."""
        column, stages = self._column, self._session.demo.stages
        referees = [stage.pair_referee for stage in stages if stage.pair_referee is not None]
        if not referees:
            return
        ours, box2d = (sum(getattr(stage.pairs, name) for stage in stages) for name in ("ours", "box2d"))
        color = palette.UNEXPLAINED if any(one.total.unexplained for one in referees) else palette.AGREE
        solvers = {stage.world.solver: stage.world.capabilities for stage in stages}
        whose = "Box2D" if len(solvers) != 1 or "box2d" in solvers else next(iter(solvers.values())).title
        words = f"touching pairs: ours {ours:,}, {whose} {box2d:,}"
        cost = f"{sum(one.last_ms for one in referees):.2f} ms"
        room = column.width - self._fonts.width(cost, 11.0, True) - column.px(6)
        if self._fonts.width(words, 11.0) > room:
            words = f"pairs: {ours:,}, {whose} {box2d:,}"
        self._write(surface, self._fonts.shortened(words, 11.0, room), column.left, top, color, 11.0, bold=False)
        self._write(surface, cost, column.left + column.width, top, palette.TEXT, 11.0, True)

    def _draw_errors(self, surface: pygame.Surface, top: int) -> None:
        column = self._column
        values = worst_errors(self._session)
        asleep = sum(int((~stage.world.contacts.evaluated).sum()) for stage in self._session.demo.stages)
        words = f"worst point error, last {_SECONDS:g} s"
        self._write(surface, words, column.left, top, palette.CAPTION, 11.0, bold=False)
        if len(values):
            self._write(surface, error_words(float(values.max())), column.left + column.width, top, palette.TEXT, 11.0, True)
        top += column.px(_LINE - 1)
        draw_spark(surface, (column.left, top, column.width, column.px(_SPARK)), values, palette.ACCENT)
        not_asked = sum(sum(stage.agreement.not_comparable.values()) for stage in self._session.demo.stages)
        told = [f"asleep pairs, not recomputed: {asleep:,}"] if asleep else []
        told += [f"not comparable with Box2D: {not_asked:,}"] if not_asked else []
        if told:
            top += column.px(_SPARK + 2)
            words = self._fonts.shortened("; ".join(told), 11.0, column.width)
            self._write(surface, words, column.left, top, palette.CAPTION, 11.0, bold=False)

    def _draw_reasons(self, surface: pygame.Surface) -> None:
        """List the reasons met since the restart, the frequent ones first, each with its sentence; those of the last step in color."""
        stages = self._session.demo.stages
        now = Counter(chain.from_iterable(stage.agreement.reasons for stage in stages))
        met = sum((stage.reasons for stage in stages), Counter[str]())
        if not met:
            return
        column, fonts = self._column, self._fonts
        y = self._reasons_at
        self._write(surface, "DIFFERENCES: CLICK ONE, OR A RING", column.left, column.shifted(y), palette.CAPTION, 11.0)
        y += column.px(16)
        for key, _ in sorted(met.items(), key=lambda one: (one[0] != "unexplained", -one[1])):
            reason = REASONS[key]
            color = reason_color(key) if now[key] else palette.CAPTION
            top = column.shifted(y)
            self._write(surface, reason.name, column.left, top, color, 12.0)
            if now[key]:
                self._write(surface, f"{now[key]:,} now  ›", column.left + column.width, top, color, 12.0, True)
            end = draw_paragraph(surface, fonts, reason.sentence, (column.left, top + column.px(16), column.width), palette.CAPTION, 11.5)
            if now[key]:
                self._places.append((pygame.Rect(column.left, top, column.width, end - top), key))
                self._write(surface, _STEPS, column.left + column.width, end, palette.ACCENT, 11.5, True, bold=False)
                wide = fonts.width(_STEPS, 11.5)
                self._steps.append((pygame.Rect(column.left + column.width - wide, end, wide, column.px(_LINE - 1)), key))
                end += column.px(_LINE - 1)
            y = end - column.shifted(0) + column.px(3)
        column.reserve(self._reasons_at, y - self._reasons_at)

    def _write(
        self, surface: pygame.Surface, words: str, x: int, top: int, color: Color, size: float, from_right: bool = False, bold: bool = True
    ) -> None:
        picture = self._fonts.render(words, size, color, bold)
        surface.blit(picture, (x - picture.get_width() if from_right else x, top))


def worst_errors(session: Session) -> FloatArray:
    """Return the largest error of a point that agrees, over all worlds, meters, of each step of the last seconds; oldest first."""
    n_most = max(1, round(_SECONDS / session.demo.step_seconds))
    histories = [np.array(list(stage.errors)[-n_most:]) for stage in session.demo.stages]
    worst = np.zeros(max((len(history) for history in histories), default=0))
    for history in histories:
        newest = worst[len(worst) - len(history) :]
        np.maximum(newest, history, out=newest)
    return worst


def error_words(meters: float) -> str:
    """Return an error as people read it.

    Examples
    --------
    >>> error_words(3.2e-7), error_words(0.0), error_words(8.7e-18), error_words(2e-3)
    ('0.32 µm', '0', '< 0.001 µm', '2 mm')
    """
    if meters == 0.0:
        return "0"
    if meters < 1e-9:
        return "< 0.001 µm"
    return f"{1e6 * meters:.2g} µm" if meters < 1e-3 else f"{1e3 * meters:.3g} mm"
