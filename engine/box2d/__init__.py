"""The only importer of Box2D: a guarded world, and (in `oracle`) Box2D's own answers to single questions."""

from engine.box2d.hooks import StepHooks
from engine.box2d.joints import (
    DistanceJointSpec,
    FrictionJointSpec,
    GearJointSpec,
    JointSpec,
    MotorJointSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    PulleyJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    WeldJointSpec,
    WheelJointSpec,
)
from engine.box2d.records import Body, BodyState, Fixture, Joint, StepCost
from engine.box2d.snapshot import WorldSnapshot
from engine.box2d.specs import BodySpec, FixtureSpec, WorldSettings
from engine.box2d.world import World

__all__ = [
    "Body",
    "BodySpec",
    "BodyState",
    "DistanceJointSpec",
    "Fixture",
    "FixtureSpec",
    "FrictionJointSpec",
    "GearJointSpec",
    "Joint",
    "JointSpec",
    "MotorJointSpec",
    "MouseJointSpec",
    "PrismaticJointSpec",
    "PulleyJointSpec",
    "RevoluteJointSpec",
    "RopeJointSpec",
    "StepCost",
    "StepHooks",
    "WeldJointSpec",
    "WheelJointSpec",
    "World",
    "WorldSettings",
    "WorldSnapshot",
]
