"""Chipmunk as a solver of `engine.world`."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from engine.chipmunk import CHIPMUNK_VERSION
from engine.chipmunk.joints import JOINTS, check_joint
from engine.chipmunk.space import ChipmunkWorld
from engine.common.errors import InvalidInputError
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.world.joints.interface import ResolvedJoint
from engine.world.replaying import ReplaySolver
from engine.world.setting import Setting
from engine.world.solver import Capabilities
from engine.world.specs import BodySpec, FixtureSpec, WorldSettings

__all__ = ["ChipmunkSolver"]

_T = TypeVar("_T")


class ChipmunkSolver(ReplaySolver):
    """Chipmunk, by pymunk."""

    capabilities = Capabilities(
        name="chipmunk",
        title="Chipmunk",
        shapes=(Circle, Polygon, Capsule, Segment),
        joints=JOINTS,
        max_vertices=None,
        precision=np.float64,
        skin_radius=0.0,
        version=CHIPMUNK_VERSION,
        is_refereed=False,
        replays=True,
    )
    settings = (
        Setting("iterations", "Iterations", 10, 1, 1000, is_whole=True, help="Sweeps over all contacts and joints in a step."),
        Setting("sub_steps", "Sub-steps", 1, 1, 64, is_whole=True, help="Number of parts into which a step is divided."),
        Setting(
            "collision_slop",
            "Allowed overlap",
            0.1,
            0.0,
            1.0,
            unit="m",
            help="Overlap that is not corrected. The default is meant for pixel units.",
        ),
        Setting("collision_bias", "Overlap left after a second", 0.9**60, 0.0, 1.0, help="Fraction of an overlap that remains."),
    )
    engine_world = ChipmunkWorld

    @classmethod
    def accept(cls, spec: _T) -> _T:
        spec = super().accept(spec)
        for fixture in spec.fixtures if isinstance(spec, BodySpec) else (spec,) if isinstance(spec, FixtureSpec) else ():
            if fixture.group > 0:
                raise InvalidInputError("group", "at most 0 with Chipmunk, in which no group forces a collision", fixture.group)
        check_joint(spec.spec if isinstance(spec, ResolvedJoint) else spec)
        if isinstance(spec, WorldSettings):
            _check_settings(spec)
        return spec


def _check_settings(settings: WorldSettings) -> None:
    if not settings.warm_starting:
        raise InvalidInputError("warm_starting", "True with Chipmunk, which always starts from the last impulses", False)
    if settings.sub_stepping:
        raise InvalidInputError("sub_stepping", "False with Chipmunk, which has no continuous collision detection", True)
    if settings.restitution_threshold:
        raise InvalidInputError("restitution_threshold", "0 m/s with Chipmunk, which has no such threshold", settings.restitution_threshold)
