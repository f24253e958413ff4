"""Time series of a demo for plots: the motion of all bodies, and the sums over each world.

    frames    the raw numbers of all bodies by step: bounded, the oldest go first
    sums      energy, momentum, angular momentum of each world by step: for the whole history
    curves    one quantity of one body by step, made from the frames when it is asked for, and then cached

It listens to the history, and follows it: a step taken again is not noted twice, and when something else is done in the past, what was
noted of the old future goes.

Kinetic energy is ``m v^2 / 2 + I w^2 / 2`` with the center's velocity and the inertia about it, potential energy ``-m s g . c`` with the
center c and the body's own gravity scale s, angular momentum ``c x m v + I w`` about the world's origin. Static and kinematic bodies
have no mass in Box2D, and so no share. Nor has a body that has fallen past everything that stands: it falls for ever, and its energy
would soon be all that a plot shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.sim.actions import SetPose, SetVelocity
from engine.sim.event_log import EventLog
from engine.sim.ids import called
from engine.sim.stage import body_box

if TYPE_CHECKING:
    from engine.sim.demo import Demo
    from engine.sim.history import History
    from engine.sim.stage import Stage
    from engine.world import World

__all__ = ["QUANTITIES", "SUMS", "Quantity", "TimeSeries"]

MAX_BYTES = 20_000_000
"""Bytes of frames: a minute at 60 Hz of 200 bodies, a quarter of an hour of ten."""
_AT_ONCE = 600
"""Steps whose numbers are made for a curve or a sum at a time, so that no frame of the window waits longer than some milliseconds."""

Motion = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something that is plotted: its name and its unit."""

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


@dataclass(frozen=True, slots=True)
class _Masses:
    """Columns of one structure of a world: ids, mass, inertia about the center, local center, gravity scale; static ones have 0."""

    version: int
    ids: NDArray[np.int64]
    mass: FloatArray
    inertia: FloatArray
    center: FloatArray
    gravity_scale: FloatArray
    gravity: tuple[float, float]
    floor: float
    """How far along gravity, meters from the origin, a center is of a body that falls for ever."""


@dataclass(frozen=True, slots=True)
class _Moment:
    """One world after one step: x, y, angle, vx, vy, spin, contact impulse of every body, float32 (n, 7); and which step of its own."""

    masses: _Masses
    values: Motion
    index: int

    @property
    def n_bytes(self) -> int:
        return self.values.nbytes + _OVERHEAD


_MIN_FALL = 10.0
"""Meters below a floor, however narrow, that something must be to be on its way to nowhere."""
_OVERHEAD = 200
"""Bytes of the objects around the numbers of a moment."""


class _Column:
    """A growing array of rows by step; a row that was never noted is NaN."""

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
    """Notes of one history; see the module.

    Parameters
    ----------
    history : History[Demo]
        Gets this as a watcher.
    most_bytes : int
        Of frames.
    """

    def __init__(self, history: History[Demo], most_bytes: int = MAX_BYTES) -> None:
        self._demo = history.demo
        self._line = history.branch
        self._most_bytes = most_bytes
        self._frames: dict[int, tuple[_Moment, ...]] = {}
        self._n_bytes = 0
        self._oldest = 0
        self._sums: dict[int, _Column] = {}
        self._left_out: dict[int, tuple[_Moment, NDArray[np.bool_]]] = {}
        """For each world the moment summed last, and which bodies were left out."""
        self._curves: dict[tuple[int, int, str], _Column] = {}
        self._masses: dict[int, tuple[World, _Masses]] = {}
        self._breaks: dict[int, set[int]] = {}
        self._edits: dict[tuple[int, object], set[int]] = {}
        self.last = -1
        """The newest step noted."""
        self.events = EventLog()
        self._names: dict[tuple[int, int], list[tuple[int, str]]] = {}
        """For each stage and body its names, each with its first step. After a restart other bodies have the same numbers."""
        self._note(0)
        history.watchers.append(self.watch)

    @property
    def n_bytes(self) -> int:
        """Bytes of the frames."""
        return self._n_bytes

    def watch(self, history: History[Demo]) -> None:
        """Note the step just taken, if it is news."""
        if history.branch is not self._line:
            self.cut(history.branch.same_until(self._line))
            self._line = history.branch
        if history.now not in self._frames and (history.now > self.last or history.now > self._oldest):
            for one in history.inputs_before(history.now):
                if isinstance(one.action, SetPose | SetVelocity):
                    self._note_edit(history.now, one.action)
            self._note(history.now)

    def cut(self, last: int) -> None:
        """Forget what was noted of steps after `last`."""
        self.events.cut(last)
        if last >= self.last:
            return
        for names in self._names.values():
            while names and names[-1][0] > last:
                names.pop()
        self._masses.clear()  # what is called so from now on is noted again
        for step in range(last + 1, self.last + 1):
            self._n_bytes -= sum(moment.n_bytes for moment in self._frames.pop(step, ()))
        for column in (*self._sums.values(), *self._curves.values()):
            column.cut(last + 1)
        for steps in (*self._breaks.values(), *self._edits.values()):
            steps.difference_update([step for step in steps if step > last])
        self.last = last
        self._oldest = min(self._oldest, last + 1)

    def curve(self, stage: int, body: int, quantity: str) -> FloatArray:
        """Return a quantity of a body by step, float64 (n,), NaN where it is not known: the body was not there, or it is too long ago."""
        key = stage, body, quantity
        column = self._curves.get(key)
        if column is None:
            if len(self._curves) >= _MAX_CURVES:
                del self._curves[next(iter(self._curves))]
            column = self._curves[key] = _Column(1)
            column.length = self._oldest
        for step in range(column.length, min(self.last + 1, column.length + _AT_ONCE)):
            column.put(step, self._of_body(step, key))
        return column.rows()[:, 0]

    def sums(self, stage: int) -> dict[str, FloatArray]:
        """Return the sums over a world by step, each float64 (n,), by the names of `SUMS`."""
        column = self._sums.setdefault(stage, _Column(len(SUMS)))
        for step in range(column.length, min(self.last + 1, column.length + _AT_ONCE)):
            self._sum(stage, step, column)
        rows = column.rows()
        return {name: rows[:, k] for k, name in enumerate(SUMS)}

    def breaks(self, stage: int, body: int | None = None) -> tuple[int, ...]:
        """Return the steps whose values do not go on from those before, ascending.

        Of the sums over a world (no body given): it began anew, other bodies are in it, or one was changed by hand. Of a body: its
        world began anew, or it was changed by hand.
        """
        whole = self._breaks.get(stage, set())
        if body is None:
            whole = whole.union(*(steps for (of, _), steps in self._edits.items() if of == stage))
            return tuple(sorted(whole))
        changed = self._edits.get((stage, body), set()) | {step for step in whole if self._is_another(step, stage, body)}
        return tuple(sorted(changed))

    def n_fallen(self, stage: int, step: int) -> int:
        """Return how many bodies the sums over a world leave out after a step, for they fall for ever."""
        moments = self._frames.get(step, ())
        return int(_fallen(moments[stage], *_centers(moments[stage])).sum()) if stage < len(moments) else 0

    def centers(self, stage: int, step: int) -> tuple[IntArray, FloatArray] | None:
        """Return the bodies that had a mass after a step, and their centers, float64 (n, 2); None where they are not known any more."""
        moments = self._frames.get(step, ())
        if stage >= len(moments):
            return None
        rows = moments[stage].masses.mass > 0.0
        return moments[stage].masses.ids[rows], np.column_stack(_centers(moments[stage]))[rows]

    def velocity(self, stage: int, body: int, step: int) -> tuple[tuple[float, float], tuple[float, float], float] | None:
        """Return center, its velocity and the spin of a body after a step, where they are known."""
        found = self._row(step, stage, body)
        if found is None:
            return None
        moment, row = found
        x, y, angle, vx, vy, spin, _ = moment.values[row].tolist()
        cos, sin = np.cos(angle), np.sin(angle)
        cx, cy = moment.masses.center[row].tolist()
        return (x + cos * cx - sin * cy, y + sin * cx + cos * cy), (vx, vy), spin

    def name(self, stage: int, body: int, step: int | None = None) -> str:
        """Return what a body was called after a step; without one, what it is called now, or was at last."""
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
        for k, (before, now) in enumerate(zip(self._frames.get(step - 1, ()), moments, strict=False)):
            if now.index != before.index + 1 or not _is_same(before.masses, now.masses):
                self._breaks.setdefault(k, set()).add(step)
        self._n_bytes += sum(moment.n_bytes for moment in moments)
        self.last = max(self.last, step)
        if step > 0:
            self.events.note(step, self._demo.stages, self.velocity)
        while self._n_bytes > self._most_bytes and self._oldest < self.last:
            for stage in range(len(self._frames.get(self._oldest, ()))):
                column = self._sums.setdefault(stage, _Column(len(SUMS)))
                for one in range(column.length, self._oldest + 2):  # the next one too, as long as what comes before it is known
                    self._sum(stage, one, column)
            for key, curve in self._curves.items():
                if curve.length <= self._oldest:
                    curve.put(self._oldest, self._of_body(self._oldest, key))
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
        """Note that a body's pose or velocity was changed by hand before a step. What gives it an impulse is no break."""
        self._edits.setdefault((edit.stage, edit.body), set()).add(step)
        known = self._masses.get(edit.stage)
        if isinstance(edit, SetPose) and known is not None and not known[1].mass[known[1].ids == edit.body].any():
            del self._masses[edit.stage]  # what stands is elsewhere, and so is where bodies have fallen past it

    def _is_another(self, step: int, stage: int, body: int) -> bool:
        """Tell whether a body after a step is not the one of the step before, or has another mass; True where that is too long ago."""
        found, known = self._row(step, stage, body), self._row(step - 1, stage, body)
        if found is None or known is None:
            return True
        (now, row), (before, old) = found, known
        mass = now.masses.mass[row] == before.masses.mass[old] and now.masses.inertia[row] == before.masses.inertia[old]
        return now.index != before.index + 1 or not mass

    def _masses_of(self, step: int, index: int, world: World) -> _Masses:
        known = self._masses.get(index)
        if known is not None and known[0] is world and known[1].version == world.structure_version:
            return known[1]
        bodies = [world.body(body) for body in world.body_ids]
        is_dynamic = np.array([body.spec.type == "dynamic" for body in bodies], dtype=np.bool_)
        masses = _Masses(
            version=world.structure_version,
            ids=np.array(world.body_ids, dtype=np.int64),
            mass=np.where(is_dynamic, [body.mass for body in bodies], 0.0),
            inertia=np.where(is_dynamic, [body.inertia for body in bodies], 0.0),
            center=np.array([body.local_center for body in bodies], dtype=np.float64).reshape(-1, 2),
            gravity_scale=np.array([body.spec.gravity_scale for body in bodies], dtype=np.float64),
            gravity=world.settings.gravity,
            floor=_floor(world),
        )
        self._masses[index] = (world, masses)
        for body in bodies:
            names = self._names.setdefault((index, body.id), [])
            if not names or names[-1][1] != body.spec.name:
                names.append((step, body.spec.name))
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
        found = self._row(step, stage, body)
        if found is None:
            return float("nan")
        moment, row = found
        x, y, angle, vx, vy, spin, impulse = moment.values[row].tolist()
        if quantity == "energy":
            return float(0.5 * moment.masses.mass[row] * (vx * vx + vy * vy) + 0.5 * moment.masses.inertia[row] * spin * spin)
        known = {"x": x, "y": y, "angle": angle, "vx": vx, "vy": vy, "spin": spin, "impulse": impulse, "speed": np.hypot(vx, vy)}
        return float(known[quantity])

    def _sum(self, stage: int, step: int, column: _Column) -> None:
        moments = self._frames.get(step, ())
        if stage >= len(moments):
            column.put(step, float("nan"))
            return
        masses, values = moments[stage].masses, moments[stage].values.astype(np.float64)
        x, y = _centers(moments[stage])
        fallen = _fallen(moments[stage], x, y)
        before = self._frames.get(step - 1, ())
        if stage < len(before):
            known = self._left_out.get(stage)
            if known is None or known[0] is not before[stage]:
                known = before[stage], _fallen(before[stage], *_centers(before[stage]))
            if not np.array_equal(fallen, known[1]):
                self._breaks.setdefault(stage, set()).add(step)
        self._left_out[stage] = moments[stage], fallen
        vx, vy, spin = values[:, 3], values[:, 4], values[:, 5]
        mass, inertia = np.where(fallen, 0.0, masses.mass), np.where(fallen, 0.0, masses.inertia)
        kinetic = 0.5 * float(mass @ (vx * vx + vy * vy) + inertia @ (spin * spin))
        potential = -float((mass * masses.gravity_scale) @ (masses.gravity[0] * x + masses.gravity[1] * y))
        angular = float(mass @ (x * vy - y * vx) + inertia @ spin)
        column.put(step, (kinetic, potential, kinetic + potential, float(mass @ vx), float(mass @ vy), angular))


def _centers(moment: _Moment) -> tuple[FloatArray, FloatArray]:
    """Return x and y of the centers of mass."""
    (x, y, angle), center = moment.values[:, :3].astype(np.float64).T, moment.masses.center
    cos, sin = np.cos(angle), np.sin(angle)
    return x + cos * center[:, 0] - sin * center[:, 1], y + sin * center[:, 0] + cos * center[:, 1]


def _fallen(moment: _Moment, x: FloatArray, y: FloatArray) -> NDArray[np.bool_]:
    """Return which bodies, with centers at x and y, fall for ever; those without a mass have no share in the sums anyway."""
    masses = moment.masses
    if not np.isfinite(masses.floor):
        return np.zeros(len(masses.ids), dtype=np.bool_)
    pull = float(np.hypot(*masses.gravity))
    below: NDArray[np.bool_] = (masses.gravity[0] * x + masses.gravity[1] * y) / pull > masses.floor
    return below & (masses.mass > 0.0)


def _floor(world: World) -> float:
    """Return how far along gravity a body has fallen past everything static, by as much again as all of that is wide; infinite without."""
    gravity, pull = world.settings.gravity, float(np.hypot(*world.settings.gravity))
    still = (body_box(world, body) for body in world.body_ids if world.body(body).spec.type == "static")
    boxes = [box for box in still if box is not None]
    if pull == 0.0 or not boxes:
        return float("inf")
    low, high = np.min([box.lower for box in boxes], axis=0), np.max([box.upper for box in boxes], axis=0)
    corners = [(x, y) for x in (low[0], high[0]) for y in (low[1], high[1])]
    deepest = max((gravity[0] * x + gravity[1] * y) / pull for x, y in corners)
    return float(deepest + max(np.max(high - low), _MIN_FALL))


def _is_same(a: _Masses, b: _Masses) -> bool:
    """Tell whether energy and momentum are sums over the same bodies, in the same field."""
    return a is b or (
        a.gravity == b.gravity
        and np.array_equal(a.ids, b.ids)
        and all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("mass", "inertia", "gravity_scale"))
    )


_MAX_CURVES = 48
"""Kept at once: nine quantities of five bodies."""
