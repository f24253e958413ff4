"""Compares random stacks of each kind with the exact forces. More: ``python -m tests.hazards.random_stacks 1000``."""

import pytest

from tests.hazards.random_stacks import KINDS, MOST, error_of


@pytest.mark.parametrize("kind", KINDS)
def test_contact_forces_equal_the_exact_ones(kind):
    errors = {number: error_of(kind, number, seed=1) for number in range(7)}
    assert {number: error for number, error in errors.items() if error > MOST} == {}
