"""Four rows of four numbers turned into columns: how kernels in lanes read what lies together in memory.

A lane reads numbers that lie side by side, a pose or some vertices, and the scratch wants the first of all lanes side by side,
then the second. One by one that is sixteen loads and sixteen stores, which no compiler makes less of, for it cannot tell that the
sources do not overlap the scratch. By registers it is four loads, eight shuffles and four stores::

    lane 0   a0 a1 a2 a3        a0 b0 a2 b2        a0 b0 c0 d0   row 0
    lane 1   b0 b1 b2 b3   ->   a1 b1 a3 b3   ->   a1 b1 c1 d1   row 1
    lane 2   c0 c1 c2 c3        c0 d0 c2 d2        a2 b2 c2 d2   row 2
    lane 3   d0 d1 d2 d3        c1 d1 c3 d3        a3 b3 c3 d3   row 3

Numba has no such operation, so this one is written in the compiler's own intermediate language.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from engine.common.arrays import FloatArray, IntArray

__all__ = ["FOUR", "four_at", "turn_four", "turn_registers"]

FOUR = 4
"""Numbers to a register, rows and columns."""

_PAIRS = ((0, 4, 2, 6), (1, 5, 3, 7))
"""What the first step takes of two rows, the second's numbers counted from 4: the even columns, and the odd ones."""
_HALVES = ((0, 1, 4, 5), (2, 3, 6, 7))
"""What the second step takes: both first halves, and both second ones."""


def _plain(to: FloatArray, at: int, stride: int, of: FloatArray, places: IntArray, first: int, beyond: int) -> None:
    """Set ``to[at + r * stride + l] = of[places[first + l] + beyond + r]`` for rows r and lanes l from 0 to 3.

    All arrays are flat and contiguous; nothing is checked.
    """
    for lane in range(FOUR):
        for row in range(FOUR):
            to[at + row * stride + lane] = of[places[first + lane] + beyond + row]


def turn_registers(builder: Any, rows: list[Any]) -> list[Any]:
    """Write the eight shuffles that turn four registers of four numbers, rows, into columns, or the other way."""
    ir = importlib.import_module("llvmlite.ir")
    mask = ir.VectorType(ir.IntType(32), FOUR)

    def take(one: Any, other: Any, which: tuple[int, ...]) -> Any:
        return builder.shuffle_vector(one, other, ir.Constant(mask, list(which)))

    even_01, odd_01, even_23, odd_23 = (take(rows[k], rows[k + 1], which) for k in (0, 2) for which in _PAIRS)
    return [take(one, other, which) for which in _HALVES for one, other in ((even_01, even_23), (odd_01, odd_23))]


def four_at(builder: Any, array: Any, place: Any) -> Any:
    """Write the address of the four numbers from `place` on."""
    ir = importlib.import_module("llvmlite.ir")
    return builder.bitcast(builder.gep(array, [place]), ir.VectorType(ir.DoubleType(), FOUR).as_pointer())


def _compiled() -> Callable[..., None]:
    """Return the same for the compiler."""
    extending, types = importlib.import_module("numba.extending"), importlib.import_module("numba.types")
    i64 = importlib.import_module("llvmlite.ir").IntType(64)

    def turn_four(context: Any, to: Any, at: Any, stride: Any, of: Any, places: Any, first: Any, beyond: Any) -> Any:
        whole = types.int64
        signature = types.void(to, whole, whole, of, places, whole, whole)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            to, of, places = (context.make_array(signature.args[k])(context, builder, arguments[k]).data for k in (0, 3, 4))
            at, stride, first, beyond = (arguments[k] for k in (1, 2, 5, 6))
            lanes = []
            for lane in range(FOUR):
                place = builder.add(builder.load(builder.gep(places, [builder.add(first, i64(lane))])), beyond)
                lanes.append(builder.load(four_at(builder, of, place), align=8))
            for number, row in enumerate(turn_registers(builder, lanes)):
                builder.store(row, four_at(builder, to, builder.add(at, builder.mul(stride, i64(number)))), align=8)
            return context.get_dummy_value()

        return signature, generate

    compiled: Callable[..., None] = extending.intrinsic(turn_four)
    return compiled


turn_four: Callable[[FloatArray, int, int, FloatArray, IntArray, int, int], None]
turn_four = _plain if importlib.import_module("numba").config.DISABLE_JIT else _compiled()
