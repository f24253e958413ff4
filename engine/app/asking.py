"""A question over the view, with answers to choose from and an optional text field. Everything else waits until it is answered.

+---------------------------------------+
| Save which moment?                    |
| 500 steps have gone by.               |
| [ workbench.json|                   ] |      optional text field
| [ 1  As you built it, step 0        ] |      Enter, a number, a click
| [ 2  This moment, 8.33 s, step 500  ] |
+---------------------------------------+
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import pygame

from engine.app.overlay import Overlay
from engine.render import palette
from engine.render.camera import Place
from engine.ui.rows import Button, Buttons, Note, Row, Text
from engine.ui.ui import Ui

if TYPE_CHECKING:
    from engine.app.session import Session

__all__ = ["Answer", "Asking", "Question"]

_WIDTH = 440.0


@dataclass(frozen=True, slots=True)
class Answer:
    """The label of a button, and its action, which is called with the typed text ("" without a text field)."""

    words: str
    action: Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Question:
    """A title, an optional explanation, and at least one answer. Enter chooses the focused answer, initially the first.

    `typed` is the initial text of the text field, replaced by the first key; None for no text field.
    """

    title: str
    words: str
    answers: tuple[Answer, ...]
    typed: str | None = None


class Asking(Overlay):
    """Asks one question at a time, in the middle of the `view`; `size` is that of the window, both in pixels."""

    def __init__(self, ui: Ui, size: Callable[[], tuple[int, int]], view: Callable[[], Place]) -> None:
        super().__init__(ui)
        self._size, self._view = size, view
        self._question: Question | None = None

    @property
    def question(self) -> Question | None:
        """The current question, or None."""
        return self._question if self.is_open else None

    def ask(self, question: Question, session: Session) -> None:
        """Show a question, replacing the current one."""
        self._question = question
        self.show(session)
        self.form.ui.go(1)

    def lay_out(self) -> None:
        px, room = self.form.ui.px, pygame.Rect((0, 0), self._size())
        if self._question is not None:
            self.form.lay_plate(self._rows_of(self._question), room, min(px(_WIDTH), room.width - px(10)), pygame.Rect(self._view()).center)

    def click_outside(self) -> None:
        return

    def take_key(self, event: pygame.event.Event) -> bool:
        question, is_plain = self._question, not event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META)
        is_number = event.unicode.isdecimal() and is_plain and self.form.ui.typing is None
        if question is not None and is_number and 1 <= int(event.unicode) <= len(question.answers):
            self._take(int(event.unicode) - 1)
            return True
        return super().take_key(event)

    def _rows_of(self, question: Question) -> list[Row]:
        rows: list[Row] = [Note(question.title, 15.0, palette.TEXT, bold=True)]
        if question.words:
            rows.append(Note(question.words, 13.0))
        if question.typed is not None:
            rows.append(Text("", question.typed, self._type, is_live=True, enter=partial(self._take, 0)))
        numbered = (f"{k + 1}   {answer.words}" if question.typed is None else answer.words for k, answer in enumerate(question.answers))
        buttons = tuple(Button(words, partial(self._take, k)) for k, words in enumerate(numbered))
        return [*rows, Buttons(buttons, columns=1, height=28.0, is_list=True), Note("Enter chooses the highlighted entry; Esc cancels.")]

    def _type(self, typed: str) -> None:
        if self._question is not None:
            self._question = replace(self._question, typed=typed)

    def _take(self, k: int) -> None:
        question = self._question
        self.close()
        if question is not None:
            question.answers[k].action((question.typed or "").strip())
