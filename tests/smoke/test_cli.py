"""The command line as a new user sees it, without a display. To save time, commands run in this process where possible."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.cli import start
from engine.cli.main import COMMANDS, main
from engine.sim import registry
from engine.sim.registry import all_demos, find_demo
from tests.waiting import PATIENCE, until

ROOT = Path(__file__).resolve().parents[2]
IDS = [demo.id for demo in all_demos()]


@pytest.fixture(autouse=True)
def no_display(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "FORCE_COLOR", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)


def printed(capsys, *arguments):
    """Return the JSON that a command writes to standard output."""
    assert main([*arguments, "--json", "-"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_each_command_has_help(command, capsys):
    assert main([*command.split(), "--help"]) == 0
    out, err = capsys.readouterr()
    assert "Usage" in out and command in out and err == ""
    assert command or all(name in out for name in COMMANDS)


def test_list_names_the_demos(capsys):
    assert [demo["id"] for demo in printed(capsys, "list")["demos"]] == IDS
    assert {"simple_shapes", "bullet", "nonconvex_characters"} <= set(IDS)
    assert main(["list"]) == 0
    table = capsys.readouterr().out
    assert all(demo.id in table and demo.category in table and demo.title in table for demo in all_demos())


@pytest.mark.parametrize("demo", ["simple_shapes", "pair"])
def test_a_headless_run_agrees_and_is_reproducible(demo, tmp_path, capsys):
    """All demos: tests/unit/app/test_every_demo.py."""
    first = printed(capsys, "run", demo, "--headless", "--steps", "60", "--seed", "1")
    picture, report = tmp_path / "picture.png", tmp_path / "report.json"
    assert main(["run", demo, "--steps", "60", "--seed", "1", "--json", str(report), "--screenshot", str(picture)]) == 0
    second = json.loads(report.read_text(encoding="utf-8"))
    assert first["demo"] == demo and first["agreement"]["unexplained"] == 0 and first["agreement"]["compared"] > 0
    if first["bodies"]:  # a demo without a world has no contacts
        assert first["contacts_begun"] > 0
    first.pop("ms_per_step"), second.pop("ms_per_step")
    assert first == second
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["picture.png", "report.json"]


PAIRS = ROOT / "demos" / "pairs"


@pytest.mark.parametrize("query", ["manifold", "distance", "toi", "ray_cast", "contains"])
def test_a_pair_is_computed_and_drawn_without_a_display(query, tmp_path):
    picture, report = tmp_path / "picture.png", tmp_path / "report.json"
    arguments = ["run", "--pair", str(PAIRS / f"{query}.json"), "--headless", "--screenshot", str(picture), "--json", str(report)]
    assert main(arguments) == 0
    result = json.loads(report.read_text(encoding="utf-8"))
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert result["pair"] == json.loads((PAIRS / f"{query}.json").read_text(encoding="utf-8"))
    assert result["verdict"] in ("agree", "explained") and result["ours"]["words"] and result["box2d"]["words"]


def test_a_local_maximum_is_named(capsys):
    assert main(["run", "--pair", str(PAIRS / "manifold.json"), "--headless"]) == 0
    assert re.search(r"verdict +explained\n +reason +local_maximum\n(?s:.*)ours (?s:.*)Box2D ", capsys.readouterr().out)


def test_a_comparison_has_no_unexplained_difference(capsys):
    said = printed(capsys, "compare", "--pairs", "1000", "--seed", "1", "--queries", "manifold,overlap", "--jobs", "1")
    assert said["unexplained_total"] == 0
    assert set(said["queries"]) == {"manifold", "overlap"} and said["queries"]["manifold"]["pairs"] == 1000
    assert "seconds" not in said["queries"]["manifold"] and "interrupted" not in said


def test_a_comparison_reports_the_time_of_each_part(capsys):
    assert main(["compare", "--pairs", "100", "--queries", "overlap,manifold", "--timings", "--jobs", "1"]) == 0
    output = capsys.readouterr().out
    assert "overlap took: cases" in output


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_an_interrupted_comparison_keeps_its_results(number, tmp_path):
    report = tmp_path / "report.json"
    shown = tmp_path / "shown"
    options = ("--pairs", "100000000", "--queries", "overlap", "--jobs", "2", "--json", str(report), "--report", str(shown))
    with subprocess.Popen(
        [sys.executable, str(ROOT / "main.py"), "compare", *options],
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        try:
            until(lambda: process.poll() is not None or _seconds_worked(_children(process.pid)) > 10.0)
            children = _children(process.pid)
            process.send_signal(number)
            stdout, stderr = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert process.returncode == 130, stderr
    assert len(children) == 2
    assert not any(Path("/proc", child).exists() for child in children)
    said = json.loads(report.read_text(encoding="utf-8"))
    assert said["interrupted"] is True
    assert said["queries"]["overlap"]["pairs"] > 0
    assert f"{said['queries']['overlap']['pairs']:,}" in stdout
    page = (shown / "report.html").read_text(encoding="utf-8")
    assert f"only {said['queries']['overlap']['pairs']:,} of 100,000,000 pairs" in page and page.endswith("</html>\n")
    *waited_for, last = stderr.splitlines()
    assert last.startswith("interrupted after ") and all(line.endswith(" s so far") for line in waited_for)


def _seconds_worked(processes):
    """Return the processor time of processes: loading takes two seconds, and a chunk of overlaps a third of a second."""
    ticks = 0
    for process in processes:
        try:
            ticks += sum(map(int, Path("/proc", process, "stat").read_text().rpartition(")")[2].split()[11:13]))
        except FileNotFoundError:
            continue
    return ticks / os.sysconf("SC_CLK_TCK")


def _children(pid):
    """Return the processes that interpret Python for `pid`, without the one that keeps track of shared memory."""
    children = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            if f"PPid:\t{pid}\n" in status.read_text() and b"spawn_main" in (status.parent / "cmdline").read_bytes():
                children.append(status.parent.name)
        except (FileNotFoundError, ProcessLookupError):
            continue
    return children


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send to one process")
def test_an_interrupted_run_ends_with_130_and_leaves_nothing(tmp_path):
    options = ("--steps", "10000000", "--json", str(tmp_path / "report.json"), "--screenshot", str(tmp_path / "picture.png"))
    begun = tmp_path / "begun"
    program = f"import main, pathlib; pathlib.Path({str(begun)!r}).touch(); raise SystemExit(main.main())"
    with subprocess.Popen(
        [sys.executable, "-c", program, "run", "simple_shapes", *options],
        cwd=ROOT,
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # a job in the background ignores the signal, and so would its children
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        until(lambda: process.poll() is not None or begun.exists())
        time.sleep(0.5)  # somewhere between the first imports and the steps, where that is
        process.send_signal(signal.SIGINT)
        try:
            stdout, stderr = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert process.returncode == 130, stderr
    assert stdout == ""
    *waited_for, last = stderr.splitlines()  # an empty cache of kernels takes longer to fill than a plain line waits
    assert last == "interrupted" and all(line.endswith(" s so far") for line in waited_for), stderr
    assert list(tmp_path.iterdir()) == [begun]


_NOTING = """
import json, sys
import main
from engine.cli import start
from engine.render.fonts import FontBook

words, render = set(), FontBook.render
FontBook.render = lambda book, text, *more, **named: words.add(text) or render(book, text, *more, **named)
start.TOUR_SECONDS = float(sys.argv[2])
status = main.main(json.loads(sys.argv[3]))
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump(sorted(words), file)
raise SystemExit(status)
"""
_TO_COME = re.compile("first time|being loaded|being compiled|not loaded yet|loading the|loading algorithms|waits for our|until all can be")
"""Words in a window about what is still to come."""


def _environment():
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "PYTHONPATH", "FORCE_COLOR")
    return {key: value for key, value in os.environ.items() if key not in hidden}


def _drawn(folder, *arguments, seconds=0.5, **environment):
    """Run a command in a separate process in a folder; return the texts that it drew, and its output."""
    command = [sys.executable, "-c", _NOTING, str(folder / "words.json"), str(seconds), json.dumps(arguments)]
    environment = {**_environment(), "PYTHONPATH": str(ROOT), **environment}
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=10.0 * PATIENCE, check=False)
    assert ran.returncode == 0, f"status {ran.returncode}\n{ran.stdout}\n{ran.stderr}"
    return json.loads((folder / "words.json").read_text(encoding="utf-8")), ran


@pytest.fixture
def two_demos(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    demos = (find_demo("bounce"), find_demo("simple_shapes"))
    monkeypatch.setattr(registry, "all_demos", lambda: demos)
    monkeypatch.setattr(start, "TOUR_SECONDS", 0.1)
    return [demo.id for demo in demos]


def test_without_a_display_there_is_a_tour(two_demos, capsys):
    assert main([]) == 0
    output = capsys.readouterr().out
    assert output.startswith("No display (") and all(demo in output for demo in two_demos)
    assert sorted(path.name for path in Path("out").iterdir()) == [f"{demo}.png" for demo in two_demos]


@pytest.mark.slow
@pytest.mark.parametrize(("seconds", "is_cold"), [(5.0, False), (0.5, True)])
def test_the_tour_has_all_demos(seconds, is_cold, tmp_path):
    """No picture shows a loading message, even if nothing has been compiled yet (issue 29)."""
    words, _ = _drawn(tmp_path, seconds=seconds, **({"NUMBA_CACHE_DIR": str(tmp_path / "kernels")} if is_cold else {}))
    assert len(words) > 500 and [word for word in words if _TO_COME.search(word)] == []
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(f"{demo}.png" for demo in IDS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("run", "bullet", "--steps", "60", "--screenshot", "a.png"),
        ("run", "broadphase", "--steps", "2", "--record", "a.gif"),
        ("run", "stepper", "--steps", "2", "--screenshot", "a.png"),
        ("run", "pair", "--steps", "2", "--screenshot", "a.png"),
        ("run", "promise_thin_bodies", "--steps", "2", "--screenshot", "a.png", "--solver", "soft_step"),
        ("step", "gjk", "--screenshot", "a.png"),
    ],
    ids=lambda command: command[1],
)
def test_pictures_show_no_loading_message(command, tmp_path):
    words, _ = _drawn(tmp_path, *command, NUMBA_CACHE_DIR=str(tmp_path / "kernels"))
    assert words and [word for word in words if _TO_COME.search(word)] == []


def test_the_doctor_finds_no_problem_on_this_machine(capsys):
    said = printed(capsys, "doctor")
    assert said["healthy"] is True
    assert all(finding["advice"] for finding in said["findings"] if finding["state"] != "ok")
    assert {"Python", "packages", "Box2D works", "display", "numba cache"} <= {finding["what"] for finding in said["findings"]}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device to write to")
def test_unwritable_output_is_reported_in_one_line():
    with open("/dev/full", "w") as full:
        run = subprocess.run(
            [sys.executable, str(ROOT / "main.py"), "list"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False
        )
    assert run.returncode == 2 and run.stderr.count("\n") == 1 and "No space left" in run.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="pipes close differently on Windows")
def test_a_closed_pipe_is_not_a_failure():
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, str(ROOT / "main.py"), "list"], stdout=pipe, stderr=pipe) as command:
        assert command.stdout is not None and command.stderr is not None
        command.stdout.close()
        assert command.stderr.read() == b""
    assert command.returncode == 0
