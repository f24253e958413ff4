"""``references``: what a solver is off from exact solutions, and what it keeps of hard scenes."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.options import JsonFile
from engine.cli.output import InterruptedRunError, check_files, people, progress, text_table, write_json
from engine.common.limits import MAX_ITERATIONS
from engine.common.words import counted

if TYPE_CHECKING:
    from engine.experiments.references import Reference, Row

__all__ = ["references_command"]

Measured = tuple["Reference", dict[str, tuple["Row", ...]]]


def references_command(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAMES", help="Which: as the table names them. Without any, all.")] = None,
    solver: Annotated[
        str, typer.Option("--solver", metavar="LIST", help="What drives the worlds, a column each: NAME[:SETTING=VALUE]....")
    ] = "soft_step,box2d",
    sub_steps: Annotated[
        int, typer.Option("--sub-steps", metavar="N", min=1, max=MAX_ITERATIONS, help="A step, of ours; Box2D's velocity iterations.")
    ] = 8,
    json_file: JsonFile = None,
) -> int:
    """Run scenes whose outcome is known, at 60 Hz, and say how far each solver is off, beside the error that is demanded.

    Status 1 if a row of the first solver misses the demand.
    """
    from engine.experiments.solvers import chosen_variants

    variants = {reference.label: reference for reference in chosen_variants("--solver", solver)}
    check_files({}, {"--json": json_file})

    from engine.experiments.references import REFERENCES, Lab, chosen

    references = chosen(dict.fromkeys(names or REFERENCES))
    measured: list[Measured] = []
    with progress("measuring", len(references)) as one_done, contextlib.suppress(KeyboardInterrupt):
        for reference in references:
            measured.append(
                (
                    reference,
                    {name: tuple(reference.measure(Lab(way.solver, sub_steps, way.world_settings))) for name, way in variants.items()},
                )
            )
            one_done()
    chosen_solvers = tuple(variants)
    result: dict[str, Any] = {"sub_steps": sub_steps, "references": [_as_json(*reference) for reference in measured]}
    write_json(json_file, result if len(measured) == len(references) else {**result, "interrupted": True})
    _print(measured, chosen_solvers, json_file)
    if len(measured) < len(references):
        raise InterruptedRunError(f"interrupted after {len(measured)} of {counted(len(references), 'reference')}")
    return 0 if all(row.holds for _, rows in measured for row in rows[chosen_solvers[0]]) else 1


def _print(found: list[Measured], solvers: tuple[str, ...], json_file: str | None) -> None:
    table = text_table("name", "what", right=["demand", *solvers])
    for reference, rows in found:
        for k, first in enumerate(rows[solvers[0]]):
            errors = [_error(rows[name][k]) for name in solvers]
            table.add_row(reference.name if k == 0 else "", first.what, f"{first.demand:g} {first.unit}".rstrip(), *errors)
    people(json_file).print(table)
    people(json_file).print("Errors; ! misses the demand.", style="dim")


def _error(row: Row) -> str:
    return f"{'' if row.holds else '! '}{row.error:.3g}"


def _as_json(one: Reference, rows: dict[str, tuple[Row, ...]]) -> dict[str, Any]:
    columns = ("what", "unit", "demand", "error", "exact", "measured", "holds")
    solvers = {name: [{column: getattr(row, column) for column in columns} for row in some] for name, some in rows.items()}
    return {"name": one.name, "title": one.title, "chapter": one.chapter, "solvers": solvers}
