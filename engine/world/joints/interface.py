"""Base classes of joint specifications, and joints resolved into body-local anchors, angles and lengths.

Specifications use world coordinates at creation, while solvers use local anchors, a reference angle and rest lengths. A specification is
*resolved* into these numbers once, at creation (`ResolvedJoint`). A solver that recreates the joint uses them, not the current poses.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, NamedTuple, TypeAlias

from engine.common.errors import InvalidInputError
from engine.common.limits import MAX_NUMBER
from engine.common.tolerances import LINEAR_SLOP
from engine.geometry import Transform
from engine.world.fields import Checked, changed, unit
from engine.world.joints.rows import Rows

__all__ = [
    "RESOLVED_AS",
    "JointSpec",
    "Joints",
    "Label",
    "ResolvedJoint",
    "TwoBodyJointSpec",
    "Vector",
    "altered",
    "anchors_of",
    "as_it_stands",
    "bodies_of",
    "changeable",
    "check_apart",
    "check_numbers",
    "joints_of",
    "linked_bodies",
    "renumbered",
    "resolved_fields",
]

Vector: TypeAlias = tuple[float, float]
Joints: TypeAlias = Mapping[int, "ResolvedJoint"]


class Label(NamedTuple):
    """How editors show a setting: its name, its tooltip, and the step of its buttons in `unit`; angles are shown in degrees."""

    name: str
    help: str
    step: float = 0.0
    unit: str = ""


@dataclass(frozen=True)
class JointSpec(Checked, ABC):
    """Base class of joint specifications, in world coordinates at creation.

    By default a joint takes its reference values from the poses at creation. They can also be given, so that a loaded joint continues
    unchanged: `anchor_b`, the anchor on body B if it differs from the one on A; `reference_angle`, the angle of B relative to A at which
    limits are zero, radians; and the rest lengths, meters. None means the value at creation.

    Attributes
    ----------
    title : str
        Name in editors.
    labels : dict of str to Label
        Labels of the settings that can be changed.
    body_fields, joint_fields : tuple of str
        Names of the fields that contain body ids, and joint ids.
    coordinate : int or None
        Coordinate that a gear joint can couple, ANGLE or ALONG.
    """

    title: ClassVar[str]
    labels: ClassVar[dict[str, Label]] = {
        "enable_motor": Label("motor", "Drives body B relative to body A at the motor's speed, up to its maximum force or torque."),
        "enable_limit": Label("limits", "Keeps body B between the lower and upper limits."),
        "collide_connected": Label("bodies collide", "If off, the two joined bodies pass through each other."),
        "motor_speed": Label("motor speed", "Positive is counter-clockwise. Use a negative speed to drive right; 0 brakes.", 1.0, "rad/s"),
        "max_motor_torque": Label("max torque", "Maximum torque of the motor. At 0 it does nothing.", 5.0, "N m"),
        "frequency": Label("spring", "Oscillations per second; higher is stiffer. 0 means no spring.", 0.5, "Hz"),
        "damping_ratio": Label("damping", "At 1 the spring comes to rest without oscillating; at 0 it never stops.", 0.1),
        "max_force": Label("max force", "Maximum force that the joint applies.", 5.0, "N"),
        "max_torque": Label("max torque", "Maximum torque that the joint applies.", 5.0, "N m"),
    }
    body_fields: ClassVar[tuple[str, ...]] = ()
    joint_fields: ClassVar[tuple[str, ...]] = ()
    coordinate: ClassVar[int | None] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for names in (self.body_fields, self.joint_fields):
            if len({getattr(self, name) for name in names}) < len(names):
                raise InvalidInputError(names[1], f"different from {names[0]}", getattr(self, names[1]))
        for field in fields(self):
            upper = field.name.replace("lower", "upper")
            if upper != field.name and getattr(self, field.name) > getattr(self, upper):
                raise InvalidInputError(upper, f">= {field.name} = {getattr(self, field.name)}", getattr(self, upper))

    @property
    def collide_connected(self) -> bool:
        """True if the bodies that the joint connects collide."""
        return True

    def check_ends(self, number: int, type_of: Callable[[int], str], others: Joints) -> None:
        """Check that the joint `number` refers to suitable bodies, at least one of them dynamic, or to suitable joints.

        Raises
        ------
        InvalidInputError
            It does not; the message names the field.
        """
        bodies = bodies_of(self)
        if "dynamic" not in map(type_of, bodies):
            requirement = "dynamic unless body_a is" if len(bodies) > 1 else "a dynamic body"
            raise InvalidInputError(self.body_fields[-1], requirement, bodies[-1])

    def resolve(self, pose_of: Callable[[int], Transform], others: Joints) -> ResolvedJoint:
        """Return the joint in body frames at the current poses of its bodies; a gear joint is resolved from the `others`."""
        a, b = bodies_of(self)
        xf_a, xf_b = pose_of(a), pose_of(b)
        values: dict[str, Any] = {name: value for name in RESOLVED_AS if (value := getattr(self, name, None)) is not None}
        on_a = values.pop("anchor", None) or values.pop("anchor_a", None)
        resolved: dict[str, Any] = {"reference_angle": xf_b.angle - xf_a.angle}
        if on_a is None:
            resolved["local_anchor_a"] = xf_a.apply_inverse(xf_b.position)  # a motor joint
        else:
            on_b = values.pop("anchor_b", on_a)
            resolved |= {"local_anchor_a": xf_a.apply_inverse(on_a), "local_anchor_b": xf_b.apply_inverse(on_b)}
            resolved["length_a"] = math.dist(getattr(self, "ground_anchor_a", on_b), on_a)
            resolved["length_b"] = math.dist(getattr(self, "ground_anchor_b", on_b), on_b)
        if "axis" in values:
            resolved["local_axis_a"] = Transform((0.0, 0.0), xf_a.angle).apply_inverse(unit(values.pop("axis")))
        return ResolvedJoint(self, (a, b), **resolved | {RESOLVED_AS[name]: value for name, value in values.items()})

    @abstractmethod
    def rows(self, joint: ResolvedJoint) -> Rows:
        """Yield the rows of the resolved joint, in the order in which they are solved; the last ones are held best."""


@dataclass(frozen=True)
class TwoBodyJointSpec(JointSpec):
    """Base class of joints between two bodies."""

    body_a: int
    body_b: int

    body_fields = ("body_a", "body_b")


@dataclass(frozen=True)
class ResolvedJoint:
    """A joint in body frames, as solvers use it. None as the first body means the static ground body.

    For a motor joint, the anchor on A and the reference angle are the joint's linear and angular offsets. For a gear joint, A and B are
    body B of its first and second joint.
    """

    spec: JointSpec
    bodies: tuple[int | None, int]
    local_anchor_a: Vector = (0.0, 0.0)
    local_anchor_b: Vector = (0.0, 0.0)
    local_axis_a: Vector = (1.0, 0.0)
    reference_angle: float = 0.0
    length_a: float = 0.0
    length_b: float = 0.0


RESOLVED_AS: Mapping[str, str] = {
    **dict.fromkeys(("anchor", "anchor_a", "linear_offset"), "local_anchor_a"),
    **dict.fromkeys(("anchor_b", "grabbed"), "local_anchor_b"),
    **dict.fromkeys(("reference_angle", "angular_offset"), "reference_angle"),
    **dict.fromkeys(("length", "max_length", "length_a"), "length_a"),
    "axis": "local_axis_a",
    "length_b": "length_b",
}
"""For each specification field that is resolved into a body frame, the corresponding attribute of `ResolvedJoint`."""


def check_apart(field: str, a: Vector, b: Vector) -> None:
    """Check that two points are far enough apart to define a direction; the second one is in `field`."""
    if math.dist(a, b) < LINEAR_SLOP:
        raise InvalidInputError(field, f"at least {LINEAR_SLOP} m from the other end", b)


def check_numbers(joint: ResolvedJoint) -> None:
    """Check that a joint's numbers are in range; a joint between distant bodies, or one from a file, may exceed the ranges.

    Raises
    ------
    InvalidInputError
        A number is out of range; the message names the field.
    """
    for name in ("local_anchor_a", "local_anchor_b", "local_axis_a"):
        pair = getattr(joint, name)
        if not isinstance(pair, tuple) or len(pair) != 2 or not all(type(part) is float and abs(part) <= MAX_NUMBER for part in pair):
            raise InvalidInputError(name, f"two numbers of magnitude at most {MAX_NUMBER:g}", pair)
    for name in ("reference_angle", "length_a", "length_b"):
        value = getattr(joint, name)
        if type(value) is not float or not abs(value) <= MAX_NUMBER or (value < 0.0 and name != "reference_angle"):
            raise InvalidInputError(name, f"a number up to {MAX_NUMBER:g}", value)


def anchors_of(joint: ResolvedJoint, xf_a: Transform, xf_b: Transform) -> tuple[Vector, Vector]:
    """Return both anchors of a joint, world frame; those of a motor joint are the origins of its bodies."""
    if hasattr(joint.spec, "linear_offset"):
        return xf_a.position, xf_b.position
    return xf_a.apply(joint.local_anchor_a), xf_b.apply(joint.local_anchor_b)


def as_it_stands(joint: ResolvedJoint, pose_of: Callable[[int], Transform]) -> JointSpec:
    """Return the specification that recreates a joint between its bodies at their current poses.

    It has the joint's current anchors, which may have drifted apart, and its original angle and lengths. A gear joint has no anchors,
    angle or lengths; its constant is recomputed.
    """
    names = [field.name for field in fields(joint.spec) if field.name in RESOLVED_AS]
    if not names:
        return joint.spec
    a, b = joint.bodies
    xf_a, on_b = Transform() if a is None else pose_of(a), pose_of(b).apply(joint.local_anchor_b)
    on_a = xf_a.apply(joint.local_anchor_a)
    in_world = {"anchor": on_a, "anchor_a": on_a, "anchor_b": on_b, "axis": xf_a.rotate(joint.local_axis_a), "grabbed": on_b}
    return replace(joint.spec, **{name: in_world.get(name, getattr(joint, RESOLVED_AS[name])) for name in names})


def changeable(joint: JointSpec) -> tuple[str, ...]:
    """Return the names of the settings that can be changed on an existing joint of this kind: those with labels.

    Examples
    --------
    >>> from engine.world import GearJointSpec
    >>> changeable(GearJointSpec(0, 1))
    ('ratio', 'collide_connected')
    """
    return tuple(field.name for field in fields(joint) if field.name in joint.labels)


def altered(joint: ResolvedJoint, changes: Mapping[str, Any]) -> ResolvedJoint:
    """Return a copy of a joint with changed, validated settings; bodies, anchors and reference angle cannot change.

    Raises
    ------
    InvalidInputError
        There is no such setting, or the value is out of range, or it is None, which is valid only at creation.
    """
    settings = changed(joint.spec, "joint", dict(changes), changeable(joint.spec))
    for name, value in changes.items():
        if value is None:
            raise InvalidInputError(name, "given: the joint already exists", None)
    kept: dict[str, Any] = {RESOLVED_AS[name]: getattr(settings, name) for name in changes if name in RESOLVED_AS}
    return replace(joint, spec=settings, **kept)


def resolved_fields(joint: ResolvedJoint) -> dict[str, Any]:
    """Return a joint's settings by field, without body ids, and in body frames where they are resolved."""
    names = [field.name for field in fields(joint.spec) if field.name not in joint.spec.body_fields]
    return {name: getattr(joint, RESOLVED_AS[name]) if name in RESOLVED_AS else getattr(joint.spec, name) for name in names}


def bodies_of(joint: JointSpec) -> tuple[int, ...]:
    """Return the ids of the bodies that a specification refers to."""
    return tuple(getattr(joint, name) for name in joint.body_fields)


def joints_of(joint: JointSpec) -> tuple[int, ...]:
    """Return the ids of the joints that a specification refers to."""
    return tuple(getattr(joint, name) for name in joint.joint_fields)


def linked_bodies(joint: JointSpec, others: Joints) -> tuple[int, ...]:
    """Return the ids of the bodies that a joint connects; a gear joint connects those of both its joints."""
    coupled = (body for other in joints_of(joint) for body in others[other].bodies if body is not None)
    return (*bodies_of(joint), *coupled)


def renumbered(joint: JointSpec, body_of: Callable[[int], int], joint_of: Callable[[int], int]) -> JointSpec:
    """Return a copy of a specification that refers to other bodies and joints."""
    bodies = {name: body_of(getattr(joint, name)) for name in joint.body_fields}
    return replace(joint, **bodies, **{name: joint_of(getattr(joint, name)) for name in joint.joint_fields})
