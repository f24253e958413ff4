"""Convergence of integrators on motions with a closed form; on the two with a kink or a jump the order is lower.

The closed forms. *Projectile with drag*, ``v' = g - k v``: with the terminal velocity ``u = g / k``::

    v = u + (v0 - u) exp(-k t),    x = u t + (v0 - u) (1 - exp(-k t)) / k

*Pendulum*, ``a'' = -W^2 sin a``, released at A: with ``m = sin(A / 2)`` the quarter period is ``K(m) / W`` and ``sin(a / 2) = m cd(W t,
m)``, Jacobi's functions of the modulus m, which Gauss's arithmetic-geometric mean gives (Abramowitz, Stegun, 16.4).

*Damped spring*, ``x'' = -W^2 x - 2 d x'``: ``x = exp(-d t) (x0 cos w t + (v0 + d x0) sin(w t) / w)`` with ``w^2 = W^2 - d^2``.

*Thrown spinning body*, with drag and the lift of its spin (Magnus), perpendicular to its velocity: ``v' = g - k v + s w x v``. In complex
numbers, ``z = vx + i vy``, this is ``z' = -(k - i s w) z - i g``, the projectile with a complex k. The spin is constant.

*A spring as floor* (penalty), ``y'' = -g + W^2 max(-y, 0)``: a parabola, half an oscillation and a parabola. Its force has a kink at
contact. *A spring with a damper* has a jump there: ``- 2 d y'`` if y < 0.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray
from engine.dynamics.integrators import INTEGRATORS, ORDERS, Integrator, Rate
from engine.experiments.scenes import body, ground
from engine.experiments.studies.study import Figure, Results, Row, curves_by, growth, study
from engine.geometry import Circle
from engine.report import Chart, Table
from engine.world import World, WorldSettings

__all__ = ["MOTIONS", "Motion", "errors_of", "first_bounce", "integrators", "order_of", "worst_energy"]

_G, _DRAG, _SPEED = 10.0, 0.8, (6.0, 8.0)
"""m/s^2, 1/s, m/s."""
_TURN = 3.0
"""Angular frequency of the pendulum and springs, rad/s."""
_AMPLITUDE = 2.0
"""Amplitude of the pendulum, rad."""
_DAMPING = 0.5
"""Damping of the damped spring, 1/s."""
_SPIN, _LIFT = 9.0, 0.2
"""Spin, rad/s, and the factor s of the lift ``s w x v``, without unit."""
_FLOOR, _FLOOR_DAMPER, _HEIGHT = 20.0, 4.0, 0.7
"""Spring floor: angular frequency, rad/s; damping, 1/s; drop height, m."""

State = tuple[FloatArray, FloatArray]


@dataclass(frozen=True)
class Motion:
    """An equation of motion with its exact solution.

    Attributes
    ----------
    rate : Rate
        Accelerations (3,): x, y, angle.
    exact : callable
        Positions and velocities (3,) at a time; at 0 the initial ones.
    seconds : float
        Duration of a run.
    energy : callable
        Energy of 1 kg by positions and velocities, J.
    is_smooth : bool
    inverse_mass : float64 (3,)
        1/kg and 1/(kg m^2), for a run in momenta.
    """

    title: str
    rate: Rate
    exact: Callable[[float], State]
    seconds: float
    energy: Callable[[FloatArray, FloatArray], float]
    is_smooth: bool = True
    inverse_mass: FloatArray | float = 1.0


def _drag(_t: float, _x: FloatArray, v: FloatArray) -> FloatArray:
    return np.array([0.0, -_G, 0.0]) - _DRAG * v


def _thrown(t: float) -> State:
    last, start = np.array([0.0, -_G / _DRAG, 0.0]), np.array([*_SPEED, 0.0])
    left = math.exp(-_DRAG * t)
    return last * t + (start - last) * (1.0 - left) / _DRAG, last + (start - last) * left


def _falling_energy(x: FloatArray, v: FloatArray) -> float:
    return float(0.5 * v @ v + _G * x[1])


def _swing(_t: float, x: FloatArray, _v: FloatArray) -> FloatArray:
    return np.array([0.0, 0.0, -_TURN * _TURN * math.sin(x[2])])


def _swinging(t: float) -> State:
    modulus = math.sin(0.5 * _AMPLITUDE)
    sn, cn, dn = _jacobi(_TURN * t, modulus)
    angle = 2.0 * math.asin(modulus * cn / dn)
    # (cd)' = -(1 - m^2) sn / dn^2, and cos(angle / 2) = sqrt(1 - m^2) / dn
    return np.array([0.0, 0.0, angle]), np.array([0.0, 0.0, -2.0 * _TURN * modulus * math.sqrt(1.0 - modulus**2) * sn / dn])


def _jacobi(u: float, modulus: float) -> tuple[float, float, float]:
    """Return sn, cn and dn by the arithmetic-geometric mean."""
    a, b, c = [1.0], math.sqrt(1.0 - modulus * modulus), [modulus]
    while abs(c[-1]) > 1e-16:
        mean, half = 0.5 * (a[-1] + b), 0.5 * (a[-1] - b)
        b = math.sqrt(a[-1] * b)
        a.append(mean)
        c.append(half)
    phi = 2.0 ** (len(a) - 1) * a[-1] * u
    for k in range(len(a) - 1, 0, -1):
        phi = 0.5 * (phi + math.asin(c[k] / a[k] * math.sin(phi)))
    sn = math.sin(phi)
    return sn, math.cos(phi), math.sqrt(1.0 - (modulus * sn) ** 2)


def _swinging_energy(x: FloatArray, v: FloatArray) -> float:
    return float(0.5 * v[2] ** 2 + _TURN * _TURN * (1.0 - math.cos(x[2])))


def _spring(_t: float, x: FloatArray, v: FloatArray) -> FloatArray:
    return -_TURN * _TURN * x - 2.0 * _DAMPING * v


def _oscillating(t: float) -> State:
    start = np.array([1.0, 0.0, 0.0])
    w = math.sqrt(_TURN**2 - _DAMPING**2)
    left, cos, sin = math.exp(-_DAMPING * t), math.cos(w * t), math.sin(w * t)
    return left * (cos + _DAMPING / w * sin) * start, -left * _TURN**2 / w * sin * start


def _spring_energy(x: FloatArray, v: FloatArray) -> float:
    return float(0.5 * v @ v + 0.5 * _TURN * _TURN * x @ x)


def _lift(_t: float, _x: FloatArray, v: FloatArray) -> FloatArray:
    side = _LIFT * v[2]
    return np.array([-side * v[1] - _DRAG * v[0], side * v[0] - _DRAG * v[1] - _G, 0.0])


def _spinning(t: float) -> State:
    k = _DRAG - 1j * _LIFT * _SPIN
    last, start = -1j * _G / k, complex(*_SPEED)
    left = cmath.exp(-k * t)
    z, x = last + (start - last) * left, last * t + (start - last) * (1.0 - left) / k
    return np.array([x.real, x.imag, _SPIN * t]), np.array([z.real, z.imag, _SPIN])


def _spinning_energy(x: FloatArray, v: FloatArray) -> float:
    return float(0.5 * (v[0] ** 2 + v[1] ** 2) + 0.05 * v[2] ** 2 + _G * x[1])


def _floor(damper: float) -> Rate:
    def rate(_t: float, x: FloatArray, v: FloatArray) -> FloatArray:
        held = _FLOOR**2 * -x[1] - 2.0 * damper * v[1] if x[1] < 0.0 else 0.0
        return np.array([0.0, held - _G, 0.0])

    return rate


def _bouncing(damper: float) -> Callable[[float], State]:
    touch = math.sqrt(2.0 * _HEIGHT / _G)
    w = math.sqrt(_FLOOR**2 - damper**2)
    rest = -_G / _FLOOR**2  # where the spring balances the weight

    def held(t: float) -> tuple[float, float]:
        """Return position and velocity `t` after contact, on the spring: y - rest is a damped oscillation."""
        y0, v0 = -rest, -_G * touch
        a, b = y0, (v0 + damper * y0) / w
        left, cos, sin = math.exp(-damper * t), math.cos(w * t), math.sin(w * t)
        y = left * (a * cos + b * sin)
        return y + rest, -damper * y + left * w * (b * cos - a * sin)

    low, high = 0.5 * math.pi / w, 1.5 * math.pi / w  # it leaves after the lowest point, within half a turn
    while high - low > 1e-15:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if held(middle)[0] < 0.0 else (low, middle)
    leaves, speed = low, held(low)[1]

    def exact(t: float) -> State:
        if t <= touch:
            y, v = _HEIGHT - 0.5 * _G * t * t, -_G * t
        elif t <= touch + leaves:
            y, v = held(t - touch)
        else:
            since = t - touch - leaves
            y, v = (speed - 0.5 * _G * since) * since, speed - _G * since
        return np.array([0.0, y, 0.0]), np.array([0.0, v, 0.0])

    return exact


def _floor_energy(x: FloatArray, v: FloatArray) -> float:
    return float(0.5 * v @ v + _G * x[1] + 0.5 * (_FLOOR * min(x[1], 0.0)) ** 2)


MOTIONS: dict[str, Motion] = {
    "projectile": Motion("projectile with drag", _drag, _thrown, 1.6, _falling_energy, inverse_mass=1.0 / 3.0),
    "pendulum": Motion("pendulum from 115 degrees", _swing, _swinging, 1.6, _swinging_energy, inverse_mass=1.0 / 0.3),
    "spring": Motion("damped spring", _spring, _oscillating, 1.6, _spring_energy, inverse_mass=1.0 / 0.7),
    "spinning": Motion(
        "spinning body thrown, drag and lift", _lift, _spinning, 1.6, _spinning_energy, inverse_mass=np.array([1.0 / 3.0, 1.0 / 3.0, 10.0])
    ),
    "spring_floor": Motion("ball on a spring floor", _floor(0.0), _bouncing(0.0), 0.64, _floor_energy, False),
    "damped_floor": Motion("ball on a damped spring floor", _floor(_FLOOR_DAMPER), _bouncing(_FLOOR_DAMPER), 0.64, _floor_energy, False),
}
"""Motions by name."""

_LOOKS = 8
"""Number of times at which the error is measured, evenly spaced; the last is the end."""
_STEPS = (64, 128, 256, 512)
"""Numbers of steps of the runs: the order is the slope over these."""
_KINKED_STEPS = (64, 128, 256, 512, 1024, 2048, 4096)
"""Numbers of steps with a kink: its position within a step, and thus the error, is effectively random, so the slope needs a wide range."""


def _run(motion: Motion, step: Integrator, n_steps: int) -> list[State]:
    """Return the states at the times of measurement."""
    (x, v), h, seen = motion.exact(0.0), motion.seconds / n_steps, []
    for k in range(n_steps):
        x, v = step(motion.rate, x, v, h, k * h)
        if (k + 1) * _LOOKS % n_steps == 0:
            seen.append((x, v))
    return seen


def _times(motion: Motion) -> list[float]:
    return [motion.seconds * (k + 1) / _LOOKS for k in range(_LOOKS)]


def errors_of(motion: Motion, name: str, numbers: tuple[int, ...] = _STEPS) -> tuple[list[float], list[float]]:
    """Return for each number of steps the largest error of position, m or rad, and of energy, J, at eight times of a run."""
    times, places, energies = _times(motion), [], []
    for n_steps in numbers:
        seen = _run(motion, INTEGRATORS[name], n_steps)
        exact = [motion.exact(t) for t in times]
        places.append(max(float(np.linalg.norm(x - y)) for (x, _), (y, _) in zip(seen, exact, strict=True)))
        energies.append(max(abs(motion.energy(*state) - motion.energy(*true)) for state, true in zip(seen, exact, strict=True)))
    return places, energies


def order_of(motion: Motion, errors: list[float], numbers: tuple[int, ...] = _STEPS) -> float:
    """Return the power of the step with which the error decreases."""
    return growth([motion.seconds / n for n in numbers], errors)


def worst_energy(name: str, seconds: float, h: float) -> tuple[float, float]:
    """Return the maximum and the final relative error of the undamped spring's energy in a run."""
    x, v = np.array([1.0, 0.0, 0.0]), np.zeros(3)
    start, worst, off = _spring_energy(x, v), 0.0, 0.0
    for k in range(round(seconds / h)):
        x, v = INTEGRATORS[name](lambda _t, x, _v: -_TURN * _TURN * x, x, v, h, k * h)
        off = _spring_energy(x, v) / start - 1.0
        worst = max(worst, abs(off))
    return worst, off


def _momentum_difference(motion: Motion, name: str, n_steps: int) -> float:
    """Return the distance between the ends of a run in momenta and one in velocities."""
    inverse = motion.inverse_mass
    (x, v), h = motion.exact(0.0), motion.seconds / n_steps
    p = v / inverse
    for k in range(n_steps):
        x, p = INTEGRATORS[name](lambda t, x, p: motion.rate(t, x, inverse * p) / inverse, x, p, h, k * h, inverse)
    return float(np.abs(x - _run(motion, INTEGRATORS[name], n_steps)[-1][0]).max())


def first_bounce(name: str, hertz: float) -> float:
    """Return the rebound height, relative to the drop of 0.3 m, of an elastic ball (e = 1) on undamped springs, by `penalty`."""
    settings = (("integrator", name), ("sub_steps", 8), ("damping_ratio", 0.0))
    world = World(WorldSettings(sleeping=False, hertz=hertz, solver_settings=settings), solver="penalty")
    ground(world, restitution=1.0)
    ball = body(world, Circle(0.5), (0.0, 0.8), restitution=1.0)
    heights = []
    for _ in range(round(0.65 * hertz)):  # the second impact of an exact bounce is at 0.73 s
        world.step()
        heights.append(world.state(ball).position[1] - 0.5)
    return max(heights[int(np.argmin(heights[: round(0.4 * hertz)])) :]) / 0.3


@study("integrators: error and energy over the step", "Textbooks predict orders 1, 2 and 4.")
def integrators(quick: bool) -> Results:
    """Each integrator runs each motion in 64 to 512 steps, or up to 4096 if the force has a kink. The slope of the error is its order."""
    names, charts = tuple(INTEGRATORS), []
    orders: dict[str, list[float]] = {}
    energy_orders: dict[str, list[float]] = {}
    for name in ("projectile", "spring_floor") if quick else MOTIONS:
        motion = MOTIONS[name]
        numbers = _STEPS if motion.is_smooth or quick else _KINKED_STEPS
        errors = [errors_of(motion, integrator, numbers) for integrator in names]
        orders[name], energy_orders[name] = (
            [order_of(motion, values, numbers) for values in column] for column in zip(*errors, strict=True)
        )
        runs: list[Row] = [
            (1e3 * motion.seconds / n, integrator, *values)
            for integrator, columns in zip(names, errors, strict=True)
            for n, *values in zip(numbers, *columns, strict=True)
        ]
        if name in ("projectile", "pendulum", "spring_floor"):
            charts.append(Chart(motion.title, "step, ms", "largest position error, m or rad", curves_by(runs, 1, 0, 2), (True, True)))
        if name == "pendulum":
            charts.append(Chart("energy of the pendulum", "step, ms", "largest energy error, J", curves_by(runs, 1, 0, 3), (True, True)))
    smooth = np.array([orders[name] for name in orders if MOTIONS[name].is_smooth])
    within = float(np.abs(smooth - [ORDERS[integrator] for integrator in names]).max())
    lost = {name: orders[name][names.index("rk4")] for name in orders}
    kept: tuple[Row, ...] = tuple((name, *worst_energy(name, 2.0 if quick else 100.0, 1.0 / 60.0)) for name in names)
    apart = max(_momentum_difference(MOTIONS[name], integrator, 64) for name in ("projectile", "spinning") for integrator in names)
    bounces: tuple[Row, ...] = tuple(
        (f"{hertz:.0f} Hz", *(first_bounce(name, hertz) for name in names)) for hertz in (60.0, 120.0, 240.0) if not quick
    )
    tables = (
        *(
            Table(f"order of the {what} error", ("motion", *names), tuple((MOTIONS[name].title, *row) for name, row in values.items()))
            for what, values in (("position", orders), ("energy", energy_orders))
        ),
        Table(
            "energy error of an undamped spring as a fraction, 3 rad/s at 60 Hz for 100 s", ("integrator", "largest", "at the end"), kept
        ),
        *(
            (
                Table(
                    "an elastic ball on undamped springs, 8 sub-steps: first bounce as a fraction of the drop height",
                    ("steps", *names),
                    bounces,
                ),
            )
            if bounces
            else ()
        ),
    )
    figures = tuple(
        Figure(f"order of the position error in smooth motions, {name}", "", ORDERS[name], float(order))
        for name, order in zip(names, smooth.mean(axis=0), strict=True)
    )
    sentences = (
        f"For smooth motions, every order is within {within:.2f} of 1, 1, 2, 2 and 4.",
        f"RK4 has order {lost['spring_floor']:.1f} across the kink in the force where a spring begins to press"
        + (f", and {lost['damped_floor']:.1f} across the jump in the force of a damper." if not quick else "."),
        f"Integrating momenta instead of velocities changes the final positions by at most {apart:.0e} m.",
    )
    return Results(tables, tuple(charts), sentences, figures)
