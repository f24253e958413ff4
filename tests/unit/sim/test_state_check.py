"""A state modified in transit is rejected before any of it is used, and the demo stays unchanged."""

import msgspec
import pytest

from engine.common.errors import InvalidInputError
from engine.geometry import Circle, Polygon
from engine.sim.actions import CreateBody, Join, PressKey, Restart, SetAwake, UndoOwn, encode_action
from engine.sim.demo import Demo
from engine.sim.history import History, demo_hash
from engine.sim.parameters import Parameter
from engine.sim.state import StateError, decode_state, encode_state
from engine.world import BodySpec, FixtureSpec, World


class Table(Demo):
    """A ground and two discs on each of its stages; key A adds a stage."""

    id = "table"
    parameters = (Parameter("count", 1.0, 1.0, 5.0),)

    def build(self):
        self.view_state = "of its build"
        self.score = 0
        for _ in range(int(self.parameter("count"))):
            self.add_table()

    def add_table(self, x=0.0):
        world = self.add_stage(World(), (x, 0.0)).world
        world.create_body(BodySpec((FixtureSpec(Polygon.box(20.0, 0.5)),), type="static"))
        for k in range(2):
            world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), position=(2.0 * k, 3.0)))

    def on_key(self, key):
        if key == "a":
            self.add_table(7.0)
        return key == "a"


def changed(state, change):
    """Return a state with modified plain data (id, parameters, worlds, attributes of demo, simulation and stages)."""
    end = 4 + int.from_bytes(state[:4], "little")
    plain = msgspec.msgpack.decode(state[4:end])
    change(plain)
    content = msgspec.msgpack.encode(plain)
    return len(content).to_bytes(4, "little") + content + state[end:]


def check_refused(change, words):
    """Check that a modified state is rejected with these words."""
    demo = Table()
    demo.sim.act(Join(), 1)
    state = changed(encode_state(demo), change)
    there = Table()
    before = encode_state(there)
    with pytest.raises(StateError, match=words):
        decode_state(there, state)
    assert encode_state(there) == before


def set_in(part, name, value):
    """Return a change of an attribute of the demo (0) or of its simulation (1)."""
    return lambda plain: plain[4 + part].__setitem__(name, value)


def set_in_users(name, value):
    return lambda plain: plain[5]["users"]["object"][1].__setitem__(name, value)


def set_in_user(name, value):
    """Return a change of an attribute of user 1."""
    return lambda plain: plain[5]["users"]["object"][1]["users"]["dict"][0][1]["object"][1].__setitem__(name, value)


def inverse_of(action, old=(), pose=0.0):
    """Return the plain data of an inverse of one action."""
    poses = {"tuple": [{"tuple": [pose, 0.0, 0.0]}, {"tuple": [0.0, 0.0, 0.0]}]}
    part = {"action": {"action": encode_action(action)}, "old": {"tuple": list(old)}, "poses": poses}
    parts = {"tuple": [{"object": ["engine.sim.action:Part", part]}]}
    return {"object": ["engine.sim.action:Inverse", {"words": "it", "parts": parts}]}


HIDING = {"id": "other", "parameters": [1], "no_edits": 5, "takes_keys": 5}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (set_in_users("_owed", 16 * 5000), "sim.users: .*_owed"),
        (set_in_users("ticks", 2**60), "sim.users: .*ticks"),
        (
            lambda plain: plain[3][0].__setitem__(10, [0, 3, 0]),
            r"\.world\.next_ids must exceed all ids of bodies, got 0",
        ),
        (lambda plain: plain[3][0].__setitem__(10, [3, 2, 0]), r"next_ids must exceed all ids of fixtures, got 2"),
        (set_in_user("next_ids", {"dict": [[0, {"tuple": [9, 9, 9]}]]}), r"sim\.users\[1\]\.next_ids must be in the user's own range"),
        (set_in(1, "hertz", float("nan")), "sim: .*hertz"),
        (set_in(1, "hertz", 1e300), "sim: .*hertz"),
        (set_in(1, "solver_settings", [["x", 1.0]]), r"sim\.solver_settings must be \(\('x', 1\.0\),\), got \["),
        (set_in(1, "solver_settings", {"tuple": [{"tuple": ["x", float("nan")]}]}), r"sim\.solver_settings"),
        (set_in_user("pushes", {"frozenset": ["a"]}), r"sim\.users\[1\]\.pushes must be .*, got frozenset"),
        (set_in_user("undo", [inverse_of(UndoOwn())]), r"undo must contain only actions that are allowed in an inverse"),
        (set_in_user("undo", [inverse_of(Restart())]), r"undo must contain only actions that are allowed in an inverse"),
        (set_in_user("undo", [inverse_of(CreateBody(0, {}), old=[1, 2])]), r"undo must have the old ids"),
        (set_in_user("undo", [inverse_of(SetAwake(0, 1, True), pose=float("nan"))]), r"undo must have poses of three finite"),
        *((set_in(0, name, value), f"'{name}' is not part of a state") for name, value in HIDING.items()),
        (lambda plain: plain[4].pop("score"), "the state must have 'score', as every state of table has"),
        (set_in(0, "steps", 2**60), "demo: .*steps"),
        (set_in(1, "solver_settings", {"tuple": [["x", 1.0]]}), r"sim\.solver_settings must be \(\('x', 1\.0\),\), got \(\["),
    ],
)
def test_a_modified_state_is_rejected(change, words):
    check_refused(change, words)


def test_a_stage_added_later_follows_the_timeline():
    history = History(Table(0))
    for _ in range(10):
        history.step()
    history.act(PressKey("a"))
    while history.now < 130:
        history.step()
    hashes = {step: history.hash_at(step) for step in (5, 70, 125)}
    for step, n_stages in ((5, 1), (125, 2), (70, 2), (5, 1)):
        history.seek(step)
        assert len(history.demo.stages) == n_stages and demo_hash(history.demo) == hashes[step] and history.divergence is None
        assert [stage.offset[0] for stage in history.demo.stages] == [0.0, 7.0][:n_stages]
    history.seek(125)
    there = Table()
    decode_state(there, encode_state(history.demo))
    assert demo_hash(there) == demo_hash(history.demo)
    there.sim.step()


@pytest.mark.parametrize("keeps_what_no_state_can_hold", [False, True])
def test_a_rejected_state_with_other_parameters_changes_nothing(keeps_what_no_state_can_hold):
    there = Table()
    there.view_state = "of its picture"
    there.steps = 7
    if keeps_what_no_state_can_hold:
        there.own = len
    stages = list(there.stages)
    with pytest.raises(StateError):
        decode_state(there, changed(encode_state(Table(0, {"count": 3.0})), set_in(0, "more", {"bad": 1})))
    assert there.stages == stages and there.values == {"count": 1.0} and there.steps == 7
    assert there.view_state == "of its picture" and hasattr(there, "own") == keeps_what_no_state_can_hold


def test_an_id_in_use_is_not_reused():
    world = Table().stages[0].world
    world.destroy_body(1)
    world.hand_out((1, 9, 0))
    assert world.create_body(BodySpec()) == 1
    with pytest.raises(InvalidInputError, match="body must be an unused id, got 2"):
        world.create_body(BodySpec())
    assert world.body_ids == (0, 1, 2)
