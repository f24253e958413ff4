"""When does the bullet go through? Derived, not simulated.

**Discrete steps.** Box2D looks for contacts where the last step left the bodies: at x_k = x_0 + k d, and nowhere between. With
a target of thickness w about x = 0, a bullet of radius r and the skin s = 0.01 m of the target's polygon it makes contact
points where the bullet's surface is within the skin of the target's, `|x_k| <= w/2 + r + s =: reach`. The contact's normal is
that of the *nearest face*, so that the middle plane divides::

            caught: pushed back      |   helped through
        |----------------------------|----------------------------|---------->  x
     -reach      front face          0          far face       +reach

    x_k in [-reach, 0)   the normal faces the bullet: its whole approach speed is taken in one solve, however deep it is
    x_k in (0, reach]    the bullet flies away along the normal: nothing takes its speed, the penetration is even
                         pushed out at the far side

So the first position inside the zone decides, and the bullet is caught exactly if one of its positions lies in [-reach, 0).
(A contact within the skin, at a positive gap, stops it just the same: the solver lets nothing approach along a contact.)
With a phase uniform in one step's travel d this has the chance min(1, reach / d), whereas *some* contact is reported with
min(1, 2 reach / d): about twice as often. A target that is free to move is at rest until then, so the rule is the same.

**Continuous, with the bullet flag.** `b2TimeOfImpact` is asked about the whole way of each step and puts the bullet at the
target's front, so it never goes through, at any speed.

**The cap.** d is at most 2 m, because Box2D shortens the velocity of anything faster.

The rule is derived for a wall and for a free plate at rest. It holds for the hinged plate and the stack as long as they stand
still and their nearest face is the front one when the bullet arrives; a plate that a hit spins by more than the pi/2 a step that
Box2D allows can be overtaken even with CCD.

Positions are those that Box2D's own float32 additions give, since at the border of the zone a rounding decides.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from engine import query
from engine.common.limits import MAX_TRANSLATION_PER_STEP
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.contracts import Status
from engine.experiments.spec import ShotSpec
from engine.geometry import Circle, Shape, Transform

__all__ = ["first_touch", "predicts_tunnel", "tunnel_chance"]


def predicts_tunnel(spec: ShotSpec) -> bool:
    """Tell whether the bullet of this very shot will go through a target that is at rest at x = 0."""
    if spec.ccd or spec.travel == 0.0:
        return False
    x, travel = np.float32(spec.direction * spec.muzzle), _float32_travel(spec)
    half, skin = np.float32(0.5 * spec.thickness), np.float32(BOX2D_POLYGON_SKIN) + np.float32(spec.radius)
    while x < 0.0:
        if -x - half <= skin:
            return False
        x += travel
    return True


def tunnel_chance(spec: ShotSpec) -> float:
    """Return the share of shots that go through when the phase is uniform: ``max(0, 1 - reach / d)``, 0 with CCD."""
    if spec.ccd or spec.travel == 0.0:
        return 0.0
    return max(0.0, 1.0 - spec.reach / spec.travel)


def first_touch(spec: ShotSpec, targets: Iterable[tuple[Shape, Transform]], t_max: float) -> float | None:
    """Return the seconds from the shot after which the bullet, on its straight way, first touches one of the targets.

    Exact, by our swept test (`engine.query.swept_contact`), for targets at rest at the given poses, skins included; None
    if it touches none before `t_max`. The speed is the one the bullet has under Box2D's cap.
    """
    bullet = Circle(float(np.float32(spec.radius)))
    start = Transform((float(np.float32(spec.muzzle)), 0.0))
    velocity = (spec.direction * spec.flown_speed, 0.0)
    times = []
    for shape, pose in targets:
        found = query.swept_contact(shape, pose, (0.0, 0.0), bullet, start, velocity, t_max)
        if found.status in (Status.HIT, Status.OVERLAPPING):
            times.append(found.t_first)
    return min(times, default=None)


def _float32_travel(spec: ShotSpec) -> np.float32:
    """Return the step's way as `b2Island::Solve` computes it: ``h v``, and v shortened where ``(h v)^2 > 4``."""
    h, v, longest = np.float32(1.0 / spec.hertz), np.float32(spec.speed), np.float32(MAX_TRANSLATION_PER_STEP)
    way = h * v
    if way * way > longest * longest:
        way = h * (v * (longest / way))
    return way
