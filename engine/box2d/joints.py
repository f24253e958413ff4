"""Creation of Box2D joints from resolved joints (`engine.world.joints`).

A gear joint depends on two other joints and has pointers to their four bodies. If one of those joints is destroyed first, or a body is not
in the same island, Box2D still solves the gear joint, with stale island indices, and so moves arbitrary bodies. The solver removes gear
joints before this can happen (`Box2DSolver.can_hold`). A gear joint's constant is part of the internal state
(`engine.box2d.internal_state`); if that is not accessible, a rebuild recomputes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import Box2D

from engine.common.limits import LOOSE_SPRING
from engine.world import GearJointSpec, JointSpec, MouseJointSpec, WheelJointSpec
from engine.world.joints import JOINT_SPECS
from engine.world.joints.interface import ResolvedJoint, resolved_fields

__all__ = ["JOINTS", "create_joint"]

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
    definition = {_box2d_name(name): value for name, value in resolved_fields(joint).items()} | {"bodyA": body_a, "bodyB": body_b}
    if isinstance(settings, MouseJointSpec):
        # Box2D computes the grabbed point from the target at creation, so the actual target is set afterwards
        grabbed = body_b.GetWorldPoint(joint.local_anchor_b)
        del definition["grabbed"]
        definition["target"] = (float(grabbed.x), float(grabbed.y))
    elif isinstance(settings, GearJointSpec):
        definition |= {"joint1": others[settings.joint_a], "joint2": others[settings.joint_b]}
    elif isinstance(settings, WheelJointSpec):
        definition["frequencyHz"] = settings.frequency or LOOSE_SPRING
    made = world.CreateJoint(_definition_of(type(settings))(**definition))
    if isinstance(settings, MouseJointSpec):
        made.target = settings.target
    return made


def _definition_of(kind: type[JointSpec]) -> Any:
    """Return Box2D's definition of a kind of joint, or None if Box2D does not have this kind."""
    return getattr(Box2D, f"b2{kind.__name__.removesuffix('Spec')}Def", None)


JOINTS = tuple(kind for kind in JOINT_SPECS if _definition_of(kind) is not None)
"""Supported joint specifications."""


def _box2d_name(field: str) -> str:
    first, *others = field.split("_")
    return _NAMES.get(field) or first + "".join(map(str.title, others))
