"""Pictures of the steps of an algorithm without a window, for files, pages, strips of film and films."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pygame

from engine.app.files.writing import png_bytes
from engine.contracts.trace import Mark
from engine.render import palette
from engine.render.fonts import FontBook
from engine.render.step_board import divided, parts_of
from engine.render.step_view import ALL_PARTS, StepPicture
from engine.trace.cases import Case
from engine.trace.protocol import Algorithm

__all__ = ["draw_beside", "draw_step", "frame_bytes", "picture_of_case", "step_picture"]


def picture_of_case(algorithm: Algorithm[Any], case: Case, marks: Sequence[Mark] = ()) -> StepPicture:
    """Run an algorithm on a case, and return a painter of its steps, with these marks under each.

    Raises
    ------
    LabError
        As for the query itself.
    """
    return StepPicture(algorithm, (*algorithm.scenery(case), *marks), algorithm.steps(case))


def draw_step(
    picture: StepPicture, k: int, size: tuple[int, int], parts: frozenset[str] = ALL_PARTS, ui_scale: float = 1.0
) -> pygame.Surface:
    """Draw step k on a new surface of `size` pixels, in the present theme."""
    surface = pygame.Surface(size)
    surface.fill(palette.BACKGROUND)
    picture.draw(surface, surface.get_rect(), k, FontBook(ui_scale), parts=parts)
    return surface


def draw_beside(pictures: Sequence[StepPicture], k: int, size: tuple[int, int], fonts: FontBook) -> pygame.Surface:
    """Draw step k of up to four algorithms side by side; a finished one stays at its last step."""
    surface = pygame.Surface(size)
    surface.fill(palette.BACKGROUND)
    for picture, rect in zip(pictures, divided(surface.get_rect(), len(pictures), 2), strict=True):
        picture.draw(surface, rect, k, fonts, parts=parts_of(len(pictures)))
    return surface


def frame_bytes(surface: pygame.Surface) -> bytes:
    """Return a surface as a frame of a film."""
    return pygame.image.tobytes(surface, "RGB")


def step_picture(algorithm: Algorithm[Any], case: Case, k: int, size: tuple[int, int] = (1280, 720), theme: str = "dark") -> bytes:
    """Return step k of an algorithm on a case as a PNG; beyond the last step, the last one.

    Raises
    ------
    LabError
        As for the query itself.
    """
    before = palette.theme_name()
    palette.use_theme(theme)
    try:
        return png_bytes(draw_step(picture_of_case(algorithm, case), k, size))
    finally:
        palette.use_theme(before)
