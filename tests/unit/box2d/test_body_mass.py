"""A body's mass is checked as Box2D sums it, in float32: accepted bodies trigger no assertion, however they are assembled."""

import random
from itertools import permutations

import Box2D
import numpy as np
import pytest

from engine.box2d.body_mass import check_body_mass
from engine.box2d.convert import to_fixture_shape
from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.geometry import Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, World, accept

SMALL_AND_FAR = FixtureSpec(Circle(0.004, (34.25, 1.31)), density=10.0)
"""Alone its inertia, 4e-9 kg m^2 of 0.6 about the origin, drowns in float32."""
LARGE = FixtureSpec(Polygon([(0.15, -0.05), (3.45, -0.05), (0.15, 0.282)]), density=0.01)


def weighed(parts):
    """Mass and inertia of the same body in the bare library, summed once."""
    world = Box2D.b2World()
    body = world.CreateDynamicBody()
    fixtures = [body.CreateFixture(shape=to_fixture_shape(shape)[0], density=0.0) for shape, _ in parts]
    for fixture, (_, density) in zip(fixtures, parts, strict=True):
        fixture.density = density
    body.ResetMassData()
    return float(body.mass), float(body.inertia)


def random_parts(r):
    """Shapes near and far, large and small, light and heavy; about half of the bodies made from them are valid."""
    parts = []
    for _ in range(r.randint(1, 4)):
        x, y = (r.uniform(-1.0, 1.0) * 10.0 ** r.uniform(-2.0, 3.0) for _ in range(2))
        size, density = 10.0 ** r.uniform(-2.0, 1.0), float(np.float32(10.0 ** r.uniform(-3.0, 4.0)))
        sliver = [(x, y), (x + 10.0 * size, y), (x, y + size)]
        shape = r.choice((Circle(size, (x, y)), Polygon(sliver), Segment((x, y), (x + 1.0, y))))
        parts.append((accept(FixtureSpec(shape)).shape, r.choice((density, density, density, 0.0))))
    return parts


def test_accepted_bodies_have_a_mass_that_box2d_can_compute():
    r = random.Random(7)
    n_passed = n_refused = n_asserted = 0
    for _ in range(600):
        parts = random_parts(r)
        try:
            check_body_mass(parts)
        except InvalidInputError:
            n_refused += 1
            try:
                weighed(parts)
            except AssertionError:
                n_asserted += 1
            except InvalidShapeError:
                pass  # not for its mass
            continue
        n_passed += 1
        assert min(weighed(parts)) > 0.0  # and it does not assert
    assert n_passed > 150 and n_refused > 100 and n_asserted > 10


def test_the_first_fixture_needs_no_inertia_of_its_own():
    """The mass was computed as each fixture was added: Box2D asserted at the first, in `create_body` and in every rebuild."""
    with pytest.raises(InvalidInputError, match=r"shape must be close enough to the body's origin .* kg m\^2"):
        accept(BodySpec((SMALL_AND_FAR,)))
    world = World()
    for order in permutations((SMALL_AND_FAR, LARGE)):
        world.create_body(BodySpec(order, position=(0.0, 9.0 * len(world.body_ids))))
    world.step()
    world.canonicalize()
    again = world.clone()
    for _ in range(5):
        again.step()
        world.step()
    assert again.state_hash() == world.state_hash()


def test_a_change_that_leaves_no_inertia_is_rejected_and_changes_nothing():
    world = World()
    body = world.create_body(BodySpec((LARGE, SMALL_AND_FAR), angular_velocity=1.0))
    large, small = world.fixtures_of(body)
    twin = World()
    still = twin.create_body(BodySpec((SMALL_AND_FAR,), type="static"))
    before, before_twin = world.snapshot(), twin.snapshot()
    for change in (
        lambda: world.destroy_fixture(large),
        lambda: world.set_fixture(large, density=0.0),
        lambda: world.set_fixture(small, density=1e9),
        lambda: twin.set_body(still, type="dynamic"),
    ):
        with pytest.raises(InvalidInputError, match="shape must be close enough"):
            change()
    assert world.body(body).fixtures == (large, small)
    assert world.snapshot().motion.values.tobytes() == before.motion.values.tobytes()
    assert twin.snapshot().motion.values.tobytes() == before_twin.motion.values.tobytes()
    world.step()


@pytest.mark.parametrize(
    ("density", "shape"), [(1e9, Circle(20.0)), (1e9, Circle(1e-10)), (0.0, Circle(1.0)), (1e-38, Circle(1e-3)), (1e-45, Circle(1.0))]
)
def test_masses_outside_the_range_are_named(density, shape):
    with pytest.raises(InvalidInputError, match=r"mass must be from 1e-09 to 1e\+12 kg|density must be > 0"):
        accept(BodySpec((FixtureSpec(shape, density=density),)))


@pytest.mark.parametrize(
    "shape", [lambda: Circle(1.1e4), lambda: Circle(1.0, (0.0, -1.1e4)), lambda: Polygon.box(2e4, 1.0), lambda: Segment((0, 0), (2e4, 0))]
)
def test_shapes_that_extend_too_far_are_rejected(shape):
    """Each time of impact of a 1,000 km shape used all its iterations: steps took half a second and more."""
    with pytest.raises(InvalidInputError, match=r"(radius|center|vertices|p2).* must be from (-10000|0) to 10000 m"):
        accept(FixtureSpec(shape()))
