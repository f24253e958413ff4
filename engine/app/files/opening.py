"""Opens files: scenes, recordings, pairs and stepper cases become demos; pictures and body files become bodies.

A picture is traced (`engine.decompose`) at its size in the demo, so that the tolerance of its outline is measured in millimeters of the
scene instead of pixels. A body file keeps its size unless it would not fit into the scene.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.app.case_demos import inspector_of, stepper_of
from engine.common.errors import Described, InvalidInputError, InvalidShapeError, LabError
from engine.common.json_file import glance
from engine.common.tolerances import TRACE_TOLERANCE
from engine.common.words import counted
from engine.geometry import AABB
from engine.scenes import Scene, load_rube, load_scene
from engine.scenes.rube import is_rube
from engine.scenes.scene_file import FORMAT, MAX_FILE_BYTES
from engine.sim.demo import Demo
from engine.sim.dropping import DroppedBody
from engine.sim.recordings import SUFFIX, Recording, load_recording
from engine.sim.scene_demo import SceneDemo, scene_demo

if TYPE_CHECKING:
    from engine.decompose import BodyFile, Tracing

__all__ = [
    "SCENE_SUFFIXES",
    "SUFFIXES",
    "drop_places",
    "drop_size",
    "file_stem",
    "is_own_scene",
    "load_any_scene",
    "load_dropped",
    "load_file",
    "refusal",
    "words_of",
]

SCENE_SUFFIXES = (".json", ".svg")
"""File name suffixes that ``run`` accepts instead of a demo's id."""
SUFFIXES = (*SCENE_SUFFIXES, SUFFIX, ".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp")
"""File name suffixes that the window opens."""
_MAX_STEM = 60
"""Maximum number of characters that a scene's name contributes to a file name."""
_SHARE = 0.15
"""Longer side of a dropped picture, as a share of the shorter side of the home view: 1.2 m in a pit 8 m high."""
_MAX_SHARE = 0.8
"""Maximum longer side of a body from a body file, as the same share."""
_HEIGHT = 0.8
"""Height in the home view at which files from the command line are dropped, as a share."""
_MAX_PIECES = 64
"""Maximum number of fixtures of one body. Outlines that need more are decomposed approximately: a leaf or a splash has hundreds of small
dents, which are invisible, but every piece costs time in each step.
"""
_MAX_VERTICES = 600
"""Maximum number of corners of an outline. Cutting time grows with its cube: a fraction of a second here, minutes for noise."""
_MAX_DRAWN_VERTICES = 10_000
"""Maximum number of corners of a drawing, including the chords of its curves; simplifying more takes minutes."""
_MAY_BE_LOST = 0.01
"""Maximum share of the outline's area that may be lost in slivers too small for Box2D; a toy need not be exact to a millionth."""


def load_file(path: str, size: float) -> BodyFile | Recording | type[Demo]:
    """Return the contents of a file: a recording; the demo of a scene, a pair or a stepper case; or a body, as `load_dropped` returns it.

    Raises
    ------
    LabError
        The file cannot be read, or is none of these; the message is one line.
    """
    if path.lower().endswith(SUFFIX):
        return load_recording(path)
    content = glance(path, MAX_FILE_BYTES) if path.lower().endswith(".json") else None
    kind = content.get("format") if isinstance(content, dict) else None
    if kind is not None:
        from engine.compare.pair.file import FORMAT as PAIR
        from engine.trace.case_file import CASE_FORMAT, load_case

        if kind == PAIR:
            return inspector_of(path)[1]
        if kind == CASE_FORMAT:
            saved = load_case(path)
            return stepper_of(saved.algorithm, saved.case, Path(path).name)
    if kind == FORMAT or is_rube(content):
        return scene_demo(load_any_scene(path), path)
    return load_dropped(path, size)


def is_own_scene(path: str) -> bool:
    """Return True if a JSON file declares itself a scene of this program."""
    content = glance(path, MAX_FILE_BYTES) if path.lower().endswith(".json") else None
    return isinstance(content, dict) and content.get("format") == FORMAT


def load_any_scene(path: str, pixels_per_metre: float | None = None) -> Scene:
    """Read a scene file, a R.U.B.E. export, or a drawing.

    Raises
    ------
    InvalidInputError
        The file is none of these, or invalid; the message names the line and the field.
    """
    suffix = Path(path).suffix.lower()
    if suffix == ".svg":
        from engine.scenes.svg_scene import load_svg_scene

        return load_svg_scene(path) if pixels_per_metre is None else load_svg_scene(path, pixels_per_metre)
    if suffix != ".json":
        requirement = f"a scene: a file that ends in {' or '.join(SCENE_SUFFIXES)}"
        raise InvalidInputError(path, requirement, Described(suffix or "no extension"))
    if pixels_per_metre is not None:
        raise InvalidInputError("pixels_per_metre", "omitted for a file in meters", pixels_per_metre)
    return load_rube(path) if is_rube(glance(path, MAX_FILE_BYTES)) else load_scene(path)


def file_stem(demo: Demo) -> str:
    """Return the base name of files written from a demo: its id, or the name of its scene file."""
    if not isinstance(demo, SceneDemo):
        return demo.id or "demo"
    return Path(demo.opened_from).stem[:_MAX_STEM] or demo.id


def load_dropped(path: str, size: float) -> BodyFile:
    """Return the body of a file.

    Parameters
    ----------
    path : str
        A picture or an SVG, traced so that the longer side of its outline is `size` meters; or a body file, which keeps its size up to
        ``_MAX_SHARE / _SHARE`` times `size`.
    size : float
        Meters; see `drop_size`.

    Raises
    ------
    LabError
        The file cannot be read, is none of these, or has no outline; the message is one line.
    """
    from engine.decompose import BodyFile, load_body
    from engine.decompose.decompose import decompose

    if path.lower().endswith(".json"):
        body = load_body(path)
        longer, most = _longer_side(body.outline.aabb), size * _MAX_SHARE / _SHARE
        return _resized(body, most / longer) if longer > most else body
    tracing, pixels_per_metre = _traced_at(path, size)
    outline, picture, notes = tracing.outline, tracing.picture, tracing.notes
    if outline.n_vertices > _MAX_VERTICES:
        requirement = f"a picture whose outline has at most {_MAX_VERTICES} corners at a size of {size:.2g} m"
        raise InvalidShapeError(Path(path).name, requirement, Described(str(outline.n_vertices)))
    cut = decompose(outline, max_lost=_MAY_BE_LOST)
    if len(cut.pieces) > _MAX_PIECES:
        cut = decompose(outline, max_pieces=_MAX_PIECES, max_lost=_MAY_BE_LOST)
    return BodyFile(tracing.name, cut.pieces, outline, cut.method, TRACE_TOLERANCE, pixels_per_metre, cut.max_pieces, picture, notes)


def drop_size(home: AABB) -> float:
    """Return the longer side, meters, of a dropped picture in a demo with this home view, independent of the zoom."""
    (left, bottom), (right, top) = home.lower, home.upper
    return _SHARE * min(right - left, top - bottom)


def drop_places(home: AABB, n: int) -> list[tuple[float, float]]:
    """Return the points at which `n` files from the command line are dropped: side by side in the upper part of the home view."""
    (left, bottom), (right, top) = home.lower, home.upper
    return [(left + (right - left) * (k + 1) / (n + 1), bottom + _HEIGHT * (top - bottom)) for k in range(n)]


def words_of(body: DroppedBody) -> str:
    """Report the result of dropping a file, in one line."""
    file = body.file
    assert file is not None
    words = f"{file.name}: {counted(len(file.pieces), 'fixture')}, {file.outline.area:.2f} m²"
    return "; ".join((words, *file.notes))


def refusal(path: str, error: Exception) -> str:
    """Report why a file cannot be used, in one line."""
    reason = str(error) if isinstance(error, LabError) else f"{type(error).__name__}: {error}"
    if isinstance(error, InvalidInputError) and error.value == path:  # omit a long name, which the message would cut off
        reason = f"it must be {error.requirement}"
    name = Path(path).name
    reason = " ".join(reason.split()).replace(path, name)
    return f"{name} cannot be used: {reason.removeprefix(f'{name}, ').replace(name, 'it', 1)}"


def _traced_at(path: str, size: float) -> tuple[Tracing, float]:
    """Trace a picture or a drawing so that its longer side is `size` meters; also return pixels per meter."""
    from engine.decompose.image import read_opacity
    from engine.decompose.svg import read_drawing
    from engine.decompose.tracing import DEFAULT_THRESHOLD, DRAWING_SUFFIX, TRACED_SUFFIXES, trace_file, trace_opacity

    suffix = Path(path).suffix.lower()
    if suffix == DRAWING_SUFFIX:
        n_corners = read_drawing(path, pixels_per_metre=1.0, tolerance=1.0).n_corners
        if n_corners > _MAX_DRAWN_VERTICES:
            raise InvalidShapeError(Path(path).name, f"a drawing of at most {_MAX_DRAWN_VERTICES} corners", Described(str(n_corners)))
        pixels_per_metre = _longer_side(trace_file(path, pixels_per_metre=1.0, tolerance=1.0).outline.aabb) / size
        return trace_file(path, pixels_per_metre), pixels_per_metre
    if suffix not in TRACED_SUFFIXES:
        requirement = f"a picture, an SVG or a body file ({', '.join(TRACED_SUFFIXES)}, .json)"
        raise InvalidInputError(Path(path).name, requirement, Described(suffix or "no extension"))
    opacity = read_opacity(path)
    solid = opacity.alpha >= DEFAULT_THRESHOLD
    rows, columns = np.flatnonzero(solid.any(axis=1)), np.flatnonzero(solid.any(axis=0))
    if len(rows) == 0:
        raise InvalidShapeError(Path(path).name, "a picture with an opaque area", Described("nothing"))
    pixels_per_metre = float(max(rows[-1] - rows[0], columns[-1] - columns[0]) + 1) / size
    return trace_opacity(path, opacity, pixels_per_metre), pixels_per_metre


def _longer_side(box: AABB) -> float:
    return max(box.upper[0] - box.lower[0], box.upper[1] - box.lower[1])


def _resized(body: BodyFile, factor: float) -> BodyFile:
    """Scale a body about its origin by `factor`."""
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
