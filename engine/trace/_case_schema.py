"""What a stepper case may hold, as `engine.common.file_schema` checks it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from engine.common.file_schema import Strict, Wording
from engine.common.limits import MAX_NUMBER
from engine.trace.cases import MOST_BOXES, MOST_CORNERS, MOST_POINTS

__all__ = ["CASE_WORDING", "CaseSchema"]

_MOST_STEPS = 10_000

_Number = Annotated[float, Field(ge=-MAX_NUMBER, le=MAX_NUMBER)]
_Point = Annotated[list[_Number], Field(fail_fast=True, min_length=2, max_length=2)]
_Ring = Annotated[list[_Point], Field(fail_fast=True, min_length=3, max_length=MOST_CORNERS)]
_Box = Annotated[list[_Number], Field(fail_fast=True, min_length=4, max_length=4)]


class CaseSchema(Strict):
    """The whole file; what a pair or a scene is, their own formats check."""

    format: Literal["stepper case"]
    version: Literal[1]
    algorithm: Annotated[str, Field(max_length=100)]
    pair: dict[str, Any] | None = None
    before: dict[str, Any] | None = None
    points: Annotated[list[_Point], Field(fail_fast=True, min_length=1, max_length=MOST_POINTS)] | None = None
    rings: Annotated[list[_Ring], Field(fail_fast=True, min_length=1, max_length=MOST_CORNERS)] | None = None
    boxes: Annotated[list[_Box], Field(fail_fast=True, min_length=1, max_length=MOST_BOXES)] | None = None
    region: _Box | None = None
    scene: dict[str, Any] | None = None
    taken: Annotated[int, Field(ge=0, le=_MOST_STEPS)] = 0


def _number(where: str) -> str:
    return f"a whole number from 0 to {_MOST_STEPS}" if where == "taken" else f"a number from {-MAX_NUMBER:g} to {MAX_NUMBER:g}"


CASE_WORDING = Wording("", (), _number)
"""How its mistakes are told."""
