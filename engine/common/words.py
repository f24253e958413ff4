"""Numbers in sentences: a count with its noun, a number with so many decimals."""

from __future__ import annotations

__all__ = ["counted", "decimals"]


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
