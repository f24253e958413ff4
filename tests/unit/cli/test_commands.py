"""The command line as a whole: what it refuses before any work, what it makes of signals, and what a full disk costs."""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from benchmarks.registry import BENCHMARKS
from engine import __version__
from engine.cli import bench, doctor
from engine.cli import main as cli
from engine.cli.bench import NAMES
from engine.cli.main import main, terminating_as_interrupting
from engine.cli.options import listed
from engine.common.errors import InvalidInputError
from engine.common.files import write_atomically
from engine.geometry import Circle
from engine.render import palette
from engine.scenes import Scene, save_scene
from engine.world import BodySpec, FixtureSpec


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scene whose title is no markup of a terminal."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "scene.json"
    save_scene(path, Scene(bodies=(BodySpec((FixtureSpec(Circle(0.5)),)),), title="a[/b] [bold]c"))
    return path


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--theme light list", "--theme must be given after the command (list), if it has that option, got 'light'"),
        ("--ui-scale 2 run bullet", "--ui-scale must be given after the command (run), if it has that option, got 2.0"),
        ("run bullet --csv-states a.csv --json a.csv", "--csv-states must be a different file from --json"),
        ("check mine.py --report out --json out/report.html", "--json must be a different file from --report"),
        ("scene scene.json --pixels-per-metre 9", "--pixels-per-metre must be omitted for a file in meters, got 9.0"),
        ("run bounce --solver newton", "--solver must be one of box2d, soft_step"),
        ("run bounce --against sof_step --headless", "--against must be one of box2d, soft_step"),
        ("replay a.rec --theme blue", "--theme must be dark or light, got 'blue'"),
        ("run a.rec", "ID|FILE must be a demo or a scene file (to play a recording: replay a.rec), got 'a.rec'"),
        ("run mine.py", "ID|FILE must be a file with one demo, a class derived from Demo under @register(...)"),
        ("fire --target static,", "--target must be a list of static, dynamic, kinematic,"),
        ("fire --angle 79 --jitter-angle 9 --shots 9", "--angle must be from -80 to 80 degrees, jitter included, got"),
        ("fire --speed 1e-9", "--speed must be 0 or at least 6e-07 m/s (1e-08 m per step), got 1e-09"),
        ("atlas --target blade", "--target must be one of static, kinematic, dynamic, sensor, head_on, got 'blade'"),
        ("atlas --x angle=-90:90:3", "--x: angle must be from -80 to 80 degrees, got -90.0"),
        ("bench manifolt", "NAMES must be one of manifold, overlap,"),
    ],
)
def test_a_mistake_is_one_line_and_costs_no_file(arguments: str, told: str, scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (scene.parent / "mine.py").write_text("def collide(a, b): return None\n", encoding="utf-8")
    before = {path: path.read_bytes() for path in scene.parent.iterdir()}
    assert main(arguments.split()) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.startswith(f"error: {told}") and captured.err.count("\n") == 1
    assert {path: path.read_bytes() for path in scene.parent.iterdir() if path.is_file()} == before


def test_a_list_of_words_is_read_in_one_way() -> None:
    known = ("off", "on")
    assert listed("--ccd", "on, off,on", known) == ("on", "off")
    assert listed("--ccd", "all", known) == known
    assert listed("--ccd", "on,both", known, {"both": known}) == ("on", "off")
    for given, told in (("", "got ''"), ("on,,off", "got '' in 'on,,off'"), ("onn", r"\(did you mean on\?\), got 'onn'")):
        with pytest.raises(InvalidInputError, match=told):
            listed("--ccd", given, known)


def test_a_title_is_printed_as_it_stands(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", scene.name, "--steps", "2", "--record-inputs", "a.rec"]) == 0
    assert capsys.readouterr().out.startswith("a[/b] [bold]c, 2 steps")
    assert main(["replay", "a.rec", "--headless"]) == 0
    assert capsys.readouterr().out.startswith("a[/b] [bold]c, recorded")


def test_a_headless_run_tells_the_readout(capsys: pytest.CaptureFixture[str]) -> None:
    run = ["run", "pair", "--steps", "2"]
    assert main([*run, "--json", "-"]) == 0
    readout = json.loads(capsys.readouterr().out)["readout"]
    assert readout and all(isinstance(line, str) and line for line in readout)
    assert main(run) == 0
    told = capsys.readouterr().out
    assert all(line in told for line in readout)


def test_a_recording_is_pictured_in_the_theme_asked_for(scene: Path) -> None:
    assert main(["run", scene.name, "--steps", "1", "--record-inputs", "a.rec"]) == 0
    try:
        assert main(["replay", "a.rec", "--theme", "light", "--screenshot", "light.png"]) == 0
        assert main(["replay", "a.rec", "--theme", "dark", "--screenshot", "dark.png"]) == 0
    finally:
        palette.use_theme("dark")
    assert (scene.parent / "light.png").read_bytes() != (scene.parent / "dark.png").read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals to send to itself")
@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP"])
def test_a_request_to_terminate_is_ctrl_c(number: str) -> None:
    which = getattr(signal, number)
    before = signal.signal(which, signal.SIG_DFL)  # under nohup it is ignored, and would stay so
    try:
        with pytest.raises(KeyboardInterrupt), terminating_as_interrupting():
            os.kill(os.getpid(), which)
            signal.sigtimedwait([], 5.0)  # at the latest here it has come
        assert signal.getsignal(which) is signal.SIG_DFL
    finally:
        signal.signal(which, before)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals to send to itself")
def test_a_signal_that_is_to_be_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with terminating_as_interrupting():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(errno.EFBIG, "File too large", "a.json"), "a.json: File too large"),
        (OSError("the picture was not made"), "system error: the picture was not made"),
        (FileNotFoundError(errno.ENOENT, "No usable temporary directory"), "system error: No usable temporary directory"),
    ],
)
def test_what_the_system_refuses_is_one_line(
    error: OSError, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> NoReturn:
        raise error

    monkeypatch.setattr(cli, "_app", fail)
    assert main([]) == 2
    assert capsys.readouterr().err == f"error: {told}\n"


def test_a_write_that_finds_no_room_names_the_file_that_was_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left") as refused:
        write_atomically(tmp_path / "a.json", b"{}")
    assert refused.value.filename == str(tmp_path / "a.json")
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_keeps_what_was_measured(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    record = SimpleNamespace(
        name="one",
        ours=2.0,
        unit="us",
        peer=None,
        ratio=None,
        spread=0.1,
        note="",
        machine="here",
        versions={},
        as_json=lambda: {"name": "one"},
    )

    def load(name: str) -> Any:
        if name == "second":
            raise KeyboardInterrupt
        return lambda quick: [record]

    known = {"first": "", "second": ""}
    monkeypatch.setattr(bench, "_registry", lambda: SimpleNamespace(BENCHMARKS=known, COLD=frozenset(), LONG=(), load=load))
    monkeypatch.setattr("engine.query.warm_up", lambda: None)
    assert main(["bench", "--json", "-"]) == 130
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {"quick": False, "records": [{"name": "one"}], "interrupted": True}
    assert captured.err == "interrupted after 1 of 2 benchmarks\n"


def test_the_doctor_prints_brackets_and_survives_a_test_that_babbles(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor.subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=0, stdout="hello", stderr=""))
    (finding,) = list(doctor._box2d())
    assert finding.state == "problem" and finding.advice
    monkeypatch.setattr(doctor, "findings", lambda: iter([doctor.Finding("cache", "note", "in /tmp/[a]/b", "see [c]")]))
    assert main(["doctor"]) == 0
    printed = capsys.readouterr().out
    assert "in /tmp/[a]/b" in printed and "-> see [c]" in printed


def test_the_help_of_bench_names_all_there_are() -> None:
    assert NAMES.split(", ") == list(BENCHMARKS)


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"collision laboratory {__version__}\n"
