"""A shape attached to a body is still owned by Python, and freed with its last reference."""

import pytest

from engine.geometry import Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, World
from tests.hazards.resident import allocated

POLYGON = 304
"""Bytes of a b2PolygonShape, and of the block that holds it."""


@pytest.mark.skipif(allocated() is None, reason="only glibc 2.33 and later count what they have given out")
def test_bodies_that_were_destroyed_leave_nothing():
    corners = Polygon([(0.0, 0.0), (1.0, 0.0), (0.9, 0.8), (0.1, 0.7)])
    spec = BodySpec(tuple(FixtureSpec(shape) for shape in (corners, Circle(0.3), Segment((0.0, 0.0), (1.0, 0.0)))))

    def left_by(n_bodies):
        world = World()
        for _ in range(n_bodies):
            world.destroy_body(world.create_body(spec))
        world.canonicalize()
        del world
        counted = allocated()
        assert counted is not None
        return counted

    left_by(100)
    before = left_by(100)
    assert left_by(200) - before < 100 * POLYGON  # if they stayed it would be twice that, and the edges and discs
