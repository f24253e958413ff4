"""A few different numbers put in order without a branch: each goes where its rank is, the number of smaller ones.

Most boxes have a handful of partners. To sort so few by insertion takes as many guesses of the processor as comparisons, half of them
wrong; to compare each with all of them takes one instruction for each, as all lie side by side in a register::

    numbers    7  2  9  4        smaller than 7:  2, 4        so 7 goes to place 2
    ranks      2  0  3  1

Empty lanes hold a number above all others: they have the rank of the first place behind, and are written there, for what comes next to
be written over it. Numba has no such operation, so this one is written in the compiler's own intermediate language.

Source: D. Knuth, The Art of Computer Programming 3, 5.2 (comparison counting).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.broadphase._eight_kernel import PlaceArray
from engine.common.arrays import IntArray

__all__ = ["LANES", "MORE_LANES", "write_few", "write_some"]

LANES, MORE_LANES = 8, 16
"""Numbers that `write_few` and `write_some` can sort."""


def _plain(numbers: PlaceArray, at: int, count: int, of: int, pairs: IntArray) -> None:
    """Write ``(of, number)`` for the `count` numbers from `at` on, sorted, to the rows of `pairs` (n, 2) from `at` on.

    One row behind them is written too. The numbers are different and below 2^32 - 1; there are rows of `numbers` to read for all lanes.
    """
    low, n = int(at), int(count)
    pairs[low : low + n + 1, 0] = of
    pairs[low : low + n, 1] = np.sort(numbers[low : low + n])


def _compiled(lanes: int) -> Callable[..., None]:
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


write_few: Callable[..., None]
write_some: Callable[..., None]
write_few, write_some = (
    (_plain, _plain) if importlib.import_module("numba").config.DISABLE_JIT else (_compiled(LANES), _compiled(MORE_LANES))
)
