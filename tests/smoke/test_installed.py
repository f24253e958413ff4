"""The project as a user installs it: both archives, and the wheel's command in a fresh virtual environment, in another folder."""

import doctest
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from engine.sim.registry import all_demos
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = (".git", ".venv*", "out", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis", ".coverage")
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


def _wheel(source, folder):
    """Build the wheel of a source tree in a folder."""
    own = int(importlib.metadata.version("setuptools").partition(".")[0]) >= MIN_SETUPTOOLS
    options = ["-q", "--no-deps", *(["--no-build-isolation"] if own else [])]
    _run(sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", folder, source, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """The source archive and the wheel."""
    folder = tmp_path_factory.mktemp("archives")
    source = folder / "source"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(*LEFT_OUT))
    _run(sys.executable, "-c", "from setuptools import build_meta; build_meta.build_sdist('..')", cwd=source)
    (archive,) = folder.glob("*.tar.gz")
    return archive, _wheel(source, folder)


@pytest.fixture(scope="module")
def scripts(archives, tmp_path_factory):
    """The environment's folder of commands; the libraries are those of the tests' own environment."""
    folder = tmp_path_factory.mktemp("installed")
    environment = folder / "environment"
    venv.create(environment, with_pip=False)
    python = environment / SCRIPTS / Path(sys.executable).name
    (site,) = _run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).stdout.splitlines()
    here = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    Path(site, "libraries_of_the_tests.pth").write_text("\n".join(sorted(here)), encoding="utf-8")
    _run(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", archives[1], cwd=folder)
    return environment / SCRIPTS


def test_both_archives_are_whole(archives, tmp_path):
    """The source archive has pages, tests and licenses, and its wheel equals that of the checkout."""
    source, wheel = archives
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    there = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*")}
    assert {"LICENSE", "main.py", ".ci/run", "docs/README.md", "docs/img/pair.png", "tests/smoke/test_installed.py"} <= there
    again = _wheel(unpacked, tmp_path)
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(again) as second:
        contents = [{name: archive.read(name) for name in archive.namelist()} for archive in (first, second)]
    assert contents[0] == contents[1]
    licenses = {name.partition(".dist-info/licenses/")[2] for name in contents[0]} - {""}
    assert licenses == {"LICENSE", "engine/render/typefaces/OFL-1.1.txt"} <= there
    assert {name.partition("/")[0] for name in contents[0] if ".dist-info/" not in name} == {"engine"}  # issue 45: no top-level "demos"


def test_the_command_runs_a_demo_in_any_folder(scripts, tmp_path):
    ran = _run(scripts / "collision-lab", "run", "pyramid", "--headless", "--steps", "60", "--json", "-", cwd=tmp_path)
    said = json.loads(ran.stdout)
    assert (said["demo"], said["steps"], said["agreement"]["unexplained"]) == ("pyramid", 60, 0)
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_a_page_in_any_folder(scripts, tmp_path):
    """The player's style and script are in the folder of its modules."""
    _run(scripts / "collision-lab", "step", "gjk", "--html", "gjk.html", cwd=tmp_path)
    assert "</html>" in (tmp_path / "gjk.html").read_text(encoding="utf-8")


def test_the_library_is_complete(scripts, tmp_path):
    """Demos with their files and sprites, benchmarks, and the doctor, which finds no requirements.txt."""
    demos = {demo["id"] for demo in json.loads(_run(scripts / "collision-lab", "list", "--json", "-", cwd=tmp_path).stdout)["demos"]}
    assert demos == {demo.id for demo in all_demos()}
    for demo in ("pair", "nonconvex_characters"):
        _run(scripts / "collision-lab", "run", demo, "--headless", "--steps", "2", "--json", f"{demo}.json", cwd=tmp_path)
    _run(scripts / "collision-lab", "bench", "waiting", "--quick", "--json", "bench.json", cwd=tmp_path)
    doctor = json.loads(_run(scripts / "collision-lab", "doctor", "--json", "-", cwd=tmp_path).stdout)
    assert doctor["healthy"]
    assert {path.name for path in tmp_path.iterdir()} == {"pair.json", "nonconvex_characters.json", "bench.json"}


def test_the_recipes_pass_a_strict_type_checker(scripts, tmp_path):
    """Issue 32: the installation includes its types, which accept the code of docs/library.md."""
    recipes = doctest.script_from_examples((ROOT / "docs" / "library.md").read_text(encoding="utf-8"))
    (tmp_path / "recipes.py").write_text(recipes, encoding="utf-8")
    options = ["--strict", "--config-file=", "--python-executable", scripts / Path(sys.executable).name]
    assert "Success" in _run(sys.executable, "-m", "mypy", *options, "recipes.py", cwd=tmp_path).stdout
    (tmp_path / "wrong.py").write_text(recipes + "world.create_body('box')\n", encoding="utf-8")
    wrong = _run(sys.executable, "-m", "mypy", *options, "wrong.py", cwd=tmp_path, status=1)
    assert "create_body" in wrong.stdout and "Found 1 error" in wrong.stdout


def test_the_command_uses_its_own_name(scripts, tmp_path):
    assert "Usage: collision-lab run" in _run(scripts / "collision-lab", "run", "--help", cwd=tmp_path).stdout
    assert "(see collision-lab --help)" in _run(scripts / "collision-lab", "nonsense", cwd=tmp_path, status=2).stderr
    module = _run(scripts / Path(sys.executable).name, "-m", "engine", "--version", cwd=tmp_path).stdout
    assert module == _run(scripts / "collision-lab", "--version", cwd=tmp_path).stdout != ""
