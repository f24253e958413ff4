"""What the panel says of motion: which solver drives the scene, with its settings; which others run beside it; how all of them do.

A list of solvers is folded to the one that is chosen; a press unfolds it in the column, and choosing folds it again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import NamedTuple

import pygame
import pygame_gui
from pygame_gui.elements import UIButton

from engine.app.motion_judge import MotionJudge
from engine.app.parameter_rows import ParameterRows
from engine.app.second_picture import figure_words, title_of
from engine.app.session import MAX_BESIDE, Session
from engine.app.solver_settings import OF_WORLD, changed_setting, setting_parameters, setting_values
from engine.app.widgets import ScrollPanel, mark
from engine.render import palette
from engine.render.differences import length_words
from engine.render.fonts import FontBook
from engine.sim.actions import ChangeWorld
from engine.sim.comparison import Comparison
from engine.sim.parameters import Parameter
from engine.world import WorldSettings, load_solver, solvers

__all__ = ["MotionPanel", "Wish", "next_beside", "next_solver"]

_NONE = "none"
_FOLDED, _UNFOLDED = "˅", "˄"
_ROW = 22
_LINE = 17
"""Design pixels."""
_ASK, _AT_WORK = "Why do they differ?", "analyzing…"
_DEFAULTS = "Defaults"
_START, _HERE = "the start", "here"


class Wish(NamedTuple):
    """A choice that was made: of "solver", "beside" (the world at a place), "since", "lane", "none" beside, and what was chosen."""

    what: str
    value: str
    at: int = 0

    @property
    def solver(self) -> str:
        """The solver that it needs; empty for none."""
        return self.value if self.what in ("solver", "beside") else ""


class MotionPanel:
    """Its part of the panel's column; `before` is the one before it, of the same session, whose choices of what is shown it keeps."""

    def __init__(self, column: ScrollPanel, fonts: FontBook, session: Session, before: MotionPanel | None = None) -> None:
        self._column, self._fonts, self._session = column, fonts, session
        self.judge: MotionJudge = before.judge if before is not None else MotionJudge()
        self._unfolded: str = before._unfolded if before is not None else ""
        """The list that is unfolded: "solver", "beside 0", ..."""
        self._of: int = min(before._of, len(session.besides)) if before is not None else 0
        """Whose settings and distances are shown: the demo's, or those of one beside it, from 1."""
        self._rows = ParameterRows(column, fonts, self._value)
        self._dragged = ""
        """The setting that has been changed by the thumb that is held."""
        self._presses: dict[UIButton, Callable[[], object]] = {}
        self._choices: dict[UIButton, Wish] = {}
        self._pressed: Wish | None = None
        self._ask: UIButton | None = None
        self._shown = self._state()
        self._table_at: int | None = None
        self._figures_at: int | None = None
        self._names_at: list[tuple[int, int]] = []
        """Where the colors of the worlds beside stand, and whose each is."""

    # -- building -----------------------------------------------------------------------------------------------------

    def build(self, top: int) -> int:
        """Add the rows under `top`; return the y under them."""
        column, session = self._column, self._session
        top = column.add_text(top, "MOTION", 11.0, palette.CAPTION, bold=True) + column.px(1)
        top = self._list(top, "solver", "solver", session.demo.sim.solvers[0], Wish("solver", ""))
        for k, beside in enumerate(session.besides):
            top = self._list(top, "beside it" if not k else "", f"beside {k}", beside.solver, Wish("beside", "", k))
        n = len(session.besides)
        if n < MAX_BESIDE:
            top = self._list(top, "beside it" if not n else "", f"beside {n}", "", Wish("beside", "", n))
        if n:
            top = self._choice(top, "drawn", {"over it": Wish("lane", ""), "in lanes": Wish("lane", "lane")})
            top = self._choice(top, "from", {_START: Wish("since", ""), _HERE: Wish("since", "here")})
        if n:
            self._table_at = top
            top = column.reserve(top, column.px((n + 1) * 2 * _LINE + 4))
        top = self._settings(top)
        if not n:
            return top
        self._figures_at = top
        top = column.reserve(top, column.px(len(_FIGURES) * _LINE + 2))
        self._ask = column.add_button((column.left, top, column.width, column.px(_ROW)), _ASK)
        top += column.px(_ROW + 3)
        for sentence in self.judge.told:
            top = column.add_text(top, sentence, 11.0, palette.CAPTION)
        return top

    @property
    def _indent(self) -> int:
        """Pixels that captions take beside their rows."""
        return self._fonts.width("beside it", 12.5) + self._column.px(8)

    def _list(self, top: int, caption: str, name: str, chosen: str, wish: Wish) -> int:
        """Add a list of solvers, folded or not; one of what runs beside has a button that takes it away."""
        column, row = self._column, self._column.px(_ROW)
        column.add_text(top + column.px(2), caption, 12.5, palette.TEXT)
        left, is_open = column.left + self._indent, self._unfolded == name
        is_another = wish.what == "beside" and bool(chosen)
        if is_another:
            self._names_at.append((top + row // 2, wish.at))
            left += column.px(14)
        wide = column.left + column.width - left - (row + column.px(4) if is_another else 0)
        title = load_solver(chosen).capabilities.title if chosen else _NONE if not self._session.besides else "another"
        arrow = f"  {_UNFOLDED if is_open else _FOLDED}"
        words = self._fonts.shortened(title, 13.0, wide - self._fonts.width(arrow, 13.0) - column.px(10)) + arrow
        self._presses[column.add_button((left, top, max(wide, 1), row), words)] = partial(self._unfold, "" if is_open else name)
        if is_another:
            self._choices[column.add_button((column.left + column.width - row, top, row, row), "×")] = wish
        top += row + column.px(3)
        if is_open:
            titles = {one: load_solver(one).capabilities.title for one in solvers()}
            buttons, top = column.add_choices(top, tuple(titles.values()), row)
            self._choices.update((button, wish._replace(value=one)) for button, one in zip(buttons, titles, strict=True))
        return top

    def _choice(self, top: int, caption: str, wishes: dict[str, Wish]) -> int:
        column = self._column
        column.add_text(top + column.px(2), caption, 12.5, palette.TEXT)
        buttons, top = column.add_choices(top, tuple(wishes), column.px(_ROW), self._indent)
        self._choices.update(zip(buttons, wishes.values(), strict=True))
        return top

    def _settings(self, top: int) -> int:
        """Add the settings of the solver that is looked at; where several run, a choice of whose."""
        column, session = self._column, self._session
        if session.besides:
            top = column.add_text(top, "settings of", 12.5, palette.TEXT)
            words = tuple(_titles(session))
            buttons, top = column.add_choices(
                top, tuple(self._fonts.shortened(one, 13.0, column.width - column.px(14)) for one in words), column.px(_ROW)
            )
            for k, button in enumerate(buttons):
                self._presses[button] = partial(self._look_at, k)
                if k == self._of:
                    mark(button, True)
        parameters = self._parameters
        for parameter in parameters:
            top = self._rows.add(top, parameter)
        button = column.add_button((column.left, top, column.width, column.px(_ROW)), _DEFAULTS)
        self._presses[button] = self._set_defaults
        return top + column.px(_ROW + 5)

    # -- what is done -------------------------------------------------------------------------------------------------

    def handle(self, event: pygame.event.Event) -> None:
        """Take in what is pressed or moved: choices are kept for `take`, settings for `apply`."""
        self._rows.handle(event)
        if event.type != pygame_gui.UI_BUTTON_PRESSED:
            return
        if event.ui_element is self._ask and self._beside is not None:
            self.judge.ask(self._beside)
        elif event.ui_element in self._presses:
            self._presses[event.ui_element]()
        elif event.ui_element in self._choices:
            wish = self._choices[event.ui_element]
            if wish.what != "lane":
                self.judge = MotionJudge()  # of other worlds
                self._unfolded = ""
            self._pressed = wish

    def take(self) -> Wish | None:
        """Return the choice that was made since the last call, where it is another than what is."""
        wish, self._pressed = self._pressed, None
        return wish if wish is not None and (wish == Wish("since", "here") or not self._is_so(wish)) else None

    def apply(self) -> None:
        """Give the solvers the settings that were moved since the last frame."""
        parameters, dragged = {one.name: one for one in self._parameters}, self._rows.dragged
        moved = self._rows.take()
        for name, value in moved.items():
            is_same_move = name == self._dragged
            if name.startswith(OF_WORLD):
                self._set_of_world(name.removeprefix(OF_WORLD), value, is_same_move)
            else:
                self._set_solver(changed_setting(parameters[name], value, dict(self._world_settings.solver_settings)), is_same_move)
        if dragged in moved or not (dragged or moved):  # what is moved last comes when the thumb is held no more
            self._dragged = dragged

    def refresh(self) -> None:
        """Mark what is chosen, and say whether the referee of motion is at work."""
        wanted = _AT_WORK if self.judge.is_at_work else _ASK
        if self._ask is not None and self._ask.text != wanted:
            self._ask.set_text(wanted)
        if not self.is_outdated:
            self._rows.refresh()
        for button, wish in self._choices.items():
            can_be_so = wish.value or wish.what in ("lane", "since")
            if can_be_so and (is_so := self._is_so(wish)) != button.is_selected:
                mark(button, is_so)

    @property
    def is_outdated(self) -> bool:
        """Whether it has to be made anew: other solvers run now, a list was unfolded, or the referee of motion has answered."""
        return self._state() != self._shown

    def _state(self) -> Hashable:
        """Return all on which its widgets depend."""
        session = self._session
        return (
            session.demo.sim.solvers,
            tuple((id(one), one.solver) for one in session.besides),
            self._unfolded,
            self._of,
            self.judge.n_told,
        )

    def _unfold(self, name: str) -> None:
        self._unfolded = name

    def _look_at(self, k: int) -> None:
        self._of = k

    def _is_so(self, wish: Wish) -> bool:
        """Return True if what a choice asks for is so already."""
        session = self._session
        if wish.what == "solver":
            return session.demo.sim.solvers == (wish.value,)
        if wish.what == "lane":
            return session.wants_lane == bool(wish.value)
        if wish.what == "since":
            return (session.since is not None) == bool(wish.value)
        running = session.besides[wish.at].solver if wish.at < len(session.besides) else ""
        return wish.what == "beside" and running == wish.value

    # -- settings -----------------------------------------------------------------------------------------------------

    @property
    def _beside(self) -> Comparison | None:
        """The world beside whose settings and distances are shown: that which is chosen, or the first."""
        besides = self._session.besides
        return besides[max(self._of, 1) - 1] if besides else None

    @property
    def _solver(self) -> str:
        """What drives the world whose settings are shown."""
        besides = self._session.besides
        return besides[self._of - 1].solver if 0 < self._of <= len(besides) else self._session.demo.sim.solvers[0]

    @property
    def _parameters(self) -> tuple[Parameter, ...]:
        """The settings that are shown: of the demo's own world, all but those for which the demo has a slider."""
        own = () if self._of else tuple(OF_WORLD + parameter.setting for parameter in self._session.demo.parameters if parameter.setting)
        return tuple(one for one in setting_parameters(self._solver) if one.name not in own)

    @property
    def _world_settings(self) -> WorldSettings:
        besides = self._session.besides
        demo = besides[self._of - 1].demo if 0 < self._of <= len(besides) else self._session.demo
        return demo.stages[0].world.settings if demo.stages else WorldSettings()

    def _value(self, name: str) -> float:
        return setting_values(self._solver, self._world_settings).get(name, 0.0)

    def _set_solver(self, settings: dict[str, float | str], is_same_move: bool = False) -> None:
        if self._of and self._beside is not None:
            self._beside.set_solver(self._solver, settings)
        else:
            self._session.set_solver(self._solver, settings, is_same_move)

    def _set_of_world(self, field: str, value: float, is_same_move: bool = False) -> None:
        """Change a setting of all worlds of the demo that is looked at; undo takes all of it back at once."""
        number = bool(value) if isinstance(getattr(WorldSettings(), field), bool) else round(value)
        for k in range(len(self._session.demo.stages)):
            change = ChangeWorld(k, {field: number}, continues=is_same_move or k > 0)
            if self._of and self._beside is not None:
                self._beside.act(change)
            else:
                self._session.timeline.guarded(partial(self._session.act, change))

    def _set_defaults(self) -> None:
        now = setting_values(self._solver, self._world_settings)
        for one in self._parameters:
            if one.name.startswith(OF_WORLD) and now[one.name] != one.default:
                self._set_of_world(one.name.removeprefix(OF_WORLD), one.default)
        if self._world_settings.solver_settings:
            self._set_solver({})

    # -- drawing ------------------------------------------------------------------------------------------------------

    def shows(self) -> Hashable:
        """Return all that `draw` draws and that changes by itself."""
        beside = self._beside
        far = None if beside is None else (beside.now, len(beside.distances), beside.is_caught_up)
        return far, self._session.figures, self._rows.shows()

    def draw(self, surface: pygame.Surface) -> None:
        """Draw values, colors and figures."""
        column, fonts, session = self._column, self._fonts, self._session
        self._rows.draw(surface)
        for top, k in self._names_at:
            size = column.px(10)
            place = pygame.Rect(column.left + self._indent, column.shifted(top) - size // 2, size, size)
            pygame.draw.rect(surface, palette.BESIDES[k], place)
        if self._table_at is not None:
            self._draw_table(surface, self._table_at)
        beside = self._beside
        if self._figures_at is None or beside is None:
            return
        for k, (name, words) in enumerate(_FIGURES):
            top = column.shifted(self._figures_at) + column.px(k * _LINE)
            self._draw_pair(surface, top, fonts.render(name, 12.0, palette.CAPTION), words(beside))
        assert session.besides

    def _draw_table(self, surface: pygame.Surface, top: int) -> None:
        """Draw two lines for each world: its name, what a step of it takes; energy, deepest overlap, what stands."""
        column, fonts = self._column, self._fonts
        colors = (palette.TEXT, *palette.BESIDES)
        for k, (title, figures) in enumerate(zip(_titles(self._session), self._session.figures, strict=False)):
            at, time = column.shifted(top) + column.px(2 * k * _LINE), f"{figures.ms:.2f} ms"
            room = max(column.width - fonts.width(time, 12.0) - column.px(6), 1)
            self._draw_pair(surface, at, fonts.render(fonts.shortened(title, 12.0, room, True), 12.0, colors[k], True), time)
            words = fonts.render(fonts.shortened(figure_words(figures), 12.0, column.width), 12.0, palette.TEXT)
            surface.blit(words, (column.left, at + column.px(_LINE - 1)))

    def _draw_pair(self, surface: pygame.Surface, top: int, caption: pygame.Surface, words: str) -> None:
        """Draw a caption at the left, and words at the right of the column."""
        column, fonts = self._column, self._fonts
        surface.blit(caption, (column.left, top))
        room = max(column.width - caption.get_width() - column.px(6), 1)
        figure = fonts.render(fonts.shortened(words, 12.0, room), 12.0, palette.TEXT)
        surface.blit(figure, figure.get_rect(topright=(column.left + column.width, top)))


def _titles(session: Session) -> list[str]:
    """Return the names of all that drive a demo and those beside it; one that is there twice is numbered."""
    names = [session.demo.sim.solver_title, *(title_of(one) for one in session.besides)]
    return [f"{name} {names[: k + 1].count(name)}" if names.count(name) > 1 else name for k, name in enumerate(names)]


def next_solver(session: Session) -> Wish | None:
    """Return the choice of the solver after the one that drives a session; None of a demo without a world."""
    return Wish("solver", _after(session.demo.sim.solvers[0])) if session.demo.stages else None


def next_beside(session: Session) -> tuple[Wish, ...]:
    """Return the choices that lead on: from nothing beside to another solver over it, from there to lanes, from there to nothing."""
    if not session.demo.stages:
        return ()
    if not session.besides:
        return Wish("lane", ""), Wish("beside", _after(session.demo.sim.solvers[0]))
    return (Wish("none", ""),) if session.wants_lane else (Wish("lane", "lane"),)


def _after(solver: str) -> str:
    names = solvers()
    return names[(names.index(solver) + 1) % len(names)]


def _apart_now(beside: Comparison) -> str:
    apart = beside.distances.at(beside.now) if beside.is_caught_up else None
    return "" if apart is None else f"{length_words(apart.meters)}, {beside.name(apart.stage, apart.body)}"


def _farthest(beside: Comparison) -> str:
    worst = beside.distances.worst
    return "" if worst is None else f"{length_words(worst.meters)} at step {worst.step:,}"


def _parted(beside: Comparison) -> str:
    parted = beside.distances.parted
    return "not yet" if parted is None else f"step {parted.step:,}, {beside.name(parted.stage, parted.body)}"


_FIGURES: tuple[tuple[str, Callable[[Comparison], str]], ...] = (
    ("difference now", _apart_now),
    ("farthest", _farthest),
    ("first difference", _parted),
)
"""Captions and figures of a world beside."""
