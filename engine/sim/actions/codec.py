"""Decodes actions from plain data, which is JSON in recordings and scripts, and MessagePack in network messages."""

from __future__ import annotations

import msgspec

from engine.common.errors import Described, InvalidInputError
from engine.sim.action import Action
from engine.sim.action_fields import read_fields

__all__ = ["action_kinds", "action_of", "decode_action"]


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


def action_of(plain: object, place: str = "action") -> Action:
    """Decode an action from plain data.

    Raises
    ------
    InvalidInputError
        The kind is unknown, or a field is missing, unknown or out of range; the message names `place`, field, value and range.
    """
    kinds = action_kinds()
    if not isinstance(plain, dict):
        raise InvalidInputError(place, "an object with the type of an action and its fields", plain)
    kind = plain.get("type")
    if not isinstance(kind, str) or kind not in kinds:
        raise InvalidInputError(f"{place}.type", "one of " + ", ".join(kinds), kind)
    return read_fields(kinds[kind], plain, place)


def decode_action(content: bytes | msgspec.Raw) -> Action:
    """Decode an action from MessagePack; raises the same errors as `action_of`."""
    try:
        return action_of(msgspec.msgpack.decode(content))
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError("action", f"MessagePack ({error})", Described("something else")) from None
