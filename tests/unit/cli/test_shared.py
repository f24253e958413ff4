"""host and join: processes that share a world agree; mistakes are one line; each kind of end has a message and a status."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.cli.join import _Guest
from engine.cli.main import main
from engine.cli.output import deliver
from engine.geometry import Circle, Polygon
from engine.net.client import Client
from engine.net.client_session import ClientSession
from engine.net.limits import Limits
from engine.net.link import LinkSettings
from engine.net.script import Script, load_script
from engine.net.server import Server, ServerSettings
from engine.net.simulated_network import SimulatedConnection, SimulatedServer
from engine.scenes import Scene, save_scene
from engine.sim.actions import CreateBody, DestroyBody, Drag, Grab, Pause, SetSpeed, as_plain
from engine.sim.registry import find_demo
from engine.world import BodySpec, FixtureSpec
from tests.waiting import PATIENCE, until

ROOT = Path(__file__).resolve().parents[3]
BALL = CreateBody.of(0, BodySpec((FixtureSpec(Circle(0.3)),)))
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path):
    """Start a command in a separate process."""
    began = []

    def start_process(*arguments):
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        error = (tmp_path / f"error{len(began)}").open("w+")
        command = [sys.executable, str(ROOT / "main.py"), *arguments]
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=error, text=True)
        process.error = error
        began.append(process)
        return process

    yield start_process
    for process in began:
        process.kill()
        process.wait(PATIENCE)
        process.error.close()


def _stderr_of(process):
    """Return a process's output on standard error so far."""
    return Path(process.error.name).read_text("utf-8")


def _invitation(server):
    """Return the arguments with which others join: the address and the code."""
    match = until(lambda: re.search(r"join (\S+) --code (\S+)", _stderr_of(server)) or server.poll())
    assert isinstance(match, re.Match), _stderr_of(server)
    return match[1], "--code", match[2]


def _read(path):
    report = json.loads(path.read_text("utf-8"))
    return report


@pytest.mark.slow
@pytest.mark.parametrize("scene", ["simple_shapes", "scene.json"])
def test_processes_sharing_a_world_agree(scene, start, tmp_path):
    ground = BodySpec((FixtureSpec(Polygon.box(10.0, 0.5)),), type="static")
    balls = [BodySpec((FixtureSpec(Circle(0.4), density=1.0),), position=(k - 3.0, 4.0)) for k in range(6)]
    save_scene(tmp_path / "scene.json", Scene(bodies=(ground, *balls)))
    acts = [{"tick": 90, "action": as_plain(SetSpeed(0.5))}, {"tick": 100, "action": as_plain(SetSpeed(1.0))}]
    acts += [{"tick": 600 + 20 * k, "action": as_plain(Grab((0.5 * k - 4.0, 0.2 * k)))} for k in range(40)]
    acts += [{"tick": 610 + 20 * k, "action": as_plain(Drag((4.0 - 0.5 * k, 6.0)))} for k in range(40)]
    (tmp_path / "acts.json").write_text(json.dumps({"acts": acts}), "utf-8")
    server = start("host", scene, "--port", "0", "--steps", "1800", "--json", "server.json", "--record", "it.rec")
    invitation = _invitation(server)
    guests = [start("join", *invitation, "--name", name, "--script", "acts.json", "--json", f"{name}.json") for name in ("ann", "bob")]
    assert [process.wait(PATIENCE) for process in (server, *guests)] == [0, 0, 0], [_stderr_of(process) for process in (server, *guests)]
    hosted, *joined = (_read(tmp_path / f"{name}.json") for name in ("server", "ann", "bob"))
    assert [report["keyframe"] for report in (hosted, *joined)] == [1800, 1800, 1800]
    assert len({report["state_hash"] for report in (hosted, *joined)}) == 1
    assert [report["adopted_keyframes"] for report in joined] == [0, 0] and sorted(hosted["users"]) == ["ann", "bob"]
    assert all(report["ended"] == "the server has finished its 1800 steps" for report in joined) and hosted["drops"] == []
    verified = start("replay", "it.rec", "--verify", "--json", "replay.json")
    assert verified.wait(PATIENCE) == 0
    replayed = _read(tmp_path / "replay.json")
    assert replayed["verified"]["same"] is True and replayed["inputs"] > 100


@pytest.mark.slow
def test_a_server_that_is_interrupted_is_reported(start, tmp_path):
    server = start("host", "bridge", "--port", "0", "--headless", "--json", "server.json")
    invitation = _invitation(server)
    guest = start("join", *invitation, "--name", "ann", "--headless", "--json", "ann.json")
    until(lambda: f"joined {invitation[0]}" in _stderr_of(guest))
    until(lambda: "ann joined" in _stderr_of(server))
    assert start("join", invitation[0], "--code", "other", "--steps", "5").wait(PATIENCE) == 2
    until(lambda: "wrong join code" in _stderr_of(server))
    server.send_signal(signal.SIGINT)
    assert server.wait(PATIENCE) == 130 and re.search(r"stopped after [\d,]+ steps", _stderr_of(server))
    assert guest.wait(PATIENCE) == 0 and "the server was stopped" in _stderr_of(guest)
    hosted, joined = _read(tmp_path / "server.json"), _read(tmp_path / "ann.json")
    assert joined["ended"] == "the server was stopped" and hosted["drops"][0]["reason"] == "wrong join code"
    if joined["keyframe"] == hosted["keyframe"]:
        assert joined["state_hash"] == hosted["state_hash"]


def test_a_failing_host_still_writes_its_result(tmp_path, monkeypatch, capsys):
    """Issue 29: the world survives the loss of the server."""
    advance = Server.advance

    def fail(server, now):
        if server.simulation.now > 3:
            raise KeyError("a bug")
        return advance(server, now)

    monkeypatch.setattr(Server, "advance", fail)
    assert main(["host", "simple_shapes", "--port", "0", "--headless", "--json", str(tmp_path / "it.json")]) == 2
    assert "error: the server failed: 'a bug'" in capsys.readouterr().err
    document = _read(tmp_path / "it.json")
    assert document["troubles"] == ["the server failed: 'a bug'"] and document["steps"] > 3


class _LocalLine(SimulatedConnection):
    """A connection to a server in this process, and its result once the server is killed: `after` is its state when it is tried again."""

    after = ""

    def open(self):
        super().open()
        if self.after == "closed":
            self.close(f"nothing listens at {self.address}")
        elif self.after:
            self.state = self.after

    def receive(self):
        return [] if self.after else super().receive()


@pytest.mark.parametrize("after", ["closed", "connecting", "open"], ids=["nothing listens", "no answer", "silence"])
def test_a_guest_of_a_killed_host_gives_up_within_ten_seconds(after, tmp_path):
    """Issue 29: a client endlessly retried a port on which nothing listened. There is no real clock here: each sleep advances a frame."""
    server = SimulatedServer(find_demo("simple_shapes")(0, {"count": 4}))
    line = _LocalLine(server, LinkSettings())
    session = ClientSession(Client("ann", server.server.settings.code), line)
    killed_at = 0.0

    def sleep(seconds):
        nonlocal killed_at
        server.advance(server.now + 2.0 * seconds)  # a busy machine
        if server.now > 2.0 and not line.after:
            killed_at, line.after = server.now, after
            line.close("the connection broke off")
        assert server.now < 60.0, "it goes on for ever"

    assert deliver(_Guest(session, Script(()), None, sleep).run({}), str(tmp_path / "it.json"), None) == 1
    assert killed_at > 0.0 and 7.0 < server.now - killed_at < 9.0
    document = _read(tmp_path / "it.json")
    assert document["breaks"] >= 1 and document["last_step"] > 60 and document["ended"]


def test_a_rejoining_guest_gets_ten_new_seconds():
    server = SimulatedServer(find_demo("simple_shapes")(0, {"count": 4}))
    line = SimulatedConnection(server, LinkSettings())
    session = ClientSession(Client("ann", server.server.settings.code), line)
    for n in (1, 2):
        while not session.client.is_joined:
            server.advance(server.now + 0.02)
            session.advance(server.now)
        assert session.disconnected_since is None
        line.close("the connection broke off")
        session.advance(server.now)
        assert session.disconnected_since == server.now and session.n_disconnects == n
        while session.disconnected_since is not None:
            assert server.now - session.disconnected_since < 5.0
            server.advance(server.now + 0.02)
            session.advance(server.now)


def test_ignored_script_entries_are_reported(tmp_path, capsys):
    acts = [as_plain(action) for action in (BALL, BALL, DestroyBody(0, 9999), Pause(True))]
    (tmp_path / "acts.json").write_text(json.dumps({"acts": [{"tick": 0, "action": act} for act in acts]}), "utf-8")
    server = SimulatedServer(find_demo("simple_shapes")(0, {"count": 4}), ServerSettings(limits=Limits(bodies=0)))
    guest = _Guest(
        ClientSession(Client("ann", server.server.settings.code), SimulatedConnection(server, LinkSettings())),
        Script(load_script(str(tmp_path / "acts.json"))),
        60,
        lambda seconds: server.advance(server.now + 2.0 * seconds),  # no clock runs here: a step may take as long as it likes
    )
    assert deliver(guest.run({}), str(tmp_path / "it.json"), None) == 0
    output, document = capsys.readouterr(), _read(tmp_path / "it.json")
    assert (document["denied_inputs"], document["failed_inputs"]) == (2, 1)
    assert document["denials"] == ["a user may have at most 0 bodies here"] * 2
    assert document["adopted_keyframes"] == 0, "what was denied is taken back"
    assert re.search(r"denied inputs +2\n.*a user may have at most 0 bodies here.*\n +failed inputs +1\n", output.out)
