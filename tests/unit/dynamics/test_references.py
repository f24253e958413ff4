"""Compares the soft step with exact solutions and in hard scenes: every row of `engine.experiments.references` is within its limit."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import linprog
from scipy.special import ellipk

from engine.common.arrays import FloatArray
from engine.experiments import scenes
from engine.experiments.references import REFERENCES, Lab
from engine.experiments.references.standing import (
    ARCH_FRICTION,
    DOMINO_SPEED,
    domino_speed,
    pyramid_world,
)
from engine.experiments.references.swinging import double_pendulum_middle, elliptic_k
from engine.geometry.mass import polygon_mass
from engine.world import WorldSettings

BY_8 = {
    # what stood under the load is pushed apart in one pass, in which a disc gets 0.2 m/s that no second pass takes back
    ("warm_start", "energy gained"): 0.0062,
    # a corner has one contact in place of two to bear a house by, and an overlap goes with the load on the masses of the pair
    ("mass_ratio_wedges", "overlap"): 34.1,
    # stood before both points of a contact were solved together; the cause is not known
    ("mass_ratio_boxes", "the house falls"): 1.0,
    ("mass_ratio_boxes", "overlap"): 53.0,
    # corrections move crammed bodies at 1.2 m/s at most, so that a heap makes no energy: a full box stays crammed
    ("confined", "overlap"): 1.0,
    # met before both points of a contact, and the rows of a joint, were solved together; the cause is not known
    ("double_pendulum", "position error of the second rod after 2 s"): 4.17e-3,
}
"""Demands that are missed with 8 sub-steps: the measured error, and why."""

BY_32 = {
    # the softness of its joint, which each sub-step damps a little: of first order
    ("pendulum", "swing lost"): 0.06,
    # the place of a joint's bodies is of first order
    ("double_pendulum", "position error of the second rod after 2 s"): 1.5e-3,
    # contacts are found once a step, of 1/60 s, whatever the sub-steps
    ("dominoes", "speed of the wave, m/s"): 0.015,
}
"""Exact solutions that 32 sub-steps do not bring to a tenth of the demand: the accepted error, and why."""


def _named(slow, chapter=None):
    """Return the names as parameters; those of long scenes and those in `slow` are marked."""
    return [
        pytest.param(reference.name, marks=pytest.mark.slow if reference.is_slow or reference.name in slow else ())
        for reference in REFERENCES.values()
        if chapter in (None, reference.chapter)
    ]


def _holds(name, n_steps, share, borne):
    for row in REFERENCES[name].measure(Lab("soft_step", n_steps)):
        assert row.error <= borne.get((name, row.what), share * row.demand), row


@pytest.mark.parametrize("name", _named(slow=()))
def test_with_eight_sub_steps_every_requirement_is_met(name):
    _holds(name, 8, 1.0, BY_8)


@pytest.mark.parametrize("name", _named(slow=("double_pendulum", "pendulum", "free_rods", "stack_forces"), chapter="exact"))
def test_with_32_sub_steps_errors_are_a_tenth_of_the_limit(name):
    _holds(name, 32, 0.1, BY_32)


def test_tolerated_failures_name_existing_rows():
    assert {name for name, _ in [*BY_8, *BY_32]} <= set(REFERENCES)


# The exact values, by other means


def test_the_elliptic_integral():
    assert [elliptic_k(m) for m in (0.0, 0.5, 0.99)] == pytest.approx([ellipk(m) for m in (0.0, 0.5, 0.99)], rel=1e-14)


def test_the_double_pendulum():
    mass, inertia, g = 0.1, 0.1 * 1.01 / 12.0, 10.0

    def rates(_, state):
        p, q, u, v = state
        matrix = np.array([[inertia + 1.25 * mass, 0.5 * mass * math.cos(p - q)], [0.5 * mass * math.cos(p - q), inertia + 0.25 * mass]])
        turning = 0.5 * mass * math.sin(p - q)
        right = [-turning * v * v - 1.5 * mass * g * math.sin(p), turning * u * u - 0.5 * mass * g * math.sin(q)]
        return [u, v, *np.linalg.solve(matrix, right)]

    p, q, _, _ = solve_ivp(rates, (0.0, 2.0), [math.pi / 2, math.pi / 2, 0.0, 0.0], "DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    exact = math.sin(p) + 0.5 * math.sin(q), -math.cos(p) - 0.5 * math.cos(q)
    assert double_pendulum_middle(mass, inertia, 2.0, 10_000) == pytest.approx(exact, abs=1e-9)


Joint = tuple[FloatArray, FloatArray, int, int]
"""A point at which bodies A and B touch, the normal from A to B, and their numbers, -1 for the ground."""


def _balance(joints, centers, weights):
    """Return the matrix and the right-hand side of the equilibrium of normal and tangential forces at all joints with the weights and
    moments.
    """
    matrix, right = np.zeros((3 * len(centers), 2 * len(joints))), np.zeros(3 * len(centers))
    right[1::3] = weights
    for k, (point, normal, a, b) in enumerate(joints):
        for column, (fx, fy) in ((2 * k, normal), (2 * k + 1, (normal[1], -normal[0]))):
            for body, sign in ((a, -1.0), (b, 1.0)):
                if body >= 0:
                    x, y = point - centers[body]
                    matrix[3 * body : 3 * body + 3, column] += sign * np.array((fx, fy, x * fy - y * fx))
    return matrix, right


def _cone(n, friction):
    """Return rows that are <= 0 if each of `n` tangential forces is within its friction limit."""
    rows = np.zeros((2 * n, 2 * n))
    for k in range(n):
        rows[2 * k : 2 * k + 2, 2 * k], rows[2 * k, 2 * k + 1], rows[2 * k + 1, 2 * k + 1] = -friction, 1.0, -1.0
    return rows


def test_the_minimum_friction_of_the_arch_by_a_linear_program():
    stones = scenes.arch_stones()
    data = [polygon_mass(stone, 1.0) for stone in stones]
    centers = [np.array(mass.centroid) for mass in data]
    joints = []
    for k, (stone, other) in enumerate(pairwise(stones)):
        shared = [corner for corner in stone if np.hypot(*(other - corner).T).min() < 1e-9]
        along = shared[1] - shared[0]
        normal = np.array((along[1], -along[0])) / np.hypot(*along)
        normal *= np.sign(normal @ (centers[k + 1] - centers[k]))
        joints += [(corner, normal, k, k + 1) for corner in shared]
    up = np.array((0.0, 1.0))
    joints += [(corner, up, -1, k) for k in (0, len(stones) - 1) for corner in stones[k] if corner[1] == 0.0]
    matrix, right = _balance(joints, centers, [10.0 * mass.mass for mass in data])
    bounds = [(0.0, None), (None, None)] * len(joints)

    def stands(friction):
        cone = _cone(len(joints), friction)
        solution = linprog(np.zeros(2 * len(joints)), A_ub=cone, b_ub=np.zeros(len(cone)), A_eq=matrix, b_eq=right, bounds=bounds)
        return bool(solution.status == 0)

    assert not stands(ARCH_FRICTION - 2e-5) and stands(ARCH_FRICTION + 2e-5)


def test_forces_in_a_pyramid_are_within_the_bounds_of_a_linear_program():
    world, boxes = pyramid_world(Lab())
    contacts, number = world.contacts, {box: k for k, box in enumerate(boxes)}
    ends = zip(contacts.body_a.tolist(), contacts.body_b.tolist(), contacts.normal, contacts.position, strict=True)
    joints = [(point, normal, number.get(a, -1), number.get(b, -1)) for a, b, normal, two in ends for point in two]
    assert (contacts.count == 2).all()
    matrix, right = _balance(joints, [np.array(world.state(box).position) for box in boxes], [10.0] * len(boxes))
    cone, bounds = _cone(len(joints), 0.6), [(0.0, None), (None, None)] * len(joints)
    forces = contacts.normal_impulse.reshape(-1) * 60.0
    for k in range(0, len(joints), 7):  # some: each takes two programmes
        objective = np.zeros(2 * len(joints))
        objective[2 * k] = 1.0
        least, most = (
            sign * linprog(sign * objective, A_ub=cone, b_ub=np.zeros(len(cone)), A_eq=matrix, b_eq=right, bounds=bounds).fun
            for sign in (1.0, -1.0)
        )
        assert least - 1e-6 <= forces[k] <= most + 1e-6


@pytest.mark.slow
def test_the_domino_wave_with_short_steps():
    finer, finest = (domino_speed(WorldSettings(hertz=hertz, sleeping=False), "soft_step") for hertz in (960.0, 1920.0))
    assert finest == pytest.approx(DOMINO_SPEED, rel=1e-3) and finest == pytest.approx(finer, rel=2e-3)
