"""The shapes that an SVG draws, from the paths to which usvg reduces it, and their points.

Before usvg sees the drawing, each element that it may draw gets an id, because usvg keeps ids but neither classes nor labels; and a missing
width or height is set by the ratio of the viewBox, which usvg does not do.

What usvg writes is a small part of SVG: groups with a matrix, an opacity and a clip, and paths of the absolute commands M, L, C and Z.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.errors import Described, InvalidInputError
from engine.decompose._svg_xml import Element, Notes, check_size
from engine.decompose._usvg import normalized
from engine.decompose.curves import cubic_points, ellipse_points

__all__ = ["Clip", "Shape", "drawn_shapes"]

_SPACE = "{http://www.w3.org/2000/svg}"
_LINKS = ("href", "{http://www.w3.org/1999/xlink}href")
_NAMED = ("id", "class", "{http://www.inkscape.org/namespaces/inkscape}label")
_DRAWN = ("path", "rect", "circle", "ellipse", "polygon", "polyline", "line", "svg", "g", "a", "switch", "use", "symbol")
_UNTRACED = ("text", "image", "foreignObject")
_MAX_WORDS = 1_000
"""Maximum number of letters of all words of a shape, which include those of its groups."""
_MIN_OPACITY = 0.5 / 255.0
"""A lower opacity is rounded to 0 in a picture with 8 bits per channel."""
_UNAPPLIED = re.compile(r"(?<![-\w])(transform-origin|transform-box|rotate|translate|scale|x|y|width|height|r|rx|ry|cx|cy|d)\s*:")
"""Properties of style sheets that usvg skips without a warning."""
_ORIGIN = re.compile(r"\s*([-+]?[0-9.]+)(?:px)?[\s,]+([-+]?[0-9.]+)(?:px)?\s*")
_UNREAD_LENGTH = re.compile(r"^Failed to parse (x|y|width|height|r|rx|ry|cx|cy|font-size) value: '(.*)'$")
_BOX_TOLERANCE = 0.01
"""User units: maximum distance of a bounding box from the curves in it."""
_KAPPA = 4.0 / 3.0 * (math.sqrt(2.0) - 1.0)
"""Length of the handles of a cubic that approximates a quarter of the unit circle."""
_ARC_ROUNDING = 1e-6
"""Maximum deviation of a quarter ellipse's control points, relative to its radii; usvg writes eight decimals."""


class Affine(NamedTuple):
    """The map (x, y) -> (a x + c y + e, b x + d y + f), as SVG writes it."""

    a: float = 1.0
    b: float = 0.0
    c: float = 0.0
    d: float = 1.0
    e: float = 0.0
    f: float = 0.0

    def __matmul__(self, inner: Affine) -> Affine:
        """Return the map that applies `inner` first."""
        x, y = self.linear(complex(inner.a, inner.b)), self.linear(complex(inner.c, inner.d))
        origin = self.mapped(complex(inner.e, inner.f))
        return Affine(x.real, x.imag, y.real, y.imag, origin.real, origin.imag)

    def linear(self, vector: complex) -> complex:
        return complex(self.a * vector.real + self.c * vector.imag, self.b * vector.real + self.d * vector.imag)

    def mapped(self, point: complex) -> complex:
        return self.linear(point) + complex(self.e, self.f)


@dataclass(frozen=True, slots=True, eq=False)
class Clip:
    """A clip region: the area that these shapes cover, intersected with another clip."""

    shapes: tuple[Shape, ...]
    around: Clip | None


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A path in its own user units, and the map to the drawing's CSS pixels, y down."""

    d: str
    matrix: Affine
    rule: str = "nonzero"
    clip: Clip | None = None
    words: str = ""
    """Ids, classes and labels of its groups, then its own, in lower case."""
    name: str = ""
    is_filled: bool = True
    is_visible: bool = True
    is_stroked: bool = False

    def rings(self, tolerance: float, take: Callable[[int], None]) -> Iterator[FloatArray]:
        """Yield the subpaths in CSS pixels, (n, 2), within `tolerance` pixels of the drawn curve.

        `take` receives the number of points of every piece, before the next is made.
        """
        pieces: list[FloatArray] = []
        here = 0j
        for command, *points in _commands(self.d, self.matrix):
            if command == "M":
                if pieces:
                    yield np.concatenate(pieces)
                pieces = []
            piece = _row(points[0]) if len(points) == 1 else _curve(here, points[0], points[1], points[2], tolerance)
            pieces.append(piece)
            take(len(piece))
            here = points[-1]
        if pieces:
            yield np.concatenate(pieces)


def _commands(d: str, matrix: Affine) -> Iterator[tuple[str, *tuple[complex, ...]]]:
    """Yield the commands M, L and C of a path with their points, mapped; Z closes a ring, which is closed anyway."""
    words = iter(d.split())
    for command in words:
        if command != "Z":
            n_points = 3 if command == "C" else 1
            yield command, *(matrix.mapped(complex(float(next(words)), float(next(words)))) for _ in range(n_points))


def _curve(p0: complex, p1: complex, p2: complex, p3: complex, tolerance: float) -> FloatArray:
    """Return the points of a cubic after its start; one that stands for a quarter of an ellipse is flattened as the ellipse.

    The quarter is ``c + u cos(t) + v sin(t)`` from c + u to c + v, and its cubic has the handles kappa v and kappa u: ``u - v = p0 - p3``.
    Circles, ellipses and round corners are written so; the cubic differs from the ellipse by 2.7e-4 of its radius.
    """
    u, v = (p2 - p3) / _KAPPA, (p1 - p0) / _KAPPA
    if u and v and abs((u - v) - (p0 - p3)) <= _ARC_ROUNDING * (abs(u) + abs(v)):
        return ellipse_points(p0 - u, u, v, 0.0, 0.5 * math.pi, p3, tolerance)
    return cubic_points(p0, p1, p2, p3, tolerance)


def _row(point: complex) -> FloatArray:
    return np.array([[point.real, point.imag]])


# -- before usvg ---------------------------------------------------------------------------------------------------------------------------


def drawn_shapes(root: Element, name: str, notes: Notes) -> tuple[list[Shape], tuple[float, float] | None]:
    """Return the shapes of a drawing in drawing order, and its size in CSS pixels, or None if it states none.

    Parameters
    ----------
    root : Element
        Changed: elements get ids.
    name : str
        Name of the file, for errors.
    notes : Notes
        Receives notes on unsupported parts.

    Raises
    ------
    InvalidInputError
        A reference leaves the file, a length has an unknown unit, names are too long, or usvg rejects the drawing.
    """
    names = _named(root, name, notes)
    _complete_size(root)
    content, warnings = normalized(ElementTree.tostring(root), name)
    for warning in warnings:
        unread = _UNREAD_LENGTH.match(warning)
        if unread is not None:
            raise InvalidInputError(f"{name}: {unread[1]}", "a length in px, in, cm, mm, pt, pc, em, ex or %", unread[2])
        notes.not_understood(warning)
    return _Walk(ElementTree.fromstring(content), name, names, notes).drawn(has_size="viewBox" in root.attrib or _has_sides(root))


def _has_sides(root: Element) -> bool:
    return all(root.get(side, "%")[-1] != "%" for side in ("width", "height"))


def _complete_size(root: Element) -> None:
    """Set the missing one of width and height by the ratio of the viewBox (SVG 2, 8.2 and 8.12)."""
    numbers = root.get("viewBox", "").replace(",", " ").split()
    given = [side for side in ("width", "height") if root.get(side, "auto") != "auto"]
    if len(given) != 1 or len(numbers) != 4:
        return
    side = re.fullmatch(r"\s*([0-9.]+(?:[eE][-+]?[0-9]+)?)([a-z]*)\s*", root.attrib[given[0]])
    with_numbers = [float(number) for number in numbers[2:] if re.fullmatch(r"[0-9.]+", number)]
    if side is not None and len(with_numbers) == 2 and min(with_numbers) > 0.0:
        ratio = with_numbers[1] / with_numbers[0] if given[0] == "width" else with_numbers[0] / with_numbers[1]
        root.set("height" if given[0] == "width" else "width", f"{float(side[1]) * ratio!r}{side[2]}")


class _Name(NamedTuple):
    """Words and unchanged id of an element."""

    words: str
    id: str


def _named(root: Element, name: str, notes: Notes) -> dict[str, _Name]:
    """Give an id to each element that may be drawn; return its words, including those of its groups, and its own id."""
    by_id = {element.attrib["id"]: element for element in reversed(list(root.iter())) if element.get("id")}
    names: dict[str, _Name] = {}
    count = 0

    def visit(element: Element, around: str, depth: int) -> None:
        nonlocal count
        count += 1
        check_size(name, depth, count)
        tag = element.tag.removeprefix(_SPACE)
        if tag in _UNTRACED:
            notes.not_traced(tag)
            return
        _resolve_origin(element)
        for word in _unapplied(element, tag):
            notes.not_applied(word)
        own = _words_of(element)
        link = next((element.attrib[key].strip() for key in _LINKS if key in element.attrib), "")
        if tag == "use" and link:
            if not link.startswith("#"):
                raise InvalidInputError(f"{name}: href", "the id of an element in the same file (#id)", link)
            if link[1:] in by_id:
                own += _words_of(by_id[link[1:]])
        words = " ".join([*around.split(), *own])
        if len(words) > _MAX_WORDS:
            requirement = f"an SVG whose shapes have ids, classes and labels of at most {_MAX_WORDS} letters, including those of groups"
            raise InvalidInputError(name, requirement, Described(str(len(words))))
        if tag in _DRAWN:
            key = element.get("id", "")
            if not key or key in names:
                key = f"unnamed-{len(names)}"
            names[key] = _Name(words, element.get("id", ""))
            element.set("id", key) if not element.get("id") else None
        for child in element:
            visit(child, words, depth + 1)

    visit(root, "", 0)
    return names


def _resolve_origin(element: Element) -> None:
    """Write a transform about an origin in user units as one about (0, 0): CSS Transforms 1, 6."""
    origin = _ORIGIN.fullmatch(element.get("transform-origin", ""))
    if origin is not None:
        del element.attrib["transform-origin"]
        if "transform" in element.attrib:
            x, y = float(origin[1]), float(origin[2])
            element.set("transform", f"translate({x!r} {y!r}) {element.attrib['transform']} translate({-x!r} {-y!r})")


def _unapplied(element: Element, tag: str) -> list[str]:
    """Return what of an element's attributes or style sheet usvg skips without a warning."""
    words: list[str] = [word for word in ("transform-origin", "transform-box") if word in element.attrib]
    if tag == "style" and "media" in element.attrib:
        words.append(f"media={element.attrib['media']}")
    return words + _UNAPPLIED.findall(element.text or "" if tag == "style" else element.get("style", ""))


def _words_of(element: Element) -> list[str]:
    return [word for key in _NAMED for word in element.get(key, "").lower().split()]


# -- after usvg ----------------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Frame:
    """State that an element inherits from its groups."""

    matrix: Affine
    clip: Clip | None = None
    name: _Name | None = None
    opacity: float = 1.0
    """Product of its own and those of its groups."""


class _Walk:
    """Renders what usvg writes to a list of shapes."""

    def __init__(self, root: Element, name: str, names: dict[str, _Name], notes: Notes) -> None:
        self._root, self._name, self._names, self._notes = root, name, names, notes
        self._by_id = {element.attrib["id"]: element for element in root.iter() if "id" in element.attrib}
        self._clips: dict[tuple[str, Affine, Clip | None], Clip] = {}

    def drawn(self, *, has_size: bool) -> tuple[list[Shape], tuple[float, float] | None]:
        size = float(self._root.attrib["width"]), float(self._root.attrib["height"])
        shapes: list[Shape] = []
        self._children(self._root, _Frame(self._view(size)), shapes)
        return shapes, size if has_size else None

    def _view(self, size: tuple[float, float]) -> Affine:
        """Return the map from the viewBox to the drawing's pixels: SVG 2, 8.6."""
        x, y, width, height = (float(number) for number in self._root.attrib["viewBox"].split())
        align, _, fit = self._root.get("preserveAspectRatio", "xMidYMid meet").partition(" ")
        scales = size[0] / width, size[1] / height
        if align != "none":
            scales = (max(scales),) * 2 if fit == "slice" else (min(scales),) * 2
        shares = {"Min": 0.0, "Mid": 0.5, "Max": 1.0}
        share_x, share_y = (0.0, 0.0) if align == "none" else (shares[align[1:4]], shares[align[5:8]])
        left, top = share_x * (size[0] - width * scales[0]), share_y * (size[1] - height * scales[1])
        return Affine(scales[0], 0.0, 0.0, scales[1], left - x * scales[0], top - y * scales[1])

    def _children(self, element: Element, frame: _Frame, sink: list[Shape]) -> None:
        for child in element:
            tag = child.tag.removeprefix(_SPACE)
            if tag in ("g", "path"):
                inner = self._inner(child, frame)
                if tag == "g":
                    self._children(child, inner, sink)
                else:
                    sink.append(self._shape(child, inner))

    def _inner(self, element: Element, frame: _Frame) -> _Frame:
        """Return the frame of an element's content."""
        for word in ("mask", "filter"):
            if word in element.attrib:
                self._notes.not_applied(word)
        matrix = frame.matrix @ _matrix(element)
        clip = frame.clip
        if "clip-path" in element.attrib:
            clip = self._clip(_link(element.attrib["clip-path"]), element, matrix, clip)
        name = self._names.get(element.get("id", ""), frame.name)
        return replace(frame, matrix=matrix, clip=clip, name=name, opacity=frame.opacity * float(element.get("opacity", "1")))

    def _shape(self, element: Element, frame: _Frame) -> Shape:
        fill = element.get("fill", "black")
        if fill.startswith("url(") and self._by_id[_link(fill)].tag == f"{_SPACE}pattern":
            self._notes.not_applied("pattern")
        return Shape(
            element.attrib["d"],
            frame.matrix,
            element.get("fill-rule", "nonzero"),
            frame.clip,
            "" if frame.name is None else frame.name.words,
            "" if frame.name is None else frame.name.id,
            is_filled=fill != "none" and frame.opacity * self._alpha(element, fill) > _MIN_OPACITY,
            is_visible=frame.opacity > _MIN_OPACITY
            and (fill == "none" or element.get("visibility", "visible") == "visible"),  # usvg hides what has neither fill nor stroke
            is_stroked=element.get("stroke", "none") != "none",
        )

    def _alpha(self, element: Element, fill: str) -> float:
        """Return the alpha of a fill, that of the most opaque stop for a gradient."""
        stops = self._by_id[_link(fill)].findall(f"{_SPACE}stop") if fill.startswith("url(") else []
        return float(element.get("fill-opacity", "1")) * max((float(stop.get("stop-opacity", "1")) for stop in stops), default=1.0)

    def _clip(self, link: str, element: Element, matrix: Affine, around: Clip | None) -> Clip:
        """Return the clip `link` of an element with this map, within another clip."""
        target = self._by_id[link]
        if "clip-path" in target.attrib:
            around = self._clip(_link(target.attrib["clip-path"]), element, matrix, around)
        matrix @= _matrix(target)
        if target.get("clipPathUnits") == "objectBoundingBox":
            matrix @= _box_of(element)
        key = link, matrix, around
        if key not in self._clips:
            shapes: list[Shape] = []
            self._children(target, _Frame(matrix), shapes)
            rules = [child.get("clip-rule", "nonzero") for child in target.iter(f"{_SPACE}path")]
            shown = (replace(shape, rule=rule) for shape, rule in zip(shapes, rules, strict=True) if shape.is_visible)
            self._clips[key] = Clip(tuple(shown), around)
        return self._clips[key]


def _box_of(element: Element) -> Affine:
    """Return the map from the unit square to the bounding box of an element's paths, in its user units."""
    points: list[FloatArray] = []

    def visit(inner: Element, matrix: Affine) -> None:
        if inner.tag == f"{_SPACE}path":
            points.extend(Shape(inner.attrib["d"], matrix).rings(_BOX_TOLERANCE, lambda _: None))
        for child in inner:
            visit(child, matrix @ _matrix(child))

    visit(element, Affine())
    if not points:
        return Affine()
    lower, upper = np.concatenate(points).min(axis=0).tolist(), np.concatenate(points).max(axis=0).tolist()
    return Affine(upper[0] - lower[0], 0.0, 0.0, upper[1] - lower[1], *lower)


def _matrix(element: Element) -> Affine:
    text = element.get("transform")
    return Affine() if text is None else Affine(*map(float, text.removeprefix("matrix(").removesuffix(")").split()))


def _link(text: str) -> str:
    """Return the id in ``url(#id)``."""
    return text.removeprefix("url(#").removesuffix(")")
