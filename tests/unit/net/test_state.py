"""The state of a demo as bytes: put onto another one, that goes on as the first, bit for bit; damaged, it is refused."""

from __future__ import annotations

import zlib
from hashlib import blake2b

import msgspec
import pytest

from engine.common.errors import LabError
from engine.common.rng import stream
from engine.demo.base import Demo
from engine.demo.inverse import Inverse, Part
from engine.demo.registry import find_demo
from engine.history.history import demo_hash
from engine.history.input_log import Input
from engine.net.course import Act, Course
from engine.net.scene import made_of, scene_of
from engine.net.state import StateError, decode_state, encode_state
from tests.unit.net.test_course import _acts

N_BEFORE, N_AFTER = 90, 60


def _take(course: Course, acts: dict[int, list[Act]], until: int) -> None:
    while course.now < until:
        for act in acts.get(course.now, ()):
            course.add(course.now, act)
        course.step()


def _begun(demo: Demo) -> tuple[Course, dict[int, list[Act]]]:
    """Return a demo at a keyframe, of three users who go on acting."""
    acts, course = _acts(stream(1, demo.id), (1, 2, 3)), Course(demo)
    _take(course, acts, N_BEFORE)
    return course, acts


@pytest.mark.parametrize("solver", ["box2d", "soft_step"])
@pytest.mark.parametrize("id", ["simple_shapes", "bridge"])
def test_a_demo_goes_on_elsewhere_as_it_does_here(id: str, solver: str) -> None:
    here, acts = _begun(find_demo(id)(0, solver=solver))
    state = encode_state(here.demo)
    there = made_of(scene_of(here.demo))
    decode_state(there, state)
    assert encode_state(there) == state
    other = Course(there, N_BEFORE)
    for course in (here, other):
        _take(course, acts, N_BEFORE + N_AFTER)
    assert other.digests == {tick: here.digests[tick] for tick in other.digests} and len(set(other.digests.values())) > N_AFTER // 2


def test_a_demo_that_runs_takes_over_another_state() -> None:
    here, acts = _begun(find_demo("simple_shapes")(0))
    there, _ = _begun(find_demo("simple_shapes")(0))
    world = there.demo.stages[0].world
    world.set_pose(world.body_ids[-1], (0.0, 9.0), 1.0)
    there.demo.run.act("set_parameter", "count", 12.0)
    assert demo_hash(there.demo) != demo_hash(here.demo)
    decode_state(there.demo, encode_state(here.demo))
    there.adopt(N_BEFORE)
    for course in (here, there):
        _take(course, acts, N_BEFORE + N_AFTER)
    assert there.digests == {tick: here.digests[tick] for tick in there.digests}


def test_what_is_damaged_is_refused_and_nothing_has_happened() -> None:
    here, _ = _begun(find_demo("bridge")(0))
    state, there = encode_state(here.demo), find_demo("bridge")(0)
    before, stages = demo_hash(there), list(there.stages)
    content = zlib.decompress(state[16:])
    end = 4 + int.from_bytes(content[:4], "little")
    plain, rest = msgspec.msgpack.decode(content[4:end]), content[end:]
    others = [plain[:k] + [other] + plain[k + 1 :] for k in range(len(plain)) for other in (None, 7, [], {}, "x", [[]])]
    damaged = [state[:-1], state[:40], b"\0" + state[1:], b"x", *(_sealed(one, rest) for one in others), _sealed(None, rest)]
    damaged += _sealed(plain, rest[:-1]), _sealed(plain, rest + b"x"), _sealed([*plain, 1], rest)
    for content in damaged:
        with pytest.raises(LabError):
            decode_state(there, content)
        assert demo_hash(there) == before and there.stages == stages
    decode_state(there, state)
    assert demo_hash(there) == demo_hash(here.demo)


def _edited() -> Demo:
    """Return a demo of which a user has deleted a body with its joints, and another is away."""
    demo = find_demo("bridge")(0)
    demo.run.users.open()
    for user, action, *arguments in (
        (1, "join"), (2, "join"), (1, "drive", 0, 3), (1, "press", "right"), (1, "set_parameter", "mass", 30.0), (2, "leave"),
        (1, "edit", 0, "set_body", (3,), (("gravity_scale", 0.5),)), (1, "edit", 0, "destroy_body", (3,), ()),
    ):  # fmt: skip
        demo.run.act("by", user, Input(action, tuple(arguments)))
    for _ in range(30):
        demo.run.step()
    return demo


def test_what_users_can_take_back_goes_along() -> None:
    here = _edited()
    there = made_of(scene_of(here))
    decode_state(there, encode_state(here))
    mine, theirs = here.run.users, there.run.users
    assert (mine.users[1], set(mine.away)) == (theirs.users[1], set(theirs.away)) and len(theirs.users[1].undo) == 3
    n_joints = len(here.stages[0].world.joint_ids)
    for demo in (here, there):
        for _ in range(2):
            demo.run.act("by", 1, Input("undo_own", ()))
        demo.run.step()
    assert demo_hash(here) == demo_hash(there) and len(here.stages[0].world.joint_ids) > n_joints


@pytest.mark.parametrize(
    "one",
    [
        Input("build", ()),
        Input("restart", ()),
        Input("edit", (0, "step", (), ())),
        Input("edit", (0, "destroy_body", (3,))),
        Input("set_parameter", ("load", "x" * 300)),
        Input("set_solver", ([], ())),
    ],
)
def test_nothing_but_edits_takes_something_back(one: Input) -> None:
    here = _edited()
    there = made_of(scene_of(here))
    here.run.users.users[1].undo.append(Inverse("a thing", (Part(one),)))
    before = demo_hash(there)
    with pytest.raises(LabError):
        decode_state(there, encode_state(here))
    assert demo_hash(there) == before


def _sealed(plain: object, rest: bytes) -> bytes:
    told = msgspec.msgpack.encode(plain)
    packed = zlib.compress(len(told).to_bytes(4, "little") + told + rest, 1)
    return blake2b(packed, digest_size=16).digest() + packed


def test_what_cannot_be_told_is_named() -> None:
    here, _ = _begun(find_demo("bridge")(0))
    here.demo.own = {"at": [iter(())]}  # type: ignore[attr-defined]
    with pytest.raises(StateError, match=r"own\['at'\]\[0\] is of builtins:tuple_iterator, which cannot be told"):
        encode_state(here.demo)
