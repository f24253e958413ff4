"""Path data and basic shapes as segments, and segments as points; shapes and their clip regions.

A segment is a tuple: its command in capitals, then complex numbers x + i y in absolute coordinates.

    ("M", p)  ("L", p)  ("Q", control, p)  ("C", control, control, p)  ("Z",)
    ("A", rx + i ry, turn in degrees + i flags, p)        flags: 2 for the large arc, 1 for the positive sweep

Sources: SVG 1.1 (second edition), 8.3 (grammar), 8.2 and F.2 (up to the first error is drawn), F.6 (arcs); SVG 2, 10 (basic shapes).
"""

from __future__ import annotations

import cmath
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray
from engine.decompose._svg_values import NUMBER, SPACE, Affine
from engine.decompose.curves import cubic_points, ellipse_points, quadratic_points

__all__ = ["Clip", "Segment", "Shape", "ellipse", "flattened", "path_segments", "polygon", "rectangle"]

Segment = tuple[str, *tuple[complex, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Clip:
    """A clip region: the area that these shapes cover, intersected with another clip."""

    shapes: tuple[Shape, ...]
    around: Clip | None


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """An outline in its own user units, and the map to the drawing's CSS pixels, y down."""

    segments: list[Segment]
    matrix: Affine
    rule: str = "nonzero"
    clip: Clip | None = None
    words: str = ""
    """Ids, classes and labels of its groups, then its own, in lower case."""
    name: str = ""
    is_filled: bool = True
    is_visible: bool = True
    is_displayed: bool = True
    is_stroked: bool = False

    def rings(self, tolerance: float, take: Callable[[int], None]) -> Iterator[FloatArray]:
        """Yield the subpaths in CSS pixels, within `tolerance` pixels of the drawn curve; `take` as in `flattened`."""
        a, b, c, d, e, f = self.matrix
        if not self.matrix.is_finite:
            raise OverflowError
        stretch = self.matrix.stretch
        if stretch > 0.0:
            for ring in flattened(self.segments, tolerance / stretch, take):
                yield ring @ np.array([[a, b], [c, d]]) + (e, f)


_COMMAND = re.compile(rf"{SPACE}*+([MmZzLlHhVvCcSsQqTtAa])")
_FIRST = re.compile(rf"{SPACE}*+({NUMBER})")
_NEXT = re.compile(rf"{SPACE}*+,?+{SPACE}*+({NUMBER})")
_FLAG = re.compile(rf"{SPACE}*+,?+{SPACE}*+([01])")
_COUNTS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7}


def path_segments(data: str) -> tuple[list[Segment], int | None]:
    """Return the segments of path data up to its first error, and the index of that error or None."""
    segments: list[Segment] = []
    here = start = control = 0j
    last = ""
    at, end = 0, len(data.rstrip(" \t\r\n\f"))
    while at < end:
        match = _COMMAND.match(data, at)
        if match is None or (not segments and match[1] not in "Mm"):
            return segments, at
        letter, command = match[1], match[1].upper()
        at = match.end()
        if command == "Z":
            segments.append(("Z",))
            here, last = start, command
            continue
        is_first = True
        while True:
            values, after = _arguments(data, at, command, is_first)
            if values is None:
                if is_first or after != at:
                    return segments, after
                break
            at, is_first = after, False
            base = here if letter.islower() else 0j
            points = [base + complex(x, y) for x, y in zip(values[0::2], values[1::2], strict=False)]
            if command == "M":
                start = here = points[0]
                segments.append(("M", here))
                last, command = command, "L"
                continue
            if command == "H":
                points = [complex(values[0] + base.real, here.imag)]
            elif command == "V":
                points = [complex(here.real, values[0] + base.imag)]
            elif command == "A":
                points = [base + complex(values[5], values[6])]
            if command in "SC":
                if command == "S":
                    points.insert(0, 2.0 * here - control if last in ("C", "S") else here)
                segments.append(("C", *points))
                control = points[1]
            elif command in "QT":
                if command == "T":
                    points.insert(0, 2.0 * here - control if last in ("Q", "T") else here)
                segments.append(("Q", *points))
                control = points[0]
            elif command == "A":
                flags = 2.0 * values[3] + values[4]
                segments.append(("A", complex(values[0], values[1]), complex(values[2], flags), points[0]))
            else:
                segments.append(("L", points[0]))
            here, last = points[-1], command
    return segments, None


def _arguments(data: str, at: int, command: str, is_first: bool) -> tuple[list[float] | None, int]:
    """Return the numbers of one segment and their end; if one is missing, no numbers and its place, which is `at` if there are none."""
    values: list[float] = []
    for k in range(_COUNTS[command]):
        pattern = _FLAG if command == "A" and k in (3, 4) else _FIRST if is_first and k == 0 else _NEXT
        match = pattern.match(data, at)
        if match is None:
            return None, at
        values.append(float(match[1]))
        at = match.end()
    return values, at


def polygon(points: Sequence[float]) -> list[Segment]:
    """Return a polygon or polyline of x, y, x, y, ...; an unpaired last number is ignored."""
    pairs = [complex(x, y) for x, y in zip(points[0::2], points[1::2], strict=False)]
    return [("M", pairs[0]), *(("L", point) for point in pairs[1:]), ("Z",)] if pairs else []


def rectangle(x: float, y: float, width: float, height: float, rx: float, ry: float) -> list[Segment]:
    """Return a rectangle with elliptic corners; radii are limited to half a side."""
    rx, ry = min(rx, 0.5 * width), min(ry, 0.5 * height)
    right, bottom = x + width, y + height
    if rx <= 0.0 or ry <= 0.0:
        return polygon((x, y, right, y, right, bottom, x, bottom))
    radii = complex(rx, ry)
    ends = (
        (complex(x + rx, y), complex(right - rx, y)),
        (complex(right, y + ry), complex(right, bottom - ry)),
        (complex(right - rx, bottom), complex(x + rx, bottom)),
        (complex(x, bottom - ry), complex(x, y + ry)),
    )
    segments: list[Segment] = [("M", ends[0][0])]
    for k, (_, end) in enumerate(ends):
        segments += [("L", end), ("A", radii, 1j, ends[(k + 1) % 4][0])]
    return [*segments, ("Z",)]


def ellipse(x: float, y: float, rx: float, ry: float) -> list[Segment]:
    center, radii = complex(x, y), complex(rx, ry)
    return [("M", center + rx), ("A", radii, 1j, center - rx), ("A", radii, 1j, center + rx), ("Z",)]


def flattened(segments: Sequence[Segment], tolerance: float, take: Callable[[int], None]) -> list[FloatArray]:
    """Return the subpaths as points (n, 2), at most `tolerance` from their curves.

    `take` receives the number of points of every piece, before the next is made.
    """
    subpaths: list[FloatArray] = []
    pieces: list[FloatArray] = []
    here = start = 0j
    for command, *points in segments:
        if command in "MZ" and pieces:
            subpaths.append(np.concatenate(pieces))
            pieces = []
        if command in "MZ":
            here = start = points[0] if points else start
            take(1)
            continue
        if not pieces:
            pieces.append(_row(here))
        if command == "Q":
            piece = quadratic_points(here, points[0], points[1], tolerance)
        elif command == "C":
            piece = cubic_points(here, points[0], points[1], points[2], tolerance)
        elif command == "A":
            piece = _arc_points(here, points[0], points[1], points[2], tolerance)
        else:
            piece = _row(points[0])
        pieces.append(piece)
        take(len(piece))
        here = points[-1]
    if pieces:
        subpaths.append(np.concatenate(pieces))
    return subpaths


def _arc_points(start: complex, radii: complex, turn: complex, end: complex, tolerance: float) -> FloatArray:
    """Return the points of an elliptic arc after its start.

    Rotated by minus its angle and divided by its radii, the ellipse is a unit circle about c with both ends on it. Half the chord between
    them is h, and c lies on the chord's normal through its middle, sqrt(1 - |h|^2) away. If |h| > 1, no such circle contains both: the
    radii are scaled by |h|, and c is the middle.
    """
    rx, ry = abs(radii.real), abs(radii.imag)
    if rx == 0.0 or ry == 0.0 or start == end:
        return _row(end)  # F.6.2: a straight line, or nothing
    axis = cmath.rect(1.0, math.radians(turn.real))
    is_large, is_positive = turn.imag >= 2.0, turn.imag % 2.0 == 1.0

    def on_circle(point: complex) -> complex:
        turned = point * axis.conjugate()
        return complex(turned.real / rx, turned.imag / ry)

    w0, w1 = on_circle(start), on_circle(end)
    half = 0.5 * (w1 - w0)
    reach = abs(half)
    if reach > 1.0:
        rx, ry, w0, w1, half = rx * reach, ry * reach, w0 / reach, w1 / reach, half / reach
    away = 1j * half / abs(half) * math.sqrt(max(0.0, 1.0 - abs(half) ** 2)) if half else 0j
    middle = 0.5 * (w0 + w1) + (away if is_large != is_positive else -away)
    first = cmath.phase(w0 - middle)
    sweep = cmath.phase((w1 - middle) / (w0 - middle))
    if is_positive and sweep <= 0.0:
        sweep += 2.0 * math.pi
    elif not is_positive and sweep >= 0.0:
        sweep -= 2.0 * math.pi
    center = axis * complex(middle.real * rx, middle.imag * ry)
    return ellipse_points(center, axis * rx, 1j * axis * ry, first, sweep, end, tolerance)


def _row(point: complex) -> FloatArray:
    return np.array([[point.real, point.imag]])
