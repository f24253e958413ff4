"""Film strips of the steppers: four steps of each algorithm on its example, drawn by what draws them in the window."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.contracts.trace import TraceStep

__all__ = ["TOLD", "digest_of", "draw_strip", "frames_of"]

TOLD = "steps"
"""Under this name the PNG keeps a digest of the sentences that were there when it was drawn."""

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
    from engine.app.pictures.step_picture import draw_step, picture_of_case
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
                frame = draw_step(picture, k, _SIZE, frozenset({"views", "sentence", "slider"}))
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
