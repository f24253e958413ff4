"""Formatting of text: counts with nouns, fixed decimals, suggestions for mistyped words, and escaping of untrusted text."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable

__all__ = ["LONGEST_NAME", "brief", "counted", "decimals", "meant", "path_below", "plain_number", "shown"]

LONGEST_NAME = 80
"""Maximum number of characters shown of an untrusted name within the path of a field."""

_LIKENESS = 0.6
"""Minimum similarity of two words, 0 to 1, for a suggestion: two letters of five may be wrong."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun, singular or plural.

    Parameters
    ----------
    number : int
    noun, plural : str
        `plural` defaults to `noun` plus s.

    Examples
    --------
    >>> counted(1, "joint"), counted(0, "joint"), counted(12345, "body", "bodies")
    ('1 joint', '0 joints', '12,345 bodies')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def decimals(number: float, digits: int) -> str:
    """Return a number with `digits` decimals; a negative zero such as "-0.00" becomes positive.

    Examples
    --------
    >>> decimals(-0.001, 2), decimals(-1.5, 1)
    ('0.00', '-1.5')
    """
    return f"{round(number, digits) + 0.0:.{digits}f}"


def plain_number(number: float, comma: str = ",") -> str:
    """Return a number with four digits, or all those before the point, without an exponent below a billion; "-0" becomes "0".

    Examples
    --------
    >>> plain_number(19_543.2), plain_number(-0.00012346), plain_number(2e12), plain_number(-0.0)
    ('19,543', '-0.0001235', '2e+12', '0')
    """
    text = f"{number:.4g}" if not 1e4 <= abs(number) < 1e9 else f"{number:,.0f}".replace(",", comma)
    return "0" if text == "-0" else text


def meant(word: str, known: Iterable[str]) -> str:
    """Return " (did you mean ...?)" with the known word most similar to a mistyped one, or "" if none is similar.

    Examples
    --------
    >>> meant("wrokbench", ("bridge", "workbench")), meant("nothing", ("bridge", "workbench"))
    (' (did you mean workbench?)', '')
    """
    near = difflib.get_close_matches(word[:LONGEST_NAME].lower().replace("-", "_"), tuple(known), n=1, cutoff=_LIKENESS)
    return f" (did you mean {near[0]}?)" if near else ""


def brief(text: str, most: int) -> str:
    """Return text of at most `most` characters; a longer one is truncated and ends in "...".

    Examples
    --------
    >>> brief("short", 8), brief("much too long", 8)
    ('short', 'much ...')
    """
    return text if len(text) <= most else text[: most - 3] + "..."


def path_below(path: str, field: str | int) -> str:
    """Return the path of a field or of a list element within `path`.

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
"""Unicode categories of invisible characters: control, format (direction marks, zero width), surrogates, line and paragraph separators."""


def shown(text: str, in_lines: bool = False) -> str:
    r"""Return untrusted text in a form that is safe to show: control characters and other invisible ones are escaped.

    On a terminal an escape sequence in the name of a body could move the cursor, set the title or hide the text after it; a direction mark
    reverses a sentence; an unpaired surrogate can be neither written nor drawn. With `in_lines`, newlines and tabs are kept.

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
