"""Compiled functions that copy Box2D structures from and to memory, with the field offsets of Box2D 2.3.0 and 64-bit pointers.

The structures contain only 32-bit numbers and pointers, so the offsets are the same on Linux, Windows and macOS.
They are only used after `engine.box2d.memory.self_test` has compared every field with the public interface.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from engine.common.jit import kernel

__all__ = ["copy_bodies", "copy_contacts", "copy_words", "write_impulses", "write_words"]

# b2Body: uint16 flags at 4; b2Transform (p.x p.y sin cos) at 12; b2Sweep at 28, its angle at 56; velocities at 64
_BODY_FLAGS = 4 // 4
_BODY_AWAKE = 0x0002
_BODY_FLOATS = np.array([12, 16, 56, 64, 68, 72], dtype=np.int64) // 4
_BODY_WORDS = 76 // 4

# b2Contact: vtable, flags at 8, previous, next at 24, two nodes of 32 bytes, fixtures at 96 and 104, child indices,
# b2Manifold at 120: two points of 20 bytes (local point, normal and tangent impulse, id), normal, point, type, count
_CONTACT_FLAGS = 8 // 4
_CONTACT_TOUCHING = 0x0002
_CONTACT_NEXT = 24 // 8
_CONTACT_FIXTURE_A = 96 // 8
_CONTACT_FIXTURE_B = 104 // 8
_CONTACT_MANIFOLD = 120 // 4
_MANIFOLD_WORDS = 16
_CONTACT_WORDS = 184 // 4


# Numba's type information does not contain this function
carray: Any = numba.carray  # type: ignore[attr-defined, unused-ignore]


def _typed_pointer(typing_context: Any, address: Any) -> Any:
    """Convert an integer to a pointer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())

    return types.voidptr(types.int64), generate


_pointer: Any = intrinsic(_typed_pointer)


@kernel
def copy_bodies(addresses: Any, values: Any, awake: Any) -> None:
    """Copy x, y, angle, vx, vy, omega of each body to `values`, float32 (n, 6), and its awake flag to `awake`, bool (n,)."""
    for i in range(addresses.shape[0]):
        words = carray(_pointer(addresses[i]), (_BODY_WORDS,), np.float32)
        flags = carray(_pointer(addresses[i]), (_BODY_WORDS,), np.uint32)[_BODY_FLAGS]
        awake[i] = (flags & _BODY_AWAKE) != 0
        for k in range(6):
            values[i, k] = words[_BODY_FLOATS[k]]


@kernel
def copy_contacts(first: int, contacts: Any, fixtures: Any, manifolds: Any) -> int:
    """Traverse the contact list from address `first`, copy the touching contacts, up to n, and return their number.

    `contacts`, int64 (n,), and `fixtures`, int64 (n, 2), receive addresses, and `manifolds`, uint32 (n, 16), raw words of `b2Manifold`.
    """
    n_touching = 0
    at = np.int64(first)
    while at != 0:
        pointers = carray(_pointer(at), (_CONTACT_WORDS // 2,), np.int64)
        words = carray(_pointer(at), (_CONTACT_WORDS,), np.uint32)
        if (words[_CONTACT_FLAGS] & _CONTACT_TOUCHING) != 0:
            if n_touching < fixtures.shape[0]:
                contacts[n_touching] = at
                fixtures[n_touching, 0] = pointers[_CONTACT_FIXTURE_A]
                fixtures[n_touching, 1] = pointers[_CONTACT_FIXTURE_B]
                for k in range(_MANIFOLD_WORDS):
                    manifolds[n_touching, k] = words[_CONTACT_MANIFOLD + k]
            n_touching += 1
        at = pointers[_CONTACT_NEXT]
    return n_touching


_POINT_WORDS = 5
_POINT_IMPULSES = 2


@kernel
def write_impulses(contacts: Any, impulses: Any) -> None:
    """Write the normal and tangent impulse of both points of each contact, float32 (n, 2, 2)."""
    for i in range(contacts.shape[0]):
        words = carray(_pointer(contacts[i]), (_CONTACT_WORDS,), np.float32)
        for k in range(2):
            at = _CONTACT_MANIFOLD + k * _POINT_WORDS + _POINT_IMPULSES
            words[at] = impulses[i, k, 0]
            words[at + 1] = impulses[i, k, 1]


_MAX_WORDS = 128
"""Upper bound on the size of the copied structures, in words: the length of a view; nothing is allocated."""


@kernel
def copy_words(addresses: Any, offsets: Any, words: Any) -> None:
    """Copy 32-bit words to `words`, uint32 (n, k). `offsets`, int64 (n, k), are in words from each address; -1 gives 0."""
    for i in range(addresses.shape[0]):
        source = carray(_pointer(addresses[i]), (_MAX_WORDS,), np.uint32)
        for k in range(offsets.shape[1]):
            words[i, k] = source[offsets[i, k]] if offsets[i, k] >= 0 else np.uint32(0)


@kernel
def write_words(addresses: Any, offsets: Any, words: Any) -> None:
    """Write `words` back to the places from which `copy_words` read them."""
    for i in range(addresses.shape[0]):
        target = carray(_pointer(addresses[i]), (_MAX_WORDS,), np.uint32)
        for k in range(offsets.shape[1]):
            if offsets[i, k] >= 0:
                target[offsets[i, k]] = words[i, k]
