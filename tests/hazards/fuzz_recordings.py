"""Broken recordings: ``python -m tests.hazards.fuzz_recordings N [SEED]`` prints a line of JSON.

A valid recording is damaged N times. There are two kinds of faults: in its bytes, nearly all of which the checksums detect, and in the
contents of its records with recomputed checksums, so that the faults reach the checks of every value. A file is then loaded and played for
some steps, or rejected with one of the project's own errors in one line; anything else ends the run with the seed and the bytes.
"""

import copy
import faulthandler
import json
import random
import sys
import tempfile
import time
import zlib
from collections import Counter
from pathlib import Path

import msgspec

from engine.box2d import memory
from engine.common.errors import LabError
from engine.geometry import Circle, Polygon
from engine.sim.actions import (
    ChangeBody,
    ChangeWorld,
    CreateBody,
    CreateFixture,
    CreateJoint,
    Drag,
    Grab,
    PressKey,
    SetParameter,
    TurnWheel,
)
from engine.sim.history import History
from engine.sim.recordings import load_recording
from engine.sim.recordings.records import frame, records_of, start_of_file
from engine.sim.registry import find_demo
from engine.sim.replaying import record, replay
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec
from tests.hazards.fuzz_files import damaged
from tests.hazards.fuzz_states import _break, _places

LONGEST = 10.0
"""Seconds for one file."""
_PLAYED = 12
"""Steps that are taken of one that is loaded."""


def good():
    """Return a recording with inputs of many kinds, and a branch."""
    memory.load()
    history = History(find_demo("simple_shapes")(1, {"count": 4}))
    world = history.demo.stages[0].world
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "good.rec"
        recorder = record(history, path)
        for step in range(8):
            first, second = world.body_ids[-2:]
            if step == 1:
                history.act(Grab(world.state(second).position))
                history.act(Drag((0.5, 2.0)))
            if step == 2:
                history.act(CreateBody.of(0, BodySpec((FixtureSpec(Polygon.box(0.3, 0.2)),), position=(0.0, 4.0))))
                history.act(CreateJoint.of(0, RevoluteJointSpec(first, second, world.state(first).position)))
            if step == 3:
                history.act(ChangeBody(0, second, {"linear_damping": 0.5}))
                history.act(CreateFixture.of(0, second, FixtureSpec(Circle(0.1))).continued())
                history.act(PressKey("x"))
                recorder.flush()
            if step == 5:
                history.act(SetParameter("gravity", 3.0))
                world = history.demo.stages[0].world
            if step == 6:
                history.act(ChangeWorld(0, {"velocity_iterations": 3}))
            history.step()
        recorder.flush()
        history.seek(3)
        history.act(TurnWheel((0.0, 1.0), 1.0))
        for _ in range(_PLAYED - 3):
            history.step()
        recorder.close()
        return path.read_bytes()


def broken_inside(content, dice):
    """Return the recording with faults in a record or with reordered records, and with correct checksums."""
    plain = [msgspec.msgpack.decode(msgspec.msgpack.encode(record)) for _, record in records_of(content, "good")]
    for _ in range(dice.choice((1, 1, 2))):
        k = dice.randrange(len(plain))
        match dice.randrange(6):
            case 0:
                del plain[k]
            case 1:
                plain.insert(dice.randrange(len(plain) + 1), copy.deepcopy(plain[k]))
            case 2:
                plain[k][:1] = [dice.choice(("header", "part", "back", "end", "next"))]
            case _:
                places = _places(plain[k])
                if places:
                    _break(*dice.choice(places), places, dice)
        if not plain:
            break
    return start_of_file() + b"".join(frame(zlib.compress(msgspec.msgpack.encode(record), 1)) for record in plain)


def fuzz(count, seed=0):
    """Damage a recording `count` times; return how many were loaded and rejected, and the slowest."""
    original, seen, slowest = good(), Counter(), 0.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "broken.rec"
        for number in range(count):
            dice = random.Random(f"recording {seed} {number}")
            broken = damaged(original, dice, "") if dice.random() < 0.2 else broken_inside(original, dice)
            path.write_bytes(broken)
            faulthandler.dump_traceback_later(6.0 * LONGEST, exit=True)
            started = time.process_time()
            try:
                recording = load_recording(path)
                seen["loaded"] += 1
                history = replay(recording)
                history.seek(min(_PLAYED, history.last))
                seen["played"] += 1
                seen["otherwise"] += history.divergence is not None
            except LabError as error:
                assert "\n" not in str(error).strip(), (seed, number, str(error))
                seen["refused"] += 1
            except BaseException as error:
                raise AssertionError(f"recording {seed} {number}: {type(error).__name__}: {error}; the file: {broken!r}") from error
            finally:
                faulthandler.cancel_dump_traceback_later()
            assert path.read_bytes() == broken
            slowest = max(slowest, time.process_time() - started)
            assert slowest < LONGEST, (seed, number, slowest)
    return {"kind": "recording", "seed": seed, "files": count, **seen, "slowest_ms": round(1e3 * slowest)}


if __name__ == "__main__":
    print(json.dumps(fuzz(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)), flush=True)
