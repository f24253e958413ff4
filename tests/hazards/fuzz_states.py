"""Damaged states of shared demos: ``python -m tests.hazards.fuzz_states N [SEED]`` prints a line of JSON.

A valid state is damaged N times: a value in its lists is replaced, removed or doubled; a number in an array becomes a harmful one.
A state is then loaded by the running demo, which takes some steps, or it is rejected in one line and the demo stays unchanged. Anything
else ends the run with the seed.
"""

import copy
import faulthandler
import json
import random
import struct
import sys
import time
from collections import Counter

import msgspec
import pytest

from engine.box2d import memory
from engine.common.errors import LabError
from engine.sim.history import demo_hash
from engine.sim.registry import find_demo
from engine.sim.state import decode_state, encode_state
from engine.sim.values import ValueReader
from tests.unit.net.test_state import Begun

DEMOS = (
    *(("bridge", "box2d"), ("ragdoll_pile", "soft_step"), ("radial_engine", "box2d"), ("nonconvex_characters", "soft_step")),
    *(("bullet", "box2d"), ("breakable", "box2d"), ("simple_shapes", "soft_step"), ("walker", "xpbd")),
)
"""And what drives them."""
LONGEST = 10.0
"""Seconds for one state."""
_STEPS = 2
_NUMBERS = (float("nan"), float("inf"), 3e38, -3e38, 1e20, 1e12, 1e6, 0.0, -1.0)
_WHOLE = (0, -1, 1, 5, 2**31, 2**40, 2**63 - 1)
_VALUES = (
    *(None, True, 0, 1, -1, 2, 255, 2**31, 2**63 - 1, -(2**63), 0.0, 1e-30, 1e9, *_NUMBERS, "", "x", "__class__", b"", b"\0" * 8),
    *([], {}, [0, 0], {"tuple": []}, {"stage": 0}, {"world": 5}, {"same": 0}, {"array": ["float64", [2**31], False, True]}),
    *({"object": ["engine.sim.demo:Demo", {}]}, {"object": ["os:system", {}]}, "engine.sim.demo:Demo", "builtins:eval"),
)


class Good:
    """A demo that three users have changed, and its state in parts.

    Attributes
    ----------
    parts : list
        The plain data, and the bytes of each array.
    """

    def __init__(self, id, solver):
        self.demo = Begun(find_demo(id)(0, solver=solver)).demo
        self.state, self.hash = encode_state(self.demo), demo_hash(self.demo)
        content, pieces, take = self.state, [], ValueReader._take

        def noted(reader, n):
            pieces.append(take(reader, n))
            return pieces[-1]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ValueReader, "_take", noted)
            decode_state(self.demo, self.state)
        length = int.from_bytes(content[:4], "little")
        assert content[4 + length :] == b"".join(pieces)
        self.parts = msgspec.msgpack.encode([msgspec.msgpack.decode(content[4 : 4 + length]), pieces])


def sealed(plain, pieces=()):
    """Return a state made from these parts, valid or not."""
    content = msgspec.msgpack.encode(plain)
    rest = b"".join(piece for piece in pieces if isinstance(piece, bytes)) if isinstance(pieces, list) else b""
    return len(content).to_bytes(4, "little") + content + rest


def broken(parts, dice):
    """Return the state with a few faults."""
    state = msgspec.msgpack.decode(parts)
    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        places = _places(state)
        numbers = [(owner, key) for owner, key in places if isinstance(owner[key], bytes | float) and owner[key]]
        owner, key = dice.choice(numbers if numbers and dice.random() < 0.5 else places)
        _break(owner, key, places, dice)
        if len(state) < 2:
            break
    return sealed(*state[:2]) if state else b""


def _places(state):
    places = []
    waiting = [state]
    while waiting:
        node = waiting.pop()
        keys = range(len(node)) if isinstance(node, list) else list(node) if isinstance(node, dict) else ()
        places += ((node, key) for key in keys)
        waiting += (node[key] for key in keys)
    return places


def _break(owner, key, places, dice):
    value, chance = owner[key], dice.random()
    if isinstance(value, bytes) and value and chance < 0.85:
        owner[key] = _broken_bytes(value, dice)
    elif isinstance(value, int | float) and not isinstance(value, bool) and chance < 0.5:
        number = dice.choice((value + 1, value - 1, -value, 2 * value, 1e10 * value, dice.choice(_NUMBERS)))
        owner[key] = number if isinstance(number, float) or -(2**63) <= number < 2**63 else 0
    elif isinstance(owner, list) and chance < 0.6:
        match dice.randrange(3):
            case 0:
                del owner[key]
            case 1:
                owner.insert(key, copy.deepcopy(value))
            case _:
                other = dice.randrange(len(owner))
                owner[key], owner[other] = owner[other], owner[key]
    elif chance < 0.8:
        other_owner, other_key = dice.choice(places)
        owner[key] = copy.deepcopy(other_owner[other_key])
    else:
        owner[key] = copy.deepcopy(dice.choice(_VALUES))


def _broken_bytes(value, dice):
    changed, chance = bytearray(value), dice.random()
    if chance < 0.3:
        changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    elif chance < 0.6 and len(changed) >= 8:
        at = 8 * dice.randrange(len(changed) // 8)
        changed[at : at + 8] = struct.pack("<d", dice.choice(_NUMBERS)) if dice.random() < 0.5 else struct.pack("<q", dice.choice(_WHOLE))
    elif chance < 0.9 and len(changed) >= 4:
        at = 4 * dice.randrange(len(changed) // 4)
        changed[at : at + 4] = struct.pack("<f", dice.choice(_NUMBERS))
    else:
        del changed[dice.randrange(len(changed)) :]
    return bytes(changed)


def fuzz(count, seed=0):
    """Damage states `count` times; return how many were loaded and rejected, and the slowest."""
    memory.load()
    seen, slowest = Counter[str](), 0.0
    for k, (id, solver) in enumerate(DEMOS):
        good = Good(id, solver)
        demo = good.demo
        for number in range(k, count, len(DEMOS)):
            dice = random.Random(f"state {seed} {number}")
            content = broken(good.parts, dice)
            faulthandler.dump_traceback_later(6.0 * LONGEST, exit=True)
            started = time.process_time()
            try:
                try:
                    decode_state(demo, content, is_foreign=True)
                except LabError as error:
                    assert "\n" not in str(error).strip() and demo_hash(demo) == good.hash
                    seen["refused"] += 1
                    continue
                seen["taken"] += 1
                try:
                    for _ in range(_STEPS):
                        demo.sim.step()
                except LabError:
                    seen["failed"] += 1
                decode_state(demo, good.state)
                assert demo_hash(demo) == good.hash
            except BaseException as error:
                raise AssertionError(f"state {seed} {number} of {id} on {solver}: {type(error).__name__}: {error}") from error
            finally:
                faulthandler.cancel_dump_traceback_later()
                slowest = max(slowest, time.process_time() - started)
            assert slowest < LONGEST, (seed, number, slowest)
    return {"kind": "state", "seed": seed, "states": count, **seen, "slowest_ms": round(1e3 * slowest)}


if __name__ == "__main__":
    faulthandler.enable()
    print(json.dumps(fuzz(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)), flush=True)
