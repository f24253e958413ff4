"""What the panel says of motion: which solver drives the scene, which one beside that drives it too, and how far they are apart."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple

import pygame
from pygame_gui.elements import UIButton

from engine.app.motion_judge import MotionJudge
from engine.app.widgets import ScrollPanel, mark
from engine.demo.beside import Beside
from engine.demo.session import Session
from engine.render import palette
from engine.render.differences import length_words
from engine.render.fonts import FontBook
from engine.world import load_solver, solvers

__all__ = ["MotionPanel", "Wish", "next_beside", "next_solver", "next_words"]

_NONE = "none"
_ANEW = "Another solver begins anew, with what you built."
_ROW = 22
_LINE = 17
"""Design pixels."""
_ASK, _AT_WORK = "Why are they apart?", "being judged…"


class Wish(NamedTuple):
    """A choice that was made: of "solver", "beside" or "lane", and what was chosen."""

    what: str
    value: str


class MotionPanel:
    """Its part of the panel's column: rows of buttons, and figures under them where two worlds run."""

    def __init__(self, column: ScrollPanel, fonts: FontBook, session: Session, judge: MotionJudge) -> None:
        self._column, self._fonts, self._session = column, fonts, session
        self.judge = judge
        self._choices: dict[UIButton, Wish] = {}
        self._pressed: Wish | None = None
        self._ask: UIButton | None = None
        self._beside, self._n_told = session.beside, judge.n_told
        self._figures_at: int | None = None

    def build(self, top: int) -> int:
        """Add the rows under `top`; return the y under them."""
        column, names = self._column, solvers()
        titles = {name: load_solver(name).capabilities.title for name in names}
        top = column.add_text(top, "MOTION", 11.0, palette.CAPTION, bold=True) + column.px(1)
        top = self._row(top, "solver", "solver", titles)
        top = self._row(top, "beside it", "beside", {"": _NONE, **titles})
        if self._session.beside is None:
            return column.add_text(top, _ANEW, 11.0, palette.CAPTION)
        top = self._row(top, "drawn", "lane", {"": "over it", "lane": "in a lane"})
        self._figures_at = top
        top = column.reserve(top, column.px(len(_FIGURES) * _LINE + 2))
        self._ask = column.add_button((column.left, top, column.width, column.px(_ROW)), _ASK)
        top += column.px(_ROW + 3)
        for sentence in self.judge.told:
            top = column.add_text(top, sentence, 11.0, palette.CAPTION)
        return top

    def press(self, button: object) -> None:
        """Note the choice that a button stands for, if it is one of these; or ask why the two are apart."""
        if button is self._ask and self._session.beside is not None:
            self.judge.ask(self._session.beside)
        wish = next((wish for one, wish in self._choices.items() if one is button), None)
        if wish is not None and wish.what != "lane":
            self.judge = MotionJudge()  # of other worlds
        self._pressed = wish if wish is not None else self._pressed

    def take(self) -> Wish | None:
        """Return the choice that was made since the last call, where it is another than what is."""
        wish, self._pressed = self._pressed, None
        return wish if wish is not None and chosen(self._session)[wish.what] != wish.value else None

    def refresh(self) -> None:
        """Mark what is chosen, and say whether the referee of motion is at work."""
        wanted = _AT_WORK if self.judge.is_at_work else _ASK
        if self._ask is not None and self._ask.text != wanted:
            self._ask.set_text(wanted)
        now = chosen(self._session)
        for button, wish in self._choices.items():
            if (now[wish.what] == wish.value) != button.is_selected:
                mark(button, now[wish.what] == wish.value)

    @property
    def is_outdated(self) -> bool:
        """Whether it has to be made anew: something else runs beside now, or the referee of motion has answered."""
        return self._session.beside is not self._beside or self.judge.n_told != self._n_told

    def shows(self) -> Hashable:
        """Return all that `draw` draws and that changes by itself."""
        beside = self._session.beside
        return None if beside is None else (beside.now, len(beside.distances), beside.has_arrived)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the figures."""
        column, fonts, beside = self._column, self._fonts, self._session.beside
        if self._figures_at is None or beside is None:
            return
        right = column.left + column.width
        for k, (name, words) in enumerate(_FIGURES):
            top = column.shifted(self._figures_at) + column.px(k * _LINE)
            caption = fonts.render(name, 12.0, palette.CAPTION)
            surface.blit(caption, (column.left, top))
            room = max(column.width - caption.get_width() - column.px(6), 1)
            figure = fonts.render(fonts.shortened(words(beside), 12.0, room), 12.0, palette.TEXT)
            surface.blit(figure, figure.get_rect(topright=(right, top)))

    def _row(self, top: int, caption: str, what: str, values: dict[str, str]) -> int:
        """Add a row of buttons beside its caption, or under it where there is no room for that."""
        column = self._column
        words, indent = tuple(values.values()), self._fonts.width("beside it", 12.5) + column.px(8)
        if column.choices_width(words) > column.width - indent:
            top, indent = column.add_text(top, caption, 12.5, palette.TEXT), 0
        else:
            column.add_text(top + column.px(2), caption, 12.5, palette.TEXT)
        buttons, top = column.add_choices(top, words, column.px(_ROW), indent)
        self._choices.update(zip(buttons, (Wish(what, value) for value in values), strict=True))
        return top


def chosen(session: Session) -> dict[str, str]:
    """Return what is chosen in a session, by what is chosen of."""
    return {
        "solver": session.demo.run.solvers[0],
        "beside": session.beside.solver if session.beside is not None else "",
        "lane": "lane" if session.wants_lane else "",
    }


def next_solver(session: Session) -> Wish | None:
    """Return the choice of the solver after the one that drives a session; None of a demo without a world."""
    return Wish("solver", _after(session.demo.run.solvers[0])) if session.demo.stages else None


def next_beside(session: Session) -> tuple[Wish, ...]:
    """Return the choices that lead on: from nothing beside to another solver over it, from there to a lane, from there to nothing."""
    if not session.demo.stages:
        return ()
    if session.beside is None:
        return Wish("lane", ""), Wish("beside", _after(session.demo.run.solvers[0]))
    return (Wish("beside", ""),) if session.wants_lane else (Wish("lane", "lane"),)


def next_words(session: Session) -> tuple[str, str]:
    """Return what those two lead to, for people: another solver; what is beside then, and where."""
    after = load_solver(_after(session.demo.run.solvers[0])).capabilities.title
    return after, after if session.beside is None else _NONE if session.wants_lane else "in a lane"


def _after(solver: str) -> str:
    names = solvers()
    return names[(names.index(solver) + 1) % len(names)]


def _apart_now(beside: Beside) -> str:
    apart = beside.distances.at(beside.now) if beside.has_arrived else None
    return "" if apart is None else f"{length_words(apart.metres)}, {beside.name(apart.stage, apart.body)}"


def _farthest(beside: Beside) -> str:
    worst = beside.distances.worst
    return "" if worst is None else f"{length_words(worst.metres)} at step {worst.step:,}"


def _parted(beside: Beside) -> str:
    parted = beside.distances.parted
    return "not yet" if parted is None else f"step {parted.step:,}, {beside.name(parted.stage, parted.body)}"


def _energies(beside: Beside) -> str:
    first, second = beside.energy()
    return f"{first.end:,.4g} J | {second.end:,.4g} J"


_FIGURES: tuple[tuple[str, Callable[[Beside], str]], ...] = (
    ("apart now", _apart_now),
    ("farthest", _farthest),
    ("first apart", _parted),
    ("energy", _energies),
)
"""Captions and figures, where two worlds run."""
