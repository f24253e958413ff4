"""The state of a demo as bytes, for keyframes and for sending to joining users.

    length (4) | MessagePack of `_State`: the worlds, and the state of the demo and of its simulation | contents of arrays

A state contains only plain data (`engine.sim.values`): a demo's attributes must be numbers, strings, lists and dicts of these, arrays,
random number generators, specifications, and objects of the demo's own classes that consist of these. A demo with any other attribute
cannot be rewound; the error names the attribute. Data used only for drawing is not part of a state.

A state can be applied to a demo of the same scene, running or newly built. Every part is validated first, so that a rejected state leaves
the demo unchanged. States from other computers are untrusted (see docs/network.md).
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
"""Maximum size of a state, bytes. Ten thousand bodies in a heap need a third of it."""
_MAX_STAGES = 64
_LENGTH_BYTES = 4
_LEVEL = 1
"""zlib compression level; this is the fastest one."""


class _State(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """State of a demo.

    Attributes
    ----------
    demo : str
        Id of the demo.
    built_with : dict of str to float
        Parameters with which its worlds were built.
    places : list of (offset, label)
        Offset in the view, meters, and label of each stage; used for stages added after the demo was built.
    worlds : list of WorldState
        One per stage.
    own, sim : dict
        Attributes of the demo and of its simulation, encoded by `ValueWriter`.
    """

    demo: str
    built_with: dict[str, float]
    places: list[tuple[Point, str]]
    worlds: list[WorldState]
    own: dict[str, Any]
    sim: dict[str, Any]


_decoder = msgspec.msgpack.Decoder(_State)


def encode_state(demo: Demo, is_kept: bool = False) -> bytes:
    """Encode the state of a demo between two steps.

    Parameters
    ----------
    demo : Demo
    is_kept : bool
        True if the state stays in this process, where the size limits for other processes do not apply. Otherwise, picture files outside
        the working directory are omitted.

    Raises
    ------
    StateError
        An attribute has an unsupported type, or the state is too large; the message names the attribute.
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
    """Restore a demo to a state; no-op if `content` is empty, which denotes the state of a newly built demo.

    Parameters
    ----------
    demo : Demo
    content : bytes
        Result of `encode_state` for a demo of the same scene.
    is_foreign : bool
        True if it comes from another computer: pictures are removed from body files.
    is_kept : bool
        True if it never left this process: the size limits, the type checks and the restrictions on picture files do not apply.

    Raises
    ------
    StateError
        `content` is not a valid state of this demo; the demo is unchanged.
    """
    if not content:
        return
    before, stages, built_with, view_state = b"", list(demo.stages), demo.sim.built_with, demo.view_state
    try:
        state, arrays = _split(content, is_kept)
        if state.demo != demo.id:
            raise StateError(f"the state must be for {demo.id}, got {state.demo!r:.80}")
        state.sim.pop("waits", None)  # in recordings from before kernels were compiled at their first call
        state.own.pop("ready", None)
        values = parameter_values(demo.parameters, state.built_with)
        if values != state.built_with:
            raise StateError("the state must have every parameter")
        if len(state.places) != len(state.worlds):
            raise StateError(f"the state must have {len(state.worlds)} places, got {len(state.places)}")
        if values != demo.sim.built_with or len(state.worlds) != len(demo.stages):
            try:
                before = encode_state(demo, is_kept=True)
            except LabError:
                if not is_kept and not any(stage.world.is_lost for stage in stages):  # a lost world has no state
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
        raise StateError(" ".join(message.split())) from None  # a wrong type may raise any exception


def compress_state(content: bytes) -> bytes:
    """Compress a state."""
    return zlib.compress(content, _LEVEL)


def decompress_state(packed: bytes) -> bytes:
    """Decompress the result of `compress_state`.

    Raises
    ------
    StateError
        The data is damaged, or the state would exceed the size limit.
    """
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(packed, MAX_STATE_BYTES) if packed else b""
    except zlib.error as error:
        raise StateError(f"the state is damaged: {error}") from None
    if packed and (unpacking.unconsumed_tail or not unpacking.eof):
        raise StateError(f"a state must be complete, and have at most {MAX_STATE_BYTES} bytes")
    return content


def raw_motion(content: bytes) -> bytes:
    """Return x, y, angle, vx, vy, omega of every body, float32 little-endian, 24 bytes per body; only for states from this process."""
    return b"".join(world.poses_and_velocities().astype("<f4").tobytes() for world in _split(content, is_kept=True)[0].worlds)


def check_readable(content: bytes) -> None:
    """Check that other processes can read a state kept in this process.

    Raises
    ------
    StateError
        The state is too large.
    """
    _check_bounds(_halves(content)[0])


def size_share(content: bytes) -> float:
    """Return the size of a state encoded in this process, as a fraction of the maximum that other processes accept."""
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
        raise StateError("a state must be complete")
    return content[_LENGTH_BYTES:end], content[end:]


def _check_bounds(plain: bytes) -> None:
    if not is_bounded(plain):
        raise StateError(f"a state must have at most {MAX_PLAIN_BYTES} bytes without its arrays, and {MAX_DECODED_BYTES} once decoded")


def _put(demo: Demo, state: _State, arrays: bytes, is_foreign: bool, is_kept: bool) -> None:
    """Decode and validate the entire state, then apply it to the demo."""
    worlds = [stage.world for stage in demo.stages]
    if len(state.worlds) != len(worlds):
        raise StateError(f"the state must contain {len(worlds)} worlds, got {len(state.worlds)}")
    reader = ValueReader(_parts(demo), type(demo).__module__, arrays)
    snapshots = [decode_world(world, reader, f"stages[{k}].world") for k, world in enumerate(state.worlds)]
    own = {name: _read(reader, value, name) for name, value in state.own.items()}
    sim = {name: _read(reader, value, f"sim.{name}") for name, value in state.sim.items()}
    if not reader.is_at_end:
        raise StateError("a state must end with its last array")
    check_state(demo, own, sim, is_kept)
    if not is_kept:
        own["dropped"][:] = without_outside_pictures(rebuilt(own["dropped"]), None if is_foreign else Path.cwd())
    before = []
    for world in worlds[:-1]:  # if the last one fails, it is unchanged
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
