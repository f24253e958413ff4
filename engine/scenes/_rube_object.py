"""Access to an object of a R.U.B.E. file, with errors that name the path; see `engine.scenes.rube`."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping

from engine.common.checks import finite, integer
from engine.common.errors import Described, InvalidInputError
from engine.common.limits import MAX_NAME
from engine.common.words import path_below

__all__ = ["RubeObject"]

Point = tuple[float, float]

_HEX = re.compile(r"[0-9a-fA-F]{8}")


class RubeObject:
    """An object of the file with its path and its kind, one of the names in `engine.scenes.rube`."""

    def __init__(self, plain: object, path: str, kind: str) -> None:
        if not isinstance(plain, Mapping):
            raise InvalidInputError(path or "the file", "an object", plain)
        self.plain, self.path, self.kind = plain, path, kind

    def __contains__(self, name: str) -> bool:
        return name in self.plain

    def place(self, name: str) -> str:
        return path_below(self.path, name)

    def number(self, name: str, default: float = 0.0) -> float:
        return _number(self.plain.get(name, default), self.place(name))

    def vector(self, name: str) -> Point:
        value = self.plain.get(name, 0)
        if isinstance(value, Mapping):
            x, y = (_number(value.get(axis, 0), path_below(self.place(name), axis)) for axis in ("x", "y"))
            return x, y
        if _number(value, self.place(name)) != 0.0:
            raise InvalidInputError(self.place(name), 'an object with "x" and "y", or 0', value)
        return 0.0, 0.0

    def vectors(self, name: str) -> list[Point]:
        value = self.plain.get(name)
        if not isinstance(value, Mapping) or not all(isinstance(value.get(axis), list) for axis in ("x", "y")):
            raise InvalidInputError(self.place(name), 'an object with the lists "x" and "y"', Described("something else"))
        xs, ys = value["x"], value["y"]
        if len(xs) != len(ys):
            raise InvalidInputError(self.place(name), "lists x and y of equal length", Described(f"{len(xs)} and {len(ys)}"))
        return [
            (_number(x, f"{self.place(name)}.x[{k}]"), _number(y, f"{self.place(name)}.y[{k}]"))
            for k, (x, y) in enumerate(zip(xs, ys, strict=True))
        ]

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.plain.get(name, default)
        if not isinstance(value, bool) and value not in (0, 1):
            raise InvalidInputError(self.place(name), "true or false", value)
        return bool(value)

    def whole(self, name: str, default: int = 0) -> int:
        value = self.plain.get(name, default)
        return integer(self.place(name), int(value) if isinstance(value, float) and value.is_integer() else value)

    def text(self, name: str) -> str:
        value = self.plain.get(name, "")
        if not isinstance(value, str):
            raise InvalidInputError(self.place(name), "text", value)
        return value[:MAX_NAME]

    def objects(self, name: str, kind: str) -> list[RubeObject]:
        values = self.plain.get(name, [])
        if not isinstance(values, list):
            raise InvalidInputError(self.place(name), "a list", values)
        return [RubeObject(value, f"{self.place(name)}[{k}]", kind) for k, value in enumerate(values)]

    def inner(self, name: str) -> RubeObject:
        return RubeObject(self.plain[name], self.place(name), name)


def _number(value: object, path: str) -> float:
    if isinstance(value, str):
        if _HEX.fullmatch(value) is None:
            raise InvalidInputError(path, "a number, or the eight hexadecimal digits of a float32", value)
        value = struct.unpack(">f", int(value, 16).to_bytes(4, "big"))[0]
    return finite(path, value)
