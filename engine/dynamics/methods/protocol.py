"""Base class of solver methods, and the problem that they solve.

`engine.dynamics.pipeline` does the work common to all methods: detecting and matching contacts, events, hooks, sensors, continuous
collision, sleep, snapshots. The method advances the velocities and positions of a step from its contacts and joints, and writes the
impulses, the only state kept between steps::

    class Falling(Method):
        title = "Gravity alone"

        def solve(self, step, options):
            bodies = step.bodies(step.dt)
            integrate(bodies, step.dt)      # bodies.velocity, .shift, .turn; step.contacts.impulse, .total; step.joints.impulse, .total
            return step.ended(bodies)

    METHOD = Falling()
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.events import record, unrecorded
from engine.common.tolerances import EPS64, LINEAR_SLOP
from engine.dynamics._contact_kernel import contacts_of, keep_impulses
from engine.dynamics.contacts import ContactRows, features_of
from engine.dynamics.joints import rotated
from engine.dynamics.model import ANGLE, DRIVE, SPRING, STIFFNESS, SUM, Bodies, Contacts, Joints
from engine.dynamics.solver_events import END, Stage
from engine.dynamics.tables import Tables
from engine.dynamics.tolerances import FASTEST
from engine.dynamics.workspace import Workspace
from engine.narrowphase.batched import poses_with_rotation
from engine.world.setting import Setting, chosen_settings
from engine.world.specs import WorldSettings

__all__ = ["SLOP", "Found", "Method", "Problem", "Setting", "StepBegin"]


SLOP = Setting(
    "slop",
    "Allowed overlap",
    LINEAR_SLOP,
    0.0,
    0.1,
    unit="m",
    help="Overlap that is not corrected, so that resting bodies stay in contact.",
)
"""Setting of the methods that correct a share of the overlap in excess of it."""


_EXPLODED = "The method made energy out of nothing in this step, so the fastest bodies are held back."
_GAIN = 0.1
"""Share of a world's kinetic energy by which a step's may grow without a cause: what impacts between unequal bodies lose to rounding and
corrections of positions is far less."""


class StepBegin(NamedTuple):
    """The input of the method, which it updates in place."""

    problem: Problem


class Method(ABC):
    """Base class of methods that solve a step. A method has no state: impulses and stiffnesses of contacts and joints are kept for it.

    Attributes
    ----------
    title : str
        Title for users.
    settings : tuple of Setting
        Settings in addition to those of the world.
    """

    title: ClassVar[str]
    settings: ClassVar[tuple[Setting, ...]] = ()

    @abstractmethod
    def solve(self, step: Problem, options: Mapping[str, Any]) -> FloatArray:
        """Advance by a step, and return the final x, y, angle, vx, vy, omega of each body, float64 (n, 6); see `Problem.ended`.

        Parameters
        ----------
        options : mapping
            A valid value for each of `settings`.
        """

    def warm_share(self, settings: WorldSettings, options: Mapping[str, Any]) -> float:
        """Return the fraction of a step's total impulse kept as `impulse` for the next step; with sub-steps, that of one sub-step."""
        return 1.0

    def options(self, given: tuple[tuple[str, float | str], ...]) -> dict[str, float | str]:
        """Return a value for each of `settings`: the given one or the default.

        Raises
        ------
        InvalidInputError
            An unknown name, or a value out of range.
        """
        return chosen_settings(self.title, self.settings, given)


class Found(NamedTuple):
    """Contacts detected within a step.

    Attributes
    ----------
    contacts : Contacts
        As at the start of a step: gaps are relative to a shift of 0. No impulses.
    row : int64 (n,)
        Row of each pair of fixtures in `Problem.contacts`; -1 if absent.
    restitution : float64 (n,)
    plane : int64 (n,)
        Body whose face defines the normal, which turns with it: 0 for A, 1 for B; -1 if the normal is the line between two points.
    """

    contacts: Contacts
    row: IntArray
    restitution: FloatArray
    plane: IntArray


class Problem:
    """A step as a method receives it. Body arrays have an additional last row for the world's own static body.

    Attributes
    ----------
    settings : WorldSettings
    tables : Tables
        Bodies, fixtures and joints of the world.
    values : float64 (n, 6)
        x, y, angle, vx, vy, omega of bodies at the start of the step.
    center : float64 (n + 1, 2)
        Centers of mass, world frame, at the start of the step, m.
    moves, drives : bool (n + 1,)
        Bodies that are awake and not static; those of these that are dynamic.
    force : float64 (n, 3)
        N and N m, over the step.
    rows : ContactRows
    solved : int64 (k, SOLVED)
        Contacts to be solved; see `model`.
    joints : Joints
        Impulses are those of the last step, to be updated in place.
    first_rows : int64 (k + 1,)
        Index of the first row of each joint.
    space : Workspace
    soft_h : float
        Duration, s, of the steps or sub-steps (`Method.warm_share`) whose stiffness soft constraints have: it follows that of this step.
    notes : dict of str
        Sentences for users about limits that the step met (`World.step_notes`); the values are unused.
    """

    def __init__(
        self,
        settings: WorldSettings,
        tables: Tables,
        values: FloatArray,
        center: FloatArray,
        moves: NDArray[np.bool_],
        drives: NDArray[np.bool_],
        force: FloatArray,
        rows: ContactRows,
        solved: IntArray,
        joints: Joints,
        first_rows: IntArray,
        space: Workspace,
        look: Callable[[Problem, Bodies], Found],
        soft_h: float,
    ) -> None:
        self.settings, self.tables, self.values, self.center = settings, tables, values, center
        self.moves, self.drives, self.force = moves, drives, force
        self.rows, self.solved, self.space = rows, solved, space
        self.joints, self.first_rows = joints, first_rows
        self._look, self.soft_h = look, soft_h
        self.notes: dict[str, None] = {}

    @property
    def dt(self) -> float:
        """Duration of the step, seconds."""
        return self.settings.dt

    @property
    def gravity(self) -> tuple[float, float]:
        """Gravity, m/s^2."""
        return self.settings.gravity

    @property
    def threshold(self) -> float:
        """Speed, m/s, below which nothing bounces: at least the speed that gravity adds in two steps, unless the settings specify more."""
        threshold = self.settings.restitution_threshold
        return 2.0 * math.hypot(*self.gravity) * self.dt if threshold is None else threshold

    @cached_property
    def push(self) -> FloatArray:
        """Acceleration of bodies by gravity and forces, m/s^2 and rad/s^2, float64 (n + 1, 3)."""
        push = np.zeros((len(self.center), 3))
        push[:, :2] = np.asarray(self.gravity) * self.tables.bodies.gravity_scale[:, None]
        push[:-1] += self.force * self.tables.bodies.inverse[:-1, [0, 0, 1]]
        return np.where(self.drives[:, None], push, 0.0)

    @cached_property
    def inverse(self) -> FloatArray:
        """Inverse mass and inertia, 1/kg and 1/(kg m^2), 0 for immovable bodies, float64 (n + 1, 2)."""
        return np.where(self.drives[:, None], self.tables.bodies.inverse, 0.0)

    def bodies(self, h: float) -> Bodies:
        """Return the bodies at the start of the step, with the damping of sub-steps of `h` seconds, as new arrays."""
        n = len(self.center)
        velocity, turn = np.zeros((n, 3)), np.zeros((n, 2))
        velocity[:-1] = np.where(self.moves[:-1, None], self.values[:, 3:], 0.0)
        turn[:, 0] = 1.0
        decay = np.where(self.drives[:, None], 1.0 / (1.0 + h * self.tables.bodies.damping), 1.0)
        return Bodies(velocity, np.zeros((n, 3)), turn, self.inverse, self.push, decay)

    def note(self, sentence: str) -> None:
        """Inform users of a limit that the step has met, once a step."""
        self.notes[sentence] = None

    @cached_property
    def contacts(self) -> Contacts:
        """The contacts to solve, with the impulses of the last step; updated in place."""
        return contacts_of(self.solved, self.rows.floats, self.center, self.inverse)

    @cached_property
    def restitution(self) -> FloatArray:
        """Restitution of each contact, float64 (k,)."""
        restitution: FloatArray = self.tables.fixtures.restitution[self.solved[:, 3:5]].max(axis=1)
        return restitution

    @cached_property
    def is_round(self) -> NDArray[np.bool_]:
        """Whether the cores at a contact's first point are points, bool (k,)."""
        is_corner = features_of(self.rows.ints[self.solved[:, 0]])[:, 0] >> 16 == 0
        is_round: NDArray[np.bool_] = self.tables.is_round[self.solved[:, 3:5]].all(axis=1) & is_corner
        return is_round

    @cached_property
    def stiffness(self) -> FloatArray:
        """Eight bytes per contact point that are kept from step to step, initially 0, float64 (k, 2); updated in place."""
        return self.rows.floats[self.solved[:, 0], STIFFNESS : STIFFNESS + 2]

    def contacts_at(self, bodies: Bodies) -> Found:
        """Detect the contacts again with the bodies displaced by their shift."""
        with unrecorded():
            return self._look(self, bodies)

    def ended(self, bodies: Bodies) -> FloatArray:
        """Store the impulses of contacts, and return the poses and velocities of the bodies after their shift."""
        if "contacts" in self.__dict__:
            keep_impulses(self.contacts, self.solved, self.rows.floats)
        if "stiffness" in self.__dict__:
            self.rows.floats[self.solved[:, 0], STIFFNESS : STIFFNESS + 2] = self.stiffness
        self._hold_back(bodies)
        return self.moved(bodies)

    def _hold_back(self, bodies: Bodies) -> None:
        """Limit the speeds of a step that has made energy out of nothing, with a note: nothing at rest passes `FASTEST`.

        A body counts if it is faster than that, than every other one was as the step began, and than drives, moving bodies and springs can
        make it.
        """
        moves, before, after = self.drives[:-1], self.values[:, 3:], bodies.velocity[:-1]
        speed = self._speed(after)
        if not (moves & np.isfinite(speed) & (speed > FASTEST)).any():
            return
        of_world = np.arange(len(moves)) // len(self.tables.one_world.bodies.ids)
        limit = np.zeros(of_world[-1] + 1)
        np.maximum.at(limit, of_world, np.where(moves, 1.0, 2.0) * self._speed(before))
        most = np.maximum(limit[of_world] + self.dt * np.hypot(*self.push[:-1, :2].T).max() + self._driven_speed(), FASTEST)
        is_over = moves & np.isfinite(speed) & (speed > most) & ~self._is_sprung
        mass = np.where(self.inverse[:-1] > 0.0, 1.0 / np.maximum(self.inverse[:-1], EPS64), 0.0)[:, [0, 0, 1]]
        work = self.push[:-1] * bodies.shift[:-1]
        kinetic, gained = ((mass * energy)[np.isfinite(speed)].sum() for energy in (before**2, after**2 - before**2 - 2.0 * work))
        if not is_over.any() or gained <= _GAIN * kinetic:
            return
        self.note(_EXPLODED)
        for column, allowed in ((after, 0.99 * most), (bodies.shift[:-1], 0.99 * self.dt * most)):
            size = np.maximum(self._speed(column), allowed)
            column[is_over] *= (allowed / size)[is_over, None]
        record(Stage(END, 0, bodies.velocity, bodies.shift))

    def _speed(self, velocity: FloatArray) -> FloatArray:
        """Return the largest speed of any point of each body, m/s, float64 (n,)."""
        speed: FloatArray = np.hypot(velocity[:, 0], velocity[:, 1]) + np.abs(velocity[:, 2]) * self.tables.reach
        return speed

    def _driven_speed(self) -> float:
        """Return the largest speed, m/s, that a drive asks of a body's point."""
        joints = self.joints
        lever = np.abs(joints.arm).sum(axis=1) + self.tables.reach.max(initial=0.0)
        apart = np.abs(joints.apart).sum(axis=1) + np.abs(joints.target)
        rate = np.abs(joints.speed) + joints.spring[:, 0] / self.dt * apart
        speed = np.where((joints.mode == DRIVE) & (joints.max_force > 0.0), rate * np.where(joints.kind == ANGLE, lever, 1.0), 0.0)
        return float(speed.max(initial=0.0))

    @property
    def _is_sprung(self) -> NDArray[np.bool_]:
        """Mask of the bodies that springs may throw, bool (n,)."""
        sprung = np.zeros(len(self.center), dtype=np.bool_)
        sprung[self.joints.bodies[(self.joints.mode == SPRING) & (self.joints.kind != SUM)]] = True
        return sprung[:-1]

    def moved(self, bodies: Bodies) -> FloatArray:
        """Return x, y, angle, vx, vy, omega of bodies after their shift, float64 (n, 6)."""
        angle = self.values[:, 2] + bodies.shift[:-1, 2]
        moved = poses_with_rotation(np.column_stack((self.center[:-1] + bodies.shift[:-1, :2], angle)))
        at = moved[:, :2] - rotated(moved[:, 2:], self.tables.bodies.center[:-1])
        ended = np.column_stack((at, angle, bodies.velocity[:-1]))
        return np.where(self.moves[:-1, None], ended, self.values)
