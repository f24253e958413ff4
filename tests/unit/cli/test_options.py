"""Every command checks its options before it runs: ranges, files, combinations."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import typer

from engine.cli import main as cli
from engine.cli.main import main
from engine.cli.options import FOLDER, FilmFile, FilmRate, JsonFile, Seed, UiScale, argument, command, has_window, option
from engine.report import Report, Table


@dataclass(frozen=True, kw_only=True)
class Options:
    file: str = argument("[FILE]", "A file.", None, reads=True)
    steps: int | None = option("N", "Steps.", low=1, high=10, without_window=True)
    share: float = option("P", "A share.", 0.5, low=0.0, high=1.0, unit="m")
    pair: str | None = option("FILE", "A pair.", reads=True, excludes=("file", "steps"))
    at: int | None = option("K", "A step.", needs=("steps", "pair"))
    keep: str | None = option("F.rec", "A new file.", writes=(".rec",), is_new=True)
    out: str | None = option("DIR", "A folder.", writes=(FOLDER,))
    many: list[str] | None = option("WORD", "Words.")
    seed: Seed = 0
    film: FilmFile = None
    fps: FilmRate = None
    json: JsonFile = None
    ui_scale: UiScale = None


@command
def try_command(args: Options):
    """Print what was given."""
    return Report(
        {"seed": args.seed, "many": args.many or [], "window": has_window(args)}, ({"seed": args.seed}, Table("", ("a",), ((1.5,),))), 1
    )


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").write_text("mine", encoding="utf-8")
    app = typer.Typer()
    app.callback()(lambda: None)
    app.command("try")(try_command)
    monkeypatch.setattr(cli, "_app", lambda words: app)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--steps 0", "--steps must be a whole number from 1 to 10, got 0"),
        ("--steps x", "--steps must be a whole number, got 'x'"),
        ("--share 2", "--share must be from 0 to 1 m, got 2.0"),
        ("--share nan", "--share must be from 0 to 1 m, got nan"),
        ("--share x", "--share must be a number, got 'x'"),
        ("--seed -1", "--seed must be a whole number from 0 to"),
        ("--pair mine --steps 3", "--steps must be omitted with --pair, got 3"),
        ("mine --pair mine", "FILE must be omitted with --pair, got 'mine'"),
        ("--at 0", "--at must be given with --steps or --pair, got 0"),
        ("--fps 9", "--fps must be given with --record, got 9.0"),
        ("--keep it.txt", "--keep must be a file name that ends in .rec, got 'it.txt'"),
        ("--keep old.rec", "--keep must be a file that does not exist yet, got 'old.rec'"),
        ("--out mine", "--out must be a directory, not a file, got 'mine'"),
        ("mine --json mine", "--json must be a different file from FILE, got 'mine'"),
        ("--json gone/it.json", "--json must be a file in a directory that exists"),
        ("--steps 1 --ui-scale 2", "--ui-scale must be omitted in a headless run, got 2.0"),
        ("--ui-scale 9", "--ui-scale must be"),
        ("--stps 1", "No such option: --stps"),
    ],
)
def test_a_mistake_is_reported_in_one_line_and_nothing_runs(words, message, folder, capsys):
    (folder / "old.rec").touch()
    assert main(["try", *words.split()]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith(f"error: {message}") and said.err.count("\n") == 1
    assert sorted(path.name for path in folder.iterdir()) == ["mine", "old.rec"]


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_an_invalid_file_name_is_rejected(name, capsys):
    assert main(["try", name]) == 2
    assert capsys.readouterr().err == f"error: FILE must be a file name, got {name!r}\n"


def test_the_report_is_printed_or_written(folder, capsys):
    assert main(["try", "--many", "a", "--many", "b", "--seed", "7"]) == 1
    assert capsys.readouterr().out.split() == ["seed", "7", "a", "1.5"]
    assert main(["try", "--many", "a", "--json", "-"]) == 1
    assert capsys.readouterr().out == '{\n  "seed": 0,\n  "many": [\n    "a"\n  ],\n  "window": false\n}\n'
