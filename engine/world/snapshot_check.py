"""Whether a snapshot that came from elsewhere is one that a world can take: before any solver sees a number of it.

A snapshot of `World.snapshot` is right by construction. One that was sent may be damaged, or made by somebody who means harm, and a solver
would believe it: Box2D asserts in the middle of a step, compiled code reads past an array.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from engine.common.checks import integer
from engine.common.errors import Described, InvalidInputError, renamed
from engine.common.limits import MAX_COORDINATE, MAX_SPEED
from engine.contracts import StepContacts
from engine.geometry import Transform
from engine.world.joint_specs import bodies_of
from engine.world.joints import ResolvedJoint, check_ends, resolve
from engine.world.records import MAX_MOTION, BodyMotion
from engine.world.snapshot import WorldSnapshot
from engine.world.solver import load_solver
from engine.world.specs import BodySpec

__all__ = ["check_column", "check_contacts", "check_snapshot"]

_MAX_ID = 2**31 - 1
_MAX_STEPS = 2**53
_UNIT_ROUNDING = 1.0e-5
"""By how much an axis of float32 may miss the length of 1."""
_COLUMNS: Mapping[str, tuple[str, tuple[int, ...]]] = {
    **dict.fromkeys(("fixture_a", "fixture_b", "body_a", "body_b", "count"), ("int64", ())),
    **dict.fromkeys(("pose_a", "pose_b"), ("float64", (3,))),
    **{"normal": ("float64", (2,)), "position": ("float64", (2, 2)), "feature_id": ("int64", (2,)), "state": ("int8", (2,))},
    **dict.fromkeys(("separation", "normal_impulse", "tangent_impulse"), ("float64", (2,))),
    **dict.fromkeys(("evaluated", "in_toi"), ("bool", ())),
}
"""Columns of `StepContacts`: the kind of number, and the shape of a row."""


def check_column(field: str, value: object, shape: tuple[int, ...], *kinds: str, most: float = np.inf) -> NDArray[Any]:
    """Return an array, checked: of one of these kinds of number, of this shape, finite, of magnitude `most` at most.

    Raises
    ------
    InvalidInputError
        It is not.
    """
    if not isinstance(value, np.ndarray) or value.dtype.name not in kinds or value.shape != shape:
        kind = f"{value.dtype} of {value.shape}" if isinstance(value, np.ndarray) else type(value).__name__
        raise InvalidInputError(field, f"{' or '.join(kinds)} of shape {shape}", Described(kind))
    if value.dtype.kind == "f" and not (np.isfinite(value).all() and (np.abs(value) <= most).all()):
        raise InvalidInputError(field, f"finite numbers of magnitude {most:g} at most", Described("others"))
    return value


def check_snapshot(snapshot: WorldSnapshot, path: str = "snapshot") -> None:
    """Refuse a snapshot, all but its contacts, that the world of its solver could not be in.

    Raises
    ------
    InvalidInputError
        Names what is wrong with its place below `path`.
    """
    with renamed(lambda field: f"{path}.{field}"):
        solver = load_solver(snapshot.solver)
        if solver.accept(snapshot.settings) != snapshot.settings:
            raise InvalidInputError("settings", "as the solver holds them", Described("others"))
        integer("step_index", snapshot.step_index, 0, _MAX_STEPS)
        _check_ids(snapshot)
        _check_motion(snapshot)
        _check_joints(snapshot)
        solver.check_memory(snapshot)


def _check_ids(snapshot: WorldSnapshot) -> None:
    """Ids ascend, lie below the next ones, and each fixture is of the body that has it."""
    if len(snapshot.next_ids) != 3:
        raise InvalidInputError("next_ids", "three numbers", snapshot.next_ids)
    for number in snapshot.next_ids:
        integer("next_ids", number, 0, _MAX_ID)
    for name, entries in (("bodies", snapshot.bodies), ("fixtures", snapshot.fixtures), ("joints", snapshot.joints)):
        last = -1
        for entry in cast(tuple[tuple[Any, ...], ...], entries):
            last = integer(f"{name}.id", entry[0], last + 1, _MAX_ID)
    listed = sorted((fixture, body) for body, _, fixtures in snapshot.bodies for fixture in fixtures)
    if listed != [(fixture, body) for fixture, body, _ in snapshot.fixtures] or any(spec.fixtures for _, spec, _ in snapshot.bodies):
        raise InvalidInputError(
            "fixtures", "each of the body that lists it", Described(f"{len(listed)} of bodies, {len(snapshot.fixtures)}")
        )
    known = {body for body, _, _ in snapshot.bodies}
    for out in snapshot.out_of_range:
        integer("out_of_range", out, 0, _MAX_ID)
    if len(snapshot.out_of_range) > len(set(snapshot.out_of_range)) + len(known):
        raise InvalidInputError("out_of_range", "bodies", Described("more than there are"))


def _check_motion(snapshot: WorldSnapshot) -> None:
    motion, n = snapshot.state.motion, len(snapshot.bodies)
    if not isinstance(motion, BodyMotion):
        raise InvalidInputError("motion", "that of bodies", Described(type(motion).__name__))
    values = check_column("motion.values", motion.values, (n, 6), np.dtype(load_solver(snapshot.solver).capabilities.precision).name)
    check_column("motion.awake", motion.awake, (n,), "bool")
    is_active = np.array([spec.active for _, spec, _ in snapshot.bodies], dtype=np.bool_)
    is_static = np.array([spec.type == "static" for _, spec, _ in snapshot.bodies], dtype=np.bool_)
    if (np.abs(values[is_active]) > MAX_MOTION).any():
        raise InvalidInputError("motion.values", f"within {MAX_COORDINATE:g} m and {MAX_SPEED:g} m/s of an active body", Described("more"))
    if values[is_static, 3:].any():
        raise InvalidInputError("motion.values", "at rest of a static body", Described("a velocity"))


def _check_joints(snapshot: WorldSnapshot) -> None:
    bodies = {body: spec for body, spec, _ in snapshot.bodies}
    joints: dict[int, ResolvedJoint] = {}
    for number, joint in snapshot.joints:
        with renamed(lambda field, number=number: f"joints {number}: {field}"):  # type: ignore[misc]
            _check_joint(number, joint, bodies, joints)
        joints[number] = joint


def _check_joint(number: int, joint: ResolvedJoint, bodies: Mapping[int, BodySpec], before: Mapping[int, ResolvedJoint]) -> None:
    if abs(np.hypot(*joint.local_axis_a) - 1.0) > _UNIT_ROUNDING:
        raise InvalidInputError("local_axis_a", "a unit vector", joint.local_axis_a)
    if any(body not in bodies for body in bodies_of(joint.spec)):
        raise InvalidInputError("bodies", "those of the world", joint.bodies)
    check_ends(number, joint.spec, lambda body: bodies[body].type, before)
    expected = resolve(joint.spec, lambda _: Transform(), before).bodies
    if joint.bodies != expected:
        raise InvalidInputError("bodies", f"{expected}", joint.bodies)


def check_contacts(contacts: StepContacts, path: str = "snapshot") -> None:
    """Refuse contacts that no step could return.

    Raises
    ------
    InvalidInputError
        Names what is wrong with its place below `path`.
    """
    with renamed(lambda field: f"{path}.contacts.{field}"):
        integer("step", contacts.step, 0, _MAX_STEPS)
        columns = {name: getattr(contacts, name) for name in _COLUMNS}
        n = len(columns["count"]) if isinstance(columns["count"], np.ndarray) and columns["count"].ndim == 1 else -1
        for name, (number, rest) in _COLUMNS.items():
            check_column(name, columns[name], (n, *rest), number)
        if ((columns["count"] < 0) | (columns["count"] > 2)).any() or (np.abs(columns["state"]) > 1).any():
            raise InvalidInputError("count", "0 to 2", Described("others"))
