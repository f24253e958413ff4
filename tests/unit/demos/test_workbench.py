"""The empty scene: what is built on it stays when the ground is changed."""

from __future__ import annotations

from demos.workbench import Workbench
from engine.geometry import Polygon
from engine.sim.registry import all_demos
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec


def test_it_comes_first_and_is_empty() -> None:
    demo = Workbench()
    assert all_demos()[0] is Workbench
    assert [demo.stage.world.body(body).spec.name for body in demo.stage.world.body_ids] == ["ground"]
    assert demo.status() == ("1 body with the ground, 0 joints",)


def test_the_ground_changes_under_what_stands_on_it() -> None:
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
    demo.restart()
    assert len(demo.stage.world.body_ids) == 1
    demo.stage.world.destroy_body(0)
    demo.set_parameter("width", 10.0)
    assert demo.stage.world.body_ids == ()
