"""A branch of the history: actions by step, the steps at which they started, and where two branches diverge."""

from engine.sim.action import Input
from engine.sim.actions import Drag, Grab, Restart
from engine.sim.branch import Branch

GRAB, DRAG = Grab((0.0, 0.0)), Drag((1.0, 0.0))


def branch(*steps):
    """Return a branch whose inputs are given by letters: g for a grab, d for a drag."""
    made = Branch()
    for step, letters in enumerate(steps):
        if step > 0:
            made.add_step()
        made.states.hashes.append(bytes([step]))
        made.add(step, [Input(GRAB if letter == "g" else DRAG) for letter in letters])
    return made


def test_steps_at_which_an_action_started_are_marked():
    made = branch("", "d", "g", "gd")
    assert made.last == 3 and made.marks == [2, 3]
    made.add(1, [Input(Restart())])
    assert made.marks == [1, 2, 3] and len(made.inputs[1]) == 2
    made.cut(2, 0)
    assert made.last == 2 and made.marks == [1] and made.inputs[2] == ()


def test_a_branch_begins_at_a_different_action():
    full = branch("g", "dd", "g", "g")
    start = full.until(1, 1)
    assert start.last == 1 and len(start.inputs[1]) == 1 and full.last == 3
    assert start.parting(full) == full.parting(start) == (1, 1)
    start.add(1, [Input(GRAB)])
    assert start.parting(full) == (1, 1) and start.marks == [0, 1]
    assert full.parting(full) == (3, 1)
    other = full.until(3, 1)
    other.states.hashes[2] = b"x"
    assert full.parting(other) == (1, 2)
