"""The program's name, messages about missing parts, and what works without them."""

import os
import runpy
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.common import installation
from engine.common.errors import LabError
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[3]

WITH_NUMPY_AND_NUMBA_ALONE = """
import sys
from importlib.machinery import BuiltinImporter, FrozenImporter, PathFinder

class Installed(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        known = {*sys.stdlib_module_names, "numpy", "numba", "llvmlite", "engine", "main"}
        return super().find_spec(name, path, target) if name.partition(".")[0] in known else None

sys.meta_path[:] = [BuiltinImporter, FrozenImporter, Installed]
"""
QUERIES = """
from engine import query
from engine.geometry import Polygon, Transform
from engine.query import batch

box = Polygon.box(1.0, 0.5)
assert query.distance(box, Transform(), box, Transform((3.0, 0.0))).separation == 1.0
assert batch.overlap(batch.ShapeBatch([box]), [(0, 0)], [(0, 0, 0)], [(0.5, 0, 0)]).all()
"""
WORLDS = """
import pickle
from engine import trace
from engine.geometry import Capsule, Segment
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World, WorldSettings, methods

assert trace.steps("gjk", box, Transform(), box, Transform((3.0, 0.0)))[-1].result.separation == 1.0
world = World(WorldSettings(hertz=30), solver="soft_step")
floor = world.create_body(BodySpec((FixtureSpec(Segment((-5.0, 0.0), (5.0, 0.0))),), type="static"))
body = world.create_body(BodySpec((FixtureSpec(box),), position=(0.0, 0.5), linear_velocity=(0.0, -1.0)))
arm = world.create_body(BodySpec((FixtureSpec(Capsule((0.0, 0.0), (1.0, 0.0), 0.2)),), position=(1.0, 0.8)))
joint = world.create_joint(RevoluteJointSpec(body, arm, (1.0, 0.8), enable_motor=True, motor_speed=1.0, max_motor_torque=5.0))
contacts = world.step()
assert len(contacts) == 1 and len(contacts.began) == 1 and world.joint_state(joint).torque > 0.0
for solver in methods():
    world.set_solver(solver)
    world.step()
    snapshot, twin = world.snapshot(), world.clone()
    restored = World.from_snapshot(pickle.loads(pickle.dumps(snapshot)))
    after = [one.step() and one.state_hash() for one in (world, twin, restored)]
    assert len(set(after)) == 1 and world.solver == solver
    world.restore(snapshot)
"""
MISSING = """
for statement in (
    "import engine.box2d",
    "World()",
    "import engine.app",
    "import engine.cli",
    "import engine.net",
    "import engine.demo",
    "import engine.player",
    "from engine.scenes.scene_file import scene_from_json; scene_from_json({})",
    "from engine.decompose import Outline; Outline.of_polygon([(0, 0), (2, 0), (1, 0.5), (0, 2)])",
):
    try:
        exec(statement)
    except ModuleNotFoundError as error:
        print(error)
"""


def _python(program, *arguments):
    command, environment = [sys.executable, "-c", program, *arguments], {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_the_library_works_with_numpy_and_numba_alone_and_names_what_else_is_missing():
    """Issue 32: queries, steps of algorithms, and worlds on every solver of our own, with contacts, joints, clones and snapshots."""
    ran = _python(WITH_NUMPY_AND_NUMBA_ALONE + QUERIES + WORLDS + MISSING)
    assert ran.returncode == 0, ran.stderr
    expected = [
        installation.told_missing(name)
        for name in ("Box2D", "Box2D", "pygame", "typer", "msgspec", "msgspec", "msgspec", "pydantic", "shapely")
    ]
    expected[1] += '; World(solver="soft_step") needs no library'
    assert ran.stdout.splitlines() == expected


@pytest.mark.parametrize(
    ("is_checkout", "command"),
    [(True, "python -m pip install -r requirements.txt"), (False, 'python -m pip install "collision-laboratory[lab,svg]"')],
)
def test_the_command_that_installs_what_is_missing(monkeypatch, is_checkout, command):
    monkeypatch.setattr(Path, "is_file", lambda path: is_checkout)
    assert runpy.run_path(installation.__file__)["INSTALL"] == command


def test_a_missing_laboratory_is_reported_in_one_line():
    ran = _python(WITH_NUMPY_AND_NUMBA_ALONE + "import main; main.main()")
    assert ran.returncode == 2 and ran.stdout == ""
    assert ran.stderr.startswith("error: typer is not installed") and ran.stderr.count("\n") == 1


def test_an_unsupported_python_is_rejected_in_one_line():
    ran = _python("import sys; sys.version_info, sys.version = (3, 10, 9), '3.10.9 (main)'; import engine.__main__")
    assert ran.returncode == 2 and ran.stdout == ""
    assert ran.stderr == "error: this program needs Python 3.11 to 3.14, and this is 3.10.9\n"


def test_a_missing_part_is_an_error_of_ours_and_an_import_error():
    installation.require("numpy", "pygame")
    with pytest.raises(ModuleNotFoundError, match="no_such_part is not installed: ") as missing:
        installation.require("numpy", "no_such_part")
    assert isinstance(missing.value, LabError) and missing.value.name == "no_such_part"
    assert "PIL is not installed (pillow): " in installation.told_missing("PIL")


def test_both_builds_of_box2d_have_the_same_version(monkeypatch):
    """ufal-pybox2d, the build for Python 3.14, gives the same bits, so recordings and stored hashes count it as the same library."""
    for installed in ({"Box2D": "2.3.10"}, {"ufal-pybox2d": "2.3.10.5"}):
        distributions = {name: SimpleNamespace(version=version) for name, version in installed.items()}
        monkeypatch.setattr(metadata, "distribution", distributions.__getitem__)
        monkeypatch.setattr(metadata, "PackageNotFoundError", KeyError)
        assert installation.version_of("Box2D") == "2.3.10"
    assert installation.version_of("numpy") == "unknown"


def test_the_program_is_called_as_it_was_started(monkeypatch):
    assert installation.program() == "python main.py"
    monkeypatch.setattr(sys, "argv", ["/home/user/.venv/bin/collision-lab", "list"])
    assert installation.program() == "collision-lab"
    monkeypatch.setattr(installation, "PYTHON", ".venv/bin/python")
    monkeypatch.setattr(sys, "argv", ["main.py", "list"])
    assert installation.program() == ".venv/bin/python main.py"
    monkeypatch.setattr(sys, "argv", [r"-c"])
    monkeypatch.setattr(installation, "is_checkout", lambda: False)
    assert installation.program() == "collision-lab"


def test_another_python_than_that_of_the_environment_is_told_the_whole_command(tmp_path, monkeypatch):
    """Issue 45: after the README's start, `python main.py doctor` has no typer, because nothing activates the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["main.py", "run", "my demo.py"])
    assert installation.with_environment(tmp_path) is None
    is_windows = os.name == "nt"
    python = tmp_path / ".venv" / ("Scripts/python.exe" if is_windows else "bin/python")
    python.parent.mkdir(parents=True)
    python.touch()
    line = '.venv\\Scripts\\python.exe main.py run "my demo.py"' if is_windows else ".venv/bin/python main.py run 'my demo.py'"
    assert installation.with_environment(tmp_path) == line
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    assert installation.with_environment(tmp_path) is None
