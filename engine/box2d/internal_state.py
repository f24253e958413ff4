"""Internal state that bodies and joints carry from one step to the next, and Box2D does not publish: read from memory, and written back.

Of a body: its transform and its sweep, of which the center of mass is the truth in a step and the origin is rounded from it; the forces
that wait for the next step; how long it has been at rest. Of a joint: the impulses that the solver starts from, and at which of its
limits it stands, for it drops the impulse of a limit that it has only now arrived at. Of a gear joint: the sum that it keeps constant.

With all of it put back, and the impulses of the contacts, a rebuilt world goes on as the old one would have, but for the order of its
contacts. Without, it goes on nearly so. Nothing is read or written at an offset that `self_test` has not proved in this process:

1. every word that the public interface shows, too, must be the same there: masses and dampings at both ends of a body, sweeps,
   velocities, and of each kind of joint the force and the torque of its impulses, of a gear joint what its two joints add up to;
2. a world of every kind of joint, some at their limits, is built again in the middle and must then go on bit for bit as the other does.

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


# -- the test that comes first ----------------------------------------------------------------------------------------

_DT = 1.0 / 60.0
_STEPS = 50
_MORE_STEPS = 40
_PUSH, _TWIST = (1.5, -2.25), 0.75
_GEAR_RATIO = 0.7
_HOLDING = 30.0
"""N, and N m: less than the weight of a few kilograms and its moment, so that friction slips."""


def self_test() -> str | None:
    """Return None where every offset is proved, else what is wrong; needs a process in which the memory reader has passed."""
    memory = InternalMemory()
    memory.write_impulses(np.zeros(0, dtype=np.int64), np.zeros((0, 2, 2), dtype=np.float32))  # loaded here, and not in a frame
    world = _Joined(memory)
    for step in range(_STEPS):
        world.step()
        problem = world.difference() if step % 7 == 6 else None
        if problem is not None:
            return problem
    other = _Joined(memory)
    other.take_over(world)
    for _ in range(_MORE_STEPS):
        world.step()
        other.step()
        if world.bits() != other.bits():
            return "a world put together again from its internal state goes another way"
    return None


_LIMIT: dict[str, Any] = {"enableLimit": True}
_MOTOR: dict[str, Any] = {"enableMotor": True, "motorSpeed": 2.0}
_SLIDE: dict[str, Any] = {"localAxisA": (0.8, 0.6), "referenceAngle": 0.0}
_HELD: dict[str, Any] = {"maxForce": _HOLDING, "maxTorque": _HOLDING}


def _at(a: tuple[float, float], b: tuple[float, float], **more: Any) -> dict[str, Any]:
    return {"localAnchorA": a, "localAnchorB": b, **more}


_JOINTS: tuple[tuple[tuple[str, str, dict[str, Any]], ...], ...] = (
    (("Revolute", "post arm", {}), ("Revolute", "arm tip", {})),
    (
        ("Revolute", "post arm", _LIMIT | {"lowerAngle": -0.2, "upperAngle": 0.1}),
        ("Revolute", "arm tip", _MOTOR | {"maxMotorTorque": 100.0}),
    ),
    (
        ("Prismatic", "post arm", _SLIDE | _LIMIT | {"lowerTranslation": -0.3, "upperTranslation": 0.1}),
        ("Prismatic", "arm tip", _SLIDE | _MOTOR | {"maxMotorForce": 1000.0}),
    ),
    (
        ("Distance", "post arm", _at((0.0, 1.0), (0.1, 0.0), length=1.0)),
        ("Distance", "arm tip", _at((0.3, 0.0), (0.1, 0.0), length=1.0, frequencyHz=3.0, dampingRatio=0.2)),
    ),
    (
        ("Weld", "post arm", _at((0.4, 0.0), (0.0, 0.0), referenceAngle=0.0)),
        ("Weld", "arm tip", _at((1.2, 0.1), (0.0, 0.0), referenceAngle=0.0, frequencyHz=4.0, dampingRatio=0.3)),
    ),
    (
        ("Rope", "post arm", _at((0.0, 1.0), (0.1, 0.0), maxLength=1.1)),
        (
            "Wheel",
            "arm tip",
            _at((1.2, 0.1), (0.0, 0.0), localAxisA=(0.6, 0.8), frequencyHz=4.0, dampingRatio=0.5, **_MOTOR, maxMotorTorque=60.0),
        ),
    ),
    (("Pulley", "arm tip", _at((0.0, 0.0), (0.3, 0.0), lengthA=3.0, lengthB=2.9, ratio=1.5)), ("Mouse", "post tip", {"maxForce": 2000.0})),
    (
        ("Friction", "post arm", _at((0.4, 0.0), (0.0, 0.0), **_HELD)),
        ("Motor", "arm tip", _HELD | {"linearOffset": (1.3, 0.4), "angularOffset": 0.5, "correctionFactor": 0.2}),
    ),
    (("Revolute", "post arm", {"referenceAngle": 0.3}), ("Prismatic", "post tip", _SLIDE | _at((1.0, 0.1), (0.0, 0.0)))),
)
"""For each column of bodies (post, arm, tip): the kinds of joints, their bodies and their settings."""


class _Joined:
    """A world with every kind of joint, all bodies off their centers of mass, no contacts, some joints at their limits."""

    def __init__(self, memory: InternalMemory) -> None:
        self.memory = memory
        self.world = Box2D.b2World(gravity=(0.3, -10.0))
        self.world.Step(_DT, 8, 3)
        self.bodies: list[Any] = []
        self.joints: list[Any] = []
        create = self.world.CreateJoint
        for column, kinds in enumerate(_JOINTS):
            x = 6.0 * column
            bodies = {
                "post": self.world.CreateStaticBody(position=(x, 0.0)),
                "arm": self._arm(x + 0.4, 0.0),
                "tip": self._arm(x + 1.6, 0.1),
            }
            for kind, ends, settings in kinds:
                joined = {side: bodies[name] for side, name in zip(("bodyA", "bodyB"), ends.split(), strict=True)}
                if kind in ("Revolute", "Prismatic"):
                    joined |= {"localAnchorA": joined["bodyA"].GetLocalPoint(joined["bodyB"].position), "localAnchorB": (0.0, 0.0)}
                if kind == "Pulley":
                    joined |= {"groundAnchorA": (x + 0.4, 3.0), "groundAnchorB": (x + 1.6, 3.0)}
                if kind == "Mouse":
                    joined["target"] = tuple(bodies["tip"].GetWorldPoint((0.3, 0.0)))
                self.joints.append(create(getattr(Box2D, f"b2{kind}JointDef")(**joined | settings)))
        a, b = self.joints[-2:]
        self.sum = a.angle + _GEAR_RATIO * b.translation
        """The constant of the gear joint between the last two joints; neither coordinate is 0."""
        self.joints.append(create(Box2D.b2GearJointDef(joint1=a, joint2=b, bodyA=a.bodyB, bodyB=b.bodyB, ratio=_GEAR_RATIO)))
        sleeper = self.world.CreateDynamicBody(position=(-9.0, 0.0), gravityScale=0.0)
        sleeper.CreateCircleFixture(radius=0.2, density=1.0)
        self.bodies.append(sleeper)
        self.addresses = np.array([hash(body) for body in self.bodies], dtype=np.int64)
        self.rest = np.float32(0.0)
        """Seconds that the last body, which nothing moves, has been awake at rest."""
        self.before: list[tuple[float, float, float]] = []

    def _arm(self, x: float, y: float) -> Any:
        body = self.world.CreateDynamicBody(position=(x, y), linearDamping=0.02, angularDamping=0.05, gravityScale=0.9)
        body.CreatePolygonFixture(vertices=[(0.0, -0.1), (0.9, -0.05), (0.8, 0.12)], density=50.0, groupIndex=-1)
        self.bodies.append(body)
        return body

    def step(self) -> None:
        self.before = [(body.worldCenter.x, body.worldCenter.y, body.angle) for body in self.bodies]
        self.world.Step(_DT, 8, 3)
        if self.bodies[-1].awake:
            self.rest += np.float32(_DT)
        else:
            self.rest = np.float32(0.0)

    def read(self) -> InternalState:
        return self.memory.read(*self._which())

    def _which(self) -> tuple[IntArray, IntArray, dict[int, Any]]:
        return np.arange(len(self.bodies)), self.addresses, dict(enumerate(self.joints))

    def bits(self) -> bytes:
        state = self.read()
        return state.bodies.tobytes() + state.joints.tobytes()

    def take_over(self, other: _Joined) -> None:
        """Take poses and velocities publicly, as a rebuild does, and then the internal words."""
        for mine, its in zip(self.bodies, other.bodies, strict=True):
            mine.transform = (tuple(its.position), its.angle)
            mine.linearVelocity, mine.angularVelocity = tuple(its.linearVelocity), its.angularVelocity
            mine.awake = its.awake
        self.memory.write(*self._which(), other.read())

    def difference(self) -> str | None:
        """Compare every word with the public interface."""
        for body in self.bodies[:-1]:
            body.ApplyForce(_PUSH, body.worldCenter, True)
            body.ApplyTorque(_TWIST, True)
        state = self.read()
        floats = state.bodies.view(np.float32)
        for body in self.bodies[:-1]:
            body.ApplyForce((-_PUSH[0], -_PUSH[1]), body.worldCenter, True)
            body.ApplyTorque(-_TWIST, True)
        anchors = _words(self.memory, self.addresses, (28, 32, 144, 160, 164, 168))
        for row, body in enumerate(self.bodies):
            center = body.worldCenter
            public = (
                *(body.position.x, body.position.y, math.sin(body.angle), math.cos(body.angle)),
                *(*self.before[row], center.x, center.y, body.angle, body.linearVelocity.x, body.linearVelocity.y, body.angularVelocity),
            )
            # c0 and c, then a0 and a: pairs in memory, one after the other in `public`
            read = floats[row, (0, 1, 2, 3, 4, 5, 8, 6, 7, 9, 10, 11, 12)]
            push = (0.0, 0.0, 0.0) if body is self.bodies[-1] else (*_PUSH, _TWIST)
            local = body.localCenter
            data = (local.x, local.y, body.mass, body.linearDamping, body.angularDamping, body.gravityScale)
            if not _near(read, public) or not _near(anchors[row], data) or tuple(floats[row, 13:16].tolist()) != push:
                return "the layout of b2Body is not the one of Box2D 2.3.0"
        if floats[-1, 16] != self.rest or self.bodies[-1].awake != (self.rest > 0.0):
            return "the time at rest does not lie where Box2D 2.3.0 has it"
        for row, joint in enumerate(self.joints):
            problem = _joint_difference(joint, state.joints.view(np.float32)[row], state.joints[row], self.sum)
            if problem is not None:
                return problem
        return None


def _words(memory: InternalMemory, addresses: NDArray[np.int64], offsets: tuple[int, ...]) -> NDArray[np.float32]:
    at = np.ascontiguousarray(np.broadcast_to(np.array(offsets, dtype=np.int64) // _WORD, (len(addresses), len(offsets))))
    words = np.empty(at.shape, dtype=np.uint32)
    memory._kernel.copy_words(addresses, at, words)
    return words.view(np.float32)


def _near(read: Any, public: Any) -> bool:
    return bool(np.allclose(np.array(read, dtype=np.float64), np.array(public, dtype=np.float64), rtol=1e-5, atol=1e-6))


def _joint_difference(joint: Any, impulse: NDArray[np.float32], raw: Words, gear_sum: float) -> str | None:
    """Compare the impulses with the reported force and torque of the joint, for a step of a second."""
    kind = type(joint).__name__
    force, torque = joint.GetReactionForce(1.0), joint.GetReactionTorque(1.0)
    size = math.hypot(force.x, force.y)
    problem = f"the layout of {kind} is not the one of Box2D 2.3.0"
    good = True
    match kind:
        case "b2DistanceJoint" | "b2RopeJoint" | "b2PulleyJoint":
            good = _near((abs(impulse[0]), 0.0), (size, torque))
        case "b2RevoluteJoint" | "b2WeldJoint" | "b2FrictionJoint" | "b2MotorJoint":
            good = _near(impulse[:3], (force.x, force.y, torque))
        case "b2PrismaticJoint":
            good = _near((math.hypot(impulse[0], impulse[3] + impulse[2]), impulse[1]), (size, torque))
        case "b2WheelJoint":
            good = _near((math.hypot(impulse[0], impulse[2]), impulse[1]), (size, torque))
        case "b2GearJoint":
            good = _near(impulse[:2], (gear_sum, torque))  # its first joint turns
        case "b2MouseJoint":
            good = _near(impulse[:2], (force.x, force.y))
    if kind == "b2RevoluteJoint":
        good = good and _near(impulse[3], joint.GetMotorTorque(1.0))
    if kind == "b2PrismaticJoint":
        good = good and _near(impulse[3], joint.GetMotorForce(1.0))
    if kind in ("b2RevoluteJoint", "b2PrismaticJoint"):
        good = good and _is_limit_state(joint, int(raw[4]))
    return None if good else problem


def _is_limit_state(joint: Any, state: int) -> bool:
    """0 inactive, 1 at the lower limit, 2 at the upper one, 3 both are one; without a limit always 0."""
    return state == 0 if not joint.limitEnabled else state in (0, 1, 2)
