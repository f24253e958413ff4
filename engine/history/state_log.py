"""What every step of a demo came to, so that it can be recognised: a hash, the digest of each body, now and then their numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.history.digest import BodyIds, body_digests, body_ids, differing, raw_states

if TYPE_CHECKING:
    from engine.history.subject import Subject

__all__ = ["Divergence", "StateLog"]


@dataclass(frozen=True, slots=True)
class Divergence:
    """A step that, taken again, ended otherwise: a fault. `bodies` are those that did, as (number of the stage, id)."""

    step: int
    bodies: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class StateLog:
    """States by step.

    Attributes
    ----------
    hashes : list of bytes
        The digest of the whole state right after each step (`engine.history.history.demo_hash`).
    bodies, digests : list
        The bodies there were then, and the digest of each (`engine.history.digest`).
    raw : dict of int to bytes
        At keyframes, the raw float32 state of every body.
    """

    hashes: list[bytes] = field(default_factory=list)
    bodies: list[BodyIds] = field(default_factory=list)
    digests: list[bytes] = field(default_factory=list)
    raw: dict[int, bytes] = field(default_factory=dict)

    def note(self, subject: Subject, found: bytes) -> None:
        """Take in the state after the newest step, whose hash is given; what is as it was after the step before is kept once."""
        ids, digests = body_ids(subject), body_digests(subject)
        self.hashes.append(found)
        self.bodies.append(self.bodies[-1] if self.bodies and self.bodies[-1] == ids else ids)
        self.digests.append(self.digests[-1] if self.digests and self.digests[-1] == digests else digests)

    def note_raw(self, step: int, subject: Subject) -> None:
        """Take in the numbers of the bodies after a step."""
        self.raw[step] = raw_states(subject)

    def divergence(self, step: int, subject: Subject) -> Divergence:
        """Return how the state in which a demo stands after a step differs from the one that was noted."""
        return Divergence(step, differing(self.bodies[step], self.digests[step], body_ids(subject), body_digests(subject)))

    def cut(self, last: int) -> None:
        """Forget, in this log itself, the states after a step: they are another branch's, or to be computed anew."""
        del self.hashes[last + 1 :], self.bodies[last + 1 :], self.digests[last + 1 :]
        self.raw = {step: state for step, state in self.raw.items() if step <= last}

    def until(self, last: int) -> StateLog:
        """Return the beginning of the log: as far as a step."""
        raw = {step: state for step, state in self.raw.items() if step <= last}
        return StateLog(self.hashes[: last + 1], self.bodies[: last + 1], self.digests[: last + 1], raw)
