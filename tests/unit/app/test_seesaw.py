"""The seesaw of the README, built with the keys and clicks that it names."""

import pygame
import pytest

from docs.pictures.docks import build_seesaw
from engine.app.window import Window
from engine.scenes import build, load_scene
from engine.sim.registry import find_demo
from engine.world import RevoluteJointSpec


def test_the_seesaw_of_the_readme_tilts_is_saved_and_can_be_undone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kind = find_demo("workbench")
    window = Window((1280, 720), (kind,), kind(0))
    surface = pygame.Surface((1280, 720))
    window.update(0.0)
    window.show(surface)
    build_seesaw(window)
    session = window.session
    world = session.demo.stages[0].world
    names = {world.body(body).spec.name.split()[0]: body for body in world.body_ids}
    assert set(names) == {"ground", "polygon", "box", "circle"} and len(world.body_ids) == 5
    assert world.body(names["polygon"]).spec.type == "static"
    (joint,) = world.joint_ids
    assert isinstance(world.joint(joint).spec, RevoluteJointSpec)
    assert set(world.joint_bodies(joint)) == {names["box"], names["polygon"]}

    session.clock.paused = False
    for _ in range(75):
        window.update(1.0 / 60.0)
    tilt = world.state(names["box"]).angle
    assert abs(tilt) > 0.05 and abs(world.state(names["box"]).position[0]) < 0.2, "it hangs on its hinge, and the heavier disc sinks"
    assert len(world.contacts) >= 2 and session.timeline.failure == ""

    window.handle(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_s, mod=pygame.KMOD_CTRL, unicode=""))
    saved = build(load_scene(tmp_path / "workbench.json"))  # what is seen
    assert saved.state(names["box"]).angle == pytest.approx(tilt, abs=1e-6) and not session.clock.paused and len(saved.joint_ids) == 1

    session.timeline.seek(10)
    assert abs(world.state(names["box"]).angle) < abs(tilt)
    for _ in range(5):  # two discs, the hinge, the plank, the triangle
        session.undo()
    assert world.joint_ids == () and len(world.body_ids) == 1
