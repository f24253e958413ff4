"""Files that become bodies: pictures, drawings and body files dropped on the window or named by ``run --drop``.

A picture is traced (`engine.decompose`) at the size at which it will lie there, so that the tolerance of the outline, millimeters, is
one of the scene and not of the picture's pixels. A body file has meters of its own and keeps them, unless it would not fit into the scene.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.common.errors import Described, InvalidInputError, InvalidShapeError, LabError
from engine.common.json_file import glance
from engine.common.tolerances import TRACE_TOLERANCE
from engine.common.words import counted
from engine.geometry import AABB
from engine.sim.dropping import DroppedBody

if TYPE_CHECKING:
    from engine.decompose import BodyFile

__all__ = ["drop_places", "drop_size", "is_pair_file", "is_stepper_case", "load_dropped", "refusal", "words_of"]

_SHARE = 0.15
"""Longer side of what a picture becomes, as a share of the shorter side of what the demo shows at first: 1.2 m in a pit 8 m high."""
_MAX_SHARE = 0.8
"""The same for a body file at the most."""
_HEIGHT = 0.8
"""How high in what the demo shows at first files named on the command line begin, as a share of it."""
_MAX_PIECES = 64
"""Fixtures of one body. An outline that takes more is cut up approximately: a leaf or a splash has hundreds of dents, each step pays for
every piece, and they are not seen."""
_MAX_VERTICES = 600
"""Corners of an outline. To cut one up takes time that grows with their cube: a fraction of a second up to here, minutes for noise."""
_MAX_DRAWN_VERTICES = 10_000
"""Corners of a drawing, the chords of its curves included: of more, to find out how few would do takes minutes."""
_MAY_BE_LOST = 0.01
"""Share of the outline's area in slivers too small for Box2D that may be left out: a toy need not be exact to a millionth."""


def is_pair_file(path: str) -> bool:
    """Return True if a file says that it is a pair of shapes, for the demo `pair`; what cannot be read is not."""
    from engine.compare.pair.file import FORMAT, MAX_FILE

    return _says(path, FORMAT, MAX_FILE)


def is_stepper_case(path: str) -> bool:
    """Return the same of a stepper case, for the demo `stepper`."""
    from engine.trace.case_file import CASE_FORMAT, MAX_CASE

    return _says(path, CASE_FORMAT, MAX_CASE)


def _says(path: str, format_name: str, largest: int) -> bool:
    plain = glance(path, largest) if path.lower().endswith(".json") else None
    return isinstance(plain, dict) and plain.get("format") == format_name


def load_dropped(path: str, size: float) -> BodyFile:
    """Return the body of a file.

    Parameters
    ----------
    path : str
        A picture or an SVG, traced so that the longer side of its outline is `size` meters; or a body file, which keeps its meters
        up to ``_MAX_SHARE / _SHARE`` times `size`.
    size : float
        Meters, as `drop_size` gives it.

    Raises
    ------
    LabError
        It cannot be read, is none of these, or has no outline; one line says which.
    """
    from engine.decompose import BodyFile, load_body, trace_file
    from engine.decompose.decompose import decompose

    if path.lower().endswith(".json"):
        body = load_body(path)
        longer, most = _longer_side(body.outline.aabb), size * _MAX_SHARE / _SHARE
        return _resized(body, most / longer) if longer > most else body
    pixels_per_metre = _longer_pixels(path) / size
    tracing = trace_file(path, pixels_per_metre)
    outline, picture, notes = tracing.outline, tracing.picture, tracing.notes
    if outline.n_vertices > _MAX_VERTICES:
        requirement = f"a picture whose outline has at most {_MAX_VERTICES} corners at a size of {size:.2g} m"
        raise InvalidShapeError(Path(path).name, requirement, Described(str(outline.n_vertices)))
    cut = decompose(outline, max_lost=_MAY_BE_LOST)
    if len(cut.pieces) > _MAX_PIECES:
        cut = decompose(outline, max_pieces=_MAX_PIECES, max_lost=_MAY_BE_LOST)
    return BodyFile(tracing.name, cut.pieces, outline, cut.method, TRACE_TOLERANCE, pixels_per_metre, cut.max_pieces, picture, notes)


def drop_size(home: AABB) -> float:
    """Return the longer side, meters, of what a picture becomes in a demo that shows this at first, however the view is zoomed."""
    (left, bottom), (right, top) = home.lower, home.upper
    return _SHARE * min(right - left, top - bottom)


def drop_places(home: AABB, n: int) -> list[tuple[float, float]]:
    """Return where `n` files named on the command line begin to fall: side by side in the upper part of what the demo shows at first."""
    (left, bottom), (right, top) = home.lower, home.upper
    return [(left + (right - left) * (k + 1) / (n + 1), bottom + _HEIGHT * (top - bottom)) for k in range(n)]


def words_of(body: DroppedBody) -> str:
    """Say in a line what became of a file that was dropped."""
    file = body.file
    assert file is not None
    words = f"{file.name}: {counted(len(file.pieces), 'fixture')}, {file.outline.area:.2f} m²"
    return "; ".join((words, *file.notes))


def refusal(path: str, error: Exception) -> str:
    """Say in a line why a file cannot be used."""
    reason = str(error) if isinstance(error, LabError) else f"{type(error).__name__}: {error}"
    if isinstance(error, InvalidInputError) and error.value == path:  # a long one is cut off in the message: leave it out
        reason = f"it must be {error.requirement}"
    name = Path(path).name
    reason = " ".join(reason.split()).replace(path, name)
    return f"{name} cannot be used: {reason.removeprefix(f'{name}, ').replace(name, 'it', 1)}"


def _longer_pixels(path: str) -> float:
    """Return the longer side of what is solid in a picture or a drawing, pixels."""
    from engine.decompose.image import read_opacity
    from engine.decompose.svg import read_drawing
    from engine.decompose.tracing import DEFAULT_THRESHOLD, DRAWING_SUFFIX, TRACED_SUFFIXES, trace_file

    suffix = Path(path).suffix.lower()
    if suffix == DRAWING_SUFFIX:
        n_corners = read_drawing(path, pixels_per_metre=1.0, tolerance=1.0).n_corners
        if n_corners > _MAX_DRAWN_VERTICES:
            raise InvalidShapeError(Path(path).name, f"a drawing of at most {_MAX_DRAWN_VERTICES} corners", Described(str(n_corners)))
        return _longer_side(trace_file(path, pixels_per_metre=1.0, tolerance=1.0).outline.aabb)
    if suffix not in TRACED_SUFFIXES:
        requirement = f"a picture, an SVG or a body file ({', '.join(TRACED_SUFFIXES)}, .json)"
        raise InvalidInputError(Path(path).name, requirement, Described(suffix or "no ending"))
    solid = read_opacity(path).alpha >= DEFAULT_THRESHOLD
    rows, columns = np.flatnonzero(solid.any(axis=1)), np.flatnonzero(solid.any(axis=0))
    if len(rows) == 0:
        raise InvalidShapeError(Path(path).name, "a picture with something opaque in it", Described("nothing"))
    return float(max(rows[-1] - rows[0], columns[-1] - columns[0]) + 1)


def _longer_side(box: AABB) -> float:
    return max(box.upper[0] - box.lower[0], box.upper[1] - box.lower[1])


def _resized(body: BodyFile, factor: float) -> BodyFile:
    """Return the body `factor` times as large about its origin."""
    pieces = tuple(piece.mapped(lambda core: factor * core, factor * piece.radius) for piece in body.pieces)
    picture = body.picture
    if picture is not None:
        (left, bottom), (right, top) = picture.lower, picture.upper
        picture = replace(picture, lower=(factor * left, factor * bottom), upper=(factor * right, factor * top))
    return replace(
        body,
        pieces=pieces,
        outline=body.outline.scaled(factor),
        tolerance=factor * body.tolerance,
        pixels_per_metre=body.pixels_per_metre / factor,
        picture=picture,
    )
