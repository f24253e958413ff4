"""Verification of a recording by replaying it and comparing every step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.sim.history import History
from engine.sim.recordings.recording import Recording
from engine.sim.state_log import Divergence

__all__ = ["Verdict", "divergence_words", "verify"]

_MAX_NAMED = 5
"""Maximum number of bodies named in a message."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of verifying a recording.

    Attributes
    ----------
    steps : int
        Number of steps compared, including the first that differs.
    divergence : Divergence or None
        First step that differs, with the differing bodies.
    measured_at : int or None
        First step at or after the divergence for which the recording has raw states.
    apart : float
        Largest distance of a body from its recorded position at step `measured_at`, meters.
    foreign : str
        Differences between this computer and the one that made the recording.
    """

    steps: int
    divergence: Divergence | None
    measured_at: int | None = None
    apart: float = 0.0
    foreign: str = ""

    @property
    def is_same(self) -> bool:
        """True if nothing differs."""
        return self.divergence is None

    @property
    def words(self) -> str:
        """The result as a sentence."""
        if self.divergence is None:
            return f"all {self.steps} steps were reproduced bit for bit"
        words = divergence_words(self.divergence)
        if self.measured_at is not None:
            words += f"; at step {self.measured_at}, bodies are up to {self.apart:.3g} m from where they were"
        return words + (f". It was recorded with {self.foreign}" if self.foreign else "")

    def as_json(self) -> dict[str, Any]:
        """Return the result in the format of ``replay --verify --json``."""
        different = self.divergence
        return {
            "same": self.is_same,
            "steps": self.steps,
            "step": None if different is None else different.step,
            "bodies": [] if different is None else [{"stage": stage, "body": body} for stage, body in different.bodies],
            "measured_at": self.measured_at,
            "apart": self.apart if self.measured_at is not None else None,
            "foreign": self.foreign,
        }


def divergence_words(divergence: Divergence) -> str:
    """Return a message that names the first differing step and its bodies.

    Examples
    --------
    >>> divergence_words(Divergence(12, ((0, 7),)))
    'step 12 is the first to differ: body 7 of world 0'
    """
    listed = [f"body {body} of world {stage}" for stage, body in divergence.bodies[:_MAX_NAMED]]
    more = len(divergence.bodies) - len(listed)
    bodies = ", ".join(listed) + (f" and {more} more" if more else "")
    return (
        f"step {divergence.step} is the first to differ: {bodies or 'the bodies agree, so a parameter or the number of worlds must differ'}"
    )


def verify(recording: Recording, history: History[Any], progress: Callable[[int], object] | None = None) -> Verdict:
    """Replay a recording to its end or its first difference, in a history from `engine.sim.replaying.replay`."""
    while history.now < recording.steps and history.divergence is None:
        history.seek(history.now + 1)
        if progress is not None:
            progress(history.now)
    different = history.divergence
    if different is None:
        return Verdict(recording.steps, None)
    measured, apart = _measured(history, recording)
    return Verdict(different.step, different, measured, apart, recording.foreign)


def _measured(history: History[Any], recording: Recording) -> tuple[int | None, float]:
    """Advance to the next step with a recorded raw state; return the step and the largest distance from a recorded position, meters."""
    from engine.sim.state_log import body_ids, raw_states

    at = min((step for step in recording.branch.states.raw if step >= history.now), default=None)
    if at is None:
        return None, 0.0
    history.seek(at)
    here = _places(body_ids(history.demo), raw_states(history.demo))
    there = _places(recording.branch.states.bodies[at], recording.branch.states.raw[at])
    both = here.keys() & there.keys()
    return at, max((float(np.hypot(*(here[body] - there[body]))) for body in both), default=0.0)


def _places(ids: tuple[tuple[int, ...], ...], states: bytes) -> dict[tuple[int, int], np.ndarray[Any, Any]]:
    values = np.frombuffer(states, dtype="<f4").reshape(-1, 6)[:, :2].astype(np.float64)
    listed = [(stage, body) for stage, bodies in enumerate(ids) for body in bodies]
    return dict(zip(listed, values, strict=True))
