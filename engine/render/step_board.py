"""One algorithm step by step, or up to four side by side on the same case, in the view of a window whose camera looks at the plane."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import pygame

from engine.contracts.trace import Question
from engine.render.camera import Camera, Place
from engine.render.canvas import Canvas
from engine.render.controls import Control
from engine.render.fonts import FontBook
from engine.render.step_view import ALL_PARTS, StepPicture, StepPlaces

__all__ = ["board_margins", "divided", "draw_board", "parts_of"]

_SPOT = 11.0
"""Radius within which a click selects an answer in the picture, design pixels."""


def board_margins(pictures: Sequence[StepPicture], width: float, height: float, ui_scale: float) -> tuple[float, float, float]:
    """Return what `draw_board` covers of a view at the top, the right and the bottom of the plane of the first, pixels."""
    if not pictures:
        return 0.0, 0.0, 0.0
    plane = _places((0, 0, round(width), round(height)), pictures, _fonts(ui_scale))[0][1]
    return float(plane.top), width - plane.right, height - plane.bottom


def draw_board(
    canvas: Canvas,
    pictures: Sequence[StepPicture],
    k: int,
    parameter: str,
    question: Question | None = None,
    chosen: int | None = None,
    keys: Sequence[str] = (),
) -> list[StepPlaces]:
    """Draw step k of each, and note on the canvas what a hand can use: sliders that set the demo's `parameter` to a step counted from 1,
    links to pages, and the planes of the others. The canvas has the ground of the first, and so is a `question`: see `StepPicture.draw`;
    its answers press these `keys`."""
    drawn: list[StepPlaces] = []
    own: Camera | None = None
    for picture, (rect, plane) in zip(pictures, _places(canvas.camera.view, pictures, canvas.fonts), strict=True):
        view = (plane.left, plane.top, plane.width, plane.height)
        if own is None:
            own = camera = canvas.camera.cut(view)
        else:  # the same part of the world
            shrunk = min(1.0, plane.width / max(own.view[2], 1), plane.height / max(own.view[3], 1))
            camera = Camera(own.center, own.scale * shrunk, view)
        shown_question = None if drawn else question
        places = picture.draw(
            canvas.surface, rect, k, canvas.fonts, camera=camera, has_ground=bool(drawn), discs=canvas.discs, room=canvas.room,
            question=shown_question, chosen=chosen, parts=parts_of(len(pictures)),
        )  # fmt: skip
        drawn.append(places)
        if shown_question is not None and chosen is None:
            canvas.controls.all += _answers(places, keys, canvas.ui_scale)
        canvas.controls.views.append((plane, camera))
        n = len(picture.steps)
        if n > 1 and places.track.width:
            canvas.controls.all.append(Control(places.track, parameter, (1.0, float(n))))
        if places.link.width:
            canvas.controls.all.append(Control(places.link, page=picture.algorithm.page))
    return drawn


def _answers(places: StepPlaces, keys: Sequence[str], ui_scale: float) -> list[Control]:
    """Return the controls of the answers: buttons, and places in the picture."""
    reach = round(_SPOT * ui_scale)
    spots = [pygame.Rect(round(x) - reach, round(y) - reach, 2 * reach, 2 * reach) for x, y in places.answer_places]
    return [Control(place, key=key) for some in (places.answers, spots) for place, key in zip(some, keys, strict=False)]


@lru_cache(4)
def _fonts(ui_scale: float) -> FontBook:
    return FontBook(ui_scale)


def parts_of(n: int) -> frozenset[str]:
    """Return the parts that each of n pictures has room for; pseudo-code only in up to two."""
    return ALL_PARTS if n < 3 else ALL_PARTS - {"code"}


def divided(rect: pygame.Rect, n: int, columns: int) -> list[pygame.Rect]:
    """Return n equal parts of a rectangle, row by row."""
    columns = min(columns, n)
    width, height = rect.width // columns, rect.height // -(-n // columns)
    return [pygame.Rect(rect.left + k % columns * width, rect.top + k // columns * height, width, height) for k in range(n)]


def _places(view: Place, pictures: Sequence[StepPicture], fonts: FontBook) -> list[tuple[pygame.Rect, pygame.Rect]]:
    """Return the rectangle of each picture and of its plane, side by side or stacked, whichever leaves larger planes."""
    arrangements = []
    for columns in (1, 2):
        rects = divided(pygame.Rect(view), len(pictures), columns)
        layouts = [picture.layout(rect, fonts, parts_of(len(pictures))) for picture, rect in zip(pictures, rects, strict=True)]
        planes = [layout.views[picture.algorithm.views[0].name] for picture, layout in zip(pictures, layouts, strict=True)]
        arrangements.append((min(min(plane.size) for plane in planes), list(zip(rects, planes, strict=True))))
    return max(arrangements, key=lambda arrangement: arrangement[0])[1]
