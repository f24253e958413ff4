"""A question over the view: some answers to choose from, a line to type in where a name is asked for. Nothing else happens meanwhile.

+---------------------------------------+
| Save which moment?                    |
| 500 steps have gone by.               |
| [ workbench.json|                   ] |      where something is to be typed
| [ 1  As you built it, step 0        ] |      Enter, a number, a click
| [ 2  This moment, 8.33 s, step 500  ] |
| Esc: nothing is done                  |
+---------------------------------------+
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import pygame

from engine.app.panels.dock import Dock
from engine.render import palette
from engine.render.camera import Place
from engine.render.palette import mix

if TYPE_CHECKING:
    from engine.app.session import Session

__all__ = ["Answer", "AskingDock", "Question"]

_WIDTH = 440.0
_PAD, _ROW, _GAP = 14.0, 28.0, 5.0
"""Design pixels: the plate's margin, a button's height, the space between them."""
_TITLE, _TEXT, _SMALL = 15.0, 13.0, 11.5
_MAX_TYPED = 200
_USERS = (pygame.KEYDOWN, pygame.MOUSEBUTTONDOWN, pygame.MOUSEWHEEL, pygame.DROPFILE, pygame.TEXTINPUT)
"""Events that are kept from all others while something is asked; releases are not."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Words of a button, and what is done: it is given what was typed, "" where nothing could be."""

    words: str
    action: Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Question:
    """A title, a sentence or two under it (may be empty), and at least one answer; Enter takes the one that is marked, at first the first.

    `typed` is what the line to type in shows at first, and the first key replaces; None without such a line.
    """

    title: str
    words: str
    answers: tuple[Answer, ...]
    typed: str | None = None


class AskingDock(Dock):
    """Asks one question at a time, in the middle of the `view`. The demo stands still meanwhile, and goes on as before after it."""

    side = "over"
    always = True
    title = "Questions"
    keys: ClassVar[tuple[tuple[str, str], ...]] = ()

    def __init__(self, view: Callable[[], Place]) -> None:
        self._view = view
        self._question: Question | None = None
        self._is_fresh = False
        self._marked = 0
        self._session: Session | None = None
        self._was_paused = False
        self._pointer: tuple[int, int] | None = None
        self._buttons: list[pygame.Rect] = []

    @property
    def question(self) -> Question | None:
        """What is asked now."""
        return self._question

    def ask(self, question: Question, session: Session) -> None:
        """Ask something, in place of what was asked before."""
        self.withdraw()
        self._question, self._session = question, session
        self._is_fresh, self._marked, self._buttons = True, 0, []
        self._was_paused, session.clock.paused = session.clock.paused, True

    def withdraw(self) -> None:
        """Ask no more: nothing is done."""
        session, self._session, self._question = self._session, None, None
        if session is not None:
            session.clock.paused = self._was_paused

    def begin(self, session: Session) -> None:
        self.withdraw()

    def handle(self, event: pygame.event.Event, session: Session) -> bool:
        question = self._question
        if question is None:
            return False
        if event.type == pygame.MOUSEMOTION:
            self._pointer = event.pos
        elif event.type == pygame.KEYDOWN:
            self._key(event, question)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            hit = next((k for k, rect in enumerate(self._buttons) if rect.collidepoint(event.pos)), None)
            if hit is not None:
                self._take(question, hit)
        return event.type in _USERS

    def draw(self, surface: pygame.Surface, session: Session) -> None:
        if self._question is not None:
            self._paint(surface, self._question, surface.get_size(), pygame.Rect(self._view()).center)

    # Inside

    def _key(self, event: pygame.event.Event, question: Question) -> None:
        n = len(question.answers)
        control = event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META)
        if event.key == pygame.K_ESCAPE:
            self.withdraw()
        elif event.key in (pygame.K_RETURN, pygame.K_KP_ENTER):
            self._take(question, self._marked)
        elif event.key in (pygame.K_DOWN, pygame.K_TAB, pygame.K_UP):
            is_back = event.key == pygame.K_UP or event.mod & pygame.KMOD_SHIFT
            self._marked = (self._marked + (-1 if is_back else 1)) % n
        elif question.typed is not None:
            self._type(event, question, question.typed)
        elif event.unicode.isdecimal() and not control and 1 <= int(event.unicode) <= n:
            self._take(question, int(event.unicode) - 1)

    def _type(self, event: pygame.event.Event, question: Question, typed: str) -> None:
        if event.key in (pygame.K_BACKSPACE, pygame.K_DELETE):
            text = "" if self._is_fresh or event.mod & pygame.KMOD_CTRL else typed[:-1]
        elif event.key in (pygame.K_LEFT, pygame.K_RIGHT, pygame.K_END):  # what it shows is only added to
            text = typed
        elif event.unicode and event.unicode.isprintable() and not event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META):
            text = (("" if self._is_fresh else typed) + event.unicode)[:_MAX_TYPED]
        else:
            return
        self._is_fresh, self._question = False, replace(question, typed=text)

    def _take(self, question: Question, k: int) -> None:
        self.withdraw()
        question.answers[k].action((question.typed or "").strip())

    def _paint(self, surface: pygame.Surface, question: Question, size: tuple[int, int], at: tuple[int, int]) -> None:
        fonts, ui = self.fonts, self.fonts.ui_scale
        pad, row, gap = round(_PAD * ui), round(_ROW * ui), round(_GAP * ui)
        width = min(round(_WIDTH * ui), size[0] - 2 * gap)
        inner = max(width - 2 * pad, 1)
        lines = [fonts.render(line, _TITLE, palette.TEXT, True) for line in fonts.wrapped(question.title, _TITLE, inner, True)]
        if question.words:
            lines += [fonts.render(line, _TEXT, palette.CAPTION) for line in fonts.wrapped(question.words, _TEXT, inner)]
        foot = fonts.render(fonts.shortened("Enter chooses the highlighted entry; Esc cancels.", _SMALL, inner), _SMALL, palette.CAPTION)
        n_rows = len(question.answers) + (question.typed is not None)
        height = 2 * pad + sum(line.get_height() for line in lines) + 2 * gap + n_rows * (row + gap) + foot.get_height()
        plate = pygame.Rect(0, 0, width, height)
        plate.center = at
        plate.clamp_ip(pygame.Rect((0, 0), size))
        pygame.draw.rect(surface, palette.PANEL, plate, border_radius=round(8 * ui))
        pygame.draw.rect(surface, palette.ACCENT, plate, max(1, round(ui)), border_radius=round(8 * ui))
        left, top = plate.left + pad, plate.top + pad
        for line in lines:
            surface.blit(line, (left, top))
            top += line.get_height()
        top += gap
        if question.typed is not None:
            self._paint_field(surface, pygame.Rect(left, top, inner, row), question.typed)
            top += row + gap
        self._buttons = []
        for k, answer in enumerate(question.answers):
            rect = pygame.Rect(left, top, inner, row)
            is_under = self._pointer is not None and rect.collidepoint(self._pointer)
            ground = mix(palette.PANEL, palette.ACCENT, 0.42) if k == self._marked else palette.PANEL_RAISED
            pygame.draw.rect(surface, mix(ground, palette.TEXT, 0.12) if is_under else ground, rect, border_radius=round(5 * ui))
            number = "" if question.typed is not None else f"{k + 1}   "
            words = fonts.render(fonts.shortened(f"{number}{answer.words}", _TEXT, max(inner - 2 * gap, 1)), _TEXT, palette.TEXT)
            surface.blit(words, words.get_rect(midleft=(rect.left + 2 * gap, rect.centery)))
            self._buttons.append(rect)
            top += row + gap
        surface.blit(foot, (left, top + gap))

    def _paint_field(self, surface: pygame.Surface, rect: pygame.Rect, typed: str) -> None:
        ui, fonts = self.fonts.ui_scale, self.fonts
        pygame.draw.rect(surface, palette.BACKGROUND, rect, border_radius=round(4 * ui))
        pygame.draw.rect(surface, palette.ACCENT, rect, max(1, round(ui)), border_radius=round(4 * ui))
        room, inset = rect.width - round(18 * ui), round(8 * ui)
        shown = typed
        while shown and fonts.width(shown, _TEXT) > room:  # its end is what is typed at
            shown = shown[1:]
        picture = fonts.render(shown, _TEXT, palette.TEXT)
        at = picture.get_rect(midleft=(rect.left + inset, rect.centery))
        if self._is_fresh and shown:
            pygame.draw.rect(surface, mix(palette.PANEL, palette.ACCENT, 0.42), at.inflate(round(4 * ui), 0))
        surface.blit(picture, at)
        pygame.draw.line(surface, palette.TEXT, (at.right + 1, at.top), (at.right + 1, at.bottom), max(1, round(ui)))
