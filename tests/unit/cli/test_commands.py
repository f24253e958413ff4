"""The command line as a whole: early rejection of input, signals, and full disks."""

import errno
import json
import os
import signal
import sys
from types import SimpleNamespace

import pytest

from benchmarks.measuring import Record
from benchmarks.registry import BENCHMARKS
from engine import __version__
from engine.cli import bench
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
def scene(tmp_path, monkeypatch):
    """A scene whose title looks like terminal markup."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "scene.json"
    save_scene(path, Scene(bodies=(BodySpec((FixtureSpec(Circle(0.5)),)),), title="a[/b] [bold]c"))
    return path


def test_lists_of_words_are_parsed_consistently():
    known = ("off", "on")
    assert listed("--ccd", "on, off,on", known) == ("on", "off")
    assert listed("--ccd", "all", known) == known
    assert listed("--ccd", "on,both", known, {"both": known}) == ("on", "off")
    for text, message in (("", "got ''"), ("on,,off", "got '' in 'on,,off'"), ("onn", r"\(did you mean on\?\), got 'onn'")):
        with pytest.raises(InvalidInputError, match=message):
            listed("--ccd", text, known)


def test_a_title_is_printed_unchanged(scene, capsys):
    assert main(["run", scene.name, "--steps", "2", "--record-inputs", "a.rec"]) == 0
    assert capsys.readouterr().out.startswith("a[/b] [bold]c, 2 steps")
    assert main(["replay", "a.rec", "--headless"]) == 0
    assert capsys.readouterr().out.startswith("a[/b] [bold]c, recorded")


def test_a_headless_run_prints_the_readout(capsys):
    run = ["run", "pair", "--steps", "2"]
    assert main([*run, "--json", "-"]) == 0
    readout = json.loads(capsys.readouterr().out)["readout"]
    assert readout and all(isinstance(line, str) and line for line in readout)
    assert main(run) == 0
    output = capsys.readouterr().out
    assert all(line in output for line in readout)


def test_a_picture_of_a_recording_uses_the_requested_theme(scene):
    assert main(["run", scene.name, "--steps", "1", "--record-inputs", "a.rec"]) == 0
    try:
        assert main(["replay", "a.rec", "--theme", "light", "--screenshot", "light.png"]) == 0
        assert main(["replay", "a.rec", "--theme", "dark", "--screenshot", "dark.png"]) == 0
    finally:
        palette.use_theme("dark")
    assert (scene.parent / "light.png").read_bytes() != (scene.parent / "dark.png").read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals to send to itself")
@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP"])
def test_sigterm_acts_like_ctrl_c(number):
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
def test_ignored_signals_stay_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with terminating_as_interrupting():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(errno.EFBIG, "File too large", "a.json"), "a.json: File too large"),
        (OSError("the picture was not made"), "system error: the picture was not made"),
        (FileNotFoundError(errno.ENOENT, "No usable temporary directory"), "system error: No usable temporary directory"),
    ],
)
def test_system_errors_are_reported_in_one_line(error, message, monkeypatch, capsys):
    def fail(*_):
        raise error

    monkeypatch.setattr(cli, "_app", fail)
    assert main([]) == 2
    assert capsys.readouterr().err == f"error: {message}\n"


def test_a_write_to_a_full_disk_names_the_file(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left") as refused:
        write_atomically(tmp_path / "a.json", b"{}")
    assert refused.value.filename == str(tmp_path / "a.json")
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_keeps_the_measurements_so_far(monkeypatch, capsys):
    def load(name):
        if name == "second":
            raise KeyboardInterrupt
        return lambda quick: [Record("one", "us", 2.0, 0.1)]

    known = {"first": "", "second": ""}
    monkeypatch.setattr(bench, "_registry", lambda: SimpleNamespace(BENCHMARKS=known, LONG=(), load=load))
    assert main(["bench", "--json", "-"]) == 130
    captured = capsys.readouterr()
    report = json.loads(captured.out)
    assert [row["name"] for row in report["records"]] == ["one"] and report["interrupted"] is True and report["quick"] is False
    assert captured.err == "interrupted after 1 of 2 benchmarks\n"


def test_the_help_of_bench_names_all_benchmarks():
    assert NAMES.split(", ") == list(BENCHMARKS)


def test_the_version_is_printed(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"collision laboratory {__version__}\n"
