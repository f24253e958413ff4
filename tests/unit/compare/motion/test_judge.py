"""Each built-in cause is found, equal motions have none, and planted faults stay unexplained."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.compare.motion import CAUSES, judge_step
from engine.compare.motion.judge import judge_states
from engine.compare.motion.states import engine_states
from engine.compare.pair.file import load_pair
from engine.dynamics.hard_step import HardStep
from engine.geometry import Circle, Polygon
from engine.sim.registry import find_demo
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World, WorldSettings

PAIRS = Path(__file__).resolve().parents[4] / "demos" / "pairs"
BOX, DISC = Polygon.box(0.5, 0.5), Circle(0.5)


def world(solver="box2d", **settings):
    return World(WorldSettings(**settings), solver)


def add(world, shape, at, type="dynamic", **more):
    fixture = {name: more.pop(name) for name in ("density", "friction", "restitution") if name in more}
    return world.create_body(BodySpec((FixtureSpec(shape, **fixture),), type, at, **more))


def ground(world, **more):
    return add(world, Polygon.box(50.0, 0.5), (0.0, -0.5), "static", **more)


def verdict_on(world, body):
    verdict = judge_step(world).of(body)
    assert verdict is not None, "both take the same step"
    return verdict


def is_shown(verdict, cause):
    """Check the cause of a verdict: removing it removes the difference."""
    assert verdict.cause == cause, verdict.evidence
    left = dict(verdict.left)
    at = list(left).index(cause)
    before = verdict.size if at == 0 else list(left.values())[at - 1]
    assert left[cause] <= 0.1 * before, verdict.evidence
    assert list(left.values())[-1] <= verdict.allowed < 1e-3 * max(1.0, verdict.size), verdict.evidence


@pytest.mark.parametrize("solver", ["box2d", "soft_step"])
def test_free_flight_agrees(solver):
    free = world(solver)
    add(free, BOX, (3.0, 40.0), linear_velocity=(3.0, 8.0), angular_velocity=2.0)
    add(free, DISC, (-3.0, 40.0), gravity_scale=-0.5)
    verdict = judge_step(free)
    assert (verdict.compared, verdict.agree, verdict.bodies, verdict.unexplained) == (2, 2, (), 0)


def test_judging_does_not_change_the_world():
    pile = world()
    ground(pile)
    for k in range(5):
        add(pile, BOX, (0.0, 0.5 + k))
    for _ in range(20):
        pile.step()
    before = pile.state_hash()
    judge_step(pile)
    assert pile.state_hash() == before
    other = pile.clone()
    pile.step(), other.step()
    assert pile.state_hash() == other.state_hash()


def test_damping_is_the_integrator():
    free = world()
    body = add(free, DISC, (0.0, 5.0), linear_velocity=(9.0, 0.0), linear_damping=2.0)
    is_shown(verdict_on(free, body), "integrator")


def test_a_sleeping_body_on_a_kinematic_slope_with_a_moving_one_wakes_only_in_box2d():
    """Its islands connect across kinematic bodies; ours do not."""
    slope, turn = world("soft_step"), -0.5
    slope.create_body(BodySpec((FixtureSpec(Polygon.box(5.0, 0.5), friction=0.0),), "kinematic", angle=turn))
    boxes = []
    for along in (-2.0, 2.0):
        place = along * math.cos(turn) - math.sin(turn), along * math.sin(turn) + math.cos(turn)
        boxes.append(add(slope, BOX, place, angle=turn))
    for _ in range(3):
        slope.step()
    slope.set_awake(boxes[0], False)
    is_shown(verdict_on(slope, boxes[0]), "sleeping")


def test_a_bullet_in_front_of_a_wall_is_continuous():
    shot = world(gravity=(0.0, 0.0))
    add(shot, Polygon.box(0.05, 5.0), (1.0, 0.0), "static")
    body = add(shot, Circle(0.1), (0.2, 0.1), linear_velocity=(100.0, 30.0), friction=0.8)
    is_shown(verdict_on(shot, body), "continuous")


@pytest.mark.parametrize("velocity, turning", [((300.0, 0.0), 0.0), ((0.0, 0.0), 200.0)])
def test_box2d_limits_speed(velocity, turning):
    fast = world(gravity=(0.0, 0.0))
    is_shown(verdict_on(fast, add(fast, BOX, (0.0, 0.0), linear_velocity=velocity, angular_velocity=turning)), "speed_cap")


def test_a_slow_ball_bounces_only_in_our_solver():
    slow = world(gravity=(0.0, -1.0))
    ground(slow)
    body = add(slow, DISC, (0.0, 0.505), linear_velocity=(0.0, -0.8), restitution=0.5)
    bounce = verdict_on(slow, body)
    is_shown(bounce, "restitution")
    assert bounce.linear[1] == pytest.approx(-0.4, abs=0.02)


def test_a_chain_under_load_needs_more_iterations():
    chain = world()
    last = add(chain, Polygon.box(0.1, 0.1), (0.0, 0.0), "static")
    for k in range(10):
        link = add(chain, Polygon.box(0.25, 0.1), (0.5 * k + 0.25, 0.0), density=1.0 if k < 9 else 100.0)
        chain.create_joint(RevoluteJointSpec(last, link, anchor=(0.5 * k, 0.0)))
        last = link
    for _ in range(10):
        chain.step()
    is_shown(verdict_on(chain, last), "iterations")


def test_impulses_left_from_a_load_are_warm_starting():
    stack = world(velocity_iterations=2)
    ground(stack)
    boxes = [add(stack, BOX, (0.0, 0.5 + k)) for k in range(4)]
    load = add(stack, BOX, (0.0, 4.5), density=20.0)
    for _ in range(120):
        stack.step()
    stack.destroy_body(load)
    verdict = judge_step(stack)
    assert verdict.unexplained == 0 and {each.body for each in verdict.bodies} <= set(boxes)
    is_shown(verdict_on(stack, boxes[-1]), "warm_starting")


def test_our_solver_stops_a_pair_that_will_touch_within_the_step():
    two = world(gravity=(0.0, 0.0))
    body = add(two, DISC, (0.0, 0.0), linear_velocity=(3.0, 0.0))
    add(two, DISC, (1.015, 0.0), linear_velocity=(-3.0, 0.0))
    is_shown(verdict_on(two, body), "speculative")


def test_a_box_within_the_skin_falls_in_our_solver():
    resting = world()
    ground(resting)
    is_shown(verdict_on(resting, add(resting, BOX, (0.0, 0.512))), "skin")


def test_another_axis_is_another_contact():
    pair = load_pair(PAIRS / "manifold.json")
    both = world(gravity=(0.0, 0.0))
    for shape, pose in ((pair.shape_a, pair.pose_a), (pair.shape_b, pair.pose_b)):
        add(both, shape, pose.position, angle=pose.angle)
    first, second = both.body_ids
    ahead = np.subtract(both.state(second).position, both.state(first).position)
    for body, sign in ((first, 1.0), (second, -1.0)):
        both.set_velocity(body, tuple((sign * 3.0 * ahead / math.hypot(*ahead)).tolist()))
    shown = verdict_on(both, first)
    is_shown(shown, "contacts")
    assert shown.reason == "local_maximum"


@pytest.mark.parametrize("lower", [-1.0, -0.02], ids=["wide", "so narrow that Box2D welds it"])
def test_limits(lower):
    hinge = world(gravity=(0.0, 0.0))
    base = add(hinge, BOX, (0.0, 0.0), "static")
    arm = add(hinge, Polygon.box(1.0, 0.1), (2.0, 0.0), angular_velocity=3.0, linear_velocity=(0.0, 3.0))
    hinge.create_joint(RevoluteJointSpec(base, arm, anchor=(1.0, 0.0), enable_limit=True, lower_angle=lower, upper_angle=0.02))
    is_shown(verdict_on(hinge, arm), "joints")


def test_box2d_merges_two_points_a_centimeter_apart():
    edge = world()
    add(edge, Polygon.box(5.0, 0.5), (-5.0, -0.5), "static", friction=0.0)
    shown = verdict_on(edge, add(edge, BOX, (0.492, 0.505), linear_velocity=(0.0, -1.0), friction=0.0))
    left = dict(shown.left)
    assert left["one_point"] <= shown.allowed < 1e-3 < left["joints"], shown.evidence


def _demo(id, steps):
    demo = find_demo(id)(0, solver="box2d")
    for _ in range(steps):
        demo.sim.step()
    return demo.stages[0].world


def test_friction_with_several_solutions():
    """Two legs of a walking linkage on the ground: one sticks and the other slips, or vice versa."""
    walker = _demo("walker", 400)
    verdict = judge_step(walker)
    assert verdict.counts["several_answers"] >= 3 and verdict.unexplained == 0, verdict.counts
    for each in verdict.bodies:
        if each.cause == "several_answers":
            is_shown(each, "several_answers")


def test_friction_for_which_box2d_does_not_converge():
    verdict = judge_step(_demo("walker", 280))
    assert any("unsettled" in dict(each.left) for each in verdict.bodies) and verdict.unexplained == 0, verdict.counts


# -- a referee that can fail ------------------------------------------------------------------------------------------


def _sliding(solver="box2d"):
    sliding = world(solver, sleeping=False)
    ground(sliding)
    body = add(sliding, BOX, (0.0, 0.5), linear_velocity=(4.0, 0.0), friction=0.5)
    for _ in range(10):
        sliding.step()
    return sliding, body


def _with_friction(snapshot, share):
    fixtures = tuple((fixture, body, replace(spec, friction=share * spec.friction)) for fixture, body, spec in snapshot.fixtures)
    return replace(snapshot, fixtures=fixtures)


@pytest.mark.parametrize("share", [0.5, 0.9, 1.1])
def test_other_friction_in_one_world_is_unexplained(share):
    sliding, body = _sliding()
    states = engine_states(sliding)
    assert judge_states(states).unexplained == 0
    verdict = judge_states(replace(states, ours=_with_friction(states.ours, share)))
    blamed = verdict.of(body)
    assert blamed is not None and blamed.cause == "unexplained" and verdict.unexplained == 1, verdict
    assert blamed.left[-1][1] > 10.0 * blamed.allowed


def test_another_mass_in_one_world_is_unexplained():
    two = world(gravity=(0.0, 0.0))
    heavy = add(two, DISC, (0.0, 0.0), linear_velocity=(2.0, 0.0))
    add(two, DISC, (0.99, 0.0), linear_velocity=(-2.0, 0.0))
    states = engine_states(two)
    assert judge_states(states).unexplained == 0
    fixtures = tuple((k, body, replace(spec, density=1.02 if body == heavy else 1.0)) for k, body, spec in states.ours.fixtures)
    assert judge_states(replace(states, ours=replace(states.ours, fixtures=fixtures))).unexplained == 2


def test_gravity_in_one_world_only_is_unexplained():
    free = world()
    add(free, DISC, (0.0, 5.0))
    states = engine_states(free)
    weaker = replace(states.ours, settings=replace(states.ours.settings, gravity=(0.0, -9.99)))
    assert judge_states(replace(states, ours=weaker)).unexplained == 1


def test_every_cause_has_a_sentence():
    assert all(sentence.endswith(".") for sentence in CAUSES.values())


# -- our own side of the last line ------------------------------------------------------------------------------------


def _hard(states):
    """Return the result of one hard step with our own contacts."""
    _, ours = states.steps()
    motion = np.ascontiguousarray(states.ours.motion.values)
    poses, velocities = np.ascontiguousarray(motion[:, :3]), np.ascontiguousarray(motion[:, 3:])
    hard = HardStep(states.ours, poses, velocities, states.force, states.gear_sums)
    return hard.solve(ours.hard_contacts(is_open=True), 10_000, is_explicit=False, is_box2d=False)


def test_sub_steps_and_one_hard_step_agree_without_rotation():
    """Sliding, resting and falling: in general, the two differ only to second order in the step or have not converged."""
    sliding, _ = _sliding("soft_step")
    stack = world("soft_step", sleeping=False)
    ground(stack)
    for k in range(4):
        add(stack, BOX, (0.0, 0.5 + k), density=1.0 + k)
    add(stack, DISC, (9.0, 9.0), linear_velocity=(1.0, 2.0))
    for _ in range(120):
        stack.step()
    for scene in (sliding, stack):
        states = engine_states(scene)
        _, ours = states.steps()
        assert np.abs(_hard(states) - ours.velocity).max() < 1e-5, _hard(states) - ours.velocity
