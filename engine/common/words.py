"""Words in sentences: a count with its noun, a number with so many decimals, what a mistyped word may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["counted", "decimals", "meant"]

_LIKENESS = 0.6
"""Of two words, 0 to 1, from which on one may have been meant for the other: two letters of five may be wrong."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a count and what is counted, in the singular of one.

    Parameters
    ----------
    number : int
    noun, plural : str
        The plural is the noun with an s unless given.

    Examples
    --------
    >>> counted(1, "joint"), counted(0, "joint"), counted(12345, "body", "bodies")
    ('1 joint', '0 joints', '12,345 bodies')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def decimals(number: float, digits: int) -> str:
    """Return a number with so many decimals, and never minus nothing: "-0.00".

    Examples
    --------
    >>> decimals(-0.001, 2), decimals(-1.5, 1)
    ('0.00', '-1.5')
    """
    return f"{round(number, digits) + 0.0:.{digits}f}"


def meant(word: str, known: Iterable[str]) -> str:
    """Return " (did you mean ...?)" with the word that is nearest to a mistyped one, or nothing if none is near.

    Examples
    --------
    >>> meant("wrokbench", ("bridge", "workbench")), meant("nothing", ("bridge", "workbench"))
    (' (did you mean workbench?)', '')
    """
    near = difflib.get_close_matches(word.lower().replace("-", "_"), tuple(known), n=1, cutoff=_LIKENESS)
    return f" (did you mean {near[0]}?)" if near else ""
