"""The panel's part about motion: the scene's solver with its settings, a second solver to compare it with, and where and why they part.

A folded list of solvers shows only the chosen one; a click unfolds it, and a choice folds it again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import pygame

from engine.app.parameter_rows import parameter_rows
from engine.app.second_picture import figure_words, title_of
from engine.app.session import Session
from engine.app.solver_settings import OF_WORLD, changed_setting, setting_parameters, setting_values
from engine.render import palette
from engine.render.differences import length_words
from engine.render.fonts import FontBook
from engine.render.plot import Curve, TimeAxis, draw_panes
from engine.sim.actions import ChangeWorld
from engine.sim.comparison import Comparison
from engine.sim.parameters import Parameter
from engine.ui.rows import Area, Button, Buttons, Heading, Line, Note, Row
from engine.world import WorldSettings, load_solver, solvers

__all__ = ["MotionPanel", "SolverChoice", "next_beside", "next_solver"]

_NONE = "none"
_FOLDED, _UNFOLDED = "˅", "˄"
_CURVE = 84.0
"""Height of the curve of the distance, design pixels."""


class SolverChoice(NamedTuple):
    """A choice: "solver" of the demo or "beside", the one to compare it with, and its value; "" ends the comparison."""

    what: str
    value: str


class MotionPanel:
    """Rows about the motion of a session; `choose` is called with a choice that differs from the present state."""

    def __init__(self, session: Session, choose: Callable[[SolverChoice], object], fonts: Callable[[], FontBook]) -> None:
        self._session, self._apply, self._fonts = session, choose, fonts
        self._unfolded = ""
        """The unfolded list: "solver" or "beside"."""
        self._axis: TimeAxis | None = None

    def rows(self) -> list[Row]:
        """Return the rows of this frame."""
        session, beside = self._session, self._session.beside
        rows: list[Row] = [Heading("Motion"), *self._list("solver", "solver", session.demo.sim.solvers[0])]
        rows += self._list("compared with", "beside", "" if beside is None else beside.solver)
        if beside is not None:
            rows += self._comparison(beside)
        return rows + self._settings()

    def _list(self, caption: str, what: str, chosen: str) -> list[Row]:
        """Return a list of solvers, folded or unfolded; that of the comparison has a button to end it."""
        is_open = self._unfolded == what
        title = load_solver(chosen).capabilities.title if chosen else _NONE
        is_compared = what == "beside" and bool(chosen)
        buttons = [
            Button(
                f"{title}  {_UNFOLDED if is_open else _FOLDED}",
                partial(self._unfold, "" if is_open else what),
                "Choose the solver that moves the bodies." if what == "solver" else "Choose a solver to run alongside this one.",
                draw=_draw_color if is_compared else None,
            )
        ]
        if is_compared:
            buttons.append(Button("×", partial(self._choose, SolverChoice(what, "")), "Stop this comparison."))
        rows: list[Row] = [Buttons(tuple(buttons), caption=caption)]
        if is_open:
            choices = (SolverChoice(what, solver) for solver in solvers())
            rows.append(Buttons(tuple(self._choice_button(choice) for choice in choices)))
        return rows

    def _choice_button(self, choice: SolverChoice) -> Button:
        words = load_solver(choice.value).capabilities.title
        return Button(words, partial(self._choose, choice), is_on=self._is_current(choice))

    def _comparison(self, beside: Comparison) -> list[Row]:
        """Return the figures of both worlds, the curve of their distance, and where and why they parted."""
        session, rows = self._session, list[Row]()
        titles, colors = (session.demo.sim.solver_title, title_of(beside)), (palette.TEXT, palette.BESIDE)
        for title, color, figures in zip(titles, colors, session.figures, strict=False):
            rows.append(Line(title, f"{figures.ms:.2f} ms", color, bold=True))
            rows.append(Line("", figure_words(figures)))
        run = beside.distances.run(beside.now)
        shows = beside.now, len(beside.distances), run.start, run.parted
        rows.append(
            Area(
                "distance",
                partial(self._draw_curve, beside),
                _CURVE,
                shows,
                drag=self._go_to,
                tip="Largest distance of a body from its counterpart. Click or drag to go to a step.",
            )
        )
        apart, worst, parted = beside.apart, beside.distances.worst(beside.now), run.parted
        if apart is not None:
            rows.append(Line("distance now", f"{length_words(apart.meters)}, {beside.name(apart.stage, apart.body)}"))
        if worst is not None:
            rows.append(Line("farthest", f"{length_words(worst.meters)} at step {worst.step:,}"))
        tip = "Go to the step in which the first body parts from its counterpart; it is marked."
        rows.append(Buttons((Button("First difference", session.go_to_the_parting, tip, is_off=parted is None),), columns=1))
        if parted is None:
            return [*rows, Note("The two worlds have not parted yet.", 12.5, palette.TEXT)]
        why = session.why
        words = f"{beside.name(parted.stage, parted.body)} parts at step {parted.step:,}{'' if why is None else f': {why.evidence}'}."
        return [*rows, Note(words[0].upper() + words[1:], 12.5, palette.TEXT)]

    def _draw_curve(self, beside: Comparison, surface: pygame.Surface, place: pygame.Rect, pointer: tuple[int, int] | None) -> None:
        """Draw the distance over the steps since the last restart, and the step in which the first body parted."""
        run, meters, fonts = beside.distances.run(beside.now), beside.distances.meters, self._fonts()
        last = max(len(meters) - 1, run.start + 1)
        curve = Curve("distance", "mm", 1e3 * meters, 0)
        seconds = self._session.demo.step_seconds
        room = place.left, place.top, place.width, place.height
        self._axis = draw_panes(surface, fonts, room, [curve], (run.start, last), beside.now, seconds)
        if run.parted is not None:
            x = round(self._axis.x(run.parted.step))
            pygame.draw.line(surface, palette.BESIDE, (x, place.top), (x, place.bottom - round(20 * fonts.ui_scale)))

    def _go_to(self, pixel: tuple[int, int]) -> None:
        if self._axis is not None:
            self._session.timeline.seek(self._axis.step(pixel[0]))

    def _settings(self) -> list[Row]:
        """Return the settings of the demo's solver."""
        rows: list[Row] = []
        values = setting_values(self._solver, self._world_settings)
        for parameter in self._parameters:
            rows += parameter_rows(parameter, values[parameter.name], partial(self._set, parameter))
        return [
            *rows,
            Buttons((Button("Defaults", self._set_defaults, "Reset all settings of this solver to their defaults."),), columns=1),
        ]

    # -- actions ------------------------------------------------------------------------------------------------------

    def _choose(self, choice: SolverChoice) -> None:
        self._unfolded = ""
        if not self._is_current(choice):
            self._apply(choice)

    def _unfold(self, name: str) -> None:
        self._unfolded = name

    def _is_current(self, choice: SolverChoice) -> bool:
        """Return True if a choice matches the present state."""
        if choice.what == "solver":
            return self._session.demo.sim.solvers == (choice.value,)
        return choice.value == ("" if self._session.beside is None else self._session.beside.solver)

    # -- settings -----------------------------------------------------------------------------------------------------

    @property
    def _solver(self) -> str:
        return self._session.demo.sim.solvers[0]

    @property
    def _parameters(self) -> tuple[Parameter, ...]:
        """The settings shown, without those that the demo has a slider for."""
        own = tuple(OF_WORLD + parameter.setting for parameter in self._session.demo.parameters if parameter.setting)
        return tuple(setting for setting in setting_parameters(self._solver) if setting.name not in own)

    @property
    def _world_settings(self) -> WorldSettings:
        stages = self._session.demo.stages
        return stages[0].world.settings if stages else WorldSettings()

    def _set(self, parameter: Parameter, value: float, continues: bool) -> None:
        if parameter.name.startswith(OF_WORLD):
            self._set_of_world(parameter.name.removeprefix(OF_WORLD), value, continues)
        else:
            settings = changed_setting(parameter, value, dict(self._world_settings.solver_settings))
            self._session.set_solver(self._solver, settings, continues)

    def _set_of_world(self, field: str, value: float, is_same_move: bool = False) -> None:
        """Change a setting in all worlds of the demo; one undo reverts all of it."""
        number = bool(value) if isinstance(getattr(WorldSettings(), field), bool) else round(value)
        for k in range(len(self._session.demo.stages)):
            change = ChangeWorld(k, {field: number}, continues=is_same_move or k > 0)
            self._session.timeline.guarded(partial(self._session.act, change))

    def _set_defaults(self) -> None:
        now = setting_values(self._solver, self._world_settings)
        for parameter in self._parameters:
            if parameter.name.startswith(OF_WORLD) and now[parameter.name] != parameter.default:
                self._set_of_world(parameter.name.removeprefix(OF_WORLD), parameter.default)
        if self._world_settings.solver_settings:
            self._session.set_solver(self._solver, {})


def _draw_color(surface: pygame.Surface, rect: pygame.Rect) -> None:
    """Draw the color of the comparison."""
    pygame.draw.rect(surface, palette.BESIDE, rect.inflate(-rect.width // 2, -rect.height // 2))


def next_solver(session: Session) -> SolverChoice | None:
    """Return the choice of the next solver after the session's; None without a world."""
    return SolverChoice("solver", _after(session.demo.sim.solvers[0])) if session.demo.stages else None


def next_beside(session: Session) -> SolverChoice | None:
    """Return the choice that begins a comparison, or ends the running one; None without a world."""
    if not session.demo.stages:
        return None
    return SolverChoice("beside", _after(session.demo.sim.solvers[0]) if session.beside is None else "")


def _after(solver: str) -> str:
    names = solvers()
    return names[(names.index(solver) + 1) % len(names)]
