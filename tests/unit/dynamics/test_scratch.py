"""A step depends only on its input, not on previous contents of its memory or data left by the last step (issue 29)."""

import os
import subprocess
import sys

import pytest

from tests.unit.dynamics.scratch import CASES, SCENES, depends_on_scratch, state_bytes


@pytest.mark.parametrize("scene", ["contacts", "twice_joined"])
@pytest.mark.parametrize(("solver", "chosen"), CASES)
def test_one_step_from_one_snapshot_is_always_the_same(solver, chosen, scene):
    world = SCENES[scene](solver, chosen)
    for _ in range(3):
        world.step()
    kept, states = world.snapshot(), set()
    for _ in range(20):
        world.restore(kept)
        world.step()
        states.add(state_bytes(world))
    assert len(states) == 1


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize(("solver", "chosen"), CASES)
def test_results_do_not_depend_on_previous_memory_contents(solver, chosen, scene):
    assert depends_on_scratch(scene, solver, chosen) == ""


def test_results_do_not_depend_on_uninitialized_or_out_of_range_memory():
    """The kernels run as plain Python in a separate process."""
    call = [sys.executable, "-m", "tests.unit.dynamics.scratch"]
    done = subprocess.run(call, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True)
    assert (done.stdout.strip(), done.returncode) == ("", 0), done.stderr
