"""State of bodies and joints that affects the next step but is not in Box2D's public interface: read from memory, and written back.

A body has its transform; its sweep, whose center of mass is authoritative while the origin is rounded from it; pending forces; and the
sleep time. A joint has its warm-starting impulses, and its limit state, because the impulse of a newly reached limit is discarded. A gear
joint also has its constant.

If this state and the contact impulses are restored, a rebuilt world continues exactly like the old one, except for the order of contacts.
Otherwise it continues approximately. Nothing is read or written before `self_test` has compared every word of a body and of a
revolute joint with the public interface in this process; `tests/unit/box2d/test_internal_state.py` tests every joint type bit for bit.

The offsets are from `b2Body.h`, `b2Joint.h` and the joint headers of Box2D 2.3.0, which contain only 32-bit numbers, bools and pointers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import Box2D
import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray

__all__ = ["BODY_WORDS", "JOINT_WORDS", "InternalMemory", "InternalState", "self_test"]

Words = NDArray[np.uint32]

_WORD = 4

# b2Body: type 0, flags 4, island index 8, m_xf 12 (p, sin, cos), m_sweep 28 (local center, c0, c, a0, a, alpha0), velocities 64 to 76,
# m_force 76, m_torque 84, world, list and fixture pointers from 88, joints 128, contacts 136, mass 144, 1/mass, I, 1/I, dampings 160
# and 164, gravity scale 168, m_sleepTime 172
_TRANSFORM = (12, 16, 20, 24)
_SWEEP = (36, 40, 44, 48, 52, 56)  # alpha0 is set to 0 at the start of each step, as in a new body
_VELOCITY = (64, 68, 72)
_FORCE = (76, 80, 84)
_SLEEP_TIME = 172
BODY_WORDS = tuple(at // _WORD for at in (*_TRANSFORM, *_SWEEP, *_VELOCITY, *_FORCE, _SLEEP_TIME))
"""Indices of the words of a b2Body that are saved."""
_FORCE_COLUMNS, _SLEEP_COLUMN = slice(len(BODY_WORDS) - 4, len(BODY_WORDS) - 1), len(BODY_WORDS) - 1
"""Columns of force and torque, and of sleep time, among these words."""

JOINT_WORDS: Mapping[str, tuple[int, ...]] = {
    name: tuple(at // _WORD for at in offsets)
    for name, offsets in {
        "b2DistanceJoint": (160,),
        "b2RevoluteJoint": (144, 148, 152, 156, 284),  # impulse x, y, z; motor; state of the limit
        "b2PrismaticJoint": (164, 168, 172, 176, 200),
        "b2WeldJoint": (164, 168, 172),
        "b2WheelJoint": (168, 172, 176),  # across, motor, spring
        "b2RopeJoint": (152,),
        "b2PulleyJoint": (176,),
        "b2MouseJoint": (156, 160),
        "b2FrictionJoint": (144, 148, 152),
        "b2MotorJoint": (140, 144, 148),
        "b2GearJoint": (224, 232),  # constant; impulse
    }.items()
}
"""Indices of the words of each joint type that are saved."""

_BEFORE_LIMITS: Mapping[str, int] = {"b2RevoluteJoint": 2, "b2PrismaticJoint": 2}
"""Number of words that stay valid when a joint of this type is changed. Other types keep all words, except that a gear joint keeps none."""

_MAX_JOINT_WORDS = max(len(words) for words in JOINT_WORDS.values())


@dataclass(frozen=True, slots=True)
class InternalState:
    """Raw words of all bodies, uint32 (n, 17), and of all joints, uint32 (m, 5), with their ids, ascending."""

    body_ids: IntArray
    bodies: Words
    joint_ids: IntArray
    joints: Words

    @property
    def force(self) -> FloatArray:
        """Pending force and torque on each body, N and N m, float64 (n, 3)."""
        return self._numbers()[:, _FORCE_COLUMNS]

    @property
    def resting(self) -> FloatArray:
        """Sleep time of each body, seconds, float64 (n,)."""
        return self._numbers()[:, _SLEEP_COLUMN]

    def _numbers(self) -> FloatArray:
        return np.ascontiguousarray(self.bodies).view(np.float32).astype(np.float64)

    def with_waiting(self, force: FloatArray, resting: FloatArray) -> InternalState:
        """Return the state with other pending forces and sleep times."""
        words = self.bodies.copy()
        numbers = words.view(np.float32)
        numbers[:, _FORCE_COLUMNS], numbers[:, _SLEEP_COLUMN] = force, resting
        return replace(self, bodies=words)

    def of_joints(self, joints: Sequence[int], changed: int, kind: str) -> InternalState:
        """Return the state of the given joints; for the one that was `changed`, of Box2D type `kind`, only the words still valid."""
        ids = np.array(sorted(joint for joint in joints if joint != changed or kind != "b2GearJoint"), dtype=np.int64)
        words = self.joints[np.searchsorted(self.joint_ids, ids)]
        words[ids == changed, _BEFORE_LIMITS.get(kind, _MAX_JOINT_WORDS) :] = 0
        return InternalState(self.body_ids[:0], self.bodies[:0], ids, words)


class InternalMemory:
    """Copies internal state between Box2D objects and arrays. See `engine.box2d.memory.best_internal_memory`."""

    def __init__(self) -> None:
        from engine.box2d import _memory_kernel

        self._kernel = _memory_kernel

    def read(self, body_ids: IntArray, bodies: IntArray, joints: Mapping[int, Any]) -> InternalState:
        """Read the state of bodies, by address, and of joints, pybox2d objects by id."""
        body_words = np.empty((len(bodies), len(BODY_WORDS)), dtype=np.uint32)
        self._kernel.copy_words(bodies, _body_offsets(len(bodies)), body_words)
        ids = sorted(joints)
        addresses, offsets = _joints([joints[joint] for joint in ids])
        joint_words = np.empty(offsets.shape, dtype=np.uint32)
        self._kernel.copy_words(addresses, offsets, joint_words)
        return InternalState(body_ids, body_words, np.array(ids, dtype=np.int64), joint_words)

    def write(self, body_ids: IntArray, bodies: IntArray, joints: Mapping[int, Any], state: InternalState) -> None:
        """Write `state` to the bodies and joints with its ids; others do not change."""
        known, rows = _rows(body_ids, state.body_ids)
        self._kernel.write_words(np.ascontiguousarray(bodies[known]), _body_offsets(int(known.sum())), state.bodies[rows])
        ids = np.array(sorted(joints), dtype=np.int64)
        known, rows = _rows(ids, state.joint_ids)
        addresses, offsets = _joints([joints[joint] for joint in ids[known].tolist()])
        self._kernel.write_words(addresses, offsets, state.joints[rows])

    def write_impulses(self, contacts: IntArray, impulses: NDArray[np.float32]) -> None:
        """Write the normal and tangent impulses (n, 2, 2), N s, of the two points of each contact, by address."""
        self._kernel.write_impulses(contacts, impulses)


def _rows(ids: IntArray, known: IntArray) -> tuple[NDArray[np.bool_], IntArray]:
    """Return which `ids` are in `known`, and their rows in `known`; both arrays must be ascending."""
    is_known = np.isin(ids, known)
    return is_known, np.searchsorted(known, ids[is_known])


def _body_offsets(n: int) -> NDArray[np.int64]:
    return np.tile(
        np.array(BODY_WORDS, dtype=np.int64), (n, 1)
    )  # writable for any n, because Numba treats a read-only array as another type


def _joints(joints: Sequence[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the address of each joint, and the offsets of its words, padded with -1."""
    offsets = np.full((len(joints), _MAX_JOINT_WORDS), -1, dtype=np.int64)
    for row, joint in enumerate(joints):
        words = JOINT_WORDS[type(joint).__name__]
        offsets[row, : len(words)] = words
    return np.array([hash(joint) for joint in joints], dtype=np.int64), offsets


_DT = 1.0 / 60.0
_PUSH, _TWIST = (1.5, -2.25), 0.75


def self_test() -> str | None:
    """Return None if this build of Box2D has the expected layout of bodies and joints, or else an error message.

    Every word of a body is compared with the public interface, and the words of a revolute joint, as a sample, with its reaction.
    The memory reader's self test must have passed before.
    """
    memory = InternalMemory()
    world = Box2D.b2World(gravity=(0.3, -10.0))
    arm = world.CreateDynamicBody(position=(0.4, 0.0), linearDamping=0.02, angularDamping=0.05, gravityScale=0.9)
    arm.CreatePolygonFixture(vertices=[(0.0, -0.1), (0.9, -0.05), (0.8, 0.12)], density=50.0)
    slow = world.CreateDynamicBody(position=(-9.0, 0.0), gravityScale=0.0)
    slow.CreateCircleFixture(radius=0.2, density=1.0)
    hinge = world.CreateRevoluteJoint(
        bodyA=world.CreateStaticBody(), bodyB=arm, localAnchorB=(-0.4, 0.0), enableMotor=True, motorSpeed=2.0, maxMotorTorque=100.0
    )
    before, rest = (0.0, 0.0, 0.0), np.float32(0.0)
    for _ in range(20):
        before, rest = (*arm.worldCenter, arm.angle), rest + np.float32(_DT)
        world.Step(_DT, 8, 3)
    arm.ApplyForce(_PUSH, arm.worldCenter, True)
    arm.ApplyTorque(_TWIST, True)
    bodies = np.arange(2), np.array([hash(arm), hash(slow)], dtype=np.int64)
    state = memory.read(*bodies, {0: hinge})
    words, impulses = state.bodies.view(np.float32), state.joints.view(np.float32)[0, :4]
    transform = *arm.position, math.sin(arm.angle), math.cos(arm.angle)
    sweep = *before[:2], *arm.worldCenter, before[2], arm.angle
    public = (*transform, *sweep, *arm.linearVelocity, arm.angularVelocity, *_PUSH, _TWIST, 0.0)
    if not _near(words[0], public) or words[1, _SLEEP_COLUMN] != rest:
        return "the layout of b2Body differs from that of Box2D 2.3.0"
    if not _near(impulses, (*hinge.GetReactionForce(1.0), hinge.GetReactionTorque(1.0), hinge.GetMotorTorque(1.0))):
        return "the layout of b2Joint differs from that of Box2D 2.3.0"
    memory.write(*bodies, {0: hinge}, state)  # compile or load the writing kernels here, not during a frame
    memory.write_impulses(np.zeros(0, dtype=np.int64), np.zeros((0, 2, 2), dtype=np.float32))
    return None


def _near(read: Any, public: Any) -> bool:
    return bool(np.allclose(np.array(read, dtype=np.float64), np.array(public, dtype=np.float64), rtol=1e-5, atol=1e-6))
