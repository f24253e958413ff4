"""Contact points: positions, separations, impulses and states, under sub-stepping, sleeping and pausing, with both readers."""

import math

import numpy as np
import pytest

from engine.box2d import memory, solver
from engine.box2d.memory import PublicReader
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.contracts import PointState
from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec, StepHooks, World, WorldSettings
from engine.world.step_pairs import PairRecord

BOX = FixtureSpec(Polygon.box(0.5, 0.5), friction=0.5)
DISC = FixtureSpec(Circle(0.5))


@pytest.fixture(params=["public", "memory"], autouse=True)
def reader(request, monkeypatch):
    chosen = PublicReader()
    if request.param == "memory":
        problem = memory.self_test()
        if problem is not None:
            assert "NUMBA_DISABLE_JIT" in problem  # the only reason a test machine may have
            pytest.skip(problem)
        chosen = memory.MemoryReader()
    monkeypatch.setattr(solver, "best_reader", lambda: chosen)


def floor(world, half_width=10.0):
    return world.create_body(BodySpec((FixtureSpec(Polygon.box(half_width, 0.5), friction=0.5),), type="static", position=(0.0, -0.5)))


def settled(n_steps=30):
    world = World()
    floor(world)
    box = world.create_body(BodySpec((BOX,), position=(0.0, 0.52)))
    for _ in range(n_steps - 1):
        world.step()
    return world, box, world.step()


def test_a_box_on_the_floor_touches_in_two_points():
    world, box, contacts = settled()
    points = contacts.points()
    assert len(points) == 2
    assert world.contacts is contacts
    assert sorted(round(point.position[0], 3) for point in points) == [-0.5, 0.5]
    for point in points:
        assert (point.body_a, point.body_b) == (0, box)
        assert point.normal == pytest.approx((0.0, 1.0), abs=1e-6)
        assert point.state is PointState.PERSIST
        assert 0.0 < point.separation < 2.0 * BOX2D_POLYGON_SKIN
        assert point.position[1] == pytest.approx(point.separation / 2.0, abs=1e-6)  # midway between floor and box
    assert sum(point.normal_impulse for point in points) == pytest.approx(10.0 / 60.0, rel=1e-3)  # its weight times the step


@pytest.mark.parametrize("flip", [False, True])
def test_separations_follow_from_the_shapes(flip):
    """Disc over box, box over disc, disc over disc: the gap between the surfaces, without the polygon's skin."""
    for lower, upper, height in ((BOX, DISC, 0.99), (DISC, BOX, 0.99), (DISC, DISC, 0.985), (BOX, BOX, 1.003)):
        first, second = ((0.0, 0.0), (0.0, height)) if not flip else ((0.0, height), (0.0, 0.0))
        world = World(WorldSettings(gravity=(0.0, 0.0)))
        a = world.create_body(BodySpec((lower,), position=first))
        world.create_body(BodySpec((upper,), position=second))
        contacts = world.step()
        assert contacts.n_points >= 1
        skins = [isinstance(fixture.shape, Polygon) * BOX2D_POLYGON_SKIN for fixture in (lower, upper)]
        assert contacts.separation[0, 0] == pytest.approx(height - 1.0, abs=2e-7)
        middle = 0.5 * (height + skins[0] - skins[1]) if not flip else 0.5 * (height - skins[0] + skins[1])
        assert contacts.separation[0, 0] < sum(skins)
        assert contacts.position[0, 0, 1] == pytest.approx(middle, abs=1e-6)
        up = 1.0 if (contacts.body_a[0] == a) != flip else -1.0
        assert contacts.normal[0] == pytest.approx((0.0, up), abs=1e-6)


def test_states_go_from_add_to_persist_to_remove():
    world = World(WorldSettings(gravity=(0.0, 0.0)))
    floor(world)
    box = world.create_body(BodySpec((BOX,), position=(0.0, 0.505)))
    first, second = world.step(), world.step()
    assert {point.state for point in first.points()} == {PointState.ADD}
    assert {point.state for point in second.points()} == {PointState.PERSIST}
    assert {point.feature_id for point in first.points()} == {point.feature_id for point in second.points()}
    world.set_pose(box, (0.0, 5.0), 0.0)
    third = world.step()
    assert [point.state for point in third.points()] == [PointState.REMOVE, PointState.REMOVE]
    assert {point.position for point in third.points()} == {point.position for point in second.points()}
    assert all(point.normal_impulse == 0.0 for point in third.points())
    assert world.step().points() == ()
    assert [(event.fixture_a, event.fixture_b) for event in third.ended] == [(0, 1)]
    assert first.began[0].body_b == box


def test_only_the_ended_point_is_removed():
    """A box slides over a floor's edge: one of its two points is exchanged for another feature, the other persists."""
    world = World(WorldSettings(gravity=(0.0, 0.0)))
    floor(world, 1.0)
    box = world.create_body(BodySpec((BOX,), position=(0.3, 0.505)))
    world.step()
    world.set_pose(box, (0.8, 0.505), 0.0)
    states = sorted(point.state.name for point in world.step().points())
    assert states == ["ADD", "PERSIST", "REMOVE"]


def test_sleeping_bodies_keep_their_points():
    world, box, contacts = settled(200)
    assert not world.awake[world.row_of(box)]
    assert contacts.n_points == 2
    assert not contacts.evaluated.any()
    assert {point.state for point in contacts.points()} == {PointState.PERSIST}
    again = world.step()
    assert np.array_equal(again.position, contacts.position)
    assert np.array_equal(again.pose_b, contacts.pose_b)
    assert again.began == again.ended == ()
    world.set_awake(box, True)
    assert world.step().evaluated.all()


def test_a_body_woken_by_contact_is_read_again():
    world, box, _ = settled(200)
    world.create_body(BodySpec((BOX,), position=(0.0, 1.6), linear_velocity=(0.0, -3.0)))
    contacts = world.step()
    # the broad phase woke it for a pair that does not touch yet, after its own pair's turn had passed
    assert world.awake[world.row_of(box)]
    assert not contacts.evaluated.any()
    for _ in range(20):
        contacts = world.step()
        assert contacts.evaluated.all()
    assert contacts.n_points == 4


def bullet_world(sub_stepping=False):
    world = World(WorldSettings(gravity=(0.0, 0.0), sub_stepping=sub_stepping))
    world.create_body(BodySpec((FixtureSpec(Polygon.box(0.05, 5.0)),), type="static"))
    spec = BodySpec((FixtureSpec(Circle(0.1)),), position=(-1.0, 0.0), linear_velocity=(110.0, 0.0), bullet=True)
    return world, world.create_body(spec)


def test_an_impact_inside_the_step_is_recorded_at_its_position():
    world, bullet = bullet_world()
    contacts = world.step()
    assert contacts.in_toi.tolist() == [True]
    x_impact = float(contacts.pose_b[0, 0])
    # Box2D aims at max(slop, radii - 3 slop) between the cores: the disc's center and the wall's face at -0.05
    target = 0.1 + BOX2D_POLYGON_SKIN - 3.0 * 0.005
    assert x_impact == pytest.approx(-0.05 - target, abs=0.25 * 0.005)
    assert x_impact != world.state(bullet).position[0]
    assert contacts.separation[0, 0] == pytest.approx(-0.05 - x_impact - 0.1, abs=1e-6)
    assert contacts.normal_impulse[0, 0] == pytest.approx(math.pi * 0.1**2 * 110.0, rel=1e-3)  # it is stopped dead
    assert contacts.points()[0].state is PointState.ADD


def test_a_resting_contact_and_an_impact_in_one_step():
    """The first PreSolve comes from the resting pair, so the impact is known by the PostSolve between them."""
    world, bullet = bullet_world()
    shelf = world.create_body(BodySpec((FixtureSpec(Polygon.box(1.0, 0.5)),), type="static", position=(-10.0, -0.5)))
    # farther apart than the distance continuous physics aims at, 0.005 m, or it would be an impact at fraction 0
    box = world.create_body(BodySpec((BOX,), position=(-10.0, 0.515)))
    contacts = world.step()
    impacts = {(a, b): toi for a, b, toi in zip(contacts.body_a.tolist(), contacts.body_b.tolist(), contacts.in_toi.tolist(), strict=True)}
    assert impacts == {(0, bullet): True, (shelf, box): False}


@pytest.mark.parametrize("sub_stepping", [False, True])
def test_several_impacts_in_one_step_leave_one_row(sub_stepping):
    """A ball thrown into a corner hits both walls within a step: PreSolve is called more than once, rows are not doubled."""
    world = World(WorldSettings(gravity=(0.0, 0.0), sub_stepping=sub_stepping))
    for position, box in (((0.0, 0.0), (0.05, 5.0)), ((-2.5, -1.0), (2.5, 0.05))):
        world.create_body(BodySpec((FixtureSpec(Polygon.box(*box), restitution=1.0),), type="static", position=position))
    ball = FixtureSpec(Circle(0.1), restitution=1.0)
    world.create_body(BodySpec((ball,), position=(-0.7, -0.3), linear_velocity=(80.0, -80.0), bullet=True))
    calls = []
    world.hooks = StepHooks(pre_solve=lambda event: calls.append(event.fixture_a) is None)
    begun = []
    for _ in range(6):
        contacts = world.step()
        pairs = list(zip(contacts.fixture_a.tolist(), contacts.fixture_b.tolist(), strict=True))
        assert len(set(pairs)) == len(pairs)
        begun += [(event.fixture_a, event.fixture_b) for event in contacts.began]
    assert set(begun) == {(0, 2), (1, 2)}
    assert len(calls) >= 2


def test_a_contact_that_begins_and_ends_within_one_step_is_reported():
    """Two bullets graze: contact at the impact, gone at the end of the step, reported only by the events."""
    world = World(WorldSettings(gravity=(0.0, 0.0)))
    ball = FixtureSpec(Circle(0.1), restitution=1.0)
    world.create_body(BodySpec((ball,), position=(-0.8, 0.0), linear_velocity=(100.0, 0.0), bullet=True))
    world.create_body(BodySpec((ball,), position=(0.8, 0.05), linear_velocity=(-100.0, 0.0), bullet=True))
    events = []
    for _ in range(4):
        contacts = world.step()
        events.append((len(contacts.began), len(contacts.ended)))
    assert sum(begun for begun, _ in events) == sum(ended for _, ended in events) == 1
    assert contacts.n_points == 0


def test_sensors_have_events_and_no_points():
    world = World()
    floor(world)
    trigger = FixtureSpec(Polygon.box(1.0, 0.2), sensor=True)
    gate = world.create_body(BodySpec((trigger,), type="static", position=(0.0, 3.0)))
    ball = world.create_body(BodySpec((DISC,), position=(0.0, 4.0)))
    began, ended = [], []
    for _ in range(60):
        contacts = world.step()
        began += [event for event in contacts.began if event.sensor]
        ended += [event for event in contacts.ended if event.sensor]
        assert gate not in contacts.body_a.tolist() + contacts.body_b.tolist()
    assert [(event.body_a, event.body_b) for event in began] == [(gate, ball)]
    assert len(ended) == 1


def test_events_inferred_after_a_step_are_those_of_the_listener():
    """Without continuous physics and hooks, Box2D has no listener, which must not affect events or their order."""

    def events(hooks):
        world = World(WorldSettings(continuous=False))
        world.hooks = hooks
        floor(world)
        world.create_body(BodySpec((FixtureSpec(Circle(2.0), sensor=True),), type="static", position=(0.0, 2.0)))
        bodies = [
            world.create_body(BodySpec((BOX if k % 3 else DISC,), position=(k % 4 - 1.5 + 0.07 * k, 0.6 + k // 4), angle=0.3 * k))
            for k in range(12)
        ]
        steps = []
        for step in range(60):
            if step % 20 == 19:
                world.destroy_body(bodies.pop(0))
                world.set_velocity(bodies[0], (3.0, 4.0), 5.0)
            contacts = world.step()
            steps.append((contacts.began, contacts.ended))
        return steps

    inferred = events(None)
    assert inferred == events(StepHooks())
    assert sum(len(began) for began, _ in inferred) > 20
    assert max(len(ended) for _, ended in inferred) > 1


def test_destroying_a_body_ends_its_contacts():
    world, box, _ = settled()
    world.destroy_body(box)
    contacts = world.step()
    assert len(contacts) == 0
    assert [event.body_b for event in contacts.ended] == [box]
    assert [point.state for point in contacts.points()] == [PointState.REMOVE, PointState.REMOVE]


def test_a_pair_disabled_by_a_hook_does_not_collide():
    world = World()
    floor(world)
    box = world.create_body(BodySpec((BOX,), position=(0.0, 0.6)))
    world.hooks = StepHooks(pre_solve=lambda event: False)
    for _ in range(60):
        world.step()
    assert world.state(box).position[1] < -1.0


def test_columns_are_read_only():
    _, _, contacts = settled()
    for name in ("position", "normal", "separation", "state", "pose_a", "feature_id"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(contacts, name)[0] = 0


def test_a_sensor_made_solid_beside_a_sleeping_body_is_evaluated():
    """The fixture is created anew, and Box2D wakes both bodies of a new contact."""
    world = World(WorldSettings(gravity=(0.0, 0.0)))
    world.create_body(BodySpec((FixtureSpec(Polygon.box(2.0, 0.5), sensor=True),), type="static"))
    box = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), position=(0.0, 0.9)))
    for _ in range(3):
        assert len(world.step()) == 0
    world.set_fixture(world.fixture_ids[0], sensor=False)
    world.set_awake(box, False)
    assert world.step().normal.tolist() == [[0.0, 1.0]]


def test_a_new_pair_of_bodies_created_asleep_is_evaluated_at_their_own_poses():
    """Box2D wakes both for their new contact; an older pair has the same local manifold but other poses."""
    world = World(WorldSettings(gravity=(0.0, 0.0)))
    for x in (0.0, 0.9):
        world.create_body(BodySpec((DISC,), position=(x, 0.0)))
    assert len(world.step()) == 1
    for x in (20.0, 20.9):
        world.create_body(BodySpec((DISC,), position=(x, 0.0), awake=False))
    contacts = world.step()
    assert len(contacts) == 2 and contacts.evaluated.all()
    assert contacts.position[1, 0].tolist() == pytest.approx([20.45, 0.0], abs=1e-5)


@pytest.mark.parametrize(("changes", "is_renewed"), [({"type": "kinematic"}, True), ({"active": False}, True), ({"bullet": True}, False)])
def test_a_body_of_another_type_is_reported_once_to_the_pair_check(changes, is_renewed):
    world, box, _ = settled(2)
    record = world.pair_record()
    assert isinstance(record, PairRecord)
    world.set_body(box, **changes)
    for renewed in ({box} if is_renewed else set(), set()):
        world.step()
        assert record.last.renewed == renewed
