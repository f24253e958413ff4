"""The demo that shows a pair from a file, for ``run --pair`` and for a file dropped on the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.compare.pair.file import Pair, load_pair
from engine.sim.registry import find_demo

if TYPE_CHECKING:
    from engine.sim.demo import Demo

__all__ = ["inspector_of"]


def inspector_of(file: str) -> tuple[Pair, type[Demo]]:
    """Return the pair of a file and the demo that shows it.

    Raises
    ------
    InvalidInputError
        As `load_pair`.
    """
    pair = load_pair(file)
    kind: Any = find_demo("pair")
    return pair, kind.of_file(pair, file)
