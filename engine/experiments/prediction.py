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

**At an angle** only the way along the normal tells, and a disc that is caught slides along the wall. **A wall that moves**, another bullet
that comes head-on: what tells is their way together, seen from the target, with x_k its distance. **A post** met head-on is a wall for
which the disc alone stands, without skin. **A box** with a face ahead reaches as far as the disc of its half side, plus its own skin;
one that flies at an angle meets with a corner, is turned by it, and keeps part of its speed: not derived. **Sub-steps** of ours are
shorter than the caught half of the zone, and our **swept** rule looks at the whole way: neither lets anything through. **A sensor**
stops nothing, so everything goes through it; the question is whether it is felt, by an overlap where some step ends, whatever
Box2D's switches: its search for impacts passes sensors over.

The rule is derived for a wall and for a free plate at rest, hit in its middle. It holds for the hinged plate and the stack as long as
they stand still and their nearest face is the front one when the bullet arrives; a plate that a hit spins by more than the pi/2 a step
that Box2D allows can be overtaken even with CCD. For the spinning blade and the chain nothing is said, and so for plates off the middle
or at an angle: the answer is None, never a guess. Nor for a hanging plate that the hit flings
against its stop within a step; nor for a stack of planks thinner than a slop, which do not stand (measured: 0.3 m in
a second), and within a slop of the zone's border, because a stack works a little while it stands.

Positions are those that Box2D's own float32 additions give, since at the border of the zone a rounding decides.
"""

from __future__ import annotations

import numpy as np

from engine.common.limits import MAX_TRANSLATION_PER_STEP
from engine.common.tolerances import LINEAR_SLOP
from engine.experiments import law
from engine.experiments.impact import looks_between_steps
from engine.experiments.range import SWING, TARGET_DENSITY, bullet_mass, plate_half_height
from engine.experiments.spec import ShotSpec
from engine.geometry import Polygon

__all__ = ["hit_chance", "predicts_hit", "predicts_tunnel", "tunnel_chance"]


def predicts_tunnel(spec: ShotSpec) -> bool | None:
    """Tell whether the bullet of this very shot will go through; None where that is not derived."""
    if spec.closing <= 0.0:
        return False
    if spec.target == "sensor":
        return True
    if not _is_derived(spec):
        return None
    if _is_watched(spec):
        return False
    return None if spec.rule == "substeps" else _same(*(not _is_seen(spec, False, slack) for slack in _slacks(spec)))


def predicts_hit(spec: ShotSpec) -> bool | None:
    """Tell whether some contact with the target will be reported in this very shot; None where that is not derived."""
    if spec.closing <= 0.0:
        return False
    if not _is_derived(spec):
        return None
    if _is_watched(spec):
        return True
    if spec.rule == "substeps":
        return None
    seen = _same(*(_is_seen(spec, True, slack) for slack in _slacks(spec)))
    return None if spec.target == "posts" and not seen else seen  # another post stands behind the first


def tunnel_chance(spec: ShotSpec) -> float | None:
    """Return the share of shots that go through when the phase is uniform: ``max(0, 1 - reach / d)``; None where not derived."""
    if spec.closing <= 0.0 or spec.target == "sensor":
        return float(spec.closing > 0.0)
    if not _is_derived(spec) or (spec.rule == "substeps" and not _is_watched(spec)):
        return None
    return 0.0 if _is_watched(spec) else float(law.tunnel_chance(spec.closing, spec.reach))


def hit_chance(spec: ShotSpec) -> float | None:
    """Return the share of shots for which a contact is reported when the phase is uniform: ``min(1, 2 reach / d)``; or None."""
    if not _is_derived(spec) or (spec.rule == "substeps" and not _is_watched(spec)) or spec.target == "posts":
        return None
    if spec.closing <= 0.0 or _is_watched(spec):
        return float(spec.closing > 0.0)
    return float(law.hit_chance(spec.closing, spec.reach))


def _is_derived(spec: ShotSpec) -> bool:
    flies_flat = spec.shape == "disc" or spec.angle == 0.0
    if spec.target in ("static", "kinematic", "sensor"):  # the wall is no higher than it must be where they should meet
        return flies_flat and (spec.angle == 0.0 or spec.meets_at_center)
    if spec.target == "head_on":
        return True
    if (spec.target == "stack" and spec.thickness < LINEAR_SLOP) or (spec.target == "hinged" and _slams(spec)):
        return False
    return spec.target in ("dynamic", "hinged", "stack", "posts") and spec.angle == 0.0 and spec.height == 0.0


def _slams(spec: ShotSpec) -> bool:
    """Tell whether the hit flings the hanging plate against its stop within one step, where the solver lets much through.

    The bullet strikes at half of the plate's height, L under the hinge: ``w = (1 + e) m v L / (I + m L^2)`` is the angular velocity
    that it leaves, I being the plate's inertia about the hinge.
    """
    half_height, mass = plate_half_height(spec), bullet_mass(spec)
    plate = Polygon.box(spec.half_target, half_height).mass(TARGET_DENSITY)
    about_hinge = plate.inertia + plate.mass * half_height * half_height
    lever = mass * half_height
    return (1.0 + spec.restitution) * spec.flown_speed * lever / (about_hinge + lever * half_height) / spec.hertz >= SWING


def _is_watched(spec: ShotSpec) -> bool:
    """Tell whether no way of the bullet's remains on which the rule would not notice the target in time."""
    if spec.rule == "substeps":
        return spec.closing / spec.most_substeps <= spec.reach
    return spec.rule == "swept" or looks_between_steps(spec)


def _slacks(spec: ShotSpec) -> tuple[float, ...]:
    """Return by how much the reach may be off, metres: a stack works by less than a slop while it stands."""
    return (-LINEAR_SLOP, LINEAR_SLOP) if spec.target == "stack" else (0.0,)


def _same(*answers: bool) -> bool | None:
    return answers[0] if len(set(answers)) == 1 else None


def _is_seen(spec: ShotSpec, behind: bool, slack: float) -> bool:
    """Tell whether Box2D makes contact points where some step ends, before the target's middle and perhaps behind it."""
    x, ahead = np.float32(spec.direction * spec.start[0]), np.float32(spec.direction * spec.target_start[0])
    way = _float32_way(spec.hertz, *spec.velocity) * np.float32(spec.direction)
    back = _float32_way(spec.hertz, *spec.target_velocity) * np.float32(spec.direction)
    if spec.target == "head_on":  # along the line of flight, which is x where it is not slanted
        x, ahead = np.float32(-spec.run_up), np.float32(spec.gap - spec.run_up)
        way, back = _float32_way(spec.hertz, spec.speed, 0.0), _float32_way(spec.hertz, -spec.target_speed, 0.0)
    half, rest = np.float32(spec.half_target), np.float32(spec.reach - spec.half_target + slack)
    while x < ahead or (behind and x - ahead - half <= rest):
        if abs(x - ahead) - half <= rest:
            return True
        if x + way == x and ahead + back == ahead:  # slower than float32 can tell: nothing moves
            return False
        x, ahead = x + way, ahead + back
    return False


def _float32_way(hertz: float, vx: float, vy: float) -> np.float32:
    """Return the step's way along x as `b2Island::Solve` computes it: ``h v``, and v shortened where ``(h v)^2 > 4``."""
    h, x, y, longest = np.float32(1.0 / hertz), np.float32(vx), np.float32(vy), np.float32(MAX_TRANSLATION_PER_STEP)
    squared = (h * x) * (h * x) + (h * y) * (h * y)
    if squared > longest * longest:
        x *= longest / np.sqrt(squared)
    return np.float32(h * x)
