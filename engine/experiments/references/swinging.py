"""Bodies on joints."""

from __future__ import annotations

import math

from engine.experiments.references.lab import (
    GRAVITY,
    Lab,
    Row,
    absolute,
    at_most,
    energy,
    reference,
    relative,
    run,
)
from engine.experiments.scenes import body
from engine.geometry import Circle, Polygon
from engine.world import RevoluteJointSpec, World

__all__ = ["double_pendulum_middle", "elliptic_k"]

ROD = Polygon.box(0.5, 0.05)
"""Rod of 1 m length."""


def elliptic_k(m: float) -> float:
    """Return the complete elliptic integral of the first kind of parameter m = k^2, by the arithmetic-geometric mean.

    Source: M. Abramowitz, I. Stegun, *Handbook of Mathematical Functions*, 17.6.

    Examples
    --------
    >>> round(elliptic_k(0.5), 12)
    1.854074677301
    """
    a, b = 1.0, math.sqrt(1.0 - m)
    while abs(a - b) > 1e-15 * a:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return math.pi / (2.0 * a)


@reference("rod pendulum from 90 deg, 20 s")
def pendulum(lab: Lab) -> list[Row]:
    """A rod on a hinge, released horizontally, swings with the period ``T = 4 sqrt(I / m g d) K(sin^2 45 deg)`` and constant amplitude.

    K is the complete elliptic integral; the period is measured between turning points, interpolated between steps by the speeds.
    """
    world = lab.world()
    support = body(world, Circle(0.1), (0.0, 10.0), type="static")
    rod = body(world, ROD, (0.5, 0.0))
    world.create_joint(RevoluteJointSpec(support, rod, (0.0, 0.0)))
    info = world.body(rod)
    exact = 4.0 * math.sqrt((info.inertia + 0.25 * info.mass) / (info.mass * GRAVITY * 0.5)) * elliptic_k(0.5)
    turns, swing, before = [], 0.0, 0.0
    for step in range(1200):
        world.step()
        spin = world.state(rod).angular_velocity
        if before * spin < 0.0:
            turns.append((step + before / (before - spin)) / 60.0)
            swing = abs(world.state(rod).angle + math.pi / 2.0)
        before = spin
    period = 2.0 * (turns[-1] - turns[0]) / (len(turns) - 1)
    return [relative("period", exact, period, 5e-4), at_most("swing lost", 90.0 - math.degrees(swing), 0.3, "deg")]


def double_pendulum_middle(mass: float, inertia: float, seconds: float, n: int) -> tuple[float, float]:
    """Return the center of the second of two rods of 1 m, released horizontally, by Lagrange's equations and RK4 in `n` steps."""
    first, second, shared = inertia + 1.25 * mass, inertia + 0.25 * mass, 0.5 * mass

    def rates(state: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        p, q, u, v = state  # angles from straight down, and their rates
        c, s = shared * math.cos(p - q), shared * math.sin(p - q)
        right = -s * v * v - 1.5 * mass * GRAVITY * math.sin(p), s * u * u - 0.5 * mass * GRAVITY * math.sin(q)
        determinant = first * second - c * c
        return u, v, (second * right[0] - c * right[1]) / determinant, (first * right[1] - c * right[0]) / determinant

    def along(state: tuple[float, float, float, float], rate: tuple[float, float, float, float], by: float) -> tuple[float, ...]:
        return tuple(x + by * d for x, d in zip(state, rate, strict=True))

    state, h = (0.5 * math.pi, 0.5 * math.pi, 0.0, 0.0), seconds / n
    for _ in range(n):
        k1 = rates(state)
        k2 = rates(along(state, k1, 0.5 * h))  # type: ignore[arg-type]
        k3 = rates(along(state, k2, 0.5 * h))  # type: ignore[arg-type]
        k4 = rates(along(state, k3, h))  # type: ignore[arg-type]
        mean = tuple((a + 2.0 * b + 2.0 * c + d) / 6.0 for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
        state = along(state, mean, h)  # type: ignore[arg-type, assignment]
    return math.sin(state[0]) + 0.5 * math.sin(state[1]), -math.cos(state[0]) - 0.5 * math.cos(state[1])


def _on_a_hinge(world: World, n: int) -> list[int]:
    support = body(world, Circle(0.1), (0.0, 10.0), type="static")
    rods = [body(world, ROD, (0.5 + k, 0.0), mask=0) for k in range(n)]
    for k, (previous, other) in enumerate(zip([support, *rods], rods, strict=False)):
        world.create_joint(RevoluteJointSpec(previous, other, (float(k), 0.0)))
    return rods


@reference("double pendulum, released horizontally")
def double_pendulum(lab: Lab) -> list[Row]:
    """The exact center of the second rod is from Lagrange's equations (RK4, h = 0.2 ms, converged to 1e-10 m); energy is conserved.

    With ``a = I + 5/4 m``, ``b = I + m/4``, ``c = m/2 cos(p - q)``, ``s = m/2 sin(p - q)`` for rods of 1 m::

        a p'' + c q'' = -s q'^2 - 3/2 m g sin p,    c p'' + b q'' = s p'^2 - 1/2 m g sin q

    The energy error is relative to the initial energy above both rods hanging straight down, m g times 2 m.
    """
    world = lab.world()
    rods = _on_a_hinge(world, 2)
    info = world.body(rods[0])
    started = energy(world, rods)
    run(world, 2.0)
    middle = world.state(rods[1]).position
    exact = double_pendulum_middle(info.mass, info.inertia, 2.0, 10_000)
    run(world, 18.0)
    lost = (started - energy(world, rods)) / (2.0 * info.mass * GRAVITY)
    return [
        absolute("position error of the second rod after 2 s", 0.0, math.dist(middle, exact), 4e-3, "m"),
        at_most("energy lost in 20 s", abs(lost), 0.02, ""),
    ]


@reference("two free rods on a hinge, 10 s")
def free_rods(lab: Lab) -> list[Row]:
    """Without external forces angular momentum is conserved, and so is energy, because a hinge does no work."""
    world = lab.world(gravity=(0.0, 0.0))
    rods = [body(world, ROD, (x, 0.0)) for x in (-0.5, 0.5)]
    world.create_joint(RevoluteJointSpec(rods[0], rods[1], (0.0, 0.0)))
    world.set_velocity(rods[0], (0.0, -1.5), 3.0)
    world.set_velocity(rods[1], (0.0, -2.5), -5.0)

    def angular_momentum() -> float:
        total = 0.0
        for rod in rods:
            state, info = world.state(rod), world.body(rod)
            (x, y), (vx, vy) = state.position, state.linear_velocity
            total += info.mass * (x * vy - y * vx) + info.inertia * state.angular_velocity
        return total

    world.step()
    before = angular_momentum(), energy(world, rods)
    run(world, 10.0)
    return [
        relative("angular momentum", before[0], angular_momentum(), 1e-3),
        relative("energy", before[1], energy(world, rods), 5e-3),
    ]


@reference("catenary of 20 links, span 8 m", is_slow=True)
def catenary(lab: Lab) -> list[Row]:
    """Rods of 0.5 m hang between two points 8 m apart.

    The horizontal force H is the same at all ends of links, and the moments of link i balance if ``tan th_i = w (i - 9.5) / H``, with the
    weight w of a link. Bisection finds the H for which ``sum 0.5 cos th_i`` is the span. The links start there and swing, damped, for 20 s.
    """
    n, length, span = 20, 0.5, 8.0

    def angles(pull: float) -> list[float]:
        return [math.atan((k - 0.5 * (n - 1)) / pull) for k in range(n)]

    low, high = 1e-3, 1e3  # in weights of a link; the more, the wider
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if sum(length * math.cos(angle) for angle in angles(middle)) < span else (low, middle)
    nodes = [(0.0, 0.0)]
    for angle in angles(low):
        nodes.append((nodes[-1][0] + length * math.cos(angle), nodes[-1][1] + length * math.sin(angle)))
    world = lab.world()
    support = body(world, Circle(0.1), (0.0, 10.0), type="static")
    links = []
    for k, angle in enumerate(angles(low)):
        middle_of = (0.5 * (nodes[k][0] + nodes[k + 1][0]), 0.5 * (nodes[k][1] + nodes[k + 1][1]))
        shape = Polygon.box(0.5 * length, 0.03)
        links.append(body(world, shape, middle_of, angle, mask=0, linear_damping=1.0, angular_damping=1.0))
    for k, (one_body, other) in enumerate(zip([support, *links], [*links, support], strict=True)):
        world.create_joint(RevoluteJointSpec(one_body, other, nodes[k]))
    run(world, 20.0)
    off = [math.dist(world.state(link).xf.apply((0.5 * length, 0.0)), nodes[k + 1]) for k, link in enumerate(links)]
    return [at_most("farthest node", max(off), 5e-3, "m")]
