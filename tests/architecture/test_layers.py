"""Each layer imports only from those above it; this is checked for the imports of every module."""

import ast
import os
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Each layer imports only from those before it, and from itself.
LAYERS = (
    "engine.common",
    "engine.geometry",
    "engine.contracts",
    "engine.report",
    "engine.broadphase",
    "engine.narrowphase",
    "engine.bounding",
    "engine.decompose",
    "engine.continuous",
    "engine.query",
    "engine.world",
    "engine.box2d",
    "engine.box2d3",
    "engine.chipmunk",
    "engine.dynamics",
    "engine.compare",
    "engine.check",
    "engine.scenes",
    "engine.trace",
    "engine.experiments",
    "engine.sim",
    "engine.demo",
    "engine.net",
    "engine.render",
    "engine.player",
    "engine.ui",
    "engine.app",
    "engine.cli",
    "engine.__main__",
    "sprites",
    "demos",
    "main",
)

# An oracle shares no algorithm with what it judges; drawing never computes collision.
_PLAIN = {"engine.common", "engine.geometry", "engine.contracts"}
_COLLISION = {f"engine.{room}" for room in ("bounding", "broadphase", "narrowphase", "continuous", "query")}
LIMITS = {
    "engine.world": _PLAIN,
    "engine.box2d": _PLAIN | {"engine.world"},
    "engine.box2d3": _PLAIN | {"engine.world"},
    "engine.chipmunk": _PLAIN | {"engine.world"},
    "engine.dynamics": _PLAIN | _COLLISION | {"engine.world"},
    "engine.render": _PLAIN | {"engine.bounding"},
    "engine.player": _PLAIN | {"engine.report", "engine.world", "engine.trace", "engine.sim", "engine.render"},
}

# Libraries that only some layers may see.
LIBRARIES = {
    "Box2D": {"engine.box2d"},
    "pyb2d3": {"engine.box2d3"},
    "pymunk": {"engine.chipmunk"},
    "pygame": {"engine.render", "engine.ui", "engine.app", "sprites"},
    "typer": {"engine.cli"},
    "scipy": set(),
    "shapely": {"engine.bounding", "engine.decompose"},
    "PIL": {"engine.scenes", "engine.decompose", "engine.app"},
    "imageio": {"engine.app"},
    "platformdirs": {"engine.app"},
    "imageio_ffmpeg": {"engine.app"},
    "contourpy": {"engine.decompose"},
    "wasmtime": {"engine.decompose"},
    "websockets": {"engine.net"},
    "jinja2": {"engine.report", "engine.player"},
}


def _sources():
    walks = (os.walk(ROOT / folder) for folder in ("engine", "demos", "sprites"))  # unlike rglob, it passes over folders that vanish
    paths = [Path(folder) / name for walk in walks for folder, _, names in walk for name in names if name.endswith(".py")]
    return [*sorted(paths), ROOT / "main.py"]


def _module(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _layer(module):
    return next((layer for layer in LAYERS if module == layer or module.startswith(layer + ".")), None)


@cache
def _import_statements(path):
    """Every import of a file, anywhere in it."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))


def _imports(path):
    """Every module that a file imports, anywhere in it: (line, absolute name)."""
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


# Only the modules that judge Box2D import it; all others import `engine.world` and load a solver by its name.
KNOWS_BOX2D = (
    "engine.box2d",
    "engine.compare",
    "engine.check",
    "engine.experiments.limitations.missed_touch",
    "engine.experiments.step_curve",
)


def _all_imports():
    assert len(_sources()) > 500
    for path in _sources():
        for line, name in _imports(path):
            yield path, line, name


def test_only_packages_that_compare_with_box2d_import_it():
    wrong = [
        f"{path}:{line}: imports {name}"
        for path, line, name in _all_imports()
        if f"{name}.".startswith("engine.box2d.") and not f"{_module(path)}.".startswith(tuple(f"{judge}." for judge in KNOWS_BOX2D))
    ]
    assert not wrong, "\n".join(wrong)


def test_imports_follow_the_layers():
    wrong = []
    for path, line, name in _all_imports():
        module, target = _module(path), _layer(name)
        layer = _layer(module)
        if target is not None and target != layer:
            if layer is None or LAYERS.index(target) > LAYERS.index(layer):
                wrong.append(f"{path}:{line}: {layer or module} may not import {name}")
            elif layer in LIMITS and target not in LIMITS[layer]:
                wrong.append(f"{path}:{line}: {layer} sees only {', '.join(sorted(LIMITS[layer]))}, not {name}")
        library = name.partition(".")[0]
        if library in LIBRARIES and layer not in LIBRARIES[library]:
            wrong.append(f"{path}:{line}: {layer or module} may not import {library}")
    assert not wrong, "\n".join(wrong)


def _depends(path, modules):
    """Return the modules that a file imports; for `from package import module`, that module and not its package."""
    names = {name for _, name in _imports(path)} & modules
    return {name for name in names if not _is_only_passed(path, name, names)} - {_module(path)}


def _is_only_passed(path, package, names):
    """Return whether a package is named only as a prefix of its modules."""
    modules = {
        f"{node.module}.{alias.name}"
        for node in _import_statements(path)
        if isinstance(node, ast.ImportFrom) and node.module == package
        for alias in node.names
    }
    return bool(modules) and modules <= names


def test_no_modules_import_each_other_cyclically():
    """Imports for type checking and inside functions count too."""
    paths = {_module(path): path for path in _sources()}
    graph = {module: _depends(path, set(paths)) for module, path in paths.items()}
    while True:  # take away what imports nothing that is left, and what nothing that is left imports
        imported = set().union(*graph.values())
        loose = [module for module, needed in graph.items() if not needed & graph.keys() or module not in imported]
        if not loose:
            break
        for module in loose:
            del graph[module]
    assert {module: sorted(needed & graph.keys()) for module, needed in graph.items()} == {}


def test_every_engine_package_belongs_to_a_layer():
    packages = {f"engine.{path.parent.name}" for path in (ROOT / "engine").glob("*/*.py")}
    assert packages <= set(LAYERS), packages - set(LAYERS)


def test_every_folder_of_modules_is_a_package():
    folders = {path.parent for path in _sources() if path.parent != ROOT}
    assert [str(folder) for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []


def test_packages_list_their_exports():
    """A package that imports names for its callers lists them in `__all__`, except for imports that only check for a library."""
    own_use = ("__future__", "engine.common.installation")
    without = []
    for path in (ROOT / "engine").rglob("__init__.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        hands_out = any(isinstance(node, ast.ImportFrom) and node.module not in own_use for node in tree.body)
        lists = any(isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__" for node in tree.body)
        if hands_out and not lists:
            without.append(_module(path))
    assert without == []
