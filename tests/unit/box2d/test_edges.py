"""Edges as fixtures: identical to Box2D's edges and chains to the bit, and rejected on bodies that need mass."""

from itertools import pairwise

import Box2D
import pytest

from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.compare.live.referee import LiveReferee
from engine.geometry import Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, World, accept

CORNERS = ((0.0, 0.0), (1.0, 0.0), (2.0, 0.25), (3.0, 0.25), (4.0, 0.0), (5.0, 0.5), (6.0, 0.5))
STEPS = 90


def links(is_chain):
    ghosts = [None, *CORNERS, None] if is_chain else [None] * (len(CORNERS) + 2)
    return tuple(
        FixtureSpec(Segment(a, b, ghost1=ghosts[k], ghost2=ghosts[k + 3]), friction=0.2) for k, (a, b) in enumerate(pairwise(CORNERS))
    )


def ours(is_chain, is_box):
    world = World()
    world.create_body(BodySpec(links(is_chain), type="static"))
    shape = Polygon.box(0.25, 0.25) if is_box else Circle(0.25)
    body = world.create_body(BodySpec((FixtureSpec(shape, friction=0.2),), position=(0.5, 0.5), linear_velocity=(5.0, 0.0)))
    referee, way = LiveReferee(world), []
    for _ in range(STEPS):
        referee.check(world.step())
        state = world.state(body)
        way.append((*state.position, state.angle, *state.linear_velocity, state.angular_velocity))
    return way, world, referee


def bare(is_chain, is_box):
    world = Box2D.b2World(gravity=(0.0, -10.0))
    ground = world.CreateStaticBody()
    if is_chain:
        ground.CreateChainFixture(vertices_chain=CORNERS, friction=0.2)
    else:
        for a, b in pairwise(CORNERS):
            ground.CreateEdgeFixture(vertices=[a, b], friction=0.2)
    body = world.CreateDynamicBody(position=(0.5, 0.5), linearVelocity=(5.0, 0.0))
    if is_box:
        # `box=` would number the corners from another one, and the solver take the two contact points in another order
        body.CreatePolygonFixture(vertices=Polygon.box(0.25, 0.25).vertices.tolist(), density=1.0, friction=0.2)
    else:
        body.CreateCircleFixture(radius=0.25, density=1.0, friction=0.2)
    way = []
    for _ in range(STEPS):
        world.Step(1.0 / 60.0, 8, 3)
        way.append((*body.position, body.angle, *body.linearVelocity, body.angularVelocity))
    return way


@pytest.mark.parametrize("is_box", [False, True])
@pytest.mark.parametrize("is_chain", [False, True])
def test_edges_equal_box2ds_own_edges_and_chains_to_the_bit(is_chain, is_box):
    way, world, referee = ours(is_chain, is_box)
    assert way == bare(is_chain, is_box)
    assert referee.total.compared > 30 and referee.total.unexplained == 0
    assert world.clone().state_hash() == world.state_hash()


def test_a_chain_is_not_the_same_as_its_edges():
    assert ours(True, False)[0] != ours(False, False)[0]


def test_an_edge_has_box2ds_skin_and_float32_numbers():
    world = World()
    body = world.create_body(BodySpec((FixtureSpec(Segment((0.1, 0.0), (1.0, 0.0), ghost2=(2.0, 0.1))),), type="static"))
    held = world.fixture(world.body(body).fixtures[0]).shape
    assert held == Segment((0.10000000149011612, 0.0), (1.0, 0.0), BOX2D_POLYGON_SKIN, None, (2.0, 0.10000000149011612))


def test_shapes_that_would_break_box2d_are_rejected():
    world = World()
    edge = FixtureSpec(Segment((0.0, 0.0), (1.0, 0.0)))
    with pytest.raises(InvalidInputError, match="at least one fixture of a dynamic body"):
        world.create_body(BodySpec((edge,)))
    with pytest.raises(InvalidShapeError, match="longer than"):
        world.create_body(BodySpec((FixtureSpec(Segment((0.0, 0.0), (1.0e-9, 0.0))),), type="static"))
    with pytest.raises(InvalidShapeError, match="skin_radius"):
        accept(FixtureSpec(Segment((0.0, 0.0), (1.0, 0.0), skin_radius=0.3)))
    with pytest.raises(InvalidInputError, match=r"p1\[0\]"):
        accept(FixtureSpec(Segment((1.0e30, 0.0), (1.0, 0.0))))
    assert world.body_ids == ()
    both = world.create_body(BodySpec((edge, FixtureSpec(Circle(0.2)))))
    assert world.body(both).mass > 0.0
