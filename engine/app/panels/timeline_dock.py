"""The time line under the scene: where the demo stands in all that has happened, and the hand that takes it elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, ClassVar

import pygame

from engine.app.panels.buttons import draw_icon, draw_tip
from engine.app.panels.dock import Dock, WindowActions
from engine.render import palette
from engine.render.palette import mix

if TYPE_CHECKING:
    from engine.app.session import Session
    from engine.sim.demo import Demo
    from engine.sim.history import History

__all__ = ["TimelineDock"]

_HEIGHT = 36.0
_BUTTON = 26.0
_MIN_LINE = 90.0
"""Design pixels of the line for which words and then buttons are left out."""

_CHOICES = ((0, 1, 2, 3, 4, 5, 6), (1, 2, 3, 5, 6), (1, 2, 3), (2,))
"""Of the buttons, by their places from the left, those that are shown: the first choice for which there is room."""


class TimelineDock(Dock):
    """Buttons, and a line that can be dragged: filled as far as the demo stands, outlined as far as it has been.

    Triangles over it are where something was done; ticks under it are keyframes.
    """

    side = "bottom"
    worlds = "own"
    title = "Time line"
    keys: ClassVar[tuple[tuple[str, str], ...]] = (("Drag the line", "go to any past step"),)

    def __init__(self, actions: WindowActions) -> None:
        self.actions = actions
        self.room_right = 0.0
        """Design pixels at the right end that are left to another dock's buttons."""
        self.draw_more: Callable[[pygame.Surface, Session], None] | None = None
        """Draws them, and whatever else is marked on the line."""
        self._dragging = False
        self._wanted: int | None = None
        self._pointer: tuple[int, int] | None = None
        self._has_line = True
        """False for a demo without worlds, which has a slider of its own: here are the buttons that undo."""

    @property
    def size(self) -> float:
        return _HEIGHT

    def begin(self, session: Session) -> None:
        self._dragging, self._wanted = False, None

    def handle(self, event: pygame.event.Event, session: Session) -> bool:
        history = session.timeline.history
        if history is None:
            return False
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1 and pygame.Rect(self.place).collidepoint(event.pos):
            self._press(event.pos, session, history)
            return True
        if event.type == pygame.MOUSEBUTTONUP and event.button == 1 and self._dragging:
            self._dragging = False
            return True
        if event.type == pygame.MOUSEMOTION:
            self.point_at(event.pos)
            if self._dragging:
                self._wanted = self.step_at(event.pos[0], history)
                return True
        return False

    def point_at(self, pixel: tuple[int, int]) -> None:
        """Note where the pointer is, whichever dock takes its events."""
        self._pointer = pixel if pygame.Rect(self.place).collidepoint(pixel) else None

    def _look(self, session: Session) -> None:
        self._has_line = bool(session.demo.stages) or session.recording is not None

    def update(self, session: Session, elapsed: float) -> None:
        self._look(session)
        if self._wanted is not None:  # once a frame, however many motions there were
            session.timeline.seek(self._wanted)
            self._wanted = None

    def shows(self, session: Session) -> Hashable:
        history = session.timeline.history
        if history is None or self._pointer is not None or self._dragging:
            return None
        return history.now, history.last, history.reached, history.at_tip, session.clock.paused, session.recorder is not None

    def draw(self, surface: pygame.Surface, session: Session) -> None:
        history = session.timeline.history
        if history is None or self.place[3] < 1:
            return
        left, top, width, _ = self.place
        pygame.draw.rect(surface, palette.PANEL, self.place)
        pygame.draw.line(surface, palette.PANEL_EDGE, (left, top), (left + width - 1, top))
        hovered: tuple[pygame.Rect, str] | None = None
        for rect, name, is_ready, id in self._buttons(session):
            is_under = is_ready and self._pointer is not None and rect.collidepoint(self._pointer)
            if is_under:
                hovered = rect, id
                pygame.draw.rect(surface, palette.PANEL_RAISED, rect, border_radius=round(5 * self.fonts.ui_scale))
            color = palette.TEXT if is_under else palette.CAPTION if is_ready else palette.PANEL_EDGE
            draw_icon(surface, name, rect, color)
        if self._has_line:
            self._draw_words(surface, session, history)
            self._draw_line(surface, session, history)
        if self.draw_more is not None:
            self.draw_more(surface, session)
        if self._has_line:
            self._draw_pointed(surface, session, history)
        if hovered is not None:
            draw_tip(surface, self.fonts, hovered[0], self.actions.label(hovered[1]), is_above=True)

    # Inside

    def _press(self, at: tuple[int, int], session: Session, history: History[Demo]) -> None:
        for rect, _, is_ready, id in self._buttons(session):
            if rect.collidepoint(at):
                if is_ready:
                    self.actions.run(id)
                return
        if self.is_on_line(at):
            self._dragging = True
            self._wanted = self.step_at(at[0], history)

    def _buttons(self, session: Session) -> list[tuple[pygame.Rect, str, bool, str]]:
        """Return place, icon, whether it can be used, and its command, from left to right."""
        history = session.timeline.history
        assert history is not None
        ui, (left, top, _, height) = self.fonts.ui_scale, self.place
        paused = session.clock.paused
        offered = [
            ("to start", history.now > 0, "to_start"),
            ("step back", history.now > 0, "step_back"),
            ("play" if paused else "pause", True, "pause"),
            ("step on", True, "step"),
            ("to end", not history.at_tip, "to_end"),
            ("undo", history.can_undo, "undo"),
            ("redo", history.can_redo, "redo"),
        ]
        offered = [offered[k] for k in self._fitting] if self._has_line else offered[-2:]
        size, gap = round(_BUTTON * ui), round(2 * ui)
        x, y = left + round(6 * ui), top + (height - size) // 2
        return [(pygame.Rect(x + k * (size + gap), y, size, size), *one) for k, one in enumerate(offered)]

    @property
    def _fitting(self) -> tuple[int, ...]:
        """Which of the buttons there is room for, if the line is to have its least length: undo and the ends go first, they have keys."""
        room = self.place[2] / self.fonts.ui_scale - self.room_right - _MIN_LINE - 30.0
        return next((chosen for chosen in _CHOICES if len(chosen) * (_BUTTON + 2.0) <= room), _CHOICES[-1])

    @property
    def _has_words(self) -> bool:
        """Whether there is room for the clock too."""
        ui = self.fonts.ui_scale
        return self._words_left() + self._words_width() + round((16 + self.room_right + _MIN_LINE) * ui) <= self.place[0] + self.place[2]

    def _words_left(self) -> int:
        ui = self.fonts.ui_scale
        return self.place[0] + round(6 * ui) + len(self._fitting) * (round(_BUTTON * ui) + round(2 * ui)) + round(8 * ui)

    def _words_width(self) -> int:
        return self.fonts.width("00:00.00 / 00:00.00", 13) + round(12 * self.fonts.ui_scale)

    @property
    def bar(self) -> pygame.Rect:
        """The line, pixels."""
        ui, (left, top, width, height) = self.fonts.ui_scale, self.place
        start = self._words_left() + (self._words_width() if self._has_words else round(4 * ui))
        end = left + width - round((16 + self.room_right) * ui)
        thick = round(6 * ui)
        return pygame.Rect(start, top + (height - thick) // 2, max(end - start, 1), thick)

    def is_on_line(self, at: tuple[int, int]) -> bool:
        """Return True if a pixel is on the line, or a little beside it."""
        bar = self.bar
        return (
            self._has_line and pygame.Rect(self.place).collidepoint(at) and bar.inflate(2 * bar.height, 0).collidepoint(at[0], bar.centery)
        )

    def step_at(self, x: float, history: History[Demo]) -> int:
        """Return the step that a pixel of the line means."""
        bar = self.bar
        share = min(max((x - bar.left) / max(bar.width, 1), 0.0), 1.0)
        return round(share * history.last)

    def x_of(self, step: int, history: History[Demo]) -> int:
        """Return the pixel of a step."""
        bar = self.bar
        return bar.left + round(bar.width * step / max(history.last, 1))

    def _pointed_step(self, history: History[Demo]) -> int | None:
        """Return the step that the pointer means; None where it is not at the line."""
        if self._pointer is None or not (self._dragging or self.bar.inflate(0, 20 * self.fonts.ui_scale).collidepoint(self._pointer)):
            return None
        return self.step_at(self._pointer[0], history)

    def _draw_words(self, surface: pygame.Surface, session: Session, history: History[Demo]) -> None:
        """Write where the demo stands, whatever is pointed at."""
        if not self._has_words:
            return
        seconds = session.demo.step_seconds
        words = f"{_clock(history.now * seconds)} / {_clock(history.last * seconds)}"
        picture = self.fonts.render(words, 13, palette.TEXT if history.at_tip else palette.ACCENT)
        surface.blit(picture, picture.get_rect(midleft=(self._words_left(), self.place[1] + self.place[3] // 2 + 1)))

    def _draw_line(self, surface: pygame.Surface, session: Session, history: History[Demo]) -> None:
        bar, ui = self.bar, self.fonts.ui_scale
        if bar.width < 20:
            return
        round_off = bar.height // 2
        pygame.draw.rect(surface, palette.PANEL_RAISED, bar, border_radius=round_off)
        if history.reached < history.last:  # of a recording, how far it has been played through
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

    def _draw_pointed(self, surface: pygame.Surface, session: Session, history: History[Demo]) -> None:
        """Mark the step that is pointed at, and write beside it, on the line, which it is: a plate over the line would lie on the scene."""
        step, bar, ui = self._pointed_step(history), self.bar, self.fonts.ui_scale
        if step is None or bar.width < 20:
            return
        at, gap = self.x_of(min(step, history.last), history), round(6 * ui)
        pygame.draw.line(surface, palette.ACCENT, (at, bar.top - round(5 * ui)), (at, bar.bottom + round(5 * ui)), max(1, round(ui)))
        for told in (f"{_clock(step * session.demo.step_seconds)}, step {step}", f"step {step}", str(step)):
            words = self.fonts.render(told, 12, palette.ACCENT, True)
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
