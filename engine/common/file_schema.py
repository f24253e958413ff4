"""The plain data of a file checked against a schema by pydantic; the wording of the errors is ours.

Imports pydantic: the modules that describe a format import this one, and what reads a file imports them when it does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from engine.common.installation import require

require("pydantic")

from pydantic import BaseModel, ConfigDict, ValidationError

from engine.common.errors import Described, InvalidInputError
from engine.common.words import LONGEST_NAME, brief

__all__ = ["Strict", "Wording", "checked"]


class Strict(BaseModel):
    """An object of a file: no field that is not named, no text for a number, no number that is not finite.

    Its lists are to be `fail_fast`: otherwise pydantic records every wrong element, and only the first is reported.
    """

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)


_Schema = TypeVar("_Schema", bound=Strict)


@dataclass(frozen=True, slots=True)
class Wording:
    """The wording of one format's errors.

    Parameters
    ----------
    tagged : str
        The field whose objects, or the object itself, have a "kind".
    kinds : tuple of str
        Which there are. Pydantic names the kind in the path after `tagged`; the file does not, and so no message.
    number : callable
        Takes the path of a field and says what must stand there, where that is a number.
    opaque : str
        The path of a field below which pydantic goes on with the names of all ways to read it; messages end there.
    """

    tagged: str
    kinds: tuple[str, ...]
    number: Callable[[str], str]
    opaque: str = ""


def checked(schema: type[_Schema], plain: object, file: str, wording: Wording) -> _Schema:
    """Return plain data as the objects of a schema; `file` is its name in messages.

    Raises
    ------
    InvalidInputError
        The first error, with the field's path in the file, the requirement and the value.
    """
    try:
        return schema.model_validate(plain)
    except ValidationError as error:
        raise _mistake(file, error, wording) from None


def _mistake(file: str, error: ValidationError, wording: Wording) -> InvalidInputError:
    first = error.errors(include_url=False)[0]
    where, kind, raw = _path(first["loc"], wording), first["type"], first.get("input")
    context: dict[str, Any] = first.get("ctx", {})
    if kind == "missing":
        return InvalidInputError(f"{file}: {where}", "given", Described("nothing"))
    if kind.startswith("union_tag"):
        value = raw.get("kind", Described("nothing")) if isinstance(raw, dict) else raw
        return InvalidInputError(f"{file}: {where}.kind", "one of " + ", ".join(wording.kinds), value)
    if kind in ("too_short", "too_long") and isinstance(raw, list):
        low, high = context.get("min_length"), context.get("max_length")
        requirement = f"a list of at least {low}" if kind == "too_short" else f"a list of at most {high}"
        return InvalidInputError(f"{file}: {where}", requirement, Described(f"{len(raw)}"))
    return InvalidInputError(f"{file}: {where}", _wanted(kind, context) or wording.number(where), raw)


def _wanted(kind: str, context: dict[str, Any]) -> str | None:
    """Return the requirement for a kind of pydantic error; None for numbers."""
    if kind == "literal_error":
        words = str(context.get("expected")).replace("'", "").replace(" or ", ", ")
        return f"one of {words}" if "," in words else words
    return {
        "extra_forbidden": "left out: it means nothing here",
        "model_type": "an object",
        "model_attributes_type": "an object",
        "dict_type": "an object",
        "list_type": "a list",
        "string_type": "a text",
        "string_too_long": f"a text of at most {context.get('max_length')} characters",
    }.get(kind)


def _path(parts: tuple[int | str, ...], wording: Wording) -> str:
    """Return ``a.shape.vertices[2][0]``."""
    path = name = ""
    for part in parts:
        if part in wording.kinds and name == wording.tagged:
            continue
        if wording.opaque and path == wording.opaque:
            break
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            name = brief(part, LONGEST_NAME)
            path = f"{path}.{name}" if path else name
    return path or "the file"
