"""One map of an atlas as CSV: a line a cell."""

from __future__ import annotations

import csv
import io

from engine.experiments.atlas import AtlasMap

__all__ = ["as_csv"]

_DIGITS = 9


def as_csv(found: AtlasMap) -> str:
    """Return the map's cells, row by row, shares from 0 to 1, with the law's beside and the standard errors between them."""
    plan = found.plan
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    head = [f"{axis.name} ({axis.parameter.unit})" if axis.parameter.unit else axis.name for axis in (plan.x, plan.y)]
    lines.writerow([*head, "shots", "tunneled", "predicted tunneled", "hit", "predicted hit", "standard errors of tunneled"])
    for row, y in enumerate(plan.y.values):
        for column, x in enumerate(plan.x.values):
            at = row, column
            shares = (found.tunneled[at], found.predicted_tunneled[at], found.hit[at], found.predicted_hit[at])
            lines.writerow([repr(x), repr(y), plan.n_shots, *(f"{share:.{_DIGITS}g}" for share in shares), f"{found.errors[at]:.3f}"])
    return text.getvalue()
