"""The empty scene: constructions on it survive changes of the ground."""

from demos.workbench import Workbench
from engine.app.files.saving import built
from engine.geometry import Circle, Polygon
from engine.sim.actions import CreateBody, Drag, Grab, PressKey, Release, Restart
from engine.sim.history import History
from engine.sim.registry import all_demos
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec


def test_it_comes_first_and_is_empty():
    demo = Workbench()
    assert all_demos()[0] is Workbench
    assert [demo.stage.world.body(body).spec.name for body in demo.stage.world.body_ids] == ["ground"]
    assert demo.status() == ("1 body with the ground, 0 joints",)


def test_the_ground_changes_under_what_stands_on_it():
    demo = Workbench()
    world = demo.stage.world
    box = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), position=(15.0, 0.6)))
    arm = world.create_body(BodySpec((FixtureSpec(Polygon.box(1.0, 0.1)),), position=(0.0, 3.0)))
    world.create_joint(RevoluteJointSpec(0, arm, (0.0, 3.0)))
    demo.set_parameter("width", 40.0)
    demo.set_parameter("walls", "both sides")
    assert demo.home().upper == (20.5, 20.0) and len(world.fixtures_of(0)) == 3
    assert demo.status() == ("3 bodies with the ground, 1 joint",)
    world.set_velocity(box, (12.0, 0.0), 0.0)
    for _ in range(240):
        demo.sim.step()
    x, y = world.state(box).position
    assert 15.5 < x < 19.6 and 0.4 < y < 0.6, "it has slid on the wider ground, and no farther than the wall"
    assert demo.on_key("c") and len(demo.stage.world.body_ids) == 1
    demo.stage.world.destroy_body(0)
    demo.set_parameter("width", 10.0)
    assert demo.stage.world.body_ids == ()


def ball(x, y, speed=0.0):
    return BodySpec((FixtureSpec(Circle(0.3)),), position=(x, y), linear_velocity=(speed, 0.0))


def run(history, steps):
    for _ in range(steps):
        history.step()


def test_a_restart_brings_back_what_was_built_and_clear_removes_it():
    """Issue 31: a restart cleared the bench."""
    demo = Workbench()
    history = History(demo)
    world = demo.stage.world
    first = history.act(CreateBody.of(0, ball(-3.0, 4.0)))
    run(history, 30)
    fallen = world.state(first)
    second = history.act(CreateBody.of(0, ball(3.0, 5.0, speed=2.0)))
    run(history, 90)
    history.act(Restart())
    assert demo.clock_start == (world.time, world.step_index)
    assert world.state(first).position == fallen.position and world.state(first).linear_velocity == fallen.linear_velocity
    assert world.state(second).position == (3.0, 5.0) and world.state(second).linear_velocity == (2.0, 0.0)
    run(history, 20)
    history.act(Restart())
    assert world.state(second).position == (3.0, 5.0), "once more"
    assert built(history)[0][1].action == CreateBody.of(0, ball(-3.0, 4.0)), "and is still to be saved"
    run(history, 1)
    history.act(PressKey("c"))
    assert len(demo.stage.world.body_ids) == 1 and not built(history)
    history.undo()
    assert demo.stage.world.body_ids == (0, first, second)
    history.seek(10)
    history.seek(140)
    assert demo.stage.world.body_ids == (0, first, second)


def test_a_restart_uses_placed_positions_but_not_thrown_ones():
    demo = Workbench()
    history = History(demo)
    body = history.act(CreateBody.of(0, ball(0.0, 0.3)))
    run(history, 2)
    demo.stage.world.set_pose(body, (5.0, 2.0), 0.0)
    run(history, 10)
    history.act(Grab(demo.stage.world.state(body).position))
    history.act(Drag((-5.0, 8.0)))
    run(history, 20)
    history.act(Release())
    run(history, 20)
    history.act(Restart())
    assert demo.stage.world.state(body).position == (5.0, 2.0)


def test_a_body_rolls_on_an_endless_ground():
    demo = Workbench(values={"walls": "endless", "width": 4.0})
    body = demo.stage.world.create_body(ball(1.0, 0.31, speed=20.0))
    for _ in range(240):
        demo.sim.step()
    x, y = demo.stage.world.state(body).position
    assert x > 50.0 and 0.28 < y < 0.35
    assert demo.home().upper[0] == 2.5


def test_fallen_bodies_are_reported_with_ways_to_restore_them():
    demo = Workbench()
    world = demo.stage.world
    fallen = world.create_body(ball(15.0, 1.0))
    world.create_body(BodySpec((FixtureSpec(Circle(0.3)),), "static", (15.0, -30.0)))
    demo.sim.step()
    assert demo.status() == ("3 bodies with the ground, 0 joints",)
    world.set_pose(fallen, (15.0, -25.0), 0.0)
    assert demo.status()[1][0] == "1 body has fallen off the ground. R puts it back. An endless ground has no edge."
    demo.set_parameter("walls", "endless")
    demo.sim.step()
    assert demo.status()[1][0] == "1 body has fallen off the ground.", "moved there by hand: a restart leaves it there"
    world.destroy_body(0)
    assert len(demo.status()) == 1
