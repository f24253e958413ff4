"""Values of SVG attributes and CSS properties: numbers, lengths, transforms, boxes.

Each parser returns None for unsupported text, which the caller reports; none raises.

Sources: SVG 2, 4.2 (types), 8.2 (viewBox, preserveAspectRatio), 13.2 (paint); CSS Values 3; CSS Transforms 1.
"""

from __future__ import annotations

import math
import re
from typing import Literal, NamedTuple

__all__ = [
    "AUTO",
    "IDENTITY",
    "NUMBER",
    "SPACE",
    "Affine",
    "AspectRatio",
    "Auto",
    "Box",
    "Length",
    "TransformFunction",
    "aspect_ratio",
    "length",
    "length_or_auto",
    "numbers",
    "transform",
    "transform_origin",
    "translation",
    "view_box",
]

SPACE = r"[ \t\r\n\f]"
NUMBER = r"[+-]?(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+"
"""Numbers of SVG 1.1, which allows "1."; repetitions are possessive, so that matching takes linear time."""
_LENGTH = re.compile(rf"({NUMBER})([a-zA-Z]*+|%)")
_COMMA = rf"{SPACE}*+,?+{SPACE}*+"
_BETWEEN = re.compile(_COMMA)
_NEXT_NUMBER = re.compile(rf"{_COMMA}({NUMBER})")
_FUNCTION = re.compile(rf"{SPACE}*+([a-zA-Z0-9]++)({SPACE}*+)\(([^()]*+)\)")

Auto = Literal["auto"]
AUTO: Auto = "auto"

_ABSOLUTE = {"": 1.0, "px": 1.0, "pt": 96.0 / 72.0, "pc": 16.0, "in": 96.0, "cm": 96.0 / 2.54, "mm": 96.0 / 25.4, "q": 96.0 / 101.6}
"""User units per unit of length: CSS pixels of 1/96 inch; a Q is a quarter of a millimeter."""
_OF_FONT = {"em": 1.0, "ex": 0.5, "ch": 0.5}
"""Units relative to the font size; CSS Values 3, 5.1.1: ex and ch are half an em if the font is unknown."""
_ANGLES = {"": 1.0, "deg": 1.0, "grad": 0.9, "rad": 180.0 / math.pi, "turn": 360.0}
_MAX_RELATIVE = 100
"""Maximum number of position-dependent transform functions in a list, which cannot be multiplied once for all copies of an element."""


class Affine(NamedTuple):
    """The matrix ((a, c, e), (b, d, f)), as SVG writes it."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    def __matmul__(self, other: Affine) -> Affine:
        """Return the map that applies `other` first."""
        a, b, c, d, e, f = self
        return Affine(
            a * other.a + c * other.b,
            b * other.a + d * other.b,
            a * other.c + c * other.d,
            b * other.c + d * other.d,
            a * other.e + c * other.f + e,
            b * other.e + d * other.f + f,
        )

    @property
    def is_finite(self) -> bool:
        return all(map(math.isfinite, self))

    @property
    def stretch(self) -> float:
        """Maximum stretch: the larger singular value."""
        return 0.5 * (math.hypot(self.a + self.d, self.c - self.b) + math.hypot(self.a - self.d, self.c + self.b))


IDENTITY = Affine(1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def translation(x: float, y: float) -> Affine:
    return Affine(1.0, 0.0, 0.0, 1.0, x, y)


class Box(NamedTuple):
    """A viewBox or the place of a viewport: left, top, width, height."""

    x: float
    y: float
    width: float
    height: float


class Length(NamedTuple):
    """A number with its unit: "px" for absolute ones, "em" (a multiple of the font's size), "rem" or "%"."""

    number: float
    unit: str

    def resolved(self, whole: float, em: float, rem: float) -> float:
        """Return user units; 100 % is `whole`."""
        return self.number * {"px": 1.0, "em": em, "rem": rem, "%": whole / 100.0}[self.unit]


def length(text: str, is_css: bool = False) -> Length | None:
    """Return a length or percentage; in CSS only 0 needs no unit."""
    match = _LENGTH.fullmatch(text.strip())
    if match is None:
        return None
    number, unit = float(match[1]), match[2].lower()
    if unit in _ABSOLUTE:
        return None if is_css and not unit and number != 0.0 else Length(number * _ABSOLUTE[unit], "px")
    if unit in _OF_FONT:
        return Length(number * _OF_FONT[unit], "em")
    return Length(number, unit) if unit in ("rem", "%") else None


def length_or_auto(text: str, is_css: bool = False) -> Length | Auto | None:
    return AUTO if text.strip().lower() == AUTO else length(text, is_css)


def numbers(text: str) -> tuple[list[float], bool]:
    """Return the numbers of a list up to the first error, and whether that is its end."""
    values = []
    at = 0
    while match := _NEXT_NUMBER.match(text, at):
        if at == 0 and "," in text[: match.start(1)]:
            break
        values.append(float(match[1]))
        at = match.end()
    return values, not text[at:].strip()


def view_box(text: str) -> Box | None:
    values, is_whole = numbers(text)
    if not is_whole or len(values) != 4 or not all(map(math.isfinite, values)) or values[2] < 0.0 or values[3] < 0.0:
        return None
    return Box(*values)


class AspectRatio(NamedTuple):
    """preserveAspectRatio: fractions of the free space before the box; None, None if it is stretched to the viewport."""

    x: float | None = 0.5
    y: float | None = 0.5
    is_slice: bool = False

    def fitted(self, box: Box, width: float, height: float) -> Affine:
        """Return the map from a viewBox to a viewport at the origin; both have an area."""
        across, down = width / box.width, height / box.height
        if self.x is None or self.y is None:
            return Affine(across, 0.0, 0.0, down, -box.x * across, -box.y * down)
        scale = max(across, down) if self.is_slice else min(across, down)
        x, y = self.x * (width - box.width * scale), self.y * (height - box.height * scale)
        return Affine(scale, 0.0, 0.0, scale, x - box.x * scale, y - box.y * scale)


_ALIGNED = re.compile(r"x(Min|Mid|Max)Y(Min|Mid|Max)")
_SHARES = {"Min": 0.0, "Mid": 0.5, "Max": 1.0}


def aspect_ratio(text: str) -> AspectRatio | None:
    words = text.split()
    if words[:1] == ["defer"]:  # SVG 1.1; of images only
        words = words[1:]
    if not 1 <= len(words) <= 2 or words[1:] not in ([], ["meet"], ["slice"]):
        return None
    if words[0] == "none":
        return AspectRatio(None, None)
    match = _ALIGNED.fullmatch(words[0])
    return None if match is None else AspectRatio(_SHARES[match[1]], _SHARES[match[2]], words[1:] == ["slice"])


TransformFunction = Affine | tuple[Length, Length]
"""A matrix, or a translation by lengths that depend on the element's place."""


def transform(text: str, is_css: bool = False) -> tuple[TransformFunction, ...] | None:
    """Return the functions of a transform, neighboring matrices multiplied; of the attribute's grammar or of CSS'."""
    text = text.strip()
    if text.lower() == "none":
        return ()
    functions: list[TransformFunction] = [IDENTITY]
    at = 0
    while at < len(text):
        match = _FUNCTION.match(text, at)
        if match is None or (is_css and match[2]):
            return None
        function = (_css_function if is_css else _svg_function)(match[1].lower(), match[3])
        if function is None or len(functions) > _MAX_RELATIVE:
            return None
        before = functions[-1]
        if isinstance(function, Affine) and isinstance(before, Affine):
            functions[-1] = before @ function
        else:
            functions.append(function)
        at = match.end()
        between = _BETWEEN.match(text, at)
        if not is_css and between is not None and between.end() < len(text):
            at = between.end()
    return tuple(functions)


def _svg_function(name: str, arguments: str) -> Affine | None:
    values, is_whole = numbers(arguments)
    if not is_whole:
        return None
    match name, values:
        case "rotate", [angle, x, y]:
            turned = _linear("rotate", [angle])
            return None if turned is None else translation(x, y) @ turned @ translation(-x, -y)
        case "translate", [x]:
            return translation(x, 0.0)
        case "translate", [x, y]:
            return translation(x, y)
    return _linear(name, values)


def _linear(name: str, values: list[float]) -> Affine | None:
    """Return the functions common to both grammars; angles are in degrees."""
    match name, values:
        case "matrix", [a, b, c, d, e, f]:
            return Affine(a, b, c, d, e, f)
        case "scale", [x]:
            return Affine(x, 0.0, 0.0, x, 0.0, 0.0)
        case "scale", [x, y]:
            return Affine(x, 0.0, 0.0, y, 0.0, 0.0)
        case "rotate", [angle] if math.isfinite(angle):
            turn = math.radians(angle)
            return Affine(math.cos(turn), math.sin(turn), -math.sin(turn), math.cos(turn), 0.0, 0.0)
        case "skewx", [angle] if math.isfinite(angle):
            return Affine(1.0, 0.0, math.tan(math.radians(angle)), 1.0, 0.0, 0.0)
        case "skewy", [angle] if math.isfinite(angle):
            return Affine(1.0, math.tan(math.radians(angle)), 0.0, 1.0, 0.0, 0.0)
    return None


def _css_function(name: str, arguments: str) -> TransformFunction | None:
    parts = [part.strip() for part in arguments.split(",")]
    if name in ("translate", "translatex", "translatey"):
        lengths = [length(part, is_css=True) for part in parts]
        if None in lengths or not 1 <= len(lengths) <= (2 if name == "translate" else 1):
            return None
        zero = Length(0.0, "px")
        x, y = (zero, lengths[0]) if name == "translatey" else (lengths[0], lengths[1] if len(lengths) == 2 else zero)
        assert x is not None and y is not None
        return translation(x.number, y.number) if x.unit == y.unit == "px" else (x, y)
    if name in ("rotate", "rotatez", "skew", "skewx", "skewy"):
        angles = [_angle(part) for part in parts]
        known = [angle for angle in angles if angle is not None]
        if len(known) != len(parts):
            return None
        if name == "skew" and len(known) == 2 and all(map(math.isfinite, known)):
            return Affine(1.0, math.tan(math.radians(known[1])), math.tan(math.radians(known[0])), 1.0, 0.0, 0.0)
        return _linear("skewx" if name == "skew" else name.removesuffix("z"), known)
    shares = [_share(part) for part in parts]
    values = [share for share in shares if share is not None]
    if len(values) != len(parts):
        return None
    if name in ("scalex", "scaley") and len(values) == 1:
        return _linear("scale", [values[0], 1.0] if name == "scalex" else [1.0, values[0]])
    return _linear(name, values) if name in ("matrix", "scale") else None


def _angle(text: str) -> float | None:
    """Return degrees."""
    match = _LENGTH.fullmatch(text)
    if match is None or match[2].lower() not in _ANGLES or (not match[2] and float(match[1]) != 0.0):
        return None
    return float(match[1]) * _ANGLES[match[2].lower()]


def _share(text: str) -> float | None:
    match = _LENGTH.fullmatch(text)
    if match is None or match[2] not in ("", "%"):
        return None
    return float(match[1]) / (100.0 if match[2] else 1.0)


_ACROSS = {"left": 0.0, "center": 50.0, "right": 100.0}
_DOWN = {"top": 0.0, "center": 50.0, "bottom": 100.0}
"""A length in percent."""


def transform_origin(text: str, is_css: bool = False) -> tuple[Length, Length] | None:
    """Return the point as lengths, percentages of the reference box; a third length, along z, changes nothing here."""
    words = (text if is_css else text.replace(",", " ")).lower().split()
    if len(words) == 3 and (depth := length(words[2], is_css)) is not None and depth.unit != "%":
        words = words[:2]
    if len(words) == 1:
        words = ["center", words[0]] if words[0] in _DOWN else [words[0], "center"]
    if len(words) != 2:
        return None
    if words[0] in ("top", "bottom") or words[1] in ("left", "right"):  # keywords can be in either order
        words.reverse()
        if not (words[0] in _ACROSS and words[1] in _DOWN):
            return None
    x, y = (
        Length(sides[word], "%") if word in sides else length(word, is_css) for word, sides in zip(words, (_ACROSS, _DOWN), strict=True)
    )
    return None if x is None or y is None else (x, y)
