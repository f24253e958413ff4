"""Box2D 3.1 as a solver of `engine.world`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar, cast

import numpy as np

from engine.box2d3 import BOX2D3_VERSION
from engine.box2d3.engine_world import Box2D3World, sensed_pairs
from engine.box2d3.joints import JOINTS, check_joint
from engine.box2d3.shapes import MAX_VERTICES, accepted_fixture
from engine.common.errors import Described, InvalidInputError
from engine.common.tolerances import LINEAR_SLOP
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.world import commands as c
from engine.world.fields import rounded
from engine.world.joints.interface import ResolvedJoint
from engine.world.replaying import ReplaySolver
from engine.world.setting import Setting
from engine.world.snapshot import SolverState, WorldSnapshot
from engine.world.solver import Capabilities
from engine.world.specs import BodySpec, FixtureSpec, WorldSettings

__all__ = ["Box2D3Solver"]

_T = TypeVar("_T")


class Box2D3Solver(ReplaySolver):
    """Box2D 3.1, by pyb2d3."""

    capabilities = Capabilities(
        name="box2d3",
        title="Box2D 3.1",
        shapes=(Circle, Polygon, Capsule, Segment),
        joints=JOINTS,
        max_vertices=MAX_VERTICES,
        precision=np.float32,
        skin_radius=0.0,
        margin=2.0 * LINEAR_SLOP,
        version=BOX2D3_VERSION,
        is_refereed=False,
        replays=True,
    )
    settings = (
        Setting("sub_steps", "Sub-steps", 4, 1, 64, is_whole=True, help="Number of parts into which a step is divided."),
        Setting(
            "contact_hertz", "Contact stiffness", 30.0, 1.0, 1000.0, unit="Hz", help="Frequency of the springs that push overlaps apart."
        ),
        Setting(
            "contact_damping_ratio", "Contact damping", 10.0, 0.0, 100.0, help="Damping ratio of the springs that push overlaps apart."
        ),
        Setting("contact_push_speed", "Push speed", 3.0, 0.0, 100.0, unit="m/s", help="Maximum speed at which overlaps are pushed apart."),
    )
    engine_world = Box2D3World

    @classmethod
    def accept(cls, spec: _T) -> _T:
        spec = super().accept(spec)
        if isinstance(spec, FixtureSpec):
            return cast(_T, accepted_fixture(spec))
        if isinstance(spec, ResolvedJoint):
            spec = cast(_T, rounded(replace(spec, spec=rounded(spec.spec))))
            check_joint(cast(ResolvedJoint, spec))
            return spec
        spec = rounded(spec)
        if isinstance(spec, BodySpec):
            fixtures = tuple(accepted_fixture(fixture) for fixture in spec.fixtures)
            return spec if fixtures == spec.fixtures else replace(spec, fixtures=fixtures)
        if isinstance(spec, WorldSettings):
            _check_settings(spec)
        return spec

    def check(self, command: c.Command) -> None:
        super().check(command)
        model = self.model
        assert isinstance(self._engine, Box2D3World)
        if not self._engine.sensors and not _may_make_sensors(command):
            return
        now = {fixture: (entry.spec, model.bodies[entry.body].spec.type) for fixture, entry in model.fixtures.items()}
        match command:
            case c.CreateBody(_, spec, fixtures):
                now |= {fixture: (each, spec.type) for fixture, each in zip(fixtures, spec.fixtures, strict=True)}
            case c.CreateFixture(fixture, body, fixture_spec):
                now[fixture] = fixture_spec, model.bodies[body].spec.type
            case c.SetFixture(fixture, changes):
                now[fixture] = model.changed_fixture(fixture, dict(changes)), now[fixture][1]
            case c.SetBody(body, changes):
                kind = model.changed_body(body, dict(changes)).type
                now |= {fixture: (now[fixture][0], kind) for fixture in model.bodies[body].fixtures}
            case _:
                return
        _check_sensors((fixture, *entry) for fixture, entry in now.items())

    @classmethod
    def state_of(cls, snapshot: WorldSnapshot, settings: WorldSettings) -> SolverState:
        kinds = {body: spec.type for body, spec, _ in snapshot.bodies}
        _check_sensors((fixture, spec, kinds[body]) for fixture, body, spec in snapshot.fixtures)
        return super().state_of(snapshot, settings)


def _may_make_sensors(command: c.Command) -> bool:
    match command:
        case c.CreateBody(_, spec, _):
            return any(fixture.sensor for fixture in spec.fixtures)
        case c.CreateFixture(_, _, fixture_spec):
            return fixture_spec.sensor
        case c.SetFixture(_, changes):
            return dict(changes).get("sensor", False) is True
    return False


def _check_sensors(fixtures: Iterable[tuple[int, FixtureSpec, str]]) -> None:
    n = len(sensed_pairs(fixtures))
    if n > 1:
        requirement = (
            "limited to one pair of sensor and shape per world with Box2D 3.1, because pyb2d3 does not report the shapes of a sensor event"
        )
        raise InvalidInputError("sensor", requirement, Described(f"{n} pairs"))


def _check_settings(settings: WorldSettings) -> None:
    if not settings.warm_starting:
        raise InvalidInputError("warm_starting", "True with Box2D 3.1, because pyb2d3 cannot switch it off", False)
    if settings.sub_stepping:
        raise InvalidInputError("sub_stepping", "False with Box2D 3.1, which has no such mode", True)
