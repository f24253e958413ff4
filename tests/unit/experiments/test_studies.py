"""The studies: orders of integrators, and what each of the others counts; costs are never held to a number."""

from __future__ import annotations

import numpy as np
import pytest

from engine.common.errors import InvalidInputError
from engine.dynamics.integrators import INTEGRATORS, ORDERS
from engine.experiments.studies import chosen
from engine.experiments.studies.integrators import MOTIONS, errors_of, order_of, worst_energy


@pytest.mark.parametrize("name", INTEGRATORS)
@pytest.mark.parametrize("motion", [name for name, motion in MOTIONS.items() if motion.is_smooth])
def test_orders_of_smooth_motions(motion: str, name: str) -> None:
    assert order_of(MOTIONS[motion], errors_of(MOTIONS[motion], name)[0]) == pytest.approx(ORDERS[name], abs=0.1)


@pytest.mark.parametrize(("motion", "most"), [("spring_floor", 2.3), ("damped_floor", 1.3)])
def test_a_kink_and_a_jump_take_the_order_of_rk4_away(motion: str, most: float) -> None:
    numbers = (64, 256, 1024, 4096)  # the place of the kink in its step is as good as random: within a power of two or three
    assert order_of(MOTIONS[motion], errors_of(MOTIONS[motion], "rk4", numbers)[0], numbers) < most


@pytest.mark.parametrize("motion", MOTIONS)
def test_closed_forms_fulfil_their_laws(motion: str) -> None:
    law, e = MOTIONS[motion], 1e-5
    for t in (0.1, 0.5, 0.63):
        (before, slow), (x, v), (after, fast) = (law.exact(t + d) for d in (-e, 0.0, e))
        assert (after - before) / (2.0 * e) == pytest.approx(v, abs=1e-6)
        assert (fast - slow) / (2.0 * e) == pytest.approx(law.rate(t, x, v), abs=1e-5)


def test_symplectic_integrators_keep_energy_and_others_do_not() -> None:
    worst = {name: np.array([worst_energy(name, seconds, 1.0 / 60.0)[0] for seconds in (5.0, 20.0)]) for name in INTEGRATORS}
    assert all(worst[name][1] < 1.01 * worst[name][0] for name in ("semi_implicit_euler", "velocity_verlet"))
    assert all(worst[name][1] > 3.5 * worst[name][0] for name in ("explicit_euler", "midpoint", "rk4"))


def test_an_unknown_study_is_refused_by_name() -> None:
    with pytest.raises(InvalidInputError, match=r"NAMES must be among integrators.*got 'integrator'"):
        chosen(["integrator"])
