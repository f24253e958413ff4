"""Four columns of four numbers turned back into rows: how kernels in lanes write what is to lie together in memory.

The way back of `engine.common.columns`, which see: four loads from the scratch, eight shuffles, four stores, each to a row of its own.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from engine.common.arrays import FloatArray, IntArray

__all__ = ["return_four"]

_FOUR = 4
_PAIRS = ((0, 4, 2, 6), (1, 5, 3, 7))
"""What the first step takes of two rows, the second's numbers counted from 4: the even columns, and the odd ones."""
_HALVES = ((0, 1, 4, 5), (2, 3, 6, 7))
"""What the second step takes: both first halves, and both second ones."""


def _plain(to: FloatArray, places: IntArray, first: int, beyond: int, of: FloatArray, at: int, stride: int) -> None:
    """Set ``to[places[first + l] + beyond + r] = of[at + r * stride + l]`` for rows r and lanes l from 0 to 3.

    All arrays are contiguous, `to` of any shape and counted flat, the others flat; nothing is checked.
    """
    flat = to.reshape(-1)
    for lane in range(_FOUR):
        for row in range(_FOUR):
            flat[places[first + lane] + beyond + row] = of[at + row * stride + lane]


def _compiled() -> Callable[..., None]:
    """Return the same for the compiler."""
    extending, types = importlib.import_module("numba.extending"), importlib.import_module("numba.types")
    ir = importlib.import_module("llvmlite.ir")
    i64 = ir.IntType(64)
    vector, mask = ir.VectorType(ir.DoubleType(), _FOUR), ir.VectorType(ir.IntType(32), _FOUR)

    def return_four(context: Any, to: Any, places: Any, first: Any, beyond: Any, of: Any, at: Any, stride: Any) -> Any:
        whole = types.int64
        signature = types.void(to, places, whole, whole, of, whole, whole)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            to, places, of = (context.make_array(signature.args[k])(context, builder, arguments[k]).data for k in (0, 1, 4))
            first, beyond, at, stride = (arguments[k] for k in (2, 3, 5, 6))

            def take(one: Any, other: Any, which: tuple[int, ...]) -> Any:
                return builder.shuffle_vector(one, other, ir.Constant(mask, list(which)))

            def pointer(array: Any, place: Any) -> Any:
                return builder.bitcast(builder.gep(array, [place]), vector.as_pointer())

            rows = [builder.load(pointer(of, builder.add(at, builder.mul(stride, i64(row)))), align=8) for row in range(_FOUR)]
            even_01, odd_01, even_23, odd_23 = (take(rows[k], rows[k + 1], which) for k in (0, 2) for which in _PAIRS)
            lanes = [take(one, other, which) for which in _HALVES for one, other in ((even_01, even_23), (odd_01, odd_23))]
            for number, lane in enumerate(lanes):
                place = builder.add(builder.load(builder.gep(places, [builder.add(first, i64(number))])), beyond)
                builder.store(lane, pointer(to, place), align=8)
            return context.get_dummy_value()

        return signature, generate

    compiled: Callable[..., None] = extending.intrinsic(return_four)
    return compiled


return_four: Callable[[FloatArray, IntArray, int, int, FloatArray, int, int], None]
return_four = _plain if importlib.import_module("numba").config.DISABLE_JIT else _compiled()
