"""The command ``check`` from a shell."""

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from engine.cli.main import main
from tests.waiting import PATIENCE, until

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


def checked(capsys, *arguments, status):
    assert main(["check", *arguments, "--json", "-"]) == status
    captured = capsys.readouterr()
    assert captured.err == ""
    report = json.loads(captured.out)
    return report


@pytest.mark.parametrize(("name", "status"), [("correct", 0), ("no_normalizing", 1)])
def test_the_examples(name, status, capsys):
    report = checked(capsys, f"{EXAMPLES / name}.py:collide", "--pairs", "400", status=status)
    (file,) = report["files"]
    assert file["pairs"] == file["right"] + file["wrong"] == 400
    assert (file["wrong"] == 0) == (status == 0)
    assert set(file["first"]) == set(file["kinds"])
    for kind in file["first"].values():
        assert kind["smallest"]["fails_alone"]
        assert kind["command"].startswith("python main.py check ")


def test_a_report_and_the_commands_in_it(tmp_path, capsys):
    folder = tmp_path / "out"
    target = str(EXAMPLES / "vertices_only.py")
    assert main(["check", target, "--pairs", "500", "--report", str(folder)]) == 1
    printed = capsys.readouterr().out
    assert "missed overlap" in printed and "docs/algorithms/sat.md" in printed
    stem = "vertices_only-collide-missed_overlap"
    assert sorted(path.name for path in folder.iterdir()) == ["report.html", f"{stem}.html", f"{stem}.json", f"{stem}.png"]
    page = (folder / "report.html").read_text("utf-8")
    assert "data:image/png;base64," in page and "missed overlap" in page
    pair = str(folder / f"{stem}.json")
    assert f"--pair {pair}" in printed.replace("\n", " ")
    assert checked(capsys, target, "--pair", pair, status=1)["files"][0]["kinds"] == {"missed_overlap": 1}
    assert checked(capsys, str(EXAMPLES / "correct.py"), "--pair", pair, status=0)["files"][0]["right"] == 1


def test_a_folder_gets_a_line_for_each_file(tmp_path, capsys):
    bodies = {
        "fine": f"import sys\nsys.path.append({str(EXAMPLES)!r})\nfrom correct import collide",
        "never": "def collide(a, b): return None",
        "broken": "def collide(a, b) return",
        "other": "def answer(a, b): pass",
        "gone": "import os\ndef collide(a, b): os._exit(1)",
    }
    for name, body in bodies.items():
        (tmp_path / f"{name}.py").write_text(body, encoding="utf-8")
    files = checked(capsys, str(tmp_path), "--pairs", "200", status=1)["files"]
    verdicts = {Path(file["file"]).stem: file["verdict"] for file in files}
    assert verdicts == {"broken": "not loaded", "fine": "right", "gone": "gave up", "never": "wrong", "other": "not loaded"}
    assert main(["check", f"{tmp_path}:answer", "--pairs", "100"]) == 1
    table = capsys.readouterr().out
    assert table.count("not loaded") == 4
    assert "no function answer; there is collide" in table


def test_ctrl_c_prints_the_results_so_far(tmp_path):
    path, calls = tmp_path / "slow.py", tmp_path / "calls"
    body = f"import time\ndef collide(a, b):\n    time.sleep(0.002)\n    open({str(calls)!r}, 'a').write('x')\n"
    path.write_text(body, encoding="utf-8")
    command = [sys.executable, str(ROOT / "main.py"), "check", str(path), "--pairs", "1000000", "--json", str(tmp_path / "found.json")]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    pipe = subprocess.PIPE
    heeding = partial(signal.signal, signal.SIGINT, signal.default_int_handler)  # a job in the background would not, nor its children
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=tmp_path, env=environment, preexec_fn=heeding) as process:
        try:
            until(lambda: process.poll() is not None or (calls.exists() and calls.stat().st_size > 200))
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert process.returncode == 130, (out, err)
    assert "missed overlap" in out
    report = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert report["interrupted"] is True and report["files"][0]["kinds"]["missed_overlap"] > 0
    *progress, last = err.splitlines()  # a busy machine says from the fifth second on what it is at
    assert last.startswith("interrupted after ") and all(line.endswith(" so far") for line in progress)
