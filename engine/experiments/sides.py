"""Which side of a panel is the bullet on, and did it go through? Judged in the panel's own frame.

The bullet has a near side, where it was last outside. It is through when it leaves by the other face, within the panel's height;
round the end it only changes sides. A post has no faces: there the middle plane across the flight divides, within the post.

                 |#|                        through: in by the near face, out by the far one
      near  o----|#|----> o  far            ^
                 |#|                        |  round the end: the sides are exchanged
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from engine.experiments.range import Panel
from engine.experiments.spec import ShotSpec
from engine.geometry import Transform
from engine.world import World

__all__ = ["TURN", "Sides"]

Point = tuple[float, float]

TURN = 0.05
"""Radians. At 1 m from a panel's middle, the chord of such a turn lies within 0.3 mm of the arc."""


class Sides:
    """The near side of each panel, kept up to date; call `passed` for each panel after each step or piece of one.

    Parameters
    ----------
    world : World
    spec : ShotSpec
    panels : iterable of Panel
    bullet : (x, y)
        The bullet's centre at present.
    """

    def __init__(self, world: World, spec: ShotSpec, panels: Iterable[Panel], bullet: Point) -> None:
        self._world, self._direction = world, spec.direction
        self._flight = spec.direction * math.cos(spec.angle), -math.sin(spec.angle)
        self._near: dict[int, float] = {}
        for panel in panels:
            x, y, angle = world.poses[world.row_of(panel.body)].tolist()
            self._near[panel.body] = math.copysign(1.0, self._local(panel, (x, y, angle), bullet)[0])

    def passed(self, panel: Panel, before: Point, after: Point) -> bool:
        """Tell whether in the last step the bullet's centre left the panel by its far side, within its height.

        Both move on from the last poses to the present ones, evenly, as Box2D's sweeps do. In the panel's frame the bullet's
        way is then a straight line where the panel does not turn; where it does, a curve, followed in pieces of at most
        `TURN` of the panel's angle.
        """
        row = self._world.row_of(panel.body)
        start, end = self._world.previous_poses[row], self._world.poses[row]
        n_pieces = 1 + int(abs(float(end[2] - start[2])) / TURN)
        face = 0.0 if panel.is_round else panel.half_thickness
        was: Point | None = None
        for k in range(n_pieces + 1):
            share = k / n_pieces
            x, y, angle = ((1.0 - share) * start + share * end).tolist()
            center = ((1.0 - share) * before[0] + share * after[0], (1.0 - share) * before[1] + share * after[1])
            here = self._local(panel, (x, y, angle), center)
            near = self._near[panel.body]
            far = -near * face
            if was is not None and -near * (here[0] - far) > 0.0:  # beyond the far side now
                crossed = -near * (was[0] - far) <= 0.0
                fraction = (far - was[0]) / (here[0] - was[0]) if crossed else 0.0
                if crossed and abs(was[1] + fraction * (here[1] - was[1])) <= panel.half_height:
                    return True
                self._near[panel.body] = -near  # round the end
            was = here
        return False

    def is_before_far_face(self, panel: Panel, center: Point) -> bool:
        """Tell whether a place lies before the far face of the panel as it stood when the last step began."""
        x, y, angle = self._world.previous_poses[self._world.row_of(panel.body)].tolist()
        return self._local(panel, (x, y, angle), center)[0] * self._near[panel.body] > -panel.half_thickness

    def _local(self, panel: Panel, pose: tuple[float, float, float], center: Point) -> Point:
        """Return a place in the panel's frame, mirrored for a flight to the left; a disc's frame lies along the flight."""
        if panel.is_round:
            (fx, fy), dx, dy = self._flight, center[0] - pose[0], center[1] - pose[1]
            return fx * dx + fy * dy, self._direction * (fx * dy - fy * dx)
        x, y = Transform(pose[:2], pose[2]).apply_inverse(center)
        return self._direction * x, y
