"""Every demo that can be shared, played by two users at once: what comes late makes no difference, whatever the demo does with it."""

from __future__ import annotations

import numpy as np
import pytest

from engine.common.errors import InvalidInputError, LabError
from engine.common.rng import stream
from engine.geometry import Circle
from engine.net.scene import check_shareable
from engine.net.shared_simulation import SharedSimulation, UserAction
from engine.sim.actions import (
    Action,
    CreateBody,
    CreateJoint,
    DestroyBody,
    DestroyJoint,
    Drag,
    Drive,
    Grab,
    Join,
    Pause,
    PressKey,
    Release,
    ReleaseAll,
    ReleaseKey,
    Restart,
    SetParameter,
    SetPose,
    SetSpeed,
    Turn,
    TurnWheel,
    UndoOwn,
)
from engine.sim.demo import Demo
from engine.sim.registry import all_demos, find_demo
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec

LATEST = 25
KEYS = ("left", "right", "up", "down", "return", "space", *"abcdefghijklmnopqrstuvwxyz")
FAST = ("car", "promise_seams")
"""With keys of its own that drive it; with several worlds side by side."""


def _played(simulation: SharedSimulation, user: int, rng: np.random.Generator) -> Action | None:
    """Return what a user does that sees the demo of a simulation, or None."""
    demo, kind = simulation.demo, int(rng.integers(24))
    stage = int(rng.integers(len(demo.stages)))
    world, offset = demo.stages[stage].world, demo.stages[stage].offset
    if not world.body_ids:
        return None
    body = int(rng.choice(world.body_ids))
    state, joints = world.state(body), world.joint_ids
    point = state.position[0] + offset[0] + float(rng.uniform(-1, 1)), state.position[1] + offset[1] + float(rng.uniform(-1, 1))
    on_it = state.position[0] + offset[0], state.position[1] + offset[1]
    disc = BodySpec((FixtureSpec(Circle(0.2), density=1.0),), position=state.position)
    key = str(rng.choice(KEYS))
    own = [one for one in demo.parameters if not one.choices]
    choices: list[Action] = [
        Grab(on_it), Grab(on_it), Grab(point), Drag(point), Drag(point), Drag(point), Release(),
        PressKey(key), PressKey(key), PressKey(key), ReleaseKey(key), ReleaseAll(),
        Turn(point), TurnWheel(point, 1.0), Drive(stage, body),
        CreateBody.of(stage, disc), SetPose(stage, body, state.position, 0.3),
        CreateJoint.of(stage, RevoluteJointSpec(body, int(rng.choice(world.body_ids)), state.position))
        if len(world.body_ids) > 1 and rng.random() < 0.9 and body != world.body_ids[-1]
        else DestroyBody(stage, body),
        DestroyJoint(stage, int(rng.choice(joints))) if joints else Pause(bool(rng.random() < 0.3)),
        SetSpeed(0.5 if rng.random() < 0.3 else 1.0), UndoOwn(), UndoOwn(), UndoOwn(),
        Restart() if rng.random() < 0.2 else SetParameter(own[0].name, own[0].default) if own else Release(),
    ]  # fmt: skip
    return demo.sim.resolve(choices[kind])


def _check(kind: type[Demo], n_ticks: int = 120) -> None:
    known, late = SharedSimulation(kind(1)), SharedSimulation(kind(1))
    rng = stream(7, kind.id)
    final, waiting = dict(known.digests), []
    for user in (1, 2):
        for simulation in (known, late):
            simulation.add(0, UserAction(user, 0, Join()))
    for tick in range(1, n_ticks):
        known.step()
        final[known.now] = known.digests[known.now]
        for user in (1, 2) if tick < n_ticks - LATEST else ():
            if rng.random() < 0.4:
                try:
                    one = _played(known, user, rng)
                except LabError:
                    one = None
                if one is not None:
                    known.add(tick, UserAction(user, tick, one))
                    waiting.append((tick + int(rng.integers(LATEST)), tick, UserAction(user, tick, one)))
    again = 0
    for frame in range(n_ticks):
        for arrived in [one for one in waiting if one[0] <= frame]:
            waiting.remove(arrived)
            late.add(arrived[1], arrived[2])
        again += late.rollback()
        if late.now < known.now:
            late.step()
    assert not waiting and again > n_ticks // 2 and late.now == known.now
    assert late.digests == {tick: final[tick] for tick in late.digests} and not late.faults and not known.faults
    assert len(late.demo.sim.users.users) == 2


@pytest.mark.parametrize("id", FAST)
def test_what_two_users_do_late_makes_no_difference(id: str) -> None:
    _check(find_demo(id), 60)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [pytest.param(kind, id=kind.id) for kind in all_demos()])
def test_what_two_users_do_late_makes_no_difference_in_any_demo(kind: type[Demo]) -> None:
    demo = kind()
    if demo.stages:
        check_shareable(demo)
        _check(kind)
    else:
        with pytest.raises(InvalidInputError, match="a demo with a world"):
            check_shareable(demo)
