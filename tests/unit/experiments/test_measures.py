"""Overlaps are counted only for pairs for which a world creates contacts."""

import itertools

import pytest

from engine.experiments.solvers.measures import Overlaps
from engine.geometry import Circle
from engine.world import BodySpec, FixtureSpec, World

FILTERS = ({}, {"category": 2, "mask": 1}, {"group": 1}, {"group": -1}, {"group": 2, "mask": 0})


@pytest.mark.parametrize("solver", ["box2d", "soft_step"])
@pytest.mark.parametrize("types", [("dynamic", "static"), ("dynamic", "dynamic"), ("kinematic", "static"), ("kinematic", "dynamic")])
def test_overlap_of_a_pair_includes_its_radii(solver, types):
    """Sensors of one positive group were counted (issue 29), and a kinematic body in a static one."""
    for first, second, sensors in itertools.product(FILTERS, FILTERS, itertools.product((False, True), repeat=2)):
        world = World(solver=solver)
        for more, type, sensor, x in zip((first, second), types, sensors, (0.0, 0.5), strict=True):
            world.create_body(BodySpec((FixtureSpec(Circle(0.5), sensor=sensor, **more),), type, (x, 0.0)))
        overlap = Overlaps(world).deepest(world)
        assert overlap == (pytest.approx(0.5) if len(world.step()) else 0.0), (first, second, sensors)
