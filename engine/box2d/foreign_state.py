"""Validation of foreign Box2D state, before any of it is written to memory.

Internal state consists of raw words (`engine.box2d.internal_state`) that Box2D does not check: a non-finite position, or inconsistent
positions, would cause an assertion in the middle of a step. Every float must therefore be finite and of plausible magnitude, and words
that are also part of the public state must agree with it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.box2d.internal_state import BODY_WORDS, JOINT_WORDS, InternalState
from engine.box2d.memory import MANIFOLD_DTYPE
from engine.common.arrays import IntArray
from engine.common.errors import Described, InvalidInputError
from engine.common.limits import MAX_IMPULSE, MAX_REACH
from engine.world.snapshot import WorldSnapshot
from engine.world.snapshot_check import check_column

__all__ = ["check_internal_state", "check_manifolds"]

_TURN_ROUNDING = 1.0e-4
"""Maximum difference between the stored sine and cosine and those of the angle: a float32 angle of 1,000 rad is precise to 6e-5."""
_LARGE_ANGLE = 1.0e3
_MAX_JOINT_WORDS = max(len(words) for words in JOINT_WORDS.values())
_KIND_NAMES = {name.removeprefix("b2"): len(words) for name, words in JOINT_WORDS.items()}
_WITH_LIMITS = frozenset({"RevoluteJoint", "PrismaticJoint"})
_LIMIT_STATES = 4


def check_manifolds(keys: object, manifolds: object) -> None:
    """Check the keys and manifolds of touching pairs.

    Raises
    ------
    InvalidInputError
        The keys are not ascending, or a manifold is invalid.
    """
    if not isinstance(manifolds, np.ndarray) or manifolds.dtype != MANIFOLD_DTYPE or manifolds.ndim != 1:
        raise InvalidInputError("memory.manifolds", "an array of manifolds", Described(type(manifolds).__name__))
    checked_keys: IntArray = check_column("memory.keys", keys, (len(manifolds),), "int64")
    if (checked_keys < 0).any() or (np.diff(checked_keys) <= 0).any():
        raise InvalidInputError("memory.keys", "in ascending order", Described("other values"))
    points = manifolds["points"]
    for column in (
        points["local"],
        points["normal_impulse"],
        points["tangent_impulse"],
        manifolds["local_normal"],
        manifolds["local_point"],
    ):
        _finite("memory.manifolds", column, MAX_IMPULSE)
    if ((manifolds["count"] < 0) | (manifolds["count"] > 2) | (manifolds["type"] < 0) | (manifolds["type"] > 2)).any():
        raise InvalidInputError("memory.manifolds", "valid types with 0 to 2 points", Described("other values"))


def check_internal_state(state: object, snapshot: WorldSnapshot) -> None:
    """Check that internal state is consistent with the rest of a snapshot.

    Raises
    ------
    InvalidInputError
        The state is malformed or inconsistent.
    """
    if not isinstance(state, InternalState):
        raise InvalidInputError("memory.internal", "an InternalState", Described(type(state).__name__))
    n, m = len(snapshot.bodies), len(snapshot.joints)
    body_ids = check_column("memory.internal.body_ids", state.body_ids, (n,), "int64")
    joint_ids = check_column("memory.internal.joint_ids", state.joint_ids, (m,), "int64")
    if body_ids.tolist() != [body for body, _, _ in snapshot.bodies] or joint_ids.tolist() != [joint for joint, _ in snapshot.joints]:
        raise InvalidInputError("memory.internal", "for the bodies and joints of the snapshot", Described("other ids"))
    bodies = check_column("memory.internal.bodies", state.bodies, (n, len(BODY_WORDS)), "uint32")
    joints = check_column("memory.internal.joints", state.joints, (m, _MAX_JOINT_WORDS), "uint32")
    _check_bodies(np.ascontiguousarray(bodies).view(np.float32), snapshot)
    _check_joints(joints, snapshot)


def _check_bodies(words: NDArray[np.float32], snapshot: WorldSnapshot) -> None:
    """Check words of bodies: transform (4), previous and current center (2, 2) and angle, velocity (3), force (3), sleep time."""
    values = snapshot.state.motion.values
    _finite("memory.internal.bodies", words, MAX_IMPULSE)
    is_active = np.array([spec.active for _, spec, _ in snapshot.bodies], dtype=np.bool_)
    alike = (words[:, :2] == values[:, :2]).all() and (words[:, 9] == values[:, 2]).all() and (words[:, 10:13] == values[:, 3:]).all()
    angle = values[:, 2].astype(np.float64)
    turned = np.column_stack((np.sin(angle), np.cos(angle)))
    is_small = np.abs(angle) < _LARGE_ANGLE
    turns = np.abs(words[:, 2:4] - turned)[is_small]
    lengths = np.hypot(words[:, 2], words[:, 3])
    away = np.abs(words[:, 6:8] - words[:, :2])[is_active]
    if not alike or (turns > _TURN_ROUNDING).any() or (np.abs(lengths - 1.0) > _TURN_ROUNDING).any() or (away > 2.0 * MAX_REACH).any():
        raise InvalidInputError("memory.internal.bodies", "consistent with the motion of the bodies", Described("other values"))
    if (words[:, 16] < 0.0).any() or (np.abs(words[:, 13:16]) > MAX_IMPULSE).any():
        raise InvalidInputError("memory.internal.bodies", "valid forces and sleep times", Described("other values"))


def _check_joints(words: NDArray[np.uint32], snapshot: WorldSnapshot) -> None:
    for row, (_, joint) in zip(words, snapshot.joints, strict=True):
        kind = type(joint.spec).__name__.removesuffix("Spec")
        numbers, n = row.view(np.float32), _KIND_NAMES[kind]
        if kind in _WITH_LIMITS:
            n -= 1
            if row[n] >= _LIMIT_STATES:
                raise InvalidInputError("memory.internal.joints", f"a limit state below {_LIMIT_STATES}", Described(str(row[n])))
        _finite("memory.internal.joints", numbers[:n], MAX_IMPULSE)


def _finite(field: str, numbers: NDArray[np.floating], most: float) -> None:
    if not (np.isfinite(numbers).all() and (np.abs(numbers) <= most).all()):
        raise InvalidInputError(field, f"finite numbers of magnitude at most {most:g}", Described("other values"))
