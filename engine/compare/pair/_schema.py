"""Pydantic models of a pair file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engine.common.file_schema import METERS, FirstVersion, Strict
from engine.common.limits import MAX_NUMBER

__all__ = ["MAX_VERTICES", "PairSchema", "SideSchema"]

MAX_VERTICES = 256
"""Maximum number of vertices of a polygon in a file. Box2D has 16, our algorithms no limit."""

_Number = Annotated[float, Field(ge=-MAX_NUMBER, le=MAX_NUMBER)]
_Size = Annotated[float, Field(gt=0.0, le=MAX_NUMBER, json_schema_extra=METERS)]
_Skin = Annotated[float, Field(ge=0.0, le=MAX_NUMBER, json_schema_extra=METERS)]
_Index = Annotated[int, Field(ge=0, le=2**63 - 1)]
_Text = Annotated[str, Field(max_length=10_000)]
_Point = Annotated[list[_Number], Field(fail_fast=True, min_length=2, max_length=2)]
_Pose = Annotated[list[_Number], Field(fail_fast=True, min_length=3, max_length=3)]
_Plain = bool | int | float | str | None
_Answer = Annotated[
    _Plain | dict[str, _Plain | list[_Plain | list[_Plain]]],
    Field(description="plain data with finite numbers, and lists nested no deeper than a list of points"),
]
"""The answer of a user's function: a dict of the documented keys, or what it returned instead."""


class _Circle(Strict):
    kind: Literal["circle"]
    radius: _Size
    center: _Point = Field(default_factory=lambda: [0.0, 0.0])


class _Polygon(Strict):
    kind: Literal["polygon"]
    vertices: Annotated[list[_Point], Field(fail_fast=True, min_length=3, max_length=MAX_VERTICES)]
    skin_radius: _Skin = 0.0


class _Capsule(Strict):
    kind: Literal["capsule"]
    p1: _Point
    p2: _Point
    radius: _Size


class _Segment(Strict):
    kind: Literal["segment"]
    p1: _Point
    p2: _Point
    skin_radius: _Skin = 0.0
    ghost1: _Point | None = None
    ghost2: _Point | None = None


class SideSchema(Strict):
    """A shape and where it is: its pose x, y, angle, and for a motion its pose at the end."""

    shape: Annotated[_Circle | _Polygon | _Capsule | _Segment, Field(discriminator="kind")]
    pose: _Pose
    end_pose: _Pose | None = None
    local_center: _Point | None = None


class _Ray(Strict):
    origin: _Point
    end: _Point


class _Provenance(Strict):
    seed: _Index
    chunk: _Index
    row: _Index


class _Outsider(Strict):
    name: _Text
    answer: _Answer = None
    note: _Text = ""


class PairSchema(Strict):
    """The whole file."""

    format: Literal["collision pair"]
    version: FirstVersion
    query: Literal["manifold", "overlap", "distance", "toi", "ray_cast", "contains"]
    a: SideSchema
    b: SideSchema | None = None
    ray: _Ray | None = None
    point: _Point | None = None
    provenance: _Provenance | None = None
    outsider: _Outsider | None = None
    note: _Text = ""
