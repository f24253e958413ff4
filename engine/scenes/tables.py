"""CSV tables of a run's contacts, body states and timings. They have one row per step and contact point, body or world, respectively.

Column names contain the unit; numbers have enough digits to restore the same float. A file is written under a temporary name and renamed
when complete, so that an interrupted run neither leaves half a table nor destroys a previous one.
"""

from __future__ import annotations

import contextlib
import csv
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TextIO

from engine.common.files import naming, real_path, temporary_beside
from engine.common.words import shown
from engine.world import World

__all__ = ["CONTACT_COLUMNS", "STATE_COLUMNS", "TIMING_COLUMNS", "Tables"]

CONTACT_COLUMNS = (
    "step",
    "time_s",
    "world",
    "what",
    "fixture_a",
    "fixture_b",
    "body_a",
    "body_b",
    "point",
    "x_m",
    "y_m",
    "normal_x",
    "normal_y",
    "separation_m",
    "normal_impulse_N_s",
    "tangent_impulse_N_s",
)
"""`what` is begin or end for an event between two fixtures, which has no point, or add or persist for a point that exists after the step;
`point` is the point's index in its pair, from 0."""
STATE_COLUMNS = ("step", "time_s", "world", "body", "name", "x_m", "y_m", "angle_rad", "vx_m_s", "vy_m_s", "omega_rad_s", "awake")
TIMING_COLUMNS = (
    "step",
    "time_s",
    "world",
    "bodies",
    "contacts",
    "step_ms",
    "box2d_ms",
    "collide_ms",
    "solve_ms",
    "toi_ms",
    "reading_ms",
    "check_ms",
)
"""`step_ms` is the time of the whole step. It includes `box2d_ms`, of which collide, solve and toi are parts, and `reading_ms`, the time to
read the results; `check_ms` is the time of the live check."""

Row = Sequence[object]


class _Table:
    """A CSV file written under a temporary name; an `OSError` names the final name."""

    def __init__(self, path: str | os.PathLike[str], columns: Sequence[str]) -> None:
        self._target = real_path(Path(path))
        self._temporary = temporary_beside(self._target)
        with naming(self._target):
            self._file: TextIO = open(self._temporary, "x", encoding="utf-8", newline="")  # noqa: SIM115 - until `close`
        self._writer = csv.writer(self._file, lineterminator="\n")
        self.add(iter([columns]))

    def add(self, rows: Iterator[Row]) -> None:
        with naming(self._target):
            self._writer.writerows(rows)

    def close(self) -> None:
        with naming(self._target):
            self._file.close()
            os.replace(self._temporary, self._target)

    def discard(self) -> None:
        with contextlib.suppress(OSError):  # the remaining buffered data may not fit on the disk either
            self._file.close()
        with contextlib.suppress(OSError):
            self._temporary.unlink(missing_ok=True)


class Tables:
    """CSV tables of a run; only those with a path are written.

    Parameters
    ----------
    contacts, states, timings : path-like, optional
        CSV files; existing ones are replaced at the end.

    Raises
    ------
    OSError
        A file cannot be written.

    Notes
    -----
    Use it as a context manager: the files are complete on a normal exit and discarded after an error.
    """

    def __init__(
        self,
        contacts: str | os.PathLike[str] | None = None,
        states: str | os.PathLike[str] | None = None,
        timings: str | os.PathLike[str] | None = None,
    ) -> None:
        columns = {"contacts": CONTACT_COLUMNS, "states": STATE_COLUMNS, "timings": TIMING_COLUMNS}
        paths = {"contacts": contacts, "states": states, "timings": timings}
        self._names: dict[int, tuple[World, int, dict[int, str]]] = {}
        self._tables: dict[str, _Table] = {}
        try:
            for name, path in paths.items():
                if path is not None:
                    self._tables[name] = _Table(path, columns[name])
        except BaseException:
            self.discard()
            raise

    def __enter__(self) -> Tables:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            if kind is None:
                self.close()
        finally:
            self.discard()

    def add(self, step: int, worlds: Sequence[World], times: Sequence[tuple[float, float]] = ()) -> None:
        """Add the rows of a step.

        Parameters
        ----------
        step : int
            Number of steps taken.
        worlds : sequence of World
        times : sequence of (float, float)
            Duration of each world's step and of its check, milliseconds.
        """
        for index, world in enumerate(worlds):
            head = (step, world.time, index)
            if "states" in self._tables:
                self._tables["states"].add(_states(head, world, self._names_of(index, world)))
            if "contacts" in self._tables and step > 0:
                self._tables["contacts"].add(_contacts(head, world))
            if "timings" in self._tables and step > 0:
                cost, (total, check) = world.last_cost, times[index] if index < len(times) else (0.0, 0.0)
                parts = (cost.solver, cost.collide, cost.solve, cost.toi, cost.reading)
                self._tables["timings"].add(iter([(*head, len(world.body_ids), len(world.contacts), total, *parts, check)]))

    def _names_of(self, index: int, world: World) -> dict[int, str]:
        """Return the names of bodies, cached until the world is replaced or its structure changes."""
        known, version, names = self._names.get(index, (None, -1, {}))
        if known is not world or version != world.structure_version:
            names = {body: shown(world.body(body).spec.name) for body in world.body_ids}
            self._names[index] = world, world.structure_version, names
        return names

    def close(self) -> None:
        """Rename the complete files to their final names; if that fails for one, the others are discarded."""
        try:
            for table in self._tables.values():
                table.close()
        finally:
            self.discard()

    def discard(self) -> None:
        """Remove incomplete files."""
        for table in self._tables.values():
            table.discard()


def _states(head: Row, world: World, names: dict[int, str]) -> Iterator[Row]:
    poses, velocities, awake = world.poses.tolist(), world.velocities.tolist(), world.awake.tolist()
    for row, body in enumerate(world.body_ids):
        yield (*head, body, names[body], *poses[row], *velocities[row], int(awake[row]))


def _contacts(head: Row, world: World) -> Iterator[Row]:
    contacts = world.contacts
    for what, events in (("begin", contacts.began), ("end", contacts.ended)):
        for event in events:
            yield (*head, what, event.fixture_a, event.fixture_b, event.body_a, event.body_b, *[""] * 8)
    seen: dict[tuple[int, int], int] = {}
    for point in contacts.points()[: contacts.n_points]:
        pair = (point.fixture_a, point.fixture_b)
        seen[pair] = seen.get(pair, -1) + 1
        ends = (*pair, point.body_a, point.body_b)
        pushes = (point.separation, point.normal_impulse, point.tangent_impulse)
        yield (*head, point.state.name.lower(), *ends, seen[pair], *point.position, *point.normal, *pushes)
