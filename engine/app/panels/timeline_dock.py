"""The timeline under the scene: it shows the present step in the history, and a drag moves through it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import pygame

from engine.app.panels.dock import Dock, WindowActions
from engine.render import palette
from engine.render.palette import mix
from engine.ui.rows import Area, Bar, Button, Row

if TYPE_CHECKING:
    from engine.app.session import Session
    from engine.sim.demo import Demo
    from engine.sim.history import History

__all__ = ["TimelineDock"]

_BUTTON = 26.0
_LINE = "Timeline"
_END = 12.0
"""Margin at the right of the line, design pixels."""
_MIN_LINE = 90.0
"""Lengths of the line below which first words and then buttons are left out, design pixels."""

_CHOICES = ((0, 1, 2, 3, 4, 5, 6), (1, 2, 3, 5, 6), (1, 2, 3), (2,))
"""Sets of buttons, by their indices from the left; the first set that fits is shown."""


class TimelineDock(Dock):
    """Buttons, and a draggable line: filled up to the present step, outlined up to the newest one.

    Triangles above it mark actions; ticks below it mark keyframes.
    """

    side = "bottom"
    extent = 36.0
    shown = True
    worlds = "own"
    title = "Timeline"
    keys: ClassVar[tuple[tuple[str, str], ...]] = (("Drag the line", "go to any past step"),)

    def __init__(self, actions: WindowActions) -> None:
        self.actions = actions
        self.more: Callable[[Session], tuple[Button, ...]] = lambda session: ()
        """Returns another dock's buttons for the right end."""
        self.draw_more: Callable[[pygame.Surface, Session], object] = lambda surface, session: None
        """Draws additional marks on the line."""

    def rows(self, session: Session) -> Sequence[Row]:
        history = session.timeline.history
        if history is None:
            return ()
        more, has_line = self.more(session), bool(session.demo.stages) or session.recording is not None
        if not has_line:  # a demo without worlds has its own slider, so this one shows only the undo buttons
            return (Bar(self._buttons(session, history, len(more))[-2:], Area("", lambda *_: None), more),)
        kept = history.now, history.last, history.reached, len(history.marks), len(history.keyframes), session.clock.paused
        area = Area(
            _LINE,
            partial(self._draw, session, history),
            shows=kept,
            drag=lambda at: session.timeline.seek(self.step_at(at[0], history)) if not self.is_words(at) else None,
            step=lambda way: session.timeline.seek(history.now + way),
            tip="Drag to go to any past step; hold Shift and drag to mark a span." if not history.last else "",
        )
        return (Bar(self._buttons(session, history, len(more)), area, more),)

    # Inside

    def _buttons(self, session: Session, history: History[Demo], n_more: int) -> tuple[Button, ...]:
        """Return the buttons that fit beside the shortest line; undo and the ends are dropped first, because they have keys."""
        paused = session.clock.paused
        offered = (
            ("to start", history.now > 0, "to_start"),
            ("step back", history.now > 0, "step_back"),
            ("play" if paused else "pause", True, "pause"),
            ("step on", True, "step"),
            ("to end", not history.at_tip, "to_end"),
            ("undo", history.can_undo, "undo"),
            ("redo", history.can_redo, "redo"),
        )
        room = self.place[2] / self.fonts.ui_scale - _MIN_LINE - 30.0
        chosen = next((ids for ids in _CHOICES if (len(ids) + n_more) * (_BUTTON + 2.0) <= room), _CHOICES[-1])
        return tuple(self.actions.button(id, icon=icon, is_off=not is_ready) for icon, is_ready, id in (offered[k] for k in chosen))

    @property
    def area(self) -> pygame.Rect:
        """The area of the words and the line, pixels."""
        item = next((row for row in self.form.items if isinstance(row.what, Area)), None)
        return pygame.Rect(self.place) if item is None else self.form.rect(item)

    @property
    def _words_width(self) -> int:
        """Width of the clock at the left of the line; 0 if there is no room, pixels."""
        wide = self.fonts.width("00:00.00 / 00:00.00", 13) + round(20 * self.fonts.ui_scale)
        return wide if wide + round((_MIN_LINE + _END) * self.fonts.ui_scale) <= self.area.width else 0

    @property
    def bar(self) -> pygame.Rect:
        """The line's rectangle, pixels."""
        ui, area = self.fonts.ui_scale, self.area
        start, thick = area.left + max(self._words_width, round(8 * ui)), round(6 * ui)
        return pygame.Rect(start, area.top + (area.height - thick) // 2, max(area.right - round(_END * ui) - start, 1), thick)

    def is_words(self, at: tuple[int, int]) -> bool:
        """Return True if a pixel is on the clock."""
        return at[0] < self.bar.left - self.bar.height and self.area.collidepoint(at)

    def step_at(self, x: float, history: History[Demo]) -> int:
        """Return the step at a pixel of the line."""
        bar = self.bar
        share = min(max((x - bar.left) / max(bar.width, 1), 0.0), 1.0)
        return round(share * history.last)

    def x_of(self, step: int, history: History[Demo]) -> int:
        """Return the x coordinate of a step, pixels."""
        bar = self.bar
        return bar.left + round(bar.width * step / max(history.last, 1))

    def _draw(
        self, session: Session, history: History[Demo], surface: pygame.Surface, rect: pygame.Rect, pointer: tuple[int, int] | None
    ) -> None:
        self._draw_words(surface, session, history)
        self._draw_line(surface, session, history)
        self.draw_more(surface, session)
        if pointer is not None and not self.is_words(pointer):
            self._draw_pointed(surface, session, self.step_at(pointer[0], history), history)

    def _draw_words(self, surface: pygame.Surface, session: Session, history: History[Demo]) -> None:
        """Write the present time, independent of the pointer."""
        if not self._words_width:
            return
        seconds = session.demo.step_seconds
        words = f"{_clock(history.now * seconds)} / {_clock(history.last * seconds)}"
        picture = self.fonts.render(words, 13, palette.TEXT if history.at_tip else palette.ACCENT)
        surface.blit(picture, picture.get_rect(midleft=(self.area.left + round(8 * self.fonts.ui_scale), self.area.centery)))

    def _draw_line(self, surface: pygame.Surface, session: Session, history: History[Demo]) -> None:
        bar, ui = self.bar, self.fonts.ui_scale
        if bar.width < 20:
            return
        round_off = bar.height // 2
        pygame.draw.rect(surface, palette.PANEL_RAISED, bar, border_radius=round_off)
        if history.reached < history.last:  # for a recording, how far it has been played
            known = (bar.left, bar.top, max(self.x_of(history.reached, history) - bar.left, 1), bar.height)
            pygame.draw.rect(surface, mix(palette.PANEL, palette.ACCENT, 0.25), known, border_radius=round_off)
        x = self.x_of(history.now, history) if history.last else bar.right
        been = (bar.left, bar.top, max(x - bar.left, 1), bar.height)
        pygame.draw.rect(surface, mix(palette.PANEL, palette.ACCENT, 0.6), been, border_radius=round_off)
        for step in {self.x_of(step, history) for step in history.keyframes}:
            pygame.draw.line(surface, palette.PANEL_EDGE, (step, bar.bottom + round(3 * ui)), (step, bar.bottom + round(6 * ui)))
        tip, wide = bar.top - round(2 * ui), round(3 * ui)
        for at in {self.x_of(step, history) for step in history.marks}:
            pygame.draw.polygon(surface, palette.WARNING, ((at, tip), (at - wide, tip - 2 * wide), (at + wide, tip - 2 * wide)))
        pygame.draw.circle(surface, palette.TEXT, (x, bar.centery), round(7 * ui))
        pygame.draw.circle(surface, palette.PANEL, (x, bar.centery), round(4 * ui))

    def _draw_pointed(self, surface: pygame.Surface, session: Session, step: int, history: History[Demo]) -> None:
        """Mark the step under the pointer, and write its number beside it on the line, where it does not cover the scene."""
        bar, ui = self.bar, self.fonts.ui_scale
        if bar.width < 20:
            return
        at, gap = self.x_of(min(step, history.last), history), round(6 * ui)
        pygame.draw.line(surface, palette.ACCENT, (at, bar.top - round(5 * ui)), (at, bar.bottom + round(5 * ui)), max(1, round(ui)))
        for label in (f"{_clock(step * session.demo.step_seconds)}, step {step}", f"step {step}", str(step)):
            words = self.fonts.render(label, 12, palette.ACCENT, True)
            plate = words.get_rect(midleft=(at + gap, bar.centery)).inflate(2 * gap, 0)
            plate.left = at + gap
            if plate.right > bar.right:
                plate.right = at - gap
            if plate.left >= bar.left:
                pygame.draw.rect(surface, palette.PANEL, plate)
                surface.blit(words, words.get_rect(center=plate.center))
                return


def _clock(seconds: float) -> str:
    """Return minutes, seconds and hundredths.

    Examples
    --------
    >>> _clock(83.456)
    '1:23.46'
    """
    hundredths = round(100.0 * seconds)
    return f"{hundredths // 6000}:{hundredths // 100 % 60:02d}.{hundredths % 100:02d}"
