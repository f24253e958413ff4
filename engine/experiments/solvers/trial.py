"""One method in one scene: stepped, timed, measured."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import process_time
from typing import Any

import numpy as np

from engine.common.errors import InvalidInputError, LabError, WorldLostError
from engine.common.words import meant
from engine.experiments.references.lab import worst_joint
from engine.experiments.solvers.measures import Moving, Overlaps, force_error, force_past_bounds
from engine.experiments.solvers.scenes import BenchScene, camera_of, new_world
from engine.scenes import Scene, scene_of
from engine.world import World, WorldSettings, accept, load_solver, solvers

__all__ = ["Cell", "Trial", "Variant", "chosen_variants", "effort_of", "start_of"]

STEADY = "soft_step"
"""The method whose cost is the unit of costs."""
_OF_WORLD = {
    "box2d": ("velocity_iterations", "position_iterations", "warm_starting"),
    STEADY: ("sub_steps", "velocity_iterations", "warm_starting"),
}
"""Settings of the world that are given like the solver's own; the last one for all other solvers."""
_EFFORTS = ("sub_steps", "iterations", "velocity_iterations", "sweeps")
"""Effort settings; the first one that a method has is used."""
_EVERY = 6
"""Number of steps between measurements of overlaps, joints and the criterion."""
_SLOW = 0.01
"""m/s and rad/s below which a body is at rest."""


@dataclass(frozen=True)
class Variant:
    """A method with its own settings."""

    solver: str
    settings: tuple[tuple[str, float | str], ...] = ()

    @property
    def label(self) -> str:
        """Text form on the command line: ``xpbd:iterations=10``."""
        return ":".join(
            [self.solver, *(f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}" for name, value in self.settings)]
        )

    @property
    def world_settings(self) -> dict[str, Any]:
        """Keyword arguments of `WorldSettings`."""
        own = {name: value for name, value in self.settings if name in _own_settings(self.solver)}
        of_world = {_alias(name): value for name, value in self.settings if name not in own}
        return of_world | ({"solver_settings": own} if own else {})

    def with_effort(self, value: int) -> Variant | None:
        """Return it with another value of its effort setting; None if it has no such setting or the value is out of range."""
        name = effort_of(self.solver)
        if name is None:
            return None
        other = Variant(self.solver, (*((setting, present) for setting, present in self.settings if setting != name), (name, value)))
        try:
            accept(WorldSettings(**other.world_settings), self.solver)
        except InvalidInputError:
            return None
        return other


def _own_settings(solver: str) -> tuple[str, ...]:
    return tuple(setting.name for setting in load_solver(solver).settings)


def _world_names(solver: str) -> tuple[str, ...]:
    """Return the world settings that can be specified for a solver, except those that it has itself."""
    own = _own_settings(solver)
    return tuple(name for name in _OF_WORLD.get(solver, ("warm_starting",)) if name not in own)


def _alias(name: str) -> str:
    """Return the world's name of a setting: its velocity iterations are the soft step's sub-steps."""
    return "velocity_iterations" if name == "sub_steps" else name


def effort_of(solver: str) -> str | None:
    """Return the name of a method's effort setting."""
    known = (*_own_settings(solver), *_world_names(solver))
    return next((name for name in _EFFORTS if name in known), None)


def chosen_variants(option: str, text: str) -> list[Variant]:
    """Return methods of a list ``NAME[:SETTING=VALUE]...``, separated by commas, each once; ``all`` is every one without settings.

    Raises
    ------
    InvalidInputError
        An unknown name, a setting that the method lacks, or a value out of range; the message suggests the nearest name.
    """
    variants: dict[Variant, None] = {}
    for word in (part.strip() for part in text.split(",")):
        name, *parts = word.split(":")
        if name == "all" and not parts:
            variants |= dict.fromkeys(map(Variant, solvers()))
            continue
        if name not in solvers():
            known = ("all", *solvers())
            raise InvalidInputError(option, "a list of " + ", ".join(known) + meant(name, known), name)
        variants[_variant(option, name, parts)] = None
    return list(variants)


def _variant(option: str, solver: str, parts: list[str]) -> Variant:
    known = (*_own_settings(solver), *_world_names(solver))
    settings: dict[str, float | str] = {}
    for part in parts:
        name, equals, value = part.partition("=")
        if not equals or name not in known:
            raise InvalidInputError(option, f"{solver}[:SETTING=VALUE]... of " + ", ".join(known) + meant(name, known), part)
        settings[name] = _value(name, value)
    variant = Variant(solver, tuple(settings.items()))
    try:
        accept(WorldSettings(**variant.world_settings), solver)
    except InvalidInputError as error:
        wrong = error.field.removeprefix("solver_settings.")
        wrong = next((name for name in settings if _alias(name) == wrong), wrong)
        raise InvalidInputError(f"{option} {solver}:{wrong}", error.requirement, error.value) from None
    return variant


def _value(name: str, text: str) -> float | str:
    """Return the value of a text: an integer, a number, a bool if required by the world's settings, or a word."""
    if name == "warm_starting" and text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


@dataclass
class Cell:
    """Result of a method in a scene; None where unknown. Meters, seconds, shares.

    Attributes
    ----------
    stands : bool or None
        True if it stood or reached the correct outcome; None if the method rejected the scene or was stopped because of its cost.
    fell_at : float or None
        When the criterion first failed.
    reason : str
        Reason why it does not stand; empty if it does.
    seconds : float
        Simulated time reached.
    max_penetration, end_penetration : float or None
        The deepest overlap; the deepest in the last half second.
    max_joint_error, end_joint_error : float or None
    drift : float or None
        Largest displacement of a body in the last quarter of the time, if the scene comes to rest and stood.
    energy_gain_share : float or None
        Maximum gain over the initial energy, as a share of kinetic energy plus total weight times the scene's longer side.
    momentum_lost_share : float or None
        Lost share of conserved momentum.
    force_error : float or None
        Of a scene that rests, as a share: of what layers bear, the median over the last second, or of a contact outside what it may
        bear at the end, whichever is larger; see `measures`.
    rest_at : float or None
        Time from which all bodies stayed below 1 cm/s and 0.01 rad/s.
    error : float or None
        Error at the end, meters; the lasting overlap if there is no exact answer.
    ms_per_step : float or None
        Processor time, the median of all steps.
    cost_ratio : float or None
        Cost relative to the soft step's in the same process.
    end : Scene or None
        Final state of the world.
    notes : dict of str
        Sentences about limits that the method met in some step (`World.step_notes`); the values mean nothing.
    """

    variant: Variant
    scene: str
    stands: bool | None = None
    fell_at: float | None = None
    reason: str = ""
    seconds: float = 0.0
    max_penetration: float | None = None
    end_penetration: float | None = None
    max_joint_error: float | None = None
    end_joint_error: float | None = None
    drift: float | None = None
    energy_gain_share: float | None = None
    momentum_lost_share: float | None = None
    force_error: float | None = None
    rest_at: float | None = None
    error: float | None = None
    ms_per_step: float | None = None
    cost_ratio: float | None = None
    end: Scene | None = field(default=None, repr=False)
    notes: dict[str, None] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return it in the format of the command's JSON."""
        left_out = ("variant", "scene", "end", "notes")
        numbers = {name: value for name, value in vars(self).items() if name not in left_out}
        return {"solver": self.variant.solver, "settings": dict(self.variant.settings), "scene": self.scene, **numbers}


def start_of(scene: BenchScene, variant: Variant, hertz: float) -> Scene:
    """Return a scene in its initial state with a method.

    Raises
    ------
    LabError
        The method rejects it.
    """
    world = new_world(scene, variant.solver, hertz=hertz, **variant.world_settings)
    scene.build(world)
    return scene_of(world, title=scene.title, watch=scene.standing, camera=camera_of(world))


class Trial:
    """Runs a method in a scene, some steps at a time, and measures; it is stopped when its steps have taken `budget` s of processor time.

    An exception of the method ends the trial, and is the reason in its cell.
    """

    def __init__(self, scene: BenchScene, variant: Variant, seconds: float, hertz: float, budget: float = math.inf) -> None:
        self.cell = Cell(variant, scene.name)
        self._scene, self._n_steps = scene, max(1, round(seconds * hertz))
        self._is_whole = seconds >= scene.seconds
        self._costs: list[float] = []
        self._overlaps: list[float] = []
        self._joint_errors: list[float] = []
        self._forces: list[float] = []
        self._settings: Mapping[str, Any] = {"hertz": hertz} | variant.world_settings
        self._budget, self._spent, self._done, self._moved_at = budget, 0.0, 0, 0
        self._at_three_quarters: np.ndarray[Any, Any] | None = None
        self.is_over = False
        with self._guard():
            self._warm_up()
            self._world = new_world(scene, variant.solver, **self._settings)
            self._judged = scene.build(self._world)
            self._moving, self._deep = Moving(self._world), Overlaps(self._world)
            self._energy = self._most_energy = self._moving.energy(self._world)
            self._momentum, self._all_momentum = self._moving.momentum(self._world)
            self._last = self._moving.poses(self._world)
            self._camera = camera_of(self._world)

    def _warm_up(self) -> None:
        """Take a few steps of another world of the scene, so that nothing is compiled while steps are timed."""
        world = new_world(self._scene, self.cell.variant.solver, **self._settings)
        self._scene.build(world)
        for _ in range(2):
            world.step()

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """Convert a method's exception to the end of its trial and the reason in its cell; Ctrl-C propagates."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                yield
            except Exception as error:
                self.is_over = True
                self._note(error)

    def _note(self, error: Exception) -> None:
        cell, words = self.cell, " ".join(str(error).split())
        if isinstance(error, WorldLostError) and isinstance(error.__cause__, InvalidInputError):
            cell.reason = f"refused: {' '.join(str(error.__cause__).split())}"
        elif isinstance(error, WorldLostError):
            cell.stands, cell.fell_at, cell.reason = False, cell.seconds, f"exploded after {cell.seconds:.3g} s: {words}"
        elif isinstance(error, _TooSlowError):
            cell.reason = words
        elif isinstance(error, LabError):
            cell.reason = f"refused: {words}"
        else:
            cell.reason = f"failed after {cell.seconds:.3g} s: {type(error).__name__}: {words}"

    def advance(self, n: int) -> None:
        """Take a number of steps, as far as steps remain."""
        with self._guard():
            for _ in range(min(n, self._n_steps - self._done)):
                if self.is_over:
                    return
                self._step()
        self.is_over |= self._done >= self._n_steps

    def _step(self) -> None:
        world, cell = self._world, self.cell
        started = process_time()
        world.step()
        self._costs.append(process_time() - started)
        cell.notes |= dict.fromkeys(world.step_notes)
        self._spent += self._costs[-1]
        self._done += 1
        cell.seconds = self._done * world.settings.dt
        poses = self._moving.poses(world)
        if np.abs(poses - self._last).max(initial=0.0) > _SLOW * world.settings.dt:
            self._moved_at = self._done
        self._last = poses
        if self._at_three_quarters is None and self._done >= 0.75 * self._n_steps:
            self._at_three_quarters = poses[:, :2].copy()
        self._most_energy = max(self._most_energy, self._moving.energy(world))
        left = self._n_steps - self._done
        if left < world.settings.hertz and (force := force_error(world, self._judged.layers)) is not None:
            self._forces.append(force)
        if self._done % _EVERY == 0 or left == 0:
            self._look(world)
        if self._spent > self._budget and left > 0:
            raise _TooSlowError(f"stopped after {self._budget:g} s of processor time, at only {cell.seconds:.3g} s")

    def _look(self, world: World) -> None:
        self._overlaps.append(self._deep.deepest(world))
        if self._judged.joints:
            self._joint_errors.append(worst_joint(world, self._judged.joints))
        if self.cell.fell_at is None and not self._judged.holds(world):
            self.cell.fell_at = self.cell.seconds

    def result(self, steady: float | None) -> Cell:
        """Return the cell; `steady` is the median cost of a step of the soft step, s."""
        cell = self.cell
        if self._costs:
            median = float(np.median(self._costs))
            cell.ms_per_step = 1e3 * median
            cell.cost_ratio = median / steady if steady else None
        with self._guard():
            if self._done:
                self._finish()
        for name, value in vars(cell).items():
            if isinstance(value, float) and not math.isfinite(value):
                setattr(cell, name, None)
        return cell

    @property
    def median(self) -> float | None:
        """Processor time of a step so far, s."""
        return float(np.median(self._costs)) if self._costs else None

    def _finish(self) -> None:
        cell, world, judged = self.cell, self._world, self._judged
        last = max(1, round(0.5 * world.settings.hertz / _EVERY))
        if self._overlaps:
            cell.max_penetration, cell.end_penetration = max(self._overlaps), max(self._overlaps[-last:])
        if self._joint_errors:
            cell.max_joint_error, cell.end_joint_error = max(self._joint_errors), max(self._joint_errors[-last:])
        if self._moving.scale > 0.0:
            cell.energy_gain_share = max(0.0, self._most_energy - self._energy) / self._moving.scale
        if judged.free:
            cell.momentum_lost_share = self._momentum_lost(judged.free)
        cell.end = scene_of(world, title=self._scene.title, camera=self._camera)
        if cell.reason:  # it ended early
            return
        cell.error = cell.end_penetration if judged.error is None else judged.error(world)
        if cell.fell_at is not None:
            cell.stands, cell.reason = (
                False,
                f"fell after {cell.fell_at:.3g} s" if self._scene.can_stand else f"failed after {cell.fell_at:.3g} s",
            )
        elif self._is_whole and judged.ends is not None and not judged.ends(world, cell.end_penetration or 0.0):
            cell.stands, cell.reason = False, "did not reach the expected outcome"
        else:
            cell.stands = True
        if judged.rests and cell.stands:
            if self._at_three_quarters is not None:
                cell.drift = float(np.hypot(*(self._last[:, :2] - self._at_three_quarters).T).max(initial=0.0))
            if self._moved_at < self._done:
                cell.rest_at = self._moved_at * world.settings.dt
            cell.force_error = self._force_error(world)

    def _force_error(self, world: World) -> float | None:
        """Return the larger of the errors of layers and of contacts, as far as they are known."""
        forces = [float(np.median(self._forces))] if self._forces else []
        past = force_past_bounds(world) if self.cell.rest_at is not None else None
        return max([*forces, *([] if past is None else [past])], default=None)

    def _momentum_lost(self, free: str) -> float | None:
        now, total = self._moving.momentum(self._world)
        all_of_it = max(total, self._all_momentum)
        changed = (now - self._momentum)[: len(free)]
        return float(np.hypot(*changed) if len(changed) > 1 else abs(changed[0])) / all_of_it if all_of_it > 0.0 else None


class _TooSlowError(LabError):
    """A method exceeded its limit of processor time."""
