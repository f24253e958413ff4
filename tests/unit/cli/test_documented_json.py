"""The listings of docs/json.md against what the commands print: each field printed is listed with its type, each one listed is printed."""

import json
import re
import textwrap
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image, ImageDraw

from benchmarks.measuring import Record
from docs.file_formats import HEADING
from engine.app.headless import BesideReport
from engine.cli import atlas, bench, check, compare, doctor, host, motion, options, replay
from engine.cli.join import _Guest
from engine.cli.main import main
from engine.cli.output import deliver
from engine.compare.motion.verdict import MotionTally
from engine.experiments import engines
from engine.experiments.atlas import Atlas, RuleTiming
from engine.experiments.atlas_plan import AtlasPlan, Axis, Cell
from engine.experiments.references import REFERENCES
from engine.experiments.solvers import bench as bench_of_methods
from engine.experiments.studies import STUDIES
from engine.geometry import Circle
from engine.net import messages as m
from engine.net.client import Client
from engine.net.client_session import ClientSession
from engine.net.limits import Limits
from engine.net.link import LinkSettings
from engine.net.netlab import run as netlab_run
from engine.net.script import Script, load_script
from engine.net.server import Drop, ServerSettings
from engine.net.server_thread import ServerThread
from engine.net.simulated_network import SimulatedConnection, SimulatedServer
from engine.scenes import Scene, save_scene
from engine.sim.actions import CreateBody, as_plain
from engine.sim.comparison import Skipped
from engine.sim.distances import Apart, Why
from engine.sim.figures import Energy
from engine.sim.recordings import load_recording
from engine.sim.recordings.verifying import Verdict
from engine.sim.registry import find_demo
from engine.sim.state_log import Divergence
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[3]
PAIRS = ROOT / "demos" / "pairs"

_KINDS = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
    "object": (dict,),
    "shape": (list,),
    "any": (dict, list, str, float, int, bool, type(None)),
}
_LEAVES = ("object", "shape", "any")
"""Types into which the listings do not look: what is in them is described elsewhere."""


def tables():
    """Return the listings of each section: the types of each path."""
    written, _, _ = (ROOT / "docs" / "json.md").read_text(encoding="utf-8").partition(HEADING)
    sections = re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", written, re.MULTILINE | re.DOTALL)
    listing = re.compile(r"^```\n(.*?)\n```", re.MULTILINE | re.DOTALL)
    return {name: [_table(lines) for lines in listing.findall(text)] for name, text in sections}


def _table(listing):
    """Return the types of each path of a listing. The types that it defines follow its fields, after blank lines."""
    main, *definitions = listing.split("\n\n")
    types = {name: _fields(textwrap.dedent(text)) for name, _, text in (definition.partition("\n") for definition in definitions)}
    table = {}
    for path, kind in _fields(main).items():
        for inner, inner_kind in types.get(kind, {"": kind}).items():
            table[_steps(f"{path}.{inner}")] = tuple(inner_kind.split(" or "))
    return table


def _fields(text):
    """Return the type of each path of lines `name, name: type  meaning`, indented below the object or list that they are in."""
    kinds = {}
    above = []
    for line in text.splitlines():
        names, _, kind = line.strip().partition("  ")[0].partition(": ")
        del above[(len(line) - len(line.lstrip())) // 2 :]
        above.append([f"{parent}.{name}" for parent in (above[-1] if above else [""]) for name in names.split(", ")])
        if kind:
            kinds.update(dict.fromkeys(above[-1], kind))
    return kinds


def _steps(path):
    return tuple(step for step in re.split(r"\.|(\[\])", path) if step)


def leaves(value, table, path=()):
    """Every value with its path that is not an object or a list, or that is empty or not listed further."""
    row = _row_of(path, table)
    if row is not None and set(table[row]) & set(_LEAVES):
        yield path, value
    elif isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from leaves(inner, table, (*path, name))
    elif isinstance(value, list) and value:
        for inner in value:
            yield from leaves(inner, table, (*path, "[]"))
    else:
        yield path, value


def _row_of(path, table):
    """The row of a path: the one with the longest match."""
    rows = [row for row in table if len(row) == len(path) and all(map(_stands_for, row, path))]
    return max(rows, key=lambda row: sum(step[0] != "{" for step in row), default=None)


def _stands_for(step, name):
    return step == name or (step[0] == "{" and name != "[]")


def _leads_to_a_row(path, table):
    return any(len(row) > len(path) and all(map(_stands_for, row, path)) for row in table)


def _read(name):
    return json.loads(Path(name).read_text(encoding="utf-8"))


def _of(*commands):
    """Return a function that yields the JSON that each command writes."""

    def documents(patch):
        for command in commands:
            assert main([*command.split(), "--json", "out.json"]) in (0, 1, 130), command
            yield _read("out.json")

    return documents


def _stepped(patch):
    yield from _of(f"step gjk --pair {PAIRS / 'distance'}.json --beside epa")(patch)


def _quizzed(patch):
    def answer(advice, kind, **settings):
        kind.quiz.made = (kind.quiz.now.answered(0, 1.0), kind.quiz.now.answered(None))

    patch.setattr(options, "open_window", answer)
    yield from _of("step gjk --quiz 3")(patch)


def _run(patch):
    command = "run simple_shapes --steps 3 --set count=2"
    yield from _of(command, f"{command} --against soft_step")(patch)
    apart = Apart(3, 0, 7, 0.5)
    skipped = (Skipped(2, "edit", "body 7 does not exist"),)
    why, energy = Why("contact", "it touched", 3), (Energy(1.0, 2.0), Energy(1.0, 3.0))
    second = BesideReport("box2d", {}, 0.001, apart, why, apart, {(0, 7): "a"}, energy, 1, skipped)
    yield {"against": second.as_json()}


def _replayed(patch):
    assert main(["run", "simple_shapes", "--steps", "3", "--set", "count=2", "--record-inputs", "a.rec"]) == 0
    yield from _of("replay a.rec --headless", "replay a.rec --verify")(patch)
    yield replay._as_json(load_recording("a.rec"), Verdict(2, Divergence(2, ((0, 7),)), 3, 0.1, "another numpy"))


def _hosted(patch):
    yield from _of("host simple_shapes --port 0 --steps 3")(patch)
    as_json = host._as_json

    def with_troubles(server_thread, status):
        server = replace(status.server, users=(m.UserInfo(1, "one"),), troubles=("a fault",))
        return as_json(server_thread, replace(status, server=server, drops=(Drop(1, "one", "a flood"),), recording="the disk is full"))

    patch.setattr(host, "_as_json", with_troubles)
    yield from _of("host simple_shapes --port 0 --steps 3 --record shared.rec")(patch)


def _joined(patch):
    ball = as_plain(CreateBody.of(0, BodySpec((FixtureSpec(Circle(0.3)),))))
    Path("acts.json").write_text(json.dumps({"acts": [{"tick": 0, "action": ball}]}), "utf-8")
    server = SimulatedServer(find_demo("simple_shapes")(0), ServerSettings(limits=Limits(bodies=0)))
    client_session, script = (
        ClientSession(Client("first", server.server.settings.code), SimulatedConnection(server, LinkSettings())),
        Script(load_script("acts.json")),
    )
    guest = _Guest(
        client_session, script, 90, lambda seconds: server.advance(server.now + seconds)
    )  # no clock runs: the answer comes in time
    assert deliver(guest.run({"host": "127.0.0.1", "port": 1234}), "out.json", None) == 0
    yield _read("out.json")
    server_thread = ServerThread(lambda: find_demo("simple_shapes")(0), port=0)
    server_thread.start()

    def has_state():
        """Only a client with the server's state pings it, and its next ping reports the round trip."""
        return any(user.name == "second" and user.ping > 0.0 for user in server_thread.status.server.users)

    ending = threading.Thread(target=lambda: (until(has_state), server_thread.close()))
    ending.start()
    yield from _of(f"join 127.0.0.1:{server_thread.port} --code {server_thread.settings.code} --name second")(patch)
    ending.join()


def _atlas(patch):
    plan = AtlasPlan(Axis("speed", 60.0, 300.0, 2, "log"), Axis("thickness", 0.02, 0.2, 2, "log"), ("discrete",), n_shots=10)
    made = Atlas.of(plan, {Cell("discrete", column, row): (0, 10 * column, 1, 0) for column in (0, 1) for row in (0, 1)})
    yield json.loads(json.dumps(made.as_json("2.3.0")))


def _costs(patch):
    atlas._write_costs(Path(), (RuleTiming("discrete", 1e-4, 1e-3), RuleTiming("swept", 1e-4, None)))
    yield _read(atlas.COST)


def _compared(patch):
    yield from _of("compare --pairs 60 --seed 1 --jobs 1 --timings")(patch)
    with_progress = compare._with_progress
    patch.setattr(compare, "_with_progress", lambda *arguments: (with_progress(*arguments)[0], False))
    yield from _of("compare --pairs 5 --jobs 1 --queries overlap")(patch)


def _checked(patch):
    Path("mine.py").write_text("def collide(a, b):\n    return {'normal': (2.0, 0.0), 'color': 1}\n", encoding="utf-8")
    on_many = check._on_many
    patch.setattr(check, "_on_many", lambda *arguments, **named: (on_many(*arguments, **named)[0], False))
    yield from _of("check mine.py --pairs 30")(patch)


def _moved(patch):
    yield from _of("motion bounce car --steps 20 --every 20")(patch)
    judge_all = motion._judge_all
    patch.setattr(motion, "_judge_all", lambda *arguments: judge_all(*arguments) and False)
    yield from _of("motion pair --steps 1 --every 1")(patch)
    tally = MotionTally(causes=Counter(contacts=1), shared=Counter(skin=1), reasons=Counter(skin=1), not_judged=Counter({"shape": 1}))
    yield {"demos": [{"demo": "one", **tally.as_json()}], "saved": ["a.json"]}


def _judged(patch):
    yield from _of("references off_center --solver soft_step")(patch)
    off_center = REFERENCES["off_center"]

    def interrupted(lab):
        raise KeyboardInterrupt

    patch.setitem(REFERENCES, "cradle", replace(off_center, name="cradle", measure=interrupted))
    yield from _of("references off_center cradle --solver soft_step")(patch)


def _studied(patch):
    yield from _of("studies integrators --quick")(patch)

    def interrupted(quick):
        raise KeyboardInterrupt

    patch.setitem(STUDIES, "integrators", replace(STUDIES["integrators"], measure=interrupted))
    yield from _of("studies integrators --quick")(patch)


def _benched(patch):
    """A method with normal and reduced effort, in a scene with all measurements, and another that Ctrl-C prevents."""
    head = "solvers --solvers soft_step:sub_steps=2 --seconds 0.05 --jobs 1"
    yield from _of(f"{head} --scenes single_box,newtons_cradle,stretched_chain --efforts 1,2 --accuracy 0.5")(patch)
    yield from _of(f"{head} --scenes wedge --efforts 1 --accuracy 0")(patch)
    tried = bench_of_methods.tried

    def interrupted(*arguments):
        yield next(tried(*arguments))
        raise KeyboardInterrupt

    patch.setattr(bench_of_methods, "tried", interrupted)
    yield from _of(f"{head} --scenes single_box,wedge")(patch)


def _on_one_bench(patch):
    rows = {"format": "engine-rows", "version": 1, "engine": "other", "engine_version": "1", "machine": "elsewhere", "cells": []}
    Path("rows.json").write_text(json.dumps(rows), encoding="utf-8")
    head = "engines --engines box2d --jobs 1"
    yield from _of(f"{head} --tests slow,missed --quick --rows rows.json")(patch)
    measure_cell = engines.measure_cell

    def interrupted(task):
        if task.test == "missed":
            raise KeyboardInterrupt
        return measure_cell(task)

    patch.setattr(engines, "measure_cell", interrupted)
    yield from _of(f"{head} --tests slow,missed")(patch)


def _measured(patch):
    def load(name):
        if name == "second":
            raise KeyboardInterrupt
        versions = {"numpy": "2"}
        return lambda quick: [
            Record("a", "us", 1.0, 0.1, "peer", 2.0, 2.0, "", "", versions),
            Record("b", "us", 1.0, 0.1, versions=versions),
        ]

    patch.setattr(bench, "_registry", lambda: SimpleNamespace(BENCHMARKS={"one": "", "second": ""}, LONG=(), load=load))
    yield from _of("bench one", "bench one second")(patch)


def _diagnosed(patch):
    patch.setattr(
        doctor, "findings", lambda: iter((doctor.Finding("Python", "ok", "3"), doctor.Finding("Box2D", "problem", "none", "get it")))
    )
    yield from _of("doctor")(patch)


def _shared(patch):
    command = "netlab simple_shapes --clients 2 --steps 32 --latency 0.05 --rate 10"
    yield from _of(f"{command} --join-at 2")(patch)
    run_experiment = netlab_run.run_experiment

    def cut_off(*arguments):
        finding = run_experiment(*arguments)
        clients = [replace(client, problem="it was dropped") for client in finding.clients]
        return replace(finding, is_whole=False, drops=["user 1: it sends too much"], clients=clients)

    patch.setattr(netlab_run, "run_experiment", cut_off)
    yield from _of("netlab simple_shapes --clients 1 --steps 1 --rate 0")(patch)


SAMPLES = {
    "list": (_of("list"),),
    "run": (_run,),
    "run --pair": (_of(*(f"run --pair {PAIRS / name}.json" for name in ("manifold", "distance", "toi", "contains"))),),
    "replay": (_replayed,),
    "host": (_hosted,),
    "join": (_joined,),
    "fire": (_of("fire --target static,blade"),),
    "atlas": (_atlas, _costs),
    "compare": (_compared,),
    "check": (_checked,),
    "motion": (_moved,),
    "step": (_of("step"), _stepped, _quizzed),
    "trace": (_of("trace ring.png --method hull,aabb"),),
    "scene": (_of("scene scene.json"),),
    "references": (_judged,),
    "solvers": (_benched,),
    "engines": (_on_one_bench,),
    "netlab": (_shared,),
    "studies": (_studied,),
    "bench": (_measured,),
    "doctor": (_diagnosed,),
}


def test_every_section_has_its_samples():
    assert {section: len(rows) for section, rows in tables().items()} == {section: len(made) for section, made in SAMPLES.items()}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Create the folder for the samples' commands: a scene, and a picture of a ring with a speck, which is omitted."""
    monkeypatch.chdir(tmp_path)
    bodies = tuple(BodySpec((FixtureSpec(Circle(0.5)),), position=(float(x), 0.0)) for x in range(2))
    save_scene(tmp_path / "scene.json", Scene(bodies=bodies, joints=(RevoluteJointSpec(0, 1, (0.5, 0.0)),), title="two", notes=("a note",)))
    picture = Image.new("RGBA", (64, 64))
    draw = ImageDraw.Draw(picture)
    draw.ellipse((4, 4, 56, 56), (255, 0, 0, 255))
    draw.ellipse((20, 20, 40, 40), (0, 0, 0, 0))
    draw.point((1, 1), (255, 0, 0, 255))
    picture.save(tmp_path / "ring.png")
    return tmp_path


@pytest.mark.parametrize(("section", "at"), [(section, at) for section, made in SAMPLES.items() for at in range(len(made))])
def test_printed_json_matches_the_documented_fields(section, at, folder, monkeypatch):
    table = tables()[section][at]
    unseen, wrong = set(table), set()
    for document in SAMPLES[section][at](monkeypatch):
        for path, value in leaves(document, table):
            if value in ([], {}, None) and _leads_to_a_row(path, table):  # of what may come in it nothing can be said
                continue
            row = _row_of(path, table)
            if row is None:
                wrong.add(f"{path}: {value!r} is not listed")
                continue
            unseen.discard(row)
            if not isinstance(value, tuple(kind for word in table[row] for kind in _KINDS[word])) or (
                isinstance(value, bool) and not set(table[row]) & {"boolean", "any"}
            ):
                wrong.add(f"{path}: {value!r} is no {' or '.join(table[row])}")
    assert not wrong
    assert not unseen, "listed, and not printed"
