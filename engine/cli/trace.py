"""``trace``: convert a picture or an SVG to convex fixtures, with one or several methods."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.options import JsonFile, Screenshot, argument, command, listed, named, option
from engine.cli.output import STANDARD_OUTPUT, progress, waiting
from engine.common.errors import InvalidInputError, LabError
from engine.common.files import write_atomically
from engine.common.tolerances import TRACE_TOLERANCE
from engine.common.words import counted
from engine.report import Link, Part, Report, Table

if TYPE_CHECKING:
    from engine.cli.trace_result import Cut
    from engine.decompose import Tracing
    from engine.geometry import Circle, Polygon

__all__ = ["trace_command"]

_SAMPLES_A_TOLERANCE = 8
"""Number of samples per tolerance length when boundaries are compared."""
_MAX_REASONS = 3
_COVER_FIELDS = ("area_error", "missed", "excess", "farthest_missed", "farthest_excess")


@dataclass(frozen=True, kw_only=True)
class TraceOptions:
    """Options of ``trace``."""

    file: str = argument("FILE", "Picture (PNG, JPEG, ...) or SVG.", reads=True)
    tolerance: float = option("M", "Maximum distance between outline and traced contour.", TRACE_TOLERANCE)
    method: str = option("LIST", "Decomposition methods: all, or a list of exact, hull, box, boxes, aabb, circles.", "exact")
    max_pieces: int | None = option("K", "Approximate maximum number of pieces.", low=1, high=1000)
    pixels_per_metre: float = option("N", "Scale: pixels, or SVG user units, per meter.", 100.0)
    threshold: float = option("A", "Minimum alpha of a solid pixel, 0 to 1.", 0.5)
    crop: str | None = option("X,Y,W,H", "Trace only this rectangle, in pixels, such as one frame of a sprite strip.")
    json: JsonFile = None
    screenshot: Screenshot = None


@command
def trace_command(args: TraceOptions) -> Report:
    """Trace the outline of a picture or an SVG and decompose it into convex fixtures.

    Every piece is created in a Box2D world, and for exact methods the union of the pieces is compared with the outline. The
    status is 1 if either check fails.
    """
    from engine.decompose import trace_file
    from engine.decompose.decompose import METHODS

    methods = listed("--method", args.method, METHODS)
    rectangle = None if args.crop is None else _crop_of(args.crop)
    names = ("crop", "tolerance", "threshold", "pixels_per_metre")
    with named(lambda field: f"--{field.replace('_', '-')}" if field in names else field), waiting("tracing"):
        tracing = trace_file(args.file, args.pixels_per_metre, args.tolerance, args.threshold, rectangle)
    cuts = []
    with progress("decomposing, methods", len(methods)) as advance:
        for name in methods:
            cuts.append(_cut(tracing, name, args))
            advance()
    if args.screenshot is not None:
        from engine.cli.trace_result import draw_cuts

        write_atomically(args.screenshot, draw_cuts(tracing, cuts))
    is_file = args.json not in (None, STANDARD_OUTPUT)
    plain = {} if args.json is None else _as_json(tracing, cuts, Path(str(args.json)).parent if is_file else Path())
    return Report(plain, _parts(tracing, cuts), int(not all(cut.is_valid for cut in cuts)))


def _crop_of(given: str) -> tuple[int, int, int, int]:
    try:
        left, top, width, height = (int(word) for word in given.split(","))
    except ValueError:
        raise InvalidInputError("--crop", "four whole numbers: left,top,width,height in pixels", given) from None
    return left, top, width, height


def _cut(tracing: Tracing, method: str, args: TraceOptions) -> Cut:
    from engine.cli.trace_result import Cut
    from engine.decompose.body_file import body_of_cut
    from engine.decompose.decompose import decompose
    from engine.decompose.measures import Cover

    started = time.thread_time()
    cut = decompose(tracing.outline, method, args.max_pieces)
    seconds = time.thread_time() - started
    body = body_of_cut(tracing, cut, args.tolerance, args.pixels_per_metre)
    is_exact = method == "exact" and args.max_pieces is None
    measured = Cover(body.outline, body.pieces)
    return Cut(method, body, measured, seconds, is_exact, _refused_by_box2d(body.pieces))


def _refused_by_box2d(pieces: Sequence[Polygon | Circle]) -> tuple[str, ...]:
    """Create a Box2D body from each piece; return the errors of those that are rejected."""
    from engine.world import BodySpec, FixtureSpec, World

    world, refused = World(), []
    for k, piece in enumerate(pieces):
        try:
            world.create_body(BodySpec((FixtureSpec(piece),)))
        except LabError as error:
            refused.append(f"piece {k}: {error}")
    return tuple(refused)


def _hausdorff(tracing: Tracing, tolerance: float) -> float:
    from engine.decompose.measures import boundary_distance

    return boundary_distance(tracing.outline, tracing.contour, tolerance / _SAMPLES_A_TOLERANCE)


def _as_json(tracing: Tracing, cuts: Sequence[Cut], folder: Path) -> dict[str, Any]:
    """Return the body made by a single method, or a comparison of several methods; raises an error if a body could not be loaded again."""
    from engine.decompose import body_as_json, body_from_json

    bodies = [body_as_json(cut.body, folder) for cut in cuts]
    for body in bodies:
        body_from_json(body, "--json", folder)
    if len(cuts) == 1:
        return bodies[0]
    first = cuts[0].body
    return {
        "format": "comparison of bodies",
        "version": 1,
        "name": tracing.name,
        "tolerance": first.tolerance,
        "pixels_per_metre": first.pixels_per_metre,
        "area": tracing.outline.area,
        "vertices": tracing.outline.n_vertices,
        "hausdorff": _hausdorff(tracing, first.tolerance),
        "methods": [
            {
                "method": cut.method,
                "pieces": len(cut.body.pieces),
                "vertices": cut.n_vertices,
                **{name: getattr(cut.cover, name) for name in _COVER_FIELDS},
                "ms": 1e3 * cut.seconds,
                "valid": cut.is_valid,
                "body": body,
            }
            for cut, body in zip(cuts, bodies, strict=True)
        ],
    }


def _parts(tracing: Tracing, cuts: Sequence[Cut]) -> Iterator[Part]:
    outline, contour, tolerance = tracing.outline, tracing.contour, cuts[0].body.tolerance
    parts = f"{counted(len(outline.parts), 'part')}, {counted(sum(len(part.holes) for part in outline.parts), 'hole')}"
    (left, bottom), (right, top) = outline.aabb.lower, outline.aabb.upper
    yield (
        f"{tracing.name}: {parts}, {right - left:.3g} x {top - bottom:.3g} m, {outline.area:.4g} m^2; "
        f"{outline.n_vertices} of {contour.n_vertices} vertices, {1e3 * _hausdorff(tracing, tolerance):.2g} mm from the contour "
        f"({1e3 * tolerance:.3g} mm allowed)."
    )
    for note in tracing.notes:
        yield Link(note, "note")
    rows = []
    for cut in cuts:
        cover, fault = cut.cover, f"Box2D rejects {len(cut.refused)}" if cut.refused else "not the outline"
        farthest = max(cover.farthest_missed, cover.farthest_excess)
        figures = len(cut.body.pieces), cut.n_vertices, f"{cover.area_error:.3%}", cover.missed, cover.excess, farthest, 1e3 * cut.seconds
        rows.append((cut.method, *figures, Link("valid", "right") if cut.is_valid else Link(fault, "wrong")))
    heads = ("method", "pieces", "vertices", "area error", "missed m^2", "excess m^2", "farthest m", "ms", "Box2D and shapely")
    yield Table("", heads, tuple(rows), (0, 8))
    for cut in cuts:
        for note in cut.body.notes[len(tracing.notes) :]:
            yield Link(f"{cut.method}: {note}", "note")
    stages = ", ".join(f"{stage} {1e3 * seconds:.1f}" for stage, seconds in tracing.seconds.items())
    yield f"Tracing took {1e3 * sum(tracing.seconds.values()):.1f} ms: {stages}."
    for cut in cuts:
        for reason in cut.refused[:_MAX_REASONS]:
            yield Link(f"{cut.method}, {reason}", "wrong")
