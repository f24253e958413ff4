"""Ghost bumps: a floor of separate pieces disturbs a body that slides over it, although all pieces have the same height.

Each piece collides with a body separately, without its neighbors. Two different errors occur at a seam.

**A box trips.** At rest, its core is g_y = 2 s - slop = 15 mm above the tile's core (s = 0.01 m is the skin). The side of the next tile
is g_x away. The axis with the larger separation is used, and anything closer than both skins, 2 s = 20 mm, is a contact:

        |  box  |                      15 mm < g_x <= 20 mm   the tile ahead is touched at its *side*: a wall
        |       | g_x                  g_x <= 15 mm           its top is the larger separation: flat floor, as it should be
        +-------+<--->
   ___________________ ________
       tile           |  tile          a step is v h long: the chance per seam is 5 mm / (v h)

The wall and the floor hold the lower front corner, and the box rotates about it. The angular momentum about it is conserved, with half side
a:  m a (v - g h) = (2/3 + 2) m a^2 |w|, so that the center continues with

    v_x = v_y = 3/8 (v - g h),        |w| = 3/8 (v - g h) / a

**A disc hops.** Its center is y = r + s - slop high, and the tile ahead, or an edge, is touched at its corner where the center is nearer
to it than r + s: within dx = sqrt((r + s)^2 - y^2) before the seam. The normal leans back by theta, sin(theta) = dx / (r + s). The solver
removes all approach speed along it, and the floor does not hold a rising body:

    u = v cos(theta) - g h sin(theta)       v_x = u cos(theta)      v_y = u sin(theta)

An edge without ghost vertices has no side that a box could hit, but its ends are corners for a disc. In a chain, each edge has its
neighbors' vertices and leaves normals of a neighbor to that neighbor. A single polygon has no seam.

Here a chain is built of edges with ghost vertices, as `b2ChainShape` passes them to its contacts; a test checks that both are
bit-identical.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from engine.common.rng import stream
from engine.common.tolerances import BOX2D_POLYGON_SKIN, LINEAR_SLOP
from engine.experiments.limitations.finding import Finding
from engine.geometry import Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, World, WorldSettings

__all__ = [
    "DEPTH",
    "FINISH",
    "GROUNDS",
    "HALF",
    "N_TILES",
    "SLIDERS",
    "Bump",
    "Ground",
    "Slide",
    "SlideCounts",
    "Slider",
    "first_bump",
    "floor_of",
    "measure_seams",
    "measure_slides",
    "resting_height",
]

Ground = Literal["tiles", "edges", "chain", "merged"]
GROUNDS: tuple[Ground, ...] = get_args(Ground)
Slider = Literal["box", "disc"]
SLIDERS: tuple[Slider, ...] = get_args(Slider)

N_TILES = 10
"""Number of tiles of 1 m, starting at x = 0."""
FINISH = 9.3
"""x at which the speed is read, meters."""
HALF = 0.25
"""Half the side of the box, and radius of the disc, meters."""
DEPTH = 0.3
"""Height of a tile, meters."""
GRAVITY = 10.0
_START = 0.5
"""x at which the slider with phase 0 starts, meters."""
_OWN_GROUP = -1
"""Filter group that prevents collisions between sliders."""
_MAX_STEPS = 600
SOLVER_SHARE = 1.0e-3
"""Relative error of the speed after eight velocity iterations at two coupled contacts; at most 3e-4 between 3 and 20 m/s."""
_UNCOUNTED = 0.05
"""Share of discs whose bumps are each below `_FELT`, which no prediction counts, but add up to it: a disc passes about ten seams, and one
in 70 steps ends within 1.4 mm of a seam, for a step of about 100 mm; at least two such bumps are needed.
"""
_FELT = 1.0e-3
"""Minimum change of speed that counts as a bump, m/s: a thousand float32 roundings."""


def floor_of(ground: Ground) -> tuple[FixtureSpec, ...]:
    """Return the fixtures of a floor, its surface at y = 0, without friction."""
    ends = [(float(k), 0.0) for k in range(N_TILES + 1)]
    if ground == "merged":
        return (_slab(0.0, float(N_TILES)),)
    if ground == "tiles":
        return tuple(_slab(float(k), k + 1.0) for k in range(N_TILES))
    is_chain = ground == "chain"
    before = [None, *ends[:-2]] if is_chain else [None] * N_TILES
    after = [*ends[2:], None] if is_chain else [None] * N_TILES
    links = zip(ends, ends[1:], before, after, strict=False)
    return tuple(FixtureSpec(Segment(a, b, ghost1=ghost1, ghost2=ghost2), friction=0.0) for a, b, ghost1, ghost2 in links)


def resting_height(slider: Slider, skin_radius: float = BOX2D_POLYGON_SKIN) -> float:
    """Return the height of the center at which a slider is at rest: skins, if the solver has any, overlap by the slop."""
    skins = skin_radius * (2.0 if slider == "box" else 1.0)
    return HALF + max(skins - LINEAR_SLOP, 0.0)


class Slide:
    """A floor with sliders of `speed`, one for each phase in [0, 1), the fraction of a step by which it starts ahead.

    `track` has (x, y, v_x, v_y) of each of the bodies `sliders`, at the start and after each step. They start at the rest height of a
    solver with the given skin, meters, by default of the world's solver.
    """

    def __init__(
        self,
        ground: Ground,
        slider: Slider,
        speed: float,
        phases: Sequence[float],
        hertz: float = 60.0,
        skin_radius: float | None = None,
    ) -> None:
        self.ground, self.slider, self.speed, self.hertz = ground, slider, speed, hertz
        self.world = World(WorldSettings(gravity=(0.0, -GRAVITY), hertz=hertz))
        self.world.create_body(BodySpec(floor_of(ground), type="static"))
        shape = Polygon.box(HALF, HALF) if slider == "box" else Circle(HALF)
        fixture = FixtureSpec(shape, friction=0.0, group=_OWN_GROUP)
        y = resting_height(slider, self.world.capabilities.skin_radius if skin_radius is None else skin_radius)
        self.sliders = tuple(
            self.world.create_body(BodySpec((fixture,), position=(_START + phase * speed / hertz, y), linear_velocity=(speed, 0.0)))
            for phase in phases
        )
        self.track: list[list[tuple[float, float, float, float]]] = [[] for _ in phases]
        self.observe()

    @property
    def is_over(self) -> bool:
        """True if every slider has reached the finish or turned back, or after a time limit."""
        last = [way[-1] for way in self.track]
        return len(self.track[0]) > _MAX_STEPS or all(x >= FINISH or vx <= 0.0 for x, _, vx, _ in last)

    def observe(self) -> None:
        """Record the step that the world just made."""
        poses, velocities = self.world.poses, self.world.velocities
        for way, body in zip(self.track, self.sliders, strict=True):
            row = self.world.row_of(body)
            if not way or (way[-1][0] < FINISH and way[-1][2] > 0.0):
                way.append((*poses[row, :2].tolist(), *velocities[row, :2].tolist()))

    def begin_again(self) -> None:
        """Clear the records; the sliders have been moved back to the start."""
        self.track = [way[:1] for way in self.track]

    def first_bump(self, at: int) -> int | None:
        """Return the step after which a slider's speed first changed."""
        return next((step for step, (_, _, vx, _) in enumerate(self.track[at]) if abs(vx - self.speed) > _FELT), None)

    def height(self, at: int) -> float:
        """Return how high a slider has risen above where it started, meters."""
        return max(y for _, y, _, _ in self.track[at]) - self.track[at][0][1]


@dataclass(frozen=True, slots=True)
class Bump:
    """The first bump: its step and seam, and the velocity after that step."""

    step: int
    seam: float
    vx: float
    vy: float


def first_bump(ground: Ground, slider: Slider, speed: float, x: float, hertz: float = 60.0) -> Bump | None:
    """Return the first bump of a slider that starts at `x`, by the rules of the module; None without one."""
    if ground in ("chain", "merged") or (ground, slider) == ("edges", "box"):
        return None
    h, y = 1.0 / hertz, resting_height(slider)
    fall = GRAVITY * h
    far = HALF + BOX2D_POLYGON_SKIN
    for step in range(1, _MAX_STEPS):
        seam = float(math.ceil(x))
        if slider == "box":
            seam = float(math.ceil(x + HALF))
            gap, floor_gap = seam - x - HALF, y - HALF
            if floor_gap < gap <= 2.0 * BOX2D_POLYGON_SKIN and seam < N_TILES:
                kept = 0.375 * (speed - fall)
                return Bump(step, seam, kept, kept)
        elif 0.0 < seam - x < math.sqrt(far * far - y * y) and seam < N_TILES:
            sine = (seam - x) / math.hypot(seam - x, y)
            cosine = math.sqrt(1.0 - sine * sine)
            along = speed * cosine - fall * sine
            if speed - along * cosine > _FELT:
                return Bump(step, seam, along * cosine, along * sine)
        x += speed * h
        if x >= FINISH:
            return None
    return None


@dataclass(frozen=True, slots=True)
class SlideCounts:
    """Statistics of `n` slides at random phases over one kind of floor; speeds in m/s.

    Attributes
    ----------
    bumped, predicted_bumped : float
        Share of slides whose speed changed, and the share predicted by the rule.
    n_surprises : int
        Number of slides that were bumped in another step than predicted, or contrary to the prediction.
    after, predicted_after, speed_error : float
        Mean forward speed right after the first bump of those bumped as predicted, measured and predicted, 0 without any; and the largest
        deviation of that velocity.
    mean_loss, worst_loss, height : float
        Mean and largest loss of speed at the finish, and the height of the highest bump, meters.
    """

    n: int
    bumped: float
    predicted_bumped: float
    n_surprises: int
    after: float
    predicted_after: float
    speed_error: float
    mean_loss: float
    worst_loss: float
    height: float


@lru_cache(maxsize=32)
def measure_slides(ground: Ground, slider: Slider, speed: float = 7.0, n: int = 100, seed: int = 0) -> SlideCounts:
    """Simulate `n` sliders at random phases from the seed on a floor, all at once."""
    slide = Slide(ground, slider, speed, stream(seed, "promises", "seams").random(n).tolist())
    starts = [slide.world.state(body).position[0] for body in slide.sliders]
    while not slide.is_over:
        slide.world.step()
        slide.observe()
    wrong, error, bumped, predicted_bumped = 0, 0.0, 0, 0
    after: list[tuple[float, float]] = []
    for at, x in enumerate(starts):
        predicted, step = first_bump(ground, slider, speed, x, slide.hertz), slide.first_bump(at)
        bumped += step is not None
        predicted_bumped += predicted is not None
        if (predicted.step if predicted is not None else None) != step:
            wrong += 1
        elif predicted is not None and step is not None:
            _, _, vx, vy = slide.track[at][step]
            after.append((vx, predicted.vx))
            error = max(error, math.hypot(vx - predicted.vx, vy - predicted.vy))
    losses = [speed - way[-1][2] for way in slide.track]
    heights = [slide.height(at) for at in range(n)]
    mean_after, mean_predicted = (sum(column) / len(after) for column in zip(*after, strict=True)) if after else (0.0, 0.0)
    shares = n, bumped / n, predicted_bumped / n, wrong
    return SlideCounts(*shares, mean_after, mean_predicted, error, sum(losses) / n, max(losses), max(heights))


def measure_seams(slider: Slider = "box", speed: float = 7.0, n: int = 40) -> tuple[Finding, ...]:
    """Return for each kind of floor the share bumped, the speed after the first bump, the loss at the finish, and the highest bump."""
    findings = []
    for ground in GROUNDS:
        counts, name = measure_slides(ground, slider, speed, n), f"{slider} over {ground}"
        findings.append(Finding(f"{name}: bumped", counts.predicted_bumped, counts.bumped, "%", _UNCOUNTED, 0))
        if counts.bumped > 0.0:
            allowed = SOLVER_SHARE * speed
            findings.append(Finding(f"{name}: speed after the first bump", counts.predicted_after, counts.after, "m/s", allowed))
        findings.append(
            Finding(f"{name}: mean speed lost at the finish", None if counts.bumped else 0.0, counts.mean_loss, "m/s", _FELT, 3)
        )
        findings.append(Finding(f"{name}: highest bump", None if counts.bumped else 0.0, counts.height, "m", _FELT, 3))
    return tuple(findings)


def _slab(left: float, right: float) -> FixtureSpec:
    return FixtureSpec(Polygon(((left, -DEPTH), (right, -DEPTH), (right, 0.0), (left, 0.0))), friction=0.0)
