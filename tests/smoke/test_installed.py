"""The project as a user installs it: a wheel in a fresh virtual environment, its command in a folder far from the checkout."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("engine", "demos", "sprites", "benchmarks", "pyproject.toml", "README.md", "LICENSE")
SCRIPTS = "Scripts" if os.name == "nt" else "bin"
MIN_SETUPTOOLS = 77
"""pyproject.toml asks for it; an older one of the tests' environment is left alone, and pip fetches one for the build."""

pytestmark = pytest.mark.slow


def _run(*command, cwd, status=0):
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "PYTHONPATH", "FORCE_COLOR", "NUMBA_CACHE_DIR")
    environment = {key: value for key, value in os.environ.items() if key not in hidden}
    environment["NUMBA_DISABLE_JIT"] = "1"  # what is installed is tried, not the compiler, which would be at it for a minute
    ran = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.returncode == status, f"status {ran.returncode}\n{ran.stdout}\n{ran.stderr}"
    return ran


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """The environment's folder of commands; the libraries are those of the tests' own environment."""
    folder = tmp_path_factory.mktemp("installed")
    source, environment = folder / "source", folder / "environment"
    source.mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source / name)
    venv.create(environment, with_pip=False)
    python = environment / SCRIPTS / Path(sys.executable).name
    (site,) = _run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).stdout.splitlines()
    here = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    Path(site, "libraries_of_the_tests.pth").write_text("\n".join(sorted(here)), encoding="utf-8")
    own = int(importlib.metadata.version("setuptools").partition(".")[0]) >= MIN_SETUPTOOLS
    options = ["-q", "--no-deps", *(["--no-build-isolation"] if own else [])]
    _run(sys.executable, "-m", "pip", "--python", python, "install", *options, source, cwd=folder)
    shutil.rmtree(source)
    return environment / SCRIPTS


def test_the_command_runs_a_demo_in_any_folder(scripts, tmp_path):
    ran = _run(scripts / "collision-lab", "run", "pyramid", "--headless", "--steps", "60", "--json", "-", cwd=tmp_path)
    said = json.loads(ran.stdout)
    assert (said["demo"], said["steps"], said["agreement"]["unexplained"]) == ("pyramid", 60, 0)
    assert list(tmp_path.iterdir()) == []


def test_all_is_there(scripts, tmp_path):
    """Demos, the files beside them and the sprites', benchmarks, and the doctor, who finds no requirements.txt."""
    demos = {demo["id"] for demo in json.loads(_run(scripts / "collision-lab", "list", "--json", "-", cwd=tmp_path).stdout)["demos"]}
    there = {path.stem for path in (ROOT / "demos").glob("*.py") if not path.name.startswith("_")}
    assert demos == there
    for demo in ("pair", "nonconvex_characters"):
        _run(scripts / "collision-lab", "run", demo, "--headless", "--steps", "2", "--json", f"{demo}.json", cwd=tmp_path)
    _run(scripts / "collision-lab", "bench", "start_up", "--quick", "--json", "bench.json", cwd=tmp_path)
    doctor = json.loads(_run(scripts / "collision-lab", "doctor", "--json", "-", cwd=tmp_path).stdout)
    assert doctor["healthy"]
    assert {path.name for path in tmp_path.iterdir()} == {"pair.json", "nonconvex_characters.json", "bench.json"}


def test_it_is_called_by_its_own_name(scripts, tmp_path):
    assert "Usage: collision-lab run" in _run(scripts / "collision-lab", "run", "--help", cwd=tmp_path).stdout
    assert "(see collision-lab --help)" in _run(scripts / "collision-lab", "nonsense", cwd=tmp_path, status=2).stderr
    module = _run(scripts / Path(sys.executable).name, "-m", "engine", "--version", cwd=tmp_path).stdout
    assert module == _run(scripts / "collision-lab", "--version", cwd=tmp_path).stdout != ""
