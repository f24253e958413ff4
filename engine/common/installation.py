"""How this program is installed: what it is called with, which parts are there, and how one that is missing is had.

The collision library needs NumPy and Numba. All else is for the laboratory, the extra ``lab`` of the distribution; a package that needs
a part of it says so with `require` where it is entered, and who lacks the part reads its name and the line that installs it.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from engine.common.errors import LabError

__all__ = ["COMMAND", "DISTRIBUTION", "INSTALL", "LAB", "MissingPartError", "is_checkout", "program", "require", "told_missing"]

DISTRIBUTION = "collision-laboratory"
COMMAND = "collision-lab"
"""The script that an installation makes."""

LAB = {
    "Box2D": "Box2D",
    "contourpy": "contourpy",
    "cssselect2": "cssselect2",
    "imageio_ffmpeg": "imageio-ffmpeg",
    "jinja2": "Jinja2",
    "matplotlib": "matplotlib",
    "msgspec": "msgspec",
    "PIL": "pillow",
    "pydantic": "pydantic",
    "pygame": "pygame-ce",
    "pygame_gui": "pygame_gui",
    "rich": "rich",
    "shapely": "shapely",
    "tinycss2": "tinycss2",
    "typer": "typer",
    "websockets": "websockets",
}
"""Modules of the laboratory, each with the distribution that brings it."""

INSTALL = 'python -m pip install ".[lab]", or python -m pip install -r requirements.txt for the versions tested, in the project\'s folder'

_ROOT = Path(__file__).resolve().parents[2]


class MissingPartError(LabError, ModuleNotFoundError):
    """A library that is asked for is not installed; the message names it, and the line that installs it."""


def require(*modules: str) -> None:
    """Check, without importing them, that parts of the laboratory are installed.

    Raises
    ------
    MissingPartError
        One is not.
    """
    for module in modules:
        if sys.modules.get(module) is None and find_spec(module) is None:
            raise MissingPartError(told_missing(module), name=module)


def told_missing(module: str) -> str:
    """Say that a library is not installed, and what installs it."""
    distribution = LAB.get(module, module)
    return f"{module} is not installed{'' if distribution == module else f' ({distribution})'}: {INSTALL}"


def is_checkout() -> bool:
    """Tell whether this is the project's own folder, and not an installed copy of its packages."""
    return (_ROOT / "pyproject.toml").is_file()


def program() -> str:
    """Return what a user types to start this program: ``python main.py`` or ``collision-lab``."""
    by_script = os.path.basename(sys.argv[0] if sys.argv else "").partition(".")[0] == COMMAND
    return COMMAND if by_script or not is_checkout() else "python main.py"
