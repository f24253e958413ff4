"""``bench``: it runs, its results are complete, and errors are one line. No speed is judged here."""

import json
from pathlib import Path

from benchmarks import measuring, overlap
from benchmarks.registry import BENCHMARKS
from engine.cli.main import main

ROOT = Path(__file__).resolve().parents[2]


def test_quick_measurements_are_complete(capsys):
    assert main(["bench", "overlap", "scalar_query", "--quick", "--json", "-"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["quick"] is True
    assert {row["name"].split(",")[0] for row in report["records"]} == {"overlap", "one manifold", "one overlap"}
    for row in report["records"]:
        assert row["ours"] > 0.0 and row["spread"] >= 0.0 and row["machine"]
        assert row["peer"] is None or row["ratio"] > 0.0


def test_every_module_of_measurements_is_in_the_registry():
    helpers = {
        "__init__",
        "__main__",
        "registry",
        "measuring",
        "pairs",
        "bodies",
        "moving_boxes",
        "history_memory",
    }
    assert {path.stem for path in (ROOT / "benchmarks").glob("*.py")} - helpers == set(BENCHMARKS)


def test_an_unknown_name_is_reported_in_one_line_with_the_known_names(capsys):
    assert main(["bench", "speed"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.strip().count("\n") == 0
    assert all(name in err for name in BENCHMARKS)


def test_a_missing_peer_is_reported_and_the_rest_is_measured(monkeypatch):
    def nothing_there(module):
        raise measuring.MissingPeerError(f"{module} is not installed")

    monkeypatch.setattr(overlap, "require_peer", nothing_there)
    records = overlap.run(quick=True)
    assert [(row.peer_name, row.note) for row in records][1] == ("", "shapely is not installed")
    assert records[0].ratio is not None and records[1].ratio is None


def test_calls_take_turns_and_the_first_round_does_not_count():
    order = []
    seconds = measuring.seconds_in_turn({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, 3)
    assert order == ["a", "b"] * 4
    assert [len(times) for times in seconds.values()] == [3, 3]
