"""Creation of Box2D joints from resolved joints (`engine.world.joints`).

A gear joint depends on two other joints and has pointers to their four bodies. If one of those joints is destroyed first, or a body is not
in the same island, Box2D still solves the gear joint, with stale island indices, and so moves arbitrary bodies. The solver removes gear
joints before this can happen (`Box2DSolver.can_hold`). A gear joint's constant is part of the internal state
(`engine.box2d.internal_state`); if that is not accessible, a rebuild recomputes it.
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
"""Names of fields in Box2D's joint definitions, where they differ from the camelCase form of the field."""


def create_joint(world: Any, joint: ResolvedJoint, body_a: Any, body_b: Any, others: Mapping[int, Any]) -> Any:
    """Create a joint between two Box2D bodies, or a gear joint on two of the `others`."""
    settings: Any = joint.spec
    definition = {"bodyA": body_a, "bodyB": body_b}
    for field in fields(settings):
        if field.name in RESOLVED_AS:
            definition[_box2d_name(field.name)] = getattr(joint, RESOLVED_AS[field.name])
        elif field.name not in body_fields(settings):
            definition[_box2d_name(field.name)] = getattr(settings, field.name)
    if isinstance(settings, MouseJointSpec):
        # Box2D computes the grabbed point from the target at creation, so the actual target is set afterwards
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
