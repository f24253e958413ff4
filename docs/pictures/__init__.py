"""Draw the pictures of docs/algorithms, each from answers and traces of the library itself, and those of the window, for seeing.md and
hands.md.

python -m docs.pictures            all of them, into docs/img/algorithms and docs/img
python -m docs.pictures gjk epa    some
python -m docs.pictures docks      those of the window

Each module here but `kit` and `docks` is the picture of the page of that name: its `picture()` returns a figure of 900 x 600 pixels
(`kit.new`).
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from docs.pictures.docks import draw_window

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FOLDER", "PICTURES", "draw", "main"]

FOLDER = Path(__file__).resolve().parents[1] / "img" / "algorithms"

PICTURES = tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name not in ("__main__", "kit", "docks")))
WINDOW = "docks"


def draw(name: str, folder: Path = FOLDER) -> Path:
    """Draw the picture of one page as a PNG file in `folder`."""
    from matplotlib import pyplot

    picture: Callable[[], Figure] = importlib.import_module(f"{__name__}.{name}").picture
    figure = picture()
    path = folder / f"{name}.png"
    figure.savefig(path, dpi=100)
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
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in names or (*PICTURES, WINDOW):
        if name == WINDOW:
            draw_window(FOLDER.parent)
        else:
            draw(name)
    return 0
