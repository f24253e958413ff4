"""A simulation that rolls back for late actions and one that had all actions in time go through the same states."""

from types import SimpleNamespace

import pytest

from engine.common.errors import LabError
from engine.geometry import Circle
from engine.net.shared_simulation import SharedSimulation, UserAction
from engine.sim.actions import CreateBody, Drag, Grab, Join, SetPose
from engine.sim.actions.pointer import laid_out
from engine.sim.registry import find_demo
from engine.world import BodySpec, FixtureSpec
from tests.stepping import steps


def test_a_grab_does_not_depend_on_the_layout_of_the_stages():
    kind = find_demo("promise_slow_balls")
    first, other = SharedSimulation(kind(0)), SharedSimulation(kind(0))
    for simulation, x in ((first, 0.0), (other, 40.0)):
        for stage in simulation.demo.stages:
            stage.offset = (x, x)
    world = first.demo.stages[0].world
    ball = next(body for body in world.body_ids if world.body(body).spec.type == "dynamic")
    before, place = first.digests[0], world.state(ball).position
    for simulation in (first, other):
        simulation.add(0, UserAction(1, 0, Join()))
        simulation.add(0, UserAction(1, 1, Grab(place)))
        simulation.add(1, UserAction(1, 2, Drag((0.0, 5.0))))
        steps(simulation, 5)
    assert first.digests == other.digests and first.digests[5] != before
    assert [len(simulation.demo.stages[0].world.joint_ids) for simulation in (first, other)] == [1, 1]


def test_stages_without_a_position_lie_at_the_origin():
    """A guest's action may name fewer stages than there are; the layout of the others in a window must make no difference."""
    stages = [SimpleNamespace(offset=(float(k), 2.0)) for k in range(3)]
    demo = SimpleNamespace(stages=stages)
    before = [stage.offset for stage in stages]
    with laid_out(demo.stages, ((5.0, 6.0),)):
        assert [stage.offset for stage in stages] == [(5.0, 6.0), (0.0, 0.0), (0.0, 0.0)]
    with laid_out(demo.stages, ()):
        assert [stage.offset for stage in stages] == [(0.0, 0.0)] * 3
    with laid_out(demo.stages, None):
        assert [stage.offset for stage in stages] == before


@pytest.mark.parametrize(("goes_back", "oldest", "first"), [(True, 60, 60), (False, 65, 70)])
def test_an_action_before_the_stored_ticks_is_rejected(goes_back, oldest, first):
    simulation = SharedSimulation(find_demo("simple_shapes")(0), goes_back=goes_back)
    steps(simulation, 70)
    simulation.forget(65)
    assert simulation.oldest == oldest and set(simulation.digests) == set(range(oldest, 71))
    with pytest.raises(LabError, match=f"tick {first - 1}, but the oldest tick kept is {first}"):
        simulation.add(first - 1, UserAction(1, 0, Join()))


@pytest.mark.parametrize("solver", ["box2d", "soft_step"])
def test_simultaneous_actions_are_applied_once_and_in_order(solver):
    kind, disc = find_demo("simple_shapes"), BodySpec((FixtureSpec(Circle(0.3), density=1.0),), position=(0.0, 6.0))
    hasty, known = SharedSimulation(kind(0, solver=solver)), SharedSimulation(kind(0, solver=solver))
    drawn, other = (UserAction(user, 1, CreateBody.of(0, disc)) for user in (2, 1))
    moved, later = (UserAction(2, number, SetPose(0, 2 << 20, (float(number), 7.0), 0.0)) for number in (2, 3))
    for tick in range(60):
        joined = [UserAction(user, 0, Join()) for user in (1, 2)] if tick == 0 else []
        for act in [*joined, *([drawn, other, moved, later] if tick == 40 else [])]:
            known.add(tick, act)
        known.step()
        for act in joined:
            hasty.act(act)
        if tick == 40:
            made = hasty.act(drawn)
            assert made == 2 << 20 and hasty.demo.stages[0].world.is_body(made) and hasty.changed is None
            hasty.add(tick, other)  # belongs before it
            assert hasty.changed is not None
            hasty.act(moved)
            assert hasty.changed is None and hasty.demo.stages[0].world.is_body(1 << 20)
            hasty.add(tick, later)  # the next of the same user, not applied yet
        hasty.step()
    assert hasty.digests[60] == known.digests[60] and hasty.digests[40] == known.digests[40]


@pytest.mark.parametrize(("solver", "again"), [("box2d", 40), ("soft_step", 20)])
def test_ticks_are_repeated_from_the_previous_keyframe(solver, again):
    simulation = SharedSimulation(find_demo("simple_shapes")(0, {"count": 20}, solver=solver))
    steps(simulation, 70)
    digest = simulation.digests[70]
    simulation.add(55, UserAction(1, 0, Join()))
    assert simulation.rollback() == again
    assert simulation.digests[70] == digest
