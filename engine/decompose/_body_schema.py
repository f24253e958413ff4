"""What a body file may hold, as `engine.common.file_schema` checks it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engine.common.file_schema import Strict, Wording
from engine.common.limits import MAX_COORDINATE, MAX_POLYGON_VERTICES

__all__ = ["MOST_PIECES", "MOST_VERTICES", "WORDING", "BodySchema"]

MOST_PIECES = 10_000
"""Fixtures of one body; Box2D's own structures take some hundred with ease."""
MOST_VERTICES = 100_000
"""Of one ring."""

_Number = Annotated[float, Field(ge=-MAX_COORDINATE, le=MAX_COORDINATE)]
_Size = Annotated[float, Field(gt=0.0, le=MAX_COORDINATE)]
_Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
_Text = Annotated[str, Field(max_length=10_000)]
_Name = Annotated[str, Field(max_length=1_000)]
_Point = Annotated[list[_Number], Field(fail_fast=True, min_length=2, max_length=2)]
_Ring = Annotated[list[_Point], Field(fail_fast=True, min_length=3, max_length=MOST_VERTICES)]


class _Circle(Strict):
    kind: Literal["circle"]
    radius: _Size
    center: _Point = Field(default_factory=lambda: [0.0, 0.0])


class _Polygon(Strict):
    kind: Literal["polygon"]
    vertices: Annotated[list[_Point], Field(fail_fast=True, min_length=3, max_length=MAX_POLYGON_VERTICES)]


_Fixture = Annotated[_Circle | _Polygon, Field(discriminator="kind")]


class _Part(Strict):
    outer: _Ring
    holes: Annotated[list[_Ring], Field(fail_fast=True, max_length=MOST_PIECES)] = Field(default_factory=list)


class _Picture(Strict):
    file: _Name
    lower: _Point
    upper: _Point
    crop: Annotated[list[_Count], Field(fail_fast=True, min_length=4, max_length=4)] | None = None


class BodySchema(Strict):
    """The whole file."""

    format: Literal["collision body"]
    version: Literal[1]
    name: _Name
    method: _Name
    tolerance: _Size
    pixels_per_metre: Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
    max_pieces: Annotated[int, Field(ge=1, le=MOST_PIECES)] | None = None
    outline: Annotated[list[_Part], Field(fail_fast=True, min_length=1, max_length=MOST_PIECES)]
    fixtures: Annotated[
        list[Annotated[_Circle | _Polygon, Field(discriminator="kind")]], Field(fail_fast=True, min_length=1, max_length=MOST_PIECES)
    ]
    picture: _Picture | None = None
    notes: Annotated[list[_Text], Field(fail_fast=True, max_length=1_000)] = Field(default_factory=list)


def _number(where: str) -> str:
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


WORDING = Wording("fixtures", ("circle", "polygon"), _number)
"""How its mistakes are told."""
