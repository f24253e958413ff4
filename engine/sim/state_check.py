"""Validation of a demo's state, for example one from another computer, before it is applied.

This covers the attributes of the demo base class, the simulation and the users. Worlds are validated by `engine.sim.world_state`; the
values of a demo's own attributes are not validated: see the section on trust in docs/network.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from math import isfinite
from typing import Annotated, Any

import msgspec

from engine.common.errors import renamed
from engine.sim.action import Action, Inverse, Part
from engine.sim.demo import Demo
from engine.sim.dropping import DroppedBody
from engine.sim.grip import Grip
from engine.sim.ids import IDS_OF_A_USER
from engine.sim.parameters import parameter_values
from engine.sim.users import MAX_UNDO, MAX_USERS, PUSHES, SIXTEENTHS, SPEEDS, User, Users
from engine.sim.values import StateError, can_be_set, class_name
from engine.world import WorldSettings
from engine.world.solver import load_solver, solver_name

__all__ = ["check_state"]

_Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class _DemoState(msgspec.Struct):
    """Attributes common to all demos; further attributes are allowed."""

    values: dict[str, float]
    steps: _Count
    held: set[str]
    dropped: list[Any]
    _grip: Any


class _SimulationState(msgspec.Struct, forbid_unknown_fields=True):
    solver: str | None
    solver_settings: tuple[tuple[str, float | str], ...] | None
    built_for: str | None
    hertz: Annotated[float, msgspec.Meta(ge=1.0, le=10_000.0)] | None
    keeps_solver_state: bool
    users: Any
    _is_settled: bool


class _UsersState(msgspec.Struct, forbid_unknown_fields=True):
    users: dict[int, Any]
    away: dict[int, Any]
    is_shared: bool
    ticks: _Count
    paused: bool
    speed: float
    _owed: Annotated[int, msgspec.Meta(ge=0, lt=SIXTEENTHS)]


class _UserState(msgspec.Struct, forbid_unknown_fields=True):
    grip: Any
    held: set[str]
    pushes: set[str]
    drives: tuple[_Count, _Count] | None
    next_ids: dict[int, tuple[_Count, _Count, _Count]]
    undo: Annotated[list[Any], msgspec.Meta(max_length=MAX_UNDO)]


def check_state(demo: Demo, own: Mapping[str, Any], sim: Mapping[str, Any], is_kept: bool = False) -> None:
    """Validate the decoded attributes of a demo (`own`) and of its simulation (`sim`).

    Unless `is_kept`, the demo's own attributes must include all those of a newly built demo, have the same types as in this demo (or be
    None), and shadow no attribute of the base class.

    Raises
    ------
    StateError, InvalidInputError
        An attribute is invalid; the message names it.
    """
    _convert(own, _DemoState, "demo")
    _check_own(demo, own)
    if not is_kept:
        _check_names(demo, own)
        _check_types(demo, own)
    _check_dropped(demo, own["dropped"])
    _check_grip(demo, own["_grip"])
    _convert(sim, _SimulationState, "sim")
    for name in ("solver", "built_for"):
        if sim[name] is not None:
            solver_name(f"sim.{name}", sim[name])
    if sim["solver_settings"] is not None:
        with renamed(lambda field: f"sim.{field}"):
            settings = WorldSettings(solver_settings=sim["solver_settings"])
            if sim["solver"] is not None:  # otherwise each world has its own solver
                load_solver(sim["solver"]).accept(settings)
    _check_users(demo, sim["users"])


def _convert(state: Mapping[str, Any], kind: type[msgspec.Struct], path: str) -> None:
    try:
        converted = msgspec.convert(state, kind)
    except msgspec.ValidationError as error:
        raise StateError(f"{path}: {error}") from None
    for name in kind.__struct_fields__:
        value, made = state.get(name), getattr(converted, name)
        if made != value or (isinstance(made, set | dict | list | tuple) and type(made) is not type(value)):
            raise StateError(f"{path}.{name} must be {made!r:.80}, got {value!r:.80}")  # such as a list instead of a tuple


def _check_types(demo: Demo, own: Mapping[str, Any]) -> None:
    present, numbers = demo.state_attributes(), (int, float)
    for name, value in own.items():
        other = present.get(name)
        is_alike = type(value) is type(other) or (type(value) in numbers and type(other) in numbers)
        if value is not None and other is not None and not is_alike:
            raise StateError(f"{name} must be of type {type(other).__name__}, got {type(value).__name__}")


def _check_own(demo: Demo, own: Mapping[str, Any]) -> None:
    if parameter_values(demo.parameters, own["values"]) != own["values"]:
        raise StateError("values must have every parameter")
    present, attributes = demo.state_attributes(), vars(demo)
    for name in own:
        if not can_be_set(type(demo), name) or (name in attributes and name not in present):
            raise StateError(f"{name!r:.80} is not part of a state")


def _check_names(demo: Demo, own: Mapping[str, Any]) -> None:
    present = demo.state_attributes()
    for name in own:
        if name not in present and hasattr(Demo, name):
            raise StateError(f"{name!r:.80} is not part of a state")
    missing = sorted(present.keys() - own.keys())
    if missing and demo.steps == 0 and not demo.sim.users.users:
        raise StateError(f"the state must have {missing[0]!r:.80}, as every state of {demo.id} has")


def _check_dropped(demo: Demo, dropped: Sequence[Any]) -> None:
    for body in dropped:
        if type(body) is not DroppedBody or body.stage not in demo.stages or type(body.body) is not int:
            raise StateError("dropped must contain bodies of the demo's stages")
        if class_name(type(body.file)) not in _FILES or class_name(type(body.picture)) not in _PICTURES:
            raise StateError("dropped must contain body files or scene pictures")
    for picture in {id(body.picture): body.picture for body in dropped if body.picture is not None}.values():
        replace(picture)  # runs the constructor's checks, which decoding skips


_FILES = frozenset({"builtins:NoneType", "engine.decompose.body_file:BodyFile"})
_PICTURES = frozenset({"builtins:NoneType", "engine.scenes.pictures:BodyPicture"})
"""Classes by name, because most demos never import them."""


def _check_grip(demo: Demo, grip: object) -> None:
    if grip is not None and (type(grip) is not Grip or grip.stage not in demo.stages or type(grip.joint) is not int):
        raise StateError("a grip must refer to a joint of the demo's stages")


def _check_users(demo: Demo, users: object) -> None:
    if type(users) is not Users:
        raise StateError("sim.users must be of type Users")
    _convert(vars(users), _UsersState, "sim.users")
    if users.speed not in SPEEDS or set(users.users) & set(users.away):
        raise StateError("sim.users must have a speed in SPEEDS, and no user both present and away")
    for number, user in (*users.users.items(), *users.away.items()):
        path = f"sim.users[{number}]"
        if not 1 <= number <= MAX_USERS or type(user) is not User:
            raise StateError(f"{path} must be a user")
        _convert({field.name: getattr(user, field.name) for field in fields(user)}, _UserState, path)
        _check_grip(demo, user.grip)
        if not user.pushes <= set(PUSHES):
            raise StateError(f"{path} must have only force keys in pushes")
        if not all(0 <= id - number * IDS_OF_A_USER <= IDS_OF_A_USER for ids in user.next_ids.values() for id in ids):
            raise StateError(f"{path}.next_ids must be in the user's own range")
        for inverse in user.undo:
            _check_inverse(inverse, f"{path}.undo")


def _check_inverse(inverse: object, place: str) -> None:
    """Reject an inverse with actions that are not allowed in one, because it may be applied later."""
    if type(inverse) is not Inverse or type(inverse.words) is not str or type(inverse.parts) is not tuple:
        raise StateError(f"{place} must contain inverses")
    for part in inverse.parts:
        if type(part) is not Part or not isinstance(part.action, Action) or not part.action.takes_back:
            raise StateError(f"{place} must contain only actions that are allowed in an inverse")
        if not all(type(pose) is tuple and len(pose) == 3 and all(type(x) is float and isfinite(x) for x in pose) for pose in part.poses):
            raise StateError(f"{place} must have poses of three finite numbers")
        if (
            not all(type(old) is int for old in part.old)
            or len(part.old) not in (0, sum(part.action.size))
            or len(part.poses) not in (0, 2)
        ):
            raise StateError(f"{place} must have the old ids of the recreated objects")
