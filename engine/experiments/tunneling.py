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

        from  zone - min(2 r sin b, d)  to  min(zone, k d)  before the middle          (probability: its length / d)

What the spin does before that step ends, and friction, are left out; the first is capped by Box2D at pi/2 a step.

**A free plate** of mass M is at rest until it is struck, so the same zone decides. Caught, both go on together: of its speed the bullet
keeps ``(m - e M) / (m + M)``, e the restitution, and the plate is as fast or faster: pushed ahead, and never tunneled.

**Soft contacts.** Box2D 3.1 solves a contact as a stiff spring, in sub-steps of ``t = h / 4``. With z its damping ratio, 10, and o its
stiffness, 2 pi 30 Hz, against static bodies twice that, the first sub-step leaves a share a of the approach speed u, and each
sub-step takes a share k from the depth::

        c = o t (2 z + o t)        a = 1 / (1 + c)        k = c / (1 + c) * o t / (2 z + o t)

A disc seen at depth s, without its margin, is ``(s (1 - k) + a u t) (1 - k)^3`` deep when the step ends: past the middle if that is
more than ``R = reach - margin``. So the discs seen deeper than ``R / (1 - k)^3 - a u t``, over 1 - k, are lost. The swept test stops a
disc about a slop deep, which is no help where that is too deep already.

**Rules that look between the steps** ask about the whole way: nothing goes through, at any speed. With the bullet flag that is each
target, by default each that is not dynamic. Our sub-steps make ``d <= min(2 r, w) <= reach``, as the smaller of two numbers is at most
their mean; our swept test puts the bullet at the front. **A sensor** stops nothing; it is felt where some step ends in an overlap, whatever
Box2D's switches.

**Single shots** have a law for a wall, a free plate and another bullet hit in the middle. For the blade, boxes at an angle, and plates off
the middle or at an angle the answer is None, never a guess. Positions are those that Box2D's float32 additions give, as a rounding decides
at the zone's border.

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
"""Ratio. m r^2 / I of a square box of half side r: I = m (2 r)^2 / 6."""
_BORDER = 2e-5
"""Meters. A shot whose step ends this near to the zone's border is decided by Box2D's float32: some additions of positions up to 100 m."""


class Chances(NamedTuple):
    """Probabilities over all phases: a contact is reported; the bullet goes through."""

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
    """Return the probability that a stretch of this length holds one of the positions; 0 if the two do not come nearer."""
    return min(1.0, length / way) if way > 0.0 else 0.0


def tunnels_by_phase(spec: ShotSpec, phases: FloatArray) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return for each phase (n,) whether the law lets that shot tunnel, and whether rounding cannot change that."""
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
    """Return both ends of the stretch in which a contact does not stop the bullet, meters before the middle; empty if near >= far."""
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
    """Return the depth from which Box2D 3.1's soft contact lets a disc through, meters; infinite for a box."""
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
    """Return whether a contact lets a bullet through that the swept test has stopped.

    Not with a free plate: the bullet flies on with it, is swept again, and is stopped again.
    """
    if spec.solver != "box2d3" or spec.target == "dynamic":
        return False
    return spec.radius - max(LINEAR_SLOP, spec.radius - LINEAR_SLOP) > _lost_depth(spec)


def standard_errors(measured: FloatArray | float, predicted: FloatArray | float, n_shots: int) -> FloatArray:
    """Return by how many standard errors of the *prediction* measured shares of `n_shots` differ; infinite where no shot may differ."""
    wrong = np.abs(np.asarray(measured, np.float64) - predicted)
    error = np.sqrt(np.asarray(predicted, np.float64) * (1.0 - np.asarray(predicted)) / n_shots)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(wrong == 0.0, 0.0, wrong / error)


def _finds_contact(spec: ShotSpec) -> bool:
    """Return True if a shot's rule finds every contact with its target, between the steps too."""
    return spec.rule in ("substeps", "swept") or spec.looks_between_steps


class Prediction(NamedTuple):
    """Predictions for one shot; None for what is not derived.

    Attributes
    ----------
    hit, tunnels : bool or None
        Whether a contact with the target will be reported, and whether the bullet will go through.
    hit_chance, tunnel_chance : float or None
        Shares of shots that do so if the phase is uniform.
    """

    hit: bool | None = None
    tunnels: bool | None = None
    hit_chance: float | None = None
    tunnel_chance: float | None = None


def predict(spec: ShotSpec) -> Prediction:
    """Return what is derived for this shot."""
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
    if spec.rule == "substeps" and spec.closing / spec.most_substeps > spec.reach:  # too fast for the shortest steps there are
        return False
    if spec.solver == "box2d3" and (spec.shape == "box" or (spec.looks_between_steps and spec.target_travel != 0.0)):
        return False  # a box has two soft contacts; a moving wall is swept against only where its step ends
    if spec.target in ("static", "kinematic", "sensor"):  # the wall is no higher than it must be where they should meet
        flies_flat = spec.shape == "disc" or spec.angle == 0.0
        return flies_flat and (spec.angle == 0.0 or spec.meets_at_center)
    if spec.target == "head_on":
        return True
    return spec.target == "dynamic" and spec.angle == 0.0 and spec.height == 0.0


def is_seen(spec: ShotSpec, behind: bool, start: float | None = None) -> bool:
    """Return True if contact points are made where some step ends, before the target's middle and perhaps `behind` it.

    `start` is the bullet's x, meters; by default the shot's own. Box2D 2.3's positions are followed bit by bit; Box2D 3.1's, which moves in
    sub-steps, are not.
    """
    exact: Any = np.float32 if spec.is_box2d else np.float64
    x, ahead = exact(spec.start[0] if start is None else start), exact(spec.target_start[0])
    way, back = (_way_of_step(spec, *velocity) for velocity in (spec.velocity, spec.target_velocity))
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
        way = math.hypot(vx, vy) / hertz
        return np.float64(vx / hertz if way <= spec.longest_travel else vx / hertz * (spec.longest_travel / way))
    return np.float32(np.float32(1.0 / hertz) * capped_velocity(np.float32(vx), np.float32(vy), hertz)[0])


def capped_velocity(vx: np.float32, vy: np.float32, hertz: float) -> tuple[np.float32, np.float32]:
    """Return the velocity, m/s, with which a body moves a step, as `b2Island::Solve` computes it: shortened where ``(h v)^2 > 4``."""
    h, longest = np.float32(1.0 / hertz), np.float32(MAX_TRANSLATION_PER_STEP)
    square = (h * vx) * (h * vx) + (h * vy) * (h * vy)
    if square <= longest * longest:
        return vx, vy
    share = longest / np.sqrt(square)
    return share * vx, share * vy
