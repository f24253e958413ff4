"""Lanes: formulas on several numbers at once, with one source for NumPy arrays and for compiler vectors.

LLVM vectorizes loops over contiguous numbers if it can prove that this is safe; if it cannot, the loops silently run at an eighth of the
speed. A solver accesses bodies by index, scattered in memory, where nothing can be proved. `in_lanes` makes such proofs unnecessary: a
formula is a function of a *machine* and of its operands, written with + - * /, comparisons and the machine's methods. On NumPy's machine an
operand is an array of eight numbers; on the compiler's it is an LLVM value of type <8 x double>, and calling the formula emits the
instructions. These are IEEE operations in the same order, so both machines give the same bits on any processor: one without registers of
eight numbers processes two or four at a time.

**Transposition.** `gather` reads a record for each lane, four or eight numbers, and transposes the square in registers::

    lane 0's record  vx vy w x  y a c s          vx of lanes 0 1 2 3 4 5 6 7
    lane 1's record  vx vy w x  y a c s    ->    vy of lanes 0 1 2 3 4 5 6 7
    ...                                          ...

in two stages of shuffles, after loading halves of two records side by side (J. O. Eklundh, "A Fast Computer Method for Matrix Transposing",
1972); `scatter` does the reverse for four columns. No two lanes may modify the same record. Element by element, four lanes would take
sixteen loads and sixteen stores, which no compiler reduces. `turn_eight` and `return_eight` do it between records and rows of an array.

**Boxes** (`append_overlapping`). A search through cells compares a box with a few dozen others that are contiguous in memory, and a fifth
of them overlap it. A branch for each would often be mispredicted. Eight at a time need no branch::

    the others' lower x    a  b  c  d  e  f  g  h       each compared with the box's upper x, and so on: four comparisons
    overlap?               0  1  0  0  1  1  0  0       eight bits: a number below 256
    places, from a table   1  4  5  0  0  0  0  0       of the ones
    written                b  e  f  a  a  a  a  a       all eight; the next ones are written from here on
                                    ^

**Ranks** (`write_few`, `write_some`). Most boxes have a handful of partners. In an insertion sort of so few, half of the branches are
mispredicted. Comparing each with all others takes one instruction each, as all are in one register. The place of each is its rank, the
number of smaller ones::

    numbers    7  2  9  4        smaller than 7:  2, 4        so 7 goes to place 2
    ranks      2  0  3  1

Empty lanes contain a number above all others. Their rank is the first place after the others; the next ones overwrite them.

Sources: B. Schlegel, T. Willhalm, W. Lehner, Fast sorted-set intersection using SIMD instructions, ADMS 2011 (a table that brings selected
numbers to the front); D. Lemire, L. Boytsov, N. Kurz, SIMD compression and the intersection of sorted integers, 2016; D. Knuth, The Art of
Computer Programming 3, 5.2 (comparison counting).
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

__all__ = [
    "EIGHT",
    "FEW",
    "LINE",
    "SOME",
    "WIDTH",
    "Lanes",
    "Machine",
    "append_overlapping",
    "fetch",
    "in_lanes",
    "return_eight",
    "turn_eight",
    "write_few",
    "write_some",
]

WIDTH = EIGHT = 8
"""Number of lanes, and of numbers in a solver's record."""
_HALF = WIDTH // 2

LINE = 8
"""Number of float64 values per cache line."""

FEW, SOME = 8, 16
"""Maximum count of numbers that `write_few` and `write_some` sort."""

Lanes: TypeAlias = Any
"""Eight numbers, or eight results of a comparison: an array or a compiler vector."""


class Machine(Protocol):
    """Operations of a formula other than + - * /, & and comparisons. Arrays are indexed flat; positions in them count elements."""

    def load(self, array: Any, place: Any, n: int = WIDTH) -> Lanes:
        """Return `n` consecutive elements of an array, starting at `place`."""

    def store(self, array: Any, place: Any, lanes: Lanes) -> None:
        """Write consecutive elements of an array, starting at `place`."""

    def select(self, condition: Lanes, yes: Lanes, no: Lanes) -> Lanes:
        """Return `yes` in the lanes in which `condition` holds, and `no` in the others."""

    def offset(self, place: Any, by: Any) -> Any:
        """Return `place` plus `by` elements."""

    def gather(self, records: Any, ends: Any, place: Any, first: Any = 0, n: int = WIDTH, scale: int = WIDTH) -> tuple[Lanes, ...]:
        """Return `n` (four or eight) columns, from column `first` on, of the records with the indices ``ends[place : place + 8]``.

        Record k begins at element ``scale * k``; longer data take several records.
        """

    def scatter(self, records: Any, ends: Any, place: Any, columns: Sequence[Lanes], first: Any = 0, scale: int = WIDTH) -> None:
        """Write four columns of these records, from column `first` on."""

    def fetch(self, array: Any, place: Any) -> None:
        """Prefetch the cache line of an element. It does not block, and past the array's end it has no effect."""

    def below(self, number: Any, n: int = WIDTH) -> Lanes:
        """Return, for each of `n` lanes, whether its index is below an integer."""

    def spread(self, number: Any) -> Lanes:
        """Return an integer in all lanes, as uint32."""

    def lane(self, lanes: Lanes, k: int) -> Lanes:
        """Return the number of lane k in all lanes."""

    def element(self, lanes: Lanes, k: int) -> Any:
        """Return the integer of lane k."""

    def ones(self, condition: Lanes) -> tuple[Lanes, Any]:
        """Return the indices of the lanes in which `condition` holds, in front, then zeros; and their number."""

    def count(self, total: Lanes, condition: Lanes) -> Lanes:
        """Return integers `total`, incremented in the lanes in which `condition` holds."""

    def store_pair(self, pairs: Any, row: Any, first: Any, second: Any) -> None:
        """Write a row of an int64 array (n, 2)."""


class _OnArrays:
    """Machine that computes with NumPy arrays."""

    def load(self, array: Any, place: Any, n: int = WIDTH) -> Lanes:
        return array[int(place) : int(place) + n].copy()

    def store(self, array: Any, place: Any, lanes: Lanes) -> None:
        array[int(place) : int(place) + len(lanes)] = lanes

    def select(self, condition: Lanes, yes: Lanes, no: Lanes) -> Lanes:
        return np.where(condition, yes, no)

    def offset(self, place: Any, by: Any) -> Any:
        return int(place) + int(by)

    def gather(self, records: Any, ends: Any, place: Any, first: Any = 0, n: int = WIDTH, scale: int = WIDTH) -> tuple[Lanes, ...]:
        begin = scale * ends[int(place) : int(place) + WIDTH] + int(first)
        return tuple(records[begin + column].copy() for column in range(n))

    def scatter(self, records: Any, ends: Any, place: Any, columns: Sequence[Lanes], first: Any = 0, scale: int = WIDTH) -> None:
        flat, begin = records.reshape(-1), scale * ends[int(place) : int(place) + WIDTH] + int(first)
        for number, column in enumerate(columns):
            flat[begin + number] = column

    def fetch(self, array: Any, place: Any) -> None:
        pass

    def below(self, number: Any, n: int = WIDTH) -> Lanes:
        return np.arange(n) < int(number)

    def spread(self, number: Any) -> Lanes:
        return np.full(WIDTH, int(number), dtype=np.uint32)

    def lane(self, lanes: Lanes, k: int) -> Lanes:
        return lanes[k]

    def element(self, lanes: Lanes, k: int) -> Any:
        return int(lanes[k])

    def ones(self, condition: Lanes) -> tuple[Lanes, Any]:
        ones = np.flatnonzero(condition)
        return np.concatenate((ones, np.zeros(WIDTH - len(ones)))).astype(np.uint32), len(ones)

    def count(self, total: Lanes, condition: Lanes) -> Lanes:
        return total + condition

    def store_pair(self, pairs: Any, row: Any, first: Any, second: Any) -> None:
        pairs[row] = first, second


class _Vector:
    """LLVM vector of float64 or unsigned integers; operations on it emit instructions."""

    def __init__(self, builder: Any, value: Any) -> None:
        self.builder, self.value = builder, value

    def _other(self, other: Any) -> Any:
        if isinstance(other, _Vector):
            return other.value
        kind = self.value.type
        return importlib.import_module("llvmlite.ir").Constant(kind, [float(other) if self._is_float else other] * kind.count)

    @property
    def _is_float(self) -> bool:
        return "double" in str(self.value.type)

    def _with(self, name: str, other: Any, is_turned: bool = False) -> _Vector:
        first, second = self.value, self._other(other)
        if is_turned:
            first, second = second, first
        return _Vector(self.builder, getattr(self.builder, "f" + name if self._is_float else name)(first, second))

    def __add__(self, other: Any) -> _Vector:
        return self._with("add", other)

    def __radd__(self, other: Any) -> _Vector:
        return self._with("add", other, True)

    def __sub__(self, other: Any) -> _Vector:
        return self._with("sub", other)

    def __rsub__(self, other: Any) -> _Vector:
        return self._with("sub", other, True)

    def __mul__(self, other: Any) -> _Vector:
        return self._with("mul", other)

    def __rmul__(self, other: Any) -> _Vector:
        return self._with("mul", other, True)

    def __truediv__(self, other: Any) -> _Vector:
        return self._with("div", other)

    def __rtruediv__(self, other: Any) -> _Vector:
        return self._with("div", other, True)

    def __neg__(self) -> _Vector:
        return _Vector(self.builder, self.builder.fneg(self.value))

    def __and__(self, other: _Vector) -> _Vector:
        return _Vector(self.builder, self.builder.and_(self.value, other.value))

    def _compared(self, operator: str, other: Any) -> _Vector:
        compare = self.builder.fcmp_ordered if self._is_float else self.builder.icmp_unsigned
        return _Vector(self.builder, compare(operator, self.value, self._other(other)))

    def __gt__(self, other: Any) -> _Vector:
        return self._compared(">", other)

    def __lt__(self, other: Any) -> _Vector:
        return self._compared("<", other)

    def __le__(self, other: Any) -> _Vector:
        return self._compared("<=", other)


class _OnVectors:
    """Machine that emits LLVM instructions."""

    def __init__(self, builder: Any) -> None:
        self._builder, self._ir = builder, importlib.import_module("llvmlite.ir")
        self._byte, self._short, self._integer, self._float = *(self._ir.IntType(bits) for bits in (8, 32, 64)), self._ir.DoubleType()

    def _at(self, array: Any, place: Any, kind: Any) -> Any:
        return self._builder.bitcast(self._builder.gep(array, [place]), kind.as_pointer())

    def _loaded(self, array: Any, place: Any, n: int) -> Any:
        element = array.type.pointee
        size = 8 if element == self._float else element.width // 8
        return self._builder.load(self._at(array, place, self._ir.VectorType(element, n)), align=size)

    def _shuffled(self, first: Any, second: Any, places: Sequence[int]) -> Any:
        kind = self._ir.VectorType(self._short, len(places))
        return self._builder.shuffle_vector(first, second, self._ir.Constant(kind, list(places)))

    def load(self, array: Any, place: Any, n: int = WIDTH) -> Lanes:
        return _Vector(self._builder, self._loaded(array, place, n))

    def store(self, array: Any, place: Any, lanes: Lanes) -> None:
        element = lanes.value.type.element
        size = 8 if element == self._float else element.width // 8
        self._builder.store(lanes.value, self._at(array, place, lanes.value.type), align=size)

    def everywhere(self, number: Any, n: int = WIDTH) -> Lanes:
        kind = self._ir.VectorType(number.type, n)
        scalar = self._builder.insert_element(self._ir.Constant(kind, self._ir.Undefined), number, self._short(0))
        return _Vector(self._builder, self._shuffled(scalar, scalar, [0] * n))

    def select(self, condition: Lanes, yes: Lanes, no: Lanes) -> Lanes:
        some = yes if isinstance(yes, _Vector) else no
        return _Vector(self._builder, self._builder.select(condition.value, some._other(yes), some._other(no)))

    def offset(self, place: Any, by: Any) -> Any:
        return self._builder.add(place, self._integer(by) if isinstance(by, int) else by)

    def _places(self, ends: Any, place: Any, first: Any, scale: int) -> list[Any]:
        """Return the position of the first element of each lane's record, plus `first`."""
        places = []
        for lane in range(WIDTH):
            number = self._builder.load(self._builder.gep(ends, [self.offset(place, lane)]))
            places.append(self.offset(self._builder.mul(number, self._integer(scale)) if scale > 1 else number, first))
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

    def gather(self, records: Any, ends: Any, place: Any, first: Any = 0, n: int = WIDTH, scale: int = WIDTH) -> tuple[Lanes, ...]:
        places = self._places(ends, place, first, scale)
        columns: list[Any] = []
        for half in range(0, n, _HALF):
            begins = [self.offset(begin, half) for begin in places]
            halves = [self._loaded(records, begin, _HALF) for begin in begins]
            columns += self._turned([self._shuffled(halves[k], halves[k + _HALF], range(WIDTH)) for k in range(_HALF)])
        return tuple(_Vector(self._builder, column) for column in columns)

    def scatter(self, records: Any, ends: Any, place: Any, columns: Sequence[Lanes], first: Any = 0, scale: int = WIDTH) -> None:
        places = self._places(ends, place, first, scale)
        for lane, row in enumerate(self._turned([column.value for column in columns])):
            for k, half in ((lane, 0), (lane + _HALF, _HALF)):
                part = self._shuffled(row, row, range(half, half + _HALF))
                self._builder.store(part, self._at(records, places[k], part.type), align=8)

    def fetch(self, array: Any, place: Any) -> None:
        byte = self._byte.as_pointer()
        kind = self._ir.FunctionType(self._ir.VoidType(), (byte, self._short, self._short, self._short))
        function = importlib.import_module("numba.core.cgutils").get_or_insert_function(self._builder.module, kind, "llvm.prefetch.p0")
        address = self._at(array, place, self._byte)
        self._builder.call(function, [address, self._short(0), self._short(3), self._short(1)])  # for reading, into L1, as data

    def spread(self, number: Any, n: int = WIDTH) -> Lanes:
        return self.everywhere(self._builder.trunc(number, self._short), n)

    def below(self, number: Any, n: int = WIDTH) -> Lanes:
        indices = self._ir.Constant(self._ir.VectorType(self._short, n), list(range(n)))
        return _Vector(self._builder, indices) < self.spread(number, n)

    def lane(self, lanes: Lanes, k: int) -> Lanes:
        return _Vector(self._builder, self._shuffled(lanes.value, lanes.value, [k] * lanes.value.type.count))

    def element(self, lanes: Lanes, k: int) -> Any:
        return self._builder.zext(self._builder.extract_element(lanes.value, self._short(k)), self._integer)

    def ones(self, condition: Lanes) -> tuple[Lanes, Any]:
        bits = self._builder.zext(self._builder.bitcast(condition.value, self._byte), self._integer)
        content = self._ir.Constant(self._ir.ArrayType(self._byte, 2**WIDTH * WIDTH), bytearray(_ones()))
        table = importlib.import_module("numba.core.cgutils").global_constant(self._builder, "ones", content)
        place = self._builder.mul(bits, self._integer(WIDTH))
        places = self._loaded(self._builder.bitcast(table, self._byte.as_pointer()), place, WIDTH)
        n_ones = self._builder.module.declare_intrinsic("llvm.ctpop", [self._integer])
        widened = self._builder.zext(places, self._ir.VectorType(self._short, WIDTH))
        return _Vector(self._builder, widened), self._builder.call(n_ones, [bits])

    def count(self, total: Lanes, condition: Lanes) -> Lanes:
        one = _Vector(self._builder, self._builder.zext(condition.value, self._ir.VectorType(self._short, condition.value.type.count)))
        return one + total

    def store_pair(self, pairs: Any, row: Any, first: Any, second: Any) -> None:
        pair = self._ir.Constant(self._ir.VectorType(self._integer, 2), self._ir.Undefined)
        for k, number in enumerate((first, second)):
            pair = self._builder.insert_element(pair, number, self._short(k))
        place = self._builder.mul(row, self._integer(2))
        self._builder.store(pair, self._at(pairs, place, pair.type), align=8)


def _ones() -> bytes:
    """Return, for each number below 256, the places of its one bits, from the lowest on, then zeros; eight bytes each."""
    is_one = np.arange(2**WIDTH)[:, None] >> np.arange(WIDTH) & 1
    first_ones = np.argsort(1 - is_one, axis=1, kind="stable")
    return np.where(np.arange(WIDTH) < is_one.sum(axis=1)[:, None], first_ones, 0).astype(np.uint8).tobytes()


def in_lanes(formula: Callable[..., Any], returns_integer: bool = False, **chosen: object) -> Callable[..., Any]:
    """Return a formula as a function that kernels can call.

    Parameters
    ----------
    formula : callable
        Its arguments are a `Machine`, then flat arrays, 64-bit integers such as positions, and float64 numbers, which are broadcast to all
        lanes.
    returns_integer : bool
        The formula returns an integer; the function does so as uint64.
    **chosen
        Arguments of `formula` with fixed values.
    """
    if importlib.import_module("numba").config.DISABLE_JIT:
        return lambda *arguments: formula(_OnArrays(), *arguments, **chosen)
    extending, types = importlib.import_module("numba.extending"), importlib.import_module("numba.types")

    def in_vectors(_context: Any, *kinds: Any) -> Any:
        signature = (types.uint64 if returns_integer else types.void)(*(types.unliteral(kind) for kind in kinds))

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            machine, arguments = _OnVectors(builder), []
            for kind, value in zip(signature.args, values, strict=True):
                if isinstance(kind, types.Array):
                    arguments.append(context.make_array(kind)(context, builder, value).data)
                else:
                    arguments.append(machine.everywhere(value) if isinstance(kind, types.Float) else value)
            result = formula(machine, *arguments, **chosen)
            return result if returns_integer else context.get_dummy_value()

        return signature, generate

    named = inspect.signature(formula).parameters.values()
    parameters = [parameter for parameter in named if parameter.name not in chosen]
    in_vectors.__dict__["__signature__"] = inspect.Signature(parameters)  # read by Numba
    compiled: Callable[..., Any] = extending.intrinsic(in_vectors)
    return compiled


def _turn(m: Machine, to: Any, at: Any, stride: Any, of: Any, places: Any, first: Any, beyond: Any) -> None:
    """Set ``to[at + r * stride + l] = of[places[first + l] + beyond + r]`` for rows r from 0 to 3 and lanes l from 0 to 7."""
    for column in m.gather(of, places, first, beyond, _HALF, 1):
        m.store(to, at, column)
        at = m.offset(at, stride)


def _return(m: Machine, to: Any, places: Any, first: Any, beyond: Any, of: Any, at: Any, stride: Any) -> None:
    """Set ``to[places[first + l] + beyond + r] = of[at + r * stride + l]``, the inverse; `to` may have any shape and is indexed flat."""
    columns = []
    for _ in range(_HALF):
        columns.append(m.load(of, at))
        at = m.offset(at, stride)
    m.scatter(to, places, first, columns, beyond, 1)


def _fetch(m: Machine, of: Any, at: Any) -> None:
    """Prefetch the cache line of ``of[at]``, so that scattered data, such as records of shapes, are loaded while others are processed."""
    m.fetch(of, at)


def _append(
    m: Machine, columns: Any, stride: Any, at: Any, left: Any, x0: Any, y0: Any, x1: Any, y1: Any,
    own: Any, first: Any, second: Any, end: Any,
) -> Any:  # fmt: skip
    """Append the overlapping ones of the boxes `at` to `at` + 7, of which only the first `left` are valid, and return the new end.

    The box x0, y0, x1, y1 has the number `own`, which is written to `first`, the other's to `second`, from `end` on. The number k of box i
    is ``columns[k * stride + i]``. Eight entries of both are always written.
    """
    loaded, begin = [], at
    for _ in range(4):
        loaded.append(m.load(columns, begin))
        begin = m.offset(begin, stride)
    low_x, low_y, high_x, high_y = loaded
    others, n = m.ones((x0 <= high_x) & (low_x <= x1) & (y0 <= high_y) & (low_y <= y1) & m.below(left))
    m.store(second, end, others + m.spread(at))
    m.store(first, end, m.spread(own))
    return m.offset(end, n)


def _write_ranked(m: Machine, numbers: Any, at: Any, count: Any, of: Any, pairs: Any, n: int) -> None:
    """Write ``(of, number)`` for the `count` numbers from `at` on, sorted, to the rows of `pairs` (n, 2) from `at` on.

    One row after them is written too. The numbers are distinct and below 2^32 - 1; `numbers` has elements to read for all lanes.
    """
    values = m.select(m.below(count, n), m.load(numbers, at, n), 2**32 - 1)
    ranks: Lanes = 0
    for k in range(n):
        ranks = m.count(ranks, m.lane(values, k) < values)
    for k in range(n):
        m.store_pair(pairs, m.offset(at, m.element(ranks, k)), of, m.element(values, k))


turn_eight, return_eight, fetch = in_lanes(_turn), in_lanes(_return), in_lanes(_fetch)
append_overlapping = in_lanes(_append, returns_integer=True)
write_few, write_some = in_lanes(_write_ranked, n=FEW), in_lanes(_write_ranked, n=SOME)
