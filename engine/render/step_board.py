"""An algorithm step by step, or up to four side by side on the same case, in a view whose camera looks at the plane."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import pygame

from engine.contracts.trace import Question
from engine.render.camera import Camera, Place
from engine.render.canvas import Canvas
from engine.render.controls import Control
from engine.render.fonts import FontBook
from engine.render.step_view import ALL_PARTS, StepPicture, StepPlaces, draw_slider, slider_height

__all__ = ["board_margins", "divided", "draw_board", "parts_of"]

_SPOT = 11.0
"""Radius within which a click selects an answer in the picture, design pixels."""


def board_margins(pictures: Sequence[StepPicture], width: float, height: float, ui_scale: float) -> tuple[float, float, float]:
    """Return the margins at the top, the right and the bottom of the first plane that `draw_board` covers, pixels."""
    if not pictures:
        return 0.0, 0.0, 0.0
    fonts = _fonts(ui_scale)
    plane = _places((0, 0, round(width), round(height)), pictures, fonts)[0][1]
    top = plane.top + pictures[0].title_height(plane, fonts)
    return float(top), width - plane.right, height - plane.bottom


def draw_board(
    canvas: Canvas,
    pictures: Sequence[StepPicture],
    k: int,
    parameter: str,
    question: Question | None = None,
    chosen: int | None = None,
) -> list[StepPlaces]:
    """Draw step k of each algorithm with a common slider, and record the controls: the slider, which sets the demo's `parameter`
    to a step counted from 1, links to pages, and the planes of the others.

    The canvas already has the background of the first picture. A `question` is also about the first picture, see `StepPicture.draw`; its
    answers press their keys.
    """
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
            canvas.controls.all += _answers(places, shown_question.keys, canvas.ui_scale)
        canvas.controls.views.append((plane, camera))
        if places.link.width:
            canvas.controls.all.append(Control(places.link, page=picture.algorithm.page))
    n, track = max(len(picture.steps) for picture in pictures), drawn[0].track
    if len(pictures) > 1:
        track = draw_slider(canvas.surface, _slider_place(pygame.Rect(canvas.camera.view), canvas.fonts), k, n, canvas.fonts)
    if n > 1 and track.width:
        canvas.controls.all.append(Control(track, parameter, (1.0, float(n))))
    return drawn


def _answers(places: StepPlaces, keys: Sequence[str], ui_scale: float) -> list[Control]:
    """Return the controls of the answers: buttons, and places in the picture."""
    reach = round(_SPOT * ui_scale)
    spots = [pygame.Rect(round(x) - reach, round(y) - reach, 2 * reach, 2 * reach) for x, y in places.answer_places]
    return [Control(place, key=key) for some in (places.answers, spots) for place, key in zip(some, keys, strict=False) if key]


@lru_cache(4)
def _fonts(ui_scale: float) -> FontBook:
    return FontBook(ui_scale)


def parts_of(n: int) -> frozenset[str]:
    """Return the parts of each of n pictures: one has its own slider, several share one; two have room for pseudocode."""
    return ALL_PARTS if n == 1 else ALL_PARTS - {"slider"} if n == 2 else ALL_PARTS - {"slider", "code"}


def _slider_place(view: pygame.Rect, fonts: FontBook) -> pygame.Rect:
    """Return the place of the common slider, at the bottom of the view."""
    height = slider_height(fonts)
    return pygame.Rect(view.left, view.bottom - height, view.width, height)


def divided(rect: pygame.Rect, n: int, columns: int) -> list[pygame.Rect]:
    """Divide a rectangle into n equal parts, row by row."""
    columns = min(columns, n)
    width, height = rect.width // columns, rect.height // -(-n // columns)
    return [pygame.Rect(rect.left + k % columns * width, rect.top + k // columns * height, width, height) for k in range(n)]


def _places(view: Place, pictures: Sequence[StepPicture], fonts: FontBook) -> list[tuple[pygame.Rect, pygame.Rect]]:
    """Return the rectangles of the pictures and of their planes, side by side or stacked, whichever makes the planes larger."""
    arrangements, room = [], pygame.Rect(view)
    if len(pictures) > 1:
        room.height = max(_slider_place(room, fonts).top - room.top, 1)
    for columns in (1, 2):
        rects = divided(room, len(pictures), columns)
        layouts = [picture.layout(rect, fonts, parts_of(len(pictures))) for picture, rect in zip(pictures, rects, strict=True)]
        planes = [layout.views[picture.algorithm.views[0].name] for picture, layout in zip(pictures, layouts, strict=True)]
        arrangements.append((min(min(plane.size) for plane in planes), list(zip(rects, planes, strict=True))))
    return max(arrangements, key=lambda arrangement: arrangement[0])[1]
