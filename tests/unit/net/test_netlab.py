"""The experiment on a shared world: what it counts, that it is the same every time, what hands do, and that a planted fault is told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.cli.main import main
from engine.common.errors import InvalidInputError
from engine.common.rng import stream
from engine.net.link import LinkSettings
from engine.net.netlab.experiment import run_experiment
from engine.net.netlab.plan import Plan, swept
from engine.net.netlab.random_user import RandomUser
from engine.net.netlab.result import Spread, found_of
from engine.net.netlab.watching import ClientNotes, ServerNotes
from engine.net.scene import scene_of
from engine.sim.actions import (
    Action,
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
    as_plain,
)
from engine.sim.demo import Demo
from engine.sim.history import repeat
from engine.sim.registry import find_demo

ROOT = Path(__file__).resolve().parents[3]
BAD = LinkSettings(latency=0.15, jitter=0.05, loss=0.05, reorder=0.1, duplicate=0.02)
HERTZ = 60.0


def _digests(n: int, wrong: int | None = None) -> dict[int, bytes]:
    return {tick: bytes([tick, tick == wrong]) for tick in range(n)}


def _notes() -> tuple[ServerNotes, list[ClientNotes]]:
    """Return what was noted of 20 ticks: user 1's act 7 for tick 5 counted at 6, and one client came at tick 10."""
    server = ServerNotes(HERTZ, 0.0, _digests(21), {(1, 7): 6}, ticks=20, seconds=0.02)
    confirmed = [(k, k / HERTZ + 0.25) for k in range(21)]
    first = ClientNotes("one", 1, _digests(21), {7: 0.1}, {7: 0.12}, confirmed, [(12, 0.02)], ticks=20, seconds=0.04, lasted=2.0)
    first.n_late, first.n_stalls, first.n_frames = 1, 3, 12
    first.n_sent, first.n_received, first.clock = 100, 1000, [(0.5, 31.2)]
    late = {tick: digest for tick, digest in _digests(21).items() if tick >= 10}
    return server, [first, ClientNotes("two", 2, late, confirmed=[(k, k / HERTZ + 0.5) for k in range(10, 21)])]


def _plan(**given: Any) -> Plan:
    return Plan({"solver": None}, "a scene", 2, steps=20, **given)


def test_what_is_noted_is_counted() -> None:
    found = found_of(_plan(), *_notes())
    one, two = found.clients
    assert (found.differing_steps, found.problems, found.steps) == (0, [], 20)
    assert (one.first_step, one.compared_steps, two.first_step, two.compared_steps) == (0, 21, 10, 11)
    assert found.restamped_share == 1.0 and found.acts == 1
    assert one.stalled_share == found.stalled_share == 0.25
    assert found.time_to_agree.max == pytest.approx(7 / HERTZ + 0.25 - 0.1)  # the second came after that tick, and waits for nothing
    assert found.own_act_shown.median == pytest.approx(0.02)
    assert found.clock_error.max == pytest.approx(0.02)
    assert (one.bytes_up_per_s, one.bytes_down_per_s, one.ms_per_step) == (50.0, 500.0, 2.0)
    assert found.server_ms_per_step == 1.0
    assert sum(found.by_size) == 1 and found.by_size[3] == 1 and found.by_age[4] == 1


def test_a_step_that_differs_is_told() -> None:
    server, clients = _notes()
    clients[0].final = _digests(21, wrong=13)
    found = found_of(_plan(), server, clients)
    assert found.differing_steps == 1 and found.problems == ["1 steps differ from the server's"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda one: one.final.clear(), "one: it never got the state"),
        (lambda one: one.final.pop(20), "one: it does not know 1 steps, the first of them 20"),
        (lambda one: setattr(one, "refused", "the password is another"), "one: the password is another"),
    ],
)
def test_a_client_that_does_not_know_all_is_told(change: Callable[[ClientNotes], object], words: str) -> None:
    server, clients = _notes()
    change(clients[0])
    assert found_of(_plan(), server, clients).problems == [words]


def test_what_a_client_skips_is_counted_and_no_disagreement() -> None:
    server, clients = _notes()
    del clients[0].final[12], clients[0].final[20]
    clients[0].reached = 25
    found = found_of(_plan(), server, clients)
    assert (found.problems, found.total("skipped_steps"), found.differing_steps) == ([], 2, 0)


def test_a_spread_of_nothing_has_no_numbers() -> None:
    assert Spread.of([]) == Spread(0, None, None, None)
    assert Spread.of([3.0, 1.0, 2.0]) == Spread(3, 2.0, pytest.approx(2.9), 3.0)


class _Actor:
    """Notes what hands do, and does it."""

    def __init__(self, demo: Demo) -> None:
        self.demo = demo
        self.done: list[Action] = []
        demo.sim.act(Join(), user=1)

    def act(self, action: Action, now: float) -> None:
        self.done.append(action)
        repeat(self.demo, Input(action, 1))


def _played(seed: int, rate: float = 60.0, n_frames: int = 240) -> _Actor:
    """Return what hands do to a demo of which nothing is stepped: they look at bodies that stand still."""
    actor, hands = _Actor(find_demo("bridge")(0)), RandomUser(stream(seed, "hand"), rate)
    for frame in range(n_frames):
        hands.play(actor, frame, frame / HERTZ)
    hands.let_go(actor, 4.0)
    return actor


def test_hands_do_everything_and_the_same_of_one_seed() -> None:
    actor = _played(0)
    counts = Counter(type(action) for action in actor.done)
    wanted = {
        Grab, Drag, Release, Drive, PressKey, ReleaseKey, CreateBody, DestroyBody, CreateJoint, DestroyJoint, UndoOwn, SetParameter, Pause,
        SetSpeed, Restart,
    }  # fmt: skip
    assert set(counts) == wanted
    assert counts[Grab] == counts[Release] and counts[PressKey] == counts[ReleaseKey]  # all that is begun is ended
    assert actor.done[:30] == _played(0, n_frames=60).done[:30] != _played(1, n_frames=60).done[:30]
    pauses = [action.paused for action in actor.done if isinstance(action, Pause)]
    assert pauses == [True, False] * (len(pauses) // 2)


def test_without_a_rate_hands_do_nothing() -> None:
    assert _played(0, rate=0.0).done == []


def test_a_sweep_changes_one_thing() -> None:
    plan = _plan(up=BAD, down=replace(BAD, loss=0.0))
    first, second = swept(plan, "latency", (0.0, 0.3))
    assert (first.up.latency, second.down.latency, second.down.loss, second.up.loss) == (0.0, 0.3, 0.0, 0.05)
    assert [one.window for one in swept(plan, "window-steps", (10.0, 50.0))] == [10, 50]
    with pytest.raises(InvalidInputError, match=r"^clients must be a whole number from 1 to 64, got 2.5"):
        swept(plan, "clients", (2.5,))


def test_an_experiment_in_simulated_time_is_the_same_every_time() -> None:
    demo = find_demo("simple_shapes")(0, {"count": 5})
    plan = Plan(scene_of(demo), demo.title, 2, BAD, BAD, steps=50, rate=4.0)
    one, again = (replace(run_experiment(plan), server_ms_per_step=None) for _ in range(2))
    assert [replace(client, ms_per_step=None) for client in one.clients] == [replace(client, ms_per_step=None) for client in again.clients]
    assert one.by_size == again.by_size and one.problems == []


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    link = "--latency 0.15 --jitter 0.05 --loss 0.05 --reorder 0.1 --duplicate 0.02 --clients 2 --down latency=0.05"
    words = f"netlab simple_shapes --set count=10 --steps 120 --join-at 20 {link} --json {out} --report {tmp_path / 'page'}".split()
    assert main(words) == 0
    told = json.loads(out.read_text("utf-8"))
    assert (told["clients"], told["steps"], told["differing_steps"], told["adopted_keyframes"], told["agree"]) == (2, 120, 0, 0, True)
    assert told["rollbacks"] > 0 and told["resimulated_steps"] > told["rollbacks"] and told["bytes_per_s"] > 100.0
    run = told["runs"][0]
    assert run["link"]["down"]["latency"] == 0.05 and run["per_client"][1]["first_step"] == 30
    assert "0 of " in capsys.readouterr().out
    assert {path.name for path in (tmp_path / "page").iterdir()} == {"report.html", "netlab.png", "tables.md"}


def test_a_script_in_place_of_random_hands(tmp_path: Path) -> None:
    script, out = tmp_path / "script.json", tmp_path / "out.json"
    acts = [{"tick": 10, "action": as_plain(Pause(True))}, {"tick": 20, "action": as_plain(Pause(False)), "client": 2}]
    script.write_text(json.dumps({"acts": acts}), "utf-8")
    words = f"netlab simple_shapes --set count=1 --clients 2 --steps 32 --script {script} --json {out}"
    assert main(words.split()) == 0
    run = json.loads(out.read_text("utf-8"))["runs"][0]
    assert (run["hands"], run["acts"], run["differing_steps"]) == ("script", 3, 0)
    assert [one["own_act_shown"]["n"] for one in run["per_client"]] == [1, 2]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--latency 150", "--latency must be from 0 to 10 s, got 150.0"),
        ("--loss 1", "--loss must be from 0 to 0.95, got 1.0"),
        ("--clients 0", "--clients must be a whole number from 1 to 64, got 0"),
        ("--join-at 600", "--join-at must be a whole number from 1 to 599, got 600"),
        ("--method fast", "--method must be a list of prediction, interpolation, lockstep, all, got 'fast'"),
        ("--sweep speed=1", "--sweep must be NAME=LIST, NAME one of latency, "),
        ("--sweep latency=0,x", "--sweep must be a finite number behind each =, got 'x'"),
        ("--down fast=1", "--down must be NAME=VALUE,..., NAME one of latency, "),
        ("--script nowhere.json", "nowhere.json"),
        ("--rate -1", "--rate must be from 0 to 60, got -1.0"),
    ],
)
def test_a_mistake_is_one_line(options: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["netlab", "simple_shapes", *options.split()]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"error: {words}") or (words in told and told.count("\n") == 1)
    assert np.char.count(told, "\n") == 1
