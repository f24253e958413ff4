"""Draw the pictures of docs/algorithms and docs/dynamics, each from answers, traces and runs of the library itself, and those of the
window, for seeing.md and hands.md; and the film strips of the steppers.

python -m docs.pictures            all of them, into docs/img/algorithms, docs/img/dynamics, docs/img and docs/img/steppers
python -m docs.pictures gjk epa    some
python -m docs.pictures docks      those of the window
python -m docs.pictures shared     two windows on one world, docs/img/shared_sandbox.png
python -m docs.pictures strips     the film strips, or `strips gjk epa` some
python -m docs.pictures network_methods FILE    that of docs/network.md, from the `--json` of its command

Each module here but `kit`, `docks`, `shared`, `network_methods` and `strips`, and each in `dynamics`, is the picture of the page of that
name: its `picture()` returns a figure of 900 x 600 pixels (`kit.new`).
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
from docs.pictures.network_methods import draw_methods
from docs.pictures.shared import draw_shared

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["DYNAMICS", "IMAGES", "PICTURES", "draw", "figure_of", "folder_of", "main"]

IMAGES = Path(__file__).resolve().parents[1] / "img"

DYNAMICS = tuple(sorted(module.name for module in pkgutil.iter_modules(dynamics.__path__)))
_OTHERS = ("__main__", "kit", "docks", "shared", "network_methods", "dynamics", "strips")
PICTURES = (*sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name not in _OTHERS), *DYNAMICS)
WINDOW, SHARED, STRIPS = "docks", "shared", "strips"


def folder_of(name: str) -> Path:
    """Return where the picture of that name is kept."""
    return IMAGES / ("dynamics" if name in DYNAMICS else "algorithms")


def figure_of(name: str) -> Figure:
    """Return the figure of one page; its caller closes it."""
    package = dynamics.__name__ if name in DYNAMICS else __name__
    picture: Callable[[], Figure] = importlib.import_module(f"{package}.{name}").picture
    return picture()


def draw(name: str, folder: Path | None = None) -> Path:
    """Draw the picture of one page as a PNG file in `folder`, or where it is kept."""
    from matplotlib import pyplot

    figure = figure_of(name)
    path = (folder or folder_of(name)) / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100, pil_kwargs={"optimize": True})
    pyplot.close(figure)
    return path


def main(names: list[str]) -> int:
    """Draw the pictures of those names, or all."""
    import matplotlib

    if names[:1] == ["network_methods"] and len(names) == 2:
        draw_methods(Path(names[1]), IMAGES / "network_methods.png")
        return 0
    if names[:1] == [STRIPS]:
        return _draw_strips(names[1:])
    known = (*PICTURES, WINDOW, SHARED, STRIPS)
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"no picture {unknown[0]!r}: one of {', '.join(known)}", file=sys.stderr)
        return 2
    matplotlib.use("Agg")
    for name in names or known:
        if name == WINDOW:
            draw_window(IMAGES)
        elif name == SHARED:
            draw_shared(IMAGES / "shared_sandbox.png")
        elif name == STRIPS:
            _draw_strips([])
        else:
            draw(name)
    return 0


def _draw_strips(names: list[str]) -> int:
    """Draw the strips of those algorithms, or of all, and put all that there are on their pages."""
    from docs.pictures.strips import draw_strip, write_pages
    from engine.trace import algorithms

    unknown = [name for name in names if name not in algorithms()]
    if unknown:
        print(f"no stepper {unknown[0]!r}: one of {', '.join(algorithms())}", file=sys.stderr)
        return 2
    for name in names or algorithms():
        draw_strip(name, IMAGES / "steppers")
    write_pages()
    return 0
