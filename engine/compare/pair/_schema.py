"""What a pair file may hold, as `engine.common.file_schema` checks it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engine.common.file_schema import Strict, Wording
from engine.common.limits import MAX_NUMBER

__all__ = ["MOST_VERTICES", "WORDING", "PairSchema", "SideSchema"]

MOST_VERTICES = 256
"""Of one polygon. Box2D has 16, our algorithms no limit; a file must end somewhere."""

_Number = Annotated[float, Field(ge=-MAX_NUMBER, le=MAX_NUMBER)]
_Size = Annotated[float, Field(gt=0.0, le=MAX_NUMBER)]
_Skin = Annotated[float, Field(ge=0.0, le=MAX_NUMBER)]
_Index = Annotated[int, Field(ge=0, le=2**63 - 1)]
_Text = Annotated[str, Field(max_length=10_000)]
_Point = Annotated[list[_Number], Field(fail_fast=True, min_length=2, max_length=2)]
_Pose = Annotated[list[_Number], Field(fail_fast=True, min_length=3, max_length=3)]
_Plain = bool | int | float | str | None
_Answer = _Plain | dict[str, _Plain | list[_Plain | list[_Plain]]]
"""What a user's function may have returned: DESIGN.md 4, or what came in place of that."""


class _Circle(Strict):
    kind: Literal["circle"]
    radius: _Size
    center: _Point = Field(default_factory=lambda: [0.0, 0.0])


class _Polygon(Strict):
    kind: Literal["polygon"]
    vertices: Annotated[list[_Point], Field(fail_fast=True, min_length=3, max_length=MOST_VERTICES)]
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
    version: Literal[1]
    query: Literal["manifold", "overlap", "distance", "toi", "ray_cast", "contains"]
    a: SideSchema
    b: SideSchema | None = None
    ray: _Ray | None = None
    point: _Point | None = None
    provenance: _Provenance | None = None
    outsider: _Outsider | None = None
    note: _Text = ""


def _number(where: str) -> str:
    name = where.rpartition(".")[2]
    if where.startswith("outsider.answer"):
        return "plain data with finite numbers, lists no deeper than a list of points"
    if where.startswith("provenance"):
        return "a whole number >= 0"
    if name in ("radius", "skin_radius"):
        return f"a number {'>' if name == 'radius' else '>='} 0 m, at most {MAX_NUMBER:g}"
    return f"a number from {-MAX_NUMBER:g} to {MAX_NUMBER:g}"


WORDING = Wording("shape", ("circle", "polygon", "capsule", "segment"), _number, "outsider.answer")
"""How its mistakes are told."""
