"""A figure turns among drifting neighbors, and each bounding volume reports which of them the figure may touch.

The neighbors move on uniformly distributed chords of a disc with three times the radius of the smallest circle. Over time they cover the
disc evenly, and the counts approach the table in docs/algorithms/bounding.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from demos._bounding_outlines import OUTLINES, outline_named
from demos._bounding_picture import COLORS, Row, color_of, draw_outline, draw_table, draw_volume, is_table_legible, table_size
from engine.bounding import cloud_of, outline_area, outlines_overlap
from engine.bounding.kinds import KINDS, Placed, area_of, follower, overlap, volume_name
from engine.demo import Demo, Parameter, StatusLine, register
from engine.geometry import AABB, Transform
from engine.render import palette

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["BoundingVolumes"]

REACH = 3.0
"""Radius of the disc that the neighbors cross, meters; the outlines' circles have a radius of 1."""
TABLE = (4.2, 2.6)
"""Upper left corner of the table beside the disc, meters."""
_OF_VIEW = 0.9
"""Share of a view that a picture takes without its margin."""
SIDES = ("4", "6", "8", "10", "12", "16", "24", "32")
SHOWN = ("smallest_circle", "box", "oriented_box", "kdop", "hull")
WHEEL_TURN = math.radians(5.0)
DOT = 0.11
"""Distance of the dots on a neighbor, meters."""

Point = tuple[float, float]


@dataclass(slots=True)
class Neighbor:
    """A drifting outline."""

    position: Point
    angle: float
    velocity: Point
    spin: float
    meets: bool = False
    volumes: dict[str, Placed] = field(default_factory=dict)
    said_yes: set[str] = field(default_factory=set)
    """Kinds of volumes that overlap the figure's."""

    @property
    def pose(self) -> Transform:
        """Its pose in the world."""
        return Transform(self.position, self.angle)


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts since the restart: pairs that are apart, those of them reported by a volume, and touching pairs that it missed."""

    apart: int = 0
    false: int = 0
    missed: int = 0


@lru_cache(maxsize=256)
def _follower(kind: str, outline: str, sides: int) -> Callable[[Transform], Placed]:
    """Return a function of the pose that places a volume around an outline."""
    return follower(kind, cloud_of(np.concatenate(outline_named(outline))), sides)


@register(
    id="bounding_volumes",
    category="Algorithms",
    title="Bounding volumes",
    watch="A figure turns among neighbors; a dot in a volume's color marks each neighbor that the volume falsely reports.",
)
class BoundingVolumes(Demo):
    """An outline, its volumes, and neighbors with the same outline."""

    needs_kernels = True
    tries = (
        ("Drag a neighbor's tip into a notch of the figure.", "Grab"),
        ("Choose the rod: compare the area of its circle with that of the oriented box.", "set outline"),
        ("Reset the counts (C).", "key c"),
    )
    keywords = "aabb obb k-dop circle hull bounding tight broad phase"
    parameters = (
        Parameter.choice("outline", OUTLINES, "outline"),
        Parameter.some("volumes", KINDS, SHOWN, "volumes"),
        Parameter.choice("k", SIDES, "sides of the k-DOPs", default=SIDES.index("8")),
        Parameter("spin", 25.0, -360.0, 360.0, "°/s", "turning speed"),
        Parameter("drift", 0.8, 0.0, 5.0, "m/s", "speed of the neighbors"),
        Parameter("neighbors", 7.0, 1.0, 16.0, "", "neighbors", whole=True),
    )
    keys = (
        ("Left drag", "turn the figure; move a neighbor"),
        ("Right drag, wheel", "turn the outline under the pointer"),
        ("A", "turn rotation on or off"),
        ("C", "reset the counts"),
    )

    view_state: str | None
    """Place of the table: "beside" the figures, "below" them, or "left out" because it could not be read."""

    def build(self) -> None:
        self._random = self.rng("neighbors")
        self.angle = 0.0
        self.rotates = True
        self._grabbed: tuple[int, Point, bool] | None = None
        self.rings = outline_named(OUTLINES[round(self.parameter("outline"))])
        self.outline_area = outline_area(self.rings)
        self.neighbors = [self._entering(self._random.uniform(0.0, 1.0)) for _ in range(round(self.parameter("neighbors")))]
        self._reset_counts()
        self._update()

    def on_parameter(self, name: str) -> None:
        if name in ("outline", "neighbors"):
            self.restart()
        elif name in ("volumes", "k"):
            self._reset_counts()
            self._update()

    def before_step(self) -> None:
        seconds = self.step_seconds
        if self.rotates and not (self._grabbed is not None and self._grabbed[0] < 0):
            self.angle = math.remainder(self.angle + math.radians(self.parameter("spin")) * seconds, 2.0 * math.pi)
        speed = self.parameter("drift")
        for at, neighbor in enumerate(self.neighbors):
            if self._grabbed is not None and self._grabbed[0] == at:
                continue
            x, y = (
                neighbor.position[0] + speed * neighbor.velocity[0] * seconds,
                neighbor.position[1] + speed * neighbor.velocity[1] * seconds,
            )
            neighbor.position, neighbor.angle = (x, y), neighbor.angle + neighbor.spin * seconds
            if math.hypot(x, y) > REACH and x * neighbor.velocity[0] + y * neighbor.velocity[1] > 0.0:
                self.neighbors[at] = self._entering(0.0)

    def after_step(self) -> None:
        self._update(counts=True)

    def beside_worlds(self) -> bytes:
        places = [(neighbor.position, neighbor.angle, neighbor.meets, sorted(neighbor.said_yes)) for neighbor in self.neighbors]
        return repr((self.angle, places, self.tallies)).encode()

    @property
    def kinds(self) -> tuple[str, ...]:
        """The selected kinds of volumes."""
        chosen = round(self.parameter("volumes"))
        return tuple(kind for k, kind in enumerate(KINDS) if chosen >> k & 1)

    @property
    def pose(self) -> Transform:
        """Pose of the figure."""
        return Transform(angle=self.angle)

    def rows(self) -> list[Row]:
        """Return the rows of the table."""
        rows = []
        for kind in self.kinds:
            yes = [neighbor for neighbor in self.neighbors if kind in neighbor.said_yes]
            tally = self.tallies[kind]
            rows.append(
                Row(
                    kind=kind,
                    name=volume_name(kind, self._sides()),
                    area_ratio=area_of(self.volumes[kind]) / self.outline_area,
                    says_yes=len(yes),
                    false_now=sum(not neighbor.meets for neighbor in yes),
                    false_rate=tally.false / max(tally.apart, 1),
                )
            )
        return rows

    def summary(self) -> Sequence[str]:
        n_missed = sum(tally.missed for tally in self.tallies.values())
        lines = [f"{row.name:20} area {row.area_ratio:5.2f}   false hits {row.false_rate:6.1%}" for row in self.rows()]
        return [f"{OUTLINES[round(self.parameter('outline'))]}, {n_missed} true hits missed", *lines]

    def status(self) -> Sequence[StatusLine]:
        n_missed = sum(tally.missed for tally in self.tallies.values())
        lines: list[StatusLine] = [("A VOLUME MISSED A TRUE HIT", palette.UNEXPLAINED)] if n_missed else []
        if self.view_state != "left out":
            return lines
        return [*lines, *((f"{row.name}: {100.0 * row.false_rate:.1f} % false", palette.legible(COLORS[row.kind])) for row in self.rows())]

    # -- the pointer

    def grab(self, point: Point) -> bool:
        return self._grab(point, turns=False)

    def turn(self, point: Point) -> bool:
        return self._grab(point, turns=True)

    def drag(self, point: Point) -> None:
        if self._grabbed is None:
            return
        at, before, turns = self._grabbed
        if at < 0 or turns:
            x, y = (0.0, 0.0) if at < 0 else self.neighbors[at].position
            swept = math.atan2(point[1] - y, point[0] - x) - math.atan2(before[1] - y, before[0] - x)
            self._turn(at, math.remainder(swept, 2.0 * math.pi))
        else:
            neighbor = self.neighbors[at]
            neighbor.position = neighbor.position[0] + point[0] - before[0], neighbor.position[1] + point[1] - before[1]
        self._grabbed = (at, point, turns)
        self._update()

    def release(self) -> None:
        self._grabbed = None

    @property
    def grabbing(self) -> bool:
        return self._grabbed is not None

    def on_wheel(self, point: Point, notches: float) -> bool:
        at = self._under(point)
        if at is None:
            return False
        self._turn(at, WHEEL_TURN * notches)
        self._update()
        return True

    def on_key(self, key: str) -> bool:
        if key == "a":
            self.rotates = not self.rotates
        elif key == "c":
            self.tallies = dict.fromkeys(self.kinds, Tally())
        else:
            return False
        return True

    # -- drawing

    def arrange(self, width: float, height: float) -> bool:
        """Put the table next to the figures or below them, wherever the picture is larger, or into the readout if it is not legible."""
        scales = {}
        for is_below in (False, True):
            box = self._box(is_below)
            scales[is_below] = min(width / (box.upper[0] - box.lower[0]), height / (box.upper[1] - box.lower[1]))
        self.view_state = "below" if scales[True] > scales[False] else "beside"
        if not is_table_legible(_OF_VIEW * max(scales.values())):
            self.view_state = "left out"
        return False

    def home(self) -> AABB:
        if self.view_state == "left out":
            return AABB((-REACH - 0.6, -REACH - 0.6), (REACH + 0.6, REACH + 0.6))
        return self._box(self.view_state == "below")

    def _box(self, is_below: bool) -> AABB:
        """Return the box around figures and table."""
        across, down = table_size(len(self.kinds))
        if is_below:
            return AABB((-REACH - 0.6, -REACH - 0.9 - down), (max(REACH + 0.6, across - REACH - 0.4), REACH + 0.6))
        return AABB((-REACH - 0.7, min(-REACH - 0.5, TABLE[1] - down)), (TABLE[0] + across + 0.1, REACH + 0.5))

    def draw_background(self, canvas: Canvas) -> None:
        canvas.circle((0.0, 0.0), REACH, None, palette.GRID_AXIS)

    def draw(self, canvas: Canvas) -> None:
        for neighbor in self.neighbors:
            color = palette.TOUCHING if neighbor.meets else palette.BODY_COLORS[4]
            draw_outline(canvas, self.rings, neighbor.pose, color, 0.5 if neighbor.meets else 0.3)
            for kind in self.kinds:
                draw_volume(canvas, kind, neighbor.volumes[kind], 0.8 if kind in neighbor.said_yes else 0.28)
        is_met = any(neighbor.meets for neighbor in self.neighbors)
        draw_outline(canvas, self.rings, self.pose, palette.TOUCHING if is_met else palette.BODY_COLORS[0], 0.55)
        for kind in self.kinds:
            draw_volume(canvas, kind, self.volumes[kind], 1.0, is_bold=True)
        for neighbor in self.neighbors:
            fooled = [kind for kind in self.kinds if kind in neighbor.said_yes and not neighbor.meets]
            for at, kind in enumerate(fooled):
                x = neighbor.position[0] + DOT * (at - 0.5 * (len(fooled) - 1))
                canvas.point((x, neighbor.position[1]), palette.BACKGROUND, 5.0)
                canvas.point((x, neighbor.position[1]), color_of(kind), 3.6)
        corner = (-REACH - 0.4, -REACH - 0.75) if self.view_state == "below" else TABLE
        n_meeting = sum(neighbor.meets for neighbor in self.neighbors)
        if self.view_state != "left out":
            draw_table(canvas, corner, self.rows(), len(self.neighbors) - n_meeting, n_meeting)

    # -- counting

    def _sides(self) -> int:
        return int(SIDES[round(self.parameter("k"))])

    def _reset_counts(self) -> None:
        """Start counting for the selected volumes."""
        self.tallies = dict.fromkeys(self.kinds, Tally())

    def _update(self, counts: bool = False) -> None:
        """Test every volume, and the outlines themselves, against every neighbor, and optionally count the results."""
        outline, sides = OUTLINES[round(self.parameter("outline"))], self._sides()
        place_of = {kind: _follower(kind, outline, sides) for kind in self.kinds}
        self.volumes = {kind: place(self.pose) for kind, place in place_of.items()}
        for neighbor in self.neighbors:
            neighbor.volumes = {kind: place(neighbor.pose) for kind, place in place_of.items()}
            neighbor.said_yes = {kind for kind in place_of if overlap(self.volumes[kind], neighbor.volumes[kind])}
            neighbor.meets = outlines_overlap(self.rings, self.pose, self.rings, neighbor.pose)
            for kind in place_of if counts else ():
                tally, yes = self.tallies[kind], kind in neighbor.said_yes
                self.tallies[kind] = replace(
                    tally,
                    apart=tally.apart + (not neighbor.meets),
                    false=tally.false + (yes and not neighbor.meets),
                    missed=tally.missed + (neighbor.meets and not yes),
                )

    def _entering(self, share: float) -> Neighbor:
        """Return a neighbor on a random chord of the disc, at a fraction `share` of its length."""
        direction, aside = self._random.uniform(-math.pi, math.pi), self._random.uniform(-REACH, REACH)
        along = (2.0 * share - 1.0) * math.sqrt(REACH * REACH - aside * aside)
        cos, sin = math.cos(direction), math.sin(direction)
        position = along * cos - aside * sin, along * sin + aside * cos
        angle, spin = self._random.uniform(-math.pi, math.pi), self._random.uniform(-0.7, 0.7)
        return Neighbor(position, angle, (cos, sin), spin)

    def _grab(self, point: Point, turns: bool) -> bool:
        at = self._under(point)
        self._grabbed = None if at is None else (at, point, turns)
        return at is not None

    def _under(self, point: Point) -> int | None:
        """Return the neighbor whose circle contains a point, the nearest if several do; -1 for the figure, None for nothing."""
        middles = [(math.dist(point, neighbor.position), at) for at, neighbor in enumerate(self.neighbors)]
        away, at = min([(math.hypot(*point), -1), *middles])
        return at if away <= 1.0 else None

    def _turn(self, at: int, angle: float) -> None:
        if at < 0:
            self.angle = math.remainder(self.angle + angle, 2.0 * math.pi)
        else:
            self.neighbors[at].angle += angle
