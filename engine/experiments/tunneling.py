"""Predicts whether a bullet tunnels: in closed form for a share of shots, and by a float32 replay for a single one, without simulation.

**The phase.** A step of h seconds moves the bullet by d meters along the target's normal, relative to the target. The positions after
steps are ``x_k = x_0 + k d`` with x_0 uniform over d. An interval of length L of the x axis contains one of them with the probability
min(1, L / d), and for d > L never two.

**Seen.** Box2D detects contacts at the end of a step, if both surfaces, including skins, overlap: the bullet's center is then within
``reach = w / 2 + s + skins`` of the middle of a target of thickness w, where s is the bullet's half width along the normal::

                    seen: 2 reach
        |<--------------------------------->|
        |     caught      |     let out     |
        |<----- reach --->|<---- reach ---->|
     ---+-----|###########|###########|-----+---------> x      hit = min(1, 2 reach / d)
      -reach  front       0         back  reach                caught = min(1, reach / d)

**Caught.** The contact's normal is that of the nearest face. Before the middle it points against the flight, and one solve removes the
whole approach speed, however deep the bullet is. Past the middle it points along the flight: there is no approach speed, and the position
correction even pushes the bullet out at the back. So the first position in the zone decides, and::

        tunneled = max(0, 1 - reach / d)        which is 0 exactly up to d = reach, and not up to d = 2 reach

**What changes d.** Box2D limits the displacement of any body to 2 m per step, keeping its direction. At an angle a to the normal, only
``cos a`` of it is along the normal. A moving target adds its own displacement, with the same limit::

        d = min(v h, 2 m) cos a + min(u h, 2 m) sign(u)           u > 0: the target comes toward the bullet

**What changes reach.** A disc extends by its radius r and has no skin, so only the wall's skin counts. A box extends by ``r (|cos b| + |sin
b|)``, where r is half its side and b its angle to the wall, and two skins count.

**A box that meets the wall with a corner.** Turned by b, at most 45 degrees after right angles are taken away, its next corner lies
``2 r sin b`` behind the first. If its step ends where only the first is in the zone, one contact at the lever arm ``l = r (cos b - sin b)``
takes the corner's speed, not the box's, which keeps ``k = q / (1 + q)`` of it, with ``q = m l^2 / I = 1.5 (l / r)^2``::

        impulse J: (J / m) for the box, J l / I for its spin;  v - J / m - J l^2 / I = 0  at the corner  =>  v - J / m = v q / (1 + q)

If the next step, k d, ends past the middle, the box tunnels. So an interval at the zone's near end does not stop it,

        from  zone - min(2 r sin b, d)  to  min(zone, k d)  before the middle          (probability: its length / d)

The effect of the spin before that step ends, and friction, are neglected; Box2D limits the spin to pi/2 per step.

**A free plate** of mass M is at rest until it is hit, so the same zone decides. After a caught hit, the bullet keeps the share ``(m - e
M) / (m + M)`` of its speed, with the restitution e, and the plate is at least as fast: it is pushed ahead, and never tunneled.

**Soft contacts.** Box2D 3.1 solves a contact as a stiff spring, in sub-steps of ``t = h / 4``. With z its damping ratio, 10, and o its
stiffness, 2 pi 30 Hz, against static bodies twice that, the first sub-step leaves a share a of the approach speed u, and each
sub-step takes a share k from the depth::

        c = o t (2 z + o t)        a = 1 / (1 + c)        k = c / (1 + c) * o t / (2 z + o t)

A disc seen at depth s, without its margin, is ``(s (1 - k) + a u t) (1 - k)^3`` deep when the step ends: past the middle if that is
more than ``R = reach - margin``. So discs that are detected at a depth of more than ``(R / (1 - k)^3 - a u t) / (1 - k)`` tunnel. The swept
test stops a disc about a slop deep, which does not help if that is too deep already.

**Rules with continuous tests** check the whole path: no bullet tunnels at any speed. With the bullet flag this applies to all targets, by
default to those that are not dynamic. Our sub-steps ensure ``d <= min(2 r, w) <= reach``, as the minimum of two numbers is at most their
mean; our swept test stops the bullet at the front. **A sensor** stops nothing; it is detected if a step ends in an overlap, whatever
Box2D's settings.

**Single shots** have a law for a wall, a free plate and another bullet hit in the middle. For the blade, inclined boxes, and plates hit
off the middle or at an angle, the result is None. Positions are computed by Box2D's float32 additions, because rounding decides at the
zone's border.

`ShotSpec.closing` is d and `ShotSpec.reach` the reach, for each kind of target, bullet and solver.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray
from engine.common.limits import MAX_TRANSLATION_PER_STEP
from engine.common.tolerances import LINEAR_SLOP
from engine.experiments.spec import ShotSpec
from engine.world import WorldSettings, load_solver

__all__ = ["Chances", "Prediction", "capped_velocity", "chances", "is_seen", "predict", "standard_errors", "tunnels_by_phase"]

_BOX_ARM = 1.5
"""Ratio m r^2 / I of a square box of half side r: I = m (2 r)^2 / 6."""
_BORDER = 2e-5
"""Distance from the zone's border, meters, within which Box2D's float32 decides a shot: some additions of positions up to 100 m."""


class Chances(NamedTuple):
    """Probabilities over all phases that a contact is reported, and that the bullet tunnels."""

    hit: float
    tunneled: float


def chances(spec: ShotSpec) -> Chances:
    """Return the probabilities of the law, even for shots for which it is only an approximation."""
    way = spec.closing
    arrives = float(way > 0.0)
    finds_contact = _finds_contact(spec)
    hit = arrives if finds_contact else _share(spec.reach + spec.reach_behind, way)
    if spec.target == "sensor":
        return Chances(hit, arrives)
    if finds_contact and not _is_let_through(spec):
        return Chances(hit, 0.0)
    near, far = _lost_stretch(spec)
    lost = _share(max(0.0, far - near), way)
    return Chances(hit, arrives - _share(spec.reach, way) + lost)


def _share(length: float, way: float) -> float:
    """Return the probability that an interval of this length contains one of the positions; 0 if the two do not approach."""
    return min(1.0, length / way) if way > 0.0 else 0.0


def tunnels_by_phase(spec: ShotSpec, phases: FloatArray) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return for each phase (n,) whether the shot tunnels by the law, and whether rounding cannot change that."""
    chance = chances(spec).tunneled
    if chance in (0.0, 1.0):
        return np.full(len(phases), chance == 1.0), np.ones(len(phases), np.bool_)
    way, zone = spec.closing, spec.reach
    short = (replace(spec, phase=0.0).gap + phases * way) % way  # distance from the last position before the middle to the middle
    from_border = np.minimum(np.abs(short - zone), np.minimum(short, way - short))
    first = short + np.floor((zone - short) / way) * way  # distance of the first position in the zone from the middle
    near, far = _lost_stretch(spec)
    return (short > zone) | ((first > near) & (first < far)), from_border > _BORDER


def _lost_stretch(spec: ShotSpec) -> tuple[float, float]:
    """Return both ends of the interval in which a contact does not stop the bullet, meters before the middle; empty if near >= far."""
    if spec.solver == "box2d3":
        full = spec.reach - spec.contact_margin
        return 0.0, min(full, full - _lost_depth(spec))
    if spec.shape == "disc" or spec.target not in ("static", "kinematic"):
        return spec.reach, spec.reach
    quarter = 0.5 * math.pi
    b = abs((spec.angle + 0.5 * quarter) % quarter - 0.5 * quarter)
    q = _BOX_ARM * (math.cos(b) - math.sin(b)) ** 2
    return spec.reach - min(2.0 * spec.radius * math.sin(b), spec.closing), min(spec.reach, q / (1.0 + q) * spec.closing)


def _lost_depth(spec: ShotSpec) -> float:
    """Return the depth from which a disc passes Box2D 3.1's soft contact, meters; infinite for a box."""
    if spec.shape == "box":
        return math.inf
    own = load_solver(spec.solver).own_settings(WorldSettings())
    n_sub_steps, stiffness, ratio = (float(own[name]) for name in ("sub_steps", "contact_hertz", "contact_damping_ratio"))
    sub_step = 1.0 / (spec.hertz * n_sub_steps)
    hertz = min(stiffness, 0.25 / sub_step) * (2.0 if spec.target == "static" else 1.0)
    turn, damping = 2.0 * math.pi * hertz * sub_step, 2.0 * ratio
    stiff = turn * (damping + turn)
    pushed = stiff / (1.0 + stiff) * turn / (damping + turn)
    left = spec.closing * spec.hertz * sub_step / (1.0 + stiff)
    depth = (spec.reach - spec.contact_margin) / math.pow(1.0 - pushed, n_sub_steps - 1.0)
    return (depth - left) / (1.0 - pushed)


def _is_let_through(spec: ShotSpec) -> bool:
    """Return whether a bullet that the swept test has stopped passes through the contact.

    It does not with a free plate: the bullet continues with the plate, and is swept and stopped again.
    """
    if spec.solver != "box2d3" or spec.target == "dynamic":
        return False
    return spec.radius - max(LINEAR_SLOP, spec.radius - LINEAR_SLOP) > _lost_depth(spec)


def standard_errors(measured: FloatArray | float, predicted: FloatArray | float, n_shots: int) -> FloatArray:
    """Return the difference of measured shares of `n_shots` in standard errors of the *prediction*; infinite where no shot may differ."""
    wrong = np.abs(np.asarray(measured, np.float64) - predicted)
    error = np.sqrt(np.asarray(predicted, np.float64) * (1.0 - np.asarray(predicted)) / n_shots)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(wrong == 0.0, 0.0, wrong / error)


def _finds_contact(spec: ShotSpec) -> bool:
    """Return True if a shot's rule finds every contact with its target, also between steps."""
    return spec.rule in ("substeps", "swept") or spec.looks_between_steps


class Prediction(NamedTuple):
    """Predictions for one shot; None if not derived.

    Attributes
    ----------
    hit, tunnels : bool or None
        Whether a contact with the target will be reported, and whether the bullet will tunnel.
    hit_chance, tunnel_chance : float or None
        Corresponding shares of shots with a uniform phase.
    """

    hit: bool | None = None
    tunnels: bool | None = None
    hit_chance: float | None = None
    tunnel_chance: float | None = None


def predict(spec: ShotSpec) -> Prediction:
    """Return the predictions for this shot."""
    if spec.closing <= 0.0:
        return Prediction(False, False, 0.0, 0.0)
    law, finds_contact, prediction = chances(spec), _finds_contact(spec), Prediction()
    if _is_derived(spec):
        tunnels = not finds_contact and not is_seen(spec, False)
        if spec.solver == "box2d3":
            tunnels = bool(tunnels_by_phase(spec, np.array([spec.phase]))[0][0])
        prediction = Prediction(finds_contact or is_seen(spec, True), tunnels, *law)
    if spec.target == "sensor" or (spec.is_ours and spec.looks_between_steps):
        prediction = prediction._replace(tunnels=spec.target == "sensor", tunnel_chance=law.tunneled)
    return prediction


def _is_derived(spec: ShotSpec) -> bool:
    if spec.rule == "substeps" and spec.closing / spec.most_substeps > spec.reach:  # too fast even for the shortest steps
        return False
    if spec.solver == "box2d3" and (spec.shape == "box" or (spec.looks_between_steps and spec.target_travel != 0.0)):
        return False  # a box has two soft contacts; a sweep uses a moving wall's pose at the end of its step
    if spec.target in ("static", "kinematic", "sensor"):  # the wall may not extend to the point where they should meet
        flies_flat = spec.shape == "disc" or spec.angle == 0.0
        return flies_flat and (spec.angle == 0.0 or spec.meets_at_center)
    if spec.target == "head_on":
        return True
    return spec.target == "dynamic" and spec.angle == 0.0 and spec.height == 0.0


def is_seen(spec: ShotSpec, behind: bool, start: float | None = None) -> bool:
    """Return True if a step ends with contact points, before the target's middle and, if `behind`, after it.

    `start` is the bullet's x, meters; by default the shot's own. Box2D 2.3's positions are followed bit by bit; Box2D 3.1's, which moves in
    sub-steps, are not.
    """
    exact: Any = np.float32 if spec.is_box2d else np.float64
    x, ahead = exact(spec.start[0] if start is None else start), exact(spec.target_start[0])
    way, back = (_way_of_step(spec, *velocity) for velocity in (spec.velocity, spec.target_velocity))
    if spec.target == "head_on":  # along the line of flight, which is x without inclination
        x, ahead = exact(-spec.run_up), exact(spec.gap - spec.run_up)
        way, back = _way_of_step(spec, spec.speed, 0.0), _way_of_step(spec, -spec.target_speed, 0.0)
    half = exact(spec.half_target)
    rest, rest_behind = (exact(reached - spec.half_target) for reached in (spec.reach, spec.reach_behind))
    while x < ahead or (behind and x - ahead - half <= rest_behind):
        if abs(x - ahead) - half <= (rest if x < ahead else rest_behind):
            return True
        if x + way == x and ahead + back == ahead:  # below the resolution of its numbers, nothing moves
            return False
        x, ahead = x + way, ahead + back
    return False


def _way_of_step(spec: ShotSpec, vx: float, vy: float) -> Any:
    """Return the step's displacement along x, as computed by the solver."""
    hertz = spec.hertz
    if not spec.is_box2d:
        way = math.hypot(vx, vy) / hertz
        return np.float64(vx / hertz if way <= spec.longest_travel else vx / hertz * (spec.longest_travel / way))
    return np.float32(np.float32(1.0 / hertz) * capped_velocity(np.float32(vx), np.float32(vy), hertz)[0])


def capped_velocity(vx: np.float32, vy: np.float32, hertz: float) -> tuple[np.float32, np.float32]:
    """Return the velocity, m/s, with which a body moves in a step, as in `b2Island::Solve`: reduced if ``(h v)^2 > 4``."""
    h, longest = np.float32(1.0 / hertz), np.float32(MAX_TRANSLATION_PER_STEP)
    square = (h * vx) * (h * vx) + (h * vy) * (h * vy)
    if square <= longest * longest:
        return vx, vy
    share = longest / np.sqrt(square)
    return share * vx, share * vy
