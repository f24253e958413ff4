"""Replays recordings: finds the demo, restores its initial state, and creates a history with the recorded inputs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from engine.common.errors import Described, InvalidInputError, LabError
from engine.sim.demo import Demo
from engine.sim.history import History
from engine.sim.recordings import Recorder, Recording, TickRecorder
from engine.sim.registry import find_demo
from engine.sim.scene_demo import SceneDemo, scene_class
from engine.sim.stage import RefereeFactory
from engine.sim.state import decode_state, decompress_state
from engine.world import load_solver

__all__ = ["demo_kind", "new_demo", "record", "record_ticks", "replay"]


def demo_kind(recording: Recording) -> type[Demo]:
    """Return the class of the recorded demo, or raise `InvalidInputError` if this program does not have it."""
    if recording.header.scene is not None:
        return scene_class(dict(recording.header.scene))
    try:
        return find_demo(recording.header.demo)
    except InvalidInputError:
        raise InvalidInputError("demo", "a demo of this program, or of your own file (--demo FILE.py)", recording.header.demo) from None


def new_demo(recording: Recording, referee: RefereeFactory | None = None) -> Demo:
    """Create the recorded demo in its initial state.

    Raises
    ------
    LabError
        This program does not have the demo, or the demo rejects the parameters or the initial state.
    """
    header = recording.header
    if recording.needs_solver_state:
        load_solver(header.solver).prepare()  # the recording depends on solver state that must be accessible here too
    kind = demo_kind(recording)
    demo = kind(recording.seed, header.values, referee, solver=header.chosen_solver, solver_settings=header.chosen_settings)
    decode_state(demo, decompress_state(header.state))
    return demo


def replay(recording: Recording) -> History[Demo]:
    """Return a history at the beginning of a recording, with the recorded steps as its future.

    `History.step` and `seek` compare each step with the recording; `divergence` is the first step that differs.
    """
    history = History(new_demo(recording))
    history.take_over(recording.branch)
    return history


def record(history: History[Any], path: str | os.PathLike[str]) -> Recorder:
    """Start recording a history to a new file; raises the errors of `Recorder`, and `InvalidInputError` if the demo is not registered."""
    return Recorder(history, path, _content_of(history.demo))


def record_ticks(demo: Demo, path: str | os.PathLike[str]) -> TickRecorder:
    """Start recording a shared demo, before its first tick, to a new file; raises the errors of `TickRecorder` and `record`.

    Examples
    --------
    A server calls ``recorder.tick(course.inputs(tick), course.digests[tick + 1])`` after each ``course.step()``, and finally ``close()``.
    """
    return TickRecorder(demo, path, _content_of(demo))


def _content_of(demo: Demo) -> Mapping[str, Any] | None:
    """Return the content of a demo's scene file, or None for a registered demo."""
    if isinstance(demo, SceneDemo):
        return demo.scene_content()
    try:
        is_known = find_demo(demo.id) is type(demo)
    except LabError:
        is_known = False
    if not is_known:
        raise InvalidInputError("demo", "a demo with a registered id", Described(demo.id or type(demo).__name__))
    return None
