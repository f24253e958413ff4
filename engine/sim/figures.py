"""Figures for comparing solvers from the same initial state: energy, deepest overlap, displaced bodies, cost of a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.geometry import Transform
from engine.sim.demo import Demo
from engine.sim.motion_sums import Motion
from engine.sim.stage import union
from engine.world import World

__all__ = ["Energy", "Figures", "demo_motion"]

_OUT_OF_PLACE = 0.75
"""Displacement, as a multiple of a body's smaller side, above which the body counts as out of place; falling off a box exceeds it."""


@dataclass(frozen=True, slots=True)
class Energy:
    """Total energy of all worlds of a demo, J, at the start of the comparison and now."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of all worlds of a demo.

    Attributes
    ----------
    solver, solver_settings
        Names of the demo's solvers, and all solver-specific settings.
    energy : Energy
    overlap : float
        Deepest overlap of the last step, meters.
    out_of_place, bodies : int
        Number of dynamic bodies displaced by more than three quarters of their smaller side, and number of all dynamic bodies.
    ms : float
        Median time of the latest steps, including contact readout, milliseconds.
    stopped : str
        Error message of the last step; empty if it succeeded.
    """

    solver: str
    solver_settings: Mapping[str, float | str]
    energy: Energy
    overlap: float
    out_of_place: int
    bodies: int
    ms: float
    stopped: str = ""

    @classmethod
    def of(cls, demo: Demo, start: Sequence[Motion], ms: float, stopped: str = "") -> Figures:
        """Return the current figures of a demo; `start` is the motion of its worlds at the start of the comparison."""
        now = demo_motion(demo)
        counts = [_out_of_place(stage.world, *motions) for stage, *motions in zip(demo.stages, start, now, strict=False)]
        return cls(
            solver=" ".join(demo.sim.solvers),
            solver_settings=demo.sim.own_settings,
            energy=Energy(_total_energy(start), _total_energy(now)),
            overlap=max((stage.world.contacts.deepest_overlap for stage in demo.stages), default=0.0),
            out_of_place=sum(out for out, _ in counts),
            bodies=sum(n_bodies for _, n_bodies in counts),
            ms=ms,
            stopped=stopped,
        )

    def as_json(self) -> dict[str, Any]:
        """Return an entry of ``methods`` of ``run --json``."""
        return {
            "solver": self.solver,
            "solver_settings": dict(self.solver_settings),
            "energy": {"start": self.energy.start, "end": self.energy.end},
            "overlap": self.overlap,
            "out_of_place": self.out_of_place,
            "bodies": self.bodies,
            "ms_per_step": round(self.ms, 4),
            "stopped": self.stopped or None,
        }

    @property
    def standing(self) -> str:
        """Number of displaced bodies as text, or "stands" if there are none, or "stopped"."""
        if self.stopped:
            return "stopped"
        return "stands" if not self.out_of_place else f"{self.out_of_place} of {self.bodies} moved"


def demo_motion(demo: Demo) -> list[Motion]:
    """Return the motion of each world of a demo."""
    return [Motion.of(stage.world) for stage in demo.stages]


def _total_energy(motions: Sequence[Motion]) -> float:
    return sum(motion.sums[2] for motion in motions)


def _out_of_place(world: World, start: Motion, now: Motion) -> tuple[int, int]:
    """Return the number of displaced dynamic bodies, including those out of range, and the number of all dynamic bodies."""
    moving, ids = start.masses.mass > 0.0, now.masses.ids[now.masses.mass > 0.0]
    n_lost = int(np.isin(start.masses.ids[moving], np.array(world.out_of_range, dtype=np.int64)).sum())
    both, rows, rows_now = np.intersect1d(start.masses.ids[moving], ids, assume_unique=True, return_indices=True)
    displacement = now.centers[now.masses.mass > 0.0][rows_now] - start.centers[moving][rows]
    sides = np.array([_smaller_side(world, body) for body in both.tolist()])
    return int((np.hypot(displacement[:, 0], displacement[:, 1]) > _OUT_OF_PLACE * sides).sum()) + n_lost, len(both) + n_lost


def _smaller_side(world: World, body: int) -> float:
    """Return the smaller side of the body-frame bounding box of a body's fixtures, meters."""
    box = union([world.fixture(fixture).shape.aabb(Transform()) for fixture in world.fixtures_of(body)])
    return 0.0 if box is None else min(box.upper[0] - box.lower[0], box.upper[1] - box.lower[1])
