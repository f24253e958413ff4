"""Actions: changes to a simulation by a user or by the program. Each kind is a class with fields and an `apply` method.

    class Explode(Action, frozen=True):
        stage: Index
        body: Index

        def apply(self, sim: Simulation) -> None:
            sim.world(self.stage).apply_impulse(self.body, (0.0, 50.0))

A new kind needs no further code: history, recordings, shared simulations and replays handle its instances through `Simulation.act`. Fields
hold plain data: numbers, strings, and tuples and dicts of these. The built-in kinds are in `engine.sim.actions`, with the codec that
validates every field against its type.

For a single user, undo rewinds the history. In a shared simulation that would also revert the other users' later actions, so undo applies
the action's `Inverse` instead: it destroys what was created, recreates what was destroyed with its joints, and restores previous values.
(T. Berlage, A Selective Undo Mechanism for Graphical User Interfaces Based on Command Objects, ACM TOCHI 1, 1994.) Recreated objects get
new ids; `renumbered` updates the ids in older inverses.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta

__all__ = [
    "MAX_PARTS",
    "MAX_TEXT",
    "Action",
    "Held",
    "Index",
    "Input",
    "Inverse",
    "NewIds",
    "Number",
    "Part",
    "Point",
    "Pose",
    "Size",
    "Text",
]

MAX_TEXT = 200
"""Maximum length of a key, parameter or solver name, characters."""

_MAX = 1e300
Number: TypeAlias = Annotated[float, Meta(ge=-_MAX, le=_MAX)]
"""A finite number; the world checks further restrictions."""
Point: TypeAlias = tuple[Number, Number]
Index: TypeAlias = Annotated[int, Meta(ge=0, le=2**62)]
"""Index of a stage, or id of a body, fixture or joint."""
Held: TypeAlias = tuple[Index, Index, Point]
"""A grip: stage, body, and grabbed point in the body's frame, meters."""
Text: TypeAlias = Annotated[str, Meta(max_length=MAX_TEXT)]

MAX_PARTS = 1000
"""Maximum number of parts in an inverse; a longer gesture keeps only the parts from its beginning."""

Pose: TypeAlias = tuple[float, float, float]
"""x, y, angle: meters and radians."""
NewIds: TypeAlias = dict[tuple[int, str, int], int]
"""New ids of recreated objects, by (stage, kind, old id); kind is "body", "fixture" or "joint"."""


class Size(NamedTuple):
    """Counts of bodies, shapes (fixtures) and joints."""

    bodies: int = 0
    shapes: int = 0
    joints: int = 0

    def plus(self, other: Size) -> Size:
        """Return the element-wise sum."""
        return Size(*(a + b for a, b in zip(self, other, strict=True)))


class Action(msgspec.Struct, frozen=True, tag=True, omit_defaults=True, forbid_unknown_fields=True):
    """Base class of all actions, which the module describes."""

    undoable: ClassVar[bool] = True
    """True if undo stops before the action; False if the action belongs to an earlier action, as a drag belongs to its grab."""
    guests_may: ClassVar[bool] = True
    """True if guests of a shared simulation may send the action."""
    may_create: ClassVar[bool] = False
    """True if the action can create a body, a fixture or a joint."""
    uses_hand: ClassVar[bool] = True
    """True if the action is applied with the grip, held keys and id range of its user."""
    takes_back: ClassVar[bool] = False
    """True if the action may be part of an `Inverse`."""
    needs_user: ClassVar[bool] = False
    """True if the action is only valid from a user of a shared simulation."""
    is_of_a_world: ClassVar[bool] = False
    """True if the action refers to objects of a world by id, and is therefore invalid after a rebuild."""

    def apply(self, sim: Any) -> Any:
        """Apply the action to a simulation, an `engine.sim.demo.Simulation`.

        Returns
        -------
        object
            The result, such as a new id; False if nothing changed, so that the action is not part of the history.

        Raises
        ------
        LabError
            The demo or its world rejects it.
        """
        raise NotImplementedError

    def perform(self, sim: Any) -> tuple[Any, Inverse | None]:
        """Apply the action; return its result and its inverse for a shared simulation, or None."""
        return self.apply(sim), None

    def check(self, sim: Any) -> None:
        """Raise `LabError` if this demo does not allow the action in a shared simulation."""

    def context(self, sim: Any) -> AbstractContextManager[object]:
        """Return the context manager in which the action is applied."""
        return nullcontext()

    def resolve(self, sim: Any) -> Action:
        """Return an action that has the same effect in every copy of the simulation, independent of the local view."""
        return self

    def without_files(self, folder: Path | None = None) -> Action:
        """Return the action without file names, except for files in `folder`; for sending and recording."""
        return self

    @property
    def begins(self) -> bool:
        """True if undo stops before this action."""
        return self.undoable

    @property
    def size(self) -> Size:
        """Counts of the objects the action creates, as far as its fields show."""
        return Size()

    def removed(self, sim: Any) -> Size:
        """Return counts of the objects it destroys, which its inverse would recreate."""
        return Size()

    def work(self, sim: Any) -> float:
        """Return the cost per step that the action causes, relative to the solver's default settings."""
        return 1.0

    # -- as part of an inverse

    @property
    def target(self) -> tuple[object, ...] | None:
        """Key of the value that the action sets, or None; if several actions have the same target, only the last one has an effect."""
        return None

    def renumbered(self, ids: NewIds) -> Action:
        """Return the action with the new ids of recreated bodies, fixtures and joints."""
        return self

    def placed(self, sim: Any, part: Part, inverse: Inverse) -> Action:
        """Return the action adapted to current poses: recreated objects follow the bodies they were joined to."""
        return self

    def note_created(self, sim: Any, part: Part, made: int, ids: NewIds) -> None:
        """Add the new ids of the recreated objects to `ids`; `made` is the result of `apply`."""


@dataclass(frozen=True, slots=True)
class Part:
    """An action of an inverse.

    Attributes
    ----------
    action : Action
    old : tuple of int
        Previous ids of the objects it recreates; for a body, its id and those of its fixtures.
    poses : tuple of (x, y, angle)
        If the action recreates a joint, the poses of its two bodies to which the anchors refer, meters and radians.
    """

    action: Action
    old: tuple[int, ...] = ()
    poses: tuple[Pose, ...] = ()


@dataclass(frozen=True, slots=True)
class Inverse:
    """Actions that revert an action, in order; no parts if it cannot be reverted. `words` names the action in messages."""

    words: str
    parts: tuple[Part, ...] = ()

    def and_before(self, other: Inverse) -> Inverse:
        """Return the inverse of this and a later action of the same gesture; for equal targets, the earlier value wins."""
        known = {target for part in self.parts if (target := part.action.target) is not None}
        new = tuple(part for part in other.parts if part.action.target not in known)
        return Inverse(self.words, (*new, *self.parts)[-MAX_PARTS:])

    @property
    def is_of_a_world(self) -> bool:
        """True if a part refers to objects of a world by id."""
        return any(part.action.is_of_a_world for part in self.parts)

    @property
    def size(self) -> Size:
        """Counts of the objects it creates."""
        total = Size()
        for part in self.parts:
            total = total.plus(part.action.size)
        return total

    def renumbered(self, ids: NewIds) -> Inverse:
        """Return the inverse with the new ids of recreated objects."""
        return Inverse(self.words, tuple(replace(part, action=part.action.renumbered(ids)) for part in self.parts))


@dataclass(frozen=True, slots=True)
class Input:
    """An action in the history. `user` is 0 for a single user; `is_refused` is set when the input is applied, and is not recorded."""

    action: Action
    user: int = 0
    is_refused: bool = False

    @property
    def begins(self) -> bool:
        """True if undo stops before this input."""
        return self.action.begins
