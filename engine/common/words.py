"""Words in sentences: a count with its noun, a number with so many decimals, what a mistyped word may have meant, text from anywhere."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable

__all__ = ["LONGEST_NAME", "brief", "counted", "decimals", "meant", "path_below", "shown"]

LONGEST_NAME = 80
"""Characters of a name of a file from anywhere that are shown, within the path of a field."""

_LIKENESS = 0.6
"""Least likeness of two words, 0 to 1, at which one may have been meant for the other: two letters of five may be wrong."""


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


def brief(text: str, most: int) -> str:
    """Return text from anywhere in at most so many characters, the rest of a longer one left out.

    Examples
    --------
    >>> brief("short", 8), brief("much too long", 8)
    ('short', 'much ...')
    """
    return text if len(text) <= most else text[: most - 3] + "..."


def path_below(path: str, field: str | int) -> str:
    """Return the path of a field, or of an element of a list, below a path.

    Examples
    --------
    >>> path_below("bodies[3]", "density"), path_below("bodies", 3), path_below("", "title"), path_below("bodies", "[3].name")
    ('bodies[3].density', 'bodies[3]', 'title', 'bodies[3].name')
    """
    if isinstance(field, int):
        return f"{path}[{field}]"
    field = brief(field, LONGEST_NAME)
    return f"{path}.{field}" if path and field and not field.startswith("[") else path + field


_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""General categories of Unicode: control, format (marks that turn the direction of writing, and what has no width), halves of pairs of
UTF-16, ends of lines and paragraphs."""


def shown(text: str, in_lines: bool = False) -> str:
    r"""Return text from a file, a path or a person as it may be shown: control characters and all that is not seen are escaped.

    On a terminal an escape sequence in the name of a body could move the cursor, set the title or hide what comes after; a mark of
    direction turns a sentence round; half of a pair of UTF-16 can be neither written nor drawn. `in_lines` leaves ends of lines and tabs as
    they are.

    Examples
    --------
    >>> shown("a\x1b[31mb\u202ec\ud83d")
    'a\\x1b[31mb\\u202ec\\ud83d'
    >>> shown("naïve π 😀"), shown("two\nlines"), shown("two\nlines", in_lines=True)
    ('naïve π 😀', 'two\\nlines', 'two\nlines')
    """
    if text.isprintable():
        return text
    kept = "\n\t" if in_lines else ""
    return "".join(
        letter if letter in kept or unicodedata.category(letter) not in _UNSEEN else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )
