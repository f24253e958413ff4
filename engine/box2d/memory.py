"""Reads a Box2D world after a step, through its public interface or directly from memory. Reading a thousand contacts from memory takes
microseconds instead of ten milliseconds. Both readers return identical raw numbers, so results do not depend on the reader.

The offsets in `_memory_kernel` are valid for one build of Box2D. `MemoryReader` is only used after `self_test` has compared its results,
field by field, with those of the public interface, in a scene with all types of manifolds. If that fails, or Numba is disabled, the slower
public reader is used.
"""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import Box2D
import numpy as np
from numpy.typing import NDArray

from engine.box2d.convert import fix
from engine.box2d.internal_state import InternalMemory
from engine.box2d.internal_state import self_test as internal_self_test
from engine.common.interrupts import DeferredInterrupt
from engine.world.records import BodyMotion

__all__ = [
    "CIRCLES",
    "MANIFOLD_DTYPE",
    "MemoryReader",
    "PublicReader",
    "RawContacts",
    "Reader",
    "best_internal_memory",
    "best_reader",
    "load",
    "self_test",
    "without_leftovers",
]

_FIRST_ROOM = 256

MANIFOLD_DTYPE = np.dtype(
    [
        ("points", [("local", np.float32, 2), ("normal_impulse", np.float32), ("tangent_impulse", np.float32), ("id", np.uint32)], 2),
        ("local_normal", np.float32, 2),
        ("local_point", np.float32, 2),
        ("type", np.int32),
        ("count", np.int32),
    ]
)
"""Memory layout of `b2Manifold`, 64 bytes."""

CIRCLES = 0
"""The `type` of a manifold of two circles."""


@dataclass(frozen=True, slots=True)
class RawContacts:
    """Touching contacts: their addresses, int64 (n,), those of their two fixtures, int64 (n, 2), and manifolds of `MANIFOLD_DTYPE`."""

    contacts: NDArray[np.int64]
    fixtures: NDArray[np.int64]
    manifolds: NDArray[np.void]


class Reader(Protocol):
    """Copies a world's state out of Box2D. Must only be used between steps."""

    def bodies(self, handles: Sequence[Any], addresses: NDArray[np.int64]) -> BodyMotion:
        """Read the bodies given by `handles` and their addresses."""
        ...

    def contacts(self, world: Any) -> RawContacts:
        """Read the touching contacts."""
        ...


class PublicReader:
    """Reads pybox2d's properties, which takes about 0.6 us per body and 10 us per contact."""

    def bodies(self, handles: Sequence[Any], addresses: NDArray[np.int64]) -> BodyMotion:
        values = np.empty((len(handles), 6), dtype=np.float32)
        awake = np.empty(len(handles), dtype=np.bool_)
        for row, body in enumerate(handles):
            position, velocity = body.position, body.linearVelocity
            values[row] = (position.x, position.y, body.angle, velocity.x, velocity.y, body.angularVelocity)
            awake[row] = body.awake
        return BodyMotion(values, awake)

    def contacts(self, world: Any) -> RawContacts:
        # pybox2d returns the list reversed; restore Box2D's order, which the memory reader uses
        touching = [contact for contact in reversed(world.contacts) if contact.touching]
        addresses = np.array([hash(contact) for contact in touching], dtype=np.int64)
        fixtures = np.zeros((len(touching), 2), dtype=np.int64)
        manifolds = np.zeros(len(touching), dtype=MANIFOLD_DTYPE)
        for row, contact in enumerate(touching):
            fixtures[row] = hash(contact.fixtureA), hash(contact.fixtureB)
            _copy_manifold(contact.manifold, manifolds[row])
        return RawContacts(addresses, fixtures, manifolds)


def _copy_manifold(manifold: Any, row: Any) -> None:
    points = manifold.points  # pybox2d returns only existing points
    row["type"], row["count"] = manifold.type_, len(points)
    row["local_normal"] = tuple(manifold.localNormal)
    row["local_point"] = tuple(manifold.localPoint)
    for k, point in enumerate(points):
        slot = row["points"][k]
        slot["local"] = tuple(point.localPoint)
        slot["normal_impulse"] = point.normalImpulse
        slot["tangent_impulse"] = point.tangentImpulse
        slot["id"] = point.id.key


class MemoryReader:
    """Copies data from the addresses of existing Box2D objects. Obtain it from `best_reader`, which returns it only after its self test."""

    def __init__(self) -> None:
        from engine.box2d import _memory_kernel

        self._kernel = _memory_kernel
        self._room = _FIRST_ROOM

    def bodies(self, handles: Sequence[Any], addresses: NDArray[np.int64]) -> BodyMotion:
        values = np.empty((len(addresses), 6), dtype=np.float32)
        awake = np.empty(len(addresses), dtype=np.bool_)
        self._kernel.copy_bodies(addresses, values, awake)
        return BodyMotion(values, awake)

    def contacts(self, world: Any) -> RawContacts:
        head = world.contactManager.contactList
        first = 0 if head is None else hash(head)
        while True:
            contacts = np.empty(self._room, dtype=np.int64)
            fixtures = np.empty((self._room, 2), dtype=np.int64)
            words = np.empty((self._room, MANIFOLD_DTYPE.itemsize // 4), dtype=np.uint32)
            n = int(self._kernel.copy_contacts(first, contacts, fixtures, words))
            if n <= self._room:
                break
            self._room = 2 * n
        manifolds = words[:n].view(MANIFOLD_DTYPE).reshape(n)
        return RawContacts(contacts[:n], fixtures[:n], manifolds)


_tested: tuple[Reader, str | None] | None = None
_internal: InternalMemory | None = None


def load() -> str | None:
    """Compile or load the kernels and test them, once per process; return why memory is not read or not written, or None.

    This takes some tenths of a second, mostly for Numba, and another second if nothing is compiled yet. The first Box2D world calls it.
    """
    global _tested, _internal
    if _tested is None:
        with DeferredInterrupt():
            problem = self_test()
            reader = MemoryReader() if problem is None else PublicReader()
            if problem is None:
                problem = internal_self_test()
                _internal = InternalMemory() if problem is None else None
        _tested = reader, problem
    return _tested[1]


def best_reader() -> Reader:
    """Return the fastest available reader, which is the public one until `load` has succeeded."""
    return PublicReader() if _tested is None else _tested[0]


def best_internal_memory() -> InternalMemory | None:
    """Return the reader and writer of internal state, or None if `load` has not succeeded."""
    return _internal


def self_test() -> str | None:
    """Compare both readers in a small scene; return None if they agree bit for bit, or else an error message."""
    if struct.calcsize("P") != 8:
        return "pointers are not 64 bits wide"
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return "Numba's compiler is disabled (NUMBA_DISABLE_JIT)"
    try:
        fast: Reader = MemoryReader()
    except ImportError as error:
        return f"Numba cannot be loaded: {error}"
    world, bodies = _scene()
    addresses = np.array([hash(body) for body in bodies], dtype=np.int64)
    slow = PublicReader()
    for step in range(90):
        world.Step(1.0 / 60.0, 8, 3)
        if step % 10 == 9:
            problem = _difference(slow, fast, world, bodies, addresses)
            if problem is not None:
                return problem
    return None


def _scene() -> tuple[Any, list[Any]]:
    """Return a scene of boxes, discs and triangles on a floor, with all manifold types, one and two points, and a sleeping body."""
    world = Box2D.b2World(gravity=(0.0, -10.0))
    triangle = [(0.5 * math.cos(2.1 * k), 0.5 * math.sin(2.1 * k)) for k in range(3)]
    shapes = Box2D.b2CircleShape(radius=0.4), Box2D.b2PolygonShape(box=(0.4, 0.3)), Box2D.b2PolygonShape(vertices=triangle)
    bodies = [world.CreateStaticBody(position=(0.0, -1.0))]
    bodies[0].CreatePolygonFixture(box=(20.0, 1.0))
    for i in range(12):
        body = world.CreateDynamicBody(position=(0.9 * (i % 4), 0.8 + 0.9 * (i // 4)), angle=0.3 * i, linearVelocity=(0.1 * i, -1.0))
        fix(body, Box2D.b2FixtureDef(density=1.0), shapes[i % 3])
        bodies.append(body)
    bodies.append(world.CreateDynamicBody(position=(10.0, 5.0), awake=False))
    return world, bodies


def _difference(slow: Reader, fast: Reader, world: Any, bodies: list[Any], addresses: NDArray[np.int64]) -> str | None:
    expected, read = slow.bodies(bodies, addresses), fast.bodies(bodies, addresses)
    if expected.values.tobytes() != read.values.tobytes() or not np.array_equal(expected.awake, read.awake):
        return "the layout of b2Body differs from that of Box2D 2.3.0"
    contacts, copied = slow.contacts(world), fast.contacts(world)
    if not (np.array_equal(contacts.contacts, copied.contacts) and np.array_equal(contacts.fixtures, copied.fixtures)):
        return "the layout of b2Contact differs from that of Box2D 2.3.0"
    if without_leftovers(contacts.manifolds).tobytes() != without_leftovers(copied.manifolds).tobytes():
        return "the layout of b2Manifold differs from that of Box2D 2.3.0"
    return None


def without_leftovers(manifolds: NDArray[np.void]) -> NDArray[np.void]:
    """Zero, in place, the data that Box2D leaves uninitialized (points past the count, the normal of two circles); return the manifolds."""
    for k in range(2):
        rows = np.flatnonzero(manifolds["count"] <= k)
        manifolds["points"][rows, k] = 0
    manifolds["local_normal"][np.flatnonzero(manifolds["type"] == CIRCLES)] = 0.0
    return manifolds
