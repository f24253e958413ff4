"""Setup: pinned requirements, the README's two commands, and a single place for each of these facts."""

import os
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from engine.common.installation import BOX2D, COMMAND, CORE, DISTRIBUTION, LAB, SVG

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
START = "python3 -m venv .venv && .venv/bin/python -m pip install -q -r requirements.txt && .venv/bin/python main.py"
TEST = "python3 -m venv .venv && .venv/bin/python -m pip install -q -r requirements-dev.txt && .venv/bin/python -m pytest -q"


def _lines(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_every_requirement_is_pinned():
    own = _lines("requirements.txt")
    for name in ("requirements-dev.txt", "requirements-docs.txt"):
        first, *further = _lines(name)
        assert first == "-r requirements.txt"
        pinned = [Requirement(line) for line in own + further]
        assert [line for line in pinned if re.fullmatch(r"==[\w.]+", str(line.specifier)) is None] == []
        names = [line.name.lower() for line in pinned]
        assert len(names) == len(set(names))


def test_the_project_names_the_same_libraries_and_python_versions():
    project = PROJECT["project"]
    own, _, _ = (ROOT / "requirements.txt").read_text(encoding="utf-8").partition("# What those need.")
    pinned = [re.sub(r"==[\w.]+", "", line) for line in own.splitlines()[1:] if line]
    library, laboratory = project["dependencies"], project["optional-dependencies"]["lab"]
    drawings = project["optional-dependencies"]["svg"]
    assert sorted(library) == sorted(CORE.values()) and sorted(drawings) == sorted(SVG.values())
    assert sorted(map(str, map(Requirement, [*library, *laboratory, *drawings]))) == sorted(map(str, map(Requirement, pinned)))
    for python, box2d in (("3.13", "Box2D"), ("3.14", "ufal-pybox2d")):
        lines = [line for line in map(Requirement, laboratory) if line.marker is None or line.marker.evaluate({"python_version": python})]
        needed = {line.name for line in lines}
        assert needed == {*LAB.values()} - {BOX2D} | {box2d}
    assert project["requires-python"] == ">=3.11,<3.15"
    assert "(3, 11) <= sys.version_info[:2] <= (3, 14)" in (ROOT / "engine" / "__main__.py").read_text(encoding="utf-8")


def test_the_command_runs_main_py():
    assert PROJECT["project"]["scripts"] == {COMMAND: "engine.__main__:main"}
    assert PROJECT["project"]["name"] == DISTRIBUTION
    assert "from engine.__main__ import main" in (ROOT / "main.py").read_text(encoding="utf-8")


def test_an_installation_contains_all_data_files():
    """Files that are not modules are named in pyproject.toml; otherwise an installed copy lacks them."""
    data = PROJECT["tool"]["setuptools"]["package-data"]
    for package in ("engine", "engine.laboratory.demos", "engine.laboratory.sprites", "engine.laboratory.benchmarks"):
        folder = ROOT / package.rpartition(".")[2]
        named = {path for pattern in data.get(package, []) for path in folder.glob(pattern)}
        there = set()
        for base, folders, names in os.walk(folder):
            folders[:] = [name for name in folders if name != "__pycache__"]  # other processes write there
            there |= {Path(base, name) for name in names if not name.endswith(".py")}
        assert there == named


def test_the_license_is_stated_consistently():
    first, _, holder = (ROOT / "LICENSE").read_text(encoding="utf-8").splitlines()[:3]
    project = PROJECT["project"]
    assert (first, project["license"]) == ("MIT License", "MIT AND OFL-1.1")
    assert holder.endswith("the collision laboratory's authors")
    named = {path.relative_to(ROOT).as_posix() for path in (ROOT / "engine" / "render" / "typefaces").glob("*.txt")}
    assert project["license-files"] == ["LICENSE", *named]


def test_the_changelog_has_the_required_form():
    """The form is that of keepachangelog.com: versions, newest first, each with entries under some of six headings."""
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    versions = [line for line in lines if line.startswith("## ")]
    assert versions[0] == "## [Unreleased]"
    headings = [line.removeprefix("### ") for line in lines if line.startswith("### ")]
    assert set(headings) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert len(headings) == len(set(headings)) or len(versions) > 1
    first = lines.index("### " + headings[0])
    below = [line for line in lines[first:] if line and not line.startswith(("#", "- ", "  ", "["))]
    assert below == []
    entries = [line for line in lines if line.startswith("- ")]
    assert [line for line in entries if entries.count(line) > 1] == []


@pytest.mark.parametrize("name", ["checks", "publish", "site", "thorough"])
def test_workflows_run_what_ci_runs(name):
    """Workflows run on every system and Python version that the README names; every action is pinned to a major version."""
    text = (ROOT / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8")
    actions = re.findall(r"uses: (\S+)", text)
    pinned = r"actions/[\w-]+@v\d+|pypa/gh-action-pypi-publish@release/v\d+"
    assert actions and all(re.fullmatch(pinned, action) for action in actions)
    if name == "checks":
        assert ".ci/run" in text
        assert "os: [ubuntu-latest, windows-latest, macos-latest]" in text
        assert 'python: ["3.11", "3.12", "3.13", "3.14"]' in text
    elif name == "publish":
        assert ".ci/run" in text and "workflow_dispatch:" in text and "push:" not in text and "id-token: write" in text
    elif name == "site":
        assert "python -m docs.site" in text and "workflow_dispatch:" in text and "branches: [main]" in text
    else:
        assert "schedule:" in text and "NUMBA_DISABLE_JIT" in text and "coverage" in text


@pytest.mark.parametrize("command", [START, TEST])
def test_the_readme_has_its_two_commands_in_one_line_each(command):
    assert README.splitlines().count(command) == 1


def test_ci_takes_the_test_command_from_the_readme():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    pattern = re.search(r"grep --max-count=1 '(.*)' README\.md", script)
    assert pattern is not None
    assert next(line for line in README.splitlines() if re.search(pattern[1], line)) == TEST
    assert "-m ruff format --check ." in script and "-m ruff check ." in script


def test_files_the_readme_points_to_exist():
    targets = re.findall(r"\]\(([^)#:]+)\)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_commands_for_windows_need_no_shell_newer_than_powershell_5():
    """It has no `&&`; and every command names the environment's Python, which nothing activates."""
    commands = [line for block in re.findall(r"^```\w*\n(.*?)^```", README, re.DOTALL | re.MULTILINE) for line in block.splitlines()]
    commands += re.findall(r"`([^`\n]+)`", README)
    assert not [line for line in commands if "\\" in line and "&" in line]
    started = [line for line in commands if re.search(r"\bmain\.py \w|-m (pip|pytest)", line)]
    assert len(started) >= 8 and all(
        line.startswith(("python3 -m venv .venv && .venv/bin/python", ".venv/bin/", ".venv\\Scripts\\")) for line in started
    )
