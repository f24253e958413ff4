"""Draws one step of an algorithm: its views, the pseudocode with the current line, the sentence, and the slider of all steps.

    +----------------------------+------------------+
    | title                                    page |
    +----------------------------+------------------+
    |                            | other views      |
    |  plane                     |                  |
    |                            +------------------+
    |                            | pseudocode      |
    +----------------------------+------------------+
    | what happened and why, in a sentence          |
    | step 3 of 12  ----o-----------    supports 5  |
    +-----------------------------------------------+

In a narrow rectangle the pseudocode is below the views. The same code draws the window, pictures, films and film strips.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import pygame

from engine.common.arrays import FloatArray
from engine.contracts.trace import Mark, Point, Question, TraceStep, View
from engine.geometry.aabb import AABB
from engine.render import palette
from engine.render.backdrop import draw_backdrop, draw_scale_bar, scale_bar_length
from engine.render.camera import Camera
from engine.render.canvas import Canvas
from engine.render.fonts import FontBook, LabelRoom
from engine.render.marks import draw_marks
from engine.render.palette import Color, mix
from engine.render.plot import number_words, ticks
from engine.render.raster import DiscBook
from engine.render.roles import ROLE_WORDS, marks_of, role_color, view_box

__all__ = ["ALL_PARTS", "AlgorithmFacts", "Aside", "StepLayout", "StepPicture", "StepPlaces", "draw_slider", "slider_height"]

ALL_PARTS = frozenset({"title", "views", "code", "sentence", "count", "slider"})
"""Optional parts of a picture; the plane is always there, "views" are the other views, "count" the number of the step and its costs."""

_TITLE, _LINK, _CODE, _MIN_CODE, _WORDS, _SMALL = 15.0, 12.0, 12.0, 10.0, 14.0, 11.0
"""Font sizes, design pixels."""
_HEAD, _TITLE_ROW, _SLIDER, _COSTS_ROW, _CODE_ROW, _LEGEND_ROW, _WORDS_ROW, _PAD = 26.0, 20.0, 28.0, 18.0, 17.0, 16.0, 19.5, 10.0
_MIN_TRACK = 120.0
"""Minimum length of a slider with the costs beside it, design pixels; in less room, they are below it."""
_WIDE = 760.0
"""Width from which a sentence gets two lines; narrower pictures reserve three, design pixels. Longer ones have up to `_MAX_LINES`, and
up to `_MAX_SHARE` of the height."""
_MAX_LINES, _MAX_SHARE = 9, 0.38
_MIN_VIEW = 120.0
"""Minimum side of a view, design pixels; smaller ones are left out in favor of the plane."""
_COLUMN = (0.28, 0.44)
"""Minimum and maximum share of the width for a column beside the plane."""
_GUTTER, _FOOT = 50.0, 32.0
"""Margin at the left of and below a plot, design pixels."""


class AlgorithmFacts(Protocol):
    """Facts about an algorithm shown next to its steps; `engine.trace.protocol.Algorithm` has them."""

    @property
    def title(self) -> str: ...
    @property
    def page(self) -> str: ...
    @property
    def pseudo_code(self) -> tuple[str, ...]: ...
    @property
    def views(self) -> tuple[View, ...]: ...


@dataclass(frozen=True, slots=True)
class Aside:
    """Text below the sentence that is not part of the step, such as a score, and the number of rows reserved for it."""

    words: str
    color: Color
    rows: int = 1


@dataclass(frozen=True, slots=True)
class StepLayout:
    """Rectangles of the parts, pixels; empty for parts that there is no room for."""

    head: pygame.Rect
    views: Mapping[str, pygame.Rect]
    code: pygame.Rect
    words: pygame.Rect
    aside: pygame.Rect
    slider: pygame.Rect


@dataclass(frozen=True, slots=True)
class StepPlaces:
    """Positions of the parts of a drawn picture.

    Attributes
    ----------
    layout : StepLayout
    cameras : mapping of str to Camera
        Camera of each view whose axes are positions, by the name of the view.
    track : pygame.Rect
        The slider: its left end is the first step, its right end the last.
    link : pygame.Rect
        The name of the page.
    answers : tuple of pygame.Rect
        The answers of a question, as buttons.
    answer_places : tuple of point
        Places in the picture where the answers can be clicked, pixels.
    """

    layout: StepLayout
    cameras: Mapping[str, Camera] = field(default_factory=dict)
    track: pygame.Rect = field(default_factory=lambda: pygame.Rect(0, 0, 0, 0))
    link: pygame.Rect = field(default_factory=lambda: pygame.Rect(0, 0, 0, 0))
    answers: tuple[pygame.Rect, ...] = ()
    answer_places: tuple[Point, ...] = ()


def _lay_out(
    rect: pygame.Rect, algorithm: AlgorithmFacts, longest: str, rows_aside: int, costs: int, fonts: FontBook, parts: frozenset[str]
) -> StepLayout:
    """Divide a rectangle; the plane is the largest view. `longest` is the longest sentence, `costs` the width of the
    costs' text."""
    ui, nothing = fonts.ui_scale, pygame.Rect(rect.topleft, (0, 0))
    lines = 2 if rect.width >= _WIDE * ui or rect.height < 300 * ui else 3
    needed = len(fonts.wrapped(longest, _WORDS, max(rect.width - round(2 * _PAD * ui), 1))) if "sentence" in parts else 0
    lines = min(max(lines, needed), _MAX_LINES, max(int(_MAX_SHARE * rect.height / (_WORDS_ROW * ui)), 2))
    n_titles = len(_title_lines(rect.width, algorithm, fonts))
    head = round((_HEAD + (n_titles - 1) * _TITLE_ROW) * ui) if "title" in parts and rect.height > 220 * ui else 0
    words = round((lines * _WORDS_ROW + _PAD) * ui) if "sentence" in parts else 0
    beside = costs + round((70.0 + _MIN_TRACK + 5.0 * _PAD) * ui)  # the step's number, the slider, and the costs
    is_costly = costs > 0 and beside > rect.width > 200 * ui and rect.height > 300 * ui
    n_costs = math.ceil(costs / max(rect.width - round(4 * _PAD * ui), 1)) if is_costly else 0
    slider = round((_SLIDER + n_costs * _COSTS_ROW) * ui) if "count" in parts else 0
    aside = round((rows_aside * _WORDS_ROW + 0.4 * _PAD) * ui) if rows_aside and "sentence" in parts else 0
    middle = pygame.Rect(rect.left, rect.top + head, rect.width, max(rect.height - head - words - aside - slider, 1))
    others = algorithm.views[1:] if "views" in parts else ()
    code_size = _code_size(algorithm, fonts)
    best: tuple[float, dict[str, pygame.Rect], pygame.Rect] | None = None
    for is_wide in (True, False):
        for with_code in (True, False) if "code" in parts else (False,):
            for some in (others, ()) if others else ((),):
                views, code = _arranged(middle, algorithm.views[0], some, fonts.ui_scale, is_wide, code_size if with_code else (0, 0))
                score = _score(list(views.values()), code, code_size[0], len(others), fonts.ui_scale)
                if best is None or score > best[0]:
                    best = score, views, code
    assert best is not None
    return StepLayout(
        pygame.Rect(rect.left, rect.top, rect.width, head), best[1], best[2] if best[2].width else nothing,
        pygame.Rect(rect.left, middle.bottom, rect.width, words), pygame.Rect(rect.left, middle.bottom + words, rect.width, aside),
        pygame.Rect(rect.left, middle.bottom + words + aside, rect.width, slider),
    )  # fmt: skip


def _arranged(
    room: pygame.Rect, first: View, others: Sequence[View], ui: float, is_wide: bool, code_size: tuple[int, int]
) -> tuple[dict[str, pygame.Rect], pygame.Rect]:
    """Return the rectangles of the views and the pseudocode, in a column beside the plane or below it."""
    nothing, (wide, high) = pygame.Rect(room.topleft, (0, 0)), code_size
    with_code = wide > 0
    plane, code, rest = room.copy(), nothing, nothing
    if is_wide and (others or with_code):
        column = round(min(max(wide, _COLUMN[0] * room.width), _COLUMN[1] * room.width))
        side = pygame.Rect(room.right - column, room.top, column, room.height)
        plane.width -= column
        high = min(high, round((0.55 if others else 1.0) * room.height))
        code = pygame.Rect(side.left, side.bottom - high, side.width, high) if with_code else nothing
        if with_code and not others:
            code = side
        rest = pygame.Rect(side.left, side.top, side.width, side.height - high)
    else:
        high = min(high, round(0.42 * room.height))
        code = pygame.Rect(room.left, room.bottom - high, room.width, high) if with_code else nothing
        plane.height -= high
        if others:
            share = round((0.45 if len(others) == 1 else 0.4) * room.width)
            rest = pygame.Rect(plane.right - share, plane.top, share, plane.height)
            plane.width -= share
    views = {first.name: plane}
    for k, view in enumerate(others):
        top, bottom = rest.top + k * rest.height // len(others), rest.top + (k + 1) * rest.height // len(others)
        views[view.name] = pygame.Rect(rest.left, top, rest.width, bottom - top)
    if code.height < 3 * _CODE_ROW * ui:
        code = nothing
    return views, code


def _score(views: Sequence[pygame.Rect], code: pygame.Rect, code_width: int, n_wanted: int, ui: float) -> float:
    """Score an arrangement: large views, above all the plane, and pseudocode, unless most of its lines would be broken."""
    sides = [min(view.width, 1.4 * view.height) / ui for view in views]
    score = 2.0 * min(sides[0], 500.0) + 0.2 * sides[0] + sum(min(side, 260.0) for side in sides[1:])
    score -= 400.0 * (min(sides) < _MIN_VIEW) + 400.0 * (sides[0] < _MIN_VIEW) + 250.0 * (n_wanted > 0 and len(views) == 1)
    if code.width:
        score += 500.0 - 450.0 * (code.width * _CODE < code_width * _MIN_CODE)
    return score


def _code_size(algorithm: AlgorithmFacts, fonts: FontBook) -> tuple[int, int]:
    ui = fonts.ui_scale
    width = _widest(algorithm.pseudo_code, _CODE, fonts)
    rows = len(algorithm.pseudo_code) * _CODE_ROW + _LEGEND_ROW
    return width + round(3.2 * _PAD * ui), round((rows + 1.8 * _PAD) * ui)


def _indent(line: str, ui: float) -> int:
    return round(7.0 * ui * (len(line) - len(line.lstrip())))


class StepPicture:
    """Draws the steps of an algorithm.

    Parameters
    ----------
    algorithm : AlgorithmFacts
        Title, page, pseudocode and views, such as an `engine.trace.protocol.Algorithm`.
    scenery : sequence of Mark
        Marks drawn under every step, for all views: `algorithm.scenery(case)`.
    steps : sequence of TraceStep
        At least one: `algorithm.steps(case)`.

    Attributes
    ----------
    aside : Aside or None
        Written below each sentence.
    """

    def __init__(self, algorithm: AlgorithmFacts, scenery: Sequence[Mark], steps: Sequence[TraceStep]) -> None:
        self.algorithm, self.scenery, self.steps = algorithm, tuple(scenery), tuple(steps)
        self.boxes = {view.name: view_box(view, self.scenery, self.steps) for view in algorithm.views}
        """Box shown by each view when fitted, the same for every step."""
        self._curves = {
            view.name: {mark.text for step in self.steps for mark in marks_of(step.marks, view) if mark.form == "label" and mark.text}
            for view in algorithm.views
            if not view.is_plane
        }
        """Names of the curves of the plots, written where the curves end."""
        self.aside: Aside | None = None
        self._layouts: dict[Hashable, StepLayout] = {}
        self._longest = max((step.sentence for step in self.steps), key=len)

    def _costs_width(self, fonts: FontBook) -> int:
        return max(fonts.width(_cost_words(step), 12.0) for step in (self.steps[0], self.steps[-1]))

    def layout(self, rect: pygame.Rect, fonts: FontBook, parts: frozenset[str] = ALL_PARTS) -> StepLayout:
        """Return the places of the parts in a rectangle, the same for every step."""
        rows = 0 if self.aside is None else self.aside.rows
        key = tuple(rect), fonts.ui_scale, rows, parts
        layout = self._layouts.get(key)
        if layout is None:
            layout = self._layouts[key] = _lay_out(rect, self.algorithm, self._longest, rows, self._costs_width(fonts), fonts, parts)
        return layout

    def title_height(self, plane: pygame.Rect, fonts: FontBook) -> int:
        """Return the height of the plane's title, pixels."""
        return _title_of(self.algorithm.views[0], plane, fonts)[-1][1].bottom - plane.top if len(self.algorithm.views) > 1 else 0

    def draw(
        self,
        surface: pygame.Surface,
        rect: pygame.Rect,
        k: int,
        fonts: FontBook,
        *,
        camera: Camera | None = None,
        has_ground: bool = True,
        discs: DiscBook | None = None,
        room: LabelRoom | None = None,
        parts: frozenset[str] = ALL_PARTS,
        question: Question | None = None,
        chosen: int | None = None,
    ) -> StepPlaces:
        """Draw step k into a rectangle of a surface.

        Parameters
        ----------
        surface, rect
            The surface, and the rectangle in pixels.
        k : int
            Number of the step from 0; beyond the last step, the last one is drawn.
        fonts : FontBook
            Kept by the caller between pictures; determines the text size.
        camera : Camera, optional
            The window's camera on the plane; by default the plane is fitted.
        has_ground : bool
            True to draw the plane's background and scale bar; in a window the caller has drawn them.
        discs : DiscBook, optional
            Also kept by the caller.
        room : LabelRoom, optional
            Areas of the surface already occupied by text.
        parts : set of str
            Parts to draw, a subset of `ALL_PARTS`.
        question : Question, optional
            Shown instead of the sentence; the marks are those of the previous step.
        chosen : int, optional
            Index of the chosen answer; the step is then shown, with the correct and the chosen place marked.

        Returns
        -------
        StepPlaces
        """
        k = min(max(k, 0), len(self.steps) - 1)
        step = self.steps[k]
        shown = step if question is None or chosen is not None else self.steps[k - 1] if k else None
        marks = shown.marks if shown is not None else ()
        discs = discs if discs is not None else DiscBook()
        layout = self.layout(rect, fonts, parts)
        clip = surface.get_clip()
        cameras: dict[str, Camera] = {}
        spots: tuple[Point, ...] = ()
        for view in self.algorithm.views:
            place = layout.views.get(view.name)
            if place is None or place.width < 2 or place.height < 2:
                continue
            surface.set_clip(place.clip(clip))
            own = camera if view is self.algorithm.views[0] else None
            canvas, to_canvas = self._canvas_of(
                view, surface, place, fonts, discs, own, has_ground or view is not self.algorithm.views[0], room
            )
            if view.is_plane:
                cameras[view.name] = canvas.camera
            places = question.places if question is not None and question.view == view.name else ()
            if places:
                spots = _pixels(canvas, to_canvas, places)
                _draw_spots(canvas, spots, question, chosen)
            draw_marks(canvas, to_canvas, marks_of(self.scenery, view), marks_of(marks, view))
            surface.set_clip(clip)
            pygame.draw.rect(surface, palette.PANEL_EDGE, place, 1)
        _draw_head(surface, layout.head, self.algorithm, fonts)
        link = _link_place(layout.head, self.algorithm, fonts)
        _draw_code(surface, layout.code, self.algorithm, None if question is not None and chosen is None else step.line, fonts, marks)
        answers: tuple[pygame.Rect, ...] = ()
        if question is not None and chosen is None:
            answers = _draw_question(surface, layout.words, question, fonts)
        else:
            _draw_words(surface, layout.words, step.sentence, palette.TEXT, fonts)
        if self.aside is not None:
            _draw_words(surface, layout.aside, self.aside.words, self.aside.color, fonts, has_edge=False)
        track = self._draw_count(surface, layout.slider, k, fonts, "slider" in parts)
        surface.set_clip(clip)
        return StepPlaces(layout, cameras, track, link, answers, spots)

    def _canvas_of(
        self,
        view: View,
        surface: pygame.Surface,
        place: pygame.Rect,
        fonts: FontBook,
        discs: DiscBook,
        fixed_camera: Camera | None,
        has_ground: bool,
        occupied: LabelRoom | None,
    ) -> tuple[Canvas, _Axes]:
        """Draw the background of a view, and return the canvas and axes for its marks."""
        ui, box = fonts.ui_scale, self.boxes[view.name]
        seen = (place.left, place.top, place.width, place.height)
        room = occupied.part(seen) if occupied is not None else LabelRoom(seen)
        title = _title_of(view, place, fonts)
        if not view.is_plane:
            surface.fill(palette.BACKGROUND, place)
            for words, where in title:
                surface.blit(words, where)
            wide = max((fonts.width(name, 12.0, True) + round(20 * ui) for name in self._curves[view.name]), default=0)
            share = min(wide / max(place.width - round((_GUTTER + 12) * ui), 1), 0.4)
            (x0, y0), (x1, y1) = box.lower, box.upper
            box = AABB((x0, y0), (x1 + (x1 - x0) * share / (1.0 - share), y1))
            return _draw_axes(surface, place, title[-1][1].bottom, box, view, fonts, discs)
        top = title[-1][1].bottom - place.top
        camera = Camera(view=seen).fitted(box, 0.07, (0.0, top, 0.0, 0.4 * top)) if fixed_camera is None else fixed_camera.cut(seen)
        bar = round(scale_bar_length(camera, ui) * camera.scale + 32 * ui), round(34 * ui)
        room.keep_off(pygame.Rect((place.right - bar[0], place.bottom - bar[1]), bar))
        has_words = min(place.size) >= 90 * ui
        canvas = Canvas(surface, camera, fonts, discs, room, has_words=has_words)
        if has_ground:
            draw_backdrop(canvas)
            if has_words:
                draw_scale_bar(canvas)
        if len(self.algorithm.views) > 1 and has_words and all(room.is_free(where) for _, where in title):
            for words, where in title:
                surface.blit(words, where)
                room.take(where)
        return canvas, _Axes()

    def _draw_count(self, surface: pygame.Surface, place: pygame.Rect, k: int, fonts: FontBook, has_slider: bool) -> pygame.Rect:
        """Write the step's number and its costs, with the slider between them; return the slider's track."""
        if not place.height:
            return pygame.Rect(place.topleft, (0, 0))
        ui = fonts.ui_scale
        pygame.draw.rect(surface, palette.PANEL, place)
        left, right = place.left + round(_PAD * ui), place.right - round(_PAD * ui)
        row = pygame.Rect(place.left, place.top, place.width, min(round(_SLIDER * ui), place.height))
        left += _draw_step_number(surface, row, k, len(self.steps), fonts) + round(14 * ui)
        wide = self._costs_width(fonts)
        words = _cost_words(self.steps[k])
        if row.height < place.height:
            for n, line in enumerate(fonts.wrapped(words, 12.0, place.width - round(2 * _PAD * ui))):
                picture = fonts.render(line, 12.0, palette.CAPTION)
                y = row.bottom + round((n * _COSTS_ROW + 0.5 * (_COSTS_ROW - 4.0)) * ui)
                surface.blit(picture, picture.get_rect(midleft=(place.left + round(_PAD * ui), y)))
        elif right - wide - left > (_MIN_TRACK * ui if has_slider else 0):
            picture = fonts.render(words, 12.0, palette.CAPTION)
            surface.blit(picture, picture.get_rect(midleft=(right - wide, row.centery)))
            right -= wide + round(14 * ui)
        track = pygame.Rect(left, row.top, max(right - left, 1) if has_slider else 0, row.height)
        return _draw_track(surface, track, k, len(self.steps), ui) if has_slider else track


def slider_height(fonts: FontBook) -> int:
    """Return the height of a single slider, pixels."""
    return round(_SLIDER * fonts.ui_scale)


def draw_slider(surface: pygame.Surface, place: pygame.Rect, k: int, n: int, fonts: FontBook) -> pygame.Rect:
    """Draw a slider over n steps at step k, and return its track: the left end is the first step, the right end the last."""
    pad = round(_PAD * fonts.ui_scale)
    pygame.draw.rect(surface, palette.PANEL, place)
    pygame.draw.line(surface, palette.PANEL_EDGE, place.topleft, (place.right, place.top))
    return _draw_track(surface, place.inflate(-2 * pad, 0), k, n, fonts.ui_scale)


def _draw_step_number(surface: pygame.Surface, row: pygame.Rect, k: int, n: int, fonts: FontBook) -> int:
    """Write the step's number at the left of a row, and return the width reserved for the widest number."""
    words = "{} / {}" if row.width < 420 * fonts.ui_scale else "step {} of {}"
    picture = fonts.render(words.format(min(k, n - 1) + 1, n), 13.0, palette.TEXT, True)
    surface.blit(picture, picture.get_rect(midleft=(row.left + round(_PAD * fonts.ui_scale), row.centery)))
    return fonts.width(words.format(n, n), 13.0, True)


def _draw_track(surface: pygame.Surface, track: pygame.Rect, k: int, n: int, ui: float) -> pygame.Rect:
    """Draw the line of a slider with its thumb, and return the range of the thumb."""
    middle, reach = track.centery, round(6 * ui)
    inner = track.inflate(-2 * reach, 0)
    pygame.draw.line(surface, palette.PANEL_EDGE, (inner.left, middle), (inner.right, middle), max(2, round(3 * ui)))
    at = inner.left + round(inner.width * (min(k, n - 1) / (n - 1) if n > 1 else 0.0))
    pygame.draw.line(surface, palette.ACCENT, (inner.left, middle), (at, middle), max(2, round(3 * ui)))
    if 1 < n <= inner.width / (6 * ui):
        for j in range(n):
            x = inner.left + round(inner.width * j / (n - 1))
            pygame.draw.line(surface, palette.CAPTION, (x, middle - round(4 * ui)), (x, middle + round(4 * ui)))
    pygame.draw.circle(surface, palette.ACCENT, (at, middle), reach)
    pygame.draw.circle(surface, palette.PANEL, (at, middle), max(reach - round(3 * ui), 1))
    return inner


class _Axes:
    """Leaves places of the plane unchanged."""

    def __call__(self, points: FloatArray) -> FloatArray:
        return points


class _PlotAxes(_Axes):
    """Maps points of a plot to pixels from its lower left corner, y up."""

    def __init__(self, box: AABB, size: tuple[int, int]) -> None:
        self._origin, self._size = np.array(box.lower), np.array(size, dtype=np.float64)
        self._span = np.array(box.upper) - self._origin

    def __call__(self, points: FloatArray) -> FloatArray:
        pixels: FloatArray = (points - self._origin) / self._span * self._size
        return pixels


def _title_of(view: View, place: pygame.Rect, fonts: FontBook) -> list[tuple[pygame.Surface, pygame.Rect]]:
    """Return the rendered lines of a view's title and their rectangles; a view too low for them has only the first phrase."""
    ui, room = fonts.ui_scale, max(place.width - round(2 * _PAD * fonts.ui_scale), 1)
    lines = fonts.wrapped(view.title, _SMALL, room)
    if 2.6 * (4 + 15 * len(lines)) * ui > place.height:
        phrase = re.split("[:;,]", view.title)[0]
        lines = [view.title if len(lines) == 1 else fonts.shortened(phrase, _SMALL, room)]
    placed = []
    for k, line in enumerate(lines):
        words = fonts.render(line, _SMALL, palette.CAPTION)
        placed.append((words, words.get_rect(topleft=(place.left + round(_PAD * ui), place.top + round((4 + 15 * k) * ui)))))
    return placed


def _draw_axes(
    surface: pygame.Surface, place: pygame.Rect, top: int, box: AABB, view: View, fonts: FontBook, discs: DiscBook
) -> tuple[Canvas, _Axes]:
    """Draw the axes of a plot with ticks and labels, below `top`; return the canvas for its curves, and the mapping."""
    ui = fonts.ui_scale
    small = min(place.width, place.height) < 100 * ui
    below, above = (fonts.wrapped(words, _SMALL, place.width - round(2 * _PAD * ui)) if words else [] for words in (view.x, view.y))
    gutter, foot = (round(6 * ui), round(6 * ui)) if small else (round(_GUTTER * ui), round((_FOOT + 14 * (len(below) - 1)) * ui))
    head = top + round((3 + (14 * len(above) if not small else 0)) * ui)
    inner = pygame.Rect(place.left + gutter, head, max(place.width - gutter - round(12 * ui), 2), max(place.bottom - head - foot, 2))
    axes = _PlotAxes(box, inner.size)
    if not small:
        _draw_ticks(surface, inner, box, fonts, has_up=bool(view.y))
        for k, words in enumerate(reversed(below)):
            picture = fonts.render(words, _SMALL, palette.TEXT)
            surface.blit(picture, picture.get_rect(bottomright=(inner.right, place.bottom - round((2 + 14 * k) * ui))))
        for k, words in enumerate(above):
            surface.blit(fonts.render(words, _SMALL, palette.TEXT), (place.left + round(_PAD * ui), top + round(14 * k * ui)))
    pygame.draw.rect(surface, palette.PANEL_EDGE, inner, 1)
    camera = Camera((0.5 * inner.width, 0.5 * inner.height), 1.0, (inner.left, inner.top, inner.width, inner.height))
    inside = LabelRoom((inner.left, inner.top, inner.width, inner.height))
    surface.set_clip(inner.inflate(round(8 * ui), round(8 * ui)).clip(surface.get_clip()))
    return Canvas(surface, camera, fonts, discs, inside, has_words=not small), axes


def _draw_ticks(surface: pygame.Surface, inner: pygame.Rect, box: AABB, fonts: FontBook, has_up: bool) -> None:
    ui, (x0, y0), (x1, y1) = fonts.ui_scale, box.lower, box.upper
    faint = mix(palette.BACKGROUND, palette.PANEL_EDGE, 0.6)
    across = ticks(x0, x1, max(2, round(inner.width / (64 * ui))))
    up = ticks(y0, y1, max(2, round(inner.height / (26 * ui)))) if has_up else ()
    end = inner.left - round(4 * ui)
    for x in across:
        at = inner.left + round(inner.width * (x - x0) / (x1 - x0))
        pygame.draw.line(surface, faint, (at, inner.top), (at, inner.bottom))
        picture = fonts.render(number_words(x, across[1] - across[0] if len(across) > 1 else x or x1 - x0), 10.5, palette.CAPTION)
        where = picture.get_rect(midtop=(at, inner.bottom + round(1 * ui)))
        where.right = min(where.right, inner.right + round(10 * ui))
        where.left = max(where.left, inner.left - round(2 * ui))  # beside the numbers of the other axis
        if where.left > end:
            surface.blit(picture, where)
            end = where.right + round(6 * ui)
    lowest = inner.bottom + inner.height
    for y in up:
        at = inner.bottom - round(inner.height * (y - y0) / (y1 - y0))
        pygame.draw.line(surface, faint if y != 0.0 else palette.PANEL_EDGE, (inner.left, at), (inner.right, at))
        picture = fonts.render(number_words(y, up[1] - up[0] if len(up) > 1 else y1 - y0), 10.5, palette.CAPTION)
        where = picture.get_rect(midright=(inner.left - round(5 * ui), at))
        if where.bottom <= lowest:
            surface.blit(picture, where)
            lowest = where.top


def _pixels(canvas: Canvas, place: _Axes, points: Sequence[Point]) -> tuple[Point, ...]:
    return tuple((x, y) for x, y in canvas.camera.to_screen_array(place(np.array(points, dtype=np.float64))).tolist())


def _draw_spots(canvas: Canvas, spots: Sequence[Point], question: Question | None, chosen: int | None) -> None:
    """Ring the places that answer a question."""
    for k, spot in enumerate(spots):
        color = palette.WARNING if chosen is None or question is None else _answer_color(question, k, chosen)
        canvas.point(canvas.camera.to_world(spot), color, 9.0, ring=True)


def _answer_color(question: Question, k: int, chosen: int) -> Color:
    return palette.AGREE if k == question.right else palette.UNEXPLAINED if k == chosen else palette.CAPTION


def _draw_question(surface: pygame.Surface, place: pygame.Rect, question: Question, fonts: FontBook) -> tuple[pygame.Rect, ...]:
    """Write a question and its answers as buttons; return where the buttons are."""
    ui = fonts.ui_scale
    pygame.draw.rect(surface, palette.PANEL_RAISED, place)
    left, top, room = place.left + round(_PAD * ui), place.top + round(0.4 * _PAD * ui), place.width - round(2 * _PAD * ui)
    prompt = fonts.render(fonts.shortened(question.prompt, _WORDS, room, True), _WORDS, palette.TEXT, True)
    surface.blit(prompt, (left, top))
    y, x, buttons = top + round(_WORDS_ROW * ui), left, []
    high = max(min(round(22 * ui), place.bottom - y), 1)
    for answer in question.labels:
        words = fonts.render(fonts.shortened(answer, 12.5, max(room - round(16 * ui), 1)), 12.5, palette.TEXT)
        button = pygame.Rect(x, y, words.get_width() + round(16 * ui), high)
        if button.right > left + room and x > left and y + 2 * high <= place.bottom:
            x, y = left, y + high
            button.topleft = x, y
        buttons.append(button)
        if button.right <= place.right:
            pygame.draw.rect(surface, palette.PANEL, button.inflate(0, -2), border_radius=round(5 * ui))
            pygame.draw.rect(surface, palette.PANEL_EDGE, button.inflate(0, -2), 1, round(5 * ui))
            surface.blit(words, words.get_rect(center=button.center))
        x = button.right + round(6 * ui)
    return tuple(buttons)


def _draw_head(surface: pygame.Surface, place: pygame.Rect, algorithm: AlgorithmFacts, fonts: FontBook) -> None:
    """Write the title, and the link to the page of its derivation."""
    if not place.height:
        return
    ui = fonts.ui_scale
    pygame.draw.rect(surface, palette.PANEL, place)
    lines = _title_lines(place.width, algorithm, fonts)
    first = place.centery - round(0.5 * (len(lines) - 1) * _TITLE_ROW * ui)
    for k, line in enumerate(lines):
        title = fonts.render(line, _TITLE, palette.TEXT, True)
        surface.blit(title, title.get_rect(midleft=(place.left + round(_PAD * ui), first + round(k * _TITLE_ROW * ui))))
    link = _link_place(place, algorithm, fonts)
    words = fonts.render(_link_words(place.width, algorithm, fonts), _LINK, palette.ACCENT)
    where = words.get_rect(midright=(link.right, place.centery))
    surface.blit(words, where)
    pygame.draw.line(surface, palette.ACCENT, (where.left, where.bottom - 1), (where.right - 1, where.bottom - 1))


def _title_lines(width: int, algorithm: AlgorithmFacts, fonts: FontBook) -> list[str]:
    """Return the lines of the title that fit next to the link."""
    pad = round(_PAD * fonts.ui_scale)
    room = width - fonts.width(_link_words(width, algorithm, fonts), _LINK) - 3 * pad
    return fonts.wrapped(algorithm.title, _TITLE, max(room, 1), True)


def _link_words(width: int, algorithm: AlgorithmFacts, fonts: FontBook) -> str:
    """Return as much of the link's text as fits next to the title."""
    room = width - fonts.width(algorithm.title, _TITLE, True) - round(4 * _PAD * fonts.ui_scale)
    return next((words for words in ("Why it works", "Why?") if fonts.width(words, _LINK) <= room), "Why?")


def _link_place(place: pygame.Rect, algorithm: AlgorithmFacts, fonts: FontBook) -> pygame.Rect:
    """Return the rectangle of the link; empty if there is no title."""
    wide, pad = fonts.width(_link_words(place.width, algorithm, fonts), _LINK), round(_PAD * fonts.ui_scale)
    if not place.height:
        return pygame.Rect(place.topleft, (0, 0))
    return pygame.Rect(place.right - pad - wide, place.top, wide, place.height)


def _draw_words(surface: pygame.Surface, place: pygame.Rect, sentence: str, color: Color, fonts: FontBook, has_edge: bool = True) -> None:
    """Write a sentence in the largest font that fits; cut it if it is too long."""
    if not place.height:
        return
    ui = fonts.ui_scale
    pygame.draw.rect(surface, palette.PANEL, place)
    if has_edge:
        pygame.draw.line(surface, palette.PANEL_EDGE, place.topleft, (place.right, place.top))
    room, high = max(place.width - round(2 * _PAD * ui), 1), place.height - round(0.6 * _PAD * ui)
    for size in (_WORDS, 13.0, 12.0, 11.0, 10.0, 9.0):
        lines, row = fonts.wrapped(sentence, size, room), round(1.38 * size * ui)
        if len(lines) * row <= high:
            break
    most = max(high // row, 1)
    if len(lines) > most:
        lines = [*lines[: most - 1], fonts.shortened(" ".join(lines[most - 1 :]), size, room)]
    for k, line in enumerate(lines):
        surface.blit(fonts.render(line, size, color), (place.left + round(_PAD * ui), place.top + round(0.4 * _PAD * ui) + k * row))


def _draw_code(
    surface: pygame.Surface, place: pygame.Rect, algorithm: AlgorithmFacts, line: int | None, fonts: FontBook, marks: Sequence[Mark]
) -> None:
    """Write the pseudocode with the current line highlighted, and below it the meanings of this step's colors, if there is room."""
    if not place.height:
        return
    ui, code = fonts.ui_scale, algorithm.pseudo_code
    pygame.draw.rect(surface, palette.PANEL, place)
    pygame.draw.rect(surface, palette.PANEL_EDGE, place, 1)
    row, top = round(_CODE_ROW * ui), place.top + round(0.7 * _PAD * ui)
    most = max((place.bottom - top - round(0.3 * _PAD * ui)) // row, 1)
    left, room = place.left + round(1.8 * _PAD * ui), place.width - round(2.6 * _PAD * ui)
    size = next((letters for letters in (_CODE, 11.0, _MIN_CODE) if _widest(code, letters, fonts) <= room), _MIN_CODE)
    rows = [row for number, words in enumerate(code) for row in _code_rows(number, words, size, room, fonts)]
    now = next((k for k, (number, _, _) in enumerate(rows) if number == line), None)
    first = 0 if len(rows) <= most or now is None else min(max(now - most // 2, 0), len(rows) - most)
    for k, (number, indent, words) in enumerate(rows[first : first + most]):
        y, is_now = top + k * row, number == line
        if is_now:
            plate = pygame.Rect(place.left + round(4 * ui), y, place.width - round(8 * ui), row)
            pygame.draw.rect(surface, mix(palette.PANEL, palette.ACCENT, 0.22), plate, border_radius=round(4 * ui))
            pygame.draw.rect(surface, palette.ACCENT, (plate.left, plate.top, round(3 * ui), plate.height), border_radius=round(2 * ui))
        picture = fonts.render(words, size, palette.STRONG if is_now else palette.TEXT)
        surface.blit(picture, picture.get_rect(midleft=(left + indent, y + row // 2)))
    y = top + min(len(rows), most) * row + round(0.8 * _PAD * ui)
    _draw_legend(surface, pygame.Rect(left, y, room, place.bottom - y - round(0.3 * _PAD * ui)), marks, fonts)


def _code_rows(number: int, line: str, size: float, room: int, fonts: FontBook) -> list[tuple[int, int, str]]:
    """Break a line of pseudocode if it is too wide; return its number, the indent and the text of each row."""
    indent, words = _indent(line, fonts.ui_scale), line.strip()
    if fonts.width(words, size) <= room - indent:
        return [(number, indent, words)]
    further = indent + round(14 * fonts.ui_scale)
    first, *rest = fonts.wrapped(words, size, max(room - further, 1))
    return [(number, indent, first), *((number, further, part) for part in rest)]


def _widest(code: Sequence[str], size: float, fonts: FontBook) -> int:
    return max(fonts.width(line.strip(), size) + _indent(line, fonts.ui_scale) for line in code)


def _draw_legend(surface: pygame.Surface, room: pygame.Rect, marks: Sequence[Mark], fonts: FontBook) -> None:
    ui, (x, y) = fonts.ui_scale, room.topleft
    row, dot = round(_LEGEND_ROW * ui), round(4 * ui)
    roles = {mark.role for mark in marks}
    for role, words in ROLE_WORDS.items():
        if role not in roles:
            continue
        picture = fonts.render(words, _SMALL, palette.CAPTION)
        wide = picture.get_width() + 2 * dot + round(6 * ui)
        if x + wide > room.right:
            x, y = room.left, y + row
        if y + row > room.bottom:
            return
        pygame.draw.circle(surface, role_color(role), (x + dot, y + row // 2), dot)
        surface.blit(picture, picture.get_rect(midleft=(x + 2 * dot + round(5 * ui), y + row // 2)))
        x += wide + round(12 * ui)


def _cost_words(step: TraceStep) -> str:
    return ",  ".join(f"{name} {count:,}" for name, count in step.cost.items() if name != "steps")
