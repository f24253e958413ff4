"""Four columns of four numbers turned back into rows: how kernels in lanes write what is to lie together in memory.

The way back of `engine.common.columns`, which see: four loads from the scratch, eight shuffles, four stores, each to a row of its own.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from engine.common.arrays import FloatArray, IntArray
from engine.common.columns import FOUR, four_at, turn_registers

__all__ = ["return_four"]


def _plain(to: FloatArray, places: IntArray, first: int, beyond: int, of: FloatArray, at: int, stride: int) -> None:
    """Set ``to[places[first + l] + beyond + r] = of[at + r * stride + l]`` for rows r and lanes l from 0 to 3.

    All arrays are contiguous, `to` of any shape and counted flat, the others flat; nothing is checked.
    """
    flat = to.reshape(-1)
    for lane in range(FOUR):
        for row in range(FOUR):
            flat[places[first + lane] + beyond + row] = of[at + row * stride + lane]


def _compiled() -> Callable[..., None]:
    """Return the same for the compiler."""
    extending, types = importlib.import_module("numba.extending"), importlib.import_module("numba.types")
    i64 = importlib.import_module("llvmlite.ir").IntType(64)

    def return_four(context: Any, to: Any, places: Any, first: Any, beyond: Any, of: Any, at: Any, stride: Any) -> Any:
        whole = types.int64
        signature = types.void(to, places, whole, whole, of, whole, whole)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            to, places, of = (context.make_array(signature.args[k])(context, builder, arguments[k]).data for k in (0, 1, 4))
            first, beyond, at, stride = (arguments[k] for k in (2, 3, 5, 6))
            rows = [
                builder.load(four_at(builder, of, builder.add(at, builder.mul(stride, i64(row)))), align=8) for row in range(FOUR)
            ]  # fmt: skip
            for number, lane in enumerate(turn_registers(builder, rows)):
                place = builder.add(builder.load(builder.gep(places, [builder.add(first, i64(number))])), beyond)
                builder.store(lane, four_at(builder, to, place), align=8)
            return context.get_dummy_value()

        return signature, generate

    compiled: Callable[..., None] = extending.intrinsic(return_four)
    return compiled


return_four: Callable[[FloatArray, IntArray, int, int, FloatArray, int, int], None]
return_four = _plain if importlib.import_module("numba").config.DISABLE_JIT else _compiled()
