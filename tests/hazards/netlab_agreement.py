"""Do all copies of a shared world go through the same states? python -m tests.hazards.netlab_agreement [--ticks 2000] [--scenes ...]

Four clients from the beginning and a fifth that comes at tick 700, in simulated time, behind links of 150 ms +- 50 ms with 5 % loss, a
tenth of the messages overtaking and 2 % twice; every one of them does whatever a user can do, at random: grabs and throws, force keys, the
demo's own keys, new bodies and joints, erasing, pause, slow motion, a restart now and then, and takes things back. For each scene
and solver: how many ticks of all clients' differ from the server's (0, or the command ends with 1), and what it took to get there.

Scenes: four demos, a gallery scene with motors, and a scene file (of a world with each kind of joint, written and read here).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.common.errors import LabError
from engine.geometry import Circle, Polygon, Segment
from engine.net.client import Client
from engine.net.link import LinkSettings
from engine.net.simulated_network import SimulatedNetwork
from engine.scenes.scene import scene_of_snapshot
from engine.scenes.scene_file import scene_as_json
from engine.sim.actions import (
    Action,
    ChangeBody,
    CreateBody,
    CreateJoint,
    DestroyBody,
    Drag,
    Drive,
    Grab,
    Pause,
    PressKey,
    Release,
    ReleaseKey,
    Restart,
    SetPose,
    SetSpeed,
    SetVelocity,
    UndoOwn,
)
from engine.sim.demo import Demo
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
_SHARE = 0.1
"""Of the frames in which a client does something."""


def scene_file() -> dict[str, Any]:
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
    found: dict[str, Any] = json.loads(json.dumps(scene_as_json(scene_of_snapshot(world.snapshot(), title="Everything"))))
    return found


def made(scene: str, solver: str) -> Demo:
    """Return a demo, or that of the scene file."""
    kind = scene_class(scene_file()) if scene == "scene_file" else find_demo(scene)
    return kind(0, solver=solver)


def hand(share: float = _SHARE) -> Callable[[Client, np.random.Generator, float], None]:
    """Return a hand that does anything in that share of the frames; what the demo refuses here it refuses everywhere."""

    def play(client: Client, rng: np.random.Generator, now: float) -> None:
        demo = client.demo
        if demo is None or not demo.stages or rng.random() >= share:
            return
        with contextlib.suppress(LabError):
            client.act(_anything(demo, rng), now=now)

    return play


def _anything(demo: Demo, rng: np.random.Generator) -> Action:
    home, world = demo.home(), demo.stages[0].world
    x, y = (float(rng.uniform(low, high)) for low, high in zip(home.lower, home.upper, strict=True))
    a, b = (int(one) for one in rng.choice(world.body_ids, 2))
    key = str(rng.choice(["left", "right", "up", "down", "w", "a", "return", "b", "space"]))
    ball = BodySpec((FixtureSpec(Circle(0.3), density=1.0),), position=(x, y), linear_velocity=(float(rng.normal()), 0.0))
    many: list[tuple[int, Action]] = [
        (20, Grab((x, y))),
        (40, Drag((x, y))),
        (12, Release()),
        (8, PressKey(key)),
        (8, ReleaseKey(key)),
        (4, Drive(0, b)),
        (8, CreateBody.of(0, ball)),
        (5, DestroyBody(0, b) if len(world.body_ids) > 20 else Release()),
        (3, CreateJoint.of(0, DistanceJointSpec(a, b, world.state(a).position, world.state(b).position))),
        (3, SetVelocity(0, b, (float(rng.normal()), 5.0), 1.0)),
        (3, SetPose(0, b, (x, y), 0.5)),
        (2, ChangeBody(0, b, {"gravity_scale": float(rng.uniform(-0.5, 1.0))})),
        (3, UndoOwn()),
        (2, Pause(True)),
        (8, Pause(False)),
        (2, SetSpeed(float(rng.choice([0.25, 0.5, 2.0])))),
        (4, SetSpeed(1.0)),
        (1, Restart()),
    ]
    weights = np.array([weight for weight, _ in many], dtype=np.float64)
    return many[rng.choice(len(many), p=weights / weights.sum())][1]


def agree(scene: str, solver: str, n_ticks: int, seed: int = 0) -> dict[str, Any]:
    """Play, and return what came of it."""
    load_solver(solver).prepare()
    begun = time.process_time()
    network = SimulatedNetwork(made(scene, solver), 5, BAD, seed=seed, joins_at=[0.0] * 4 + [1.0 + JOINS_AT / 60.0])
    play = hand()
    while network.server.simulation.now < n_ticks:
        network.frame(play)
    while min(client.confirmed for client in network.clients) < n_ticks and network.server.simulation.now < n_ticks + 600:
        network.frame()
    clients, simulation = network.clients, network.server.simulation
    compared = [sum(tick in network.final for tick in found) for found in network.digests]
    return {
        "scene": scene,
        "solver": solver,
        "ticks": simulation.now,
        "differing": network.n_differing,
        "compared": compared,
        "first": [min(found, default=-1) for found in network.digests],
        "confirmed": [client.confirmed for client in clients],
        "refused": [client.end_reason for client in clients if client.end_reason],
        "adopted": [client.n_adopted for client in clients],
        "rollbacks": [client.n_rollbacks for client in clients],
        "again": [client.n_resimulated for client in clients],
        "states": len(set(network.final.values())),
        "bodies": [len(stage.world.body_ids) for stage in simulation.demo.stages],
        "faults": list(simulation.faults)[-3:],
        "seconds": round(time.process_time() - begun, 1),
    }


def is_fine(found: dict[str, Any], n_ticks: int) -> bool:
    """Tell whether all clients agreed all the way, of their own accord."""
    reached = all(confirmed >= n_ticks for confirmed in found["confirmed"]) and not found["refused"]
    whole = all(n >= n_ticks - first for n, first in zip(found["compared"], found["first"], strict=True)) and min(found["first"]) >= 0
    return reached and whole and not any(found["differing"]) and not any(found["adopted"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ticks", type=int, default=2000)
    parser.add_argument("--scenes", default=",".join(SCENES))
    parser.add_argument("--solvers", default=",".join(SOLVERS))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    n_wrong = 0
    for scene in options.scenes.split(","):
        for solver in options.solvers.split(","):
            found = agree(scene, solver, options.ticks, options.seed)
            n_wrong += not is_fine(found, options.ticks)
            print("agrees " if is_fine(found, options.ticks) else "DIFFERS", json.dumps(found), flush=True)
    return int(n_wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
