"""Stepper cases as JSON files, which can be saved while stepping, reopened and shared.

    {"format": "stepper case", "version": 1, "algorithm": "quickhull", "points": [[0, 0], [1, 0.2], [0.4, 1]]}

Besides these three fields, a file contains only the input of the algorithm:

    pair, before      a pair file's content (`engine.compare.pair.file`), and if it has been moved, the pair of the frame before
    points            for hulls and enclosing shapes: [[x, y], ...]
    rings             a simple polygon, then holes in it: [[[x, y], ...], ...]
    boxes, region     for broad phases: [[x0, y0, x1, y1], ...], and the query box
    scene, taken      for solvers: a scene file's content (`engine.scenes.scene_file`), and the number of steps before the one shown;
                      as in any scene file, impulses are not in it: the first step begins without those of a step before

A pair file is also a case, for the algorithm of its query. Meters and radians, world frame; every float is restored exactly.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.common.errors import Described, InvalidInputError, InvalidShapeError, renamed
from engine.common.files import write_atomically
from engine.common.json_file import json_text, read_json
from engine.compare.pair.file import ANSWERED_BY, pair_as_json, pair_from_json
from engine.compare.pair.file import FORMAT as PAIR_FORMAT
from engine.contracts.trace import Point
from engine.scenes.scene import scene_of_snapshot
from engine.scenes.scene_file import MAX_FILE_BYTES as MAX_CASE
from engine.scenes.scene_file import scene_as_json, scene_from_json
from engine.trace import algorithm, algorithms
from engine.trace.cases import BoxesCase, Case, OutlineCase, PairCase, PointsCase
from engine.trace.scene_case import SceneCase

if TYPE_CHECKING:
    from engine.trace._case_schema import CaseSchema

__all__ = ["CASE_FORMAT", "MAX_CASE", "SavedCase", "case_as_json", "case_from_json", "load_case", "save_case"]

CASE_FORMAT = "stepper case"
_VERSION = 1
_CONTENT = ("pair", "points", "rings", "boxes", "scene")


@dataclass(frozen=True, slots=True)
class SavedCase:
    """A case with the name of the algorithm for which it was saved, or that answers its query; empty if there is none."""

    algorithm: str
    case: Case


def save_case(path: str | os.PathLike[str], saved: SavedCase) -> None:
    """Write a case atomically; an unloadable case is rejected.

    Raises
    ------
    InvalidInputError
        A number is out of range, or the case is too large.
    OSError
        The file cannot be written.
    """
    plain = case_as_json(saved)
    case_from_json(plain, os.fspath(path))
    write_atomically(path, json_text(plain))


def load_case(path: str | os.PathLike[str]) -> SavedCase:
    """Read a stepper case or a pair file.

    Raises
    ------
    InvalidInputError
        The file does not exist, is not JSON (the message has the line), or has an invalid field (the message names it).
    """
    return case_from_json(read_json(path, "stepper case or pair file", MAX_CASE), os.fspath(path))


def case_as_json(saved: SavedCase) -> dict[str, Any]:
    """Return the plain data of the file."""
    return {"format": CASE_FORMAT, "version": _VERSION, "algorithm": saved.algorithm, **_content(saved.case)}


def case_from_json(plain: object, file: str = "case") -> SavedCase:
    """Return the case described by a file's plain data; `file` is the name used in messages.

    Raises
    ------
    InvalidInputError
        As `load_case`.
    """
    from engine.common.file_schema import validated
    from engine.trace._case_schema import CaseSchema

    if isinstance(plain, dict) and plain.get("format") == PAIR_FORMAT:
        pair = pair_from_json(plain, file)
        return SavedCase(ANSWERED_BY.get(pair.query, ""), PairCase(pair))
    if isinstance(plain, dict) and plain.get("format") != CASE_FORMAT:
        expected = f'"{CASE_FORMAT}" or "{PAIR_FORMAT}"'
        raise InvalidInputError(f"{file}: format", expected, plain.get("format", Described("nothing")))
    held = validated(CaseSchema, plain, file)
    if held.algorithm not in algorithms():
        raise InvalidInputError(f"{file}: algorithm", "one of " + ", ".join(algorithms()), held.algorithm)
    case = _held_case(held, file)
    if not algorithm(held.algorithm).takes(case):
        raise InvalidInputError(file, f"a case that {held.algorithm} accepts", Described(_present(held)))
    return SavedCase(held.algorithm, case)


def _present(held: CaseSchema) -> str:
    return next(name for name in _CONTENT if getattr(held, name) is not None)


def _content(case: Case) -> dict[str, Any]:
    if isinstance(case, PairCase):
        before = {} if case.before is None else {"before": pair_as_json(case.before)}
        return {"pair": pair_as_json(case.pair), **before}
    if isinstance(case, PointsCase):
        return {"points": [list(point) for point in case.points]}
    if isinstance(case, OutlineCase):
        return {"rings": [[list(point) for point in ring] for ring in case.rings]}
    if isinstance(case, BoxesCase):
        return {"boxes": [list(box) for box in case.boxes], "region": list(case.region)}
    if isinstance(case, SceneCase):
        return {"scene": scene_as_json(scene_of_snapshot(case.start)), "taken": case.taken}
    raise InvalidInputError("case", "a pair, points, an outline, boxes or a scene", Described(type(case).__name__))


def _held_case(held: CaseSchema, file: str) -> Case:
    present = [name for name in _CONTENT if getattr(held, name) is not None]
    if len(present) != 1:
        raise InvalidInputError(file, "a case with one of " + ", ".join(_CONTENT), Described(" and ".join(present) or "none"))
    if held.taken and held.scene is None:
        raise InvalidInputError(f"{file}: taken", "given only with a scene", Described(present[0]))
    if held.before is not None and held.pair is None:
        raise InvalidInputError(f"{file}: before", "given only with a pair", Described(present[0]))
    if (held.boxes is None) != (held.region is None):
        given_alone = f"{present[0]} without a region" if held.region is None else f"a region with {present[0]}"
        raise InvalidInputError(f"{file}: region", "given with boxes, and only with them", Described(given_alone))
    if held.pair is not None:
        before = None if held.before is None else pair_from_json(held.before, f"{file}: before")
        return PairCase(pair_from_json(held.pair, f"{file}: pair"), before)
    if held.points is not None:
        return PointsCase(tuple(map(_point, held.points)))
    if held.rings is not None:
        return _outline(held.rings, file)
    if held.scene is not None:
        with renamed(lambda field: f"{file}: scene: {field}"):
            return SceneCase.of_scene(scene_from_json(held.scene), held.taken)
    assert held.boxes is not None and held.region is not None
    boxes = tuple(_box(f"{file}: boxes[{k}]", box) for k, box in enumerate(held.boxes))
    return BoxesCase(boxes, _box(f"{file}: region", held.region))


def _outline(rings: list[list[list[float]]], file: str) -> OutlineCase:
    from engine.decompose.outline import Part

    try:
        part = Part(np.array(rings[0]), tuple(np.array(ring) for ring in rings[1:]))
    except InvalidShapeError as error:
        raise InvalidShapeError(f"{file}: rings: {error.field}", error.requirement, error.value) from None
    with renamed(lambda field: f"{file}: {field}"):
        return OutlineCase(tuple(tuple((x, y) for x, y in ring.tolist()) for ring in part.rings()))


def _box(name: str, box: list[float]) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = box
    if x0 > x1 or y0 > y1:
        raise InvalidInputError(name, "x0, y0, x1, y1 with x0 <= x1 and y0 <= y1", box)
    return x0, y0, x1, y1


def _point(numbers: list[float]) -> Point:
    return numbers[0], numbers[1]
