"""A question over the view: some answers to choose from, a line to type in where a name is wanted. Nothing else happens meanwhile.

+---------------------------------------+
| Save which moment?                    |
| 500 steps have gone by.               |
| [ workbench.json|                   ] |      where something is to be typed
| [ 1  As you built it, step 0        ] |      Enter, a number, a click
| [ 2  This moment, 8.33 s, step 500  ] |
+---------------------------------------+
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import pygame

from engine.app.panels.dock import Dock
from engine.render import palette
from engine.render.camera import Place
from engine.ui.form import Form
from engine.ui.rows import Button, Buttons, Note, Row, Text
from engine.ui.ui import Ui

if TYPE_CHECKING:
    from engine.app.session import Session

__all__ = ["Answer", "AskingDock", "Question"]

_WIDTH = 440.0
_USERS = (pygame.KEYDOWN, pygame.MOUSEBUTTONDOWN, pygame.MOUSEWHEEL, pygame.DROPFILE, pygame.TEXTINPUT)
"""Events that are kept from all others while there is a question; releases are not."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Words of a button, and what it does with the text that was typed, "" where nothing could be."""

    words: str
    action: Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Question:
    """A title, a sentence or two under it (may be empty), and at least one answer; Enter takes the focused one, at first the first.

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

    def __init__(self, view: Callable[[], Place], ui: Ui) -> None:
        self._view, self._ui, self._plate = view, ui, Form(ui)
        self._question: Question | None = None
        self._session: Session | None = None
        self._was_paused = False

    @property
    def question(self) -> Question | None:
        """The question that is shown."""
        return self._question

    def ask(self, question: Question, session: Session) -> None:
        """Ask a question, in place of the one before."""
        self.withdraw()
        self._question, self._session = question, session
        self._was_paused, session.clock.paused = session.clock.paused, True
        self._ui.open(self._plate)
        self._lay_out(question, self._view()[2:])
        self._ui.go(1)

    def withdraw(self) -> None:
        """Take the question away: nothing is done."""
        session, self._session, self._question = self._session, None, None
        self._ui.close(self._plate)
        if session is not None:
            session.clock.paused = self._was_paused

    def begin(self, session: Session) -> None:
        self.withdraw()

    def handle(self, event: pygame.event.Event, session: Session) -> bool:
        question = self._question
        if question is None:
            return False
        if event.type == pygame.KEYDOWN:
            self._key(event, question)
        else:
            self._plate.handle(event)
        return event.type in _USERS

    def draw(self, surface: pygame.Surface, session: Session) -> None:
        if self._question is not None:
            self._plate.show()
            self._lay_out(self._question, surface.get_size())
            self._plate.draw_plate(surface)

    # Inside

    def _lay_out(self, question: Question, size: tuple[int, int]) -> None:
        width = min(self._ui.px(_WIDTH), size[0] - self._ui.px(10))
        self._plate.lay_plate(self._rows_of(question), pygame.Rect((0, 0), size), width, pygame.Rect(self._view()).center)

    def _rows_of(self, question: Question) -> list[Row]:
        rows: list[Row] = [Note(question.title, 15.0, palette.TEXT, bold=True)]
        if question.words:
            rows.append(Note(question.words, 13.0))
        if question.typed is not None:
            rows.append(Text("", question.typed, self._type, is_live=True, enter=partial(self._take, 0)))
        numbered = (f"{k + 1}   {answer.words}" if question.typed is None else answer.words for k, answer in enumerate(question.answers))
        buttons = tuple(Button(words, partial(self._take, k)) for k, words in enumerate(numbered))
        return [*rows, Buttons(buttons, columns=1, height=28.0, is_list=True), Note("Enter chooses the highlighted entry; Esc cancels.")]

    def _key(self, event: pygame.event.Event, question: Question) -> None:
        if event.key == pygame.K_ESCAPE:
            self.withdraw()
        elif self._ui.handle_key(event):
            return
        elif event.unicode.isdecimal() and not event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META):
            if 1 <= int(event.unicode) <= len(question.answers):
                self._take(int(event.unicode) - 1)

    def _type(self, typed: str) -> None:
        if self._question is not None:
            self._question = replace(self._question, typed=typed)

    def _take(self, k: int) -> None:
        question = self._question
        self.withdraw()
        if question is not None:
            question.answers[k].action((question.typed or "").strip())
