"""Actions of the users of a shared simulation alone: come and go, push a body, stop the time, take their own actions back."""

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
    """Come as a newcomer, or come back as the user of this number: then what was done before can be taken back still."""

    is_back: bool = False
    undoable = guests_may = uses_hand = False
    needs_user = True

    def apply(self, sim: Simulation) -> None:
        sim.users.join(integer("user", sim.user_number, 1, MAX_USERS), self.is_back)


class Leave(Action, frozen=True):
    """Let go of everything, and be away."""

    undoable = guests_may = uses_hand = False
    needs_user = True

    def apply(self, sim: Simulation) -> None:
        sim.users.leave(sim.demo, sim.checked_user(sim.user_number))


class Drive(Action, frozen=True):
    """Let the user's force keys push a body; stage -1 is none."""

    stage: Annotated[int, Meta(ge=-1, le=2**62)]
    body: Index
    undoable = False
    takes_back = needs_user = True
    is_of_a_world = True

    def apply(self, sim: Simulation) -> None:
        user = sim.acting_user
        if self.stage >= 0 and not sim.has_body(self.stage, self.body):
            raise InvalidInputError("body", "one that there is", self.body)
        user.drives = (self.stage, self.body) if self.stage >= 0 else None
        if user.drives is None:
            user.pushes = set()

    def perform(self, sim: Simulation) -> tuple[None, Inverse | None]:
        before = sim.acting_user.drives
        self.apply(sim)
        return None, Inverse("the choice of what is driven", (Part(Drive(*(before if before is not None else (-1, 0)))),))

    def renumbered(self, ids: NewIds) -> Action:
        return replace(self, body=ids.get((self.stage, "body", self.body), self.body))


class Pause(Action, frozen=True):
    """Stop the time of all users, or let it go on."""

    paused: bool
    needs_user = True

    def apply(self, sim: Simulation) -> None:
        sim.users.paused = self.paused


class SetSpeed(Action, frozen=True):
    """Set the steps to a tick, one of `SPEEDS`."""

    speed: Number
    needs_user = True

    def apply(self, sim: Simulation) -> None:
        if self.speed not in SPEEDS:
            raise InvalidInputError("speed", "one of " + ", ".join(map(str, SPEEDS)), self.speed)
        sim.users.speed = float(self.speed)


class UndoOwn(Action, frozen=True):
    """Take back the user's last action that can be; one that cannot is dropped, so that the one before it comes next."""

    may_create = needs_user = True

    def apply(self, sim: Simulation) -> None:
        users, user = sim.users, sim.acting_user
        if not user.undo:
            raise LabError("there is nothing of yours to take back")
        new = take_back(sim, user.undo.pop())
        for other in (*users.users.values(), *users.away.values()) if new else ():
            other.undo = [inverse.renumbered(new) for inverse in other.undo]


class GoAlone(Action, frozen=True):
    """Go on alone with a simulation that several users shared: they leave, and what they had paused goes on."""

    guests_may = False

    def apply(self, sim: Simulation) -> None:
        sim.users.close(sim.demo)


def take_back(sim: Simulation, inverse: Inverse) -> NewIds:
    """Apply an inverse; return the ids of what was created again.

    What others have destroyed meanwhile is left out.

    Raises
    ------
    LabError
        None of it can be done.
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
        raise LabError(f"{inverse.words} cannot be taken back" + (f": {why}" if why else ""))
    return ids
