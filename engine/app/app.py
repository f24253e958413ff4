"""The actions that a user can take in the window by key, button or menu. The rows of `engine.app.commands` call them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import TypeVar

from engine.app.compiling import is_ready, solver_part
from engine.app.files.dropping import Dropper
from engine.app.layout import is_inside
from engine.app.messages import Message
from engine.app.motion_panel import SolverChoice, next_beside, next_solver
from engine.app.navigator import Navigator
from engine.app.network_driver import NetworkDriver
from engine.app.panels.dock import Dock
from engine.app.panels.dock_area import DockArea
from engine.app.panels.files_dock import FilesDock
from engine.app.panels.inspector_dock import InspectorDock
from engine.app.screen import Appearance, Screen
from engine.app.session import Session
from engine.app.stepper_requests import (
    StepperRequest,
    door_of_bodies,
    door_of_body,
    door_of_contact,
    door_of_demo,
    door_of_difference,
    door_of_fixtures,
    door_of_solver,
)
from engine.common.errors import LabError
from engine.common.words import counted
from engine.render import palette
from engine.sim.stage import Stage, stage_under
from engine.world import load_solver

__all__ = ["App"]

Kind = TypeVar("Kind", bound=Dock)
_NOTABLE_WAIT = 1.0
"""Time from which the loading of a solver is reported, seconds: what is on disk is loaded sooner."""


class App:
    """The parts of a window, and the actions that involve several of them.

    Attributes
    ----------
    running : bool
        False once the user has asked to close.
    appearance : Appearance
    dropper : Dropper
        Reads the files that are opened.
    open_menu : callable
        Shows the menu; set by the event router.
    """

    def __init__(self, navigator: Navigator, screen: Screen, dock_area: DockArea) -> None:
        self.navigator, self.screen, self.dock_area = navigator, screen, dock_area
        self.running = True
        self.appearance = Appearance(screen.ui_scale)
        self.dropper = Dropper()
        self.open_menu: Callable[[], object] = lambda: None
        self.open_keys: Callable[[], object] = lambda: None
        self._pending_choice: tuple[SolverChoice, Session] | None = None
        self._pending_since = 0.0
        self._progress: Message | None = None
        """The message about the loading of its solver."""
        """The last choice of a solver that was still loading, and the session in which it was made."""
        self._question: Message | None = None
        """The question whether to quit; a second Esc or click confirms it while it is shown."""

    @property
    def session(self) -> Session:
        """The running demo, or the preview behind the list."""
        return self.navigator.session

    @property
    def pointed(self) -> tuple[int, int] | None:
        """The pointer's pixel if it is inside the view."""
        pointer = self.screen.ui.pointer
        return pointer if pointer is not None and is_inside(pointer, self.screen.view) else None

    @property
    def network(self) -> NetworkDriver:
        """The driver of the shared world, if one is shown."""
        driver = self.session.driver
        assert isinstance(driver, NetworkDriver)
        return driver

    def dock(self, kind: type[Kind]) -> Kind:
        """Return the dock of a class."""
        dock = self.dock_area.find(kind)
        assert dock is not None
        return dock

    # -- files --------------------------------------------------------------------------------------------------------

    def open_file(self, path: Path | str, at: tuple[float, float] | None = None) -> None:
        """Open a scene or a recording, or drop a picture into the demo at a pixel of the view, by default its upper middle."""
        left, top, width, height = self.screen.view
        self.dropper.read(str(path), self.session, (left + width / 2, top + height / 3) if at is None else at)

    # -- solvers ------------------------------------------------------------------------------------------------------

    def choose(self, choice: SolverChoice) -> None:
        """Change the solver or the comparison; if the solver is not loaded, wait for it in the background."""
        session = self.session
        self._pending_choice = None
        if choice.what != "solver" and session.is_shared:
            session.messages.answer("A shared world cannot be compared with another solver.", palette.WARNING)
        elif choice.value and not self._is_loaded(choice.value):
            self._pending_choice, self._pending_since = (choice, session), monotonic()
        elif choice.what == "solver":
            session.set_solver(choice.value)
        else:
            self._compare_with(session, choice.value)

    def _compare_with(self, session: Session, solver: str) -> None:
        """Compare the demo with another solver, or with none."""
        try:
            session.compare_with(solver)
        except LabError as error:
            title = load_solver(solver).capabilities.title if solver else "the demo"
            session.messages.answer(f"{title} cannot be run for comparison: {error}", palette.WARNING)

    def apply_waiting_choice(self) -> None:
        """Apply the pending choice once its solver is loaded, if its demo is still shown; called once per frame.

        What is on disk is loaded within a moment; only a longer wait is reported.
        """
        if self._pending_choice is None:
            return
        (choice, session), seconds = self._pending_choice, monotonic() - self._pending_since
        if self._is_loaded(choice.value):
            self._pending_choice = None
            if session is self.session:
                session.messages.end_passing()
                self.choose(choice)
        elif session is self.session and seconds >= _NOTABLE_WAIT and session.messages.now in (None, self._progress):
            title = load_solver(choice.value).capabilities.title
            words = f"{title} is compiled on its first use, which takes up to a minute: {seconds:.0f} s so far."
            if session.messages.now is None or session.messages.now.words != words:
                self._progress = session.messages.answer(words, is_passing=True)

    def _is_loaded(self, solver: str) -> bool:
        """Return True if a solver is loaded."""
        beside = self.session.beside
        is_running = solver in self.session.demo.sim.solvers or (beside is not None and solver == beside.solver)
        return is_running or is_ready(solver_part(solver))

    def next_solver(self) -> None:
        """Switch the demo to the next solver."""
        if (choice := next_solver(self.session)) is not None:
            self.choose(choice)

    def next_comparison(self) -> None:
        """Compare the demo with the next solver, or end the comparison."""
        if (choice := next_beside(self.session)) is not None:
            self.choose(choice)

    # -- step by step -------------------------------------------------------------------------------------------------

    def step_through(self) -> None:
        """Open the stepper of the object under the pointer, zoomed in on or selected; otherwise the demo's own."""
        with contextlib.suppress(LabError):  # the zoomed difference no longer exists
            self.session.watch(self._door())

    def step_through_solver(self) -> None:
        """Open the stepper of the next step of the world under the pointer, otherwise of the first world."""
        stages = self.session.demo.stages
        k = 0 if self.pointed is None else max(stage_under(stages, self.session.view.to_world(self.pointed)), 0)
        if (door := self.solver_door(stages[k])) is not None:
            self.session.watch(door)

    def solver_door(self, stage: Stage) -> StepperRequest | None:
        """Return the stepper of a world's next step; if the world is too large, show a message and return None."""
        try:
            return door_of_solver(stage)
        except LabError as error:
            self.session.messages.answer(str(error), palette.WARNING)
            return None

    def step_through_the_largest(self, reason: str) -> None:
        """Open the stepper of the largest difference with a given reason."""
        differences = self.screen.painter.differences_of(reason)
        if differences:
            self.session.watch(door_of_difference(differences[0].stage, differences[0].difference))

    def look_at_the_next(self, reason: str) -> None:
        """Zoom in on the largest difference with a given reason, or on the next one if that is already shown."""
        session, differences = self.session, self.screen.painter.differences_of(reason)
        if differences:
            focus = session.view.focus
            seen = next((k for k, each in enumerate(differences) if focus is not None and focus.is_of(each.stage, each.difference)), -1)
            session.look_at(*differences[(seen + 1) % len(differences)])

    def _door(self) -> StepperRequest | None:
        """Return the stepper of the difference, contact or body under the pointer, or of the zoomed difference or two selected bodies."""
        session, painter, at = self.session, self.screen.painter, self.pointed
        stages = session.demo.stages
        if at is not None and (hit := painter.difference_at(at)) is not None:
            return door_of_difference(hit.stage, hit.difference)
        if at is not None and (contact := painter.contact_at(at)) is not None:
            return door_of_contact(*contact)
        focus, inspector = session.view.focus, self.dock_area.find(InspectorDock)
        if focus is not None:
            return door_of_fixtures(focus.stage, focus.fixture_a, focus.fixture_b)
        if inspector is not None and (pair := inspector.editor.pair) is not None:
            return door_of_bodies(*pair)
        if at is not None and stages:
            point = session.view.to_world(at)
            stage = stages[max(stage_under(stages, point), 0)]
            body = stage.world.body_at(stage.local(point))
            if body is not None:
                return door_of_body(stage, body)
        return door_of_demo(session.demo)

    # -- the window ---------------------------------------------------------------------------------------------------

    def back(self) -> None:
        """Go back: from a close-up, from a stepper, from a demo to the list; from the list, quit on the second press."""
        navigator = self.navigator
        if not navigator.browsing:
            if not self.session.look_back() and not navigator.look_back():
                is_shared = self.session.is_shared
                navigator.browse()
                if is_shared:
                    self.session.messages.answer("The shared world keeps running; Esc returns to it.")
        elif not navigator.come_back_to_shared():
            self._quit(f"Press Esc again to quit{self._loss()}.")

    def close(self) -> None:
        """Close the window; if something would be lost or a shared world would end, only on the second call."""
        if loss := self._loss():
            self._quit(f"Close again to quit{loss}.")
        else:
            self.running = False

    def _quit(self, question: str) -> None:
        if self._question is not None and self.session.messages.now is self._question:
            self.running = False
        else:
            self._question = self.session.messages.answer(question, palette.WARNING if self._loss() else None)

    def _loss(self) -> str:
        """Return what closing the window would end, as the end of a sentence."""
        files, n_guests = self.dock_area.find(FilesDock), self.navigator.n_guests
        lost = files.would_lose() if files is not None else ""
        words = f"; your work in {lost} will be lost" if lost else ""
        return words + (f"; the shared world ends for {counted(n_guests, 'guest')}" if n_guests else "")
