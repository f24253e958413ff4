"""All copies of a shared world go through the same states, also those of late clients; the command tests more."""

import pytest

from tests.hazards.netlab_agreement import JOINS_AT, SOLVERS, agree, is_fine


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scene", ["radial_engine", "scene_file"])
def test_all_copies_agree(scene, solver):
    result = agree(scene, solver, JOINS_AT + 200)
    assert is_fine(result), result.problems
