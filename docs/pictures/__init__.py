"""Draw the pictures of docs/algorithms and docs/dynamics, each from answers, traces and runs of the library itself, and those of the
window, for seeing.md and hands.md.

python -m docs.pictures            all of them, into docs/img/algorithms, docs/img/dynamics and docs/img
python -m docs.pictures gjk epa    some
python -m docs.pictures docks      those of the window

Each module here but `kit` and `docks`, and each in `dynamics`, is the picture of the page of that name: its `picture()` returns a figure of
900 x 600 pixels (`kit.new`).
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from docs.pictures import dynamics
from docs.pictures.docks import draw_window

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["DYNAMICS", "IMAGES", "PICTURES", "draw", "folder_of", "main"]

IMAGES = Path(__file__).resolve().parents[1] / "img"

DYNAMICS = tuple(sorted(module.name for module in pkgutil.iter_modules(dynamics.__path__)))
_OTHERS = ("__main__", "kit", "docks", "dynamics")
PICTURES = (*sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name not in _OTHERS), *DYNAMICS)
WINDOW = "docks"


def folder_of(name: str) -> Path:
    """Return where the picture of that name is kept."""
    return IMAGES / ("dynamics" if name in DYNAMICS else "algorithms")


def draw(name: str, folder: Path | None = None) -> Path:
    """Draw the picture of one page as a PNG file in `folder`, or where it is kept."""
    from matplotlib import pyplot

    package = dynamics.__name__ if name in DYNAMICS else __name__
    picture: Callable[[], Figure] = importlib.import_module(f"{package}.{name}").picture
    figure = picture()
    path = (folder or folder_of(name)) / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100, pil_kwargs={"optimize": True})
    pyplot.close(figure)
    return path


def main(names: list[str]) -> int:
    """Draw the pictures of those names, or all."""
    import matplotlib

    unknown = [name for name in names if name not in (*PICTURES, WINDOW)]
    if unknown:
        print(f"no picture {unknown[0]!r}: one of {', '.join((*PICTURES, WINDOW))}", file=sys.stderr)
        return 2
    matplotlib.use("Agg")
    for name in names or (*PICTURES, WINDOW):
        if name == WINDOW:
            draw_window(IMAGES)
        else:
            draw(name)
    return 0
