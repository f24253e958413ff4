"""What a body file may hold, as pydantic checks it; the words in which a mistake is told are ours."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.common.errors import Described, InvalidInputError
from engine.common.limits import MAX_COORDINATE, MAX_POLYGON_VERTICES

__all__ = ["MOST_PIECES", "MOST_VERTICES", "BodySchema", "mistake"]

MOST_PIECES = 10_000
"""Fixtures of one body; Box2D's own structures take some hundred with ease."""
MOST_VERTICES = 100_000
"""Of one ring."""

_Number = Annotated[float, Field(ge=-MAX_COORDINATE, le=MAX_COORDINATE)]
_Size = Annotated[float, Field(gt=0.0, le=MAX_COORDINATE)]
_Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
_Text = Annotated[str, Field(max_length=10_000)]
_Name = Annotated[str, Field(max_length=1_000)]
_Point = Annotated[list[_Number], Field(min_length=2, max_length=2)]
_Ring = Annotated[list[_Point], Field(min_length=3, max_length=MOST_VERTICES)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)


class _Circle(_Strict):
    kind: Literal["circle"]
    radius: _Size
    center: _Point = [0.0, 0.0]


class _Polygon(_Strict):
    kind: Literal["polygon"]
    vertices: Annotated[list[_Point], Field(min_length=3, max_length=MAX_POLYGON_VERTICES)]


class _Part(_Strict):
    outer: _Ring
    holes: Annotated[list[_Ring], Field(max_length=MOST_PIECES)] = []


class _Picture(_Strict):
    file: _Name
    lower: _Point
    upper: _Point
    crop: Annotated[list[_Count], Field(min_length=4, max_length=4)] | None = None


class BodySchema(_Strict):
    """The whole file."""

    format: Literal["collision body"]
    version: Literal[1]
    name: _Name
    method: _Name
    tolerance: _Size
    pixels_per_metre: Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
    max_pieces: Annotated[int, Field(ge=1, le=MOST_PIECES)] | None = None
    outline: Annotated[list[_Part], Field(min_length=1, max_length=MOST_PIECES)]
    fixtures: Annotated[list[Annotated[_Circle | _Polygon, Field(discriminator="kind")]], Field(min_length=1, max_length=MOST_PIECES)]
    picture: _Picture | None = None
    notes: Annotated[list[_Text], Field(max_length=1_000)] = []


_KINDS = ("circle", "polygon")


def mistake(file: str, error: ValidationError) -> InvalidInputError:
    """Return the first thing that is wrong, naming the field in the file, what would be right, and what was given."""
    first = error.errors(include_url=False)[0]
    where, kind, given = _path(first["loc"]), first["type"], first.get("input")
    context: dict[str, Any] = first.get("ctx", {})
    if kind == "missing":
        return InvalidInputError(f"{file}: {where}", "given", Described("nothing"))
    if kind.startswith("union_tag"):
        value = given.get("kind", Described("nothing")) if isinstance(given, dict) else given
        return InvalidInputError(f"{file}: {where}.kind", "one of " + ", ".join(_KINDS), value)
    if kind in ("too_short", "too_long") and isinstance(given, list):
        low, high = context.get("min_length"), context.get("max_length")
        wanted = f"a list of at least {low}" if kind == "too_short" else f"a list of at most {high}"
        return InvalidInputError(f"{file}: {where}", wanted, Described(f"{len(given)}"))
    return InvalidInputError(f"{file}: {where}", _wanted(kind, where, context), given)


def _wanted(kind: str, where: str, context: dict[str, Any]) -> str:
    words = {
        "literal_error": str(context.get("expected")).replace("'", ""),
        "extra_forbidden": "left out: it means nothing here",
        "model_type": "an object",
        "model_attributes_type": "an object",
        "list_type": "a list",
        "string_type": "a text",
        "string_too_long": f"a text of at most {context.get('max_length')} characters",
    }
    if kind in words:
        return words[kind]
    name = where.rpartition(".")[2]
    if name == "max_pieces":
        return f"a whole number from 1 to {MOST_PIECES}"
    if name.startswith("crop"):
        return "a whole number >= 0"
    if name == "pixels_per_metre":
        return "a finite number > 0"
    if name in ("radius", "tolerance"):
        return f"a number > 0 m, at most {MAX_COORDINATE:g}"
    return f"a number from {-MAX_COORDINATE:g} to {MAX_COORDINATE:g}"


def _path(parts: tuple[int | str, ...]) -> str:
    """Return ``fixtures[2].vertices[0][1]``; pydantic names the kind of piece in between, which the file does not."""
    path = ""
    for at, part in enumerate(parts):
        if part in _KINDS and at >= 2 and parts[at - 2] == "fixtures":
            continue
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path or "the file"
