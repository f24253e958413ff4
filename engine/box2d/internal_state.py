"""Internal state that bodies and joints carry from one step to the next, and Box2D does not publish: read from memory, and written back.

Of a body: its transform and its sweep, of which the center of mass is the truth in a step and the origin is rounded from it; the forces
that wait for the next step; how long it has been at rest. Of a joint: the impulses that the solver starts from, and at which of its
limits it stands, for it drops the impulse of a limit that it has only now arrived at. Of a gear joint: the sum that it keeps constant.

With all of it put back, and the impulses of the contacts, a rebuilt world goes on as the old one would have, but for the order of its
contacts. Without, it goes on nearly so. Nothing is read or written before `self_test` has compared every word of a body, and those of a
hinge, with the public interface in this process; `tests/unit/box2d/test_internal_state.py` has every kind of joint go on bit for bit.

Offsets: `b2Body.h`, `b2Joint.h` and the joints' headers of Box2D 2.3.0, where only 32-bit numbers, bools and pointers stand.
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
"""Words of a b2Body that are kept."""
_FORCE_COLUMNS, _SLEEP_COLUMN = slice(len(BODY_WORDS) - 4, len(BODY_WORDS) - 1), len(BODY_WORDS) - 1
"""Places of a body's force, torque and sleep time among these words."""

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
        "b2GearJoint": (224, 232),  # the sum that stays, which is no impulse; and the impulse
    }.items()
}
"""Words of each kind of joint that are kept."""

_BEFORE_LIMITS: Mapping[str, int] = {"b2RevoluteJoint": 2, "b2PrismaticJoint": 2}
"""Number of words, by kind, that stay valid when motor or limits of a joint change; none of a gear joint."""

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
        """Waiting for the next step on each body, N and N m, float64 (n, 3)."""
        return self._numbers()[:, _FORCE_COLUMNS]

    @property
    def resting(self) -> FloatArray:
        """Seconds that each body has been slow, float64 (n,)."""
        return self._numbers()[:, _SLEEP_COLUMN]

    def _numbers(self) -> FloatArray:
        return np.ascontiguousarray(self.bodies).view(np.float32).astype(np.float64)

    def with_waiting(self, force: FloatArray, resting: FloatArray) -> InternalState:
        """Return the state with other forces that wait, and other seconds at rest."""
        words = self.bodies.copy()
        numbers = words.view(np.float32)
        numbers[:, _FORCE_COLUMNS], numbers[:, _SLEEP_COLUMN] = force, resting
        return replace(self, bodies=words)

    def of_joints(self, joints: Sequence[int], changed: int, kind: str) -> InternalState:
        """Return the state of some of the joints; of one that was changed, of a kind of Box2D's, only what still holds."""
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
        """Read the state of bodies, given by address, and of joints, given as pybox2d's objects by id."""
        body_words = np.empty((len(bodies), len(BODY_WORDS)), dtype=np.uint32)
        self._kernel.copy_words(bodies, _body_offsets(len(bodies)), body_words)
        ids = sorted(joints)
        addresses, offsets = _joints([joints[joint] for joint in ids])
        joint_words = np.empty(offsets.shape, dtype=np.uint32)
        self._kernel.copy_words(addresses, offsets, joint_words)
        return InternalState(body_ids, body_words, np.array(ids, dtype=np.int64), joint_words)

    def write(self, body_ids: IntArray, bodies: IntArray, joints: Mapping[int, Any], state: InternalState) -> None:
        """Put back what was read from the bodies and the joints of the same ids; one that the state does not know stays as it is."""
        known, rows = _rows(body_ids, state.body_ids)
        self._kernel.write_words(np.ascontiguousarray(bodies[known]), _body_offsets(int(known.sum())), state.bodies[rows])
        ids = np.array(sorted(joints), dtype=np.int64)
        known, rows = _rows(ids, state.joint_ids)
        addresses, offsets = _joints([joints[joint] for joint in ids[known].tolist()])
        self._kernel.write_words(addresses, offsets, state.joints[rows])

    def write_impulses(self, contacts: IntArray, impulses: NDArray[np.float32]) -> None:
        """Give the two points of each contact, by address, their normal and tangent impulse (n, 2, 2), N s."""
        self._kernel.write_impulses(contacts, impulses)


def _rows(ids: IntArray, known: IntArray) -> tuple[NDArray[np.bool_], IntArray]:
    """Return which ids are among the known ones, ascending both, and in which rows those are."""
    is_known = np.isin(ids, known)
    return is_known, np.searchsorted(known, ids[is_known])


def _body_offsets(n: int) -> NDArray[np.int64]:
    return np.tile(np.array(BODY_WORDS, dtype=np.int64), (n, 1))  # writable, whatever n: to Numba a read-only array is of another type


def _joints(joints: Sequence[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the address of each joint, and where its words lie, -1 where its kind has no more."""
    offsets = np.full((len(joints), _MAX_JOINT_WORDS), -1, dtype=np.int64)
    for row, joint in enumerate(joints):
        words = JOINT_WORDS[type(joint).__name__]
        offsets[row, : len(words)] = words
    return np.array([hash(joint) for joint in joints], dtype=np.int64), offsets


_DT = 1.0 / 60.0
_PUSH, _TWIST = (1.5, -2.25), 0.75


def self_test() -> str | None:
    """Return None if bodies and joints of this build of Box2D have the layout that is read and written here, else what is wrong.

    Every word of a body is compared with what the public interface shows, and those of a hinge with its reaction, for all joints.
    Needs a process in which the memory reader has passed.
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
        return "the layout of b2Body is not the one of Box2D 2.3.0"
    if not _near(impulses, (*hinge.GetReactionForce(1.0), hinge.GetReactionTorque(1.0), hinge.GetMotorTorque(1.0))):
        return "the layout of b2Joint is not the one of Box2D 2.3.0"
    memory.write(*bodies, {0: hinge}, state)  # what writes is loaded here, and not in a frame
    memory.write_impulses(np.zeros(0, dtype=np.int64), np.zeros((0, 2, 2), dtype=np.float32))
    return None


def _near(read: Any, public: Any) -> bool:
    return bool(np.allclose(np.array(read, dtype=np.float64), np.array(public, dtype=np.float64), rtol=1e-5, atol=1e-6))
