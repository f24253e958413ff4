"""One course of events in a demo: what was done before each step, and what every step came to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.history.digest import BodyIds, body_digests, body_ids

if TYPE_CHECKING:
    from engine.history.subject import Subject

__all__ = ["ACTIONS", "EDITS", "Divergence", "Input", "Line"]

ACTIONS: dict[str, bool] = {
    "press": True,
    "lift": False,
    "lift_all": False,
    "set_parameter": True,
    "restart": True,
    "drop": True,
    "grab": True,
    "drag": False,
    "release": False,
    "turn": True,
    "on_wheel": True,
    "edit": True,
    "edit_too": False,
    "remember": False,
    "arrive": False,
}
"""Methods of a demo by which somebody acts on it, and whether `undo` stops before them: a drag belongs to the grip before it, an
`edit_too` to the edit before it."""


EDITS = (
    "create_body",
    "destroy_body",
    "create_fixture",
    "destroy_fixture",
    "create_joint",
    "destroy_joint",
    "set_pose",
    "set_velocity",
    "set_awake",
    "set_body",
    "set_fixture",
    "set_joint",
    "set_settings",
    "apply_impulse",
)
"""Methods of `World` by which somebody may change a running demo."""


@dataclass(frozen=True, slots=True)
class Input:
    """Something done to a demo: one of `ACTIONS` with its arguments.

    `offsets` is where each stage lay in the picture then, if a point of the picture was given and a stage was elsewhere than at (0, 0).
    """

    action: str
    arguments: tuple[Any, ...]
    offsets: tuple[tuple[float, float], ...] = ()

    @property
    def begins(self) -> bool:
        """Whether `undo` stops before it."""
        return ACTIONS[self.action]


@dataclass(frozen=True, slots=True)
class Divergence:
    """A step that, taken again, ended otherwise: a fault. `bodies` are those that did, as (number of the stage, id)."""

    step: int
    bodies: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class Line:
    """One course of events: inputs[k] were given after step k, before the next; hashes[k] is the state right after step k.

    Attributes
    ----------
    inputs, hashes
    bodies, digests : list
        The bodies there were then, and the digest of each (`engine.history.digest`).
    states : dict of int to bytes
        At keyframes, the raw float32 state of every body.
    reached : int
        How far it has really been gone; less than `last` of one that was recorded elsewhere.
    """

    inputs: list[list[Input]] = field(default_factory=lambda: [[]])
    hashes: list[bytes] = field(default_factory=list)
    bodies: list[BodyIds] = field(default_factory=list)
    digests: list[bytes] = field(default_factory=list)
    states: dict[int, bytes] = field(default_factory=dict)
    reached: int = 0
    _begun: list[int] = field(default_factory=list, init=False, repr=False, compare=False)
    _scanned: int = field(default=0, init=False, repr=False, compare=False)

    @property
    def last(self) -> int:
        """The farthest step."""
        return len(self.inputs) - 1

    @property
    def marks(self) -> tuple[int, ...]:
        """Steps before which something was begun. Only at the last step can more be given: those before it are looked at once."""
        for step in range(self._scanned, self.last):
            if any(one.begins for one in self.inputs[step]):
                self._begun.append(step)
        self._scanned = max(self._scanned, self.last)
        newest = (self.last,) if any(one.begins for one in self.inputs[-1]) else ()
        return (*self._begun, *newest)

    def note(self, demo: Subject, found: bytes) -> None:
        """Take in the state after the newest step, whose hash is given; what is as it was after the step before is kept once."""
        ids, digests = body_ids(demo), body_digests(demo)
        self.hashes.append(found)
        self.bodies.append(self.bodies[-1] if self.bodies and self.bodies[-1] == ids else ids)
        self.digests.append(self.digests[-1] if self.digests and self.digests[-1] == digests else digests)

    def same_until(self, other: Line) -> int:
        """Return the last step up to which another line has had the same inputs and come to the same."""
        last = min(len(self.hashes), len(other.hashes)) - 1
        for step in range(last + 1):
            if self.hashes[step] != other.hashes[step] or (step > 0 and not _are_same(self.inputs[step - 1], other.inputs[step - 1])):
                return step - 1
        return last

    def until(self, step: int, given: int) -> Line:
        """Return its beginning: as far as a step, and so many of the inputs there."""
        return Line(
            [*(list(one) for one in self.inputs[:step]), self.inputs[step][:given]],
            self.hashes[: step + 1],
            self.bodies[: step + 1],
            self.digests[: step + 1],
            {at: state for at, state in self.states.items() if at <= step},
            min(self.reached, step),
        )


def _are_same(some: list[Input], others: list[Input]) -> bool:
    """Tell whether two steps had the very same inputs before them: the objects themselves, which lines share as far as they are one."""
    return len(some) == len(others) and all(one is other for one, other in zip(some, others, strict=True))
