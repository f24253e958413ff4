"""Actions for shared simulations only, with which users join and leave, push a body, pause, and undo their own actions."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from engine.common.checks import integer
from engine.common.errors import InvalidInputError, LabError
from engine.sim.action import Action, Index, Inverse, NewIds, Number, Part
from engine.sim.actions.pointer import Release
from engine.sim.demo import Simulation
from engine.sim.users import MAX_USERS, SPEEDS

__all__ = ["Drive", "GoAlone", "Join", "Leave", "Pause", "SetSpeed", "UndoOwn", "take_back"]


class Join(Action, frozen=True):
    """Join as a new user or, if `is_back`, rejoin as the previous user with this number, keeping the undo history."""

    is_back: bool = False
    undoable = guests_may = uses_hand = False
    needs_user = True

    def apply(self, sim: Simulation) -> None:
        sim.users.join(integer("user", sim.user_number, 1, MAX_USERS), self.is_back)


class Leave(Action, frozen=True):
    """Leave the simulation; releases all keys and the grabbed body."""

    undoable = guests_may = uses_hand = False
    needs_user = True

    def apply(self, sim: Simulation) -> None:
        sim.users.leave(sim.demo, sim.checked_user(sim.user_number))


class Drive(Action, frozen=True):
    """Choose the body that the user's force keys push; stage -1 means none."""

    stage: Annotated[int, Meta(ge=-1, le=2**62)]
    body: Index
    undoable = False
    takes_back = needs_user = True
    is_of_a_world = True

    def apply(self, sim: Simulation) -> None:
        user = sim.acting_user
        if self.stage >= 0 and not sim.has_body(self.stage, self.body):
            raise InvalidInputError("body", "an existing body", self.body)
        user.drives = (self.stage, self.body) if self.stage >= 0 else None
        if user.drives is None:
            user.pushes = set()

    def perform(self, sim: Simulation) -> tuple[None, Inverse | None]:
        before = sim.acting_user.drives
        self.apply(sim)
        return None, Inverse("the choice of the driven body", (Part(Drive(*(before if before is not None else (-1, 0)))),))

    def renumbered(self, ids: NewIds) -> Action:
        return replace(self, body=ids.get((self.stage, "body", self.body), self.body))


class Pause(Action, frozen=True):
    """Pause or resume the simulation for all users."""

    paused: bool
    needs_user = True

    def apply(self, sim: Simulation) -> None:
        sim.users.paused = self.paused


class SetSpeed(Action, frozen=True):
    """Set the number of steps per tick, one of `SPEEDS`."""

    speed: Number
    needs_user = True

    def apply(self, sim: Simulation) -> None:
        if self.speed not in SPEEDS:
            raise InvalidInputError("speed", "one of " + ", ".join(map(str, SPEEDS)), self.speed)
        sim.users.speed = float(self.speed)


class UndoOwn(Action, frozen=True):
    """Undo the user's last action; if that fails, the action is dropped, so that the next call tries the one before it."""

    may_create = needs_user = True

    def apply(self, sim: Simulation) -> None:
        users, user = sim.users, sim.acting_user
        if not user.undo:
            raise LabError("you have nothing to undo")
        new = take_back(sim, user.undo.pop())
        for other in (*users.users.values(), *users.away.values()) if new else ():
            other.undo = [inverse.renumbered(new) for inverse in other.undo]


class GoAlone(Action, frozen=True):
    """Continue a shared simulation as a single user: all users leave, and a pause ends."""

    guests_may = False

    def apply(self, sim: Simulation) -> None:
        sim.users.close(sim.demo)


def take_back(sim: Simulation, inverse: Inverse) -> NewIds:
    """Apply an inverse; return the new ids of recreated objects.

    Parts that refer to objects destroyed in the meantime are skipped.

    Raises
    ------
    LabError
        No part could be applied.
    """
    ids: NewIds = {}
    why, is_done = "", False
    for part in inverse.parts:
        try:
            action = part.action.renumbered(ids)
            result = (action.placed(sim, part, inverse) if part.old else action).apply(sim)
        except LabError as error:
            why = why or str(error)
            continue
        is_done |= not isinstance(action, Release)
        if part.old:
            action.note_created(sim, part, result, ids)
    if not is_done:
        raise LabError(f"{inverse.words} cannot be undone" + (f": {why}" if why else ""))
    return ids
