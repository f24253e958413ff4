"""The state of a demo as bytes: another copy that loads it continues bit for bit; a damaged state is rejected."""

import contextlib
import functools
import subprocess
import sys
import zlib
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from engine.app.files.opening import load_any_scene, load_dropped
from engine.cli.own_demo import load_own_demo
from engine.common.errors import InvalidInputError, LabError
from engine.common.rng import stream
from engine.decompose import load_body
from engine.experiments.solvers.scenes import SCENES, write_scenes
from engine.net.messages import SharedScene
from engine.net.netlab.random_user import RandomUser
from engine.net.scene import check_shareable, make_demo, shared_scene
from engine.net.shared_simulation import SharedSimulation, UserAction
from engine.sim import registry
from engine.sim.actions import Drop, Join, Pause, Restart, SetParameter, action_of, as_plain
from engine.sim.history import demo_hash
from engine.sim.registry import all_demos, find_demo
from engine.sim.scene_demo import scene_demo
from engine.sim.state import compress_state, decode_state, decompress_state, encode_state
from engine.sim.values import StateError
from engine.world import solvers

N_BEFORE, N_AFTER = 90, 60
SHARED = tuple(kind.id for kind in all_demos() if kind.id not in ("pair", "stepper", "bounding_volumes"))
"""Demos with a world."""


class Hand:
    """A user who does anything except pause; `done` lists the actions with their ticks."""

    def __init__(self, simulation, user):
        self.simulation, self.user = simulation, user
        self.done = []
        self.mind = RandomUser(stream(user, simulation.demo.id), self.act, rate=6.0)
        self.act(Join())

    def act(self, action):
        if not isinstance(action, Pause):
            act = UserAction(self.user, len(self.done), self.simulation.demo.sim.resolve(action))
            self.done.append((self.simulation.now, act))
            with contextlib.suppress(LabError):
                self.simulation.act(act)


class Begun:
    """A demo at a keyframe, with three users who keep acting."""

    def __init__(self, demo):
        self.demo, self.simulation = demo, SharedSimulation(demo)
        self.hands = [Hand(self.simulation, user) for user in (1, 2, 3)]
        self.go_on(N_BEFORE)

    def go_on(self, until=N_BEFORE + N_AFTER):
        while self.simulation.now < until:
            for hand in self.hands:
                hand.mind.play(self.demo, self.simulation.now / 60.0)
            self.simulation.step()

    @property
    def acts(self):
        """Return the actions after the keyframe."""
        return [act for hand in self.hands for act in hand.done if act[0] >= N_BEFORE]


def repeated(demo, acts):
    """Return the simulation of a demo that loaded another's state, after the actions that followed there."""
    simulation = SharedSimulation(demo, N_BEFORE)
    for tick, act in acts:
        simulation.add(tick, act)
    while simulation.now < N_BEFORE + N_AFTER:
        simulation.step()
    return simulation


def check_goes_on(demo):
    """Return the number of distinct states, which is small for a world at rest."""
    here = Begun(demo)
    state = encode_state(demo)
    there = make_demo(shared_scene(demo))
    decode_state(there, state)
    assert encode_state(there) == state
    here.go_on()
    digests = repeated(there, here.acts).digests
    assert digests == {tick: here.simulation.digests[tick] for tick in digests} and here.acts
    return len(set(digests.values()))


@pytest.mark.parametrize(("id", "solver"), [("simple_shapes", "box2d"), ("bridge", "soft_step"), ("bullet", "box2d")])
def test_a_demo_continues_identically_on_another_copy(id, solver):
    assert check_goes_on(find_demo(id)(0, solver=solver)) > N_AFTER // 6


def test_a_chosen_rate_is_transferred_and_survives_a_restart():
    demo = find_demo("bridge")(0, hertz=120.0)
    assert check_goes_on(demo) > 10
    there = make_demo(shared_scene(demo))
    there.sim.act(Restart())
    assert there.step_seconds == demo.step_seconds == 1.0 / 120.0
    with pytest.raises(InvalidInputError, match=r"scene\.hertz must be from 10 to 240 Hz, got 1000"):
        make_demo(replace(shared_scene(demo), hertz=1000.0))


def test_a_scene_file_continues_on_another_copy(tmp_path):
    (path,) = write_scenes(tmp_path, [SCENES["catapult"]])
    check_goes_on(scene_demo(load_any_scene(str(path)))(0))


@pytest.mark.slow
@pytest.mark.parametrize("id", SHARED)
def test_every_demo_continues_on_another_copy(id):
    for solver in (None, "soft_step"):
        check_goes_on(find_demo(id)(0, solver=solver))


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENES)
def test_every_scene_file_continues_on_another_copy(name, tmp_path):
    (path,) = write_scenes(tmp_path, [SCENES[name]])
    for solver in ("box2d", "soft_step"):
        check_goes_on(scene_demo(load_any_scene(str(path)), str(path))(0, solver=solver))


@pytest.mark.slow
@pytest.mark.parametrize("solver", solvers())
def test_every_solver_continues_on_another_copy(solver):
    for id in ("bridge", "ragdoll_pile", "walker"):
        check_goes_on(find_demo(id)(0, solver=solver))


def digests_elsewhere(path):
    """Return the last digests of demos that continue from the scenes, states and actions of a file, computed in another process."""
    digests = []
    for scene, state, acts in msgspec.msgpack.decode(Path(path).read_bytes()):
        demo = make_demo(scene)
        decode_state(demo, state)
        inputs = [(tick, UserAction(user, number, action_of(plain))) for tick, user, number, plain in acts]
        digests.append(repeated(demo, inputs).digests[N_BEFORE + N_AFTER].hex())
    return digests


@pytest.mark.slow
def test_every_demo_continues_in_another_process(tmp_path):
    cases, digests = [], []
    for id in SHARED:
        here = Begun(find_demo(id)(0))
        scene, state = shared_scene(here.demo), encode_state(here.demo)
        here.go_on()
        cases.append((scene, state, [(tick, act.user, act.number, as_plain(act.action)) for tick, act in here.acts]))
        digests.append(here.simulation.digests[here.simulation.now].hex())
    (tmp_path / "states").write_bytes(msgspec.msgpack.encode(cases))
    code = "import sys; from tests.unit.net.test_state import digests_elsewhere; print(*digests_elsewhere(sys.argv[1]))"
    run = subprocess.run([sys.executable, "-c", code, str(tmp_path / "states")], capture_output=True, text=True, check=True)
    assert run.stdout.split() == digests


def test_a_running_demo_loads_another_state():
    here, there = Begun(find_demo("simple_shapes")(0)), find_demo("simple_shapes")(0)
    for _ in range(40):
        there.sim.step()
    there.sim.act(SetParameter("count", 12.0))
    stage = there.stages[0]
    decode_state(there, encode_state(here.demo))
    assert demo_hash(there) == demo_hash(here.demo) and there.stages[0] is not stage, "of another count it is built anew"
    stage = there.stages[0]
    stage.world.set_pose(stage.world.body_ids[-1], (0.0, 9.0), 1.0)
    decode_state(there, encode_state(here.demo))
    assert there.stages[0] is stage, "the window holds it"
    here.go_on()
    digests = repeated(there, here.acts).digests
    assert digests == {tick: here.simulation.digests[tick] for tick in digests}


def test_a_dropped_file_is_transferred():
    demo = find_demo("simple_shapes")(0)
    dropped = demo.sim.act(Drop.of(load_dropped("sprites/figure.png", 1.2), (0.0, 9.0)))
    SharedSimulation(demo).step()
    state, there = encode_state(demo), find_demo("simple_shapes")(0)
    decode_state(there, state)
    (body,) = there.dropped
    assert body.is_there and body.stage is there.stages[0] and body.file is not dropped.file
    assert body.file.pieces == dropped.file.pieces and encode_state(there) == state
    assert body.file.picture == dropped.file.picture is not None


def dropped_with_picture(name):
    demo = find_demo("simple_shapes")(0)
    demo.sim.act(replace(Drop.of(load_body("sprites/figure_body.json"), (0.0, 9.0)), picture=(name, (-1.0, -1.0), (1.0, 1.0), None)))
    return demo


def test_a_state_names_no_file_outside_the_working_directory(tmp_path, monkeypatch):
    """Issue 30: a recording from another computer could open any picture, and local recordings contained folder names."""
    here, there = dropped_with_picture("../secret.png"), find_demo("simple_shapes")(0)
    assert b"secret" not in encode_state(here)
    decode_state(there, encode_state(here, is_kept=True))
    assert there.dropped[0].file.picture is None
    decode_state(there, encode_state(here, is_kept=True), is_kept=True)
    assert there.dropped[0].file.picture == here.dropped[0].file.picture is not None

    own = encode_state(dropped_with_picture("pictures/own.png"))
    assert str(Path.cwd()).encode() not in own
    monkeypatch.chdir(tmp_path)
    decode_state(there, own)
    assert there.dropped[0].file.picture.file == str(Path("pictures/own.png"))
    decode_state(there, own, is_foreign=True)
    assert there.dropped[0].file.picture is None


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("picture.file", "a\0b", "the name of a file"),
        ("picture.lower", (1.0, 1.0), "above and right of picture.lower"),
        ("tolerance", -1.0, "tolerance must be > 0 m"),
        ("outline.parts", (), "at least one part"),
        ("pieces", (), "pieces must be at least one"),
    ],
)
def test_a_body_file_of_a_state_passes_its_own_checks(path, value, words):
    here, there = dropped_with_picture("own.png"), find_demo("simple_shapes")(0)
    before = demo_hash(there)
    *owners, name = path.split(".")
    object.__setattr__(functools.reduce(getattr, owners, here.dropped[0].file), name, value)
    with pytest.raises(StateError, match=words):
        decode_state(there, encode_state(here, is_kept=True))
    assert demo_hash(there) == before
    assert not there.dropped


def test_a_damaged_state_is_rejected_and_changes_nothing():
    here = Begun(find_demo("bridge")(0))
    state, there = encode_state(here.demo), find_demo("bridge")(0)
    before, stages = demo_hash(there), list(there.stages)
    content = state
    end = 4 + int.from_bytes(content[:4], "little")
    plain, rest = msgspec.msgpack.decode(content[4:end]), content[end:]
    others = [plain[:k] + [other] + plain[k + 1 :] for k in range(len(plain)) for other in (None, 7, [], {}, "x", [[]])]
    damaged = [
        state[:-1],
        state[:40],
        b"x",
        *(_sealed(head, rest) for head in others),
        _sealed(None, rest),
    ]
    damaged += _sealed(plain, rest[:-1]), _sealed(plain, rest + b"x"), _sealed([*plain, 1], rest)
    for parts in damaged:
        with pytest.raises(LabError):
            decode_state(there, parts)
        assert demo_hash(there) == before and there.stages == stages
    decode_state(there, state)
    assert demo_hash(there) == demo_hash(here.demo)


def test_a_small_message_cannot_expand_into_a_large_state():
    demo = find_demo("bridge")(0)
    for plain, reason in ((b"\x90" * 30_000_000, "bytes without its arrays"), (b"\x00" * 70_000_000, "at most 64000000 bytes")):
        packed = zlib.compress(len(plain).to_bytes(4, "little") + plain, 1)
        with pytest.raises(StateError, match=reason):
            decode_state(demo, decompress_state(packed))


def test_a_state_damaged_in_transit_is_rejected():
    packed = compress_state(encode_state(find_demo("bridge")(0)))
    for damaged in (packed[:-1], packed[:40], bytes([packed[0] ^ 1]) + packed[1:], packed[:-1] + bytes([packed[-1] ^ 1]), b"x"):
        with pytest.raises(StateError):
            decompress_state(damaged)
    assert decompress_state(b"") == b"", "a demo that was just built has an empty state"


def _sealed(plain, rest):
    content = msgspec.msgpack.encode(plain)
    return len(content).to_bytes(4, "little") + content + rest


def test_a_user_s_own_file_cannot_be_shared(tmp_path, monkeypatch):
    monkeypatch.setattr(registry._REGISTRY, "_classes", dict(registry._REGISTRY._classes))
    monkeypatch.setattr(sys, "path", sys.path[:])
    file = tmp_path / "mine.py"
    file.write_text(
        "from engine.demo import Demo, register\nfrom engine.world import World\n\n"
        "@register(id='mine_alone', category='Shapes', title='Mine', watch='It is mine.')\n"
        "class Mine(Demo):\n    def build(self):\n        self.add_stage(World())\n"
    )
    with pytest.raises(InvalidInputError, match=r"a demo of this program or a scene file \(guests do not have your Python files"):
        check_shareable(load_own_demo(str(file))(0))
    with pytest.raises(InvalidInputError, match=r"scene\.demo must be the id of a built-in demo"):
        make_demo(replace(shared_scene(find_demo("bridge")(0)), demo="mine_alone"))


@pytest.mark.parametrize(
    "wrong",
    [
        *({"demo": "os"}, {"demo": 7}, {"scene": [1]}, {"scene": {"format": "x"}}, {"seed": -1}, {"remembers": 2}, {"built_for": 1}),
        *({"values": {"count": float("nan")}}, {"values": [["a", 1]]}, {"solver": "engine.box2d"}, {"solver": ["box2d"]}),
        {"solver_settings": {"x": 1}},
    ],
    ids=str,
)
def test_an_invalid_scene_is_rejected(wrong):
    plain = msgspec.structs.asdict(shared_scene(find_demo("bridge")(0))) | wrong
    with pytest.raises((InvalidInputError, msgspec.ValidationError)):
        make_demo(msgspec.convert(list(plain.values()), SharedScene))


def test_unsendable_data_is_named():
    demo = find_demo("bridge")(0)
    demo.own = {"at": [iter(())]}
    with pytest.raises(StateError, match=r"own\['at'\]\[0\] is of type builtins:tuple_iterator, which cannot be part of a state"):
        encode_state(demo)


def test_an_attribute_of_the_wrong_type_is_rejected():
    here, there = find_demo("breakable")(0), find_demo("breakable")(0)
    here.blows = {"not": "a list"}
    before = demo_hash(there)
    with pytest.raises(StateError, match="blows must be of type list, got dict"):
        decode_state(there, encode_state(here), is_foreign=True)
    assert demo_hash(there) == before
