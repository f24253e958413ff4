"""Checks whether all copies of a shared world go through the same states. python -m tests.hazards.netlab_agreement [--ticks 2000] [--scenes
...]

Four clients from the beginning and a fifth that joins at tick 700, over links of 150 ms +- 50 ms with 5 % loss, a tenth of the messages
overtaking and 2 % twice: what `netlab` does, on six scenes and two solvers. For each: the number of ticks of all clients that differ from
the server's (if not 0, the exit status is 1), and the cost.

Scenes: four demos, a gallery scene with motors, and a scene file (of a world with each kind of joint, written and read here).
"""

import argparse
import json
import sys

from engine.geometry import Circle, Polygon, Segment
from engine.net.link import LinkSettings
from engine.net.netlab.experiment import Experiment
from engine.net.netlab.run import run_experiment
from engine.net.scene import shared_scene
from engine.scenes.scene import scene_of_snapshot
from engine.scenes.scene_file import scene_as_json
from engine.sim.registry import find_demo
from engine.sim.scene_demo import scene_class
from engine.world import (
    BodySpec,
    DistanceJointSpec,
    FixtureSpec,
    PrismaticJointSpec,
    RevoluteJointSpec,
    WeldJointSpec,
    WheelJointSpec,
    World,
    load_solver,
)  # fmt: skip

BAD = LinkSettings(latency=0.15, jitter=0.05, loss=0.05, reorder=0.1, duplicate=0.02)
SCENES = ("simple_shapes", "bridge", "ragdoll_pile", "pyramid", "radial_engine", "scene_file")
SOLVERS = ("box2d", "soft_step")
JOINS_AT = 700
"""Tick at which the fifth comes."""


def scene_file():
    """Return the content of a scene file: boxes in a pit, a wheel with a motor, a slider, a rod, a weld."""
    world = World()
    ground = world.create_body(BodySpec((FixtureSpec(Segment((-12.0, 0.0), (12.0, 0.0))),), "static"))
    for side in (-12.0, 12.0):
        world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 6.0)),), "static", (side, 6.0)))
    boxes = [
        world.create_body(
            BodySpec((FixtureSpec(Polygon.box(0.4, 0.3), density=1.0),), position=(-8.0 + 0.9 * (k % 8), 0.5 + 0.9 * (k // 8)))
        )
        for k in range(40)
    ]
    bar = BodySpec((FixtureSpec(Polygon.box(2.0, 0.2), density=1.0),), position=(4.0, 4.0))
    disc = FixtureSpec(Circle(0.5), density=1.0, friction=0.9)
    vane, plate = (
        world.create_body(bar),
        world.create_body(BodySpec((FixtureSpec(Polygon.box(1.0, 0.2), density=1.0),), position=(8.0, 2.0))),
    )
    wheel, ball = (world.create_body(BodySpec((disc,), position=(x, 6.0))) for x in (0.0, 9.0))
    world.create_joint(RevoluteJointSpec(ground, vane, (4.0, 4.0), enable_motor=True, motor_speed=2.0, max_motor_torque=200.0))
    world.create_joint(
        PrismaticJointSpec(
            ground,
            plate,
            (8.0, 2.0),
            (0.0, 1.0),
            enable_motor=True,
            motor_speed=1.0,
            max_motor_force=300.0,
            enable_limit=True,
            lower_translation=-1.0,
            upper_translation=2.0,
        )
    )
    world.create_joint(WheelJointSpec(boxes[0], wheel, (0.0, 6.0), (0.0, 1.0), enable_motor=True, motor_speed=-5.0, max_motor_torque=20.0))
    world.create_joint(DistanceJointSpec(boxes[1], ball, (-7.0, 0.5), (9.0, 6.0)))
    world.create_joint(WeldJointSpec(boxes[2], boxes[3], (-5.5, 0.5)))
    content = json.loads(json.dumps(scene_as_json(scene_of_snapshot(world.snapshot(), title="Everything"))))
    return content


def made(scene, solver):
    """Return a demo, or that of the scene file."""
    kind = scene_class(scene_file()) if scene == "scene_file" else find_demo(scene)
    return kind(0, solver=solver)


def agree(scene, solver, n_ticks, seed=0):
    """Run it, and return the result."""
    load_solver(solver).prepare()
    demo = made(scene, solver)
    experiment = Experiment(shared_scene(demo), demo.title, 5, BAD, steps=n_ticks, seed=seed, rate=6.0, join_at=JOINS_AT, window=50)
    return run_experiment(experiment)


def is_fine(result):
    """Return True if all clients always agreed without corrections, and the late one from its first keyframe on."""
    *first, late = [client.first_step or 0 for client in result.clients]
    return not (result.problems or result.total("adopted_keyframes") or result.drops or any(first)) and late >= JOINS_AT


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ticks", type=int, default=2000)
    parser.add_argument("--scenes", default=",".join(SCENES))
    parser.add_argument("--solvers", default=",".join(SOLVERS))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    n_wrong = 0
    for scene in options.scenes.split(","):
        for solver in options.solvers.split(","):
            result = agree(scene, solver, options.ticks, options.seed)
            n_wrong += not is_fine(result)
            counts = {name: result.total(name) for name in ("compared_steps", "differing_steps", "rollbacks", "resimulated_steps")}
            print("agrees " if is_fine(result) else "DIFFERS", scene, solver, json.dumps(counts), *result.problems, flush=True)
    return int(n_wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
