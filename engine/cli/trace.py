"""``trace``: a picture or a drawing to convex fixtures, several ways side by side."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.app.files import write_atomically
from engine.cli.options import listed, named, takes_options
from engine.cli.output import STANDARD_OUTPUT, check_files, people, progress, text_table, waiting, warming, write_json
from engine.common.checks import integer, positive
from engine.common.errors import InvalidInputError, LabError
from engine.common.tolerances import TRACE_TOLERANCE
from engine.common.words import counted

if TYPE_CHECKING:
    from engine.cli.trace_result import Cut
    from engine.decompose import Outline, Tracing
    from engine.geometry import Circle, Polygon

__all__ = ["trace_command"]

_SAMPLES_A_TOLERANCE = 8
"""Points in a tolerance's length at which boundaries are compared."""
_MAX_REASONS = 3
_COVER_FIELDS = ("area_error", "missed", "excess", "farthest_missed", "farthest_excess")


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceOptions:
    """Options of ``trace``."""

    file: Annotated[str, typer.Argument(metavar="FILE", help="A PNG or another picture, or an SVG.")]
    tolerance: Annotated[float, typer.Option("--tolerance", metavar="M", help="How far the outline may be from the contour found.")] = (
        TRACE_TOLERANCE
    )
    method: Annotated[
        str, typer.Option("--method", metavar="LIST", help="all, or a list of exact, hertel_mehlhorn, hull, box, boxes, aabb, circles.")
    ] = "exact"
    max_pieces: Annotated[int | None, typer.Option("--max-pieces", metavar="K", help="At most so many, approximately.")] = None
    pixels_per_metre: Annotated[
        float, typer.Option("--pixels-per-metre", metavar="N", help="Size: pixels, or an SVG's user units, a meter.")
    ] = 100.0
    threshold: Annotated[float, typer.Option("--threshold", metavar="A", help="Alpha from which a pixel is solid, 0 to 1.")] = 0.5
    crop: Annotated[
        str | None, typer.Option("--crop", metavar="X,Y,W,H", help="This rectangle of a picture only, pixels: a frame of a strip.")
    ] = None
    json_file: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Write the body, for scenes to load; of several methods, a comparison."),
    ] = None
    screenshot: Annotated[str | None, typer.Option("--screenshot", metavar="F.png", help="Write a picture, a panel for each method.")] = (
        None
    )


@takes_options
def trace_command(args: TraceOptions) -> int:
    """Trace the outline of a picture or an SVG and cut it into convex fixtures.

    Every piece is made in a Box2D world, and the union of an exact way's pieces compared with the outline; status 1 if either fails.
    """
    from engine.decompose.decompose import METHODS, MOST_PIECES

    methods = listed("--method", args.method, METHODS)
    if args.max_pieces is not None:
        integer("--max-pieces", args.max_pieces, 1, MOST_PIECES)
    positive("--tolerance", args.tolerance, "m")
    positive("--pixels-per-metre", args.pixels_per_metre)
    if not 0.0 < args.threshold < 1.0:
        raise InvalidInputError("--threshold", "greater than 0 and less than 1", args.threshold)
    rectangle = None if args.crop is None else _crop_of(args.crop)
    check_files({"FILE": args.file}, {"--json": args.json_file, "--screenshot": args.screenshot})
    from engine.decompose import trace_file

    with named("--crop", "crop"), waiting("tracing"):
        tracing = trace_file(args.file, args.pixels_per_metre, args.tolerance, args.threshold, rectangle)
    with warming():
        _warm_up(methods)
    cuts = []
    with progress("cutting, ways", len(methods)) as advance:
        for name in methods:
            cuts.append(_cut(tracing, name, args.tolerance, args.max_pieces, args.pixels_per_metre))
            advance()
    if args.screenshot is not None:
        from engine.cli.trace_result import draw_cuts

        write_atomically(args.screenshot, draw_cuts(tracing, cuts))
    if args.json_file is not None:
        folder = Path(args.json_file).parent if args.json_file != STANDARD_OUTPUT else Path()
        write_json(args.json_file, _as_json(tracing, cuts, folder))
    _print(tracing, cuts, args.json_file)
    return 0 if all(cut.is_valid for cut in cuts) else 1


def _crop_of(given: str) -> tuple[int, int, int, int]:
    try:
        left, top, width, height = (int(word) for word in given.split(","))
    except ValueError:
        raise InvalidInputError("--crop", "four whole numbers: left,top,width,height in pixels", given) from None
    return left, top, width, height


def _warm_up(methods: Sequence[str]) -> None:
    """Cut a small outline with a dent, so that the times are those of the method and not of loading what it is compiled to."""
    from engine.decompose import Outline
    from engine.decompose.decompose import decompose

    corner = Outline.of_polygon([(0.0, 0.0), (1.0, 0.0), (1.0, 0.5), (0.5, 0.5), (0.5, 1.0), (0.0, 1.0)])
    for method in methods:
        decompose(corner, method)


def _cut(tracing: Tracing, method: str, tolerance: float, max_pieces: int | None, pixels_per_metre: float) -> Cut:
    from engine.cli.trace_result import Cut
    from engine.decompose.body_file import body_of_cut
    from engine.decompose.decompose import EXACT_METHODS, decompose
    from engine.decompose.measures import Cover

    started = time.thread_time()
    cut = decompose(tracing.outline, method, max_pieces)
    seconds = time.thread_time() - started
    body = body_of_cut(tracing, cut, tolerance, pixels_per_metre)
    is_exact = method in EXACT_METHODS and max_pieces is None
    measured = Cover(body.outline, body.pieces)
    return Cut(method, body, measured, seconds, is_exact, _refused_by_box2d(body.pieces), cut.at_least)


def _refused_by_box2d(pieces: Sequence[Polygon | Circle]) -> tuple[str, ...]:
    """Make a body of the pieces in a world, and return what was said of those that it refuses.

    All at once; where that is refused, one after the other: what a fixture costs that is added grows with those that are there (measured).
    """
    from engine.world import BodySpec, FixtureSpec, World

    try:
        World().create_body(BodySpec(tuple(FixtureSpec(piece) for piece in pieces)))
        return ()
    except LabError:
        pass
    world = World()
    world.create_body(BodySpec())
    (body,) = world.body_ids
    refused = []
    for k, piece in enumerate(pieces):
        try:
            world.create_fixture(body, FixtureSpec(piece))
        except LabError as error:
            refused.append(f"piece {k}: {error}")
    return tuple(refused)


def _hausdorff(tracing: Tracing, tolerance: float) -> float:
    from engine.decompose.measures import boundary_distance

    return boundary_distance(tracing.outline, tracing.contour, tolerance / _SAMPLES_A_TOLERANCE)


def _as_json(tracing: Tracing, cuts: Sequence[Cut], folder: Path) -> dict[str, Any]:
    """Return the body of one method, or a row and the body of each of several; what could not be loaded again is refused."""
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


def _print(tracing: Tracing, cuts: Sequence[Cut], json_file: str | None) -> None:
    from rich.markup import escape

    out = people(json_file)
    outline, contour, tolerance = tracing.outline, tracing.contour, cuts[0].body.tolerance
    parts = f"{counted(len(outline.parts), 'part')}, {counted(sum(len(part.holes) for part in outline.parts), 'hole')}"
    (left, bottom), (right, top) = outline.aabb.lower, outline.aabb.upper
    out.print(
        f"[bold]{escape(tracing.name)}[/bold]: {parts}, {right - left:.3g} x {top - bottom:.3g} m, {outline.area:.4g} m^2; "
        f"{outline.n_vertices} vertices of {contour.n_vertices}, {1e3 * _hausdorff(tracing, tolerance):.2g} mm from the contour "
        f"({1e3 * tolerance:.3g} mm allowed)."
    )
    for note in tracing.notes:
        out.print(f"[yellow]{escape(note)}[/]")
    numbers = ("pieces", "vertices", "area error", "missed m^2", "excess m^2", "farthest m", "ms")
    table = text_table("method", right=numbers, last=("Box2D and shapely",))
    for cut in cuts:
        cover, fault = cut.cover, f"Box2D refuses {len(cut.refused)}" if cut.refused else "not the outline"
        table.add_row(
            cut.method,
            str(len(cut.body.pieces)),
            str(cut.n_vertices),
            f"{100.0 * cover.area_error:.3g} %",
            f"{cover.missed:.2g}",
            f"{cover.excess:.2g}",
            f"{max(cover.farthest_missed, cover.farthest_excess):.2g}",
            f"{1e3 * cut.seconds:.1f}",
            "[green]valid[/]" if cut.is_valid else f"[bold red]{fault}[/]",
        )
    out.print(table)
    for cut in cuts:
        for note in cut.body.notes[len(tracing.notes) :]:
            out.print(f"[yellow]{cut.method}: {escape(note)}[/]")
        if cut.at_least is not None:
            out.print(f"[yellow]{cut.method}: {_words_of_number(outline, len(cut.body.pieces), cut.at_least)}[/]")
    stages = ", ".join(f"{stage} {1e3 * seconds:.1f}" for stage, seconds in tracing.seconds.items())
    out.print(f"Tracing took {1e3 * sum(tracing.seconds.values()):.1f} ms: {stages}.")
    for cut in cuts:
        for reason in cut.refused[:_MAX_REASONS]:
            out.print(f"[bold red]{cut.method}, {escape(reason)}[/]")


def _words_of_number(outline: Outline, n_found: int, at_least: int) -> str:
    """Say that the number of pieces is not proved to be the least, and why."""
    has_holes = any(part.holes for part in outline.parts)
    why = "with holes no quick way to the fewest is known" if has_holes else "with so many corners the fewest are not looked for"
    return f"{n_found} pieces are the fewest found; {why}, only that there are {at_least} at least."
