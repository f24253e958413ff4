"""The shapes drawn by an SVG file, each with its outline, placement, fill and clip region.

The tree is walked as a viewer renders it: the values of properties come from `_svg_style`; viewports, `viewBox`, `transform` and lengths
are resolved here; `<use>` renders the referenced element again in its own place, and rendered elements are counted. Markers, masks,
filters, patterns, text and images are noted.

Sources: SVG 2, 5 (structure), 7 (geometry), 8 (coordinates), 10 (shapes), 13 (painting); CSS Transforms 1; CSS Masking 1, 3 (clipping).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from engine.common.errors import Described, InvalidInputError
from engine.decompose._svg_path import Clip, Segment, Shape, ellipse, path_segments, polygon, rectangle
from engine.decompose._svg_style import INITIAL, Paint, Style, Styles
from engine.decompose._svg_values import (
    AUTO,
    IDENTITY,
    Affine,
    AspectRatio,
    Auto,
    Box,
    Length,
    aspect_ratio,
    length,
    numbers,
    translation,
    view_box,
)
from engine.decompose._svg_xml import Element, Notes, check_size

__all__ = ["drawn_shapes"]

_LINKS = ("href", "{http://www.w3.org/1999/xlink}href")
_SHAPES = ("path", "rect", "circle", "ellipse", "polygon", "polyline", "line")
_MARKED = ("path", "polygon", "polyline", "line")
_GROUPS = ("svg", "g", "a", "switch")
_UNTRACED = ("text", "image", "foreignObject")
_DRAWN = (*_SHAPES, *_GROUPS, *_UNTRACED, "use")
_NOT_DRAWN = (
    *("clipPath", "cursor", "defs", "desc", "filter", "font", "linearGradient", "marker", "mask", "metadata", "pattern"),
    *("radialGradient", "script", "style", "symbol", "title", "view"),
)
"""Elements that are never drawn directly."""
_GRADIENTS = ("linearGradient", "radialGradient")
_NAMED = ("id", "class", "{http://www.inkscape.org/namespaces/inkscape}label")
_MAX_WORDS = 1_000
"""Maximum number of letters of all words of a shape, which include those of its groups."""
_DEFAULT_SIZE = (300.0, 150.0)
"""Reference size for percentages, user units, if a drawing does not state its size: CSS 2.1, 10.3.2 and 10.6.2."""
_LANGUAGE = "en"
_MAX_LEVELS = 500
"""Maximum power of two by which the tolerance is enlarged for scaled-down shapes."""
_MIN_OPACITY = 0.5 / 255.0
"""A lower opacity is rounded to 0 in a picture with 8 bits per channel."""
_MAX_LINKS = 64
"""Maximum number of links from one gradient or pattern to the next."""


class _Viewport(NamedTuple):
    """Size to which percentages refer, user units; `is_guess` if the drawing does not state it."""

    width: float
    height: float
    is_guess: bool = False


_Size = tuple[Length | Auto, Length | Auto]
"""Width and height of the <use> that names an <svg> or <symbol>."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """State that an element inherits from its ancestors."""

    matrix: Affine
    viewport: _Viewport
    style: Style | None
    clip: Clip | None = None
    words: str = ""
    depth: int = 0
    links: tuple[str, ...] = ()
    """Links of the <use> and clipPath elements that led here."""
    uses: tuple[Element, ...] = ()
    """The <use> that led here."""
    opacity: float = 1.0
    """Product of the opacities of its ancestors and its own, but 1 in a clipPath."""
    is_displayed: bool = True
    is_clip_path: bool = False
    is_measured: bool = False
    """True if it is drawn only to determine its bounding box."""

    @property
    def is_visible(self) -> bool:
        return self.opacity > _MIN_OPACITY


def drawn_shapes(
    root: Element, name: str, notes: Notes, tolerance: float, take: Callable[[int], None]
) -> tuple[list[Shape], tuple[float, float] | None]:
    """Return the shapes of a drawing in drawing order, and its size in CSS pixels, or None if it has none.

    Parameters
    ----------
    root : Element
    name : str
        Name of the file, for errors.
    notes : Notes
        Receives notes on unsupported parts.
    tolerance, take
        As for `Shape.rings`, for the points from which boxes around shapes are computed.

    Raises
    ------
    InvalidInputError
        Too many or too deeply nested elements, copies included; references out of the file or in a circle.
    """
    return _Walk(root, name, notes, tolerance, take).drawn()


class _Walk:
    """Renders a tree to a list of shapes."""

    def __init__(self, root: Element, name: str, notes: Notes, tolerance: float, take: Callable[[int], None]) -> None:
        self._root, self._name, self._notes = root, name, notes
        self._tolerance, self._take = tolerance, take
        self._space = root.tag.removesuffix("svg")
        self._by_id: dict[str, Element] = {}
        self._parents: dict[Element, Element] = {}
        for element in root.iter():
            if element.get("id"):
                self._by_id.setdefault(element.attrib["id"], element)
            self._parents.update((child, element) for child in element)
        self._styles = Styles(root, name, notes)
        self._document_styles: dict[Element, Style] = {}
        self._paths: dict[tuple[str, str], list[Segment]] = {}
        self._clips: dict[tuple[Clip | None, Clip | None, Element, Affine, _Viewport], Clip] = {}
        self._servers: dict[Element, float] = {}
        self._boxes: dict[tuple[Element, tuple[Element, ...], _Viewport, int], Box | None] = {}
        """Bounding boxes by element, path to it, and rounded-up log2 of the scale; without it, nested groups would be measured twice."""
        self._count = self._n_measured = 0

    def drawn(self) -> tuple[list[Shape], tuple[float, float] | None]:
        style = self._styles.computed(self._root, None)
        box = self._view_box(self._root)
        unit = _Viewport(1.0, 1.0) if box is None else _Viewport(box.width, box.height)
        width, height = (
            None if value == AUTO or (box is None and value.unit == "%") else self._resolved(value, along, style, unit)
            for value, along in ((style["width"], "x"), (style["height"], "y"))
        )
        if box is not None and box.width > 0.0 and box.height > 0.0:
            if width is None and height is None:
                width, height = box.width, box.height
            elif width is None and height is not None:
                width = height * box.width / box.height
            elif height is None and width is not None:
                height = width * box.height / box.width
        shapes: list[Shape] = []
        size = (width or _DEFAULT_SIZE[0], height or _DEFAULT_SIZE[1])
        is_guess = width is None or height is None
        if width != 0.0 and height != 0.0:
            self._visit(self._root, _Frame(IDENTITY, _Viewport(*size, is_guess), None), shapes)
        return shapes, None if is_guess or not all(map(math.isfinite, size)) else size

    # -- the tree ---------------------------------------------------------------------------------------------------------------------

    def _local(self, element: Element) -> str | None:
        """Return the name of an SVG element; None for other namespaces."""
        name = element.tag.removeprefix(self._space)
        return name if element.tag.startswith(self._space) and "}" not in name else None

    def _visit(self, element: Element, frame: _Frame, sink: list[Shape], instance: _Size | None = None) -> None:
        """Append the shapes of an element to `sink`; `instance` is given if a <use> refers to it."""
        tag = self._local(element)
        if tag is None or (tag in _NOT_DRAWN and not (tag == "symbol" and instance is not None)):
            return
        if tag in _UNTRACED or tag not in (*_DRAWN, "symbol") or (frame.is_clip_path and tag not in (*_SHAPES, "use")):
            if frame.is_displayed and frame.is_visible:
                self._notes.not_traced(f"{tag} in a clipPath" if frame.is_clip_path else tag)
            return
        self._count += not frame.is_measured
        self._n_measured += frame.is_measured
        check_size(self._name, frame.depth + 1, max(self._count, self._n_measured))
        if not self._is_for_us(element):
            return
        style = self._styles.computed(element, frame.style)
        hiding = ("none", "contents") if tag in _SHAPES else ("none",)  # CSS Display 3, appendix B
        is_displayed = frame.is_displayed and (style["display"] not in hiding or tag == "symbol")
        frame = replace(
            frame,
            style=style,
            words=self._with_words(frame.words, element),
            depth=frame.depth + 1,
            opacity=frame.opacity if frame.is_clip_path else frame.opacity * style["opacity"],
            is_displayed=is_displayed,
        )
        if is_displayed and frame.is_visible:
            for word in ("mask", "filter"):
                if style[word]:
                    self._notes.not_applied(word)
        matrix = frame.matrix @ self._transform(element, tag, frame, style, instance)
        if tag == "use":
            matrix @= self._place(style, frame)
        frame = replace(frame, matrix=matrix)
        if frame.is_visible and is_displayed and style["clip-path"]:
            frame = replace(frame, clip=self._clip_path(style["clip-path"], element, tag, frame, style, instance))
        self._draw(element, tag, frame, style, sink, instance)

    def _draw(
        self,
        element: Element,
        tag: str,
        frame: _Frame,
        style: Style,
        sink: list[Shape],
        instance: _Size | None,
    ) -> None:
        """Append the shapes of an element in a frame with its own transform, style and clip."""
        if tag in _SHAPES:
            sink.append(self._shape(element, tag, frame, style))
        elif tag == "use":
            self._use(element, frame, style, sink)
        elif tag in ("svg", "symbol"):
            inner = self._within_viewport(element, frame, style, instance)
            if inner is not None:
                self._children(element, inner, sink)
        elif tag == "switch":
            for child in element:
                if self._local(child) in _DRAWN and self._is_for_us(child):
                    self._visit(child, frame, sink)
                    break
        else:
            self._children(element, frame, sink)

    def _children(self, element: Element, frame: _Frame, sink: list[Shape]) -> None:
        for child in element:
            self._visit(child, frame, sink)

    def _is_for_us(self, element: Element) -> bool:
        """Return True if conditional attributes allow an element: SVG 2, 5.8.5 to 5.8.7, without extensions, for the English language."""
        languages = element.get("systemLanguage")
        if "requiredExtensions" in element.attrib:
            return False
        return languages is None or any(word.strip().lower().partition("-")[0] == _LANGUAGE for word in languages.split(","))

    def _with_words(self, words: str, element: Element) -> str:
        own = " ".join(element.attrib[key] for key in _NAMED if key in element.attrib)
        words_of_all = " ".join((words, *own.lower().split())).strip()
        if len(words_of_all) > _MAX_WORDS:
            requirement = f"an SVG whose shapes have ids, classes and labels of at most {_MAX_WORDS} letters, including those of groups"
            raise InvalidInputError(self._name, requirement, Described(f"{len(words_of_all)}"))
        return words_of_all

    def _use(self, element: Element, frame: _Frame, style: Style, sink: list[Shape]) -> None:
        link = next((element.attrib[key].strip() for key in _LINKS if key in element.attrib), "")
        if not link:
            return
        if not link.startswith("#"):
            raise InvalidInputError(f"{self._name}: href", "the id of an element in the same file (#id)", link)
        if link in frame.links:
            raise InvalidInputError(f"{self._name}: href", "a reference that is not circular", link)
        target = self._by_id.get(link[1:])
        if target is None:
            if not frame.is_measured:
                self._notes.not_understood(f'<use href="{link}">, which does not exist')
            return
        inner = replace(frame, links=(*frame.links, link), uses=(*frame.uses, element))
        if frame.is_clip_path and self._local(target) not in _SHAPES:
            if not frame.is_measured:
                self._notes.not_traced(f"{self._local(target)} in a clipPath")
            return
        self._visit(target, inner, sink, (style["width"], style["height"]))

    def _within_viewport(self, element: Element, frame: _Frame, style: Style, instance: _Size | None) -> _Frame | None:
        """Return the frame of the content of an <svg> or <symbol>; None if it is not drawn."""
        x, y = (self._resolved(style[along], along, style, frame.viewport) for along in ("x", "y"))
        if element is self._root:
            x, y, width, height = 0.0, 0.0, frame.viewport.width, frame.viewport.height
        else:
            sides = []
            for k, (side, along) in enumerate((("width", "x"), ("height", "y"))):
                specified = AUTO if instance is None else instance[k]
                value = style[side] if specified == AUTO else specified
                sides.append(self._resolved(Length(100.0, "%") if value == AUTO else value, along, style, frame.viewport))
            width, height = sides
        if not (width > 0.0 and height > 0.0):
            return None
        clip = frame.clip
        if element is not self._root and not style["overflow"]:
            clip = Clip((Shape(rectangle(x, y, width, height, 0.0, 0.0), frame.matrix),), clip)
        matrix = frame.matrix @ translation(x, y)
        box = self._view_box(element)
        if box is None:
            return replace(frame, matrix=matrix, clip=clip, viewport=_Viewport(width, height, frame.viewport.is_guess))
        if box.width == 0.0 or box.height == 0.0:
            return None
        matrix @= self._aspect_ratio(element).fitted(box, width, height)
        return replace(frame, matrix=matrix, clip=clip, viewport=_Viewport(box.width, box.height))

    def _view_box(self, element: Element) -> Box | None:
        text = element.get("viewBox", "").strip()
        box = view_box(text)
        if text and box is None:
            self._notes.not_understood(f'viewBox="{text}"')
        return box

    def _aspect_ratio(self, element: Element) -> AspectRatio:
        text = element.get("preserveAspectRatio", "").strip()
        ratio = aspect_ratio(text)
        if text and ratio is None:
            self._notes.not_understood(f'preserveAspectRatio="{text}"')
        return ratio or AspectRatio()

    # -- lengths, transforms, boxes ---------------------------------------------------------------------------------------------------

    def _resolved(self, value: Length, along: str, style: Style, viewport: _Viewport) -> float:
        """Return user units; percentages refer to the viewport's width along "x", its height along "y", and otherwise its diagonal over
        root 2.
        """
        if value.unit == "px":
            return value.number
        if value.unit == "%" and viewport.is_guess:
            wide, high = viewport.width, viewport.height
            self._notes.once(f"The drawing does not specify its width and height, so percentages refer to {wide:g} x {high:g} pixels")
        diagonal = math.sqrt(0.5) * math.hypot(viewport.width, viewport.height)
        reference = {"x": viewport.width, "y": viewport.height}.get(along, diagonal)
        return value.resolved(reference, style["font-size"].number, self._styles.rem)

    def _place(self, style: Style, frame: _Frame) -> Affine:
        """Return the translation by the x and y of a <use>."""
        return translation(*(self._resolved(style[along], along, style, frame.viewport) for along in ("x", "y")))

    def _transform(
        self,
        element: Element,
        tag: str,
        frame: _Frame,
        style: Style,
        instance: _Size | None = None,
    ) -> Affine:
        """Return the map from an element's user units to those around it."""
        functions = style["transform"]
        if functions == INITIAL["transform"]:
            return IDENTITY
        box: Box | None = Box(0.0, 0.0, frame.viewport.width, frame.viewport.height)
        if style["transform-box"] != "view-box":
            if style["transform-box"] in ("stroke-box", "border-box") and not frame.is_measured:
                self._notes.not_applied(f"transform-box: {style['transform-box']}")
            box = self._bounds(element, tag, frame, style, instance)
        x, y, width, height = box or Box(0.0, 0.0, 0.0, 0.0)

        def point(across: Length, down: Length) -> tuple[float, float]:
            viewport = _Viewport(width, height, frame.viewport.is_guess)
            return self._resolved(across, "x", style, viewport), self._resolved(down, "y", style, viewport)

        across, down = point(*style["transform-origin"])
        matrix = translation(x + across, y + down)
        for function in functions:
            matrix @= function if isinstance(function, Affine) else translation(*point(*function))
        return matrix @ translation(-x - across, -y - down)

    def _bounds(
        self,
        element: Element,
        tag: str,
        frame: _Frame,
        style: Style,
        instance: _Size | None,
    ) -> Box | None:
        """Return the bounding box of an element's geometry, in its own user units; None if there is none."""
        stretch = frame.matrix.stretch
        level = max(-_MAX_LEVELS, math.frexp(stretch)[1]) if 0.0 < stretch < math.inf else 0
        key = element, frame.uses, frame.viewport, level
        if key in self._boxes:
            return self._boxes[key]
        sink: list[Shape] = []
        matrix = self._place(style, frame) if tag == "use" else IDENTITY
        inner = replace(frame, matrix=matrix, clip=None, opacity=0.0, is_measured=True)
        self._draw(element, tag, inner, style, sink, instance)
        tolerance = math.ldexp(self._tolerance, -level)
        points = [ring for shape in sink if shape.is_displayed for ring in shape.rings(tolerance, self._take)]
        box = None
        if points:
            low, high = np.concatenate(points).min(axis=0), np.concatenate(points).max(axis=0)
            box = Box(float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1]))
        self._boxes[key] = box
        return box

    # -- clipping ---------------------------------------------------------------------------------------------------------------------

    def _clip_path(
        self,
        link: str,
        element: Element,
        tag: str,
        frame: _Frame,
        style: Style,
        instance: _Size | None,
    ) -> Clip | None:
        """Return the clip referenced by `link`, for an element whose frame includes its transform."""
        target = self._by_id.get(link[1:]) if link.startswith("#") else None
        if target is None or self._local(target) != "clipPath" or f"clip {link}" in frame.links:
            self._notes.not_understood(f"clip-path: url({link})")
            return frame.clip
        check_size(self._name, frame.depth + 1, self._count)
        own = self._document_style(target)
        links = (*frame.links, f"clip {link}")
        around = None
        if own["clip-path"]:  # in the user units of the same element, or of the box around it
            outer = replace(frame, clip=None, depth=frame.depth + 1, links=links)
            around = self._clip_path(own["clip-path"], element, tag, outer, style, instance)
        is_of_box = target.get("clipPathUnits") == "objectBoundingBox"
        user = frame
        if tag in ("svg", "symbol") and not is_of_box:  # their user units are those within
            user = self._within_viewport(element, frame, style, instance) or frame
        inner = _Frame(user.matrix, user.viewport, own, around, "", frame.depth + 1, links, is_clip_path=True)
        matrix = user.matrix @ self._transform(target, "clipPath", inner, own)
        if is_of_box:
            x, y, width, height = self._bounds(element, tag, frame, style, instance) or Box(0.0, 0.0, 0.0, 0.0)
            if tag == "use":  # its frame has its place already
                place = self._place(style, frame)
                matrix @= translation(-place.e, -place.f)
            matrix @= Affine(width, 0.0, 0.0, height, x, y)
            inner = replace(inner, viewport=_Viewport(1.0, 1.0))
        inner = replace(inner, matrix=matrix)
        key = frame.clip, around, target, matrix, inner.viewport
        clip = self._clips.get(key)
        if clip is None:
            sink: list[Shape] = []
            self._children(target, inner, sink)
            clip = Clip(tuple(shape for shape in sink if shape.is_displayed and shape.is_visible), frame.clip)
            self._clips[key] = clip
        return clip

    def _document_style(self, element: Element) -> Style:
        """Return the values of an element at its place in the file."""
        computed = self._document_styles.get(element)
        if computed is None:
            parent = self._parents.get(element)
            computed = self._styles.computed(element, None if parent is None else self._document_style(parent))
            self._document_styles[element] = computed
        return computed

    # -- shapes and paint -------------------------------------------------------------------------------------------------------------

    def _shape(self, element: Element, tag: str, frame: _Frame, style: Style) -> Shape:
        is_visible = frame.is_visible and style["visibility"] == "visible"
        is_rendered = is_visible and frame.is_displayed and not frame.is_clip_path
        if is_rendered and tag in _MARKED and any(style[f"marker-{place}"][1:] in self._by_id for place in ("start", "mid", "end")):
            self._notes.not_applied("marker")
        return Shape(
            self._segments(element, tag, style, frame.viewport),
            frame.matrix,
            style["clip-rule" if frame.is_clip_path else "fill-rule"],
            frame.clip,
            frame.words,
            element.get("id", ""),
            frame.is_clip_path or (is_rendered and self._is_seen(style["fill"], frame.opacity * style["fill-opacity"], style)),
            is_visible,
            frame.is_displayed,
            is_rendered
            and style["stroke-width"].number > 0.0
            and self._is_seen(style["stroke"], frame.opacity * style["stroke-opacity"], style),
        )

    def _is_seen(self, paint: Paint, opacity: float, style: Style) -> bool:
        """Return True if a paint of this opacity is visible."""
        return opacity > _MIN_OPACITY and opacity * self._alpha(paint, style) > _MIN_OPACITY

    def _alpha(self, paint: Paint, style: Style) -> float:
        """Return the alpha of a paint, that of the most opaque stop for a gradient."""
        if paint.is_current:
            return self._alpha(style["color"], style)
        if paint.link is None:
            return paint.alpha
        server = self._by_id.get(paint.link[1:]) if paint.link.startswith("#") else None
        tag = None if server is None else self._local(server)
        if server is not None and (tag in _GRADIENTS or tag == "pattern"):
            if server not in self._servers:
                self._servers[server] = self._alpha_of_server(server)
            if tag == "pattern" and self._servers[server] > 0.0:
                self._notes.not_applied("pattern")
            return self._servers[server]
        self._notes.not_understood(f"url({paint.link})")
        return 0.0 if paint.fallback is None else self._alpha(paint.fallback, style)

    def _alpha_of_server(self, server: Element) -> float:
        """Return the alpha of a gradient's most opaque stop, 1 for a pattern with a size and content, otherwise 0.

        Missing parts are inherited through links.
        """
        chain = self._linked(server)
        if self._local(server) == "pattern":
            sides = [next((element.attrib[side] for element in chain if side in element.attrib), "0") for side in ("width", "height")]
            sizes = [parsed.number for side in sides if (parsed := length(side)) is not None]
            return float(len(sizes) == 2 and min(sizes) > 0.0 and any(len(element) > 0 for element in chain))
        for element in chain:
            values = [self._document_style(stop) for stop in element if self._local(stop) == "stop"]
            if values:
                return max(float(value["stop-opacity"]) * self._alpha(value["stop-color"], value) for value in values)
        return 0.0

    def _linked(self, server: Element) -> list[Element]:
        """Return a gradient or pattern, followed by those of its kind from which it inherits."""
        tags = _GRADIENTS if self._local(server) in _GRADIENTS else ("pattern",)
        chain = [server]
        while len(chain) < _MAX_LINKS:
            link = next((chain[-1].attrib[key].strip() for key in _LINKS if key in chain[-1].attrib), "")
            target = self._by_id.get(link[1:]) if link.startswith("#") else None
            if target is None or target in chain or self._local(target) not in tags:
                break
            chain.append(target)
        return chain

    def _segments(self, element: Element, tag: str, style: Style, viewport: _Viewport) -> list[Segment]:
        """Return the outline of a shape in its user units; empty if it is not drawn."""
        if tag == "path":
            return self._read(element, tag, style["d"])
        if tag in ("polygon", "polyline"):
            return self._read(element, tag, element.get("points", ""))

        def value(name: str, along: str) -> float | None:
            specified = style[name]
            return None if specified == AUTO else self._resolved(specified, along, style, viewport)

        if tag == "circle":
            rx = ry = value("r", "") or 0.0
        elif tag in ("rect", "ellipse"):
            radius_x, other = value("rx", "x"), value("ry", "y")
            rx, ry = radius_x if radius_x is not None else other or 0.0, other if other is not None else radius_x or 0.0
        else:
            return []  # a line has no interior
        if tag == "rect":
            x, y, width, height = (value(name, along) or 0.0 for name, along in (("x", "x"), ("y", "y"), ("width", "x"), ("height", "y")))
            return rectangle(x, y, width, height, rx, ry) if width > 0.0 and height > 0.0 else []
        return ellipse(value("cx", "x") or 0.0, value("cy", "y") or 0.0, rx, ry) if rx > 0.0 and ry > 0.0 else []

    def _read(self, element: Element, tag: str, text: str) -> list[Segment]:
        """Return the segments of path data or points up to the first error, which is noted."""
        segments = self._paths.get((tag, text))
        if segments is None:
            label = f'{tag} "{element.get("id")}"' if element.get("id") else tag
            if tag == "path":
                segments, error = path_segments(text)
                if error is not None:
                    rest = text[error:].strip()
                    where = f'letter {error + 1} of {len(text)}, "{text[error : error + 20]}"' if rest else "a number is missing at its end"
                    self._notes.cut_short(f"{label}, {where}")
            else:
                points, is_whole = numbers(text)
                segments = polygon(points)
                if not is_whole or len(points) % 2:
                    self._notes.cut_short(f"{label}, after {len(points) // 2} points")
            self._paths[tag, text] = segments
        return segments
