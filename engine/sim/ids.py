"""Readable ids. Users of a shared demo create objects with ids from their own ranges, which would otherwise show as seven-digit numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["IDS_OF_A_USER", "called", "readable"]

IDS_OF_A_USER = 1 << 20
"""Size of a user number's id range, for bodies, fixtures and joints each."""
_ID = re.compile(r"\b(body|fixture|shape|joint) ([0-9]{7,10})\b")


def called(kind: str, number: int, names: Mapping[int, str] | None = None) -> str:
    """Return a readable name of an object: kind and id, or, for a user's object, its index from 1 and the user's number or name.

    Examples
    --------
    >>> called("body", 7), called("body", 2 * IDS_OF_A_USER + 2), called("joint", 2 * IDS_OF_A_USER, {2: "Ann"})
    ('body 7', 'body 3 of user 2', "Ann's joint 1")
    """
    user, index = divmod(number, IDS_OF_A_USER)
    if not user:
        return f"{kind} {number}"
    name = names.get(user) if names is not None else None
    return f"{kind} {index + 1} of user {user}" if name is None else f"{name}'s {kind} {index + 1}"


def readable(words: str, names: Mapping[int, str] | None = None) -> str:
    """Replace ids in a sentence by their readable names (`called`).

    Examples
    --------
    >>> readable("there is no body 1048576", {1: "Ann"})
    "there is no Ann's body 1"
    """
    return _ID.sub(lambda match: called(match[1], int(match[2]), names), words)
