"""Watching a shot, step by step: where the bullet was, what it touched, whether it came out at the back."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from engine.box2d import World
from engine.contracts import StepContacts
from engine.experiments.range import Panel
from engine.experiments.spec import ShotSpec
from engine.geometry import Transform

__all__ = ["Impact", "ShotWatch"]

Point = tuple[float, float]

_TURN = 0.05
"""Radians. At 1 m from a panel's middle, the chord of such a turn lies within 0.3 mm of the arc."""


@dataclass(frozen=True, slots=True)
class Impact:
    """Box2D reported contact points between bullet and target.

    Attributes
    ----------
    step : int
        Steps completed when the manifold's poses were reached or passed: the poses lie at the end of this step, or between it
        and the next where `in_toi`.
    time : float
        Seconds from the shot at which the bodies had those poses.
    center : pair of float
        The bullet's centre then.
    point : pair of float or None
        The (first) contact point.
    pushes_back : bool
        Whether the normal, as it acts on the bullet, points against its flight.
    in_toi : bool
        Found by continuous physics inside a step; otherwise seen where a step had left the bodies.
    """

    step: int
    time: float
    center: Point
    point: Point | None
    pushes_back: bool
    in_toi: bool


class ShotWatch:
    """What one shot did so far; call `observe` after each step of the world.

    Parameters
    ----------
    world : World
        Between two steps, the bullet at the muzzle.
    spec : ShotSpec
    bullet : int
        Its body.
    panels : iterable of Panel
        What it may tunnel through.

    Attributes
    ----------
    positions : list of (x, y)
        The bullet's centre after 0, 1, 2... steps.
    hit : Impact or None
        The first contact with a panel.
    stop : Impact or None
        The first whose normal pushed the bullet back.
    jump : int or None
        The step number k after which the bullet came to lie behind: between positions k and k + 1 its centre passed a
        panel's far face, in the panel's own frame and within the panel's height.
    """

    def __init__(self, world: World, spec: ShotSpec, bullet: int, panels: Iterable[Panel]) -> None:
        self.spec = spec
        self.bullet = bullet
        self.panels = tuple(panels)
        self.hit: Impact | None = None
        self.stop: Impact | None = None
        self.jump: int | None = None
        self._world = world
        self._bodies = {panel.body for panel in self.panels}
        self.positions: list[Point] = [world.state(bullet).position]

    @property
    def steps(self) -> int:
        """Steps watched."""
        return len(self.positions) - 1

    def observe(self, contacts: StepContacts) -> None:
        """Take in the step that the world just made."""
        before = self.positions[-1]
        self.positions.append(self._world.state(self.bullet).position)
        impact = self._impact(contacts, before)
        if impact is not None:
            self.hit = self.hit or impact
            if impact.pushes_back:
                self.stop = self.stop or impact
        if self.jump is None and any(self._passed(panel, before) for panel in self.panels):
            self.jump = self.steps - 1

    def _passed(self, panel: Panel, before: Point) -> bool:
        """Tell whether in this step the bullet's centre passed the panel's far face from the near side, within its height.

        Both move on from the last step's poses to the present ones, evenly, as Box2D's sweeps do. In the panel's frame, mirrored
        for a flight to the left, the bullet's way is then a straight line where the panel does not turn; where it does, a
        curve, followed in pieces of at most `_TURN` of the panel's angle.
        """
        row = self._world.row_of(panel.body)
        start, end = self._world.previous_poses[row], self._world.poses[row]
        after, direction = self.positions[-1], self.spec.direction
        n_pieces = 1 + int(abs(float(end[2] - start[2])) / _TURN)
        was: Point | None = None
        for k in range(n_pieces + 1):
            share = k / n_pieces
            x, y, angle = ((1.0 - share) * start + share * end).tolist()
            center = ((1.0 - share) * before[0] + share * after[0], (1.0 - share) * before[1] + share * after[1])
            local = Transform((x, y), angle).apply_inverse(center)
            here = (direction * local[0], local[1])
            if was is not None and _crosses(panel, was, here):
                return True
            was = here
        return False

    def _impact(self, contacts: StepContacts, before: Point) -> Impact | None:
        step = self.steps - 1
        dt = 1.0 / self.spec.hertz
        for row in range(len(contacts)):
            a, b = int(contacts.body_a[row]), int(contacts.body_b[row])
            if self.bullet not in (a, b) or (b if a == self.bullet else a) not in self._bodies:
                continue
            pose, sign = (contacts.pose_b[row], 1.0) if b == self.bullet else (contacts.pose_a[row], -1.0)
            center = (float(pose[0]), float(pose[1]))
            in_toi = bool(contacts.in_toi[row])
            travelled = math.dist(before, center) / self.spec.travel if in_toi and self.spec.travel > 0.0 else 0.0
            point = (float(contacts.position[row, 0, 0]), float(contacts.position[row, 0, 1]))
            pushes_back = sign * float(contacts.normal[row, 0]) * self.spec.direction < 0.0
            return Impact(step, (step + min(travelled, 1.0)) * dt, center, point, pushes_back, in_toi)
        for event in contacts.began:  # touched and let go again within one step: no manifold is left to look at
            if self.bullet in (event.body_a, event.body_b) and self._bodies & {event.body_a, event.body_b}:
                return Impact(step, step * dt, before, None, False, True)
        return None


def _crosses(panel: Panel, was: Point, here: Point) -> bool:
    """Tell whether the straight way from `was` to `here`, panel's frame, leaves through its far face."""
    far = panel.half_thickness
    if not was[0] <= far < here[0]:
        return False
    fraction = (far - was[0]) / (here[0] - was[0])
    return abs(was[1] + fraction * (here[1] - was[1])) <= panel.half_height
