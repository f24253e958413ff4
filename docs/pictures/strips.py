"""Film strips of the steppers: four steps of each algorithm on its example, drawn by what draws them in the window.

``python -m docs.pictures strips`` draws them, puts each on the page where its algorithm is derived, with the command that opens it, and
writes the table of docs/steppers.md.
"""

from __future__ import annotations

import hashlib
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.contracts.trace import TraceStep
    from engine.trace.protocol import Algorithm

__all__ = ["DOCS", "TOLD", "anchors_of", "digest_of", "draw_strip", "frames_of", "page_of", "section_of", "table_of", "write_pages"]

DOCS = Path(__file__).resolve().parents[1]

TOLD = "steps"
"""Under this name the PNG keeps a digest of the sentences that were there when it was drawn."""

_SECTION = "### Step by step"
_FRAMES, _COLUMNS = 4, 2
_SIZE = (600, 400)
"""Pixels of a frame."""
_GAP = 6
_COLORS = 255
"""Of the PNG's palette: a third of the bytes, and no eye sees it."""


def frames_of(n_steps: int) -> list[int]:
    """Return which steps a strip shows, from 0: the last of each quarter.

    Examples
    --------
    >>> frames_of(16), frames_of(10), frames_of(3)
    ([3, 7, 11, 15], [2, 4, 7, 9], [0, 1, 2])
    """
    n = min(n_steps, _FRAMES)
    return [-(-(k + 1) * n_steps // n) - 1 for k in range(n)]


def digest_of(steps: list[TraceStep]) -> str:
    """Return what changes with the sentences of the steps that a strip shows."""
    shown = "\n".join(steps[k].sentence for k in frames_of(len(steps)))
    return hashlib.blake2b(f"{len(steps)}\n{shown}".encode(), digest_size=8).hexdigest()


def draw_strip(name: str, folder: Path) -> Path:
    """Draw the strip of an algorithm as NAME.png in a folder."""
    import pygame
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    from engine.app.headless import no_screen
    from engine.app.step_picture import draw_step, picture_of_case
    from engine.render import palette
    from engine.trace import algorithm

    chosen = algorithm(name)
    with no_screen():
        before = palette.theme_name()
        palette.use_theme("light")
        try:
            picture = picture_of_case(chosen, chosen.example)
            frames = frames_of(len(picture.steps))
            rows = -(-len(frames) // _COLUMNS)
            columns = min(len(frames), _COLUMNS)
            surface = pygame.Surface((columns * (_SIZE[0] + _GAP) - _GAP, rows * (_SIZE[1] + _GAP) - _GAP))
            surface.fill((255, 255, 255))
            for place, k in enumerate(frames):
                frame = draw_step(picture, k, _SIZE, frozenset({"views", "sentence", "count", "slider"}))
                surface.blit(frame, ((place % _COLUMNS) * (_SIZE[0] + _GAP), (place // _COLUMNS) * (_SIZE[1] + _GAP)))
        finally:
            palette.use_theme(before)
        image = Image.frombytes("RGB", surface.get_size(), pygame.image.tobytes(surface, "RGB"))
    told = PngInfo()
    told.add_text(TOLD, digest_of(list(picture.steps)))
    file = io.BytesIO()
    image.quantize(_COLORS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(file, "PNG", optimize=True, pnginfo=told)
    path = folder / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(file.getvalue())
    return path


def page_of(algorithm: Algorithm[Any]) -> tuple[Path, str]:
    """Return the page where an algorithm is derived, and the anchor on it, or nothing."""
    page, _, anchor = algorithm.page.partition("#")
    return DOCS / (page if "/" in page else f"algorithms/{page}"), anchor


def anchors_of(text: str) -> list[tuple[str, int]]:
    """Return the anchors of the headings of a page, and where they stand.

    Examples
    --------
    >>> anchors_of("# A page\\n## How it works\\n## Two points, once more\\n")
    [('how-it-works', 9), ('two-points-once-more', 25)]
    """
    found = re.finditer(r"^## (.+)$", text, re.MULTILINE)
    return [(re.sub(r"[^\w\- ]", "", one[1].lower()).replace(" ", "-"), one.start()) for one in found]


def section_of(algorithms: list[Algorithm[Any]]) -> str:
    """Return what a page says of the steppers of its algorithms."""
    strips = [f"`python main.py step {one.name}`:\n\n![{one.title}](../img/steppers/{one.name}.png)\n" for one in algorithms]
    return "\n".join([f"{_SECTION}\n", *strips])


def table_of(algorithms: list[Algorithm[Any]]) -> str:
    """Return the table of docs/steppers.md."""
    rows = ["| algorithm | derived in |", "|---|---|"]
    for one in algorithms:
        path, anchor = page_of(one)
        page = path.relative_to(DOCS).as_posix()
        rows.append(f"| `{one.name}` | [{one.title}]({page}{'#' if anchor else ''}{anchor}) |")
    return "\n".join(rows)


def write_pages() -> None:
    """Put the strips on the pages, before the heading after the one that is named, and the table into docs/steppers.md."""
    from engine.trace import algorithm, algorithms

    found = [algorithm(name) for name in algorithms()]
    pages: dict[Path, list[Algorithm[Any]]] = {}
    for one in found:
        pages.setdefault(page_of(one)[0], []).append(one)
    for path, own in pages.items():
        text = re.sub(rf"\n{_SECTION}\n.*?(?=\n## )", "", path.read_text("utf-8"), flags=re.DOTALL)
        headings = anchors_of(text)
        named = [k for k, (anchor, _) in enumerate(headings) if anchor == page_of(own[0])[1]]
        at = headings[min((named[0] if named else 0) + 1, len(headings) - 1)][1]
        path.write_text(f"{text[:at].rstrip()}\n\n{section_of(own)}\n{text[at:]}", "utf-8")
    steppers = DOCS / "steppers.md"
    head, begin, rest = steppers.read_text("utf-8").partition("<!-- algorithms -->\n")
    _, end, tail = rest.partition("<!-- /algorithms -->")
    steppers.write_text(f"{head}{begin}{table_of(found)}\n{end}{tail}", "utf-8")
