"""Import of a drawing as a scene. Every filled shape in an SVG becomes a body where it was drawn, so levels can be drawn in any editor.

The properties of a body are determined by words in its shape's id, classes and label (the name of an object or a layer in Inkscape), and in
those of the groups that contain the shape; the innermost takes precedence. A word may have a suffix, because editors number copies:
``static``, ``static-3`` and ``static2`` are the same.

    static, kinematic, dynamic       the type of the body; dynamic by default
    bullet, sensor                   as in a scene
    ignore                           makes no body, as for a background
    density-2, friction-0.8, restitution-0.5

As with the command trace, a shape is traced by its fill and its fill-rule, simplified, and cut into convex pieces.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from engine.common.errors import Described, InvalidShapeError, LabError, renamed
from engine.common.limits import MAX_NAME
from engine.common.tolerances import FLATTENING_SHARE, SPECK_RADIUS, TRACE_TOLERANCE
from engine.common.words import brief, counted
from engine.decompose.repair import without_specks
from engine.decompose.simplify import simplified
from engine.decompose.svg import DrawnShape, read_drawing
from engine.decompose.tracing import DEFAULT_PIXELS_PER_METRE
from engine.geometry import AABB
from engine.scenes.scene import MAX_NOTES, MAX_TEXT, Scene, build
from engine.world import BodySpec, FixtureSpec, WorldSettings, accept

__all__ = ["load_svg_scene"]

_TYPES = ("static", "kinematic", "dynamic")
_SWITCH = re.compile(r"(static|kinematic|dynamic|bullet|sensor|ignore)(?![a-z])")
_VALUE = re.compile(r"(density|friction|restitution)[-_:=](\d+(?:\.\d+)?)(?![\d.])")
_MAX_CORNERS = 300
"""Maximum number of vertices of a shape to decompose, because decomposition takes cubic time. A shape with more vertices is simplified, and
a note is added."""
_MAX_DRAWN = 30_000
"""Maximum number of vertices of a shape as drawn, including the chords of curves. Simplifying a larger one takes tens of seconds."""
_MAX_DRAWN_TOTAL = 50_000
_MAX_SHAPES = 3_000
"""Maximum number of shapes in a drawing. Each takes two to three milliseconds of processor time."""
_TOLERANCE = (1.0 - FLATTENING_SHARE) * TRACE_TOLERANCE
"""Maximum distance between a body's boundary and that of the flattened drawing, meters."""
_LOST = 0.01
"""Maximum share of a shape's area that may be lost in slivers too small for Box2D."""


def load_svg_scene(path: str | os.PathLike[str], pixels_per_metre: float = DEFAULT_PIXELS_PER_METRE) -> Scene:
    """Return a drawing as a scene that can be built.

    Parameters
    ----------
    path : path-like
    pixels_per_metre : float
        > 0; number of the drawing's user units (CSS pixels, 96 per inch) per meter.

    Raises
    ------
    InvalidInputError
        The file is missing or not a readable SVG.
    InvalidShapeError
        No shape in it becomes a body.
    """
    name = os.fspath(path)
    drawing = read_drawing(path, pixels_per_metre, FLATTENING_SHARE * TRACE_TOLERANCE)
    for field, most, number in (
        ("shapes", _MAX_SHAPES, len(drawing.regions)),
        ("corners in all", _MAX_DRAWN_TOTAL, drawing.n_corners),
    ):
        if number > most:
            raise InvalidShapeError(name, f"a drawing of at most {most} {field}", Described(str(number)))
    notes = list(drawing.notes)
    bodies, n_ignored = [], 0
    for k, shape in enumerate(drawing.shapes):
        roles = _roles(shape.words)
        if roles.pop("ignore", False):
            n_ignored += 1
            continue
        try:
            bodies.append(_body(shape, roles, notes))
        except LabError as error:
            notes.append(f"Left out: shape {k + 1}{f' ({shape.name})' if shape.name else ''}: {error}.")
    if n_ignored:
        notes.append(f"Ignored: {n_ignored} shape{'s' * (n_ignored > 1)} marked to be ignored.")
    if not bodies:
        raise InvalidShapeError(name, "a drawing with a shape that becomes a body", Described(notes[-1] if notes else "none"))
    camera = None if drawing.size is None else AABB((0.0, 0.0), drawing.size)
    kept = tuple(brief(note, MAX_TEXT) for note in notes[:MAX_NOTES])
    scene = Scene(WorldSettings(), tuple(bodies), title=Path(name).stem[:MAX_TEXT], camera=camera, notes=kept)
    with renamed(lambda field: f"{name}: {field}"):
        build(scene)
    return scene


def _roles(words: tuple[str, ...]) -> dict[str, Any]:
    """Return the properties given by the words; later words, such as the shape's own, take precedence."""
    roles: dict[str, Any] = {}
    for word in words:
        switch, value = _SWITCH.match(word), _VALUE.match(word)
        if switch is not None:
            if switch[1] in _TYPES:
                roles["type"] = switch[1]
            else:
                roles[switch[1]] = True
        if value is not None:
            roles[value[1]] = float(value[2])
    return roles


def _body(shape: DrawnShape, roles: dict[str, Any], notes: list[str]) -> BodySpec:
    from engine.decompose.decompose import decompose

    if shape.outline.n_vertices > _MAX_DRAWN:
        raise InvalidShapeError("the shape", f"at most {_MAX_DRAWN} corners", Described(str(shape.outline.n_vertices)))
    clean, n_parts, n_holes = without_specks(shape.outline, SPECK_RADIUS)
    if clean is None:
        raise InvalidShapeError("the shape", f"at least {2.0 * SPECK_RADIUS:g} m thick somewhere", Described("specks"))
    n_rings = sum(1 for _ in clean.rings())
    if 3 * n_rings > _MAX_CORNERS:  # simplification keeps every ring, with at least three vertices
        raise InvalidShapeError("the shape", f"at most {_MAX_CORNERS // 3} parts and holes", Described(str(n_rings)))
    outline, rougher = simplified(clean, _TOLERANCE), _TOLERANCE
    (left, bottom), (right, top) = outline.aabb.lower, outline.aabb.upper
    while outline.n_vertices > _MAX_CORNERS and rougher < max(right - left, top - bottom):
        rougher *= 2.0
        outline = simplified(clean, rougher)
    if outline.n_vertices > _MAX_CORNERS:
        raise InvalidShapeError("the shape", f"at most {_MAX_CORNERS} corners once simplified", Described(str(outline.n_vertices)))
    if rougher > _TOLERANCE:
        notes.append(f"Simplified {shape.name or 'a shape'} with a tolerance of {rougher:.3g} m, to keep it within {_MAX_CORNERS} corners.")
    (left, bottom), (right, top) = outline.aabb.lower, outline.aabb.upper
    x, y = 0.5 * (left + right), 0.5 * (bottom + top)
    cut = decompose(outline.translated(-x, -y), max_lost=_LOST)
    if n_parts or n_holes or cut.n_dropped:
        words = f"{counted(n_parts, 'part')} and {counted(n_holes, 'hole')} too thin for Box2D's skin, {counted(cut.n_dropped, 'sliver')}"
        notes.append(f"Left out of {shape.name or 'a shape'}: {words}.")
    material = {name: roles[name] for name in ("density", "friction", "restitution", "sensor") if name in roles}
    return accept(
        BodySpec(
            tuple(FixtureSpec(piece, **material) for piece in cut.pieces),
            roles.get("type", "dynamic"),
            (x, y),
            bullet=roles.get("bullet", False),
            name=shape.name[:MAX_NAME],
        )
    )
