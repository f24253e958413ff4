"""What share of shots goes through, in closed form: the laws that the atlas draws over the measured map.

**The phase.** A step of h seconds carries the bullet by d metres along the wall's normal, seen from the wall. Where the steps
fall is luck: the positions that the steps leave are ``x_k = x_0 + k d``, with x_0 uniform over d. So a stretch of length L of the
x axis holds one of them with the chance min(1, L / d), and for d > L never two.

**Seen.** Box2D makes contact points where the two surfaces, skins included, overlap: the bullet's middle within
``reach = w / 2 + s + skins`` of the wall's middle, s being how far the bullet stretches along the normal::

                    seen: 2 reach
        |<--------------------------------->|
        |     caught      |     let out     |
        |<----- reach --->|<---- reach ---->|
     ---+-----|###########|###########|-----+---------> x      hit = min(1, 2 reach / d)
      -reach  front       0         back  reach                caught = min(1, reach / d)

**Caught.** The contact's normal is that of the nearest face. Before the middle it points against the flight: one solve takes the
whole approach speed, however deep the bullet is. Past the middle it points along the flight; there is nothing to take, and the
position correction even pushes the bullet out at the back. The first position in the zone decides. If it is in the caught half, the
bullet stays. If it is in the other, the last position before lay before the zone, and the bullet is out. Hence::

        tunneled = max(0, 1 - reach / d)        which is 0 exactly up to d = reach, and not up to d = 2 reach

**What changes d.** Box2D shortens the way of any body to 2 m a step, keeping its direction. At an angle a against the normal only
the part ``cos a`` of the way leads through the wall. A moving wall adds its own way, also capped. What tells is the sum::

        d = min(v h, 2 m) cos a + min(u h, 2 m) sign(u)           u > 0: the wall comes towards the bullet

**What changes reach.** A disc stretches by its radius r and has no skin of its own, so that one skin counts: the wall's. A box
stretches by ``r (|cos b| + |sin b|)``, with r half its side and b its angle against the wall, and two skins count.

**A box that meets the wall with a corner.** Turned by b, at most 45 degrees after turning it by right angles, its next corner lies
``2 r sin b`` behind the first. If its step ends where only the first is in the zone, one contact at the lever arm ``l = r (cos b - sin b)``
takes the corner's speed, not the box's, which keeps ``k = q / (1 + q)`` of it, with ``q = m l^2 / I = 1.5 (l / r)^2``::

        impulse J: (J / m) for the box, J l / I for its spin;  v - J / m - J l^2 / I = 0  at the corner  =>  v - J / m = v q / (1 + q)

If the next step, k d, ends past the middle, the box is out. So a stretch at the zone's near end is lost,

        from  zone - min(2 r sin b, d)  to  min(zone, k d)  before the middle          (`corner_chance`: its length / d)

What the spin does before that step ends, and friction, are left out; the first is capped by Box2D at pi/2 a step.

**A free plate** of mass M is at rest until it is struck, so the same zone decides. Caught means that both go on together: of its speed
the bullet keeps ``(m - e M) / (m + M)``, e the restitution, and the plate is as fast or faster. A light plate stops nothing, but it is
never tunneled: it is pushed ahead.

**Rules that look between the steps.** With the bullet flag the whole way of every step is asked about: tunneled = 0, hit = 1. By
default the same holds against what is not dynamic; against a plate there is no CCD, and the discrete law holds. Our own
sub-steps make ``d <= min(2 r, w) <= reach``, because the smaller of two numbers is at most their mean; so nothing goes through. Our
swept test puts the bullet at the front.

All functions take numbers or arrays, which broadcast; lengths in metres, angles in radians, speeds in m/s.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray
from engine.common.limits import MAX_TRANSLATION_PER_STEP
from engine.common.tolerances import BOX2D_POLYGON_SKIN

__all__ = [
    "approach",
    "corner_chance",
    "corner_tunnels",
    "hit_chance",
    "kept_speed",
    "reach",
    "standard_errors",
    "step_way",
    "tunnel_chance",
    "tunnels_by_phase",
]

Numbers = FloatArray | float

_BOX_ARM = 1.5
"""Ratio. m r^2 / I of a square box of half side r: I = m (2 r)^2 / 6."""


def step_way(speed: Numbers, hertz: Numbers) -> FloatArray:
    """Return the metres that Box2D moves a body in a step: ``speed / hertz``, at most 2, with the speed's sign."""
    return np.clip(np.asarray(speed, np.float64) / hertz, -MAX_TRANSLATION_PER_STEP, MAX_TRANSLATION_PER_STEP)


def approach(speed: Numbers, hertz: Numbers, angle: Numbers = 0.0, target_speed: Numbers = 0.0) -> FloatArray:
    """Return d: the metres by which bullet and wall come nearer in a step, along the wall's normal.

    Parameters
    ----------
    speed, hertz : of the bullet, and steps a second.
    angle : against the normal, below a right angle.
    target_speed : of the wall along its normal, positive towards the bullet.
    """
    way: FloatArray = step_way(speed, hertz) * np.cos(angle) + step_way(target_speed, hertz)
    return way


def reach(thickness: Numbers, radius: Numbers, shape: str = "disc", turned: Numbers = 0.0) -> FloatArray:
    """Return the distance of the bullet's middle from the wall's within which Box2D makes contact points.

    Parameters
    ----------
    thickness : of the wall, without skins.
    radius : of the disc, or half the side of the square box.
    shape : "disc" or "box".
    turned : of the box against the wall.
    """
    half = 0.5 * np.asarray(thickness, np.float64)
    if shape == "box":
        width = radius * (np.abs(np.cos(turned)) + np.abs(np.sin(turned)))
        return np.asarray(half + width + 2.0 * BOX2D_POLYGON_SKIN)
    return np.asarray(half + radius + BOX2D_POLYGON_SKIN)


def hit_chance(way: Numbers, zone: Numbers) -> FloatArray:
    """Return the chance that some step sees the bullet in contact: ``min(1, 2 zone / way)``; 0 where they do not come nearer.

    Parameters
    ----------
    way : what `approach` returns.
    zone : what `reach` returns.
    """
    return _share(2.0 * np.asarray(zone), way)


def tunnel_chance(way: Numbers, zone: Numbers) -> FloatArray:
    """Return the chance that the bullet goes through: ``max(0, 1 - zone / way)``; 0 where they do not come nearer."""
    arrives = np.asarray(way) > 0.0
    return np.where(arrives, 1.0 - _share(zone, way), 0.0)


def tunnels_by_phase(way: Numbers, zone: Numbers, phase: FloatArray) -> NDArray[np.bool_]:
    """Tell for each phase whether that very shot goes through: it does where no step ends in the caught half.

    The last step before the middle plane leaves the bullet ``phase * way`` short of it, so the shot is caught where that is at most
    the zone. Float64; at the zone's border Box2D's float32 decides.
    """
    through: NDArray[np.bool_] = (np.asarray(way) > 0.0) & (phase * np.asarray(way) > zone)
    return through


def corner_chance(way: Numbers, zone: Numbers, radius: Numbers, turned: Numbers) -> FloatArray:
    """Return the chance that a box is first seen with one corner in the zone, and tumbles over the middle; see the module.

    Parameters
    ----------
    way, zone : what `approach` and `reach` return.
    radius : half the side.
    turned : against the wall.
    """
    near, far = _lost_stretch(way, zone, radius, turned)
    return _share(np.maximum(0.0, far - near), way)


def corner_tunnels(way: Numbers, zone: Numbers, radius: Numbers, turned: Numbers, phase: FloatArray) -> NDArray[np.bool_]:
    """Tell for each phase whether that very box does so."""
    step = np.asarray(way, np.float64)
    short = phase * step
    first = short + np.floor((zone - short) / step) * step  # before the middle, of the first position in the caught half
    near, far = _lost_stretch(way, zone, radius, turned)
    lost: NDArray[np.bool_] = (short <= zone) & (first > near) & (first < far)
    return lost


def _lost_stretch(way: Numbers, zone: Numbers, radius: Numbers, turned: Numbers) -> tuple[FloatArray, FloatArray]:
    """Return both ends of the stretch, metres before the middle; empty where the first is the larger."""
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
    """Return the chance that a stretch of this length holds one of the positions."""
    step = np.asarray(way, np.float64)
    moves = step > 0.0
    return np.where(moves, np.minimum(1.0, np.asarray(length, np.float64) / np.where(moves, step, 1.0)), 0.0)
