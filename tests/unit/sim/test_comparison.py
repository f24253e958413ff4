"""Two worlds at once: the second gets the first's input and follows it in time, and the distance is recorded for every step."""

import math

import numpy as np
import pytest

from engine.app.second_picture import Farthest
from engine.app.session import Session
from engine.common.errors import InvalidInputError, LabError
from engine.demo import Demo
from engine.dynamics.methods.sequential_impulses import SequentialImpulses
from engine.geometry import Circle, Polygon
from engine.sim.actions import CreateBody, DestroyBody, Drag, Grab, Release, Restart, SetParameter, SetPose, SetVelocity
from engine.sim.comparison import Comparison
from engine.sim.distances import TOLERANCE, Distances, Why
from engine.sim.history import History, demo_hash
from engine.sim.registry import find_demo
from engine.world import BodySpec, FixtureSpec, World
from tests.stepping import steps

OURS = "soft_step"
FRAME = 1.0 / 60.0


def ball(x):
    return BodySpec((FixtureSpec(Circle(0.2)),), position=(x, 3.0))


def only(demo):
    (stage,) = demo.stages
    return stage


def alone(kind, solver, do, steps):
    """Return the hash of a separate demo with that solver after the same actions."""
    history = History(kind(0, solver=solver))
    for step in range(steps + 1):
        for _, action in [entry for entry in do if entry[0] == step]:
            history.act(action)
        if step < steps:
            history.step()
    return demo_hash(history.demo)


def test_the_second_gets_every_input(drop):
    do = [
        (5, CreateBody.of(0, ball(2.0))),
        (20, SetParameter("height", 3.0)),
        (30, SetVelocity(0, 1, (1.0, 5.0))),
        (40, DestroyBody(0, 1)),
    ]
    history = History(drop())
    beside = Comparison(history, OURS)
    for step in range(60):
        for _, action in [entry for entry in do if entry[0] == step]:
            history.act(action)
        history.step()
    assert demo_hash(beside.demo) == alone(drop, OURS, do, 60), "it came to what it comes to alone"
    assert beside.demo.sim.solvers == (OURS,) and not beside.skipped and beside.is_caught_up


def test_free_flight_diverges_by_the_step_length(drop):
    history = History(drop())
    beside = Comparison(history, OURS)
    steps(history, 10)
    world, n = only(history.demo).world, np.arange(11)
    g, dt = -world.settings.gravity[1], world.settings.dt
    # Box2D falls g dt^2 n (n + 1) / 2 in n steps, ours g (n dt)^2 / 2; 1e-5 m is forty roundings of a float32 height of 4 m
    assert beside.distances.meters == pytest.approx(0.5 * g * dt * dt * n, abs=1e-5)
    parted = beside.distances.run(10).parted
    assert (parted.step, parted.stage, parted.body) == (1, 0, 1)
    assert beside.distances.run(10).why.cause == "free flight"
    assert beside.distances.worst(10) == beside.distances.at(10) == beside.apart


def test_the_hand_holds_the_same_point_of_the_same_body_in_both(drop):
    history = History(drop())
    beside = Comparison(history, OURS)
    steps(history, 25)
    state = only(history.demo).world.state(1)
    at = state.xf.apply((0.1, 0.05))
    assert history.act(Grab(at))
    for k in range(40):
        history.act(Drag((at[0] + 0.02 * k, 3.0)))
        history.step()
    grip, other = history.demo.grip, beside.demo.grip
    assert grip is not None and other is not None and other.body == grip.body == 1
    assert other.point == pytest.approx((0.1, 0.05), abs=1e-5)
    assert not beside.skipped
    history.act(Release())
    beside.follow()
    assert beside.demo.grip is None
    hashes = demo_hash(beside.demo)
    history.seek(10)
    history.seek(65)
    assert demo_hash(beside.demo) == hashes


def test_both_worlds_rewind_and_take_another_branch(drop):
    history = History(drop())
    beside = Comparison(history, OURS)
    hashes = [demo_hash(beside.demo)]
    for _ in range(150):
        history.step()
        hashes.append(demo_hash(beside.demo))
    known = beside.distances.meters
    for step in (70, 149, 3, 150, 0, 61):
        history.seek(step)
        beside.follow()
        assert beside.now == step and demo_hash(beside.demo) == hashes[step]
    assert np.array_equal(beside.distances.meters, known) and len(known) == 151
    other = (61, CreateBody.of(0, ball(3.0)))
    history.act(other[1])
    steps(history, 20)
    assert beside.now == 81 and len(beside.distances) == 82 and demo_hash(beside.demo) == alone(drop, OURS, [other], 81)
    assert history.undo()
    beside.follow()
    assert beside.now == 61 and demo_hash(beside.demo) == hashes[61]
    assert history.redo()
    beside.follow()
    assert beside.now == 81 and demo_hash(beside.demo) == alone(drop, OURS, [other], 81) and len(beside.distances) == 82
    assert beside.history.divergence is None


def test_a_late_copy_replays_all_earlier_steps(drop):
    early, late = History(drop()), History(drop())
    beside = Comparison(early, OURS)
    for history in (early, late):
        history.act(CreateBody.of(0, ball(2.0)))
        steps(history, 50)
        history.act(SetPose(0, 1, (4.0, 5.0), 0.0))
        steps(history, 40)
    follower = Comparison(late, OURS)
    follower.longest_way = 0.0
    assert follower.now == 0 and not follower.is_caught_up and not follower.follow()
    assert 0 < follower.now < 90
    follower.longest_way = math.inf
    assert follower.follow() and follower.is_caught_up
    assert demo_hash(follower.demo) == demo_hash(beside.demo)
    assert np.array_equal(follower.distances.meters, beside.distances.meters)
    assert follower.distances.run(90) == beside.distances.run(90)


def test_actions_on_missing_objects_are_skipped_and_reported(drop):
    class Uneven(drop):
        def after_step(self):
            if self.steps == 10 and self.sim.solvers == (OURS,):
                self.stages[0].world.destroy_body(1)

    history = History(Uneven())
    beside = Comparison(history, OURS)
    steps(history, 12)
    at = only(history.demo).world.state(1).position
    assert history.act(Grab(at))
    history.act(Drag((at[0], at[1] + 1.0)))
    history.act(Release())
    history.act(SetVelocity(0, 1, (0.0, 1.0)))
    steps(history, 3)
    with pytest.raises(LabError):
        history.act(DestroyBody(0, 99))  # refused by both: nothing to tell
    history.step()
    assert [(entry.step, entry.action) for entry in beside.skipped] == [(12, "Grab"), (12, "SetVelocity")]
    assert "body 1" in beside.skipped[1].why
    assert beside.distances.n_single(9) == 0 and beside.distances.n_single(10) == 1
    assert beside.distances.at(16) is not None, "what stands is in both"
    history.undo(), history.undo()
    beside.follow()
    assert [entry.action for entry in beside.skipped] == ["Grab"]


def test_both_start_from_the_layout_of_the_first():
    for first, second in (("box2d", OURS), (OURS, "box2d")):
        for name in ("pyramid", "promise_seams"):
            history = History(find_demo(name)(solver=first))
            beside = Comparison(history, second)
            assert beside.distances.meters[0] < 1e-6, (name, "but for rounding to float32")
            history.act(Restart())
            steps(history, 1)
            assert beside.demo.sim.skin_radius == history.demo.sim.skin_radius and beside.distances.meters[1] < 0.02


class Near(Demo):
    """A box 15 mm above a floor: within Box2D's skins, but without contact in our solver."""

    id = "near"

    def build(self):
        world = self.add_stage(World()).world
        world.create_body(BodySpec((FixtureSpec(Polygon.box(5.0, 0.5)),), "static"))
        world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), position=(0.0, 1.015)))


class Offset(Demo):
    """A box 10 m from its body's origin."""

    id = "offset"

    def build(self):
        corners = [(9.5, -0.5), (10.5, -0.5), (10.5, 0.5), (9.5, 0.5)]
        self.add_stage(World()).world.create_body(BodySpec((FixtureSpec(Polygon(corners)),)))


def test_the_distance_is_between_centers_of_mass():
    first, second, distances, turn = Offset(), Offset(), Distances(), 0.1
    world = only(second).world
    world.set_pose(0, (10.0 - 10.0 * math.cos(turn), 0.3 - 10.0 * math.sin(turn)), turn)  # about the box's center, which rises by 0.3 m
    distances.note(first, second)
    assert distances.meters == pytest.approx([0.3], abs=1e-5)
    far = Farthest(only(first), only(second), 0, 0.3)
    assert far.first == pytest.approx((10.0, 0.0), abs=1e-5) and far.second == pytest.approx((10.0, 0.3), abs=1e-5)
    world.destroy_fixture(world.fixtures_of(0)[0])
    world.create_fixture(0, FixtureSpec(Circle(0.5)))  # another center of mass
    distances.note(first, second)
    assert distances.meters[1] == pytest.approx(math.dist((10.0, 0.0), world.state(0).position), abs=1e-5)


def test_a_contact_in_only_one_world_is_named():
    history = History(Near())
    beside = Comparison(history, OURS)
    steps(history, 2)
    parted, why = beside.distances.run(2).parted, beside.distances.run(2).why
    assert (parted.step, parted.body) == (1, 1) and parted.meters > TOLERANCE
    assert why == Why("contact", "in step 1 it touched body 0 only in Box2D", 1)


@pytest.mark.parametrize(
    ("name", "step", "cause", "shown_at"),
    [
        ("radial_engine", 1, "position_correction", 1),
        ("promise_motion_cap", 1, "speed_cap", 1),
        ("scattering", 29, "continuous", 29),
        ("buoyancy", 1, "integrator", 1),
    ],
)
def test_the_cause_of_a_step_is_shown(name, step, cause, shown_at):
    history = History(find_demo(name)(solver=OURS))
    beside = Comparison(history, "box2d")
    steps(history, step - 1)
    assert beside.why() is None
    steps(history, 1)
    hashes = demo_hash(history.demo), demo_hash(beside.demo)
    why = beside.why()
    assert (why.cause, why.step) == (cause, shown_at)
    assert (demo_hash(history.demo), demo_hash(beside.demo)) == hashes, "who asks changes nothing"


def test_a_restart_begins_a_new_run(drop):
    """Issue 45: "farthest apart 0.16 m" stayed after R."""
    history = History(drop())
    beside = Comparison(history, OURS)
    steps(history, 15)
    far, first = beside.distances.worst(15), beside.distances.run(15)
    assert beside.apart.meters == far.meters > 0.01 and (first.start, first.parted.step) == (0, 1)
    history.act(Restart())
    beside.follow()
    assert beside.apart.meters < 1e-6
    steps(history, 1)
    assert beside.distances.worst(16).step == 16 and beside.distances.worst(16).meters < 0.2 * far.meters
    assert (beside.distances.run(16).start, beside.distances.run(16).parted.step) == (15, 16)
    steps(history, 5)
    history.seek(10)
    beside.follow()
    assert beside.distances.worst(10) == far and beside.distances.run(10) == first
    history.act(SetVelocity(0, 1, (1.0, 0.0)))  # another branch, in the first run
    steps(history, 2)
    assert len(beside.distances) == 13 and beside.distances.run(12).start == 0 and beside.distances.run(12).parted == first.parted


@pytest.mark.parametrize(
    "solvers", [("sequential_impulses", "soft_step"), ("xpbd", "box2d"), ("soft_step", "box2d"), ("box2d", "soft_step")]
)
def test_any_two_solvers_have_a_reason(solvers):
    first, second = solvers
    history = History(find_demo("pyramid")(0, {"rows": 2}, solver=first))
    beside = Comparison(history, second)
    while beside.distances.run(beside.now).parted is None and beside.now < 200:
        history.step()
    run = beside.distances.run(beside.now)
    assert run.parted is not None and run.why.cause not in ("motion", "joint") and not run.why.evidence.endswith(".")
    if run.why.step is not None:
        assert 0 < run.why.step <= run.parted.step


def test_the_first_difference_is_gone_to(drop):
    session = Session(drop(), (0, 0, 640, 480), has_history=True)
    session.compare_with(OURS)
    for _ in range(30):
        session.advance(FRAME)
    session.go_to_the_parting()
    session.advance(FRAME)
    parted = session.beside.distances.run(1).parted
    assert (
        (session.demo.steps, session.clock.paused, session.timeline.watched)
        == (parted.step, True, (parted.stage, parted.body))
        == (1, True, (0, 1))
    )
    assert session.why.cause == "free flight"


def test_a_session_keeps_both_worlds_in_step(drop):
    session = Session(drop(), (0, 0, 640, 480), has_history=True)
    session.compare_with(OURS)
    beside = session.beside
    for _ in range(30):
        session.advance(FRAME)
    assert beside.is_caught_up and beside.now == 30
    session.act(CreateBody.of(0, ball(2.0)))
    session.clock.paused = True
    session.advance(FRAME)
    assert beside.is_caught_up and 2 in only(beside.demo).world.body_ids
    session.undo()
    session.advance(FRAME)
    assert beside.is_caught_up and 2 not in only(beside.demo).world.body_ids
    session.set_parameter("height", 2.0)
    session.restart()
    session.advance(FRAME)
    assert beside.is_caught_up and beside.demo.parameter("height") == 2.0
    session.timeline.seek(7)
    session.advance(FRAME)
    assert beside.is_caught_up and beside.now == 7
    session.compare_with("")
    session.timeline.history.step()
    assert session.beside is None and beside.now == 7, "it follows no more"


def test_a_solver_that_cannot_continue_reports_it(monkeypatch):
    solve = SequentialImpulses.solve

    def refuse_many(self, step, options):
        if len(step.contacts.n_points) > 12:
            raise InvalidInputError("contacts", "at most 12", len(step.contacts.n_points))
        return solve(self, step, options)

    monkeypatch.setattr(SequentialImpulses, "solve", refuse_many)
    history = History(find_demo("pyramid")(0, {"rows": 5}, solver=OURS))
    beside = Comparison(history, "sequential_impulses")
    steps(history, 60)
    figures = beside.figures()
    assert figures.standing == "stopped" and "at most 12" in figures.stopped and beside.skipped[0].action == "step"
    assert not beside.first_figures().stopped
