"""Time series of a demo for plots: the motion of all bodies, and the sums over each world.

    frames    the raw numbers of all bodies by step: limited in size, the oldest are dropped
    sums      energy, momentum, angular momentum of each world by step: for the whole history
    curves    one quantity of one body by step, computed from the frames on request and cached

It observes the history: a repeated step is not recorded twice, and a new action in the past discards the records of the old future.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.common.arrays import FloatArray
from engine.sim.actions import SetPose, SetVelocity
from engine.sim.ids import called
from engine.sim.motion_sums import BodyMasses, Motion

if TYPE_CHECKING:
    from engine.sim.demo import Demo
    from engine.sim.history import History
    from engine.sim.stage import Stage
    from engine.world import World

__all__ = ["QUANTITIES", "SUMS", "Quantity", "TimeSeries"]

MAX_BYTES = 20_000_000
"""Maximum size of the frames, bytes: a minute at 60 Hz of 200 bodies, a quarter of an hour of ten."""
_AT_ONCE = 600
"""Number of steps per piece of a curve, so that computing it delays a frame by a few milliseconds at most."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A plotted quantity: its name and its unit."""

    name: str
    unit: str


QUANTITIES: dict[str, Quantity] = {
    "x": Quantity("x", "m"),
    "y": Quantity("y", "m"),
    "angle": Quantity("angle", "rad"),
    "speed": Quantity("speed", "m/s"),
    "vx": Quantity("velocity, x", "m/s"),
    "vy": Quantity("velocity, y", "m/s"),
    "spin": Quantity("spin", "rad/s"),
    "energy": Quantity("kinetic energy", "J"),
    "impulse": Quantity("contact impulses", "N s"),
}
"""Quantities of one body; `impulse` is the sum of the normal impulses at all its contact points, over the step."""

SUMS: dict[str, Quantity] = {
    "kinetic": Quantity("kinetic energy", "J"),
    "potential": Quantity("potential energy", "J"),
    "total": Quantity("total energy", "J"),
    "px": Quantity("momentum, x", "kg m/s"),
    "py": Quantity("momentum, y", "kg m/s"),
    "angular": Quantity("angular momentum", "kg m²/s"),
}
"""Quantities of a whole world."""


@dataclass(frozen=True)
class _Moment(Motion):
    """One world after one step; the seventh number of each body is the sum of its contact impulses. `index` is the world's own step."""

    index: int

    @property
    def n_bytes(self) -> int:
        return self.values.nbytes + _OVERHEAD


_OVERHEAD = 200
"""Size of the objects around the numbers of a moment, bytes."""


class _Column:
    """A growing array with a row per step; rows that were never set are NaN."""

    def __init__(self, width: int) -> None:
        self._rows = np.full((256, width), np.nan)
        self.length = 0

    def put(self, step: int, row: FloatArray | tuple[float, ...] | float) -> None:
        if step >= len(self._rows):
            longer = np.full((2 * step, self._rows.shape[1]), np.nan)
            longer[: len(self._rows)] = self._rows
            self._rows = longer
        self._rows[step] = row
        self.length = max(self.length, step + 1)

    def cut(self, length: int) -> None:
        self._rows[length:] = np.nan
        self.length = min(self.length, length)

    def rows(self) -> FloatArray:
        return self._rows[: self.length]


class TimeSeries:
    """Time series of one history; see the module.

    Parameters
    ----------
    history : History[Demo]
        This object is added to its watchers.
    most_bytes : int
        Maximum size of the frames, bytes.
    """

    def __init__(self, history: History[Demo], most_bytes: int = MAX_BYTES) -> None:
        self._demo = history.demo
        self._line = history.branch
        self._most_bytes = most_bytes
        self._frames: dict[int, tuple[_Moment, ...]] = {}
        self._n_bytes = 0
        self._oldest = 0
        self._sums: dict[int, _Column] = {}
        self._curves: dict[tuple[int, int, str], _Column] = {}
        self._masses: dict[int, tuple[World, BodyMasses]] = {}
        self._breaks: dict[int, set[int]] = {}
        self._edits: dict[tuple[int, object], set[int]] = {}
        self.last = -1
        """The newest recorded step."""
        self._names: dict[tuple[int, int], list[tuple[int, str]]] = {}
        """Names of each stage's bodies, each with its first step; after a restart, other bodies have the same ids."""
        self._note(0)
        history.watchers.append(self.watch)

    @property
    def n_bytes(self) -> int:
        """Size of the frames, bytes."""
        return self._n_bytes

    def watch(self, history: History[Demo]) -> None:
        """Record the last step, if it is new."""
        if history.branch is not self._line:
            self.cut(history.branch.parting(self._line)[0])
            self._line = history.branch
        if history.now not in self._frames and (history.now > self.last or history.now > self._oldest):
            for done in history.inputs_before(history.now):
                if isinstance(done.action, SetPose | SetVelocity):
                    self._note_edit(history.now, done.action)
            self._note(history.now)

    def cut(self, last: int) -> None:
        """Discard the steps after `last`."""
        if last >= self.last:
            return
        for names in self._names.values():
            while names and names[-1][0] > last:
                names.pop()
        self._masses.clear()  # the name may be registered again
        for step in range(last + 1, self.last + 1):
            self._n_bytes -= sum(moment.n_bytes for moment in self._frames.pop(step, ()))
        for column in (*self._sums.values(), *self._curves.values()):
            column.cut(last + 1)
        for steps in (*self._breaks.values(), *self._edits.values()):
            steps.difference_update([step for step in steps if step > last])
        self.last = last
        self._oldest = min(self._oldest, last + 1)

    def curve(self, stage: int, body: int, quantity: str) -> FloatArray:
        """Return a quantity of a body by step, float64 (n,), NaN where it is unknown: the body did not exist, or it is too long ago."""
        key = stage, body, quantity
        column = self._curves.get(key)
        if column is None:
            if len(self._curves) >= _MAX_CURVES:
                del self._curves[next(iter(self._curves))]
            column = self._curves[key] = _Column(1)
        first = max(column.length, self._oldest)
        for step in range(first, min(self.last + 1, first + _AT_ONCE)):
            column.put(step, self._of_body(step, key))
        return column.rows()[:, 0]

    def sums(self, stage: int) -> dict[str, FloatArray]:
        """Return the sums over a world by step, each float64 (n,), by the names of `SUMS`."""
        rows = self._sums[stage].rows() if stage in self._sums else np.empty((0, len(SUMS)))
        return {name: rows[:, k] for k, name in enumerate(SUMS)}

    def breaks(self, stage: int, body: int | None = None) -> tuple[int, ...]:
        """Return the steps at which a series is discontinuous, ascending.

        For the sums over a world (no body given): the world restarted, bodies were added or removed, or one was changed by hand. For a
        body: its world restarted, or the body was changed by hand.
        """
        of_world = self._breaks.get(stage, set())
        if body is None:
            of_world = of_world.union(*(steps for (of, _), steps in self._edits.items() if of == stage))
            return tuple(sorted(of_world))
        changed = self._edits.get((stage, body), set()) | {step for step in of_world if self._is_another(step, stage, body)}
        return tuple(sorted(changed))

    def n_fallen(self, stage: int, step: int) -> int:
        """Return the number of bodies that the sums over a world leave out after a step, because they fall forever."""
        moments = self._frames.get(step, ())
        return int(moments[stage].is_lost.sum()) if stage < len(moments) else 0

    def name(self, stage: int, body: int, step: int | None = None) -> str:
        """Return the name of a body after a step; without a step, its present or last name."""
        stages = self._demo.stages
        if step is None and stage < len(stages) and stages[stage].world.is_body(body):
            return stages[stage].world.name_of(body) or called("body", body)
        known = self._names.get((stage, body), [])
        named = [name for since, name in known if step is None or since <= step] or [name for _, name in known[:1]]
        return (named[-1] if named else "") or called("body", body)

    # -- inside -------------------------------------------------------------------------------------------------------

    def _note(self, step: int) -> None:
        moments = tuple(self._moment(step, k, stage) for k, stage in enumerate(self._demo.stages))
        self._frames[step] = moments
        earlier = self._frames.get(step - 1, ())
        for k, now in enumerate(moments):
            self._sums.setdefault(k, _Column(len(SUMS))).put(step, now.sums)
            before = earlier[k] if k < len(earlier) else now
            is_next = before is now or now.index == before.index + 1
            if not (is_next and before.masses.is_like(now.masses) and np.array_equal(before.is_lost, now.is_lost)):
                self._breaks.setdefault(k, set()).add(step)
        self._n_bytes += sum(moment.n_bytes for moment in moments)
        self.last = max(self.last, step)
        while self._n_bytes > self._most_bytes and self._oldest < self.last:
            self._n_bytes -= sum(moment.n_bytes for moment in self._frames.pop(self._oldest, ()))
            self._oldest += 1

    def _moment(self, step: int, index: int, stage: Stage) -> _Moment:
        world = stage.world
        masses = self._masses_of(step, index, world)
        values = np.empty((len(masses.ids), 7), dtype=np.float32)
        values[:, :3], values[:, 3:6] = world.poses, world.velocities
        contacts = world.contacts
        if len(contacts) and len(masses.ids):
            pushed = contacts.normal_impulse.sum(axis=1)
            rows = np.searchsorted(masses.ids, np.concatenate((contacts.body_a, contacts.body_b)))
            alive = rows < len(masses.ids)  # a body destroyed after the step is still in its contacts
            both = np.concatenate((pushed, pushed))
            values[:, 6] = np.bincount(rows[alive], both[alive], len(masses.ids))
        else:
            values[:, 6] = 0.0
        return _Moment(masses, values, world.step_index)

    def _note_edit(self, step: int, edit: SetPose | SetVelocity) -> None:
        """Record that a body's pose or velocity was changed by hand before a step. Impulses do not count."""
        self._edits.setdefault((edit.stage, edit.body), set()).add(step)
        known = self._masses.get(edit.stage)
        if isinstance(edit, SetPose) and known is not None and not known[1].mass[known[1].ids == edit.body].any():
            del self._masses[edit.stage]  # the static bodies have moved, so the limit for falling bodies has changed too

    def _is_another(self, step: int, stage: int, body: int) -> bool:
        """Return True if a body's id denotes a different body than in the step before, or its mass changed; True if that is unknown."""
        place, last = self._row(step, stage, body), self._row(step - 1, stage, body)
        if place is None or last is None:
            return True
        (now, row), (before, old) = place, last
        mass = now.masses.mass[row] == before.masses.mass[old] and now.masses.inertia[row] == before.masses.inertia[old]
        return now.index != before.index + 1 or not mass

    def _masses_of(self, step: int, index: int, world: World) -> BodyMasses:
        known = self._masses.get(index)
        if known is not None and known[0] is world and known[1].version == world.structure_version:
            return known[1]
        masses = BodyMasses.of(world)
        self._masses[index] = (world, masses)
        for body in world.body_ids:
            names, name = self._names.setdefault((index, body), []), world.name_of(body)
            if not names or names[-1][1] != name:
                names.append((step, name))
        return masses

    def _row(self, step: int, stage: int, body: int) -> tuple[_Moment, int] | None:
        moments = self._frames.get(step, ())
        if stage >= len(moments):
            return None
        ids = moments[stage].masses.ids
        row = int(np.searchsorted(ids, body))
        return (moments[stage], row) if row < len(ids) and ids[row] == body else None

    def _of_body(self, step: int, key: tuple[int, int, str]) -> float:
        stage, body, quantity = key
        place = self._row(step, stage, body)
        if place is None:
            return float("nan")
        moment, row = place
        x, y, angle, vx, vy, spin, impulse = moment.values[row].tolist()
        if quantity == "energy":
            return float(0.5 * moment.masses.mass[row] * (vx * vx + vy * vy) + 0.5 * moment.masses.inertia[row] * spin * spin)
        known = {"x": x, "y": y, "angle": angle, "vx": vx, "vy": vy, "spin": spin, "impulse": impulse, "speed": np.hypot(vx, vy)}
        return float(known[quantity])


_MAX_CURVES = 48
"""Number of cached curves: nine quantities of five bodies."""
