"""Encoding of actions as plain data, and decoding with validation of every field.

The plain data is JSON in recordings and scripts, and MessagePack in network messages.

    {"type": "Grab", "point": [1.5, 2.0], "held": [0, 7, [0.1, 0.0]]}

`type` is the name of the class; fields with default values are omitted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
import numpy as np

from engine.common.errors import Described, InvalidInputError
from engine.sim.action import Action

__all__ = ["action_kinds", "action_of", "as_plain", "checked", "decode_action", "encode_action"]

_MISSING = re.compile(r"Object (?:contains )?(?P<kind>missing required|unknown) field `(?P<name>.*)`")
Kind = TypeVar("Kind", bound=Action)

_REFUSAL = re.compile(r"(?:Expected )?(?P<wanted>.*?)(?:, got .*?)?(?: - at `\$(?P<path>.*)`)?", re.DOTALL)


def as_plain(action: Action) -> dict[str, Any]:
    """Encode an action as plain data.

    Raises
    ------
    InvalidInputError
        A field does not contain plain data.
    """
    try:
        plain: dict[str, Any] = msgspec.to_builtins(action, enc_hook=_number)
        msgspec.msgpack.encode(plain)  # fails for values that cannot be encoded, such as a lone UTF-16 surrogate
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError("action", f"made of plain data ({error})", Described(type(action).__name__)) from None
    return plain


def _read_fields(kind: type[Kind], plain: dict[str, Any], place: str) -> Kind:
    """Decode an action of the given kind.

    Raises
    ------
    InvalidInputError
        A field is missing, unknown or out of range; the message names `place`, field, value and range.
    """
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise _refusal(error, plain, place) from None


def checked(action: Kind) -> Kind:
    """Return the action after encoding and decoding, which validates every field; raises the errors of `as_plain` and `_read_fields`."""
    return _read_fields(type(action), as_plain(action), type(action).__name__)


def action_kinds() -> dict[str, type[Action]]:
    """Return all loaded kinds of actions by name, that is, the subclasses of `Action` that implement `apply`."""
    kinds: dict[str, type[Action]] = {}
    waiting: list[type[Action]] = [Action]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if kind.apply is not Action.apply:
            kinds.setdefault(kind.__name__, kind)  # the class defined last, such as that of a file loaded again
    return dict(sorted(kinds.items()))


def action_of(plain: object, place: str = "action", kinds: Mapping[str, type[Action]] | None = None) -> Action:
    """Decode an action from plain data, with the kinds of `action_kinds` if they are known already, as for many actions.

    Raises
    ------
    InvalidInputError
        The kind is unknown, or a field is missing, unknown or out of range; the message names `place`, field, value and range.
    """
    kinds = action_kinds() if kinds is None else kinds
    if not isinstance(plain, dict):
        raise InvalidInputError(place, "an object with the type of an action and its fields", plain)
    kind = plain.get("type")
    if not isinstance(kind, str) or kind not in kinds:
        raise InvalidInputError(f"{place}.type", "one of " + ", ".join(kinds), kind)
    return _read_fields(kinds[kind], plain, place)


def decode_action(content: bytes | msgspec.Raw) -> Action:
    """Decode an action from MessagePack; raises the same errors as `action_of`."""
    try:
        return action_of(msgspec.msgpack.decode(content))
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError("action", f"MessagePack ({error})", Described("something else")) from None


def encode_action(action: Action) -> bytes:
    """Encode an action as MessagePack."""
    return msgspec.msgpack.encode(action, enc_hook=_number)


def _number(value: object) -> object:
    """Convert a NumPy scalar to a Python number."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"not {type(value).__name__}")


def _refusal(error: msgspec.ValidationError, plain: dict[str, Any], place: str) -> InvalidInputError:
    match = _REFUSAL.fullmatch(str(error))
    requirement, path = (match["wanted"], match["path"] or "") if match is not None else (str(error), "")
    value: Any = plain
    try:
        for name, index in re.findall(r"\.([^.\[]+)|\[(\d+)\]", path):
            value = value[name] if name else value[int(index)]
    except (LookupError, TypeError):
        value = Described("something else")
    named = _MISSING.fullmatch(requirement)
    if named is not None:
        missing = named["kind"] == "missing required"
        requirement, value = ("given", Described("nothing")) if missing else ("a field that exists", Described("one that does not"))
        path = f"{path}.{named['name']}"
    return InvalidInputError(f"{place}{path}", requirement.replace("`", ""), value)
