"""Who may import whom: reads the imports of every module and holds the layers of the project."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Each layer imports only from those before it, and from itself.
LAYERS = (
    "engine.common",
    "engine.geometry",
    "engine.contracts",
    "engine.bounding",
    "engine.decompose",
    "engine.broadphase",
    "engine.narrowphase",
    "engine.continuous",
    "engine.query",
    "engine.world",
    "engine.box2d",
    "engine.dynamics",
    "engine.compare",
    "engine.check",
    "engine.scenes",
    "engine.trace",
    "engine.experiments",
    "engine.render",
    "engine.sim",
    "engine.history",
    "engine.demo",
    "engine.net",
    "engine.editor",
    "engine.app",
    "engine.cli",
    "engine.__main__",
    "sprites",
    "demos",
    "main",
)

# The parts of the referee, in the order in which its docstring says to read them: each imports only from those before it, and from itself.
REFEREE = tuple(
    f"engine.compare.{part}"
    for part in ("allowances", "cases", "queries", "proofs", "verdicts", "pair", "processes", "bulk", "report", "live", "motion")
)

# The rooms of the application, each in the order in which it can be read: a module imports only from those before it in its room.
ROOMS = {
    "engine.history": (
        "state_log branch",
        "columns capture compact keyframes history recordings",
    ),
    "engine.sim": ("input_log subject layout parameters stage grip dropping ids inverse users doors demo",),
    "engine.demo": (
        "clock costs registry",
        "scene_demo pair_demo stepping own_demo replaying messages",
        "solver_settings event_log time_series figures apart judged_step beside camera_controller timeline session",
    ),
    "engine.net": (
        "messages addresses guesses limits link scene objects snapshots state course script",
        "clock corrections server client local rehearsal",
        "tls hosting connection party netlab",
    ),
    "engine.editor": (
        "rows picking placing background editor",
        "clipboard tool draw_tools join_tools select_tool joint_page pages",
    ),
    "engine.app": (
        "files pages display compiling warmup solver_loading plain_check film pictures",
        "garbage layout keys preferences widgets parameter_rows",
        "autosave dropped_picture dropper saving second_picture shared_session shared_picture frame exports status_strip",
        "motion_judge motion_panel referee_panel panel browser",
        "screen navigator panels event_router window",
        "headless window_timing tour loop",
    ),
    "engine.app.panels": (
        "dock buttons sheet",
        "asking_dock files_dock timeline_dock recording_dock menu_dock",
        "plot_dock event_dock step_dock camera_dock people_dock inspector_dock network_dock tools_dock dock_area",
    ),
    "engine.cli": (
        "options output report_folder film",
        "list bench references study_chart studies solvers_page solvers doctor scene",
        "trace_result trace check compare motion fire atlas_map atlas",
        "run_pair run host join netlab_page netlab step_result step_quiz step_own step replay start main",
    ),
}

# An oracle shares no algorithm with what it judges; drawing never computes collision.
_PLAIN = {"engine.common", "engine.geometry", "engine.contracts"}
_COLLISION = {f"engine.{room}" for room in ("bounding", "broadphase", "narrowphase", "continuous", "query")}
LIMITS = {
    "engine.world": _PLAIN,
    "engine.box2d": _PLAIN | {"engine.world"},
    "engine.dynamics": _PLAIN | _COLLISION | {"engine.world"},
    "engine.render": _PLAIN | {"engine.bounding"},
}

# Libraries that only some layers may see.
LIBRARIES = {
    "Box2D": {"engine.box2d"},
    "pygame": {"engine.render", "engine.app", "sprites"},
    "pygame_gui": {"engine.app"},
    "typer": {"engine.cli"},
    "scipy": set(),
    "shapely": {"engine.decompose"},
    "PIL": {"engine.decompose", "engine.app"},
    "imageio_ffmpeg": {"engine.app"},
    "contourpy": {"engine.decompose"},
    "tinycss2": {"engine.decompose"},
    "cssselect2": {"engine.decompose"},
    "msgspec": {"engine.net"},
    "websockets": {"engine.net"},
}


def _sources() -> list[Path]:
    found = [path for folder in ("engine", "demos", "sprites") for path in (ROOT / folder).rglob("*.py")]
    return [*sorted(found), ROOT / "main.py"]


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _layer(module: str) -> str | None:
    return next((layer for layer in LAYERS if module == layer or module.startswith(layer + ".")), None)


@cache
def _import_statements(path: Path) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Every import of a file, wherever in it the statement stands."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every module that a file imports, wherever in it the import stands: (line, absolute name)."""
    package = _module(path).split(".") if path.name == "__init__.py" else _module(path).split(".")[:-1]
    for node in _import_statements(path):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        else:
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            yield node.lineno, origin
            for alias in node.names:  # `from engine import query` names a module
                if _layer(f"{origin}.{alias.name}") is not None:
                    yield node.lineno, f"{origin}.{alias.name}"


# What exists to judge Box2D, or tells what it found of it: all others know `engine.world` alone, and load a solver by its name.
KNOWS_BOX2D = (
    "engine.box2d",
    "engine.compare",
    "engine.check",
    "engine.experiments.limitations.missed_touch",
    "engine.experiments.step_curve",
)


@pytest.mark.parametrize("path", _sources(), ids=_module)
def test_only_what_judges_box2d_knows_it(path: Path) -> None:
    module = _module(path)
    if not any(module == one or module.startswith(one + ".") for one in KNOWS_BOX2D):
        found = [
            f"{path}:{line}: imports {name}" for line, name in _imports(path) if name == "engine.box2d" or name.startswith("engine.box2d.")
        ]
        assert not found, "\n".join(found)


@pytest.mark.parametrize("path", _sources(), ids=_module)
def test_imports_follow_the_layers(path: Path) -> None:
    module = _module(path)
    layer = _layer(module)
    wrong = []
    for line, name in _imports(path):
        target = _layer(name)
        if target is not None and target != layer:
            if layer is None or LAYERS.index(target) > LAYERS.index(layer):
                wrong.append(f"{path}:{line}: {layer or module} may not import {name}")
            elif layer in LIMITS and target not in LIMITS[layer]:
                wrong.append(f"{path}:{line}: {layer} sees only {', '.join(sorted(LIMITS[layer]))}, not {name}")
        library = name.partition(".")[0]
        if library in LIBRARIES and layer not in LIBRARIES[library]:
            wrong.append(f"{path}:{line}: {layer or module} may not import {library}")
    assert not wrong, "\n".join(wrong)


def _part(module: str) -> int | None:
    """Where among the parts of the referee a module belongs."""
    return next((at for at, part in enumerate(REFEREE) if module == part or module.startswith(part + ".")), None)


@pytest.mark.parametrize("path", sorted((ROOT / "engine" / "compare").rglob("*.py")), ids=_module)
def test_the_referee_can_be_read_from_the_start(path: Path) -> None:
    own = -1 if _module(path) == "engine.compare" else _part(_module(path))
    assert own is not None, f"{path}: has no place in the order"
    later = [f"{path}:{line}: imports {name}" for line, name in _imports(path) if (_part(name) or 0) > own]
    assert not later, "\n".join(later)


def _place(room: str, module: str) -> int | None:
    """Where in a room a module stands; -1 for the room itself, None for what is not in it."""
    if module == room:
        return -1
    if not module.startswith(room + "."):
        return None
    return " ".join(ROOMS[room]).split().index(module[len(room) + 1 :].partition(".")[0])


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_can_be_read_from_the_start(room: str) -> None:
    names = " ".join(ROOMS[room]).split()
    folder = ROOT / room.replace(".", "/")
    assert sorted(names) == sorted(path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists())[1:]
    later = []
    for path in sorted(folder.rglob("*.py")):
        own = _place(room, _module(path))
        assert own is not None
        for line, name in _imports(path):
            target = _place(room, name)
            if target is not None and own >= 0 and target > own:
                later.append(f"{path}:{line}: imports {name}")
    assert not later, "\n".join(later)


def _depends(path: Path, modules: set[str]) -> set[str]:
    """Return the modules that a file imports; of `from package import module` that module, and not the package around it."""
    names = {name for _, name in _imports(path)} & modules
    return {name for name in names if not _is_only_passed(path, name, names)} - {_module(path)}


def _is_only_passed(path: Path, package: str, names: set[str]) -> bool:
    """Tell whether a package is named only on the way to modules in it."""
    taken = {
        f"{node.module}.{alias.name}"
        for node in _import_statements(path)
        if isinstance(node, ast.ImportFrom) and node.module == package
        for alias in node.names
    }
    return bool(taken) and taken <= names


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports for the sake of types, and those inside functions, count as well."""
    paths = {_module(path): path for path in _sources()}
    graph = {module: _depends(path, set(paths)) for module, path in paths.items()}
    while True:  # take away what imports nothing that is left, and what nothing that is left imports
        imported: set[str] = set().union(*graph.values())
        loose = [module for module, wanted in graph.items() if not wanted & graph.keys() or module not in imported]
        if not loose:
            break
        for module in loose:
            del graph[module]
    assert {module: sorted(wanted & graph.keys()) for module, wanted in graph.items()} == {}


def test_every_package_of_the_engine_has_a_place_among_the_layers() -> None:
    packages = {f"engine.{path.parent.name}" for path in (ROOT / "engine").glob("*/*.py")}
    assert packages <= set(LAYERS), packages - set(LAYERS)


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {path.parent for path in _sources() if path.parent != ROOT}
    assert [str(folder) for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []


def test_packages_name_what_they_hand_out() -> None:
    """A package that imports names for its callers lists them in `__all__`; what checks that a library is there is for itself."""
    own_use = ("__future__", "engine.common.installation")
    without = []
    for path in (ROOT / "engine").rglob("__init__.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        hands_out = any(isinstance(node, ast.ImportFrom) and node.module not in own_use for node in tree.body)
        lists = any(isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__" for node in tree.body)
        if hands_out and not lists:
            without.append(_module(path))
    assert without == []
