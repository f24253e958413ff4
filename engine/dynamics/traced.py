"""Takes a step of a world and records a trace of its method."""

from __future__ import annotations

from engine.common.arrays import FloatArray
from engine.common.errors import WorldLostError
from engine.dynamics.methods.protocol import Problem
from engine.dynamics.solver import solver_of
from engine.world.model import WorldModel
from engine.world.records import BodyMotion
from engine.world.snapshot import WorldSnapshot

__all__ = ["traced_step"]


def traced_step(snapshot: WorldSnapshot, trace: FloatArray) -> tuple[BodyMotion, Problem | None]:
    """Take the step that a world restored from a snapshot would take, without hooks.

    Parameters
    ----------
    snapshot : WorldSnapshot
        Snapshot of a world simulated by one of our methods.
    trace : float64 (k, TRACE_WIDTH)
        Row 0 begins with 0; filled, see `_solver_trace_kernel`.

    Returns
    -------
    motion : BodyMotion
        Motion of all bodies after the step.
    problem : Problem or None
        Input of the method, with the impulses that it wrote; None if nothing moves and nothing was solved.

    Raises
    ------
    WorldLostError
        The solver failed, or a number is no longer finite.
    """
    model = WorldModel(snapshot.settings)
    model.take_over(snapshot)
    solver = solver_of(snapshot.solver)(model)
    solver.load(snapshot.state)
    solver.trace = trace
    try:
        lost = solver.step(snapshot.step_index + 1)
    except Exception as error:
        raise WorldLostError(f"{solver.capabilities.title} failed in step {snapshot.step_index + 1}: {error}") from error
    if lost:
        raise WorldLostError(f"body {', '.join(map(str, lost))} has non-finite motion in step {snapshot.step_index + 1}")
    return solver.motion(), solver.problem
