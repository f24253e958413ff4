"""The report and the JSON: a function's output is escaped, and every displayed pair can be tested again."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from engine.check.kinds import KINDS
from engine.check.plain import PlainPair, plain_pair
from engine.check.report import as_json, command_of, html_report, pair_of, step_command_of
from engine.check.trial import Task, check_pair
from engine.cli.check_picture import SIZE, draw_finding
from engine.compare.pair.file import ANSWERED_BY, load_pair, save_pair
from engine.geometry import Circle, Polygon
from tests.page_reader import read_page

ROOT = Path(__file__).resolve().parents[3]
SQUARE = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
PAIR = PlainPair(SQUARE, (1.25, 0.25, 0.5))
APART = PlainPair(SQUARE, (2.0, 0.25, 0.5))
HOSTILE = "<script>alert(1)</script>\" onload='x' & \\u202e"


def tally_of(folder, body, pair=PAIR, query="manifold"):
    path = folder / "mine & <b>.py"
    path.write_text(f"def collide(a, b):\n    {body}\n", encoding="utf-8")
    return check_pair(Task(path, "collide", query, 1, 3, 1e-9, 0.3), pair)


@pytest.mark.parametrize("body", [f"raise ValueError({HOSTILE!r})", f"return {HOSTILE!r}", f"return {{{HOSTILE!r}: 1, 'depth': 5}}"])
def test_output_of_a_function_is_escaped_and_the_page_needs_no_network(tmp_path, body):
    tally = tally_of(tmp_path, body)
    (finding,) = tally.findings
    page = html_report([tally], {(0, finding.kind): (draw_finding(finding, "mine.py:collide"), "pair.json", "javascript:alert(1).html")})
    reader = read_page(page)
    assert "b" not in reader.tags
    assert reader.references.pop() == "javascript%3Aalert%281%29.html"
    assert 'data-src="javascript%3Aalert%281%29.html"' in page
    pages = [reference for reference in reader.references if not reference.startswith(("#", "data:image/png;base64,"))]
    assert len(pages) == 1 and (Path.cwd() / pages[0]).parent.name in ("docs", "algorithms") and (Path.cwd() / pages[0]).is_file()
    assert "&lt;" in page


BODIES = {
    "missed_overlap": ("return None", PAIR, "manifold"),
    "false_overlap": ("return True", APART, "manifold"),
    "reversed_normal": ("return {'normal': (-1, 0), 'depth': 0.25}", PAIR, "manifold"),
    "wrong_normal": ("return {'normal': (0, 1), 'depth': 0.25}", PAIR, "manifold"),
    "not_unit_normal": ("return {'normal': (1e300, 0), 'depth': 1e300}", PAIR, "manifold"),
    "wrong_depth": ("return {'depth': -3e-3}", PAIR, "manifold"),
    "wrong_points": ("return {'points': [(1e9, 0)]}", PAIR, "manifold"),
    "wrong_distance": ("return {'distance': 0.4, 'point_a': (1, 0), 'point_b': (1.5, 0.25)}", APART, "distance"),
    "raised": ("return a[17]", PAIR, "overlap"),
    "wrong_type": ("return 3", PAIR, "manifold"),
    "too_slow": ("import time; time.sleep(1e4)", PAIR, "manifold"),
    "crashed": ("import os; os._exit(1)", PAIR, "manifold"),
    "not_repeatable": ("a = globals().setdefault('n', []); a.append(1); return len(a) == 1", PAIR, "manifold"),
}


def test_every_kind_has_a_sample():
    assert set(BODIES) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_drawn_saved_and_tested_again(kind, tmp_path):
    tally = tally_of(tmp_path, *BODIES[kind])
    finding = next(failure for failure in tally.findings if failure.kind == kind)
    picture = draw_finding(finding, "mine.py:collide")
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])) == SIZE

    save_pair(tmp_path / "pair.json", pair_of(tally.task, finding))
    pair = load_pair(tmp_path / "pair.json")
    assert isinstance(pair.shape_a, Polygon) and isinstance(pair.shape_b, Circle)
    assert plain_pair(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b) == finding.shown.pair
    assert pair.outsider is not None and pair.outsider.note == finding.shown.fault.evidence

    assert (ROOT / "docs" / KINDS[kind].page).is_file()
    report = json.loads(json.dumps(as_json(tally), allow_nan=False))
    assert report["kinds"][kind] == 1 and report["wrong"] == 1 and report["verdict"] == "wrong"
    assert report["first"][kind]["hint"] == KINDS[kind].hint
    assert "--pair" in command_of(tally.task, finding, "pair.json")
    steps = step_command_of(tally.task, finding, "pair.json")
    expected = ["step", ANSWERED_BY[tally.task.query], "--pair", "pair.json"]
    assert steps is not None and shlex.split(steps)[-4:] == expected
    assert step_command_of(tally.task, finding, None) is None
