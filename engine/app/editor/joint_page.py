"""The inspector's page of a joint: its bodies, the settings of its kind, and its current state and forces."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from engine.app.editor.editor import ChosenJoint, Editor
from engine.common.errors import InvalidInputError
from engine.render import palette
from engine.sim.actions import ChangeJoint
from engine.sim.stage import body_box
from engine.ui.rows import Heading, Line, Note, Number, Row, Switch
from engine.world import GearJointSpec, JointSpec, MouseJointSpec, PrismaticJointSpec, PulleyJointSpec, World
from engine.world.fields import changed
from engine.world.joints.interface import Label, changeable, joints_of

__all__ = ["joint_rows"]

_STRENGTHS = ("max_motor_torque", "max_motor_force")
_DEGREES = "°"
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
    rows: list[Row] = [Heading(f"{called[:1].upper()}{called[1:]}: {spec.title}"), *_ends(editor, world, chosen.joint, spec)]
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
        names = [f"{editor.session.called('joint', coupled)}, {world.joint(coupled).spec.title}" for coupled in joints_of(spec)]
        return [Line(f"couples {letter}", name) for letter, name in zip("AB", names, strict=True)]
    rows: list[Row] = []
    for letter, body, (x, y) in zip("AB", world.joint_bodies(joint), world.joint_anchors(joint), strict=True):
        if body is not None:
            rows.append(Line(f"body {letter}", world.body(body).spec.name or editor.session.called("body", body)))
        rows.append(Line(f"anchor {letter}", f"({x:.3g}, {y:.3g}) m"))
    return rows


def _settings(editor: Editor, chosen: ChosenJoint, spec: JointSpec) -> list[Row]:
    """Return a row for each setting, with headings for the motor and the limits."""

    def setter(name: str) -> Callable[[Any], None]:
        return lambda value: _set(editor, chosen, name, value)

    rows: list[Row] = [Heading("Settings")]
    for name in changeable(spec):
        value, label = getattr(spec, name), spec.labels[name]
        if isinstance(value, bool):
            rows.append(Switch(label.name, value, setter(name), tip=label.help))
        elif isinstance(value, tuple):
            rows += _vector_rows(value, label, setter(name))
        else:
            shown = math.degrees(value) if label.unit == _DEGREES else value
            rows.append(Number(label.name, shown, setter(name), label.step, label.unit, tip=label.help))
            if name == "motor_speed" and value == 0.0 and getattr(spec, "enable_motor", False):
                right = "" if label.unit == "m/s" else " A negative speed drives a car to the right."
                rows.append(Note(f"The motor is on at speed 0, so it brakes. Enter a speed to drive.{right}", color=palette.WARNING))
    return rows


def _vector_rows(vector: tuple[float, float], label: Label, change: Callable[[Any], None]) -> list[Row]:
    x, y = vector
    return [
        Number(f"{label.name} x", x, lambda new: change((new, y)), label.step, label.unit, tip=label.help),
        Number(f"{label.name} y", y, lambda new: change((x, new)), label.step, label.unit, tip=label.help),
    ]


def _state(world: World, joint: int, spec: JointSpec, displaced: frozenset[int]) -> list[Row]:
    """Return the measured rows: displacement, speed and forces, unless one of the bodies was `displaced` since the step."""
    now = world.joint_state(joint)
    rows: list[Row] = [Heading("State")]
    if isinstance(spec, PulleyJointSpec):
        ends = zip((spec.ground_anchor_a, spec.ground_anchor_b), world.joint_anchors(joint), strict=True)
        rows += [Line(f"rope {letter}", _told(math.dist(*pair), " m")) for letter, pair in zip("AB", ends, strict=True)]
    elif isinstance(spec, GearJointSpec):
        for letter, coupled in zip("AB", joints_of(spec), strict=True):
            state, slides = world.joint_state(coupled), isinstance(world.joint(coupled).spec, PrismaticJointSpec)
            words = _told(state.travel, " m") if slides else _told(math.degrees(state.angle), "°")
            rows.append(Line(f"{'travel' if slides else 'angle'} of {letter}", words))
    else:
        along = "travel along axis" if hasattr(spec, "axis") else "anchor distance"
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
        if spec.labels[name].unit == _DEGREES:
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
    is_lower = name.startswith("lower")
    other = name.replace("lower", "upper") if is_lower else name.replace("upper", "lower")
    bound = getattr(spec, other)
    if other != name and ((value > bound) if is_lower else (value < bound)):
        label = spec.labels[name]
        shown_bound, got = (math.degrees(bound), math.degrees(value)) if label.unit == _DEGREES else (bound, value)
        requirement = f"{'<=' if is_lower else '>='} the {spec.labels[other].name}, {shown_bound:.4g} {label.unit}"
        raise InvalidInputError(label.name, requirement, float(f"{got:.6g}"))


def _ample(world: World, joint: int, is_force: bool) -> float:
    """Return a motor strength that moves the joint's bodies against their weight, N or N m, with two significant digits."""
    bodies = [body for body in world.joint_bodies(joint) if body is not None]
    weight = sum(world.body(body).mass for body in bodies) * max(math.hypot(*world.settings.gravity), _EARTH)
    box = body_box(world, bodies[-1])
    lever = 1.0 if is_force or box is None else max(math.dist(box.lower, box.upper), 0.0) / 2.0
    return float(f"{_AMPLE * weight * lever:.2g}")
