"""What a pair file may hold, as pydantic checks it; the words in which a mistake is told are ours."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.common.errors import Described, InvalidInputError
from engine.common.limits import MAX_NUMBER

__all__ = ["MOST_VERTICES", "PairSchema", "ShapeSchema", "SideSchema", "mistake"]

MOST_VERTICES = 256
"""Of one polygon. Box2D has 16, our algorithms no limit; a file must end somewhere."""

_Number = Annotated[float, Field(ge=-MAX_NUMBER, le=MAX_NUMBER)]
_Size = Annotated[float, Field(gt=0.0, le=MAX_NUMBER)]
_Skin = Annotated[float, Field(ge=0.0, le=MAX_NUMBER)]
_Index = Annotated[int, Field(ge=0, le=2**63 - 1)]
_Text = Annotated[str, Field(max_length=10_000)]
_Point = Annotated[list[_Number], Field(min_length=2, max_length=2)]
_Pose = Annotated[list[_Number], Field(min_length=3, max_length=3)]
_Plain = bool | int | float | str | None
_Answer = _Plain | dict[str, _Plain | list[_Plain | list[_Plain]]]
"""What an outsider's function may have returned: DESIGN.md 4, and whatever it returned in place of that."""


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)


class _Circle(_Strict):
    kind: Literal["circle"]
    radius: _Size
    center: _Point = [0.0, 0.0]


class _Polygon(_Strict):
    kind: Literal["polygon"]
    vertices: Annotated[list[_Point], Field(min_length=3, max_length=MOST_VERTICES)]
    skin_radius: _Skin = 0.0


class _Capsule(_Strict):
    kind: Literal["capsule"]
    p1: _Point
    p2: _Point
    radius: _Size


class _Segment(_Strict):
    kind: Literal["segment"]
    p1: _Point
    p2: _Point
    skin_radius: _Skin = 0.0
    ghost1: _Point | None = None
    ghost2: _Point | None = None


ShapeSchema = _Circle | _Polygon | _Capsule | _Segment


class SideSchema(_Strict):
    """A shape and where it is: its pose x, y, angle, and for a motion its pose at the end."""

    shape: Annotated[ShapeSchema, Field(discriminator="kind")]
    pose: _Pose
    end_pose: _Pose | None = None
    local_center: _Point | None = None


class _Ray(_Strict):
    origin: _Point
    end: _Point


class _Provenance(_Strict):
    seed: _Index
    chunk: _Index
    row: _Index


class _Outsider(_Strict):
    name: _Text
    answer: _Answer = None
    note: _Text = ""


class PairSchema(_Strict):
    """The whole file."""

    format: Literal["collision pair"]
    version: Literal[1]
    query: Literal["manifold", "overlap", "distance", "toi", "ray_cast", "contains"]
    a: SideSchema
    b: SideSchema | None = None
    ray: _Ray | None = None
    point: _Point | None = None
    provenance: _Provenance | None = None
    outsider: _Outsider | None = None
    note: _Text = ""


_KINDS = ("circle", "polygon", "capsule", "segment")


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
        "literal_error": str(context.get("expected")).replace("'", "").replace(" or ", ", "),
        "extra_forbidden": "left out: it means nothing here",
        "model_type": "an object",
        "model_attributes_type": "an object",
        "dict_type": "an object",
        "list_type": "a list",
        "string_type": "a text",
        "string_too_long": f"a text of at most {context.get('max_length')} characters",
    }
    if kind in words:
        return f"one of {words[kind]}" if "," in words[kind] else words[kind]
    name = where.rpartition(".")[2]
    if where.startswith("outsider.answer"):
        return "plain data with finite numbers, lists no deeper than a list of points"
    if where.startswith("provenance"):
        return "a whole number >= 0"
    if name in ("radius", "skin_radius"):
        return f"a number {'>' if name == 'radius' else '>='} 0 m, at most {MAX_NUMBER:g}"
    return f"a number from {-MAX_NUMBER:g} to {MAX_NUMBER:g}"


def _path(parts: tuple[int | str, ...]) -> str:
    """Return ``a.shape.vertices[2][0]``; pydantic names the kind of shape in between, which the file does not."""
    path = ""
    for at, part in enumerate(parts):
        if part in _KINDS and parts[at - 1] == "shape":
            continue
        if path == "outsider.answer":
            break  # pydantic goes on with the names of all ways to read it
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path or "the file"
