"""A running demo in a view: its actions, and the steps of a frame.

`timeline` has the demo's past, `view` its camera, and `clock` its speed. Every action on a demo goes through `act`, so that it can be
undone. If a demo fails, it is paused and the reason is shown (`failure`). This module does not depend on widgets or events.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.app.camera_controller import CameraController
from engine.app.clock import FixedClock
from engine.app.compiling import is_ready, kernels_of
from engine.app.costs import FrameCosts
from engine.app.driver import Driver, LocalDriver
from engine.app.messages import Message
from engine.app.stepper_requests import StepperRequest
from engine.common.arrays import FloatArray
from engine.common.errors import InvalidInputError, LabError
from engine.common.words import counted
from engine.contracts.agreement import Difference
from engine.geometry import AABB
from engine.render import palette
from engine.render.camera import Place
from engine.render.views import Layers
from engine.sim.actions import (
    Action,
    Input,
    PressKey,
    Restart,
    SetParameter,
    SetSolver,
)
from engine.sim.comparison import Comparison
from engine.sim.demo import Demo
from engine.sim.distances import Why
from engine.sim.figures import Figures
from engine.sim.stage import Stage
from engine.world import load_solver

if TYPE_CHECKING:
    from engine.sim.recordings import Recorder, Recording

__all__ = ["Saved", "Session"]

_REFRESH = 0.25
"""Interval between updates of the figures, seconds."""


@dataclass(slots=True)
class Saved:
    """File and name of a session's scene."""

    path: Path | None = None
    """The file in which it was saved."""
    title: str = ""
    """Name given to the scene, if any."""
    built: list[Input] | None = field(default=None, repr=False)
    """Inputs that had built the scene when it was saved; None if it was not saved."""
    recovery: Path | None = None
    """The recovery file of the unsaved scene."""
    is_reopened: bool = False
    """True if the scene was opened from a recovery file and is still unsaved."""


class Session:
    """One demo in a view.

    Parameters
    ----------
    demo : Demo
    view : (left, top, width, height)
        Rectangle in which it is drawn, pixels.
    layers : Layers, optional
        The visible layers; shared, so that the toggles outlive the demo, unless the demo requests its own layers.
    has_history : bool
        Keep a history, so that everything can be undone.
    clock : FixedClock, optional
        Decides which steps are due; by default the session's own clock.
    driver : Driver, optional
        Driver of a shared simulation; by default that of a local simulation with this history and clock.

    Attributes
    ----------
    driver : Driver
        Applies actions and advances time.
    clock : FixedClock
    timeline : Timeline
        The demo's past, with navigation through it.
    view : CameraController
        The camera on the demo.
    recorder : Recorder or None
        Writes the history to a file while recording.
    recording : Recording or None
        The recording being played, if one was opened.
    beside : Comparison or None
        The demo with another solver, drawn over it; see `compare_with`.
    figures : tuple of Figures
        Figures of the demo and of its comparison, updated four times a second; empty without one.
    saved : Saved
        File and name under which the scene is saved.
    done : set of str
        What the user has done: ids of commands, marks of the demo's `tries` (`_done_by`), and "saved" once the scene has been saved.
    """

    def __init__(
        self,
        demo: Demo,
        view: Place,
        layers: Layers | None = None,
        has_history: bool = False,
        clock: FixedClock | None = None,
        driver: Driver | None = None,
    ) -> None:
        self.demo = demo
        self._wait_for_kernels()
        self.beside: Comparison | None = None
        if driver is None:
            clock = FixedClock(demo.step_seconds) if clock is None else clock
            driver = LocalDriver(demo, clock, has_history, lambda: self.beside)
        self.driver = driver
        self.clock, self.messages, self.timeline = driver.clock, driver.messages, driver.timeline
        self.view = CameraController(demo, view)
        shared = layers if layers is not None else Layers()
        self.layers = replace(shared, **demo.layers) if demo.layers else shared
        self.costs = FrameCosts()
        self.recorder: Recorder | None = None
        self.recording: Recording | None = None
        self._on_its_way: Message | None = None
        """Message shown while the comparison catches up."""
        self._n_played = 0
        self.figures: tuple[Figures, ...] = ()
        self._since_figures = math.inf
        self.saved = Saved()
        self.done: set[str] = set()
        self._door: StepperRequest | None = None
        self._was_paused = False
        """Whether the demo was paused before a close-up."""

    @property
    def is_shared(self) -> bool:
        """True if others share the world and its time."""
        return self.driver.is_shared

    def called(self, kind: str, number: int) -> str:
        """Return the display name of a body, fixture or joint."""
        return self.driver.called(kind, number)

    def body_name(self, stage: int, body: int) -> str:
        """Return a body's name, or its display name without one."""
        world = self.demo.stages[stage].world
        return world.body(body).spec.name or self.called("body", body) if world.is_body(body) else "something"

    def undo(self) -> None:
        """Undo the user's last action."""
        self.driver.undo()
        self.view.stop_if_gone()

    # -- acting -------------------------------------------------------------------------------------------------------

    def act(self, action: Action) -> Any:
        """Apply an action to the demo with undo; return its result."""
        result = self.driver.act(action)
        if result is not False:  # such as a grab where nothing is
            self.done |= _done_by(action, self.demo)
        return result

    def press(self, key: str) -> None:
        """Press a key of the demo."""
        before = self._picture
        self.timeline.guarded(lambda: self.act(PressKey(key)))
        self._apply_wanted_speed()
        self._fit(before)

    def restart(self) -> None:
        """Restart the demo; camera, speed and pause stay."""
        self.timeline.failure = ""
        self.timeline.guarded(lambda: self.act(Restart()))
        self._adopt()

    def set_parameter(self, name: str, value: float) -> None:
        """Change a parameter of the demo; most demos restart."""
        self.timeline.failure = ""
        self.timeline.finish()
        before = self._picture
        if value != self.demo.parameter(name):
            self.timeline.guarded(lambda: self.act(SetParameter(name, value)))
        self._adopt()
        self._fit(before)

    @property
    def _picture(self) -> tuple[AABB, tuple[float, float, float]]:
        """The demo's home box, and the margins of its own drawing."""
        return self.demo.home(), self.demo.margins(*self.view.camera.view[2:], 1.0)

    def _fit(self, before: tuple[AABB, tuple[float, float, float]]) -> None:
        """Show the complete picture again with an untouched camera, if the picture has changed."""
        if self.view.is_untouched and self._picture != before:
            self.view.fit_anew()

    def attempt(self, action: Callable[[], object]) -> None:
        """Call a demo's drawing or status function; if it fails because a body was deleted by hand, stop the demo and show why.

        If nothing can be deleted, the exception is the demo's own fault and propagates to the caller.
        """
        if self.timeline.history is None:
            action()
        elif not self.timeline.guarded(action):
            self.messages.end_passing()

    # -- several worlds at once ---------------------------------------------------------------------------------------

    def set_solver(self, solver: str, solver_settings: Mapping[str, float | str] | None = None, is_same_move: bool = False) -> None:
        """Switch the demo to another solver, or to the same one with other settings.

        All changes of one slider drag are undone together (`is_same_move`).
        """
        self.timeline.failure = ""
        settings = tuple(sorted((solver_settings or {}).items()))
        try:
            self.act(SetSolver(solver, settings, continues=is_same_move))
        except LabError as error:
            self.messages.answer(f"{load_solver(solver).capabilities.title} cannot simulate this demo: {error}", palette.WARNING)

    def compare_with(self, solver: str) -> None:
        """Run the demo again from its beginning with another solver, for comparison; "" ends the comparison.

        Raises
        ------
        InvalidInputError
            There is no such solver, or the demo cannot be rewound.
        LabError
            The solver does not support the demo's worlds.
        """
        history, before = self.timeline.history, self.beside
        if solver and history is None:
            raise InvalidInputError("beside", f"empty here ({self.timeline.failure or self.driver.no_past})", solver)
        if before is not None and before.solver == solver:
            return
        self.show_beside(Comparison(history, solver) if solver and history is not None else None)
        if before is not None:
            before.close()

    def show_beside(self, beside: Comparison | None) -> None:
        """Replace the comparison by another one that was created elsewhere."""
        self.beside = beside
        self.view.beside = None if beside is None else beside.demo
        if beside is not None:
            beside.longest_way = self.timeline.longest_way
        self._update_figures(math.inf)
        if self.view.is_untouched:
            self.view.home()

    @property
    def is_caught_up(self) -> bool:
        """True if the comparison is at the demo's step."""
        return self.beside is None or self.beside.is_caught_up

    @property
    def why(self) -> Why | None:
        """Why the worlds have parted since the last restart; None if they have not."""
        return None if self.beside is None else self.beside.distances.run(self.beside.now).why

    def go_to_the_parting(self) -> None:
        """Pause at the step in which the worlds parted, and watch the body that parted first."""
        beside = self.beside
        parted = None if beside is None else beside.distances.run(beside.now).parted
        if parted is not None:
            self.timeline.watched = parted.stage, parted.body
            self.timeline.seek(parted.step)

    def _bring_beside(self) -> None:
        """Repeat the demo's actions and steps in the comparison; if that takes several frames, the demo waits."""
        beside = self.beside
        if beside is None:
            return
        try:
            beside.follow()
        except LabError as error:
            beside.close()
            self.show_beside(None)
            self.messages.say(
                f"{load_solver(beside.solver).capabilities.title} can no longer be run for comparison: {error}", palette.UNEXPLAINED
            )
            return
        if not beside.is_caught_up:
            self._on_its_way = self.messages.answer(f"Catching up to step {beside.first.now}; now at {beside.now}", is_passing=True)
        elif self._on_its_way is not None:
            self.messages.take_back(self._on_its_way)
            self._on_its_way = None

    # -- time passes --------------------------------------------------------------------------------------------------

    def advance(self, elapsed: float) -> None:
        """Take the steps due after `elapsed` real seconds."""
        before = None if self.demo.sim.has_kernels else self._picture  # which may be another with the kernels
        self._wait_for_kernels()
        if before is not None:
            self._fit(before)
        self.messages.advance(elapsed)
        self.view.advance(elapsed)
        self._bring_beside()
        self.driver.advance(elapsed)
        self._bring_beside()
        self.timeline.stop_at_the_end()
        if self.is_shared:  # because an undo takes effect at a later tick
            self.view.stop_if_gone()
        self._apply_wanted_speed()
        self._update_figures(elapsed)
        self.costs.advanced(elapsed, self.driver.times)

    def _wait_for_kernels(self) -> None:
        """Let the demo take no steps until the kernels that it needs are loaded."""
        self.demo.sim.has_kernels = all(is_ready(part) for part in kernels_of(self.demo))

    def _update_figures(self, elapsed: float) -> None:
        """Update the figures; those of a comparison that is catching up stay."""
        self._since_figures += elapsed
        if math.isinf(elapsed) or (self._since_figures >= _REFRESH and self.is_caught_up):
            self._since_figures = 0.0
            self.figures = () if self.beside is None else (self.beside.first_figures(), self.beside.figures())

    # -- recordings --------------------------------------------------------------------------------------------------

    def play(self, recording: Recording, name: str = "") -> None:
        """Adopt the recording of a demo that started like this one, and play it from the step at which recording started."""
        if self.timeline.history is None:
            raise InvalidInputError(
                "recording", f"a recording of a demo that can be rewound ({self.timeline.failure})", recording.header.demo
            )
        self.timeline.history.take_over(recording.branch)
        self.recording, self._n_played = recording, recording.n_inputs
        self.messages.say(f"{name or 'the recording'}: {counted(recording.steps, 'step')}, {counted(recording.n_inputs, 'input')}")
        if recording.begun > 0:
            self.messages.say(f"The recording starts at step {recording.begun:,}; earlier steps are on the timeline.")
        self.timeline.play_from(recording.begun, recording.steps)

    def has_been(self, recording: Recording) -> bool:
        """Return True if this session made the recording, so that its history covers it."""
        history = self.timeline.history
        demo, header = self.demo, recording.header
        if history is None or demo.id != header.demo or demo.seed != recording.seed or history.reached < recording.steps:
            return False
        return history.branch.states.hashes[: recording.steps + 1] == recording.branch.states.hashes

    @property
    def is_only_played(self) -> bool:
        """True if every action so far comes from a recording."""
        recording, history = self.recording, self.timeline.history
        if recording is None or history is None:
            return False
        return history.branch is recording.branch and recording.n_inputs == self._n_played

    # -- the picture --------------------------------------------------------------------------------------------------

    def show_moment(self, fraction: float, poses: Callable[[Stage], FloatArray], pointer: tuple[int, int] | None) -> None:
        """Set the fraction of the last step, 0 to 1, at which the next picture is drawn, and the pointer's pixel.

        `poses` returns the poses of a stage's bodies at that fraction, aligned with `world.body_ids`.
        """
        poses = self._drawn(poses)
        self.view.center_followed(poses)
        self.demo.viewer.drawn_fraction = fraction
        self.demo.viewer.pointed = self.view.to_world(pointer) if pointer is not None else None
        for stage in self.demo.stages:
            stage.drawn_poses = poses(stage)
        if self.beside is not None:
            viewer = self.beside.demo.viewer
            viewer.drawn_fraction, viewer.pointed = fraction, self.demo.viewer.pointed
            for stage in self.beside.demo.stages:
                stage.drawn_poses = poses(stage)

    def _drawn(self, poses: Callable[[Stage], FloatArray]) -> Callable[[Stage], FloatArray]:
        return lambda stage: self.driver.drawn(stage, poses(stage)) if stage in self.demo.stages else poses(stage)

    # -- zooming ------------------------------------------------------------------------------------------------------

    def look_at(self, stage: Stage, difference: Difference, at: tuple[float, float]) -> None:
        """Pause, and zoom in on a difference at a point of the picture; `look_back` returns."""
        if self.view.focus is None:
            self._was_paused = self.clock.paused
        self.clock.paused = True
        self.view.go_close(stage, difference, at)

    def look_back(self) -> bool:
        """Return to the view before `look_at`, and resume if the demo was running; return False if there is none."""
        if not self.view.come_back():
            return False
        self.clock.paused = self.clock.paused and self._was_paused
        return True

    def watch(self, door: StepperRequest | None) -> None:
        """Request a stepper; the window takes the request by `pop_stepper_request`."""
        if door is None:
            self.messages.answer("There is no algorithm here to step through.", palette.WARNING)
        self._door = door

    def pop_stepper_request(self) -> StepperRequest | None:
        """Return the requested stepper once, then None."""
        door, self._door = self._door, None
        return door

    # -- inside -------------------------------------------------------------------------------------------------------

    def _adopt(self) -> None:
        self.clock.reset()
        self._apply_wanted_speed()

    def _apply_wanted_speed(self) -> None:
        if self.demo.viewer.wanted_speed is not None:
            self.clock.request_speed(self.demo.viewer.wanted_speed)
            self.demo.viewer.wanted_speed = None


def _done_by(action: Action, demo: Demo) -> set[str]:
    """Return what an action has done, as in a demo's `tries`: its kind, its key, or the marks that a changed parameter fulfills."""
    if isinstance(action, PressKey):
        return {f"key {action.key}"}
    if isinstance(action, SetParameter):
        marks = {mark.strip() for _, marks in demo.tries for mark in marks.split(",")}
        return {mark for mark in marks if _is_set(mark, action.name, demo)}
    return {type(action).__name__}


def _is_set(mark: str, name: str, demo: Demo) -> bool:
    """Return True if a parameter is set as a mark demands: "set x", "set x=2" or "set x=word", "set x>" or "set x<" (than usual)."""
    match = re.fullmatch(r"set (\w+)(?:([=<>])(.*))?", mark)
    if match is None or match[1] != name:
        return False
    parameter = next(parameter for parameter in demo.parameters if parameter.name == name)
    value = demo.parameter(name)
    if match[2] == "=":
        return value == parameter.checked(match[3])
    return match[2] is None or (value > parameter.default if match[2] == ">" else value < parameter.default)
