"""The command ``fire`` from a shell."""

import json
import math
import re

import pygame
import pytest

from demos.bullet import TARGETS as CHOICES
from engine.cli.main import main
from engine.experiments.spec import RULES, TARGETS

RUN_KEYS = {"ccd", "target", "hertz", "speed", "thickness", "radius", "tunneled_share", "shots"}
SHOT_KEYS = {"hit", "tunneled", "stopped_at", "impact_time_box2d", "impact_point", "predicted_tunnels"}
"""Promised; there may be more."""


def fired(capsys, *arguments):
    assert main(["fire", *arguments, "--json", "-"]) == 0
    report = json.loads(capsys.readouterr().out)
    return report


def test_both_targets_tunnel_without_ccd_and_stop_with_it(capsys):
    report = fired(capsys, "--ccd", "both", "--speed", "110", "--thickness", "0.05", "--target", "static,dynamic")
    assert set(report) == {"seed", "box2d", "runs"}
    assert report["box2d"] == "2.3.0"
    assert {(run["ccd"], run["target"]) for run in report["runs"]} == {(c, t) for c in ("off", "on") for t in ("static", "dynamic")}
    for run in report["runs"]:
        assert set(run) >= RUN_KEYS | {"rule"}
        (shot,) = run["shots"]
        assert set(shot) >= SHOT_KEYS
        assert shot["tunneled"] == shot["predicted_tunnels"] == (run["ccd"] == "off")
        assert (shot["stopped_at"] is not None) == (run["ccd"] == "on")
        assert run["tunneled_share"] == (1.0 if run["ccd"] == "off" else 0.0)


def test_shots_depend_only_on_the_seed(capsys):
    arguments = ("--speed", "60", "--thickness", "0.3", "--shots", "20", "--ccd", "off", "--target", "static")
    first, again, other = (fired(capsys, *arguments, "--seed", seed) for seed in ("7", "7", "8"))
    assert first == again
    assert first["runs"][0]["shots"] != other["runs"][0]["shots"]


def test_output_is_a_table_or_json(capsys, tmp_path):
    target, picture = tmp_path / "shots.json", tmp_path / "shots.png"
    assert main(["fire", "--speed", "300", "--json", str(target), "--screenshot", str(picture)]) == 0
    printed = capsys.readouterr().out
    assert "tunneled: the wall lay between step 2" in printed
    assert "Box2D limits speeds, to 2 m per step in version 2.3" in printed
    assert json.loads(target.read_text())["runs"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["shots.json", "shots.png"]


def test_both_solvers_at_every_target(capsys):
    runs = fired(capsys, "--solver", "both", "--rule", "discrete,bullet", "--target", "all", "--shots", "2")["runs"]
    assert [run["solver"] for run in runs] == len(TARGETS) * (["box2d"] * 2 + ["soft_step"] * 2)
    ours = [run for run in runs if run["solver"] == "soft_step" and run["rule"] == "bullet"]
    assert all(run["hit_share"] == 1.0 and run["tunneled_share"] == float(run["target"] == "sensor") for run in ours)
    assert all(shot["impact_time_box2d"] is None for run in ours for shot in run["shots"])


def test_every_rule_at_every_target_in_every_form(capsys, tmp_path):
    picture = tmp_path / "shots.png"
    options = f"--rule all --target all --target-speed 20 --shots 2 --screenshot {picture}"
    report = fired(capsys, *options.split())
    assert {(run["target"], run["rule"]) for run in report["runs"]} == {(target, rule) for target in TARGETS for rule in RULES}
    assert all((run["ccd"] == "on") == (run["rule"] == "bullet") for run in report["runs"])
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_words_of_the_window_name_targets_too(capsys):
    words = {word: targets[0] for word, (targets, _) in CHOICES.items() if word != "each"}
    assert set(words.values()) == set(TARGETS)
    report = fired(capsys, "--ccd", "on", "--speed", "20", "--target", ",".join(words))
    assert [run["target"] for run in report["runs"]] == list(words.values())
    assert main(["fire", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert all(word in said for word in (*words, *TARGETS))


def test_the_table_says_how_hit_and_tunneled_add_up(capsys):
    assert main(["fire", "--target", "wall", "--shots", "30", "--seed", "1"]) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("Total: "))
    counts = [int(number) for number in re.findall(r"(\d+) (?:hit|tunneled|neither)", line)]
    assert len(counts) == 4 and sum(counts) == 60
    assert counts[1] > 0 and counts[2] > 0 and counts[3] == 0


@pytest.mark.parametrize(("rules", "targets"), [("discrete,bullet", "wall,plate,moving,bullet,sensor,blade"), ("all", "wall,blade")])
def test_twelve_runs_fit_a_screen(rules, targets, tmp_path, capsys):
    picture = tmp_path / "shots.png"
    assert main(["fire", "--rule", rules, "--target", targets, "--screenshot", str(picture)]) == 0
    width, height = pygame.image.load(picture).get_size()
    assert width <= 1280 and height <= 720


def test_jitter_and_degrees(capsys):
    report = fired(
        capsys, "--angle", "30", "--jitter-angle", "5", "--jitter-height", "0.1", "--shots", "20", "--ccd", "on", "--target", "static"
    )
    (run,) = report["runs"]
    assert run["angle"] == pytest.approx(math.radians(30.0)) and run["tunneled_share"] == 0.0
    angles = [math.degrees(shot["angle"]) for shot in run["shots"]]
    assert min(angles) < 28.0 and max(angles) > 32.0 and all(25.0 <= angle <= 35.0 for angle in angles)
    assert all(shot["predicted_tunnels"] is False for shot in run["shots"])


def test_json_is_null_without_a_derived_law(capsys):
    report = fired(capsys, "--target", "blade", "--rule", "discrete", "--shots", "3")
    for run in report["runs"]:
        assert run["predicted_share"] is None and run["law"] is None
        assert all(shot["predicted_tunnels"] is None and shot["predicted_hit"] is None for shot in run["shots"])
