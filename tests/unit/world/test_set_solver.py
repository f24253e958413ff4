"""Changing the solver of a running world: preserved data, rejected changes, and changing back."""

import json
from dataclasses import replace

import numpy as np
import pytest

from engine.common.errors import InvalidInputError
from engine.compare.live.pairs import LivePairs
from engine.compare.live.referee import LiveReferee
from engine.geometry import Capsule, Circle, Polygon
from engine.scenes import scene_of
from engine.scenes.scene_file import scene_as_json, scene_from_json
from engine.world import BodySpec, DistanceJointSpec, FixtureSpec, World, WorldSettings, load_solver, solvers
from engine.world.conversion import converted
from engine.world.hooks import StepHooks
from tests.stepping import steps

BOX = FixtureSpec(Polygon.box(0.5, 0.5))
METHOD = "sequential_impulses"


def stack(solver, n=3):
    """Stacked boxes, and discs on a rod in a sensor."""
    world = World(solver=solver)
    world.create_body(BodySpec((FixtureSpec(Polygon.box(10.0, 0.5)),), "static", (0.0, -0.5)))
    for k in range(n):
        world.create_body(BodySpec((BOX,), position=(0.0, 0.5 + k)))
    discs = [world.create_body(BodySpec((FixtureSpec(Circle(0.3)),), position=(x, 0.3))) for x in (3.0, 4.0)]
    world.create_joint(DistanceJointSpec(*discs, (3.0, 0.3), (4.0, 0.3)))
    world.create_body(BodySpec((replace(BOX, sensor=True),), "static", (3.0, 0.5)))
    steps(world, 12)
    return world


@pytest.mark.parametrize(("first", "second"), [("box2d", "soft_step"), ("soft_step", "box2d"), ("soft_step", METHOD)])
def test_a_world_switches_solvers_and_back_bit_for_bit(first, second):
    world = stack(first)
    world.canonicalize()
    before, poses, velocities = world.snapshot(), world.poses.copy(), world.velocities.copy()
    world.set_solver(second)
    assert world.solver == world.snapshot().solver == second and world.step_index == 12
    assert np.abs(world.poses - poses).max() < 1e-6 and np.abs(world.velocities - velocities).max() < 1e-6
    kept = world.snapshot()
    steps(world, 30)
    assert np.abs(world.poses - poses)[:, :2].max() < 0.1, "it stands"
    after = world.state_hash()
    world.restore(kept)
    twin = World.from_snapshot(kept)
    for _ in range(30):
        world.step()
        twin.step()
    assert world.state_hash() == twin.state_hash() == after
    world.restore(before)
    assert world.solver == first and world.settings == before.settings
    world.set_solver(second)
    steps(world, 30)
    assert world.state_hash() == after


@pytest.mark.parametrize("names", [("box2d", "soft_step", METHOD, "xpbd"), pytest.param(solvers(), marks=pytest.mark.slow)], ids=len)
def test_between_any_two_solvers(names):
    """A tour of all ordered pairs of solvers."""
    tour = [stop for k, name in enumerate(names) for stop in (name, *(x for other in names[k + 2 :] for x in (other, name)))]
    tour += names[-2::-1]
    world = stack("soft_step", 2)
    poses, ways = world.poses.copy(), set()
    for name in tour:
        ways.add((world.solver, name))
        world.set_solver(name)
        world.step()
        assert world.solver == name and np.isfinite(world.velocities).all()
    assert {(a, b) for a in names for b in names if a != b} <= ways
    assert np.abs(world.poses - poses)[:, :2].max() < 0.1, "it stands"


def test_impulses_survive_changes_between_our_methods():
    world = stack("soft_step")
    weight = 60.0 * world.contacts.normal_impulse[0].sum()
    assert weight == pytest.approx(30.0, rel=0.01)
    rows = world.snapshot().state.memory.rows.floats[:, 8:12]
    world.set_solver(METHOD)
    assert world.snapshot().state.memory.rows.floats[:, 8:12] == pytest.approx(8.0 * rows), "of a step, and not of one of 8 sub-steps"
    assert 60.0 * world.step().normal_impulse[0].sum() == pytest.approx(30.0, rel=0.02), "and so nothing jolts"
    world.set_solver("soft_step")
    steps(world, 20)
    world.set_settings(velocity_iterations=32)
    assert 60.0 * world.step().normal_impulse[0].sum() == pytest.approx(30.0, rel=0.02), "nor by other sub-steps"


@pytest.mark.parametrize(("first", "second"), [("box2d", "soft_step"), ("soft_step", "box2d"), ("soft_step", METHOD)])
def test_touching_pairs_stay_touching(first, second):
    """Box2D's boxes rest on their skins, slightly apart, so for our solvers their contacts have ended."""
    world = stack(first)
    events = []
    world.hooks = StepHooks(begin=lambda event: events.append("begin"), end=lambda event: events.append(f"end {event.fixture_a}"))
    world.set_solver(second)
    contacts = world.step()
    assert not contacts.began and "begin" not in events
    assert first == "box2d" or not contacts.ended, "but the sensor"
    assert sum(event.sensor for event in contacts.ended) == 0


def test_a_pending_force_is_transferred():
    load_solver("box2d").prepare()
    for first, second in (("box2d", "soft_step"), ("soft_step", "box2d"), ("soft_step", METHOD)):
        world = World(WorldSettings(gravity=(0.0, 0.0)), solver=first)
        body = world.create_body(BodySpec((BOX,)))
        if not load_solver("box2d").has_whole_states() and "box2d" in (first, second):
            continue
        world.apply_force(body, (60.0, 0.0))
        world.set_solver(second)
        world.step()
        assert world.state(body).linear_velocity[0] == pytest.approx(1.0)
        world.step()
        assert world.state(body).linear_velocity[0] == pytest.approx(1.0)


def test_unsupported_features_are_named_and_the_world_stays_unchanged():
    world = stack("soft_step")
    world.create_body(BodySpec((BOX, FixtureSpec(Capsule((0.0, 0.0), (1.0, 0.0), 0.2))), position=(-4.0, 1.0)))
    before, twin = world.state_hash(), world.clone()
    for change, words in (
        (lambda: world.set_solver("box2d"), "body 7, fixture 8: shape must be one that Box2D supports: a Circle, a Polygon or a Segment"),
        (lambda: world.set_solver("newton"), "solver must be one of box2d, .*, got 'newton'"),
        (lambda: world.set_solver(METHOD, {"iteration": 4}), r"solver_settings.iteration must be a known setting \(iterations"),
        (lambda: world.set_solver(METHOD, {"iterations": 0}), "solver_settings.iterations must be .*1.*, got 0"),
        (
            lambda: world.set_settings(solver_settings={"iterations": 4}),
            r"solver_settings.iterations must be omitted: the solver Soft step has no settings of its own",
        ),
    ):
        with pytest.raises(InvalidInputError, match=words):
            change()
        assert (world.solver, world.state_hash()) == ("soft_step", before)
    for each in (world, twin):
        each.step()
    assert world.state_hash() == twin.state_hash()
    with pytest.raises(InvalidInputError, match="solver_settings must be empty with Box2D"):
        converted(stack("soft_step").snapshot(), "box2d", {"iterations": 4})


def test_a_change_requested_in_a_hook_happens_after_the_step():
    world = World(solver="soft_step")
    world.create_body(BodySpec((BOX,), "static"))
    world.create_body(BodySpec((BOX,), position=(0.0, 1.01), linear_velocity=(0.0, -2.0)))
    world.hooks = StepHooks(begin=lambda event: world.set_solver(METHOD))
    world.step()
    assert world.solver == METHOD
    twin = world.clone()
    assert len(world.step()) == len(twin.step()) == 1 and world.state_hash() == twin.state_hash()


def test_the_referee_continues_with_another_solver():
    world = stack("soft_step")
    referee, pairs = LiveReferee(world), LivePairs(world)
    for solver in ("box2d", "soft_step", METHOD):
        world.set_solver(solver)
        compared = 0
        for _ in range(3):
            contacts = world.step()
            agreement, touching = referee.check(contacts), pairs.check(contacts)
            assert agreement.unexplained == touching.unexplained == 0
            compared += touching.ours
        assert compared > 0 and referee.total.compared > 0


def test_a_scene_keeps_the_settings_of_its_solver():
    world = stack("soft_step")
    world.set_solver(METHOD, {"share": 0.1, "iterations": 25})
    plain = json.loads(json.dumps(scene_as_json(scene_of(world))))
    assert plain["settings"]["solver"] == METHOD and plain["settings"]["solver_settings"] == {"iterations": 25, "share": 0.1}
    assert scene_from_json(plain).settings.solver_settings == (("iterations", 25), ("share", 0.1))
    plain["settings"]["solver_settings"]["share"] = 2.0
    with pytest.raises(InvalidInputError, match=r"settings.solver_settings.share must be from 0 to 1, got 2.0"):
        scene_from_json(plain)


def test_a_body_out_of_float32_range_continues_in_box2d():
    """Issue 29: it became inf."""
    world = World(solver="soft_step")
    world.create_body(BodySpec((BOX,), fixed_rotation=True))
    snapshot = world.snapshot()
    bodies = tuple((body, replace(spec, active=False), fixtures) for body, spec, fixtures in snapshot.bodies)
    motion = replace(snapshot.motion, values=np.array([[1e60, -1e200, 2.0, 3.0, -1.0, 0.0]]))
    world.restore(replace(snapshot, bodies=bodies, out_of_range=(0,), state=replace(snapshot.state, motion=motion)))
    world.set_solver("box2d")
    world.apply_impulse(0, (1.0, -4.0), (-1.0, 3.0))
    assert np.isfinite(world.poses).all() and np.isfinite(world.velocities).all()
    world.set_body(0, active=True)
    world.step()
    assert world.out_of_range == (0, 0) and np.isfinite(world.poses).all()
