"""The bench of all engines: its verdicts, unsupported features, and rows of another engine from a file (issue 35)."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.common.errors import InvalidInputError
from engine.common.machine import processor_name
from engine.experiments.engines import TESTS, Measured, Task, columns_of, measure_cell
from engine.experiments.engines.rows_file import EngineRows, read_rows
from engine.world import solvers

DOCS = Path(__file__).resolve().parents[3] / "docs"
needs_box2d3 = pytest.mark.skipif("box2d3" not in solvers(), reason="pyb2d3 is not installed")
needs_chipmunk = pytest.mark.skipif("chipmunk" not in solvers(), reason="pymunk is not installed")


@pytest.mark.parametrize(
    ("test", "row", "engine", "settings", "verdict", "value"),
    [
        ("slow", "rebound", "box2d", "default", "fails", 1.0),
        ("missed", "rod", "box2d", "recommended", "fails", 1.0),
        ("tunneling", "dynamic_110", "box2d", "default", "fails", 1.0),
        ("tunneling", "dynamic_110", "box2d", "recommended", "passes", 0.0),
        ("determinism", "restore", "box2d", "default", "passes", 0.0),
        ("invariants", "pair_motor", "box2d", "default", "fails", 3.2),
        ("invariants", "pair_weld", "box2d", "default", "passes", 0.001),
        pytest.param("slow", "rebound", "chipmunk", "default", "passes", 0.0, marks=needs_chipmunk),
        pytest.param("tunneling", "static_200", "chipmunk", "default", "fails", 1.0, marks=needs_chipmunk),
        pytest.param("seams", "box_tiles", "chipmunk", "recommended", "passes", 0.0, marks=needs_chipmunk),
        pytest.param("sensors", "gate", "box2d3", "default", "fails", 4.0, marks=needs_box2d3),
        pytest.param("seams", "plank_bend", "box2d3", "default", "passes", 0.0, marks=needs_box2d3),
        pytest.param("tunneling", "static_200", "box2d3", "default", "passes", 0.0, marks=needs_box2d3),
        pytest.param("invariants", "pair_friction", "box2d3", "default", "not supported", None, marks=needs_box2d3),
    ],
)
def test_known_cells(test, row, engine, settings, verdict, value):
    cell = measure_cell(Task(test, row, engine, settings, is_quick=True))
    assert (cell.verdict, cell.value) == (verdict, value if value is None else pytest.approx(value, abs=0.13)), cell.note
    assert (cell.verdict == "not supported") == ("must be" in cell.note)


def test_every_row_has_a_start_and_every_name_is_unique():
    for test in TESTS.values():
        names = [row.name for row in test.rows]
        assert len(set(names)) == len(names) and test.right.endswith(".") and test.allowance
        for quote in (quote for quotes in test.promises.values() for quote in quotes):
            assert quote.words.endswith(".") and ", " in quote.page and quote.address.startswith("https://"), quote
    column = columns_of("box2d", "seams")[0]
    assert {len(row.start(column).body_ids) for row in TESTS["seams"].rows} == {2, 5}


def test_a_crashing_engine_fails_with_its_message_as_the_reason(monkeypatch):
    row = TESTS["slow"].rows[0]

    def enter(measure):
        monkeypatch.setitem(TESTS, "slow", replace(TESTS["slow"], rows=(replace(row, measure=measure),)))
        return measure_cell(Task("slow", "rebound", "box2d", "default"))

    def refuses(column, is_quick):
        raise InvalidInputError("joint", "another one", 1)

    assert enter(refuses).verdict == "not supported" and enter(refuses).note == "joint must be another one, got 1"
    assert enter(lambda column, is_quick: Measured(float("nan"), False)).value is None
    assert enter(lambda column, is_quick: Measured(1.0, None)).verdict == "measured"


def rows(**more):
    cell = {"test": "slow", "row": "rebound", "value": 0.0, "verdict": "passes"}
    return {"format": "engine-rows", "version": 1, "engine": "other", "engine_version": "1", "machine": "m", "cells": [cell | more]}


def test_rows_of_another_engine_are_read_and_checked():
    engine_rows, (cell,) = read_rows(rows(), "rows.json")
    assert (engine_rows.engine, cell.task, cell.verdict) == ("other", Task("slow", "rebound", "other", "default"), "passes")
    for more, words in (
        ({"test": "slwo"}, r"rows.json: cells\[0\].test must be one of .*did you mean slow"),
        ({"row": "rebounds"}, r"rows.json: cells\[0\].row must be one of rebound"),
        ({"verdict": "good"}, r"rows.json: cells\[0\].verdict must be one of passes, fails, measured, not supported, got 'good'"),
        ({"valeu": 1.0}, r"rows.json: cells\[0\].valeu must be a known field"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            read_rows(rows(**more), "rows.json")


def test_the_example_and_the_schema_on_the_page_are_right():
    page = (DOCS / "engines.md").read_text("utf-8")
    (example,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    read_rows(json.loads(example), "example")
    schema = json.loads((DOCS / "engine_rows.schema.json").read_text("utf-8"))
    assert schema == EngineRows.model_json_schema()


def test_the_command_prints_one_table_and_writes_the_report(tmp_path, capsys):
    (tmp_path / "rows.json").write_text(json.dumps(rows()), "utf-8")
    folder = tmp_path / "report"
    words = f"engines --engines box2d --tests slow,missed --quick --jobs 1 --rows {tmp_path / 'rows.json'} --report {folder}"
    assert main(words.split()) == 0
    printed = capsys.readouterr().out
    assert f"Machine: {processor_name()}, " in printed and "fails 1 m/s" in printed and "other: 1 pass, 0 fail, 0 not supported" in printed
    page = (folder / "report.html").read_text("utf-8")
    assert processor_name() in page and 'href="https://github.com/google/liquidfun' in page
    assert 'href="slow-rebound-box2d-default.html"' in page and "measured elsewhere: m" in page and "b2_velocityThreshold" in page
    assert (folder / "slow-rebound-box2d-default.html").stat().st_size > 10_000
    assert main(["engines", "--engines", "box4d"]) == 2 and "did you mean box2d" in capsys.readouterr().err
