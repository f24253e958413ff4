"""The values of ``"kind"`` in files: names of shapes, joints and other specifications."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, WorldSettings
from engine.world.joints import JOINT_SPECS

__all__ = ["JOINT_KINDS", "KINDS", "SHAPE_KINDS"]

SHAPE_KINDS: Mapping[str, type] = MappingProxyType({"circle": Circle, "polygon": Polygon, "capsule": Capsule, "segment": Segment})
"""Shapes of fixtures by kind."""

JOINT_KINDS: Mapping[str, type] = MappingProxyType({kind.__name__.removesuffix("JointSpec").lower(): kind for kind in JOINT_SPECS})
"""Joint specifications by kind."""

KINDS: Mapping[str, type] = MappingProxyType(
    {**SHAPE_KINDS, **JOINT_KINDS, "fixture": FixtureSpec, "body": BodySpec, "settings": WorldSettings}
)
"""All shapes and specifications by kind."""
