"""The state of a demo as bytes: the one form in which keyframes keep it, and in which it is sent to those who join.

    length (4) | MessagePack of `_State`: the worlds, and the state of the demo and of its simulation | contents of arrays

A state holds plain data only (`engine.sim.values`): what a demo remembers must be numbers, texts, lists and tables of such, arrays,
generators of random numbers, specifications, and objects of its own that consist of these. A demo with anything else cannot be rewound,
and the error names it.
What is drawn but not simulated is no part of a state.

A state can be put onto a demo of the same scene, running or just built. Every part is checked first, so that a state that is refused
leaves the demo as it was; from another computer it is not trusted (docs/network.md says how far).
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from engine.common.errors import LabError
from engine.common.messagepack import MAX_DECODED_BYTES, MAX_PLAIN_BYTES, decoded_bytes, is_bounded
from engine.sim.action import Point
from engine.sim.demo import Demo
from engine.sim.dropping import rebuilt, without_outside_pictures
from engine.sim.parameters import parameter_values
from engine.sim.state_check import check_state
from engine.sim.values import StateError, ValueReader, ValueWriter
from engine.sim.world_state import WorldState, decode_world, encode_world
from engine.world import World

__all__ = [
    "MAX_STATE_BYTES",
    "StateError",
    "check_readable",
    "compress_state",
    "decode_state",
    "decompress_state",
    "encode_state",
    "raw_motion",
    "size_share",
]

MAX_STATE_BYTES = 64_000_000
"""Ten thousand bodies in a heap need a third of it."""
_MAX_STAGES = 64
_LENGTH_BYTES = 4
_LEVEL = 1
"""Level of zlib: the fastest."""


class _State(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """State of a demo.

    Attributes
    ----------
    demo : str
        Its id.
    built_with : dict of str to float
        Parameters with which its worlds were built.
    places : list of (offset, label)
        For each stage the position of its world in the picture, meters, and its name: of those added after the demo was built.
    worlds : list of WorldState
        One for each stage.
    own, sim : dict
        Attributes of the demo and of its simulation, as values.
    """

    demo: str
    built_with: dict[str, float]
    places: list[tuple[Point, str]]
    worlds: list[WorldState]
    own: dict[str, Any]
    sim: dict[str, Any]


_decoder = msgspec.msgpack.Decoder(_State)


def encode_state(demo: Demo, is_kept: bool = False) -> bytes:
    """Return the state of a demo between two steps.

    Parameters
    ----------
    demo : Demo
    is_kept : bool
        It stays in this process, whose own states are read without the bounds on those of others. Without, files of pictures outside the
        working directory are not named.

    Raises
    ------
    StateError
        It holds something that no state can hold, which is named, or too much.
    """
    parts = _parts(demo)
    writer = ValueWriter(parts, type(demo).__module__)
    worlds = [encode_world(stage.world.snapshot(), writer, f"stages[{k}].world") for k, stage in enumerate(demo.stages)]
    own = demo.state_attributes()
    if not is_kept:
        own["dropped"] = without_outside_pictures(demo.dropped, Path.cwd())
    attributes = {name: writer.write(value, name) for name, value in own.items()}
    sim = {name: writer.write(value, f"sim.{name}") for name, value in demo.sim.state_attributes().items()}
    places = [(stage.offset, stage.label) for stage in demo.stages]
    plain = msgspec.msgpack.encode(_State(demo.id, dict(demo.sim.built_with), places, worlds, attributes, sim))
    content = b"".join((len(plain).to_bytes(_LENGTH_BYTES, "little"), plain, *writer.arrays))
    if len(content) > MAX_STATE_BYTES:
        raise StateError(f"the state of {demo.id} must have at most {MAX_STATE_BYTES} bytes, got {len(content)}")
    if not is_kept:
        _check_bounds(plain)
    return content


def decode_state(demo: Demo, content: bytes, is_foreign: bool = False, is_kept: bool = False) -> None:
    """Bring a demo into a state; nothing happens if that is empty, which is the state of a demo just built.

    Parameters
    ----------
    demo : Demo
    content : bytes
        Of `encode_state`, from a demo of the same scene.
    is_foreign : bool
        It came from another computer: each attribute of the demo must also be of the type that it has here, and it names no files.
    is_kept : bool
        It never left this process: it may be as large as `encode_state` makes it, and name any file as a picture.

    Raises
    ------
    StateError
        It is no state, or none of such a demo; the demo stands as before.
    """
    if not content:
        return
    before, stages, built_with, view_state = b"", list(demo.stages), demo.sim.built_with, demo.view_state
    try:
        state, arrays = _split(content, is_kept)
        if state.demo != demo.id:
            raise StateError(f"the state must be of {demo.id}, got {state.demo!r:.80}")
        values = parameter_values(demo.parameters, state.built_with)
        if values != state.built_with:
            raise StateError("the state must have every parameter")
        if len(state.places) != len(state.worlds):
            raise StateError(f"the state must have {len(state.worlds)} places, got {len(state.places)}")
        if values != demo.sim.built_with or len(state.worlds) != len(demo.stages):
            try:
                before = encode_state(demo, is_kept=True)
            except LabError:
                if not is_kept and not any(stage.world.is_lost for stage in stages):  # a world that is lost has no state
                    raise
            demo.values = values
            demo.restart()
        for offset, label in state.places[len(demo.stages) : _MAX_STAGES]:
            demo.add_stage(World(), offset, label)
        _put(demo, state, arrays, is_foreign, is_kept)
    except Exception as error:
        if before:
            demo.stages[:], demo.sim.built_with = stages, built_with
            decode_state(demo, before, is_kept=True)
            demo.view_state = view_state
        message = str(error) if isinstance(error, LabError) else f"the state is damaged: {type(error).__name__}: {error}"
        raise StateError(" ".join(message.split())) from None  # a wrong type can end in any error


def compress_state(content: bytes) -> bytes:
    """Return a state in fewer bytes."""
    return zlib.compress(content, _LEVEL)


def decompress_state(packed: bytes) -> bytes:
    """Return the state of `compress_state`.

    Raises
    ------
    StateError
        It is damaged, or would be larger than any state.
    """
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(packed, MAX_STATE_BYTES) if packed else b""
    except zlib.error as error:
        raise StateError(f"the state is damaged: {error}") from None
    if packed and (unpacking.unconsumed_tail or not unpacking.eof):
        raise StateError(f"a state must be whole, and have at most {MAX_STATE_BYTES} bytes")
    return content


def raw_motion(content: bytes) -> bytes:
    """Return x, y, angle, vx, vy, omega of every body of a state of this process, float32 little-endian, 24 bytes each."""
    return b"".join(world.poses_and_velocities().astype("<f4").tobytes() for world in _split(content, is_kept=True)[0].worlds)


def check_readable(content: bytes) -> None:
    """Refuse a state that was kept in this process if another one could not read it.

    Raises
    ------
    StateError
        It is too large.
    """
    _check_bounds(_halves(content)[0])


def size_share(content: bytes) -> float:
    """Return the size of a state of this process as a share of the maximum that another one would read."""
    plain = _halves(content)[0]
    return max(len(content) / MAX_STATE_BYTES, len(plain) / MAX_PLAIN_BYTES, decoded_bytes(plain) / MAX_DECODED_BYTES)


def _parts(demo: Demo) -> Mapping[tuple[str, int], object]:
    stages = {("stage", k): stage for k, stage in enumerate(demo.stages)}
    return {("demo", 0): demo, ("sim", 0): demo.sim, **stages, **{("world", k): stage.world for k, stage in enumerate(demo.stages)}}


def _split(content: bytes, is_kept: bool) -> tuple[_State, bytes]:
    plain, arrays = _halves(content)
    if not is_kept:
        _check_bounds(plain)
    return _decoder.decode(plain), arrays


def _halves(content: bytes) -> tuple[bytes, bytes]:
    end = _LENGTH_BYTES + int.from_bytes(content[:_LENGTH_BYTES], "little")
    if end > len(content):
        raise StateError("a state must have all of its bytes")
    return content[_LENGTH_BYTES:end], content[end:]


def _check_bounds(plain: bytes) -> None:
    if not is_bounded(plain):
        raise StateError(f"a state must have at most {MAX_PLAIN_BYTES} bytes beside its arrays, and {MAX_DECODED_BYTES} once decoded")


def _put(demo: Demo, state: _State, arrays: bytes, is_foreign: bool, is_kept: bool) -> None:
    """Read and check all of a state, then replace the demo's by it."""
    worlds = [stage.world for stage in demo.stages]
    if len(state.worlds) != len(worlds):
        raise StateError(f"the state must be of {len(worlds)} worlds, got {len(state.worlds)}")
    reader = ValueReader(_parts(demo), type(demo).__module__, arrays)
    snapshots = [decode_world(world, reader, f"stages[{k}].world") for k, world in enumerate(state.worlds)]
    own = {name: _read(reader, value, name) for name, value in state.own.items()}
    sim = {name: _read(reader, value, f"sim.{name}") for name, value in state.sim.items()}
    if not reader.is_at_end:
        raise StateError("a state must have as many bytes as its arrays")
    check_state(demo, own, sim, is_kept)
    if not is_kept:
        own["dropped"][:] = without_outside_pictures(rebuilt(own["dropped"]), None if is_foreign else Path.cwd())
    before = []
    for world in worlds[:-1]:  # the last one stands as before where it refuses
        with contextlib.suppress(LabError):
            before.append((world, world.snapshot()))
    try:
        for world, snapshot in zip(worlds, snapshots, strict=True):
            world.restore(snapshot, must_hold=True)
    except LabError:
        for world, snapshot in before:
            world.restore(snapshot)
        raise
    demo.set_state_attributes(own)
    vars(demo.sim).update(sim)
    demo.sim.use_missing_referees()


def _read(reader: ValueReader, plain: Any, path: str) -> Any:
    try:
        return reader.read(plain)
    except LabError as error:
        raise StateError(f"{path}: {error}") from None
