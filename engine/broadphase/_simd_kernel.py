"""Two steps that work on eight numbers at once, without a branch: overlapping boxes written side by side, and a few numbers put in order.

Numba has no such operations, so they are written in the compiler's own intermediate language; processors without registers of eight
numbers take two or four, with the same result.

**Boxes.** A search through cells compares a box with a few dozen others that lie side by side in memory, and a fifth of them overlap it.
Which cannot be foreseen, so that a branch for each would be guessed wrong all the time. Eight at a time there is none::

    the others' lower x    a  b  c  d  e  f  g  h       each compared with the box's upper x, and so on: four comparisons
    overlap?               0  1  0  0  1  1  0  0       eight bits: a number below 256
    places, from a table   1  4  5  0  0  0  0  0       where its ones are
    written                b  e  f  a  a  a  a  a       all eight; the next ones are written from here on
                                    ^

The boxes lie in four columns: all lower x, all lower y, all upper x, all upper y.

**Ranks.** Most boxes have a handful of partners. To sort so few by insertion takes as many guesses of the processor as comparisons, half of
them wrong; to compare each with all of them takes one instruction for each, as all lie side by side in a register, and each goes where its
rank is, the number of smaller ones::

    numbers    7  2  9  4        smaller than 7:  2, 4        so 7 goes to place 2
    ranks      2  0  3  1

Empty lanes hold a number above all others: they have the rank of the first place behind, and are written there, for what comes next to
be written over it.

Source: B. Schlegel, T. Willhalm, W. Lehner, Fast sorted-set intersection using SIMD instructions, ADMS 2011 (a table that brings chosen
numbers to the front); D. Lemire, L. Boytsov, N. Kurz, SIMD compression and the intersection of sorted integers, 2016; D. Knuth, The Art of
Computer Programming 3, 5.2 (comparison counting).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray

__all__ = ["EIGHT", "LANES", "MORE_LANES", "PLACES", "PlaceArray", "append_overlapping", "padded", "write_few", "write_some"]

PlaceArray: TypeAlias = NDArray[np.uint32]
"""Places in a list of boxes: half the memory of 64 bits, and eight to a register."""

EIGHT = 8
"""Boxes looked at at once."""

LANES, MORE_LANES = 8, 16
"""Numbers that `write_few` and `write_some` can sort."""


def _places() -> NDArray[np.uint8]:
    is_one = np.arange(2**EIGHT)[:, None] >> np.arange(EIGHT) & 1
    first_ones = np.argsort(1 - is_one, axis=1, kind="stable")
    return np.where(np.arange(EIGHT) < is_one.sum(axis=1)[:, None], first_ones, 0).astype(np.uint8).reshape(-1)


PLACES = _places()
"""Of each number below 256 the places of its ones, from the lowest on, then zeros; eight bytes each."""


def padded(n: int) -> int:
    """Return the length of a column for `n` boxes: eight are read from the last one on."""
    return n + EIGHT


def _append_plainly(
    columns: FloatArray, stride: int, at: int, left: int, x0: float, y0: float, x1: float, y1: float,
    own: int, first: PlaceArray, second: PlaceArray, end: int, places: NDArray[np.uint8],
) -> Any:  # fmt: skip
    """Append the overlapping ones of the boxes `at` to `at` + 7, of which only the first `left` count, and return the new end.

    The box x0, y0, x1, y1 has the number `own`: that goes to `first`, the other's to `second`, from `end` on. The number k of box i
    is ``columns[k * stride + i]``. Eight entries of both are written in any case.
    """
    low_x, low_y, high_x, high_y = (columns[int(at) + k * int(stride) :][:EIGHT] for k in range(4))
    is_met = (x0 <= high_x) & (low_x <= x1) & (y0 <= high_y) & (low_y <= y1) & (np.arange(EIGHT) < left)
    bits = int(is_met @ (1 << np.arange(EIGHT)))
    first[int(end) :][:EIGHT] = own
    second[int(end) :][:EIGHT] = int(at) + places[EIGHT * bits :][:EIGHT].astype(np.int64)
    return end + np.uint64(is_met.sum())


def _append_compiled() -> Callable[..., Any]:
    """Return the same for the compiler."""
    extending, types = importlib.import_module("numba.extending"), importlib.import_module("numba.types")
    ir = importlib.import_module("llvmlite.ir")
    i8, i32, i64, f64 = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.DoubleType()
    of_places = ir.VectorType(i32, EIGHT)

    def append_overlapping(
        context: Any, columns: Any, stride: Any, at: Any, left: Any, x0: Any, y0: Any, x1: Any, y1: Any,
        own: Any, first: Any, second: Any, end: Any, places: Any,
    ) -> Any:  # fmt: skip
        whole, real = types.uint64, types.float64
        signature = whole(columns, whole, whole, whole, real, real, real, real, whole, first, second, whole, places)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            def of_array(k: int) -> Any:
                return context.make_array(signature.args[k])(context, builder, arguments[k]).data

            def eight(array: Any, place: Any, kind: Any) -> Any:
                return builder.bitcast(builder.gep(array, [place]), ir.VectorType(kind, EIGHT).as_pointer())

            def all_of(value: Any, kind: Any) -> Any:
                one = builder.insert_element(ir.Constant(ir.VectorType(kind, EIGHT), ir.Undefined), value, i32(0))
                return builder.shuffle_vector(one, one, ir.Constant(of_places, [0] * EIGHT))

            def short(value: Any) -> Any:
                return builder.trunc(value, i32)

            stride, at, left = arguments[1:4]
            own, end = arguments[8], arguments[11]
            begins = [at]
            for _ in range(3):
                begins.append(builder.add(begins[-1], stride))
            low_x, low_y, high_x, high_y = (builder.load(eight(of_array(0), begin, f64), align=8) for begin in begins)
            x0, y0, x1, y1 = (all_of(value, f64) for value in arguments[4:8])
            in_x = builder.and_(builder.fcmp_ordered("<=", x0, high_x), builder.fcmp_ordered("<=", low_x, x1))
            in_y = builder.and_(builder.fcmp_ordered("<=", y0, high_y), builder.fcmp_ordered("<=", low_y, y1))
            counts = builder.icmp_unsigned("<", ir.Constant(of_places, list(range(EIGHT))), all_of(short(left), i32))
            bits = builder.zext(builder.bitcast(builder.and_(builder.and_(in_x, in_y), counts), i8), i64)
            chosen = builder.load(eight(of_array(12), builder.mul(bits, i64(EIGHT)), i8), align=1)
            others = builder.add(builder.zext(chosen, of_places), all_of(short(at), i32))
            builder.store(others, eight(of_array(10), end, i32), align=4)
            builder.store(all_of(short(own), i32), eight(of_array(9), end, i32), align=4)
            n_ones = builder.module.declare_intrinsic("llvm.ctpop", [i64])
            return builder.add(end, builder.call(n_ones, [bits]))

        return signature, generate

    compiled: Callable[..., Any] = extending.intrinsic(append_overlapping)
    return compiled


def _write_plainly(numbers: PlaceArray, at: int, count: int, of: int, pairs: IntArray) -> None:
    """Write ``(of, number)`` for the `count` numbers from `at` on, sorted, to the rows of `pairs` (n, 2) from `at` on.

    One row behind them is written too. The numbers are different and below 2^32 - 1; there are rows of `numbers` to read for all lanes.
    """
    low, n = int(at), int(count)
    pairs[low : low + n + 1, 0] = of
    pairs[low : low + n, 1] = np.sort(numbers[low : low + n])


def _write_compiled(lanes: int) -> Callable[..., None]:
    """Return the same for the compiler, for up to so many numbers."""
    extending, types = importlib.import_module("numba.extending"), importlib.import_module("numba.types")
    ir = importlib.import_module("llvmlite.ir")
    i32, i64 = ir.IntType(32), ir.IntType(64)
    register = ir.VectorType(i32, lanes)

    def write_ranked(context: Any, numbers: Any, at: Any, count: Any, of: Any, pairs: Any) -> Any:
        signature = types.void(numbers, types.uint64, types.uint64, types.uint64, pairs)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            numbers, pairs = (context.make_array(signature.args[k])(context, builder, arguments[k]).data for k in (0, 4))
            at, count, of = arguments[1:4]

            def everywhere(value: Any, lane: int) -> Any:
                return builder.shuffle_vector(value, value, ir.Constant(register, [lane] * lanes))

            given = builder.load(builder.bitcast(builder.gep(numbers, [at]), register.as_pointer()), align=4)
            n_given = everywhere(builder.insert_element(ir.Constant(register, ir.Undefined), builder.trunc(count, i32), i32(0)), 0)
            is_given = builder.icmp_unsigned("<", ir.Constant(register, list(range(lanes))), n_given)
            values = builder.select(is_given, given, ir.Constant(register, [2**32 - 1] * lanes))
            ranks = ir.Constant(register, [0] * lanes)
            for lane in range(lanes):
                is_smaller = builder.icmp_unsigned("<", everywhere(values, lane), values)
                ranks = builder.add(ranks, builder.zext(is_smaller, register))
            row = ir.VectorType(i64, 2)
            owner = builder.insert_element(ir.Constant(row, ir.Undefined), of, i32(0))
            for lane in range(lanes):
                place = builder.add(at, builder.zext(builder.extract_element(ranks, i32(lane)), i64))
                pair = builder.insert_element(owner, builder.zext(builder.extract_element(values, i32(lane)), i64), i32(1))
                to = builder.gep(pairs, [builder.mul(place, i64(2))])
                builder.store(pair, builder.bitcast(to, row.as_pointer()), align=8)
            return context.get_dummy_value()

        return signature, generate

    compiled: Callable[..., None] = extending.intrinsic(write_ranked)
    return compiled


append_overlapping: Callable[..., Any]
write_few: Callable[..., None]
write_some: Callable[..., None]
if importlib.import_module("numba").config.DISABLE_JIT:
    append_overlapping, write_few, write_some = _append_plainly, _write_plainly, _write_plainly
else:
    append_overlapping, write_few, write_some = _append_compiled(), _write_compiled(LANES), _write_compiled(MORE_LANES)
