"""The experiment on a shared world: its counts, reproducibility, users' actions, and detection of a planted fault."""

import json
from collections import Counter
from dataclasses import replace

import pytest

from engine.cli.main import main
from engine.common.errors import InvalidInputError
from engine.common.rng import stream
from engine.net.client import Client
from engine.net.link import LinkSettings
from engine.net.netlab import run
from engine.net.netlab.experiment import Experiment, sweep
from engine.net.netlab.random_user import RandomUser
from engine.net.netlab.run import run_experiment
from engine.net.scene import shared_scene
from engine.net.script import ScriptedAction
from engine.sim.actions import (
    CreateBody,
    CreateJoint,
    DestroyBody,
    DestroyJoint,
    Drag,
    Drive,
    Grab,
    Input,
    Join,
    Pause,
    PressKey,
    Release,
    ReleaseKey,
    Restart,
    SetParameter,
    SetSpeed,
    UndoOwn,
)
from engine.sim.history import repeat
from engine.sim.registry import find_demo

BAD = LinkSettings(latency=0.15, jitter=0.05, loss=0.05, reorder=0.1, duplicate=0.02)
HERTZ = 60.0
SCENE = shared_scene(find_demo("simple_shapes")(0, {"count": 3}))


def _experiment(**fields):
    return Experiment(SCENE, "a scene", 2, **{"steps": 40, **fields})


def test_counts_are_reproducible():
    experiment = _experiment(link=BAD, rate=8.0, join_at=20)
    first, again = (replace(run_experiment(experiment), server_ms_per_step=0.0) for _ in range(2))
    assert [replace(client, ms_per_step=None) for client in first.clients] == [
        replace(client, ms_per_step=None) for client in again.clients
    ]
    assert (first.corrections, first.acts, first.own_act_shown) == (again.corrections, again.acts, again.own_act_shown)
    early, late = first.clients
    assert (first.problems, first.steps, first.total("differing_steps")) == ([], 40, 0)
    assert (early.first_step, early.compared_steps, late.first_step, late.compared_steps) == (0, 41, 30, 11)
    assert 0 < first.own_act_shown.n <= first.acts and 0 < first.time_to_agree.n <= first.acts
    assert first.time_to_agree.median > 0.3 and first.own_act_shown.median < 0.05, "a round trip; at once"
    assert sum(first.by_size) == sum(first.by_age) == first.sizes.n == len(first.corrections)
    assert early.bytes_up_per_s > 100.0 and early.bytes_down_per_s > 100.0 and early.ms_per_step > 0.0


def test_differing_and_missing_steps_are_reported(monkeypatch):
    receive = Client.receive

    def wrong(client, content, now):
        receive(client, content, now)
        if client.name == "user 0" and client.simulation is not None and client.simulation.now == 25:
            world = client.simulation.demo.stages[0].world
            world.set_velocity(world.body_ids[-1], (3.0, 0.0), 0.0)

    monkeypatch.setattr(Client, "receive", wrong)
    result = run_experiment(_experiment(rate=0.0, steps=28))
    n = result.total("differing_steps")
    assert n > 0 and result.problems == [f"{n} steps differ from the server's"]
    monkeypatch.setattr(Client, "receive", lambda client, content, now: None)
    monkeypatch.setattr(run, "_LAST_SECONDS", 1.0)
    assert run_experiment(_experiment(rate=0.0, steps=1)).problems == [f"user {k}: it never received the state" for k in (0, 1)]


def test_a_script_in_place_of_random_users():
    script = (ScriptedAction(10, Pause(True)), ScriptedAction(20, Pause(False), 2))
    result = run_experiment(_experiment(script=script, steps=32))
    assert (result.acts, result.own_act_shown.n, result.problems) == (3, 3, []) and result.as_json()["hands"] == "script"


def _actions(seed, rate=60.0, n_frames=240):
    """Return a user's actions on a demo that is never stepped."""
    demo, actions = find_demo("bridge")(0), []
    demo.sim.act(Join(), user=1)

    def act(action):
        actions.append(action)
        repeat(demo, Input(action, 1))

    user = RandomUser(stream(seed, "user"), act, rate)
    for frame in range(n_frames):
        user.play(demo, frame / HERTZ)
    user.release()
    return actions


def test_a_random_user_does_everything_and_repeats_it_for_one_seed():
    actions = _actions(0)
    counts = Counter(type(action) for action in actions)
    assert set(counts) == {
        Grab, Drag, Release, Drive, PressKey, ReleaseKey, CreateBody, DestroyBody, CreateJoint, DestroyJoint, UndoOwn, SetParameter, Pause,
        SetSpeed, Restart,
    }  # fmt: skip
    assert counts[Grab] == counts[Release] and counts[PressKey] == counts[ReleaseKey]  # all that is begun is ended
    assert actions[:30] == _actions(0, n_frames=60)[:30] != _actions(1, n_frames=60)[:30]
    pauses = [action.paused for action in actions if isinstance(action, Pause)]
    assert pauses == [True, False] * (len(pauses) // 2)
    assert _actions(0, rate=0.0, n_frames=60) == []


def test_a_sweep_changes_one_quantity():
    experiment = _experiment(link=BAD)
    first, second = sweep(experiment, "latency", (0.0, 0.3))
    assert (first.link.latency, second.link.latency, second.link.loss) == (0.0, 0.3, 0.05)
    assert [varied.window for varied in sweep(experiment, "window-steps", (10.0, 50.0))] == [10, 50]
    with pytest.raises(InvalidInputError, match=r"^clients must be a whole number from 1 to 64, got 2.5"):
        sweep(experiment, "clients", (2.5,))


def test_the_command(tmp_path, capsys):
    out = tmp_path / "out.json"
    link = "--latency 0.15 --loss 0.05 --clients 2"
    words = f"netlab simple_shapes --set count=2 --steps 35 --join-at 20 {link} --json {out}".split()
    assert main(words) == 0
    plain = json.loads(out.read_text("utf-8"))
    assert (plain["clients"], plain["steps"], plain["differing_steps"], plain["adopted_keyframes"], plain["agree"]) == (2, 35, 0, 0, True)
    assert plain["runs"][0]["link"]["latency"] == 0.15 and plain["runs"][0]["per_client"][1]["first_step"] == 30
    assert "0 of " in capsys.readouterr().out
