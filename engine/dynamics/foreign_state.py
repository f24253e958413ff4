"""Checks of solver memory that comes from another process, before compiled code reads it.

That reads past an array without complaint, so every array must be of its kind and shape. Numbers must be finite, and no more: float64 bears
any size that a world may come to, and what overflows ends its step, as of any world.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.common.checks import within
from engine.common.errors import Described, InvalidInputError
from engine.dynamics import model as r
from engine.dynamics.contacts import ContactRows
from engine.dynamics.joints import JointTable
from engine.dynamics.state import Memory
from engine.world.joints.gear import GearJointSpec
from engine.world.snapshot import WorldSnapshot
from engine.world.snapshot_check import check_column

__all__ = ["check_memory"]

_MAX_FLAGS = 128


def check_memory(memory: object, snapshot: WorldSnapshot) -> None:
    """Reject solver memory that is inconsistent with the rest of a snapshot.

    Raises
    ------
    InvalidInputError
        As said.
    """
    if not isinstance(memory, Memory):
        raise InvalidInputError("memory", "the memory of one of our solvers", Described(type(memory).__name__))
    n = len(snapshot.bodies)
    check_column("memory.force", memory.force, (n, 3), "float64")
    resting = check_column("memory.resting", memory.resting, (n,), "float64")
    island = check_column("memory.island", memory.island, (n,), "int64")
    ids = np.array([body for body, _, _ in snapshot.bodies], dtype=np.int64)
    if (resting < 0.0).any() or (island < -1).any() or not np.isin(island[island >= 0], ids).all():
        raise InvalidInputError("memory.island", "ids of existing bodies", Described("others"))
    _check_rows(_is(memory.rows, ContactRows, "memory.rows"))
    sensed = check_column("memory.sensed", memory.sensed, (_length(memory.sensed), 4), "int64")
    if (sensed < 0).any() or (sensed >> r.KEY_BITS).any():
        raise InvalidInputError("memory.sensed", "ids", Described("others"))
    within("memory.soft_h", memory.soft_h, 0.0, 1.0, "s")
    _check_joints(_is(memory.joints, JointTable, "memory.joints"), memory)
    gears = [joint for joint, entry in snapshot.joints if isinstance(entry.spec, GearJointSpec)]
    sums = memory.gear_sums
    if not isinstance(sums, tuple) or not all(_is_sum(entry) for entry in sums) or sorted(entry[0] for entry in sums) != gears:
        raise InvalidInputError("memory.gear_sums", "a number for each gear joint", Described("others"))


def _is_sum(entry: object) -> bool:
    return isinstance(entry, tuple) and len(entry) == 2 and type(entry[0]) is int and type(entry[1]) is float and math.isfinite(entry[1])


def _check_rows(rows: ContactRows) -> None:
    n = _length(rows.ints)
    integers = check_column("memory.rows.ints", rows.ints, (n, r.N_INTS), "int64")
    check_column("memory.rows.floats", rows.floats, (n, r.N_FLOATS), "float64")
    keys, flags = integers[:, r.KEY], integers[:, r.FLAGS]
    if (integers[:, (r.KEY, r.BODIES)] < 0).any() or (np.diff(keys) <= 0).any():
        raise InvalidInputError("memory.rows.ints", "pairs in ascending order", Described("others"))
    if (flags < 0).any() or (flags >= _MAX_FLAGS).any() or (flags & r.COUNT > 2).any():
        raise InvalidInputError("memory.rows.ints", "flags, and 0 to 2 points", Described("others"))


def _check_joints(joints: JointTable, memory: Memory) -> None:
    m = _length(joints.owner)
    for name in ("owner", "kind", "mode"):
        check_column(f"memory.joints.{name}", getattr(joints, name), (m,), "int64")
    check_column("memory.joints.ends", joints.ends, (m, 2), "int64")
    check_column("memory.joints.links", joints.links, (_length(joints.links), 2), "int64")
    for name, rest in (("local", (4,)), ("axis", (2,)), ("target", ()), ("speed", ()), ("spring", (2,)), ("ratio", ())):
        check_column(f"memory.joints.{name}", getattr(joints, name), (m, *rest), "float64")
    if (
        not isinstance(joints.max_force, np.ndarray) or joints.max_force.shape != (m,) or not (joints.max_force >= 0.0).all()
    ):  # infinite without bounds
        raise InvalidInputError("memory.joints.max_force", "numbers >= 0", Described("others"))
    check_column("memory.joint_impulse", memory.joint_impulse, (m, 2), "float64")
    check_column("memory.joint_total", memory.joint_total, (m, 2), "float64")


def _length(value: object) -> int:
    return len(value) if isinstance(value, np.ndarray) and value.ndim > 0 else 0


def _is(value: object, kind: type, field: str) -> Any:
    if type(value) is not kind:
        raise InvalidInputError(field, f"a {kind.__name__}", Described(type(value).__name__))
    return value
