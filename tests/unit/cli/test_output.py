"""Output of commands, and their progress on standard error if that is no terminal."""

import io
import time
from pathlib import Path

import pytest

from engine.cli import output
from engine.cli.main import main
from engine.common.errors import InvalidInputError
from engine.report import Link, Table
from tests.waiting import until


def test_progress_is_reported_in_plain_lines_at_growing_intervals(monkeypatch, capsys):
    printed = []

    def lines():
        printed.extend(capsys.readouterr().err.splitlines(keepends=True))
        return len("".join(printed).splitlines())

    monkeypatch.setattr(output, "PATIENCE", 0.1)
    begun = time.monotonic()
    with output.progress("firing", 1_200) as advance:
        advance()
        until(lambda: lines() >= 3)
    n_told, elapsed = lines(), time.monotonic() - begun
    assert 0.1 * 2.0 ** (n_told - 1) <= elapsed, "each line twice as late as the last"
    first, second, *_ = "".join(printed).splitlines()
    assert first == "firing: 1 of 1,200, 0 s so far" and second.startswith("firing: 1 of 1,200")
    printed.clear()
    with output.waiting(output.LOADING):
        until(lines)
    assert "".join(printed).startswith("loading the algorithms, which are compiled the first time, 0 s so far\n")


def test_a_short_task_prints_no_progress(capsys):
    with output.waiting(output.LOADING), output.progress("firing", 3) as advance:
        advance()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("reads", "writes", "message"),
    [
        ([("FILE", "a.json")], [("--json", "./x/../a.json", ())], "--json must be a different file from FILE"),
        ([("FILE", "a.json")], [("--json", "link", ())], "--json must be a different file from FILE"),
        ([], [("--json", "a", ()), ("--record", "a", ())], "--record must be a different file from --json, got 'a'"),
        ([("SCENE", "pyramid")], [("--json", "pyramid", ()), ("--csv", "b.csv", (".csv",))], None),
        ([("FILE", "-")], [("--json", "-", ()), ("--record", "-", ())], None),
    ],
)
def test_input_and_output_files_are_not_overwritten(reads, writes, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    (tmp_path / "a.json").write_bytes(b"mine")
    (tmp_path / "link").symlink_to(tmp_path / "a.json")
    if message is None:
        output.check_files(reads, writes)
        return
    with pytest.raises(InvalidInputError) as refused:
        output.check_files(reads, writes)
    assert str(refused.value).startswith(message)


def test_a_table_row_in_a_pipe_is_one_line():
    screen = output._PatientConsole(file=io.StringIO(), highlight=False)
    screen.print(Table("", ("name", "note"), (("one", "many words " * 40),)).as_rich())
    (row,) = (line for line in screen.file.getvalue().splitlines() if "one" in line)  # a StringIO
    assert row.count("many words") == 40


@pytest.mark.parametrize("width", [20, 40, 80])
def test_a_narrow_terminal_shows_every_word_and_number_of_a_table(width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    screen = output._PatientConsole(file=io.StringIO(), force_terminal=True, color_system=None, highlight=False)
    screen.width = max(screen.width, output._MIN_WIDTH)
    heads = ("demo", "explained by a proof", "unexplained in all", "farthest of all, m", "area error", "of Box2D and shapely")
    row = ("nonconvex_characters", "1,234,567", "0", "9.82e-13 %", "12.5 %", Link("1,000,000 M/s", "right"))
    screen.print(Table("", heads, (row,)).as_rich())
    screen.print("after")
    assert isinstance(screen.file, io.StringIO)
    shown = screen.file.getvalue()
    assert "…" not in shown and shown.endswith("after\n")
    assert all(word in shown for word in ("nonconvex_characters", "1,234,567", "9.82e-13 %", "12.5 %", "1,000,000 M/s"))
    assert screen.width == output._MIN_WIDTH


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device to write to")
@pytest.mark.parametrize("arguments", [["list"], ["trace", "sprites/samples/gear.svg"], ["step"]])
def test_nothing_is_printed_if_json_cannot_be_written(arguments, capsys):
    """Issue 29: the table was already on standard output when the command failed with status 2."""
    assert main([*arguments, "--json", "/dev/full"]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err == "error: --json must be a writable file (No space left on device), got '/dev/full'\n"
