"""Sensors: `b2ContactManager` finds them touched where a step ends, and nowhere between. The bullet flag changes nothing.

SolveTOI leaves out every contact of a sensor, so that a bullet at a sensor is seen with the chance min(1, 2 (w/2 + r + s) / d) of
`rows`, whatever the flags. A swept test of one's own sees each of them.
"""

from __future__ import annotations

from dataclasses import replace

from engine import query
from engine.contracts import Status
from engine.experiments.promises.finding import Finding
from engine.experiments.promises.rows import Rows, RowsSpec, measure_shares, sampling_error
from engine.geometry import Circle, Polygon, Transform

__all__ = ["first_swept_touch", "measure_sensors"]


def measure_sensors(speed: float = 100.0, thickness: float = 0.1, n_shots: int = 200) -> tuple[Finding, ...]:
    """Return the shares seen: by a sensor, by a wall of the same size, by a sensor without the flag; and of our own swept test."""
    spec = RowsSpec("sensor", speed, thickness)
    found = []
    for what, one in (
        ("sensor, bullet flag: seen", spec),
        ("sensor, no flag: seen", replace(spec, bullet=False)),
        ("wall of that size, bullet flag: seen", replace(spec, target="static")),
    ):
        share = measure_shares(one, n_shots)
        found.append(Finding(what, one.seen_chance, share.seen, "%", sampling_error(one.seen_chance, n_shots), 1))
    rows = Rows(spec, tuple((row + 0.5) / n_shots for row in range(n_shots)))
    swept = sum(first_swept_touch(rows, row) is not None for row in range(n_shots)) / n_shots
    return (*found, Finding("sensor, our swept test on each step: seen", 1.0, swept, "%", 0.0, 1))


def first_swept_touch(rows: Rows, row: int) -> float | None:
    """Return the seconds from the shot after which the bullet of a row first touches, by `engine.query.swept_contact`; or None."""
    spec = rows.spec
    plate = rows.world.fixture(rows.world.body(rows.targets[row]).fixtures[0]).shape
    assert isinstance(plate, Polygon)
    target, bullet = Transform((0.0, rows.heights[row])), Transform((rows.ways[row][0], rows.heights[row]))
    flown = (spec.travel * spec.hertz, 0.0)
    t_max = 4.0 * abs(rows.ways[row][0]) / flown[0]
    found = query.swept_contact(plate, target, (0.0, 0.0), Circle(spec.radius), bullet, flown, t_max)
    return found.t_first if found.status == Status.HIT else None
