"""Kept moments are packed and come back as they were; where they take too much, they are thinned out evenly."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.box2d import memory
from engine.demo import Demo
from engine.geometry import Circle, Polygon
from engine.history.capture import CapturedState, capture
from engine.history.compact import compact
from engine.history.history import History
from engine.history.keyframes import RECENT, Keyframes
from engine.world import BodySpec, FixtureSpec, World


class Pile(Demo):
    """Discs on a floor."""

    id = "pile"

    def build(self) -> None:
        world = self.add_stage(World()).world
        world.create_body(BodySpec((FixtureSpec(Polygon.box(4.0, 0.5)),), type="static"))
        for k in range(6):
            world.create_body(BodySpec((FixtureSpec(Circle(0.3)),), position=(0.1 * k, 1.0 + 0.7 * k)))


@dataclass(frozen=True)
class Note:
    """Something that never changes, with whatever a test puts into it."""

    content: Any
    more: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Slot:
    """The same without a dictionary."""

    content: Any


def packed(*things: Any, shared: tuple[Any, ...] = ()) -> tuple[Any, ...]:
    """What comes back of things that a moment refers to, where the next one refers to `shared`."""
    demo = Pile(0)
    state, other = CapturedState(b"", (demo, *things), 0, ()), CapturedState(b"", (demo, *shared), 0, ())
    whole = compact(state, other).whole()
    assert whole.references[0] is demo
    return whole.references[1:]


def fixed(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


ARRAYS = {
    "rows": np.arange(12.0).reshape(3, 4),
    "columns": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    "none": np.zeros((0, 3)),
    "one": np.array(-0.0),
    "bools": np.array([True, False]),
    "fields": np.array([(1, (2.0, 3.0))], dtype=[("a", np.int32), ("b", np.float32, 2)]),
    "odd": np.array([np.nan, np.inf, -0.0, 5e-324]),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_comes_back_bit_for_bit(name: str) -> None:
    array = fixed(ARRAYS[name].copy(order="K"))
    (found,) = packed(array)
    assert found is not array and found.dtype == array.dtype and found.shape == array.shape
    assert found.strides == array.strides or not array.size
    assert found.tobytes("A") == array.tobytes("A") and not found.flags.writeable and found.flags.aligned


def test_what_both_moments_hold_stays_the_same_object() -> None:
    mine, both = Note(fixed(np.arange(3.0))), Note((1.5, "a"))
    found, same = packed(mine, both, shared=(both,))
    assert same is both
    assert found is not mine and found.content.tolist() == [0.0, 1.0, 2.0] and found.more == ()


def test_dataclasses_are_packed_whole_and_what_may_change_is_not() -> None:
    array, changing, written = fixed(np.arange(4)), ["may change"], np.arange(2)
    note = Note(Slot(array), (array, changing, written, len, frozenset({(1, 2)}), None, 2.5))
    object.__setattr__(note, "found_later", 7)
    (found,) = packed(note)
    assert isinstance(found.content, Slot) and found.found_later == 7
    assert found.content.content is found.more[0], "one array in two places must come back as one"
    assert found.more[1] is changing and found.more[2] is written and found.more[3] is len
    assert found.more[4:] == note.more[4:]


def test_a_view_that_skips_is_left_as_it_is() -> None:
    """A copy would have its elements elsewhere, and a sum over it could be rounded otherwise."""
    view = fixed(np.arange(12.0).reshape(3, 4)[:, 1])
    assert packed(view)[0] is view


def test_specifications_are_listed_once_and_never_taken_for_equal_ones() -> None:
    memory.load()
    demo = Pile(0)
    first = capture(demo)
    demo.sim.step()
    second = capture(demo, first)
    assert second.worlds[0][1].bodies is first.worlds[0][1].bodies and second.worlds[0][1].fixtures is first.worlds[0][1].fixtures
    world, snapshot = first.worlds[0]
    (body, spec, fixtures), *rest = snapshot.bodies
    signed = replace(spec, linear_velocity=(-0.0, 0.0))
    assert signed == spec
    changed = replace(snapshot, bodies=((body, signed, fixtures), *rest))
    other = CapturedState(first.content, first.references, first.n_in_place, ((world, changed),))
    third = capture(demo, other).worlds[0][1]
    assert third.bodies[0][1] is spec and third.bodies[1] is snapshot.bodies[1]


def test_a_packed_moment_is_smaller_and_the_same() -> None:
    memory.load()
    demo = Pile(0)
    for _ in range(60):
        demo.sim.step()
    state = capture(demo)
    demo.sim.step()
    found = compact(state, capture(demo, state))
    assert found.n_bytes < 0.8 * state.n_bytes
    whole = found.whole()
    (world, before), (same, after) = state.worlds[0], whole.worlds[0]
    assert same is world and whole.content == state.content and len(whole.references) == len(state.references)
    assert after.bodies is before.bodies and after.state.touching == before.state.touching and after.state.events == before.state.events
    assert after.motion.values.tobytes() == before.motion.values.tobytes()
    kept, found = before.state.memory, after.state.memory
    assert found.manifolds.tobytes() == kept.manifolds.tobytes()
    contacts, others = vars(before.contacts), vars(after.contacts)
    for name, column in contacts.items():
        if isinstance(column, np.ndarray):
            assert others[name].tobytes() == column.tobytes() and others[name].flags.writeable == column.flags.writeable, name
    assert found.internal is None or (kept.internal is not None and found.internal.bodies.tobytes() == kept.internal.bodies.tobytes())


def kept(n: int, most_bytes: int) -> Keyframes:
    """So many moments of a demo, sixty steps apart."""
    demo, keyframes = Pile(0), Keyframes(most_bytes)
    for k in range(n):
        keyframes.add(60 * k, demo)
        for _ in range(8):
            keyframes.tidy()
    return keyframes


def test_thinned_out_they_lie_evenly_and_the_last_minute_stays_whole() -> None:
    one = kept(3, 10**9).n_bytes / 3
    keyframes = kept(400, round(150 * one))
    steps = keyframes.steps
    assert keyframes.n_bytes <= 150 * one
    assert steps[0] == 0 and steps[-1] == 60 * 399
    recent = [step for step in steps if step > steps[-1] - RECENT]
    assert recent == list(range(steps[-1] - RECENT + 60, steps[-1] + 1, 60))
    gaps = [after - before for before, after in pairwise(steps)]
    even = (steps[-1] - RECENT) / (len(steps) - len(recent))
    assert max(gaps) <= 2.0 * even + 60
    assert not keyframes.has_room()


def test_the_nearest_is_found_and_what_lies_after_a_step_is_dropped() -> None:
    keyframes = kept(5, 10**9)
    assert [keyframes.latest(step) for step in (0, 59, 60, 239, 10**6)] == [0, 0, 60, 180, 240]
    before = keyframes.n_bytes
    keyframes.cut(130)
    assert keyframes.steps == [0, 60, 120] and keyframes.n_bytes < before and 240 not in keyframes
    assert keyframes.has_room()
    keyframes.add(180, Pile(0))
    keyframes.tidy()
    assert keyframes.steps == [0, 60, 120, 180]


def test_packing_that_is_broken_off_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    keyframes, demo = Keyframes(), Pile(0)
    keyframes.add(0, demo)
    keyframes.add(60, demo)
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("engine.history.compact.ColumnWriter", _interrupted)
        for _ in range(8):
            keyframes.tidy()
    whole = keyframes.n_bytes
    for _ in range(8):
        keyframes.tidy()
    assert keyframes.steps == [0, 60] and keyframes.n_bytes < whole
    keyframes.restore(0, demo)


def test_by_what_columns_are_told_is_found_out_again_where_as_many_go_as_come() -> None:
    keyframes, demo, seen = Keyframes(1), Pile(0), []
    for k in range(52):
        keyframes.add(60 * k, demo)
        for _ in range(8):
            keyframes.tidy()
        seen.append(keyframes._choices)
    assert keyframes.steps == [0, 60 * 51] and len({id(choices) for choices in seen}) == 4


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt


class Many(Demo):
    """A disc that falls on one of many."""

    id = "many"

    def build(self) -> None:
        world = self.add_stage(World()).world
        for k in range(int(self.seed)):
            world.create_body(BodySpec((FixtureSpec(Circle(0.3)),), type="static", position=(k, 0.0)))
        world.create_body(BodySpec((FixtureSpec(Circle(0.3)),), position=(2.1, 0.8)))


def test_with_many_bodies_there_are_twice_as_many() -> None:
    for bodies, wanted in ((600, [0, 60]), (601, [0, 30, 60])):
        history = History(Many(bodies - 1))
        for _ in range(65):
            history.step()
        assert list(history.keyframes) == wanted
        history.seek(40)
        history.seek(65)
        assert history.divergence is None and history.verify() is None
