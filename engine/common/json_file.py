"""Reads untrusted JSON files of limited size. Errors name the line."""

from __future__ import annotations

import json
import os
import re
from typing import Never

from engine.common.errors import Described, InvalidInputError
from engine.common.files import read_at_most
from engine.common.limits import MAX_JSON_NAMES, MAX_JSON_VALUES

__all__ = ["check_values", "glance", "json_text", "read_json"]

_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL)
"""Matches an escape in JSON; its group matches an unpaired UTF-16 surrogate, which UTF-8 cannot encode."""
_INNERMOST = re.compile(r"\[\s+([^][{}\"]*?)\s+\]")


def read_json(path: str | os.PathLike[str], kind: str, largest: int) -> object:
    """Return the plain data of a JSON file; an unpaired surrogate in a string becomes the six characters of its escape.

    Parameters
    ----------
    path : path-like
    kind : str
        Kind of file, for messages: "pair file".
    largest : int
        Maximum size, bytes.

    Raises
    ------
    InvalidInputError
        The file is missing, too large, or not JSON with finite numbers; the message names the line.
    """
    content = read_at_most(path, kind, largest, f"a {kind}, at most {largest} bytes")
    return _parsed(content, kind, os.fspath(path))


def check_values(content: bytes, name: str) -> int:
    """Return the approximate number of values in JSON, estimated from brackets and commas. This is checked before parsing, because a few
    megabytes of JSON can become gigabytes in memory.

    Raises
    ------
    InvalidInputError
        There are more than `MAX_JSON_VALUES`.
    """
    n_values = sum(map(content.count, (b",", b"[", b"{")))
    if n_values > MAX_JSON_VALUES:
        raise InvalidInputError(name, f"JSON of at most {MAX_JSON_VALUES} values", Described(f"about {n_values}"))
    return n_values


def glance(path: str | os.PathLike[str], largest: int) -> object:
    """Return the content of a JSON file; None if it is missing, larger than `largest` bytes, or not JSON."""
    try:
        name = os.fspath(path)
        return _parsed(read_at_most(name, "file", largest, "smaller"), "file", name)
    except InvalidInputError:
        return None


def json_text(plain: object) -> bytes:
    """Return plain data as indented JSON with each innermost list on one line; floats are exact."""
    text = json.dumps(plain, indent=2, allow_nan=False)
    text = _INNERMOST.sub(lambda numbers: "[" + re.sub(r"\s+", " ", numbers[1]) + "]", text)
    return (text + "\n").encode("utf-8")


def _parsed(content: bytes, kind: str, name: str) -> object:
    def refuse(constant: str) -> Never:
        raise InvalidInputError(name, "JSON with finite numbers only", constant)

    def as_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len(pairs) > MAX_JSON_NAMES:
            raise InvalidInputError(name, f"JSON whose objects have at most {MAX_JSON_NAMES} names", Described(f"one with {len(pairs)}"))
        return dict(pairs)

    check_values(content, name)
    try:
        text = content.decode("utf-8-sig")
        if "\\ud" in text or "\\uD" in text:
            text = _ESCAPE.sub(lambda match: match[0] if match[1] is None else rf"\\{match[1]}", text)
        return json.loads(text, parse_constant=refuse, object_pairs_hook=as_object)
    except UnicodeDecodeError:
        raise InvalidInputError(name, "UTF-8 text", Described("other bytes")) from None
    except json.JSONDecodeError as error:
        lines = error.doc.splitlines()
        line = lines[error.lineno - 1].strip() if error.lineno <= len(lines) else ""
        if not error.doc[error.pos :].strip():  # in a truncated file, the line is uninformative or missing
            line = Described("the end of the file") if error.doc.strip() else Described("an empty file")
        words = error.msg.removesuffix(" starting at").removesuffix(" at")
        field = f"{name}, line {error.lineno}, column {error.colno}"
        raise InvalidInputError(field, f"JSON ({words[:1].lower()}{words[1:]})", line or Described("an empty line")) from None
    except RecursionError:
        raise InvalidInputError(name, f"a {kind}", Described("lists nested too deeply")) from None
    except InvalidInputError:
        raise
    except ValueError:  # an integer of thousands of digits
        raise InvalidInputError(name, f"a {kind}", Described("a number of thousands of digits")) from None
