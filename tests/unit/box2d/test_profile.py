"""The parts of a step, from exact clocks, clocks that start at a whole millisecond, and missing clocks."""

from itertools import pairwise
from math import floor

import numpy as np
import pytest

from engine.box2d.profile import phases_of
from engine.common.tolerances import PROFILE_RESOLUTION
from engine.geometry import Polygon
from engine.world import BodySpec, FixtureSpec, World


@pytest.mark.parametrize("seed", range(3))
def test_both_kinds_of_clock_give_the_same(seed):
    rng = np.random.default_rng(seed)
    for start, *parts in rng.uniform((0.0, 0.05, 0.01, 0.0), (9.0, 4.0, 3.0, 1.5), (2_000, 4)).tolist():
        t = [start, start + parts[0], start + parts[0] + parts[1], start + sum(parts)]
        truncated = [t[3] - floor(t[0]), *(end - floor(begin) for begin, end in pairwise(t))]
        for readings in (truncated, [sum(parts), *parts]):
            phases = phases_of(*(float(np.float32(reading)) for reading in readings), sum(parts))
            assert np.allclose(phases, parts, atol=3.0 * PROFILE_RESOLUTION)


def test_a_millisecond_that_ends_between_two_readings_is_found():
    # colliding ends at 0.9995, solving begins at 1.0005 by the clock and so from 1, and takes 0.4
    assert phases_of(1.6, 0.9995, 0.4, 0.6, 1.6) == pytest.approx((1.6 - 0.4005 - 0.2, 0.4005, 0.2), abs=1e-3)


def test_a_world_reports_the_parts_of_its_step():
    world = World()
    world.create_body(BodySpec((FixtureSpec(Polygon.box(10.0, 0.5)),), type="static"))
    for k in range(40):
        world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), position=(0.0, 1.0 + k)))
    for _ in range(200):
        world.step()
        cost = world.last_cost
        assert min(cost.collide, cost.solve, cost.toi) >= 0.0
        assert cost.collide + cost.solve + cost.toi <= cost.solver + 5.0 * PROFILE_RESOLUTION
