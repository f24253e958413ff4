"""A motor joint that made a free pair spin, and a pulley that ran out (issue 29); `test_invariants.py` has more of both kinds."""

import runpy
from pathlib import Path

import pytest

from engine.world import methods

OURS = methods()


def _run(case):
    run = runpy.run_path(str(Path(__file__).parent / case / "case.py"))["run"]
    return run


@pytest.mark.parametrize("method", OURS)
def test_a_motor_joint_between_two_free_discs_creates_no_spin(method):
    worst, spin = _run("08-motor-joint-makes-spin")(method, seconds=2)
    assert worst <= 1e-9
    assert spin == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize("method", OURS)
def test_a_pulley_stops_at_the_end_of_its_rope(method):
    low, high, slack, fastest = _run("11-pulley-run-out")(method, 240)
    assert (low, high) == pytest.approx((2.0, 10.0), abs=0.05)
    assert slack < 0.3 and fastest < 9.0
