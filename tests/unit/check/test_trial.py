"""The complete trial of a function, from the first pair to the findings."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from engine.check import runner, trial
from engine.check.kinds import KINDS
from engine.check.plain import PlainPair
from engine.check.shrink import corner_count, is_clear
from engine.check.trial import MAX_KILLED, Task, check_function, check_pair
from engine.check.verdicts import judge

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"


def tried(path, pairs, query="manifold", seed=0, time_limit=30.0):
    for tally in check_function(Task(path, "collide", query, pairs, seed, 1e-9, time_limit)):
        last = tally
    return last


def written(folder, body):
    path = folder / "mine.py"
    path.write_text(f"import sys\nsys.path.append({str(EXAMPLES)!r})\nimport correct\n" + textwrap.dedent(body), encoding="utf-8")
    return path


@pytest.mark.parametrize(("query", "seed"), [("manifold", 0), ("overlap", 1)])
def test_the_correct_example_is_right(query, seed):
    tally = tried(EXAMPLES / "correct.py", 3000, query, seed)
    assert (tally.verdict, tally.pairs, tally.right, tally.wrong) == ("right", 3000, 3000, 0)
    assert 1000 < tally.touching < 2000
    assert tally.never_returned == ()


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("no_normalizing", {"wrong_normal", "not_unit_normal", "wrong_depth"}),
        ("wrong_winding", {"missed_overlap"}),
        ("vertices_only", {"missed_overlap"}),
    ],
)
def test_the_wrong_examples_are_detected_with_a_small_pair(name, kinds):
    tally = tried(EXAMPLES / f"{name}.py", 1000)
    assert tally.verdict == "wrong"
    assert kinds <= set(tally.kinds)
    assert {finding.kind for finding in tally.findings} == set(tally.kinds) <= set(KINDS)
    for finding in tally.findings:
        shown = finding.shown
        assert finding.is_alone
        assert corner_count(shown.pair) <= 6
        assert is_clear(shown.pair)
        assert finding.kind in {fault.reason for fault in judge("manifold", shown.pair, shown.reply, 1e-9)}


def test_a_seed_determines_the_sequence(monkeypatch):
    path = EXAMPLES / "vertices_only.py"
    first, again = (tried(path, 300, seed=4) for _ in range(2))
    assert first.kinds == again.kinds and first.findings[0].shown.pair == again.findings[0].shown.pair
    monkeypatch.setattr(trial, "_SHRINK_SECONDS", 0.0)
    other = tried(path, 300, seed=5)
    assert first.findings[0].first.pair != other.findings[0].first.pair


def test_reversed_and_false_answers_are_distinguished(tmp_path):
    body = """
        def collide(a, b):
            found = correct.collide(a, b)
            return None if found is None else {**found, "normal": (-found["normal"][0], -found["normal"][1])}
        """
    tally = tried(written(tmp_path, body), 400)
    assert set(tally.kinds) == {"reversed_normal"}
    assert tally.kinds["reversed_normal"] > 0.9 * tally.touching  # the others have two equally short ways out, one each way
    tally = tried(written(tmp_path, "def collide(a, b): return True"), 400)
    assert set(tally.kinds) == {"false_overlap"}
    assert tally.wrong + tally.touching == pytest.approx(400, abs=20)  # some of the rest touch within what is allowed


def test_distances_given_as_a_number(tmp_path):
    right = "from engine.check.plain import PlainPair\nfrom engine.check.truth import Truth\n"
    right += "def collide(a, b):\n    t = lambda s: tuple(s)\n    return float(Truth(PlainPair(t(a), t(b)), True).separation)\n"
    path = tmp_path / "exact.py"
    path.write_text(f"import sys\nsys.path.append({str(ROOT)!r})\n" + right, encoding="utf-8")
    assert tried(path, 200, "distance").verdict == "right"
    path.write_text(path.read_text() + "\nright = collide\ndef collide(a, b): return abs(right(a, b))\n", encoding="utf-8")
    assert set(tried(path, 200, "distance").kinds) == {"missed_overlap"}


def test_a_function_that_keeps_state_is_detected(tmp_path):
    body = """
        n = 0
        def collide(a, b):
            global n
            n += 1
            return correct.collide(a, b) if n < 200 else None
        """
    (finding,) = tried(written(tmp_path, body), 400).findings
    assert finding.kind == "missed_overlap"
    assert not finding.is_alone
    assert finding.shown.place.number >= finding.first.place.number > 100


def test_a_function_that_never_returns_is_abandoned(tmp_path, monkeypatch):
    monkeypatch.setattr(trial, "MAX_KILLED", 3)
    monkeypatch.setattr(runner, "_GRACE", 0.02)  # no call ends, however long it may take
    tally = tried(written(tmp_path, "def collide(a, b):\n    while True: pass"), 1000, time_limit=0.05)
    assert (tally.verdict, tally.pairs, tally.kinds) == ("gave up", 3, {"too_slow": 3})
    assert "3 calls" in tally.gave_up
    assert not tally.is_right


@pytest.mark.slow
def test_one_endless_call_costs_one_pair(tmp_path):
    body = """
        def collide(a, b):
            while len(a) == 4 and len(b) == 7:
                pass
            return correct.collide(a, b)
        """
    tally = tried(written(tmp_path, body), 150, time_limit=1.0)
    assert 0 < tally.kinds["too_slow"] == tally.wrong < MAX_KILLED
    assert tally.right == 150 - tally.wrong
    assert tally.findings[0].is_alone


def test_a_single_pair():
    square = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
    bar = ((-2.0, -0.5), (2.0, -0.5), (2.0, 0.5), (-2.0, 0.5))
    task = Task(EXAMPLES / "vertices_only.py", "collide", "manifold", 1, 0, 1e-9, 1.0)
    assert check_pair(task, PlainPair(bar, square)).kinds == {"missed_overlap": 1}
    assert check_pair(task, PlainPair(square, tuple((x + 1.5, y + 1.0) for x, y in square))).is_right


PLANTED = {
    "a gap is a contact": ("if gap > 0.0:", "if gap > 0.01:", "false_overlap"),
    "a touch of a millimeter is none": ("if gap > 0.0:", "if gap > -0.001:", "missed_overlap"),
    "the greatest overlap": ("if -gap < depth:", "if depth == math.inf or -gap > depth:", "wrong_normal"),
    "an edge left out": ("list(zip(corners, corners[1:] + corners[:1]))", "list(zip(corners, corners[1:]))", "wrong_normal"),
    "edges of a only": ("in edges(corners_b):\n        yield", "in edges(corners_b[:1]):\n        yield", "false_overlap"),
    "one radius forgotten": ("- radius_a - radius_b", "- radius_a", "missed_overlap"),
    "no corner directions": (
        "len(corners_a) == 1 or len(corners_b) == 1:  #",
        "len(corners_a) == len(corners_b) == 1:  #",
        "false_overlap",
    ),
    "the incident edge uncut": ("if beyond >= 0.0]", "if beyond >= -9e9]", "wrong_points"),
    "the circle's other side": (
        "- radius_b * nx, corners_b[0][1] - radius_b * ny",
        "+ radius_b * nx, corners_b[0][1] + radius_b * ny",
        "wrong_points",
    ),
    "normals of b not turned": ("yield unit(y1 - y2, x2 - x1)", "yield unit(y2 - y1, x1 - x2)", "wrong_normal"),
    "a depth a little off": ('"depth": depth', '"depth": depth + 1e-7', "wrong_depth"),
    "half the depth": ('"depth": depth', '"depth": 0.5 * depth', "wrong_depth"),
}


@pytest.mark.parametrize(("old", "new", "kind"), PLANTED.values(), ids=PLANTED)
def test_a_fault_planted_in_the_correct_example_is_detected(old, new, kind, tmp_path, monkeypatch):
    monkeypatch.setattr(trial, "_SHRINK_SECONDS", 0.0)  # how small a pair becomes is held above
    text = (EXAMPLES / "correct.py").read_text("utf-8")
    assert text.count(old) == 1
    path = tmp_path / "mine.py"
    path.write_text(text.replace(old, new), encoding="utf-8")
    tally = tried(path, 150)
    assert kind in tally.kinds, tally.kinds
    assert tally.verdict == "wrong"
