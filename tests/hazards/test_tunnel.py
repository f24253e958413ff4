"""A few rooms of every family (`tunnel`); more: ``python -m tests.hazards.tunnel 500 7``."""

import pytest

from tests.hazards.tunnel import FAMILIES, judge, make


@pytest.mark.parametrize("family", FAMILIES)
def test_no_body_leaves_a_room(family):
    for seed in range(4):
        case = make(family, seed)
        assert judge(case) is None, case.words


def test_the_judge_detects_bodies_that_leave():
    left = 0
    for seed in range(4):
        case = make("static", seed)
        case.world.set_settings(continuous=False)
        left += judge(case) is not None
    assert left >= 2


@pytest.mark.parametrize(("family", "seed"), [("driven", 1092), ("loose", 1024)])
def test_a_body_that_left_remains_counted(family, seed):
    """A body that had lost time was passed by a room that had not, and vice versa."""
    case = make(family, seed)
    assert judge(case) is None, case.words
