"""A body in pieces as a JSON file that scenes load, and a body from a picture in one call.

    {
      "format": "collision body", "version": 1, "name": "star",
      "method": "exact", "tolerance": 0.005, "pixels_per_metre": 100.0, "max_pieces": 8,
      "outline": [{"outer": [[0, 0], [1, 0], [0, 1]], "holes": [[[0.1, 0.1], [0.1, 0.2], [0.2, 0.1]]]}],
      "fixtures": [
        {"kind": "polygon", "vertices": [[0, 0], [1, 0], [0, 1]]},
        {"kind": "circle", "radius": 0.5, "center": [0, 0]}
      ],
      "picture": {"file": "star.png", "lower": [-0.5, -0.5], "upper": [0.5, 0.5], "crop": [0, 0, 100, 100]},
      "notes": ["Left out: 3 parts nowhere 0.01 m thick, less than Box2D's skin."]
    }

Meters, in the frame of the body, y up. The outline's parts and rings are those of `Outline`; a fixture is a convex polygon of at most 16
vertices, or a circle. The picture's file must be in the folder of this file, or below, and is otherwise omitted; `lower` and `upper` are
the corners of the box filled by the picture, or by its rectangle `crop` (left, top, width, height in pixels). `max_pieces`, `picture`,
`notes` and `holes` are optional. Floats are written with enough digits to be read back exactly.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.common.checks import integer, positive
from engine.common.errors import Described, InvalidInputError, InvalidShapeError
from engine.common.files import name_beside, relative_path, write_atomically
from engine.common.json_file import json_text, read_json
from engine.common.limits import MAX_COORDINATE, MAX_POLYGON_VERTICES
from engine.common.tolerances import TRACE_TOLERANCE
from engine.common.words import LONGEST_NAME, brief
from engine.decompose.limits import clean
from engine.decompose.outline import Outline, Part
from engine.decompose.tracing import DEFAULT_PIXELS_PER_METRE, DEFAULT_THRESHOLD, TRACED_SUFFIXES, Picture, Tracing, trace_file
from engine.geometry import Circle, Polygon
from engine.geometry.flat_corners import corners_left_out, without_flat_corners
from engine.geometry.polygon import corner_rows

if TYPE_CHECKING:
    from engine.decompose._body_schema import BodySchema
    from engine.decompose.decompose import Decomposition

__all__ = ["BODY_SUFFIX", "FORMAT", "VERSION", "BodyFile", "body_as_json", "body_from_json", "body_of_file", "load_body", "save_body"]

FORMAT = "collision body"
VERSION = 1
BODY_SUFFIX = ".json"

_MAX_FILE = 16_000_000
"""Maximum file size, bytes; a hundred thousand vertices take five million."""


@dataclass(frozen=True, slots=True, eq=False)
class BodyFile:
    """A body: its pieces, the outline that they represent, and the method.

    Parameters
    ----------
    name : str
    pieces : tuple of Polygon or Circle
        Body frame, meters; at least one. Polygons have at most 16 vertices and no skin of their own.
    outline : Outline
        The decomposed outline, same frame.
    method : str
        One of `engine.decompose.decompose.METHODS`, or another word in a file written by another program.
    tolerance : float
        > 0, meters, of the outline.
    pixels_per_metre : float
        > 0.
    max_pieces : int, optional
        Requested maximum number of pieces.
    picture : Picture, optional
        The body's picture.
    notes : tuple of str
        Sentences on omitted parts and assumptions.

    Raises
    ------
    InvalidInputError
        A field is invalid.
    """

    name: str
    pieces: tuple[Polygon | Circle, ...]
    outline: Outline
    method: str
    tolerance: float
    pixels_per_metre: float
    max_pieces: int | None = None
    picture: Picture | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field in ("name", "method"):
            if not isinstance(getattr(self, field), str):
                raise InvalidInputError(field, "a text", getattr(self, field))
        if not isinstance(self.outline, Outline):
            raise InvalidInputError("outline", "an Outline", self.outline)
        if self.picture is not None and not isinstance(self.picture, Picture):
            raise InvalidInputError("picture", "a Picture", self.picture)
        _check_notes(self.notes)
        object.__setattr__(self, "pieces", tuple(self.pieces))
        object.__setattr__(self, "notes", tuple(self.notes))
        if not self.pieces:
            raise InvalidInputError("pieces", "at least one", Described("none"))
        for k, piece in enumerate(self.pieces):
            _check_piece(f"pieces[{k}]", piece)
        object.__setattr__(self, "tolerance", positive("tolerance", self.tolerance, "m"))
        object.__setattr__(self, "pixels_per_metre", positive("pixels_per_metre", self.pixels_per_metre))
        if self.max_pieces is not None:
            object.__setattr__(self, "max_pieces", integer("max_pieces", self.max_pieces, 1))


def body_of_file(
    path: str | os.PathLike[str],
    method: str = "exact",
    tolerance: float = TRACE_TOLERANCE,
    max_pieces: int | None = None,
    pixels_per_metre: float = DEFAULT_PIXELS_PER_METRE,
    threshold: float = DEFAULT_THRESHOLD,
    crop: Iterable[int] | None = None,
) -> BodyFile:
    """Return the body of a picture, of a drawing (.svg), or of a body file (.json), which is used unchanged.

    Parameters
    ----------
    path : path-like
    method, max_pieces
        As for `engine.decompose.decompose.decompose`.
    tolerance, pixels_per_metre, threshold, crop
        As for `trace_file`.

    Raises
    ------
    InvalidInputError, InvalidShapeError
        A value is out of range, or the file cannot be read or contains no body. Nothing else is raised.
    """
    suffix = Path(path).suffix.lower()
    if suffix == BODY_SUFFIX:
        return load_body(path)
    if suffix not in TRACED_SUFFIXES:
        requirement = "a file that ends in " + ", ".join((*TRACED_SUFFIXES, BODY_SUFFIX))
        raise InvalidInputError(os.fspath(path), requirement, Described(suffix or "no extension"))
    from engine.decompose.decompose import decompose

    tracing = trace_file(path, pixels_per_metre, tolerance, threshold, crop)
    return body_of_cut(tracing, decompose(tracing.outline, method, max_pieces), tolerance, pixels_per_metre)


def body_of_cut(tracing: Tracing, cut: Decomposition, tolerance: float, pixels_per_metre: float) -> BodyFile:
    """Return the body of a traced and decomposed outline, with a note of omitted pieces."""
    notes = tracing.notes
    if cut.n_dropped:
        notes = (*notes, f"Left out: {cut.n_dropped} piece{'s' * (cut.n_dropped != 1)} too small for Box2D.")
    picture = tracing.picture
    return BodyFile(tracing.name, cut.pieces, tracing.outline, cut.method, tolerance, pixels_per_metre, cut.max_pieces, picture, notes)


def save_body(path: str | os.PathLike[str], body: BodyFile) -> None:
    """Write the body atomically, after checking that it can be loaded.

    The picture's path is relative to the file's folder; a picture outside it is omitted, with a note.

    Raises
    ------
    InvalidInputError
        A number or a text is beyond the format's range.
    OSError
        The file cannot be written.
    """
    folder = Path(path).parent
    plain = body_as_json(body, folder)
    body_from_json(plain, os.fspath(path), folder)
    write_atomically(path, json_text(plain))


def load_body(path: str | os.PathLike[str]) -> BodyFile:
    """Read a body, without checking that its picture exists.

    Raises
    ------
    InvalidInputError
        The file does not exist, is not JSON (the message has the line), or has an invalid field (the message names it).
    """
    return body_from_json(read_json(path, "body file", _MAX_FILE), os.fspath(path), Path(path).parent)


def body_from_json(plain: object, file: str = "body", folder: str | os.PathLike[str] = ".") -> BodyFile:
    """Return the body described by the plain data of a file.

    Parameters
    ----------
    plain : object
    file : str
        The name used in messages.
    folder : path-like
        Folder of its picture.

    Raises
    ------
    InvalidInputError
        As for `load_body`.
    """
    from engine.common.file_schema import validated
    from engine.decompose._body_schema import BodySchema

    held = validated(BodySchema, plain, file)
    notes = list(held.notes)
    with _told_below(f"{file}: "):
        picture = _picture(held, Path(folder))
        if picture is None and held.picture is not None:
            notes.append(_elsewhere(held.picture.file))
        return BodyFile(
            held.name,
            tuple(_piece(k, fixture, notes) for k, fixture in enumerate(held.fixtures)),
            _outline(held),
            held.method,
            held.tolerance,
            held.pixels_per_metre,
            held.max_pieces,
            picture,
            tuple(notes),
        )


def body_as_json(body: BodyFile, folder: str | os.PathLike[str] = ".") -> dict[str, Any]:
    """Return the plain data of a file in that folder."""
    plain: dict[str, Any] = {"format": FORMAT, "version": VERSION, "name": body.name, "method": body.method}
    plain.update({"tolerance": body.tolerance, "pixels_per_metre": body.pixels_per_metre})
    if body.max_pieces is not None:
        plain["max_pieces"] = body.max_pieces
    plain["outline"] = [
        {"outer": part.outer.tolist(), **({"holes": [hole.tolist() for hole in part.holes]} if part.holes else {})}
        for part in body.outline.parts
    ]
    plain["fixtures"] = [_plain_piece(piece) for piece in body.pieces]
    notes, file = body.notes, None if body.picture is None else relative_path(body.picture.file, folder)
    if file is not None and name_beside(folder, file) is None:
        notes, file = (*notes, _elsewhere(file)), None
    if body.picture is not None and file is not None:
        plain["picture"] = {
            "file": file,
            "lower": list(body.picture.lower),
            "upper": list(body.picture.upper),
        }
        if body.picture.crop is not None:
            plain["picture"]["crop"] = list(body.picture.crop)
    if notes:
        plain["notes"] = list(notes)
    return plain


def _check_notes(notes: object) -> None:
    if isinstance(notes, str) or not isinstance(notes, Iterable) or not all(isinstance(note, str) for note in notes):
        raise InvalidInputError("notes", "a list of texts", notes)


def _check_piece(field: str, piece: object) -> None:
    if isinstance(piece, Polygon):
        if len(piece.vertices) > MAX_POLYGON_VERTICES:
            raise InvalidShapeError(f"{field}.vertices", f"at most {MAX_POLYGON_VERTICES}", Described(str(len(piece.vertices))))
        if piece.skin_radius != 0.0:
            raise InvalidShapeError(f"{field}.skin_radius", "0 m: Box2D gives every polygon its own", piece.skin_radius)
        farthest = float(np.abs(piece.vertices).max())
    elif isinstance(piece, Circle):
        farthest = max(abs(piece.center[0]), abs(piece.center[1])) + piece.radius
    else:
        raise InvalidInputError(field, "a Polygon or a Circle", piece)
    if farthest > MAX_COORDINATE:
        raise InvalidShapeError(field, f"within {MAX_COORDINATE:g} m of the origin", Described(f"{farthest:g}"))


@contextmanager
def _told_below(path: str) -> Iterator[None]:
    """Context in which errors name the place in the file; a shape error stays a shape error."""
    try:
        yield
    except InvalidInputError as error:
        raise type(error)(f"{path}{error.field}", error.requirement, error.value) from None


def _piece(k: int, fixture: Any, notes: list[str]) -> Polygon | Circle:
    """Return a piece; a polygon loses corners that float32 cannot distinguish from the line of their neighbors, with one note each."""
    with _told_below(f"fixtures[{k}]."):
        if fixture.kind == "circle":
            return Circle(fixture.radius, (fixture.center[0], fixture.center[1]))
        corners = corner_rows(fixture.vertices)
        polygon = without_flat_corners(corners, Polygon)
        cleaned = clean(polygon.vertices)
        if 3 <= len(cleaned) < len(polygon.vertices):
            polygon = Polygon(cleaned)
        notes += [f"Left out: fixtures[{k}].{left_out.words}." for left_out in corners_left_out(corners, polygon.vertices)]
        return polygon


def _outline(held: BodySchema) -> Outline:
    parts = []
    for k, part in enumerate(held.outline):
        with _told_below(f"outline[{k}]."):
            parts.append(Part(part.outer, part.holes))
    try:
        return Outline(parts)
    except InvalidShapeError as error:
        raise InvalidShapeError("outline", error.requirement, error.value) from None


def _plain_piece(piece: Polygon | Circle) -> dict[str, Any]:
    if isinstance(piece, Circle):
        return {"kind": "circle", "radius": piece.radius, "center": list(piece.center)}
    return {"kind": "polygon", "vertices": piece.vertices.tolist()}


def _picture(held: BodySchema, folder: Path) -> Picture | None:
    if held.picture is None:
        return None
    lower, upper = held.picture.lower, held.picture.upper
    crop = held.picture.crop
    box = (lower[0], lower[1]), (upper[0], upper[1])
    picture = Picture(held.picture.file, *box, None if crop is None else (crop[0], crop[1], crop[2], crop[3]))
    file = name_beside(folder, picture.file)
    return None if file is None else replace(picture, file=file)


def _elsewhere(file: str) -> str:
    return f"Left out: the picture {brief(file, LONGEST_NAME)}, which is not in the folder of the body's file, or below."
