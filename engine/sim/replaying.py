"""A recording and the demo it is of: which class, how it began, and a history with all of it ahead."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from engine.common.errors import Described, InvalidInputError, LabError
from engine.sim.demo import Demo
from engine.sim.history import History
from engine.sim.recordings import Recorder, Recording, TickRecorder
from engine.sim.registry import find_demo
from engine.sim.scene_demo import scene_class
from engine.sim.stage import RefereeFactory
from engine.sim.state import decode_state, decompress_state
from engine.world import load_solver

__all__ = ["demo_kind", "new_demo", "record", "record_ticks", "replay"]


def demo_kind(recording: Recording) -> type[Demo]:
    """Return the class of the demo that was recorded; `InvalidInputError` if this program has none of that id."""
    if recording.header.scene is not None:
        return scene_class(dict(recording.header.scene))
    try:
        return find_demo(recording.header.demo)
    except InvalidInputError:
        raise InvalidInputError("demo", "one of this program's, or of a file of your own (--demo FILE.py)", recording.header.demo) from None


def new_demo(recording: Recording, referee: RefereeFactory | None = None) -> Demo:
    """Return the demo as it was at the beginning.

    Raises
    ------
    LabError
        This program has no such demo, or it does not take the parameters or the first state.
    """
    header = recording.header
    if recording.needs_solver_state:
        load_solver(header.solver).prepare()  # where it was in reach then, it must be so here
    kind = demo_kind(recording)
    demo = kind(recording.seed, header.values, referee, solver=header.chosen_solver, solver_settings=header.chosen_settings)
    decode_state(demo, decompress_state(header.state))
    return demo


def replay(recording: Recording, referee: RefereeFactory | None = None) -> History[Demo]:
    """Return a history at the beginning of a recording, with all of it ahead.

    Take its steps (`History.step`, `seek`): each is compared with what was recorded, and `divergence` is the first that ends otherwise.
    """
    history = History(new_demo(recording, referee))
    history.take_over(recording.branch)
    return history


def record(history: History[Any], path: str | os.PathLike[str]) -> Recorder:
    """Begin to record a history into a new file; errors as `Recorder`, and `InvalidInputError` of a demo that could not be found again."""
    return Recorder(history, path, _content_of(history.demo))


def record_ticks(demo: Demo, path: str | os.PathLike[str]) -> TickRecorder:
    """Begin to record a shared demo, at its first tick, into a new file; errors as `TickRecorder`, and as `record`.

    Examples
    --------
    A server's ``recorder.tick(course.inputs(tick), course.digests[tick + 1])`` right after ``course.step()``; at the end ``close()``.
    """
    return TickRecorder(demo, path, _content_of(demo))


def _content_of(demo: Demo) -> Mapping[str, Any] | None:
    """Return the content of the scene file of a demo that was made of one, None for a demo of this program."""
    scene = getattr(demo, "scene_content", None)
    if scene is not None:
        content: Mapping[str, Any] = scene() if callable(scene) else scene
        return content
    try:
        is_known = find_demo(demo.id) is type(demo)
    except LabError:
        is_known = False
    if not is_known:
        raise InvalidInputError("demo", "one that can be found again by its id", Described(demo.id or type(demo).__name__))
    return None
