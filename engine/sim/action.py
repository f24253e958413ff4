"""An action: one change that a user, or the program, makes to a simulation; each kind is a class with its fields and its `apply`.

    class Explode(Action, frozen=True):
        stage: Index
        body: Index

        def apply(self, sim: Simulation) -> None:
            sim.world(self.stage).apply_impulse(self.body, (0.0, 50.0))

That class is all that a new kind needs. Its objects are undone by going back in the history, written to recordings, sent to a shared world
and applied again from there, always by `Simulation.act`. Fields hold plain data: numbers, texts, tuples, dicts of such. The kinds of this
program are in `engine.sim.actions`, with the codec that checks every field against its type.

Where one person plays, undo goes back in time. In a shared world that would take back what the others did since; so an action is taken
back there by other actions, its `Inverse`: what it created is destroyed, what it destroyed is created again with its joints, what it set
gets its values from before. (T. Berlage, A Selective Undo Mechanism for Graphical User Interfaces Based on Command Objects, ACM TOCHI 1,
1994.) What is created again has other ids; `renumbered` puts them in place of those that older inverses name.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta

from engine.common.installation import require

require("msgspec")

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
"""Characters of a key, a parameter's name or a solver's name."""

_MAX = 1e300
Number: TypeAlias = Annotated[float, Meta(ge=-_MAX, le=_MAX)]
"""A finite number; what it may be beyond that is checked by the world."""
Point: TypeAlias = tuple[Number, Number]
Index: TypeAlias = Annotated[int, Meta(ge=0, le=2**62)]
"""The number of a stage, or the id of a body, a fixture or a joint."""
Held: TypeAlias = tuple[Index, Index, Point]
"""Grip of a hand: the stage, the body, and the point of it in its own frame, meters."""
Text: TypeAlias = Annotated[str, Meta(max_length=MAX_TEXT)]

MAX_PARTS = 1000
"""Parts of one inverse: of a gesture with more, its beginning stays."""

Pose: TypeAlias = tuple[float, float, float]
"""x, y, angle: meters and radians."""
NewIds: TypeAlias = dict[tuple[int, str, int], int]
"""By stage, kind ("body", "fixture", "joint") and the id that it had, the id that it has."""


class Size(NamedTuple):
    """Counts of bodies, shapes (fixtures) and joints."""

    bodies: int = 0
    shapes: int = 0
    joints: int = 0

    def plus(self, other: Size) -> Size:
        """Return the sums."""
        return Size(*(a + b for a, b in zip(self, other, strict=True)))


class Action(msgspec.Struct, frozen=True, tag=True, omit_defaults=True, forbid_unknown_fields=True):
    """Base of all actions; see the module."""

    undoable: ClassVar[bool] = True
    """True if undo stops before it; False for what belongs to an earlier action, as a drag belongs to its grab."""
    guests_may: ClassVar[bool] = True
    """True if a guest of a shared world may send it."""
    is_by_program: ClassVar[bool] = False
    """True if the program does it by itself: what was undone can be redone still."""
    may_create: ClassVar[bool] = False
    """True if it can create a body, a fixture or a joint."""
    uses_hand: ClassVar[bool] = True
    """True if it is applied with the hand, the keys and the new ids of its user."""
    takes_back: ClassVar[bool] = False
    """True if an `Inverse` may be made of it."""
    needs_user: ClassVar[bool] = False
    """True if only one of several users can do it."""
    is_of_a_world: ClassVar[bool] = False
    """True if it means nothing after the worlds were built anew: it names things in them."""

    def apply(self, sim: Any) -> Any:
        """Change a simulation, a `engine.sim.demo.Simulation`.

        Returns
        -------
        object
            What the action made, such as an id; False if it changed nothing, and is no part of the history.

        Raises
        ------
        LabError
            The demo or its world refuses it.
        """
        raise NotImplementedError

    def perform(self, sim: Any) -> tuple[Any, Inverse | None]:
        """Apply it; return its result and what takes it back in a shared world, None if nothing does."""
        return self.apply(sim), None

    def check(self, sim: Any) -> None:
        """Raise `LabError` if none of several users may do it in this demo."""

    def context(self, sim: Any) -> AbstractContextManager[object]:
        """Return the context in which it is applied."""
        return nullcontext()

    def resolve(self, sim: Any) -> Action:
        """Return it as every other copy of the simulation has to apply it, independent of what is seen here."""
        return self

    def without_files(self, folder: Path | None = None) -> Action:
        """Return it without names of files, but for those in a folder: as it is sent to others, or recorded."""
        return self

    @property
    def begins(self) -> bool:
        """True if undo stops before this one."""
        return self.undoable

    @property
    def size(self) -> Size:
        """Counts of what it creates in the worlds, as far as its fields say."""
        return Size()

    def removed(self, sim: Any) -> Size:
        """Return what it destroys in the worlds, which taking it back creates again."""
        return Size()

    def work(self, sim: Any) -> float:
        """Return how many times the work of the solver's default settings it asks of each step."""
        return 1.0

    # -- as part of an inverse

    @property
    def target(self) -> tuple[object, ...] | None:
        """Key of the value that it sets: of two actions with one target the later alone counts; None if it sets nothing."""
        return None

    def renumbered(self, ids: NewIds) -> Action:
        """Return it with the new ids of bodies, fixtures and joints that were created again."""
        return self

    def placed(self, sim: Any, part: Part, inverse: Inverse) -> Action:
        """Return it such that what it creates again lies where it belongs now."""
        return self

    def note_created(self, sim: Any, part: Part, made: int, ids: NewIds) -> None:
        """Add the new ids of what it created again, as a part of an inverse."""


@dataclass(frozen=True, slots=True)
class Part:
    """An action of an inverse.

    Attributes
    ----------
    action : Action
    old : tuple of int
        The ids that what it creates had before: of a body its own and those of its fixtures.
    poses : tuple of (x, y, angle)
        Poses of the bodies of a joint that it creates, when its anchors were where it names them, meters and radians.
    """

    action: Action
    old: tuple[int, ...] = ()
    poses: tuple[Pose, ...] = ()


@dataclass(frozen=True, slots=True)
class Inverse:
    """Actions that take an action back, in order; none if nothing can. `words` name the action."""

    words: str
    parts: tuple[Part, ...] = ()

    def and_before(self, other: Inverse) -> Inverse:
        """Return the inverse of two actions of one gesture, of which this is the first: where both set the same, the first counts."""
        known = {target for part in self.parts if (target := part.action.target) is not None}
        new = tuple(part for part in other.parts if part.action.target not in known)
        return Inverse(self.words, (*new, *self.parts)[-MAX_PARTS:])

    @property
    def is_of_a_world(self) -> bool:
        """True if it means nothing in another world."""
        return any(part.action.is_of_a_world for part in self.parts)

    @property
    def size(self) -> Size:
        """Counts of what it creates."""
        total = Size()
        for part in self.parts:
            total = total.plus(part.action.size)
        return total

    def renumbered(self, ids: NewIds) -> Inverse:
        """Return it with the ids of what was created again."""
        return Inverse(self.words, tuple(replace(part, action=part.action.renumbered(ids)) for part in self.parts))


@dataclass(frozen=True, slots=True)
class Input:
    """An action in the history, by a user, or 0 where one person plays; `is_refused` is known once it was applied, and not recorded."""

    action: Action
    user: int = 0
    is_refused: bool = False

    @property
    def begins(self) -> bool:
        """True if undo stops before it."""
        return self.action.begins
