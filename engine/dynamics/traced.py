"""Takes a step of a world and records the events of its method."""

from __future__ import annotations

from typing import Any

from engine.common.errors import WorldLostError
from engine.common.events import recording
from engine.dynamics.solver import solver_of
from engine.world.model import WorldModel
from engine.world.records import BodyMotion
from engine.world.snapshot import WorldSnapshot

__all__ = ["traced_step"]


def traced_step(snapshot: WorldSnapshot) -> tuple[BodyMotion, list[Any]]:
    """Take the step that a world restored from a snapshot would take, without hooks.

    Parameters
    ----------
    snapshot : WorldSnapshot
        Snapshot of a world simulated by one of our methods.

    Returns
    -------
    motion : BodyMotion
        Motion of all bodies after the step.
    events : list of NamedTuple
        Those of `solver_events`; empty if nothing moves and nothing was solved.

    Raises
    ------
    WorldLostError
        The solver failed, or a number is no longer finite.
    """
    model = WorldModel(snapshot.settings)
    model.take_over(snapshot)
    solver = solver_of(snapshot.solver)(model)
    solver.load(snapshot.state)
    try:
        with recording() as events:
            lost = solver.step(snapshot.step_index + 1)
    except Exception as error:
        raise WorldLostError(f"{solver.capabilities.title} failed in step {snapshot.step_index + 1}: {error}") from error
    if lost:
        raise WorldLostError(f"body {', '.join(map(str, lost))} has non-finite motion in step {snapshot.step_index + 1}")
    return solver.motion(), events
