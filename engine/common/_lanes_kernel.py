"""Lanes: eight numbers that take every step of a formula together, one source for NumPy's arrays and for the compiler's vectors.

Loops over numbers that lie side by side are turned into vector instructions by LLVM where it can prove that it may; where it cannot, it
says nothing, and they run at an eighth of the speed. A solver reads and writes bodies by their numbers, all over memory, so it can prove
nothing there. `in_lanes` leaves it nothing to prove: a formula is a function of a *machine* and of what it works on, written with + - * /,
comparisons and the machine's own words. On NumPy's machine an operand is an array of eight; on the compiler's it is a value of LLVM's type
<8 x double>, and what runs is the code that the formula has noted down. These are IEEE operations in the same order, so both give the same
bits, and so does any processor: one without registers of eight numbers takes two or four at a time.

`gather` reads a record of eight numbers for each lane, which is one line of a cache, and turns the square of them about its diagonal, in
registers::

    lane 0's record  vx vy w x  y a c s          vx of lanes 0 1 2 3 4 5 6 7
    lane 1's record  vx vy w x  y a c s    ->    vy of lanes 0 1 2 3 4 5 6 7
    ...                                          ...

two stages of shuffles after halves of two records have been loaded side by side (J. O. Eklundh, "A Fast Computer Method for Matrix
Transposing", 1972); `scatter` goes back with the first four. No body may be in two lanes that change it.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

__all__ = ["WIDTH", "Lanes", "Machine", "in_lanes"]

WIDTH = 8
"""Lanes; numbers of a record too."""
_HALF = WIDTH // 2

Lanes: TypeAlias = Any
"""Eight numbers, or eight answers to a comparison: an array, or a vector of the compiler's."""


class Machine(Protocol):
    """What a formula can say beside + - * / and comparisons. Arrays are flat; places in them count in numbers."""

    def load(self, array: Any, place: Any) -> Lanes:
        """Return the eight numbers of an array from a place on."""

    def store(self, array: Any, place: Any, lanes: Lanes) -> None:
        """Write eight numbers to an array from a place on."""

    def select(self, condition: Lanes, yes: Lanes, no: Lanes) -> Lanes:
        """Return in each lane one or the other."""

    def offset(self, place: Any, by: int) -> Any:
        """Return a place so many numbers on."""

    def gather(self, records: Any, ends: Any, place: Any, first: int = 0, n: int = WIDTH) -> tuple[Lanes, ...]:
        """Return columns of the records whose numbers stand in `ends` from a place on: `n`, four or eight, from the `first` on.

        A record begins with each eighth number; what is longer is several of them.
        """

    def scatter(self, records: Any, ends: Any, place: Any, columns: Sequence[Lanes], first: int = 0) -> None:
        """Write four columns, from the `first` on."""


class _OnArrays:
    """NumPy's machine."""

    def load(self, array: Any, place: Any) -> Lanes:
        return array[int(place) : int(place) + WIDTH].copy()

    def store(self, array: Any, place: Any, lanes: Lanes) -> None:
        array[int(place) : int(place) + WIDTH] = lanes

    def select(self, condition: Lanes, yes: Lanes, no: Lanes) -> Lanes:
        return np.where(condition, yes, no)

    def offset(self, place: Any, by: int) -> Any:
        return int(place) + by

    def gather(self, records: Any, ends: Any, place: Any, first: int = 0, n: int = WIDTH) -> tuple[Lanes, ...]:
        begin = WIDTH * ends[int(place) : int(place) + WIDTH] + first
        return tuple(records[begin + column].copy() for column in range(n))

    def scatter(self, records: Any, ends: Any, place: Any, columns: Sequence[Lanes], first: int = 0) -> None:
        begin = WIDTH * ends[int(place) : int(place) + WIDTH] + first
        for number, column in enumerate(columns):
            records[begin + number] = column


class _Vector:
    """A value of the compiler's; what is done to it is noted down."""

    def __init__(self, builder: Any, value: Any) -> None:
        self.builder, self.value = builder, value

    def _other(self, other: Any) -> Any:
        if isinstance(other, _Vector):
            return other.value
        return importlib.import_module("llvmlite.ir").Constant(self.value.type, [float(other)] * WIDTH)

    def _with(self, name: str, other: Any, is_turned: bool = False) -> _Vector:
        first, second = self.value, self._other(other)
        if is_turned:
            first, second = second, first
        return _Vector(self.builder, getattr(self.builder, name)(first, second))

    def __add__(self, other: Any) -> _Vector:
        return self._with("fadd", other)

    def __radd__(self, other: Any) -> _Vector:
        return self._with("fadd", other, True)

    def __sub__(self, other: Any) -> _Vector:
        return self._with("fsub", other)

    def __rsub__(self, other: Any) -> _Vector:
        return self._with("fsub", other, True)

    def __mul__(self, other: Any) -> _Vector:
        return self._with("fmul", other)

    def __rmul__(self, other: Any) -> _Vector:
        return self._with("fmul", other, True)

    def __truediv__(self, other: Any) -> _Vector:
        return self._with("fdiv", other)

    def __rtruediv__(self, other: Any) -> _Vector:
        return self._with("fdiv", other, True)

    def __neg__(self) -> _Vector:
        return _Vector(self.builder, self.builder.fneg(self.value))

    def __gt__(self, other: Any) -> _Vector:
        return _Vector(self.builder, self.builder.fcmp_ordered(">", self.value, self._other(other)))

    def __lt__(self, other: Any) -> _Vector:
        return _Vector(self.builder, self.builder.fcmp_ordered("<", self.value, self._other(other)))


class _OnVectors:
    """The compiler's machine."""

    def __init__(self, builder: Any) -> None:
        self._builder, self._ir = builder, importlib.import_module("llvmlite.ir")
        self._number, self._whole = self._ir.DoubleType(), self._ir.IntType(64)

    def _at(self, array: Any, place: Any, width: int) -> Any:
        kind = self._ir.VectorType(self._number, width).as_pointer()
        return self._builder.bitcast(self._builder.gep(array, [place]), kind)

    def _shuffled(self, first: Any, second: Any, places: Sequence[int]) -> Any:
        kind = self._ir.VectorType(self._ir.IntType(32), len(places))
        return self._builder.shuffle_vector(first, second, self._ir.Constant(kind, list(places)))

    def load(self, array: Any, place: Any) -> Lanes:
        return _Vector(self._builder, self._builder.load(self._at(array, place, WIDTH), align=8))

    def store(self, array: Any, place: Any, lanes: Lanes) -> None:
        self._builder.store(lanes.value, self._at(array, place, WIDTH), align=8)

    def everywhere(self, number: Any) -> Lanes:
        kind = self._ir.VectorType(self._number, WIDTH)
        one = self._builder.insert_element(self._ir.Constant(kind, self._ir.Undefined), number, self._ir.IntType(32)(0))
        return _Vector(self._builder, self._shuffled(one, one, [0] * WIDTH))

    def select(self, condition: Lanes, yes: Lanes, no: Lanes) -> Lanes:
        some = yes if isinstance(yes, _Vector) else no
        return _Vector(self._builder, self._builder.select(condition.value, some._other(yes), some._other(no)))

    def offset(self, place: Any, by: int) -> Any:
        return self._builder.add(place, self._whole(by))

    def _places(self, ends: Any, place: Any) -> list[Any]:
        """Return where the lanes' records begin."""
        places = []
        for lane in range(WIDTH):
            number = self._builder.load(self._builder.gep(ends, [self.offset(place, lane)]))
            places.append(self._builder.mul(number, self._whole(WIDTH)))
        return places

    def _turned(self, rows: list[Any]) -> list[Any]:
        """Turn the two squares of four, side by side in four rows, about their diagonals."""
        for step in (1, 2):
            turned = list(rows)
            for at in range(_HALF):
                if at & step == 0:
                    low, high = rows[at], rows[at + step]
                    lanes = range(WIDTH)
                    turned[at] = self._shuffled(low, high, [j if j & step == 0 else WIDTH + j - step for j in lanes])
                    turned[at + step] = self._shuffled(low, high, [j + step if j & step == 0 else WIDTH + j for j in lanes])
            rows = turned
        return rows

    def gather(self, records: Any, ends: Any, place: Any, first: int = 0, n: int = WIDTH) -> tuple[Lanes, ...]:
        places = self._places(ends, place)
        columns: list[Any] = []
        for half in range(first, first + n, _HALF):
            rows = []
            for lane in range(_HALF):
                two = [
                    self._builder.load(self._at(records, self.offset(places[one], half), _HALF), align=8) for one in (lane, lane + _HALF)
                ]
                rows.append(self._shuffled(two[0], two[1], range(WIDTH)))
            columns += self._turned(rows)
        return tuple(_Vector(self._builder, column) for column in columns)

    def scatter(self, records: Any, ends: Any, place: Any, columns: Sequence[Lanes], first: int = 0) -> None:
        places = [self.offset(one, first) for one in self._places(ends, place)]
        for lane, row in enumerate(self._turned([column.value for column in columns])):
            for one, half in ((lane, 0), (lane + _HALF, _HALF)):
                part = self._shuffled(row, row, range(half, half + _HALF))
                self._builder.store(part, self._at(records, places[one], _HALF), align=8)


def in_lanes(formula: Callable[..., None], **chosen: object) -> Callable[..., None]:
    """Return a formula as a function for kernels.

    Parameters
    ----------
    formula : callable
        Takes a `Machine`, then flat arrays of float64 or int64, places (uint64) and numbers (float64), each number as eight of it.
    **chosen
        Arguments of it that are settled already.
    """
    if importlib.import_module("numba").config.DISABLE_JIT:
        return lambda *arguments: formula(_OnArrays(), *arguments, **chosen)
    extending, types = importlib.import_module("numba.extending"), importlib.import_module("numba.types")

    def in_vectors(_context: Any, *kinds: Any) -> Any:
        signature = types.void(*(types.unliteral(kind) for kind in kinds))

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            machine, arguments = _OnVectors(builder), []
            for kind, value in zip(signature.args, values, strict=True):
                if isinstance(kind, types.Array):
                    arguments.append(context.make_array(kind)(context, builder, value).data)
                else:
                    arguments.append(machine.everywhere(value) if isinstance(kind, types.Float) else value)
            formula(machine, *arguments, **chosen)
            return context.get_dummy_value()

        return signature, generate

    named = inspect.signature(formula).parameters.values()
    in_vectors.__dict__["__signature__"] = inspect.Signature([one for one in named if one.name not in chosen])  # Numba goes by it
    compiled: Callable[..., None] = extending.intrinsic(in_vectors)
    return compiled
