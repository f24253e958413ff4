"""Joints of a R.U.B.E. file; see `engine.scenes.rube`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from engine.common.errors import InvalidInputError
from engine.common.tolerances import LINEAR_SLOP
from engine.common.words import brief
from engine.geometry import Transform
from engine.scenes._rube_object import RubeObject
from engine.scenes.kinds import JOINT_KINDS
from engine.world import BodySpec, GearJointSpec, JointSpec

__all__ = ["RefusedJointError", "check_kind", "gear", "joint_of"]

Point = tuple[float, float]

_NAMES = {
    "frequency": ("springFrequency", "frequency"),
    "damping_ratio": ("springDampingRatio", "dampingRatio"),
    "reference_angle": ("refAngle", "referenceAngle"),
    "angular_offset": ("refAngle",),
    "linear_offset": ("linearOffset", "anchorA"),  # the editor writes the latter
    "axis": ("localAxisA", "localAxis1"),
    "anchor": ("anchorA",),
    "grabbed": ("anchorB",),  # in the world's frame, only for this joint
}
"""Names in the file for fields whose name is not simply the field in camelCase. The first name present is used, otherwise the last."""

_LENGTHS = ("length", "max_length", "length_a", "length_b")


class RefusedJointError(Exception):
    """A joint that Box2D's loader would create, but that scenes do not support."""


def check_kind(joint: RubeObject) -> None:
    """Reject a joint of a type that scenes do not support; gear joints are handled by `gear`."""
    name = joint.text("type")
    if JOINT_KINDS.get(name, GearJointSpec) is GearJointSpec:
        raise RefusedJointError(f"scenes do not support the type {brief(name, 40) or 'none'}")


def joint_of(joint: RubeObject, a: int, b: int, bodies: Sequence[BodySpec]) -> JointSpec:
    """Return a joint between two bodies, given by their indices in the scene; its kind has already been checked."""
    kind = JOINT_KINDS[joint.text("type")]
    references = {"body": b, "body_a": a, "body_b": b}
    frames = [Transform(bodies[body].position, bodies[body].angle) for body in (a, b)]
    return _made(
        kind,
        {spec.name: references[spec.name] if spec.name in references else _value(joint, kind, spec, frames) for spec in fields(kind)},
    )


def gear(joint: RubeObject, places: Mapping[int, int]) -> JointSpec:
    """Return a gear joint; `places` maps indices of joints in the file to those in the scene."""
    a, b = (joint.whole(name) for name in ("joint1", "joint2"))
    if a not in places or b not in places:
        raise RefusedJointError(f"joint {b if a in places else a} is missing")
    values = {"joint_a": places[a], "joint_b": places[b], "ratio": joint.number("ratio")}
    return _made(GearJointSpec, values | {"collide_connected": joint.flag("collideConnected")})


def _value(joint: RubeObject, kind: type, field: Any, frames: Sequence[Transform]) -> Any:
    """Return the value of a field from the file, in the world's frame."""
    name = field.name
    first, *others = name.split("_")
    names = _NAMES.get(name, (first + "".join(map(str.title, others)),))
    key = next((candidate for candidate in names if candidate in joint), names[-1])
    if first in ("lower", "upper"):
        limits, is_upper = [joint.number("lowerLimit"), joint.number("upperLimit")], first == "upper"
        # disabled limits may be in the wrong order
        return limits[is_upper] if joint.flag("enableLimit") else (min, max)[is_upper](limits)
    if name in ("anchor", "anchor_a", "anchor_b"):
        return frames[name == "anchor_b"].apply(joint.vector(key))
    if name == "axis":
        return frames[0].rotate(joint.vector(key))
    if name in ("ground_anchor_a", "ground_anchor_b", "target", "grabbed", "linear_offset"):
        return joint.vector(key)
    if field.type == "bool":
        return joint.flag(key)
    number = joint.number(key)
    return max(number, LINEAR_SLOP) if name in _LENGTHS else number


def _made(kind: Any, settings: Mapping[str, Any]) -> JointSpec:
    try:
        made: JointSpec = kind(**settings)
    except InvalidInputError as error:
        raise RefusedJointError(str(error)) from None
    return made
