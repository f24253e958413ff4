r"""Speed of a wave of dominoes: the train of leaning dominoes as a mechanism with one degree of freedom.

J. M. J. van Leeuwen, "The domino effect", American Journal of Physics 78 (2010) 721; its symbols, with the friction between dominoes.

          i     i+1                 Every domino that has fallen leans on the next one:
           \    |                   h sin(a_i - a_(i+1)) = (s + d) cos a_(i+1) - d
            \   |                   the head's angle a gives the angles of the train, and its speed w all speeds:
          h  \  |                   w_i = v_i w, v_i = the product of the slopes da_i / da_(i+1) from the head back to i
         _____\_|__
           d  s                     Rotation about the feet, where N_i is the force with which i presses on i + 1:

    I dw_i/dt = m g / 2 (h sin a_i - d cos a_i) + N_(i-1) b_i - N_i c_i
    c_i = h (cos e + mu sin e),    b_(i+1) = h cos e - (s + d) sin a_(i+1) - mu d,    e = a_i - a_(i+1)

The sum weighted by r_i, the product of b/c from the head back, eliminates every N and gives one equation for dw/dt. When the head has
turned by asin(s / h) it hits the next domino. The impact is plastic, and its forces are eliminated in the same way:
w' (1 + r sum r_i v_i) = w r sum r_i v_i, with the slope and r of the new contact. Over many impacts w' converges.
"""

from __future__ import annotations

import math
from functools import cache

__all__ = ["domino_wave_speed"]

_TRAIN = 25
"""Number of dominoes in the train; those behind are at rest."""
_STEPS = 100
"""Integration steps per fall; twice as many change the speed by 0.1 %."""
_HITS = 30
"""Number of impacts until the speed has converged, to 0.1 % for a gap of 0.15 of the height."""


@cache
def domino_wave_speed(height: float, thickness: float, gap: float, friction: float, gravity: float) -> float:
    """Return the speed of the wave in an infinite row of dominoes whose feet do not slip, m/s.

    Parameters
    ----------
    height, thickness, gap : float
        Dimensions, meters; the gap between two dominoes is less than the height.
    friction : float
        Friction between two dominoes.
    gravity : float
        Gravity, m/s^2.
    """
    inertia = (height**2 + thickness**2) / 3.0  # about the foot's edge, per kg
    hit = math.asin(gap / height)
    speed, seconds = 1.0, 0.0
    for _ in range(_HITS):
        momentum_sq = speed * speed
        seconds = 0.0
        width = hit / _STEPS
        for k in range(_STEPS):
            pull, share, drift = _train((k + 0.5) * width, height, thickness, gap, friction, gravity)
            # share I dw/dt = pull - I w^2 drift, with dw/dt = d(w^2)/da / 2
            before = momentum_sq
            momentum_sq += 2.0 * width * (pull / inertia - before * drift) / share
            if momentum_sq <= 0.0:
                return 0.0  # the wave stops
            seconds += 2.0 * width / (math.sqrt(before) + math.sqrt(momentum_sq))
        _, share, _ = _train(hit, height, thickness, gap, friction, gravity)
        # the new head is upright, so da_i / da_(i+1) = 1 for the contact at its top
        cos, sin = math.cos(hit), math.sin(hit)
        ratio = (height * cos - friction * thickness) / (height * cos + friction * height * sin)
        speed = math.sqrt(momentum_sq) * ratio * share / (1.0 + ratio * share)
    return (gap + thickness) / seconds


def _train(angle: float, h: float, d: float, s: float, mu: float, g: float) -> tuple[float, float, float]:
    """Return the sums of r torque, r v and r dv/da over the train for a head at `angle`, per kg."""
    small = 1.0e-5  # rad, for a central difference of v with an error of second order
    _, after = _chain(angle + small, h, d, s)
    _, before = _chain(angle - small, h, d, s)
    angles, speeds = _chain(angle, h, d, s)
    pull = share = drift = 0.0
    weight = 1.0
    for i, (a, v) in enumerate(zip(angles, speeds, strict=True)):
        if i > 0:
            ahead = angles[i - 1]
            e = a - ahead
            weight *= (h * math.cos(e) - (s + d) * math.sin(ahead) - mu * d) / (h * (math.cos(e) + mu * math.sin(e)))
        pull += weight * 0.5 * g * (h * math.sin(a) - d * math.cos(a))
        share += weight * v
        drift += weight * (after[i] - before[i]) / (2.0 * small)
    return pull, share, drift


def _chain(angle: float, h: float, d: float, s: float) -> tuple[list[float], list[float]]:
    """Return the angles of the train, the head first, and their derivatives with respect to the head's angle."""
    angles, speeds = [angle], [1.0]
    for _ in range(_TRAIN - 1):
        ahead = angles[-1]
        sine = ((s + d) * math.cos(ahead) - d) / h
        cosine = math.sqrt(1.0 - sine * sine)
        angles.append(ahead + math.asin(sine))
        speeds.append(speeds[-1] * (1.0 - (s + d) * math.sin(ahead) / (h * cosine)))
    return angles, speeds
