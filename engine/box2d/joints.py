"""How a resolved joint (`engine.world.joints`) becomes a Box2D joint.

A gear joint stands on two other joints and keeps pointers to their four bodies. Where one of those joints goes before it, or leaves a body
out of its island, Box2D solves it all the same, at the place in the island that the body had last: other bodies are thrown, by whatever
lies there. The solver lets none live that could do so (`Box2DSolver.can_hold`). The sum that it keeps constant is part of the internal
state (`engine.box2d.internal_state`); where memory is out of reach, building anew takes it anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

import Box2D

from engine.common.limits import LOOSE_SPRING
from engine.world.joint_specs import GearJointSpec, MouseJointSpec, WheelJointSpec, body_fields
from engine.world.joints import RESOLVED_AS, ResolvedJoint

__all__ = ["create_joint"]

_NAMES: Mapping[str, str] = MappingProxyType(
    {
        **{"anchor": "localAnchorA", "anchor_a": "localAnchorA", "anchor_b": "localAnchorB", "axis": "localAxisA"},
        **{"frequency": "frequencyHz", "joint_a": "joint1", "joint_b": "joint2"},
    }
)
"""Fields by their names in Box2D's definitions, where those are not the same in camelCase."""


def create_joint(world: Any, joint: ResolvedJoint, body_a: Any, body_b: Any, others: Mapping[int, Any]) -> Any:
    """Make the Box2D joint between two live Box2D bodies; a gear joint on two of the other joints."""
    settings: Any = joint.spec
    definition = {"bodyA": body_a, "bodyB": body_b}
    for field in fields(settings):
        if field.name in RESOLVED_AS:
            definition[_box2d_name(field.name)] = getattr(joint, RESOLVED_AS[field.name])
        elif field.name not in body_fields(settings):
            definition[_box2d_name(field.name)] = getattr(settings, field.name)
    if isinstance(settings, MouseJointSpec):
        # Box2D takes the grabbed point from the target at creation; the target itself is set afterwards
        grabbed = body_b.GetWorldPoint(joint.local_anchor_b)
        del definition["grabbed"]
        definition["target"] = (float(grabbed.x), float(grabbed.y))
    elif isinstance(settings, GearJointSpec):
        definition |= {"joint1": others[settings.joint_a], "joint2": others[settings.joint_b]}
    elif isinstance(settings, WheelJointSpec):
        definition["frequencyHz"] = settings.frequency or LOOSE_SPRING
    kind = type(settings).__name__.removesuffix("JointSpec")
    made = world.CreateJoint(getattr(Box2D, f"b2{kind}JointDef")(**definition))
    if isinstance(settings, MouseJointSpec):
        made.target = settings.target
    return made


def _box2d_name(field: str) -> str:
    first, *others = field.split("_")
    return _NAMES.get(field) or first + "".join(map(str.title, others))
