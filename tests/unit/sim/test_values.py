"""Values become plain data for MessagePack and are restored; unsupported values are named."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pytest

from engine.common.errors import LabError
from engine.geometry import Circle, Polygon
from engine.sim import values
from engine.sim.values import MAX_DEPTH, StateError, ValueReader, ValueWriter, encode_spec
from engine.world import World

PART = World()
PARTS = {("world", 0): PART}


class Side(Enum):
    LEFT = "left"


class Pair(NamedTuple):
    a: int
    b: str


@dataclass(frozen=True, slots=True)
class Frozen:
    number: float
    more: tuple[Any, ...] = ()


@dataclass
class Node:
    name: str
    others: list[Any] = field(default_factory=list)


class Plain:
    def __init__(self):
        self.anything = 1.5


def again(value):
    """Return a value after a round trip through MessagePack."""
    writer = ValueWriter(PARTS, __name__)
    plain = msgspec.msgpack.decode(msgspec.msgpack.encode(writer.write(value, "value")))
    reader = ValueReader(PARTS, __name__, b"".join(writer.arrays))
    copy = reader.read(plain)
    assert reader.is_at_end
    return copy


@pytest.mark.parametrize(
    "value",
    [
        *(
            2**63,
            -(2**63) - 1,
            10**300,
            None,
            True,
            7,
            -(2**63),
            1.5,
            float("inf"),
            "text",
            b"bytes" * 40,
            [1, [2, []]],
            (1, (2.0, "x")),
            {1, 2},
            frozenset({(1, 2)}),
        ),
        *({"a": 1, 2: [3], (4, 5): None}, Counter("aab"), deque([1, 2], 5), Pair(1, "b"), Frozen(2.5, (1,)), Side.LEFT, np.float64(0.1)),
        *(Circle(0.5), Polygon.box(1.0, 2.0), np.int64(3), {}, ()),
    ],
    ids=repr,
)
def test_a_value_is_restored_with_the_same_type(value):
    copy = again(value)
    assert copy == value and type(copy) is type(value)
    if isinstance(value, deque):
        assert copy.maxlen == value.maxlen


@pytest.mark.parametrize(
    "array",
    [
        np.arange(12.0).reshape(3, 4),
        np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        np.zeros((0, 3)),
        np.array(-0.0),
        np.array([True, False]),
        np.array([(1, (2.0, 3.0))], dtype=[("a", np.int32), ("b", np.float32, 2)]),
        np.array([np.nan, np.inf, -0.0, 5e-324]),
    ],
    ids=lambda array: f"{array.dtype} {array.shape}",
)
@pytest.mark.parametrize("is_writeable", [True, False])
def test_an_array_is_restored_bit_for_bit(array, is_writeable):
    array = array.copy(order="K")
    array.flags.writeable = is_writeable
    copy = again(array)
    assert (copy.dtype, copy.shape, copy.flags.writeable) == (array.dtype, array.shape, is_writeable)
    assert copy.strides == array.strides or not array.size
    assert copy.tobytes("A") == array.tobytes("A")


def test_encoded_specifications_are_cached_up_to_a_size_in_bytes(monkeypatch):
    size = len(encode_spec(Circle(0.5)))
    monkeypatch.setattr(values, "_MAX_ENCODED_BYTES", 3 * size)
    monkeypatch.setattr(values, "_n_encoded_bytes", 0)
    monkeypatch.setattr(values, "_encoded", {})
    circles = [Circle(0.5) for _ in range(7)]
    assert len({encode_spec(circle) for circle in circles}) == 1 and encode_spec(circles[-1]) is encode_spec(circles[-1])
    assert len(values._encoded) == 1, "full after three and six"


def test_references_are_preserved_and_program_objects_keep_their_identity():
    shared, node = [1], Node("a")
    node.others += [node, shared, PART]
    first, second, world, plain = again((node, shared, PART, Plain()))
    assert first.others[0] is first and first.others[1] is second and first.others[2] is world is PART
    assert plain.anything == 1.5


def test_a_random_number_generator_continues_where_it_stopped():
    generator = np.random.Generator(np.random.PCG64(5))
    generator.random(3)
    generator.integers(0, 7, dtype=np.int32)
    copy = again(generator)
    assert copy.random(5).tolist() == generator.random(5).tolist()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"a": [iter(())]}, r"value\['a'\]\[0\] is of type builtins:tuple_iterator, which cannot be part of a state"),
        (len, "builtins:builtin_function_or_method"),
        (World(), "engine.world.world:World"),
        (defaultdict(list), "defaultdict, which cannot be part of a state: keep a dict"),
        (Random(1), "Random, which cannot be part of a state: keep a generator of self.rng"),
        (np.array(["text"]), "array of <U4"),
        (np.random.Generator(np.random.MT19937(1)), "generator of the kind MT19937"),
        ({"a": ["half \ud83d of a pair"]}, r"value\['a'\]\[0\] must be text without lone surrogates"),
        (np.zeros(2, dtype=[("is_on", "?")]), r"value: unsupported dtype: \['is_on', 'bool', \[\]\]"),
        (np.zeros(2, dtype=[("many", "i4", (17,))]), "value: unsupported dtype"),
        (np.zeros((1, 1, 1, 1, 1)), "value: an array must have at most 4 dimensions"),
    ],
)
def test_unsupported_data_in_a_state_is_named(value, reason):
    with pytest.raises(StateError, match=reason):
        again(value)


def test_values_nested_too_deeply_are_rejected_both_ways():
    value = []
    for _ in range(MAX_DEPTH):
        value = [value]
    with pytest.raises(StateError, match="levels deep"):
        again(value)
    with pytest.raises(StateError, match="levels deep"):
        ValueReader({}, __name__, b"").read(value)


NAME = f"{__name__}:"


@pytest.mark.parametrize(
    "plain",
    [
        *({}, {"list": [1]}, {"tuple": 1}, {"tuple": [], "set": []}, {"world": 1}, {"world": "0"}, {"same": 0}, {"set": [[1]]}),
        *({"tuple": [{"same": 0}]}, {"set": [{"same": 0}]}, {"dict": [[1]]}, {"dict": [[[], 1]]}, {"deque": [-1, []]}),
        *({"array": ["float64", [2], False, True]}, {"array": ["object", [], False, True]}, {"array": ["float64", [-1], False, True]}),
        *({"enum": [NAME + "Side", "RIGHT"]}, {"enum": [NAME + "Node", "LEFT"]}, {"object": [NAME + "Side", {}]}),
        *({"object": ["os:system", {}]}, {"object": ["builtins:eval", {}]}, {"object": ["engine.sim.demo:Demo", {}]}),
        *({"object": [NAME + "Node", {"name": "a"}]}, {"object": [NAME + "Plain", {"__class__": 1}]}, {"object": [NAME + "Node", 1]}),
        *({"object": ["engine.world.specs:BodySpec", {}]}, {"spec": {"kind": "circle"}}, {"spec": b""}, {"spec": b"\x80"}, {"random": []}),
        {"spec": msgspec.msgpack.encode({"kind": "circle", "radius": -1.0})},
    ],
    ids=repr,
)
def test_invalid_data_is_rejected(plain):
    with pytest.raises((LabError, msgspec.DecodeError, TypeError, ValueError)):
        ValueReader(PARTS, __name__, b"").read(plain)
