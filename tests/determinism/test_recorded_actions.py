"""Random input recorded before actions were types gives the same hashes when replayed as actions.

Two demos played by one user, with changes of the solver during the run, and one shared by three users who undo, drive and rejoin.
"""

import json
from pathlib import Path

import pytest

from engine.box2d import memory
from engine.common.errors import LabError
from engine.net.shared_simulation import SharedSimulation, UserAction
from engine.sim.actions import Input, action_of
from engine.sim.history import History, demo_hash
from engine.sim.registry import find_demo
from tests.determinism.state_hashes import FILE, machine

FOLDER = Path(__file__).with_name("actions")


@pytest.mark.parametrize("name", ["bridge", "car", "simple_shapes"])
def test_recorded_actions_end_in_the_same_hash(name):
    if json.loads(FILE.read_text(encoding="utf-8"))["machine"] != machine():
        pytest.skip("another libm, or another Box2D, has other bits")
    memory.load()
    recorded = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    demo = find_demo(recorded["demo"])(recorded["seed"], recorded.get("values", {}))
    rows = [(step, user, action_of(plain)) for step, user, plain in recorded["inputs"]]
    assert len(rows) > 80
    if recorded["is_shared"]:
        simulation = SharedSimulation(demo, goes_back=False)
        for number, (tick, user, action) in enumerate(rows):
            simulation.add(tick, UserAction(user, number, action))
        for _ in range(recorded["steps"]):
            simulation.step()
    else:
        history = History(demo)
        for step in range(recorded["steps"]):
            for _, _, action in (row for row in rows if row[0] == step):
                history.follow(Input(action))
            try:
                history.step()
            except LabError:
                continue  # as then
    assert demo_hash(demo).hex() == recorded["hash"]
