"""Validation of foreign Box2D state, before any of it is written to memory.

Internal state consists of raw words (`engine.box2d.internal_state`) that Box2D does not check. Every float must be finite and of plausible
magnitude; a state that is inconsistent otherwise can make a step fail, which ends in a lost world.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.box2d.internal_state import BODY_WORDS, JOINT_WORDS, InternalState
from engine.box2d.memory import MANIFOLD_DTYPE
from engine.common.arrays import IntArray
from engine.common.errors import Described, InvalidInputError
from engine.common.limits import MAX_IMPULSE
from engine.world.snapshot import WorldSnapshot
from engine.world.snapshot_check import check_column

__all__ = ["check_internal_state", "check_manifolds"]

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
    """Check that internal state is of the bodies and joints of a snapshot, and finite.

    Raises
    ------
    InvalidInputError
        The state is malformed, or for other bodies or joints.
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
    _finite("memory.internal.bodies", np.ascontiguousarray(bodies).view(np.float32), MAX_IMPULSE)
    _check_joints(joints, snapshot)


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
