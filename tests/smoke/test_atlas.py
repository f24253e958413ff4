"""The command ``atlas`` from a shell: its files, which an interrupted one does not write."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
SMALL = ("atlas", "--x", "speed=20:200:4", "--y", "thickness=0.02:0.5:3", "--rule", "discrete,bullet", "--shots", "40", "--seed", "2")
N_CELLS = 24
SAME = ("atlas.json", "bullet.csv", "bullet.png", "discrete.csv", "discrete.png")
"""Files that depend on nothing but the plan."""


def contents(directory):
    return {name: (directory / name).read_bytes() for name in SAME}


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    """The small atlas, computed by one process without interruption."""
    directory = tmp_path_factory.mktemp("whole")
    assert main([*SMALL, "--jobs", "1", "--out", str(directory)]) == 0
    return directory


def test_it_writes_a_picture_and_a_table_for_each_rule_and_one_json(complete):
    assert sorted(path.name for path in complete.iterdir()) == sorted((*SAME, "cost.json"))
    assert (complete / "discrete.png").read_bytes().startswith(b"\x89PNG")
    report = json.loads((complete / "atlas.json").read_text())
    assert (report["box2d"], report["seed"], report["shots"], report["target"]) == ("2.3.0", 2, 40, "static")
    assert report["x"]["parameter"] == "speed" and len(report["x"]["values"]) == 4
    assert report["fixed"] == {"radius": 0.05, "hertz": 60.0, "angle": 0.0, "restitution": 0.0}
    for rule in ("discrete", "bullet"):
        assert [len(row) for row in report["maps"][rule]["tunneled"]] == [4] * 3
        assert sum(map(sum, report["maps"][rule]["surprises"])) == 0
    assert max(map(max, report["maps"]["bullet"]["tunneled"])) == 0
    assert max(map(max, report["maps"]["discrete"]["tunneled"])) > 32
    rows = list(csv.DictReader((complete / "discrete.csv").read_text().splitlines()))
    assert len(rows) == 12
    assert float(rows[6]["tunneled"]) == report["maps"]["discrete"]["tunneled"][1][2] / 40
    costs = json.loads((complete / "cost.json").read_text())
    assert [cost["rule"] for cost in costs] == ["discrete", "bullet"] and all(cost["ms_per_step"] > 0.0 for cost in costs)


@pytest.mark.slow
def test_two_processes_write_the_same_files(complete, tmp_path):
    assert main([*SMALL, "--jobs", "2", "--out", str(tmp_path)]) == 0
    assert contents(tmp_path) == contents(complete)


def test_an_interrupted_atlas_writes_nothing(tmp_path, capsys, monkeypatch):
    def stop(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("engine.experiments.atlas.fire_cell", stop)
    assert main([*SMALL, "--jobs", "1", "--out", str(tmp_path)]) == 130
    assert f"interrupted after 0 of {N_CELLS} cells" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_map_that_the_law_does_not_fit_has_status_1(tmp_path, capsys):
    """Square bullets that arrive corner first are rotated and keep part of their speed, which the law does not include."""
    arguments = (
        "--x",
        "speed=60:120:2",
        "--y",
        "angle=15:25:2",
        "--shape",
        "box",
        "--radius",
        "0.3",
        "--rule",
        "discrete",
        "--shots",
        "400",
    )
    assert main(["atlas", *arguments, "--jobs", "1", "--out", str(tmp_path)]) == 1
    assert "; turned" in capsys.readouterr().out
    discrete = json.loads((tmp_path / "atlas.json").read_text())["maps"]["discrete"]
    assert {outlier["reason"] for outlier in discrete["outliers"]} == {"turned"}


def test_the_program_starts_without_matplotlib():
    modules = "engine.cli.main, engine.cli.atlas, engine.experiments.atlas"
    code = f"import sys; import {modules}; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
