"""What the gallery predicts holds on our own solver too, within the allowance that holds for Box2D."""

from __future__ import annotations

import pytest

from tests.unit.demos.gallery_numbers import ROWS, Row

QUICK = ("pulley", "radial_engine", "scattering", "breakable")


@pytest.mark.parametrize(
    "row",
    [pytest.param(row, id=f"{row.scene}: {row.what}", marks=() if row.scene in QUICK else pytest.mark.slow) for row in ROWS],
)
def test_a_number_of_the_gallery_holds_on_our_own_solver(row: Row) -> None:
    number = row.take("soft_step")
    assert number.holds, number
