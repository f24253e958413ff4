"""Validation of foreign snapshots, before any solver reads them.

Snapshots from `World.snapshot` are valid by construction. A snapshot from the network may be corrupt or malicious, and solvers would not
notice in time: Box2D would fail an assertion in the middle of a step, and compiled code would read past the end of an array.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from engine.common.checks import integer, within
from engine.common.errors import Described, InvalidInputError, renamed
from engine.common.limits import MAX_COORDINATE, MAX_SPEED
from engine.contracts import StepContacts
from engine.geometry import Transform
from engine.world.joints.interface import ResolvedJoint, bodies_of
from engine.world.records import MAX_MOTION, BodyMotion
from engine.world.snapshot import WorldSnapshot
from engine.world.solver import load_solver
from engine.world.specs import BodySpec

__all__ = ["check_column", "check_contacts", "check_snapshot"]

_MAX_ID = 2**31 - 1
_MAX_STEPS = 2**53
_UNIT_ROUNDING = 1.0e-5
"""Maximum amount by which the length of a float32 axis may differ from 1."""
_COLUMNS: Mapping[str, tuple[str, tuple[int, ...]]] = {
    **dict.fromkeys(("fixture_a", "fixture_b", "body_a", "body_b", "count"), ("int64", ())),
    **dict.fromkeys(("pose_a", "pose_b"), ("float64", (3,))),
    **{"normal": ("float64", (2,)), "position": ("float64", (2, 2)), "feature_id": ("int64", (2,)), "state": ("int8", (2,))},
    **dict.fromkeys(("separation", "normal_impulse", "tangent_impulse"), ("float64", (2,))),
    **dict.fromkeys(("evaluated", "in_toi"), ("bool", ())),
}
"""Type and trailing shape of each column of `StepContacts`."""


def check_column(field: str, value: object, shape: tuple[int, ...], *kinds: str, most: float = np.inf) -> NDArray[Any]:
    """Return `value` after checking that it is a finite array of one of the types `kinds`, with this shape and magnitudes up to `most`.

    Raises
    ------
    InvalidInputError
        `value` is not such an array.
    """
    if not isinstance(value, np.ndarray) or value.dtype.name not in kinds or value.shape != shape:
        kind = f"{value.dtype} of {value.shape}" if isinstance(value, np.ndarray) else type(value).__name__
        raise InvalidInputError(field, f"{' or '.join(kinds)} of shape {shape}", Described(kind))
    if value.dtype.kind == "f" and not (np.isfinite(value).all() and (np.abs(value) <= most).all()):
        raise InvalidInputError(field, f"finite numbers of magnitude at most {most:g}", Described("other values"))
    return value


def check_snapshot(snapshot: WorldSnapshot, path: str = "snapshot") -> None:
    """Check that a snapshot, apart from its contacts, is a valid state of a world with its solver.

    Raises
    ------
    InvalidInputError
        A field is invalid; the message gives its path, starting with `path`.
    """
    with renamed(lambda field: f"{path}.{field}"):
        solver = load_solver(snapshot.solver)
        if solver.accept(snapshot.settings) != snapshot.settings:
            raise InvalidInputError("settings", "in the solver's precision", Described("other values"))
        integer("step_index", snapshot.step_index, 0, _MAX_STEPS)
        if not isinstance(snapshot.rate_since, tuple) or len(snapshot.rate_since) != 2:
            raise InvalidInputError("rate_since", "a time and a step", snapshot.rate_since)
        integer("rate_since", snapshot.rate_since[1], 0, snapshot.step_index)
        within("rate_since", snapshot.rate_since[0], 0.0, float(_MAX_STEPS), "s")
        _check_ids(snapshot)
        _check_motion(snapshot)
        _check_joints(snapshot)
        solver.check_memory(snapshot)


def _check_ids(snapshot: WorldSnapshot) -> None:
    """Check that ids are in range and ascending, and that bodies and fixtures refer to each other consistently."""
    if len(snapshot.next_ids) != 3:
        raise InvalidInputError("next_ids", "three ids", snapshot.next_ids)
    for number in snapshot.next_ids:
        integer("next_ids", number, 0, _MAX_ID)
    for name, entries in (("bodies", snapshot.bodies), ("fixtures", snapshot.fixtures), ("joints", snapshot.joints)):
        last = -1
        for entry in cast(tuple[tuple[Any, ...], ...], entries):
            last = integer(f"{name}.id", entry[0], last + 1, _MAX_ID)
    listed = sorted((fixture, body) for body, _, fixtures in snapshot.bodies for fixture in fixtures)
    if listed != [(fixture, body) for fixture, body, _ in snapshot.fixtures] or any(spec.fixtures for _, spec, _ in snapshot.bodies):
        counts = Described(f"{len(listed)} in bodies, {len(snapshot.fixtures)} in fixtures")
        raise InvalidInputError("fixtures", "the fixtures that the bodies list", counts)
    known = {body for body, _, _ in snapshot.bodies}
    for out in snapshot.out_of_range:
        integer("out_of_range", out, 0, _MAX_ID)
    if len(snapshot.out_of_range) > len(set(snapshot.out_of_range)) + len(known):
        raise InvalidInputError("out_of_range", "a list with at most as many repetitions as bodies", Described("more repetitions"))


def _check_motion(snapshot: WorldSnapshot) -> None:
    motion, n = snapshot.state.motion, len(snapshot.bodies)
    if not isinstance(motion, BodyMotion):
        raise InvalidInputError("motion", "a BodyMotion", Described(type(motion).__name__))
    values = check_column("motion.values", motion.values, (n, 6), np.dtype(load_solver(snapshot.solver).capabilities.precision).name)
    check_column("motion.awake", motion.awake, (n,), "bool")
    is_active = np.array([spec.active for _, spec, _ in snapshot.bodies], dtype=np.bool_)
    is_static = np.array([spec.type == "static" for _, spec, _ in snapshot.bodies], dtype=np.bool_)
    if (np.abs(values[is_active]) > MAX_MOTION).any():
        raise InvalidInputError("motion.values", f"at most {MAX_COORDINATE:g} m and {MAX_SPEED:g} m/s for active bodies", Described("more"))
    if values[is_static, 3:].any():
        raise InvalidInputError("motion.values", "0 m/s for static bodies", Described("a velocity"))


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
        raise InvalidInputError("bodies", "bodies of the snapshot", joint.bodies)
    joint.spec.check_ends(number, lambda body: bodies[body].type, before)
    expected = joint.spec.resolve(lambda _: Transform(), before).bodies
    if joint.bodies != expected:
        raise InvalidInputError("bodies", f"{expected}", joint.bodies)


def check_contacts(contacts: StepContacts, path: str = "snapshot") -> None:
    """Check the types, shapes and ranges of a snapshot's contacts.

    Raises
    ------
    InvalidInputError
        A column is invalid; the message gives its path, starting with `path`.
    """
    with renamed(lambda field: f"{path}.contacts.{field}"):
        integer("step", contacts.step, 0, _MAX_STEPS)
        columns = {name: getattr(contacts, name) for name in _COLUMNS}
        n = len(columns["count"]) if isinstance(columns["count"], np.ndarray) and columns["count"].ndim == 1 else -1
        for name, (number, rest) in _COLUMNS.items():
            check_column(name, columns[name], (n, *rest), number)
        if ((columns["count"] < 0) | (columns["count"] > 2)).any() or (np.abs(columns["state"]) > 1).any():
            raise InvalidInputError("count", "0 to 2", Described("other values"))
