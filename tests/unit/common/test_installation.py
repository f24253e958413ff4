"""What the program is called, what is told where a part of it is missing, and what works without those parts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.common import installation
from engine.common.errors import LabError
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[3]

WITHOUT_THE_LABORATORY = f"""
import sys
sys.modules.update(dict.fromkeys({list(installation.LAB)!r}))
"""
LIBRARY = """
from engine import query
from engine.decompose import Outline
from engine.geometry import Polygon, Transform
from engine.query import batch

box = Polygon.box(1.0, 0.5)
assert query.distance(box, Transform(), box, Transform((3.0, 0.0))).separation == 1.0
assert batch.overlap(batch.ShapeBatch([box]), [(0, 0)], [(0, 0, 0)], [(0.5, 0, 0)]).all()
for statement in (
    "import engine.box2d",
    "import engine.render",
    "import engine.app",
    "import engine.cli",
    "import engine.net",
    "import engine.common.file_schema",
    "Outline.of_polygon([(0, 0), (2, 0), (1, 0.5), (0, 2)])",
):
    try:
        exec(statement)
    except ModuleNotFoundError as error:
        print(error)
"""


def _python(program, *arguments):
    command, environment = [sys.executable, "-c", program, *arguments], {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_the_library_alone_works_and_names_what_else_is_missing():
    ran = _python(WITHOUT_THE_LABORATORY + LIBRARY)
    assert ran.returncode == 0, ran.stderr
    told = [f"{name} is not installed" for name in ("Box2D", "pygame", "pygame", "typer", "msgspec", "pydantic", "shapely")]
    lines = ran.stdout.splitlines()
    assert [line.partition(" (")[0].partition(":")[0] for line in lines] == told
    assert all('python -m pip install ".[lab]"' in line and "-r requirements.txt" in line for line in lines)


def test_the_program_without_the_laboratory_says_so_in_a_line():
    ran = _python(WITHOUT_THE_LABORATORY + "import main; main.main()")
    assert ran.returncode == 2 and ran.stdout == ""
    assert ran.stderr == f"error: {installation.told_missing('typer')}\n"


def test_another_python_is_refused_in_a_line():
    ran = _python("import sys; sys.version_info, sys.version = (3, 10, 9), '3.10.9 (main)'; import engine.__main__")
    assert ran.returncode == 2 and ran.stdout == ""
    assert ran.stderr == "error: this program needs Python 3.11 to 3.14, and this is 3.10.9\n"


def test_a_missing_part_is_an_error_of_ours_and_an_import_error():
    installation.require("numpy", "pygame")
    with pytest.raises(ModuleNotFoundError, match="no_such_part is not installed: ") as missing:
        installation.require("numpy", "no_such_part")
    assert isinstance(missing.value, LabError) and missing.value.name == "no_such_part"
    assert "PIL is not installed (pillow): " in installation.told_missing("PIL")


def test_the_program_is_called_as_it_was_started(monkeypatch):
    assert installation.program() == "python main.py"
    monkeypatch.setattr(sys, "argv", ["/home/user/.venv/bin/collision-lab", "list"])
    assert installation.program() == "collision-lab"
    monkeypatch.setattr(sys, "argv", [r"-c"])
    monkeypatch.setattr(installation, "is_checkout", lambda: False)
    assert installation.program() == "collision-lab"
