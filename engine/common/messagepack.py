"""Limits on MessagePack from other computers, checked before decoding."""

from __future__ import annotations

from typing import Annotated

import msgspec

__all__ = ["MAX_DECODED_BYTES", "MAX_PLAIN_BYTES", "decoded_bytes", "is_bounded", "plain_fields"]

MAX_PLAIN_BYTES, MAX_DECODED_BYTES = 12_000_000, 200_000_000
"""Maximum size of MessagePack data, bytes, and maximum of the upper bound of its decoded size. The state of 10,000 bodies needs a third of
the first and two thirds of the second."""

_HEADS = (
    (bytes((*range(0x80, 0x90), 0xDE, 0xDF)), 200),  # tables
    (bytes((*range(0x90, 0xA0), 0xDC, 0xDD)), 80),  # lists
    (bytes((*range(0xC7, 0xCA), *range(0xD4, 0xD9))), 100),  # extensions, timestamps
    (bytes((*range(0xA0, 0xC0), *range(0xC4, 0xC7), *range(0xCA, 0xD4), *range(0xD9, 0xDC), *range(0xE0, 0x100))), 40),  # texts, numbers
)
"""First bytes of values by type, and the memory, bytes, that such a value takes in addition to `_MEMORY_PER_BYTE` per encoded byte. The
numbers were measured and rounded up."""
_MEMORY_PER_BYTE = 20
_BYTES = (0xC4, 0xC5, 0xC6)
"""First bytes of binary data."""
_fields = msgspec.msgpack.Decoder(Annotated[list[msgspec.Raw], msgspec.Meta(max_length=16)])


def is_bounded(*parts: bytes) -> bool:
    """Return whether MessagePack from another computer is within the limits. Unchecked, 60 MB can decode to 4 GB of lists."""
    return sum(map(len, parts)) <= MAX_PLAIN_BYTES and sum(map(decoded_bytes, parts)) <= MAX_DECODED_BYTES


def decoded_bytes(plain: bytes) -> int:
    """Return an upper bound, bytes, of the decoded size of MessagePack data, counting every byte that could begin a value as a value."""
    return _MEMORY_PER_BYTE * len(plain) + sum(held * (len(plain) - len(plain.translate(None, heads))) for heads, held in _HEADS)


def plain_fields(message: bytes) -> list[bytes]:
    """Return the fields of a message that is an array, still encoded. Binary fields, which decoding does not expand, are omitted.

    Raises
    ------
    msgspec.DecodeError
        The message is not an array of at most 16 fields.
    """
    return [bytes(raw) for raw in _fields.decode(message) if memoryview(raw)[0] not in _BYTES]
