"""Pydantic model of a stepper case."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from engine.common.file_schema import FirstVersion, Strict
from engine.common.limits import MAX_NUMBER
from engine.trace.cases import MAX_BOXES, MAX_CORNERS, MAX_POINTS

__all__ = ["CaseSchema"]

_MAX_STEPS = 10_000

_Number = Annotated[float, Field(ge=-MAX_NUMBER, le=MAX_NUMBER)]
_Point = Annotated[list[_Number], Field(fail_fast=True, min_length=2, max_length=2)]
_Ring = Annotated[list[_Point], Field(fail_fast=True, min_length=3, max_length=MAX_CORNERS)]
_Box = Annotated[list[_Number], Field(fail_fast=True, min_length=4, max_length=4)]


class CaseSchema(Strict):
    """The whole file; the readers of pair and scene files check their parts of it."""

    format: Literal["stepper case"]
    version: FirstVersion
    algorithm: Annotated[str, Field(max_length=100)]
    pair: dict[str, Any] | None = None
    before: dict[str, Any] | None = None
    points: Annotated[list[_Point], Field(fail_fast=True, min_length=1, max_length=MAX_POINTS)] | None = None
    rings: Annotated[list[_Ring], Field(fail_fast=True, min_length=1, max_length=MAX_CORNERS)] | None = None
    boxes: Annotated[list[_Box], Field(fail_fast=True, min_length=1, max_length=MAX_BOXES)] | None = None
    region: _Box | None = None
    scene: dict[str, Any] | None = None
    taken: Annotated[int, Field(ge=0, le=_MAX_STEPS)] = 0
