"""The inspector's page of a joint: its bodies, the settings of its kind, and its current state and forces."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.app.editor.editor import ChosenJoint, Editor
from engine.common.errors import InvalidInputError
from engine.render import palette
from engine.sim.actions import ChangeJoint
from engine.sim.stage import body_box
from engine.ui.rows import Heading, Line, Note, Number, Row, Switch
from engine.world import (
    DistanceJointSpec,
    FrictionJointSpec,
    GearJointSpec,
    MotorJointSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    PulleyJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    WeldJointSpec,
    WheelJointSpec,
    World,
)
from engine.world.fields import changed
from engine.world.joint_specs import JointSpec
from engine.world.joints import changeable

__all__ = ["joint_rows"]

_KINDS: dict[type[Any], str] = {
    RevoluteJointSpec: "hinge",
    DistanceJointSpec: "rod",
    WeldJointSpec: "weld",
    PrismaticJointSpec: "slider",
    WheelJointSpec: "wheel",
    RopeJointSpec: "rope",
    PulleyJointSpec: "pulley",
    FrictionJointSpec: "friction",
    MotorJointSpec: "motor",
    GearJointSpec: "gear",
    MouseJointSpec: "pull",
}
"""Name of each kind in the tools and on this page."""


@dataclass(frozen=True, slots=True)
class _Setting:
    """How a number of a specification is shown: its name, the step of its buttons, its unit, and its tooltip."""

    name: str
    step: float
    unit: str
    says: str
    is_angle: bool = False


_SWITCHES: dict[str, tuple[str, str]] = {
    "enable_motor": ("motor", "Drives body B relative to body A at the motor's speed, up to its maximum force or torque."),
    "enable_limit": ("limits", "Keeps body B between the lower and upper limits."),
    "collide_connected": ("bodies collide", "If off, the two joined bodies pass through each other."),
}
_SETTINGS: dict[str, _Setting] = {
    "motor_speed": _Setting("motor speed", 1.0, "rad/s", "Positive is counter-clockwise. Use a negative speed to drive right; 0 brakes."),
    "max_motor_torque": _Setting("max torque", 5.0, "N m", "Maximum torque of the motor. At 0 it does nothing."),
    "max_motor_force": _Setting("max force", 5.0, "N", "Maximum force of the motor. At 0 it does nothing."),
    "lower_angle": _Setting("lower limit", 5.0, "°", "Smallest angle of B relative to A; 0 is the angle at which they were joined.", True),
    "upper_angle": _Setting("upper limit", 5.0, "°", "Largest angle of B relative to A; 0 is the angle at which they were joined.", True),
    "lower_translation": _Setting(
        "lower limit", 0.1, "m", "Smallest displacement along the axis; 0 is the position at which they were joined."
    ),
    "upper_translation": _Setting(
        "upper limit", 0.1, "m", "Largest displacement along the axis; 0 is the position at which they were joined."
    ),
    "frequency": _Setting("spring", 0.5, "Hz", "Oscillations per second; higher is stiffer. 0 means no spring."),
    "damping_ratio": _Setting("damping", 0.1, "", "At 1 the spring comes to rest without oscillating; at 0 it never stops."),
    "length": _Setting("length", 0.1, "m", "Distance between the joint's anchors."),
    "max_length": _Setting("max length", 0.1, "m", "Maximum distance between the joint's anchors."),
    "length_a": _Setting("length A", 0.1, "m", "Initial rope length on A's side. The total length is A's length plus the ratio times B's."),
    "length_b": _Setting("length B", 0.1, "m", "Initial rope length on B's side."),
    "ratio": _Setting("ratio", 0.5, "", "Change in the rope length on A's side per unit of change on B's side."),
    "max_force": _Setting("max force", 5.0, "N", "Maximum force that the joint applies."),
    "max_torque": _Setting("max torque", 5.0, "N m", "Maximum torque that the joint applies."),
    "angular_offset": _Setting("target angle", 5.0, "°", "Target angle of B relative to A.", True),
    "correction_factor": _Setting("correction", 0.1, "", "Fraction of the error corrected in each step, 0 to 1."),
}
_LIMITS = (("lower_angle", "upper_angle"), ("lower_translation", "upper_translation"))
_STRENGTHS = ("max_motor_torque", "max_motor_force")
_DECIMALS = 4
_AMPLE = 2.0
"""A motor that is switched on without strength gets this multiple of the weight that it moves, at the lever arm of body B."""
_EARTH = 10.0
"""Minimum gravity assumed for a motor's load, m/s^2."""


def joint_rows(editor: Editor, chosen: ChosenJoint) -> list[Row]:
    """Return rows with the joint's bodies, its settings, and its state and forces."""
    world = editor.world(chosen.stage)
    spec = world.joint_now(chosen.joint)
    called = editor.session.called("joint", chosen.joint)
    rows: list[Row] = [Heading(f"{called[:1].upper()}{called[1:]}: {_KINDS[type(spec)]}"), *_ends(editor, world, chosen.joint, spec)]
    rows += _settings(editor, chosen, spec)
    if isinstance(spec, GearJointSpec):
        rows.append(Note("The coupled joints are fixed at creation. A new ratio applies from their current positions."))
    elif isinstance(spec, MouseJointSpec):
        rows.append(Note("The joint pulls its point on body B toward anchor A, which only its creator can move."))
    else:
        rows.append(
            Note(
                "The joint's bodies, anchors and axis are fixed at creation. To join other bodies, delete it (Del) and create a new joint."
            )
        )
    return rows + _state(world, chosen.joint, spec, editor.stages[chosen.stage].displaced)


def _ends(editor: Editor, world: World, joint: int, spec: JointSpec) -> list[Row]:
    if isinstance(spec, GearJointSpec):
        return [Line(f"couples {'AB'[k]}", _joint_words(editor, world, coupled)) for k, coupled in enumerate((spec.joint_a, spec.joint_b))]
    rows: list[Row] = []
    for letter, body, (x, y) in zip("AB", world.joint_bodies(joint), world.joint_anchors(joint), strict=True):
        if body is not None:
            rows.append(Line(f"body {letter}", world.body(body).spec.name or editor.session.called("body", body)))
        rows.append(Line(f"anchor {letter}", f"({x:.3g}, {y:.3g}) m"))
    return rows


def _joint_words(editor: Editor, world: World, joint: int) -> str:
    return f"{editor.session.called('joint', joint)}, {_KINDS[type(world.joint(joint).spec)]}"


def _settings(editor: Editor, chosen: ChosenJoint, spec: JointSpec) -> list[Row]:
    """Return a row for each setting, with headings for the motor and the limits."""

    def setter(name: str) -> Callable[[Any], None]:
        return lambda value: _set(editor, chosen, name, value)

    rows: list[Row] = [Heading("Settings")]
    for name in changeable(spec):
        value: Any = getattr(spec, name)
        if name in _SWITCHES:
            words, says = _SWITCHES[name]
            rows.append(Switch(words, value, setter(name), tip=says))
        elif name == "linear_offset":
            rows += _offset_rows(value, setter(name))
        else:
            setting = _SETTINGS[name]
            unit = "m/s" if name == "motor_speed" and isinstance(spec, PrismaticJointSpec) else setting.unit
            says = "Speed along the axis; negative is backward, and 0 brakes." if unit == "m/s" else setting.says
            shown = math.degrees(value) if setting.is_angle else value
            rows.append(Number(setting.name, shown, setter(name), setting.step, unit, tip=says))
            if name == "motor_speed" and value == 0.0 and getattr(spec, "enable_motor", False):
                right = "" if unit == "m/s" else " A negative speed drives a car to the right."
                rows.append(Note(f"The motor is on at speed 0, so it brakes. Enter a speed to drive.{right}", color=palette.WARNING))
    return rows


def _offset_rows(offset: tuple[float, float], change: Callable[[Any], None]) -> list[Row]:
    x, y = offset
    says = "Target position of B's origin, in A's frame."
    return [
        Number("target x", x, lambda new: change((new, y)), 0.1, "m", tip=says),
        Number("target y", y, lambda new: change((x, new)), 0.1, "m", tip=says),
    ]


def _state(world: World, joint: int, spec: JointSpec, displaced: frozenset[int]) -> list[Row]:
    """Return the measured rows: displacement, speed and forces, unless one of the bodies was `displaced` since the step."""
    now = world.joint_state(joint)
    rows: list[Row] = [Heading("State")]
    if isinstance(spec, PulleyJointSpec):
        ends = zip((spec.ground_anchor_a, spec.ground_anchor_b), world.joint_anchors(joint), strict=True)
        rows += [Line(f"rope {letter}", _told(math.dist(*pair), " m")) for letter, pair in zip("AB", ends, strict=True)]
    elif isinstance(spec, GearJointSpec):
        for letter, coupled in zip("AB", (spec.joint_a, spec.joint_b), strict=True):
            state, slides = world.joint_state(coupled), isinstance(world.joint(coupled).spec, PrismaticJointSpec)
            words = _told(state.travel, " m") if slides else _told(math.degrees(state.angle), "°")
            rows.append(Line(f"{'travel' if slides else 'angle'} of {letter}", words))
    else:
        along = "travel along axis" if isinstance(spec, PrismaticJointSpec | WheelJointSpec) else "anchor distance"
        rows += [Line("angle", _told(math.degrees(now.angle), "°")), Line("spin", _told(now.spin, " rad/s"))]
        rows += [Line(along, _told(now.travel, " m")), Line("speed along axis", _told(now.speed, " m/s"))]
    if not displaced.isdisjoint(world.joint_bodies(joint)):
        return [*rows, Line("force and torque on B", "after a step")]
    return [*rows, Line("force on B", _told(math.hypot(*now.force), " N")), Line("torque on B", _told(now.torque, " N m"))]


def _told(value: float, unit: str) -> str:
    """Return a value as text, rounded so that nearly zero is shown as 0, never as -0."""
    return f"{round(value, _DECIMALS) + 0.0:.4g}{unit}"


# -- changes ----------------------------------------------------------------------------------------------------------


def _set(editor: Editor, chosen: ChosenJoint, name: str, value: Any) -> None:
    """Change a value of the joint, given as shown; a motor that is switched on without strength gets enough of it."""
    world = editor.world(chosen.stage)
    with editor.telling():
        spec: Any = world.joint_now(chosen.joint)
        if name in _SETTINGS and _SETTINGS[name].is_angle:
            value = math.radians(value)
        _check_order(spec, name, value)
        changes = {name: value}
        strength = next((field for field in changeable(spec) if field in _STRENGTHS), "")
        if name == "enable_motor" and value and getattr(spec, strength) == 0.0:
            changes[strength] = _ample(world, chosen.joint, strength == "max_motor_force")
        changed(spec, "joint", changes)  # reject before changing anything
        if getattr(spec, name) != value:
            editor.gesture().edit(ChangeJoint(chosen.stage, chosen.joint, changes))


def _check_order(spec: Any, name: str, value: float) -> None:
    """Reject limits in the wrong order, in the words and the unit of the page."""
    for lower, upper in _LIMITS:
        other = {lower: upper, upper: lower}.get(name)
        if other is None:
            continue
        bound = getattr(spec, other)
        if (value > bound) if name == lower else (value < bound):
            setting = _SETTINGS[name]
            shown_bound, got = (math.degrees(bound), math.degrees(value)) if setting.is_angle else (bound, value)
            sign = "<=" if name == lower else ">="
            raise InvalidInputError(
                setting.name, f"{sign} the {_SETTINGS[other].name}, {shown_bound:.4g} {setting.unit}", float(f"{got:.6g}")
            )


def _ample(world: World, joint: int, is_force: bool) -> float:
    """Return a motor strength that moves the joint's bodies against their weight, N or N m, with two significant digits."""
    bodies = [body for body in world.joint_bodies(joint) if body is not None]
    weight = sum(world.body(body).mass for body in bodies) * max(math.hypot(*world.settings.gravity), _EARTH)
    box = body_box(world, bodies[-1])
    lever = 1.0 if is_force or box is None else max(math.dist(box.lower, box.upper), 0.0) / 2.0
    return float(f"{_AMPLE * weight * lever:.2g}")
