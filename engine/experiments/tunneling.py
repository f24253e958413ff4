"""When does the bullet go through? In closed form for a share of shots, and replayed in float32 for a single one; never simulated.

**The phase.** A step of h seconds carries the bullet by d meters along the target's normal, seen from the target. The positions that
steps leave are ``x_k = x_0 + k d``; where they fall is luck, x_0 uniform over d. A stretch of length L of the x axis holds one of them
with the probability min(1, L / d), and for d > L never two.

**Seen.** Box2D looks for contacts where a step ends, and makes contact points where both surfaces, skins included, overlap: the bullet's
center within ``reach = w / 2 + s + skins`` of the middle of a target of thickness w, s being the bullet's half width along the normal::

                    seen: 2 reach
        |<--------------------------------->|
        |     caught      |     let out     |
        |<----- reach --->|<---- reach ---->|
     ---+-----|###########|###########|-----+---------> x      hit = min(1, 2 reach / d)
      -reach  front       0         back  reach                caught = min(1, reach / d)

**Caught.** The contact's normal is that of the nearest face. Before the middle it points against the flight: one solve takes the whole
approach speed, however deep the bullet is. Past the middle it points along the flight: there is nothing to take, and the position
correction even pushes the bullet out at the back. So the first position in the zone decides, and::

        tunneled = max(0, 1 - reach / d)        which is 0 exactly up to d = reach, and not up to d = 2 reach

**What changes d.** Box2D shortens the way of any body to 2 m a step, keeping its direction. At an angle a against the normal only
``cos a`` of the way leads through. A moving target adds its own way, also capped::

        d = min(v h, 2 m) cos a + min(u h, 2 m) sign(u)           u > 0: the target comes toward the bullet

**What changes reach.** A disc stretches by its radius r and has no skin: one skin counts, the wall's. A box stretches by
``r (|cos b| + |sin b|)``, r half its side and b its angle against the wall, and two skins count.

**A box that meets the wall with a corner.** Turned by b, at most 45 degrees after right angles are taken away, its next corner lies
``2 r sin b`` behind the first. If its step ends where only the first is in the zone, one contact at the lever arm ``l = r (cos b - sin b)``
takes the corner's speed, not the box's, which keeps ``k = q / (1 + q)`` of it, with ``q = m l^2 / I = 1.5 (l / r)^2``::

        impulse J: (J / m) for the box, J l / I for its spin;  v - J / m - J l^2 / I = 0  at the corner  =>  v - J / m = v q / (1 + q)

If the next step, k d, ends past the middle, the box is out. So a stretch at the zone's near end is lost,

        from  zone - min(2 r sin b, d)  to  min(zone, k d)  before the middle          (`corner_probability`: its length / d)

What the spin does before that step ends, and friction, are left out; the first is capped by Box2D at pi/2 a step.

**A free plate** of mass M is at rest until it is struck, so the same zone decides. Caught, both go on together: of its speed the bullet
keeps ``(m - e M) / (m + M)``, e the restitution, and the plate is as fast or faster: pushed ahead, and never tunneled.

**Rules that look between the steps** ask about the whole way: nothing goes through, at any speed. With the bullet flag that is each
target, by default each that is not dynamic. Our sub-steps make ``d <= min(2 r, w) <= reach``, as the smaller of two numbers is at most
their mean; our swept test puts the bullet at the front. **A sensor** stops nothing; it is felt where some step ends in an overlap, whatever
Box2D's switches.

**Single shots** have a law for a wall, a free plate and another bullet hit in the middle. For the blade, boxes at an angle, and plates off
the middle or at an angle the answer is None, never a guess. Positions are those that Box2D's float32 additions give, as a rounding decides
at the zone's border.

Functions of numbers take arrays too, which broadcast; lengths in meters, angles in radians, speeds in m/s.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray
from engine.common.limits import MAX_TRANSLATION_PER_STEP
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.experiments.spec import ShotSpec

__all__ = [
    "approach",
    "capped_velocity",
    "corner_probability",
    "corner_tunnels",
    "hit_chance",
    "hit_probability",
    "kept_speed",
    "may_tumble",
    "predicts_hit",
    "predicts_tunnel",
    "probabilities",
    "reach",
    "standard_errors",
    "step_way",
    "tunnel_chance",
    "tunnel_probability",
    "tunnels_by_phase",
    "way_and_zone",
]

Numbers = FloatArray | float

_BOX_ARM = 1.5
"""Ratio. m r^2 / I of a square box of half side r: I = m (2 r)^2 / 6."""


def step_way(speed: Numbers, hertz: Numbers, longest: float = MAX_TRANSLATION_PER_STEP) -> FloatArray:
    """Return the meters that a body moves in a step: ``speed / hertz``, at most `longest`, with Box2D 2, with the speed's sign."""
    return np.clip(np.asarray(speed, np.float64) / hertz, -longest, longest)


def approach(
    speed: Numbers, hertz: Numbers, angle: Numbers = 0.0, target_speed: Numbers = 0.0, longest: float = MAX_TRANSLATION_PER_STEP
) -> FloatArray:
    """Return d: the meters by which bullet and target come nearer in a step, along the normal.

    `angle` is that of the flight against the normal, below a right angle; `target_speed` is positive toward the bullet.
    """
    way: FloatArray = step_way(speed, hertz, longest) * np.cos(angle) + step_way(target_speed, hertz, longest)
    return way


def reach(thickness: Numbers, radius: Numbers, shape: str = "disc", turned: Numbers = 0.0, skin: float = BOX2D_POLYGON_SKIN) -> FloatArray:
    """Return the distance of the bullet's center from a wall's middle within which Box2D makes contact points.

    `thickness` is the wall's without skins, each of which is `skin`; a "box" has half the side `radius` and is `turned` against the wall.
    """
    half = 0.5 * np.asarray(thickness, np.float64)
    if shape == "box":
        width = radius * (np.abs(np.cos(turned)) + np.abs(np.sin(turned)))
        return np.asarray(half + width + 2.0 * skin)
    return np.asarray(half + radius + skin)


def hit_probability(way: Numbers, zone: Numbers) -> FloatArray:
    """Return ``min(1, 2 zone / way)``, of `approach` and `reach`: some step sees a contact; 0 where they do not come nearer."""
    return _share(2.0 * np.asarray(zone), way)


def tunnel_probability(way: Numbers, zone: Numbers) -> FloatArray:
    """Return ``max(0, 1 - zone / way)``: the bullet goes through; 0 where they do not come nearer."""
    return np.where(np.asarray(way) > 0.0, 1.0 - _share(zone, way), 0.0)


def tunnels_by_phase(way: Numbers, zone: Numbers, phase: FloatArray) -> NDArray[np.bool_]:
    """Return for each phase whether that very shot goes through: no step ends in the caught half.

    The last step before the middle plane leaves the bullet ``phase * way`` short of it; at the zone's border Box2D's float32 decides.
    """
    through: NDArray[np.bool_] = (np.asarray(way) > 0.0) & (phase * np.asarray(way) > zone)
    return through


def corner_probability(way: Numbers, zone: Numbers, radius: Numbers, turned: Numbers) -> FloatArray:
    """Return the probability that a box is first seen with one corner in the zone, and tumbles over the middle; see the module."""
    near, far = _lost_stretch(way, zone, radius, turned)
    return _share(np.maximum(0.0, far - near), way)


def corner_tunnels(way: Numbers, zone: Numbers, radius: Numbers, turned: Numbers, phase: FloatArray) -> NDArray[np.bool_]:
    """Return for each phase whether that very box does so."""
    step = np.asarray(way, np.float64)
    short = phase * step
    first = short + np.floor((zone - short) / step) * step  # before the middle, of the first position in the caught half
    near, far = _lost_stretch(way, zone, radius, turned)
    lost: NDArray[np.bool_] = (short <= zone) & (first > near) & (first < far)
    return lost


def _lost_stretch(way: Numbers, zone: Numbers, radius: Numbers, turned: Numbers) -> tuple[FloatArray, FloatArray]:
    """Return both ends of the stretch, meters before the middle; empty where the first is the larger."""
    quarter = 0.5 * np.pi
    b = np.abs(np.mod(np.asarray(turned) + 0.5 * quarter, quarter) - 0.5 * quarter)
    q = _BOX_ARM * (np.cos(b) - np.sin(b)) ** 2
    near = zone - np.minimum(2.0 * np.asarray(radius) * np.sin(b), way)
    return np.asarray(near), np.minimum(zone, q / (1.0 + q) * np.asarray(way))


def kept_speed(bullet_mass: Numbers, plate_mass: Numbers, restitution: Numbers = 0.0) -> FloatArray:
    """Return the share of its speed that a bullet keeps when a free plate catches it; negative when it is thrown back."""
    m, plate = np.asarray(bullet_mass, np.float64), np.asarray(plate_mass, np.float64)
    return np.asarray((m - restitution * plate) / (m + plate))


def standard_errors(measured: Numbers, predicted: Numbers, n_shots: int) -> FloatArray:
    """Return by how many standard errors of the *prediction* a measured share of `n_shots` differs; infinite where it must not differ."""
    wrong = np.abs(np.asarray(measured, np.float64) - predicted)
    error = np.sqrt(np.asarray(predicted, np.float64) * (1.0 - np.asarray(predicted)) / n_shots)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(wrong == 0.0, 0.0, wrong / error)


def _share(length: Numbers, way: Numbers) -> FloatArray:
    """Return the probability that a stretch of this length holds one of the positions."""
    step = np.asarray(way, np.float64)
    moves = step > 0.0
    return np.where(moves, np.minimum(1.0, np.asarray(length, np.float64) / np.where(moves, step, 1.0)), 0.0)


def probabilities(spec: ShotSpec, changes: Mapping[str, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Return the probabilities to hit and to tunnel of shots like `spec`, some of its numbers replaced by arrays."""
    way, zone = way_and_zone(spec, changes)
    hit, tunneled = _hit_and_tunneled(spec, way, zone)
    if may_tumble(spec) and not _finds_contact(spec):
        turned, radius = (np.asarray(changes.get(name, getattr(spec, name)), np.float64) for name in ("angle", "radius"))
        tunneled = tunneled + corner_probability(way, zone, radius, turned)
    return hit, tunneled


def way_and_zone(spec: ShotSpec, changes: Mapping[str, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Return `approach` and `reach` of shots like `spec`, some of its numbers replaced by arrays."""

    def number(name: str) -> FloatArray:
        return np.asarray(changes.get(name, getattr(spec, name)), np.float64)

    longest = MAX_TRANSLATION_PER_STEP if spec.is_box2d else np.inf
    oncoming = number("target_speed") if spec.target in ("kinematic", "head_on") else 0.0
    if spec.target == "head_on":  # both fly along one line, face to face: no angle matters, and the other is as thick as the bullet
        way = approach(number("speed"), number("hertz"), 0.0, oncoming, longest)
        zone = reach(2.0 * number("radius"), number("radius"), spec.shape, skin=spec.skin)
        zone = zone - spec.skin if spec.shape == "disc" else zone
    else:
        way = approach(number("speed"), number("hertz"), number("angle"), oncoming, longest)
        zone = reach(number("thickness"), number("radius"), spec.shape, number("angle"), spec.skin)
    way, zone = np.broadcast_arrays(way, zone + spec.contact_margin)
    return way, zone


def may_tumble(spec: ShotSpec) -> bool:
    """Return True if the bullet is a box that may meet its target with a corner ahead; it is turned with its flight."""
    return spec.shape == "box" and spec.target in ("static", "kinematic")


def _hit_and_tunneled(spec: ShotSpec, way: Numbers, zone: Numbers) -> tuple[FloatArray, FloatArray]:
    arrives = (np.asarray(way) > 0.0).astype(np.float64)
    finds_contact = _finds_contact(spec)
    hit = arrives if finds_contact else hit_probability(way, zone - 0.5 * (spec.reach - spec.reach_behind))
    if spec.target == "sensor":
        return hit, arrives
    return hit, np.zeros_like(arrives) if finds_contact else tunnel_probability(way, zone)


def _finds_contact(spec: ShotSpec) -> bool:
    """Return True if a shot's rule finds every contact with its target, between the steps too."""
    return spec.rule in ("substeps", "swept") or spec.looks_between_steps


def predicts_tunnel(spec: ShotSpec) -> bool | None:
    """Return True if the bullet of this very shot will go through; None where that is not derived."""
    if spec.closing <= 0.0 or spec.target == "sensor":
        return spec.closing > 0.0
    if not spec.is_box2d and spec.looks_between_steps:
        return False
    if not _is_derived(spec):
        return None
    return False if _finds_contact(spec) else not _is_seen(spec, False)


def predicts_hit(spec: ShotSpec) -> bool | None:
    """Return True if some contact with the target will be reported in this very shot; None where that is not derived."""
    if spec.closing <= 0.0:
        return False
    if not _is_derived(spec):
        return None
    return _finds_contact(spec) or _is_seen(spec, True)


def tunnel_chance(spec: ShotSpec) -> float | None:
    """Return the share of shots that go through when the phase is uniform; None where not derived."""
    looks_at_all = not spec.is_box2d and spec.looks_between_steps
    if spec.closing <= 0.0 or spec.target == "sensor" or looks_at_all or _is_derived(spec):
        return float(_hit_and_tunneled(spec, spec.closing, spec.reach)[1])
    return None


def hit_chance(spec: ShotSpec) -> float | None:
    """Return the share of shots for which a contact is reported when the phase is uniform; None where not derived."""
    if not _is_derived(spec):
        return None
    return float(_hit_and_tunneled(spec, spec.closing, spec.reach)[0])


def _is_derived(spec: ShotSpec) -> bool:
    if spec.rule == "substeps" and spec.closing / spec.most_substeps > spec.reach:  # too fast for the shortest steps there are
        return False
    if spec.target in ("static", "kinematic", "sensor"):  # the wall is no higher than it must be where they should meet
        flies_flat = spec.shape == "disc" or spec.angle == 0.0
        return flies_flat and (spec.angle == 0.0 or spec.meets_at_center)
    if spec.target == "head_on":
        return True
    return spec.target == "dynamic" and spec.angle == 0.0 and spec.height == 0.0


def _is_seen(spec: ShotSpec, behind: bool) -> bool:
    """Return True if contact points are made where some step ends, before the target's middle and perhaps behind it."""
    exact: Any = np.float32 if spec.is_box2d else np.float64
    x, ahead = exact(spec.direction * spec.start[0]), exact(spec.direction * spec.target_start[0])
    way, back = (_way_of_step(spec, *velocity) * exact(spec.direction) for velocity in (spec.velocity, spec.target_velocity))
    if spec.target == "head_on":  # along the line of flight, which is x where it is not slanted
        x, ahead = exact(-spec.run_up), exact(spec.gap - spec.run_up)
        way, back = _way_of_step(spec, spec.speed, 0.0), _way_of_step(spec, -spec.target_speed, 0.0)
    half = exact(spec.half_target)
    rest, rest_behind = (exact(reached - spec.half_target) for reached in (spec.reach, spec.reach_behind))
    while x < ahead or (behind and x - ahead - half <= rest_behind):
        if abs(x - ahead) - half <= (rest if x < ahead else rest_behind):
            return True
        if x + way == x and ahead + back == ahead:  # slower than its numbers can tell: nothing moves
            return False
        x, ahead = x + way, ahead + back
    return False


def _way_of_step(spec: ShotSpec, vx: float, vy: float) -> Any:
    """Return the step's way along x, as the solver computes it."""
    hertz = spec.hertz
    if not spec.is_box2d:
        return np.float64(vx / hertz)
    return np.float32(np.float32(1.0 / hertz) * capped_velocity(np.float32(vx), np.float32(vy), hertz)[0])


def capped_velocity(vx: np.float32, vy: np.float32, hertz: float) -> tuple[np.float32, np.float32]:
    """Return the velocity, m/s, with which a body moves a step, as `b2Island::Solve` computes it: shortened where ``(h v)^2 > 4``."""
    h, longest = np.float32(1.0 / hertz), np.float32(MAX_TRANSLATION_PER_STEP)
    square = (h * vx) * (h * vx) + (h * vy) * (h * vy)
    if square <= longest * longest:
        return vx, vy
    share = longest / np.sqrt(square)
    return share * vx, share * vy
