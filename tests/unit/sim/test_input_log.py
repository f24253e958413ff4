"""The log of inputs: what was done, at which step, and an input put into the past."""

from __future__ import annotations

from engine.sim.action import Input
from engine.sim.actions import Drag, Grab, Release, Restart
from engine.sim.input_log import InputLog


def log(*steps: str) -> InputLog:
    """Return a log whose steps are told by letters: g for a grab, d for a drag."""
    actions = {"g": Input(Grab((0.0, 0.0))), "d": Input(Drag((1.0, 0.0)))}
    return InputLog([tuple(actions[letter] for letter in step) for step in steps])


def test_a_new_log_has_a_place_before_the_first_step() -> None:
    empty = InputLog()
    assert empty.last == 0 and empty[0] == () and empty.marks == ()
    empty.add_step()
    assert empty.last == 1


def test_an_input_is_put_at_a_past_step_and_marked() -> None:
    inputs = log("", "d", "g", "")
    assert inputs.marks == (2,)
    early = Input(Restart())
    inputs.insert(1, early, at=0)
    assert [type(one.action) for one in inputs[1]] == [Restart, Drag] and inputs.marks == (1, 2)
    inputs.insert(2, Input(Release()))
    assert [type(one.action) for one in inputs[2]] == [Grab, Release] and inputs.marks == (1, 2) and inputs.last == 3


def test_its_beginning_is_another_log_and_a_cut_is_the_same_one() -> None:
    inputs = log("g", "dd", "g", "g")
    beginning = inputs.until(1, 1)
    assert beginning.last == 1 and len(beginning[1]) == 1 and inputs.last == 3
    assert beginning.is_same_at(0, inputs) and not beginning.is_same_at(1, inputs)
    assert inputs.marks == (0, 2, 3)
    inputs.cut(2, 0)
    assert inputs.last == 2 and inputs.marks == (0,)
    inputs.insert(2, Input(Restart()))
    inputs.add_step()
    assert inputs.marks == (0, 2)
