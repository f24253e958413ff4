"""The panel's part about motion: the scene's solver with its settings, the comparison solvers, and their results.

A folded list of solvers shows only the chosen one; a click unfolds it, and a choice folds it again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import pygame

from engine.app.parameter_rows import parameter_rows
from engine.app.second_picture import figure_words, title_of
from engine.app.session import MAX_BESIDE, Session
from engine.app.solver_settings import OF_WORLD, changed_setting, setting_parameters, setting_values
from engine.render import palette
from engine.render.differences import length_words
from engine.sim.actions import ChangeWorld
from engine.sim.comparison import Comparison
from engine.sim.parameters import Parameter
from engine.ui.rows import Button, Buttons, Heading, Line, Note, Row
from engine.world import WorldSettings, load_solver, solvers

__all__ = ["MotionPanel", "SolverChoice", "next_beside", "next_solver"]

_NONE = "none"
_FOLDED, _UNFOLDED = "˅", "˄"
_COMPARED = "compared with"


class SolverChoice(NamedTuple):
    """A choice: its kind ("solver", "beside" with the world's index, "since", "lane", "none") and its value."""

    what: str
    value: str
    at: int = 0

    @property
    def solver(self) -> str:
        """The solver that the choice needs; empty if none."""
        return self.value if self.what in ("solver", "beside") else ""


class MotionPanel:
    """Rows about the motion of a session; `choose` is called with a choice that differs from the present state."""

    def __init__(self, session: Session, choose: Callable[[SolverChoice], object]) -> None:
        self._session, self._apply = session, choose
        self._unfolded = ""
        """The unfolded list: "solver", "beside 0", ..."""
        self._chosen = 0
        """Index of the world whose settings and distances are shown: 0 is the demo's, others are comparisons."""

    def rows(self) -> list[Row]:
        """Return the rows of this frame."""
        session, n = self._session, len(self._session.besides)
        rows: list[Row] = [Heading("Motion"), *self._list("solver", "solver", session.demo.sim.solvers[0], SolverChoice("solver", ""))]
        for k, beside in enumerate(session.besides):
            rows += self._list(_COMPARED if not k else " ", f"beside {k}", beside.solver, SolverChoice("beside", "", k))
        if n < MAX_BESIDE:
            rows += self._list(_COMPARED if not n else " ", f"beside {n}", "", SolverChoice("beside", "", n))
        if n:
            rows.append(self._choice("drawn", {"over it": SolverChoice("lane", ""), "in lanes": SolverChoice("lane", "lane")}))
            rows.append(self._choice("from", {"the start": SolverChoice("since", ""), "here": SolverChoice("since", "here")}))
            rows += self._table()
        rows += self._settings()
        shown = self._beside
        if shown is not None:
            rows += [Line(name, words(shown)) for name, words in _FIGURES]
        return rows

    def _list(self, caption: str, name: str, chosen: str, choice: SolverChoice) -> list[Row]:
        """Return a list of solvers, folded or unfolded; that of a comparison has a button to remove it."""
        is_open = self._unfolded == name
        title = load_solver(chosen).capabilities.title if chosen else _NONE if not self._session.besides else "another"
        unfold = partial(self._unfold, "" if is_open else name)
        is_compared = choice.what == "beside" and bool(chosen)
        buttons = [
            Button(
                f"{title}  {_UNFOLDED if is_open else _FOLDED}",
                unfold,
                "Choose the solver that moves the bodies." if choice.what == "solver" else "Choose a solver to run alongside this one.",
                draw=partial(_draw_color, choice.at) if is_compared else None,
            )
        ]
        if is_compared:
            buttons.append(Button("×", partial(self._choose, choice), "Stop this comparison."))
        rows: list[Row] = [Buttons(tuple(buttons), caption=caption)]
        if is_open:
            titles = ((solver, load_solver(solver).capabilities.title) for solver in solvers())
            rows.append(Buttons(tuple(self._choice_button(words, choice._replace(value=solver)) for solver, words in titles)))
        return rows

    def _choice(self, caption: str, choices: dict[str, SolverChoice]) -> Row:
        return Buttons(tuple(self._choice_button(words, choice) for words, choice in choices.items()), caption=caption)

    def _choice_button(self, words: str, choice: SolverChoice) -> Button:
        return Button(words, partial(self._choose, choice), is_on=self._is_current(choice))

    def _settings(self) -> list[Row]:
        """Return the settings of the chosen world's solver; with several worlds, also the choice of the world."""
        rows: list[Row] = []
        if self._session.besides:
            titles = enumerate(_titles(self._session))
            buttons = (Button(words, partial(self._look_at, k), is_on=k == self._of) for k, words in titles)
            rows += [Note("Settings of", 12.5, palette.TEXT), Buttons(tuple(buttons))]
        values = setting_values(self._solver, self._world_settings)
        for parameter in self._parameters:
            rows += parameter_rows(parameter, values[parameter.name], partial(self._set, parameter))
        return [
            *rows,
            Buttons((Button("Defaults", self._set_defaults, "Reset all settings of this solver to their defaults."),), columns=1),
        ]

    def _table(self) -> list[Row]:
        """Return two rows per world: its name and step time; its standing bodies, deepest overlap and energy."""
        colors, rows = (palette.TEXT, *palette.BESIDES), list[Row]()
        for k, (title, figures) in enumerate(zip(_titles(self._session), self._session.figures, strict=False)):
            rows.append(Line(title, f"{figures.ms:.2f} ms", colors[k], bold=True))
            rows.append(Line("", figure_words(figures)))
        return rows

    # -- actions ------------------------------------------------------------------------------------------------------

    def _choose(self, choice: SolverChoice) -> None:
        if choice.what != "lane":
            self._unfolded = ""
        if choice == SolverChoice("since", "here") or not self._is_current(choice):
            self._apply(choice)

    def _unfold(self, name: str) -> None:
        self._unfolded = name

    def _look_at(self, k: int) -> None:
        self._chosen = k

    def _is_current(self, choice: SolverChoice) -> bool:
        """Return True if a choice matches the present state."""
        session = self._session
        if choice.what == "solver":
            return session.demo.sim.solvers == (choice.value,)
        if choice.what == "lane":
            return session.wants_lane == bool(choice.value)
        if choice.what == "since":
            return (session.since is not None) == bool(choice.value)
        running = session.besides[choice.at].solver if choice.at < len(session.besides) else ""
        return choice.what == "beside" and running == choice.value

    # -- settings -----------------------------------------------------------------------------------------------------

    @property
    def _beside(self) -> Comparison | None:
        """The comparison whose settings and distances are shown: the chosen one, or the first."""
        besides = self._session.besides
        return besides[max(self._of, 1) - 1] if besides else None

    @property
    def _of(self) -> int:
        return min(self._chosen, len(self._session.besides))

    @property
    def _solver(self) -> str:
        """The solver of the world whose settings are shown."""
        besides = self._session.besides
        return besides[self._of - 1].solver if 0 < self._of <= len(besides) else self._session.demo.sim.solvers[0]

    @property
    def _parameters(self) -> tuple[Parameter, ...]:
        """The settings shown; for the demo's own world, without those that the demo has a slider for."""
        own = () if self._of else tuple(OF_WORLD + parameter.setting for parameter in self._session.demo.parameters if parameter.setting)
        return tuple(setting for setting in setting_parameters(self._solver) if setting.name not in own)

    @property
    def _world_settings(self) -> WorldSettings:
        besides = self._session.besides
        demo = besides[self._of - 1].demo if 0 < self._of <= len(besides) else self._session.demo
        return demo.stages[0].world.settings if demo.stages else WorldSettings()

    def _set(self, parameter: Parameter, value: float, continues: bool) -> None:
        if parameter.name.startswith(OF_WORLD):
            self._set_of_world(parameter.name.removeprefix(OF_WORLD), value, continues)
        else:
            self._set_solver(changed_setting(parameter, value, dict(self._world_settings.solver_settings)), continues)

    def _set_solver(self, settings: dict[str, float | str], is_same_move: bool = False) -> None:
        if self._of and self._beside is not None:
            self._beside.set_solver(self._solver, settings)
        else:
            self._session.set_solver(self._solver, settings, is_same_move)

    def _set_of_world(self, field: str, value: float, is_same_move: bool = False) -> None:
        """Change a setting in all worlds of the chosen demo; one undo reverts all of it."""
        number = bool(value) if isinstance(getattr(WorldSettings(), field), bool) else round(value)
        for k in range(len(self._session.demo.stages)):
            change = ChangeWorld(k, {field: number}, continues=is_same_move or k > 0)
            if self._of and self._beside is not None:
                self._beside.act(change)
            else:
                self._session.timeline.guarded(partial(self._session.act, change))

    def _set_defaults(self) -> None:
        now = setting_values(self._solver, self._world_settings)
        for parameter in self._parameters:
            if parameter.name.startswith(OF_WORLD) and now[parameter.name] != parameter.default:
                self._set_of_world(parameter.name.removeprefix(OF_WORLD), parameter.default)
        if self._world_settings.solver_settings:
            self._set_solver({})


def _draw_color(k: int, surface: pygame.Surface, rect: pygame.Rect) -> None:
    """Draw the color of a comparison."""
    pygame.draw.rect(surface, palette.BESIDES[k], rect.inflate(-rect.width // 2, -rect.height // 2))


def _titles(session: Session) -> list[str]:
    """Return the names of the solvers of a demo and its comparisons; repeated ones are numbered."""
    names = [session.demo.sim.solver_title, *(title_of(beside) for beside in session.besides)]
    return [f"{name} {names[: k + 1].count(name)}" if names.count(name) > 1 else name for k, name in enumerate(names)]


def next_solver(session: Session) -> SolverChoice | None:
    """Return the choice of the next solver after the session's; None without a world."""
    return SolverChoice("solver", _after(session.demo.sim.solvers[0])) if session.demo.stages else None


def next_beside(session: Session) -> tuple[SolverChoice, ...]:
    """Return the choices of the next comparison mode: overlay of another solver, lanes, none."""
    if not session.demo.stages:
        return ()
    if not session.besides:
        return SolverChoice("lane", ""), SolverChoice("beside", _after(session.demo.sim.solvers[0]))
    return (SolverChoice("none", ""),) if session.wants_lane else (SolverChoice("lane", "lane"),)


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
"""Captions and figures of a comparison."""
