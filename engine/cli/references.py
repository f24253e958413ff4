"""``references``: measure the error of solvers against exact solutions, and their quality in difficult scenes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.cli.options import JsonFile, argument, command, entries, option
from engine.cli.output import collected, unfinished
from engine.common.limits import MAX_ITERATIONS
from engine.report import Link, Report, Table

if TYPE_CHECKING:
    from engine.experiments.references import Reference, Row

__all__ = ["references_command"]


@dataclass(frozen=True, kw_only=True)
class ReferencesOptions:
    """Options of ``references``."""

    names: list[str] | None = argument("NAMES", "Names of references from the table; by default, all are run.", None)
    solver: str = option("LIST", "Solvers, one column each: NAME[:SETTING=VALUE]....", "soft_step,box2d")
    sub_steps: int = option("N", "Sub-steps per step of our solvers, or velocity iterations of Box2D.", 8, low=1, high=MAX_ITERATIONS)
    json: JsonFile = None


@command
def references_command(args: ReferencesOptions) -> Report:
    """Run scenes with known outcomes at 60 Hz, and print the error of each solver and the required accuracy.

    The status is 1 if the first solver misses a requirement.
    """
    from engine.experiments.solvers.trial import chosen_variants

    variants = {reference.label: reference for reference in chosen_variants("--solver", args.solver)}

    from engine.experiments.references import REFERENCES, Lab

    def measure(reference: Reference) -> dict[str, tuple[Row, ...]]:
        return {name: tuple(reference.measure(Lab(way.solver, args.sub_steps, way.world_settings))) for name, way in variants.items()}

    references = entries(args.names or (), REFERENCES)
    measured = collected("measuring", (measure(reference) for reference in references), len(references))
    rows, plain, holds = [], [], True
    columns = ("what", "unit", "demand", "error", "exact", "measured", "holds")
    for reference, errors in zip(references, measured, strict=False):
        solvers = {name: [{column: getattr(row, column) for column in columns} for row in own] for name, own in errors.items()}
        plain.append({"name": reference.name, "title": reference.title, "chapter": reference.chapter, "solvers": solvers})
        for k, group in enumerate(zip(*errors.values(), strict=True)):
            holds &= group[0].holds
            cells = [f"{'' if row.holds else '! '}{row.error:.3g}" for row in group]
            rows.append(("" if k else reference.name, group[0].what, f"{group[0].demand:g} {group[0].unit}".rstrip(), *cells))
    result: dict[str, Any] = {"sub_steps": args.sub_steps, "references": plain}
    parts = Table("", ("name", "what", "demand", *variants), tuple(rows), (0, 1)), Link("Errors; ! marks a missed requirement.", "caption")
    return Report(result, parts, int(not holds), interrupted=unfinished(len(measured), len(references), "reference"))
