"""Log of a demo's states: a hash and a 16-bit digest per body after each step, and at some steps the motion of all bodies.

The hash of the entire state (`engine.sim.history.demo_hash`) shows that two states differ; the body digests show where. The digest of a
body is computed from x, y, angle, vx, vy, omega, as six float64 words w_0 to w_5, and the awake flag w_6:

    h = c_0 w_0 + ... + c_6 w_6  mod 2^64,    h ^= h >> 32,    h = m h  mod 2^64,    digest = h >> 48

with odd constants c and m. Different states of a body have equal digests with probability 1/65,536.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from engine.sim.demo import Demo

__all__ = ["DIGEST_BYTES", "BodyIds", "Divergence", "StateLog", "body_digests", "body_ids", "differing", "raw_states"]

BodyIds = tuple[tuple[int, ...], ...]
"""Ids of the bodies of each stage."""

DIGEST_BYTES = 2

_GOLDEN = 0x9E3779B97F4A7C15
"""2^64 divided by the golden ratio, odd: its multiples are evenly distributed (D. Knuth, The Art of Computer Programming 3, 6.4)."""
_MASK = 0xFFFFFFFFFFFFFFFF
_FACTORS = np.array([(_GOLDEN * (2 * k + 1)) & _MASK for k in range(7)], dtype=np.uint64)
_MIX = np.uint64(0xD6E8FEB86659FD93)
"""The multiplier of P. Evensen's rrmxmx mixer, odd."""
_HALF, _TOP = np.uint64(32), np.uint64(48)


def body_ids(demo: Demo) -> BodyIds:
    """Return the ids of all bodies, stage by stage."""
    return tuple(stage.world.body_ids for stage in demo.stages)


def body_digests(demo: Demo) -> bytes:
    """Return the digests of all bodies, two bytes each, little-endian, in the order of `body_ids`."""
    parts = []
    for stage in demo.stages:
        world = stage.world
        poses, velocities = np.ascontiguousarray(world.poses).view(np.uint64), np.ascontiguousarray(world.velocities).view(np.uint64)
        mixed = poses @ _FACTORS[:3] + velocities @ _FACTORS[3:6] + world.awake.astype(np.uint64) * _FACTORS[6]
        mixed ^= mixed >> _HALF
        mixed *= _MIX
        parts.append((mixed >> _TOP).astype("<u2").tobytes())
    return b"".join(parts)


def raw_states(demo: Demo) -> bytes:
    """Return x, y, angle, vx, vy, omega of every body of every stage, float32 little-endian, 24 bytes per body."""
    return b"".join(np.hstack([stage.world.poses, stage.world.velocities]).astype("<f4").tobytes() for stage in demo.stages)


def differing(ids: BodyIds, digests: bytes, other_ids: BodyIds, other_digests: bytes) -> tuple[tuple[int, int], ...]:
    """Return (stage, id) of every body whose digests differ, or that exists in only one of the two states.

    Examples
    --------
    >>> differing(((1, 2),), b"aabb", ((1, 2, 3),), b"aaxxcc")
    ((0, 2), (0, 3))
    """
    ours, theirs = _by_body(ids, digests), _by_body(other_ids, other_digests)
    return tuple(body for body in sorted(ours.keys() | theirs.keys()) if ours.get(body) != theirs.get(body))


def _by_body(ids: BodyIds, digests: bytes) -> dict[tuple[int, int], bytes]:
    listed = [(stage, body) for stage, bodies in enumerate(ids) for body in bodies]
    return {body: digests[DIGEST_BYTES * k : DIGEST_BYTES * (k + 1)] for k, body in enumerate(listed)}


@dataclass(frozen=True, slots=True)
class Divergence:
    """A step whose repetition gave a different state, which indicates a bug. `bodies` lists the differing bodies as (stage, id)."""

    step: int
    bodies: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class StateLog:
    """States by step.

    Attributes
    ----------
    hashes : list of bytes
        Hash of the entire state after each step (`engine.sim.history.demo_hash`).
    bodies, digests : list
        Body ids after each step, and their digests (`body_digests`).
    raw : dict of int to bytes
        Raw float32 state of all bodies at some steps of a recording; empty for a live history, whose keyframes have it.
    """

    hashes: list[bytes] = field(default_factory=list)
    bodies: list[BodyIds] = field(default_factory=list)
    digests: list[bytes] = field(default_factory=list)
    raw: dict[int, bytes] = field(default_factory=dict)

    def note(self, demo: Demo, digest: bytes) -> None:
        """Append the state after the latest step, with its hash; ids and digests equal to the previous ones share the same object."""
        ids, digests = body_ids(demo), body_digests(demo)
        self.hashes.append(digest)
        self.bodies.append(self.bodies[-1] if self.bodies and self.bodies[-1] == ids else ids)
        self.digests.append(self.digests[-1] if self.digests and self.digests[-1] == digests else digests)

    def divergence(self, step: int, demo: Demo) -> Divergence:
        """Return the difference between a demo's state after a step and the logged one."""
        return Divergence(step, differing(self.bodies[step], self.digests[step], body_ids(demo), body_digests(demo)))

    def cut(self, last: int) -> None:
        """Remove the states after step `last`."""
        del self.hashes[last + 1 :], self.bodies[last + 1 :], self.digests[last + 1 :]
        self.raw = {step: state for step, state in self.raw.items() if step <= last}

    def stretch(self, first: int, last: int) -> StateLog:
        """Return a copy of the states after steps `first` to `last`."""
        raw = {step: state for step, state in self.raw.items() if first <= step <= last}
        return StateLog(self.hashes[first : last + 1], self.bodies[first : last + 1], self.digests[first : last + 1], raw)
