"""A touch that b2TimeOfImpact misses: a rod passes through a plate although all continuous physics is enabled.

b2TimeOfImpact takes the pair of features that separates the two at the start of the step, such as a face of the rod, and first tests
whether the same pair separates them at its *end*. If so, it returns "separated" without further tests::

      start                      between                    end
                                                               |
     ======  rod              \\                               |  rod
    ---------- plate       ----\\----- plate      ---------- plate
      the plate is             \\                 the plate is
      right of the rod       through it            right of the rod again

A rotating rod can have the plate on the same side before and after, and intersect it in between. The documentation says that such a touch
may be missed. In a step, Box2D rotates a body by at most a quarter turn, which is enough.

`find_missed` searches for such motions among round numbers; `MISSED` is one of its results.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine import query
from engine.box2d.oracle.held import round_pose
from engine.box2d.oracle.pairs import PairOracle
from engine.common.limits import MAX_ROTATION_PER_STEP, MAX_TRANSLATION_PER_STEP
from engine.common.rng import stream
from engine.common.tolerances import BOX2D_TOI_TOLERANCE, LINEAR_SLOP
from engine.contracts import Status
from engine.experiments.limitations.finding import Finding
from engine.geometry import Polygon, Sweep, Transform
from engine.world import BodySpec, FixtureSpec, World, WorldSettings, accept

__all__ = ["MISSED", "Crossing", "Passage", "Search", "find_missed", "measure_missed"]

_GRAIN = 0.1
"""Grid of round numbers, meters and radians."""
_WELL_INSIDE = 0.7
"""Share of the plate's half length within which the rod's middle must cross its plane, so that it passes through the plate and not the
end.
"""
_HERTZ = 60.0
_FAR_ENOUGH = LINEAR_SLOP + BOX2D_TOI_TOLERANCE
"""b2TimeOfImpact's target distance of the cores of two polygons, max(slop, 2 s - 3 slop), and its tolerance, meters."""
_MOMENTS = 64
"""Fractions of the step at which the depth is sampled, and sampled again around the deepest."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """A plate at rest in the origin, along x, and a rod that moves and rotates uniformly within one step, between two poses.

    `plate` and `rod` are half length and half thickness, meters, without skins; poses are (x, y, angle).
    """

    plate: tuple[float, float]
    rod: tuple[float, float]
    start: tuple[float, float, float]
    end: tuple[float, float, float]

    @property
    def shapes(self) -> tuple[Polygon, Polygon]:
        """Plate and rod as represented by Box2D: float32, with skins."""
        plate, rod = (accept(FixtureSpec(Polygon.box(*half))).shape for half in (self.plate, self.rod))
        assert isinstance(plate, Polygon) and isinstance(rod, Polygon)
        return plate, rod

    @property
    def sweep(self) -> Sweep:
        """The rod's motion."""
        (x0, y0, angle0), (x1, y1, angle1) = self.start, self.end
        return Sweep(Transform((x0, y0), angle0), Transform((x1, y1), angle1))

    def velocity(self, hertz: float = _HERTZ) -> tuple[tuple[float, float], float]:
        """Return the velocity, m/s and rad/s, that makes this motion one step."""
        dx, dy, turn = (end - start for start, end in zip(self.start, self.end, strict=True))
        return (dx * hertz, dy * hertz), turn * hertz

    def our_touch(self) -> float | None:
        """Return the fraction of the step at which the skins first touch, by `engine.query.time_of_impact`; None if never."""
        plate, rod = self.shapes
        touch = query.time_of_impact(plate, Sweep(Transform(), Transform()), rod, self.sweep)
        return touch.fraction if touch.status == Status.HIT else None

    def deepest(self) -> tuple[float, float]:
        """Return the fraction of the step at which rod and plate overlap most, and the depth there, meters, skins included."""
        plate, rod = self.shapes
        best = (0.0, 0.0)
        since, until = 0.0, 1.0
        for _ in range(2):  # over the whole step, then around the deepest sample
            for moment in range(_MOMENTS + 1):
                fraction = since + (until - since) * moment / _MOMENTS
                overlap = query.penetration(plate, Transform(), rod, self.sweep.at(fraction))
                if overlap.status == Status.OVERLAPPING and overlap.depth > best[1]:
                    best = (fraction, overlap.depth)
            since, until = max(best[0] - 1.0 / _MOMENTS, 0.0), min(best[0] + 1.0 / _MOMENTS, 1.0)
        return best

    def face_gaps(self) -> tuple[float, float]:
        """Return the gaps between the plate and one of the rod's long faces at the start and at the end, meters, without skins.

        It is the face whose smaller gap is larger.
        """
        corners = self.shapes[0].vertices
        best = (-math.inf, -math.inf)
        for side in (-1.0, 1.0):
            gaps = []
            for x, y, angle in (self.start, self.end):
                beyond = side * (np.cos(angle) * (corners[:, 1] - y) - np.sin(angle) * (corners[:, 0] - x))
                gaps.append(float(beyond.min()) - self.rod[1])
            best = max(best, (gaps[0], gaps[1]), key=min)
        return best

    @property
    def is_hidden(self) -> bool:
        """True if that face separates them before and after by more than the target of b2TimeOfImpact, which then returns."""
        return min(self.face_gaps()) > _FAR_ENOUGH

    def box2d_status(self) -> Status:
        """Return the status of b2TimeOfImpact."""
        rows = round_pose([(0.0, 0.0, 0.0), self.start, self.end])
        answer = PairOracle(self.shapes).times_of_impact([(0, 1)], rows[:1], rows[:1], rows[1:2], rows[2:])
        return Status(int(answer.status[0]))


MISSED = Crossing(plate=(0.5, 0.1), rod=(0.8, 0.05), start=(-0.5, 0.5, 0.2), end=(0.8, -0.6, -1.3))
"""Found by `find_missed`; kept as the pair file demos/pairs/toi_through.json."""


class Passage:
    """A crossing in a world: bodies `plate` and `rod`, a bullet, with continuous physics; `n_contacts` of them were reported so far."""

    def __init__(self, crossing: Crossing = MISSED, hertz: float = _HERTZ, bullet: bool = True) -> None:
        self.crossing = crossing
        self.world = World(WorldSettings(gravity=(0.0, 0.0), hertz=hertz))
        plate, rod = (FixtureSpec(Polygon.box(*half)) for half in (crossing.plate, crossing.rod))
        linear, angular = crossing.velocity(hertz)
        x, y, angle = crossing.start
        self.plate = self.world.create_body(BodySpec((plate,), type="static"))
        self.rod = self.world.create_body(
            BodySpec((rod,), position=(x, y), angle=angle, linear_velocity=linear, angular_velocity=angular, bullet=bullet)
        )
        self.n_contacts = 0

    def step(self) -> None:
        """Take one step and count its contacts."""
        self.take_in(len(self.world.step().began))

    def take_in(self, began: int) -> None:
        """Count the contacts that began in a step taken by the caller."""
        self.n_contacts += began

    def is_behind(self) -> bool:
        """True if the rod's center is on the other side of the plate's plane."""
        return self.world.state(self.rod).position[1] < 0.0


@dataclass(frozen=True, slots=True)
class Search:
    """Result of a search: the motions, of `n_asked` through the plate, that b2TimeOfImpact reports as separated."""

    n_asked: int
    missed: tuple[Crossing, ...]

    @property
    def share(self) -> float:
        """Share of the motions that are missed."""
        return len(self.missed) / max(self.n_asked, 1)


def measure_missed(crossing: Crossing = MISSED) -> tuple[Finding, ...]:
    """Return the times and depths of a crossing, and the outcome in the world."""
    touch, (moment, depth) = crossing.our_touch(), crossing.deepest()
    passage = Passage(crossing)
    passage.step()
    behind = passage.is_behind()
    passage.step()
    search = find_missed()
    is_seen = crossing.box2d_status() == Status.HIT
    (before, after), is_hidden = crossing.face_gaps(), crossing.is_hidden
    return (
        Finding("our time of impact: first contact, fraction of the step", None, -1.0 if touch is None else touch, "", 0.0, 4),
        Finding("deepest overlap, fraction of the step", None, moment, "", 0.0, 3),
        Finding("deepest overlap, skins included", None, depth, "m", 0.0, 3),
        Finding("distance from the rod's face to the plate at the start", None, before, "m", 0.0, 3),
        Finding("distance from the rod's face to the plate at the end", None, after, "m", 0.0, 3),
        Finding("contacts that b2TimeOfImpact finds", 0.0 if is_hidden else None, float(is_seen), "", 0.0, 0),
        Finding("contacts of the bullet in the world", 0.0 if is_hidden else None, float(passage.n_contacts), "", 0.0, 0),
        Finding("number of rods (of 1) behind the plate after the step", 1.0 if is_hidden else None, float(behind), "", 0.0, 0),
        Finding(f"missed, of {search.n_asked} random motions through the plate", None, search.share, "%", 0.0, 1),
    )


def find_missed(
    seed: int = 0, n_tries: int = 20_000, plate: tuple[float, float] = (0.5, 0.1), rod: tuple[float, float] = (0.8, 0.05)
) -> Search:
    """Search round numbers for crossings that b2TimeOfImpact reports as separated, within Box2D's limits of motion per step.

    The rod starts above the plate's plane and ends below it, and its middle crosses the plane well inside the plate, so that it certainly
    passes through. Each result touches by our own time of impact.
    """
    rng = stream(seed, "promises", "missed touch")  # the recorded numbers depend on this name
    n_angle, n_way, n_turn = (round(math.pi / _GRAIN), round(MAX_TRANSLATION_PER_STEP / _GRAIN), int(MAX_ROTATION_PER_STEP / _GRAIN))
    start = np.column_stack([rng.integers(low, high, n_tries) for low, high in ((-15, 16), (2, 12), (-n_angle, n_angle + 1))])
    across, fall, turn = (rng.integers(low, high, n_tries) for low, high in ((-n_way, n_way + 1), (2, n_way + 1), (-n_turn, n_turn + 1)))
    move = np.column_stack([across, -fall, turn])
    end = start + move
    is_flyable = np.hypot(move[:, 0], move[:, 1]) * _GRAIN < MAX_TRANSLATION_PER_STEP
    crosses_at = start[:, 0] - start[:, 1] * move[:, 0] / move[:, 1]
    rows = np.flatnonzero(is_flyable & (end[:, 1] < 0) & (np.abs(crosses_at) * _GRAIN < _WELL_INSIDE * plate[0]))
    tenths = round(1.0 / _GRAIN)
    poses = [round_pose(end_poses[rows] / tenths) for end_poses in (start, end)]
    still = np.zeros((len(rows), 3))
    oracle = PairOracle(Crossing(plate, rod, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)).shapes)
    answers = oracle.times_of_impact(np.tile(np.array([0, 1]), (len(rows), 1)), still, still, *poses)
    crossings = []
    for row in rows[answers.status == Status.MISS].tolist():
        first, last = ((start[row] / tenths).tolist(), (end[row] / tenths).tolist())
        crossing = Crossing(plate, rod, (first[0], first[1], first[2]), (last[0], last[1], last[2]))
        if crossing.our_touch() is not None:
            crossings.append(crossing)
    return Search(len(rows), tuple(crossings))
