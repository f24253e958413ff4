"""A world of bodies, fixtures and joints that any solver can simulate: specifications, commands, and the `World` itself.

This package does not depend on a solver: `World(settings, solver="box2d")` loads one by name (`engine.world.solver`).
"""

from engine.contracts import ContactPoint, PairEvent, PointState, StepContacts
from engine.world.hooks import StepHooks
from engine.world.joints.distance import DistanceJointSpec
from engine.world.joints.friction import FrictionJointSpec
from engine.world.joints.gear import GearJointSpec
from engine.world.joints.interface import JointSpec
from engine.world.joints.motor import MotorJointSpec
from engine.world.joints.mouse import MouseJointSpec
from engine.world.joints.prismatic import PrismaticJointSpec
from engine.world.joints.pulley import PulleyJointSpec
from engine.world.joints.revolute import RevoluteJointSpec
from engine.world.joints.rope import RopeJointSpec
from engine.world.joints.weld import WeldJointSpec
from engine.world.joints.wheel import WheelJointSpec
from engine.world.records import Body, BodyState, Fixture, ImpactMoment, Joint, JointState, StepCost
from engine.world.snapshot import WorldSnapshot
from engine.world.solver import Capabilities, Solver, accept, default_solver, driven_by, load_solver, methods, solvers
from engine.world.specs import BodySpec, FixtureSpec, WorldSettings
from engine.world.world import World
from engine.world.worlds import Worlds

__all__ = [
    "Body",
    "BodySpec",
    "BodyState",
    "Capabilities",
    "ContactPoint",
    "DistanceJointSpec",
    "Fixture",
    "FixtureSpec",
    "FrictionJointSpec",
    "GearJointSpec",
    "ImpactMoment",
    "Joint",
    "JointSpec",
    "JointState",
    "MotorJointSpec",
    "MouseJointSpec",
    "PairEvent",
    "PointState",
    "PrismaticJointSpec",
    "PulleyJointSpec",
    "RevoluteJointSpec",
    "RopeJointSpec",
    "Solver",
    "StepContacts",
    "StepCost",
    "StepHooks",
    "WeldJointSpec",
    "WheelJointSpec",
    "World",
    "WorldSettings",
    "WorldSnapshot",
    "Worlds",
    "accept",
    "default_solver",
    "driven_by",
    "load_solver",
    "methods",
    "solvers",
]
