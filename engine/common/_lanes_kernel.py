"""Lanes: formulas on eight numbers at once, with one source for NumPy arrays and for compiler vectors.

LLVM vectorizes loops over contiguous numbers if it can prove that this is safe; if it cannot, the loops silently run at an eighth of the
speed. A solver accesses bodies by index, scattered in memory, where nothing can be proved. `in_lanes` makes such proofs unnecessary: a
formula is a function of a *machine* and of its operands, written with + - * /, comparisons and the machine's methods. On NumPy's machine an
operand is an array of eight numbers; on the compiler's it is an LLVM value of type <8 x double>, and calling the formula emits the
instructions. These are IEEE operations in the same order, so both machines give the same bits on any processor: one without registers of
eight numbers processes two or four at a time.

`gather` reads a record of eight numbers, one cache line, for each lane and transposes the 8 x 8 square in registers::

    lane 0's record  vx vy w x  y a c s          vx of lanes 0 1 2 3 4 5 6 7
    lane 1's record  vx vy w x  y a c s    ->    vy of lanes 0 1 2 3 4 5 6 7
    ...                                          ...

in two stages of shuffles, after loading halves of two records side by side (J. O. Eklundh, "A Fast Computer Method for Matrix Transposing",
1972); `scatter` does the reverse for four columns. No two lanes may modify the same body.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

__all__ = ["WIDTH", "Lanes", "Machine", "in_lanes"]

WIDTH = 8
"""Number of lanes, and of numbers in a record."""
_HALF = WIDTH // 2

Lanes: TypeAlias = Any
"""Eight numbers, or eight results of a comparison: an array or a compiler vector."""


class Machine(Protocol):
    """Operations of a formula other than + - * / and comparisons. Arrays are flat; positions in them count elements."""

    def load(self, array: Any, place: Any) -> Lanes:
        """Return eight consecutive elements of an array, starting at `place`."""

    def store(self, array: Any, place: Any, lanes: Lanes) -> None:
        """Write eight consecutive elements of an array, starting at `place`."""

    def select(self, condition: Lanes, yes: Lanes, no: Lanes) -> Lanes:
        """Return `yes` in the lanes in which `condition` holds, and `no` in the others."""

    def offset(self, place: Any, by: int) -> Any:
        """Return `place` plus `by` elements."""

    def gather(self, records: Any, ends: Any, place: Any, first: int = 0, n: int = WIDTH) -> tuple[Lanes, ...]:
        """Return `n` (four or eight) columns, from column `first` on, of the records with the indices ``ends[place : place + 8]``.

        Record k begins at element 8 k; longer data take several records.
        """

    def scatter(self, records: Any, ends: Any, place: Any, columns: Sequence[Lanes], first: int = 0) -> None:
        """Write four columns of these records, from column `first` on."""


class _OnArrays:
    """Machine that computes with NumPy arrays."""

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
    """LLVM vector; operations on it emit instructions."""

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
    """Machine that emits LLVM instructions."""

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
        scalar = self._builder.insert_element(self._ir.Constant(kind, self._ir.Undefined), number, self._ir.IntType(32)(0))
        return _Vector(self._builder, self._shuffled(scalar, scalar, [0] * WIDTH))

    def select(self, condition: Lanes, yes: Lanes, no: Lanes) -> Lanes:
        some = yes if isinstance(yes, _Vector) else no
        return _Vector(self._builder, self._builder.select(condition.value, some._other(yes), some._other(no)))

    def offset(self, place: Any, by: int) -> Any:
        return self._builder.add(place, self._whole(by))

    def _places(self, ends: Any, place: Any) -> list[Any]:
        """Return the position of the first element of each lane's record."""
        places = []
        for lane in range(WIDTH):
            number = self._builder.load(self._builder.gep(ends, [self.offset(place, lane)]))
            places.append(self._builder.mul(number, self._whole(WIDTH)))
        return places

    def _turned(self, rows: list[Any]) -> list[Any]:
        """Transpose the two 4 x 4 squares that are side by side in four rows."""
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
                two = [self._builder.load(self._at(records, self.offset(places[k], half), _HALF), align=8) for k in (lane, lane + _HALF)]
                rows.append(self._shuffled(two[0], two[1], range(WIDTH)))
            columns += self._turned(rows)
        return tuple(_Vector(self._builder, column) for column in columns)

    def scatter(self, records: Any, ends: Any, place: Any, columns: Sequence[Lanes], first: int = 0) -> None:
        places = [self.offset(begin, first) for begin in self._places(ends, place)]
        for lane, row in enumerate(self._turned([column.value for column in columns])):
            for k, half in ((lane, 0), (lane + _HALF, _HALF)):
                part = self._shuffled(row, row, range(half, half + _HALF))
                self._builder.store(part, self._at(records, places[k], _HALF), align=8)


def in_lanes(formula: Callable[..., None], **chosen: object) -> Callable[..., None]:
    """Return a formula as a function that kernels can call.

    Parameters
    ----------
    formula : callable
        Takes a `Machine`, then flat arrays of float64 or int64, positions (uint64) and numbers (float64), which are broadcast to all lanes.
    **chosen
        Arguments of `formula` with fixed values.
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
    parameters = [parameter for parameter in named if parameter.name not in chosen]
    in_vectors.__dict__["__signature__"] = inspect.Signature(parameters)  # read by Numba
    compiled: Callable[..., None] = extending.intrinsic(in_vectors)
    return compiled
