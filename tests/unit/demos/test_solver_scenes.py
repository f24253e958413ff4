"""The scenes of the solver bench as a demo."""

import pytest

from engine.experiments.solvers.scenes import SCENES
from engine.sim.registry import find_demo


def _summary(scene, steps, solver=None):
    demo = find_demo("solver_scenes")(values={"scene": list(SCENES).index(scene)}, solver=solver)
    demo.restart()
    for _ in range(steps):
        demo.sim.step()
    criterion, (verdict, _) = demo.status()
    return str(criterion), verdict


@pytest.mark.parametrize("name", SCENES)
def test_every_scene_builds_and_states_its_criterion(name):
    criterion, verdict = _summary(name, 1)
    assert criterion.startswith(SCENES[name].title) and verdict.startswith(("stands", "holds"))


@pytest.mark.parametrize(("solver", "verdict"), [("box2d", "failed after 0.3 s"), ("soft_step", "stands, 1.0 of 20 s")])
def test_the_verdict_is_the_criterion_of_the_bench(solver, verdict):
    assert _summary("card_house", 60, solver)[1] == verdict


def test_a_scene_without_one_of_its_bodies_is_not_judged():
    demo = find_demo("solver_scenes")()
    demo.restart()
    demo.world.destroy_body(demo.bodies[0])
    demo.sim.step()
    assert demo.status()[1][0].startswith("not judged")
