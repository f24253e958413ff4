"""Names in files that contain terminal commands, direction marks, line ends or lone surrogates are escaped everywhere."""

import csv
import subprocess
import sys
from pathlib import Path

import pygame
import pytest

from engine.cli.main import main
from engine.cli.output import deliver, people
from engine.common.errors import InvalidInputError, LabError
from engine.common.words import shown
from engine.render.fonts import FontBook
from engine.report import Report
from engine.scenes import build_all, load_scene
from engine.scenes.tables import Tables
from engine.sim.actions import PressKey, as_plain
from tests.hazards import hostile
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
BOTH = hostile.NASTY_NAME + hostile.SURROGATE


def is_harmless(text):
    return all(character.isprintable() or character == "\n" for character in text)


def test_only_invisible_characters_are_escaped():
    assert is_harmless(shown(BOTH))
    assert "\n" not in shown(BOTH)
    assert shown(BOTH).startswith(r"a\x1b[31mb\x1b]0;owned\x07c\x08\x9bd\u202ee\u2066f\u200bg\u2028h\r\nk")
    assert shown("Überlauf é 日本 😀 a\u00a0b") == "Überlauf é 日本 😀 a\u00a0b"


def test_errors_escape_them():
    assert is_harmless(str(InvalidInputError(BOTH, BOTH, BOTH)))
    assert is_harmless(str(LabError(BOTH)))


@pytest.mark.parametrize("kind", ["nasty_scene", "surrogate_scene", "nasty_rube", "nasty_body", "nasty_pair"])
def test_commands_escape_them(tmp_path, kind, capfd):
    path = tmp_path / "hostile.json"
    path.write_bytes(hostile.KINDS[kind].make(3))
    out = str(tmp_path / "out.json")
    for arguments in (["scene", str(path)], ["scene", str(path), "--out", out], ["scene", str(path), "--json", "-"]):
        main(arguments)
        output = "".join(capfd.readouterr())
        assert is_harmless(output)
        assert "Traceback" not in output
        assert output
    if kind.endswith(("scene", "rube")):
        assert len(load_scene(out).bodies) >= 3


def test_a_scene_with_a_lone_surrogate_is_recorded_and_replayed(tmp_path, capfd):
    path, recording = tmp_path / "hostile.json", str(tmp_path / "hostile.rec")
    path.write_bytes(hostile.KINDS["surrogate_scene"].make(1))
    assert main(["run", str(path), "--headless", "--steps", "3", "--record-inputs", recording]) == 0
    assert main(["replay", recording, "--verify"]) == 0
    assert is_harmless("".join(capfd.readouterr()))


def test_an_action_with_a_lone_surrogate_is_rejected():
    with pytest.raises(InvalidInputError, match="surrogates not allowed"):
        as_plain(PressKey("\ud800"))


def test_a_table_and_a_sentence_are_printed_escaped(capfd):
    from rich.table import Table

    table = Table(BOTH)
    table.add_row(BOTH)
    console = people()
    console.print(table)
    console.print(BOTH, markup=False)
    output = capfd.readouterr().out
    assert is_harmless(output)
    assert r"\x1b[31m" in output
    assert r"\ud83d" in output


def test_they_can_be_drawn():
    pygame.font.init()
    fonts = FontBook()
    assert fonts.render(BOTH, 14.0, (255, 255, 255)).get_width() == fonts.width(BOTH, 14.0) > fonts.width(r"\x1b[31m", 14.0)
    assert fonts.wrapped(BOTH, 14.0, 90)


def test_reports_and_tables_are_written(tmp_path):
    assert deliver(Report({}, page=lambda: (f"<p>{BOTH}</p>", {})), None, str(tmp_path)) == 0
    assert is_harmless((tmp_path / "report.html").read_text(encoding="utf-8"))
    path, states = tmp_path / "hostile.json", tmp_path / "states.csv"
    path.write_bytes(hostile.KINDS["surrogate_scene"].make(1))
    with Tables(None, str(states), None) as tables:
        tables.add(0, build_all(load_scene(path)))
    with states.open(encoding="utf-8") as file:
        assert {row["name"] for row in csv.DictReader(file)} == {r"half \ud83d of a pair0"}


def test_warnings_as_errors_do_not_end_the_program_by_a_signal():
    command = [sys.executable, "-OO", "-W", "error", str(ROOT / "main.py"), "list"]
    process = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert process.returncode == 0, process.stderr
    assert "bullet" in process.stdout


def test_warnings_as_errors_do_not_end_a_script_with_a_world_by_a_signal():
    command = [sys.executable, "-W", "error", "-c", "from engine.world import World; print(len(World().body_ids))"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    assert (process.returncode, process.stdout) == (0, "0\n"), process.stderr
