"""Validation of a demo's state, for example one from another computer, before it is applied.

This covers the attributes of the demo base class, the simulation and the users. Worlds are validated by `engine.sim.world_state`; the
values of a demo's own attributes are not validated: see the section on trust in docs/network.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from engine.common.errors import renamed
from engine.sim.action import Action
from engine.sim.demo import Demo
from engine.sim.dropping import DroppedBody
from engine.sim.grip import Grip
from engine.sim.parameters import parameter_values
from engine.sim.users import MAX_USERS, PUSHES, SPEEDS, User, Users
from engine.sim.values import StateError, can_be_set, class_name
from engine.world import WorldSettings
from engine.world.solver import load_solver, solver_name

__all__ = ["check_state"]

_ALWAYS = ("values", "steps", "held", "ready", "dropped", "_grip")
"""Attributes that every demo has at any time."""


def check_state(demo: Demo, own: Mapping[str, Any], sim: Mapping[str, Any]) -> None:
    """Validate the decoded attributes of a demo (`own`) and of its simulation (`sim`).

    They must have the same types as in this demo, or be None. The demo's own attributes must include all those of a newly built demo, and
    shadow no attribute of the base class.

    Raises
    ------
    StateError, InvalidInputError
        An attribute is invalid; the message names it. Other wrong types may raise any exception.
    """
    present, attributes = demo.state_attributes(), vars(demo)
    for name in own:
        if not can_be_set(type(demo), name) or (name not in present and (name in attributes or hasattr(Demo, name))):
            raise StateError(f"{name!r:.80} is not part of a state")
    is_new = demo.steps == 0 and not demo.sim.users.users
    _check_alike(own, present, "", sorted(present) if is_new else _ALWAYS, f"every {demo.id}")
    if parameter_values(demo.parameters, own["values"]) != own["values"]:
        raise StateError("values must have every parameter")
    _check_dropped(demo, own["dropped"])
    _check_grip(demo, own["_grip"])
    expected = demo.sim.state_attributes()
    _check_alike(sim, expected, "sim.", expected)
    for name in ("solver", "built_for"):
        if sim[name] is not None:
            solver_name(f"sim.{name}", sim[name])
    with renamed(lambda field: f"sim.{field}"):
        settings = WorldSettings(hertz=sim["hertz"] or 60.0, solver_settings=sim["solver_settings"] or ())
        if sim["solver"] is not None:  # otherwise each world has its own solver
            load_solver(sim["solver"]).accept(settings)
    _check_users(demo, sim["users"])


def _check_alike(state: Mapping[str, Any], present: Mapping[str, Any], path: str, names: Iterable[str], owner: str = "it") -> None:
    """Check that a state has these `names`, and that its values have the types of `present`, or are None; int and float are alike."""
    for name in names:
        if name not in state:
            raise StateError(f"the state must have '{path}{name}', as {owner} has")
    for name, value in state.items():
        kinds = {type(value), type(present.get(name))} - {type(None)}
        if len(kinds) > 1 and not kinds <= {int, float}:
            raise StateError(f"{path}{name} must be of type {type(present[name]).__name__}, got {type(value).__name__}")


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


_NEW_USER = {field.name: getattr(User(), field.name) for field in fields(User)}


def _check_users(demo: Demo, users: object) -> None:
    if type(users) is not Users:
        raise StateError("sim.users must be of type Users")
    expected = vars(Users())
    _check_alike(vars(users), expected, "sim.users.", expected)
    if users.speed not in SPEEDS or set(users.users) & set(users.away):
        raise StateError("sim.users must have a speed in SPEEDS, and no user both present and away")
    for number, user in (*users.users.items(), *users.away.items()):
        path = f"sim.users[{number}]"
        if not 1 <= number <= MAX_USERS or type(user) is not User:
            raise StateError(f"{path} must be a user")
        _check_alike({field.name: getattr(user, field.name) for field in fields(user)}, _NEW_USER, f"{path}.", ())
        _check_grip(demo, user.grip)
        if not user.pushes <= set(PUSHES):
            raise StateError(f"{path} must have only force keys in pushes")
        for part in (part for inverse in user.undo for part in inverse.parts):
            if not isinstance(part.action, Action) or not part.action.takes_back:
                raise StateError(f"{path}.undo must contain only actions that are allowed in an inverse")
