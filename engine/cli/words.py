"""Lists of words in options, such as ``--queries manifold,overlap``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.common.errors import Described, InvalidInputError
from engine.common.words import meant

__all__ = ["ALL", "listed"]

ALL = "all"


def listed(option: str, given: str, known: Sequence[str], groups: Mapping[str, Sequence[str]] | None = None) -> tuple[str, ...]:
    """Return the words of a list separated by commas, each once, in the order given; a group's name stands for its members.

    Parameters
    ----------
    option : str
        Which the caller typed, such as ``--queries``.
    given : str
        What was typed behind it.
    known : sequence of str
        The words there are.
    groups : mapping of str to sequence of str, optional
        Names of several of them; without it, ``all`` stands for all.

    Raises
    ------
    InvalidInputError
        There is another word among them, or nothing between two commas.
    """
    members = {ALL: known} if groups is None else groups
    allowed = (*known, *members)
    found: list[str] = []
    for word in (part.strip() for part in given.split(",")):
        if word not in allowed:
            wanted = "a list of " + ", ".join(allowed) + meant(word, allowed)
            raise InvalidInputError(option, wanted, given if word == given else Described(f"{word!r} in {given!r}"))
        found.extend(members.get(word, (word,)))
    return tuple(dict.fromkeys(found))
