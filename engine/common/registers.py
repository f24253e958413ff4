"""Transposition of four numbers of each of eight lanes into rows and back, in registers: contiguous access for SIMD kernels.

A lane reads contiguous numbers, such as a pose or some vertices; the scratch array needs the first number of all lanes side by side, then
the second. Element by element, four lanes take sixteen loads and sixteen stores, which no compiler reduces, because it cannot prove that
the sources do not overlap the scratch array. In registers they take four loads, eight shuffles and four stores::

    lane 0   a0 a1 a2 a3        a0 b0 a2 b2        a0 b0 c0 d0   row 0
    lane 1   b0 b1 b2 b3   ->   a1 b1 a3 b3   ->   a1 b1 c1 d1   row 1
    lane 2   c0 c1 c2 c3        c0 d0 c2 d2        a2 b2 c2 d2   row 2
    lane 3   d0 d1 d2 d3        c1 d1 c3 d3        a3 b3 c3 d3   row 3

The next four lanes are in the other half of the same registers.

Numba has no such operation, so this one is written in LLVM's intermediate representation. So is `fetch`, which prefetches a cache line
ahead of the loads that need it: scattered data, such as records of shapes, arrive while others are processed.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from engine.common.arrays import FloatArray, IntArray

__all__ = ["EIGHT", "LINE", "fetch", "return_eight", "turn_eight"]

FOUR, EIGHT = 4, 8
"""Numbers per lane that are transposed at once, and lanes: two such squares side by side need half as many shuffles. On a processor
with registers of four numbers, the compiler splits each in two."""

LINE = 8
"""Number of float64 values per cache line."""

_PAIRS = ((0, 4, 2, 6), (1, 5, 3, 7))
"""Shuffle masks of the first step, with the second row's elements counted from 4: the even columns and the odd ones."""
_HALVES = ((0, 1, 4, 5), (2, 3, 6, 7))
"""Shuffle masks of the second step: both first halves and both second halves."""


def _turn_plainly(to: FloatArray, at: int, stride: int, of: FloatArray, places: IntArray, first: int, beyond: int) -> None:
    """Set ``to[at + r * stride + l] = of[places[first + l] + beyond + r]`` for rows r from 0 to 3 and lanes l from 0 to 7.

    All arrays must be flat and contiguous; bounds are not checked.
    """
    for lane in range(EIGHT):
        for row in range(FOUR):
            to[at + row * stride + lane] = of[places[first + lane] + beyond + row]


def _return_plainly(to: FloatArray, places: IntArray, first: int, beyond: int, of: FloatArray, at: int, stride: int) -> None:
    """Set ``to[places[first + l] + beyond + r] = of[at + r * stride + l]``, the inverse; `to` may have any shape and is indexed flat."""
    flat = to.reshape(-1)
    for lane in range(EIGHT):
        for row in range(FOUR):
            flat[places[first + lane] + beyond + row] = of[at + row * stride + lane]


def _fetch_plainly(of: FloatArray | IntArray, at: int) -> None:
    """Prefetch the cache line of ``of[at]``, with `of` flat. It does not block, and past the array's end it has no effect."""


def _compiled() -> tuple[Callable[..., None], Callable[..., None], Callable[..., None]]:
    """Return the three functions as Numba intrinsics."""
    extending, types = importlib.import_module("numba.extending"), importlib.import_module("numba.types")
    ir, cgutils = importlib.import_module("llvmlite.ir"), importlib.import_module("numba.core.cgutils")
    i64, index = ir.IntType(64), types.int64

    def register(lanes: int) -> Any:
        return ir.VectorType(ir.DoubleType(), lanes).as_pointer()

    def shuffled(builder: Any, first: Any, second: Any, places: list[int]) -> Any:
        return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(ir.IntType(32), len(places)), places))

    def turned(builder: Any, rows: list[Any]) -> list[Any]:
        """Emit the eight shuffles that transpose rows into columns, or back, within each four lanes."""

        def take(first: Any, second: Any, mask: tuple[int, ...]) -> Any:
            places = [low + (k if k < FOUR else k + EIGHT - FOUR) for low in (0, FOUR) for k in mask]
            return shuffled(builder, first, second, places)

        even_01, odd_01, even_23, odd_23 = (take(rows[k], rows[k + 1], mask) for k in (0, 2) for mask in _PAIRS)
        return [take(first, second, mask) for mask in _HALVES for first, second in ((even_01, even_23), (odd_01, odd_23))]

    def writer(of_lanes_at: int, of_rows_at: int, is_back: bool) -> Callable[..., Any]:
        """Return the code generator of an operation. Its arguments are an array, places, first and beyond from index `of_lanes_at` on, and
        an array, at and stride from `of_rows_at` on."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            of_lanes, places, of_rows = (
                context.make_array(signature.args[k])(context, builder, arguments[k]).data
                for k in (of_lanes_at, of_lanes_at + 1, of_rows_at)
            )
            first, beyond, at, stride = (arguments[k] for k in (of_lanes_at + 2, of_lanes_at + 3, of_rows_at + 1, of_rows_at + 2))

            def address(array: Any, place: Any, width: int) -> Any:
                return builder.bitcast(builder.gep(array, [place]), register(width))

            numbered = [builder.load(builder.gep(places, [builder.add(first, i64(k))])) for k in range(EIGHT)]
            by_lane = [address(of_lanes, builder.add(place, beyond), FOUR) for place in numbered]
            by_row = [address(of_rows, builder.add(at, builder.mul(stride, i64(k))), EIGHT) for k in range(FOUR)]
            if is_back:
                columns = turned(builder, [builder.load(row, align=8) for row in by_row])
                for lane, to in enumerate(by_lane):
                    low = lane - lane % FOUR
                    builder.store(shuffled(builder, columns[lane % FOUR], columns[lane % FOUR], list(range(low, low + FOUR))), to, align=8)
                return context.get_dummy_value()
            loaded = [builder.load(lane, align=8) for lane in by_lane]
            halves = [shuffled(builder, loaded[k], loaded[k + FOUR], list(range(EIGHT))) for k in range(FOUR)]
            for row, to in zip(turned(builder, halves), by_row, strict=True):
                builder.store(row, to, align=8)
            return context.get_dummy_value()

        return generate

    def turn_eight(context: Any, to: Any, at: Any, stride: Any, of: Any, places: Any, first: Any, beyond: Any) -> Any:
        return types.void(to, index, index, of, places, index, index), writer(3, 0, False)

    def return_eight(context: Any, to: Any, places: Any, first: Any, beyond: Any, of: Any, at: Any, stride: Any) -> Any:
        return types.void(to, places, index, index, of, index, index), writer(0, 4, True)

    def fetch(context: Any, of: Any, at: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            address = builder.gep(context.make_array(signature.args[0])(context, builder, arguments[0]).data, [arguments[1]])
            i8, i32 = ir.IntType(8).as_pointer(), ir.IntType(32)
            prefetch = ir.FunctionType(ir.VoidType(), (i8, i32, i32, i32))
            function = cgutils.get_or_insert_function(builder.module, prefetch, "llvm.prefetch.p0")
            builder.call(function, [builder.bitcast(address, i8), i32(0), i32(3), i32(1)])  # for reading, into L1, as data
            return context.get_dummy_value()

        return types.void(of, index), generate

    return extending.intrinsic(turn_eight), extending.intrinsic(return_eight), extending.intrinsic(fetch)


turn_eight: Callable[[FloatArray, int, int, FloatArray, IntArray, int, int], None]
return_eight: Callable[[FloatArray, IntArray, int, int, FloatArray, int, int], None]
fetch: Callable[[FloatArray | IntArray, int], None]
turn_eight, return_eight, fetch = (
    (_turn_plainly, _return_plainly, _fetch_plainly) if importlib.import_module("numba").config.DISABLE_JIT else _compiled()
)
