import pytest

from engine.common.errors import InvalidInputError
from tests.stepping import steps


@pytest.mark.parametrize("seed", [-1, 1.5, None, "1"])
def test_bad_seeds_are_rejected(drop, seed):
    with pytest.raises(InvalidInputError, match="seed"):
        drop(seed)


def test_parameters_are_checked_and_rebuild_the_scene(drop):
    demo = drop(values={"height": "2.5"})
    before = demo.stages[0]
    demo.set_parameter("height", 2.5)
    assert demo.stages[0] is before, "no change, no restart"
    demo.set_parameter("height", 3.0)
    assert demo.stages[0] is not before
    with pytest.raises(InvalidInputError):
        demo.set_parameter("height", 99.0)


def test_a_referee_checks_until_it_is_removed(drop, referee):
    demo = drop(referee=referee)
    steps(demo.sim, 90)
    assert demo.stages[0].total.compared > 10
    demo.sim.use_referee(None)
    assert demo.stages[0].total.compared == 0


def test_the_home_view_shows_the_scene_as_built(twins):
    demo = twins()
    home = demo.home()
    assert home.lower == pytest.approx((-10.0, -0.5), abs=0.02)
    assert home.upper[0] == pytest.approx(30.5)
    steps(demo.sim, 30)
    assert demo.home() == home


def test_grabbing_pulls_a_body_and_releasing_drops_it(drop):
    demo = drop()
    disc = demo.discs[0]
    assert not demo.grab((5.0, 5.0))
    assert demo.grab(demo.stages[0].world.state(disc).position)
    for _ in range(90):
        demo.drag((3.0, 4.0))
        demo.sim.step()
    assert demo.grabbing
    assert demo.stages[0].world.state(disc).position == pytest.approx((3.0, 4.0), abs=0.5)
    demo.release()
    assert not demo.grabbing and demo.stages[0].world.joint_ids == ()
    steps(demo.sim, 90)
    assert demo.stages[0].world.state(disc).position[1] < 1.2


def test_the_hand_survives_the_destruction_of_its_body(drop):
    demo = drop()
    disc = demo.discs[0]
    demo.grab(demo.stages[0].world.state(disc).position)
    demo.stages[0].world.destroy_body(disc)
    demo.drag((1.0, 1.0))
    demo.sim.step()
    demo.drag((1.0, 1.0))
    demo.release()
    assert not demo.grabbing


@pytest.mark.parametrize("point", [(1e30, 0.0), (float("nan"), 0.0), (float("inf"), 1.0)])
def test_the_hand_survives_points_out_of_range(drop, point):
    demo = drop()
    assert not demo.grab(point)
    demo.grab(demo.stages[0].world.state(demo.discs[0]).position)
    demo.drag(point)
    demo.sim.step()


def test_the_hand_can_grab_in_the_second_world(twins):
    demo = twins()
    assert demo.grab((30.0, 3.0))
    assert demo.stages[1].world.joint_ids != () and demo.stages[0].world.joint_ids == ()
