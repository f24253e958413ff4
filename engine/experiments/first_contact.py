"""The first contact of a bullet with its target, among all contacts reported in a step, or in a piece of one."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence

from engine import query
from engine.contracts import StepContacts
from engine.experiments.rules import Impact, Piece
from engine.experiments.spec import ShotSpec
from engine.geometry import Transform
from engine.world import World

__all__ = ["ContactSearch", "dot"]

Point = tuple[float, float]


class ContactSearch:
    """The search for the contacts of a bullet with `bodies`."""

    def __init__(self, world: World, spec: ShotSpec, bullet: int, bodies: Collection[int]) -> None:
        self._world, self._spec, self._bullet, self._bodies = world, spec, bullet, bodies

    def rows(self, contacts: StepContacts) -> Iterator[tuple[int, int, Point]]:
        """Yield the row of each contact of the bullet, the body that it touches, and the unit normal onto the bullet."""
        for row, (a, b) in enumerate(zip(contacts.body_a.tolist(), contacts.body_b.tolist(), strict=True)):
            other, sign = (b, -1.0) if a == self._bullet else (a, 1.0)
            if self._bullet in (a, b) and other in self._bodies:
                x, y = contacts.normal[row].tolist()
                yield row, other, (sign * x, sign * y)

    def first(self, piece: Piece, before: Point, step: int, felt: Sequence[Impact]) -> Impact | None:
        """Return the first contact in a piece of a step, `step` steps being completed.

        `before` is the bullet's center where the piece began, `felt` all that our swept test found so far.
        """
        dt, contacts = 1.0 / self._spec.hertz, piece.contacts
        impacts: list[Impact] = []
        for row, other, normal in self.rows(contacts):
            if contacts.in_toi[row]:
                continue  # the row has the last of the pair's moments; the first comes below
            x, y, _ = (contacts.pose_a if int(contacts.body_a[row]) == self._bullet else contacts.pose_b)[row].tolist()
            point = (float(contacts.position[row, 0, 0]), float(contacts.position[row, 0, 1]))
            time, fraction = (step + piece.start) * dt, piece.start
            ours = next((each for each in reversed(felt) if each.body == other), None)
            if ours is not None:  # a piece begins where our swept test found it; where the bullet was put there, a little before
                time, fraction = ours.time, ours.fraction
            impacts.append(Impact(other, step, fraction, time, (x, y), point, normal, ours is not None))
        inside = self._first_inside(piece, before, step)
        if inside is not None:
            impacts.append(inside)
        impacts += [impact for impact in piece.impacts if impact.sensor and impact.body in self._bodies]
        if impacts:
            return min(impacts, key=lambda impact: impact.time)
        for event in contacts.began:
            struck = event.body_b if event.body_a == self._bullet else event.body_a
            if self._bullet in (event.body_a, event.body_b) and struck in self._bodies:
                # a sensor, felt where the piece began; or touched and let go again within one step: no manifold is left to look at
                at = (step + piece.start) * dt
                return Impact(struck, step, piece.start, at, before, in_toi=not event.sensor, sensor=event.sensor)
        return None

    def _first_inside(self, piece: Piece, before: Point, step: int) -> Impact | None:
        """Return the first impact with a panel that the solver found inside the piece.

        Its point and normal are computed here, from the poses: of a pair that met several times, Box2D keeps the last contact.
        """
        world = self._world
        for moment in world.impact_moments:
            a, b = world.fixture(moment.fixture_a), world.fixture(moment.fixture_b)
            other, pose_of_other, pose = (a, moment.pose_a, moment.pose_b) if b.body == self._bullet else (b, moment.pose_b, moment.pose_a)
            if self._bullet not in (a.body, b.body) or other.body not in self._bodies:
                continue
            center = pose[:2]
            fraction = min(piece.start + self._traveled(before, center, other.body, pose_of_other[:2]), piece.end)
            own = b if other is a else a
            gap = query.distance(other.shape, Transform(pose_of_other[:2], pose_of_other[2]), own.shape, Transform(center, pose[2]))
            time = (step + fraction) / self._spec.hertz
            return Impact(other.body, step, fraction, time, center, _between(gap.point_a, gap.point_b), gap.normal)
        return None

    def _traveled(self, before: Point, center: Point, other: int, place_of_other: Point) -> float:
        """Return the share of a step after which the two had these places, by the way of the one that moves farther in a step."""
        spec = self._spec
        if spec.travel >= abs(spec.target_travel):
            return math.dist(before, center) / spec.travel if spec.travel > 0.0 else 0.0
        start = self._world.previous_poses[self._world.row_of(other)]
        return math.dist(start[:2].tolist(), place_of_other) / abs(spec.target_travel)


def dot(a: Point, b: Point) -> float:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1]


def _between(a: Point | None, b: Point | None) -> Point | None:
    return None if a is None or b is None else (0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]))
