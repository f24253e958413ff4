"""Worlds of our own solver give the same bits in a second run, next to busy threads, without AVX-512 and without lanes, each in its own
process.

All demos: ``python -m tests.determinism.same_bits --solver soft_step``.
"""

from functools import cache

import pytest

from tests.determinism.same_bits import SITUATIONS, hashes_in_process

SOME = ("simple_shapes", "ragdoll_pile", "bullet", "bridge", "ghost_collisions")
STEPS = 90


@cache
def once():
    return hashes_in_process("once", STEPS, SOME, "soft_step")[0]


@pytest.mark.slow
@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_bits_are_the_same(situation):
    assert set(once()) == set(SOME)
    for run in hashes_in_process(situation, STEPS, SOME, "soft_step"):
        assert run == once()
