"""Pydantic models of a body file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engine.common.file_schema import METERS, FirstVersion, Strict
from engine.common.limits import MAX_COORDINATE, MAX_POLYGON_VERTICES

__all__ = ["MAX_PIECES", "MAX_VERTICES", "BodySchema"]

MAX_PIECES = 10_000
"""Maximum number of fixtures of a body."""
MAX_VERTICES = 100_000
"""Maximum number of vertices of a ring."""

_Number = Annotated[float, Field(ge=-MAX_COORDINATE, le=MAX_COORDINATE)]
_Size = Annotated[float, Field(gt=0.0, le=MAX_COORDINATE, json_schema_extra=METERS)]
_Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
_Text = Annotated[str, Field(max_length=10_000)]
_Name = Annotated[str, Field(max_length=1_000)]
_Point = Annotated[list[_Number], Field(fail_fast=True, min_length=2, max_length=2)]
_Ring = Annotated[list[_Point], Field(fail_fast=True, min_length=3, max_length=MAX_VERTICES)]


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
    holes: Annotated[list[_Ring], Field(fail_fast=True, max_length=MAX_PIECES)] = Field(default_factory=list)


class _Picture(Strict):
    file: _Name
    lower: _Point
    upper: _Point
    crop: Annotated[list[_Count], Field(fail_fast=True, min_length=4, max_length=4)] | None = None


class BodySchema(Strict):
    """The whole file."""

    format: Literal["collision body"]
    version: FirstVersion
    name: _Name
    method: _Name
    tolerance: _Size
    pixels_per_metre: Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
    max_pieces: Annotated[int, Field(ge=1, le=MAX_PIECES)] | None = None
    outline: Annotated[list[_Part], Field(fail_fast=True, min_length=1, max_length=MAX_PIECES)]
    fixtures: Annotated[list[_Fixture], Field(fail_fast=True, min_length=1, max_length=MAX_PIECES)]
    picture: _Picture | None = None
    notes: Annotated[list[_Text], Field(fail_fast=True, max_length=1_000)] = Field(default_factory=list)
