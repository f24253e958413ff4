"""Set-up: pinned requirements, the README's two commands, and one place for each of these facts."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
START = "python3 -m venv .venv && .venv/bin/python -m pip install -q -r requirements.txt && .venv/bin/python main.py"
TEST = "python3 -m venv .venv && .venv/bin/python -m pip install -q -r requirements-dev.txt && .venv/bin/python -m pytest -q"


def _lines(name: str) -> list[str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_every_requirement_is_pinned() -> None:
    own = _lines("requirements.txt")
    development = _lines("requirements-dev.txt")
    assert development[0] == "-r requirements.txt"
    assert [line for line in own + development[1:] if re.fullmatch(r"[\w.-]+==[\w.]+", line) is None] == []
    names = [line.partition("==")[0].lower() for line in own + development[1:]]
    assert len(names) == len(set(names))


def test_the_project_names_the_same_libraries_and_pythons() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = {line.partition("==")[0] for line in _lines("requirements.txt")}
    assert set(project["dependencies"]) <= pinned
    assert project["requires-python"] == ">=3.11,<3.14"
    assert "(3, 11) <= sys.version_info[:2] <= (3, 13)" in (ROOT / "main.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", [START, TEST])
def test_the_readme_has_its_two_commands_in_one_line_each(command: str) -> None:
    assert README.splitlines().count(command) == 1


def test_ci_takes_the_test_command_from_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    pattern = re.search(r"grep --max-count=1 '(.*)' README\.md", script)
    assert pattern is not None
    assert next(line for line in README.splitlines() if re.search(pattern[1], line)) == TEST


def test_files_the_readme_points_to_exist() -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
