"""``step --own``: a user's own function beside an algorithm."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.check import find_functions
from engine.common.errors import InvalidInputError, LabError

if TYPE_CHECKING:
    from engine.contracts.trace import TraceStep
    from engine.trace.cases import Case
    from engine.trace.own import Asking, OwnAnswer

__all__ = ["ask_own", "own_beside", "own_function"]


def own_function(target: str, algorithm: str | None) -> tuple[Path, str]:
    """Return the file and the name of a function that is asked beside an algorithm.

    Raises
    ------
    InvalidInputError
        There is no such file, or nothing can be asked beside this algorithm.
    """
    from engine.trace.own import BESIDE

    paths, function, is_folder = find_functions("--own", target)
    if is_folder:
        raise InvalidInputError("--own", "a file, with a function's name behind a colon", target)
    if algorithm is not None and algorithm not in BESIDE:
        raise InvalidInputError("--own", "beside one of " + ", ".join(BESIDE), algorithm)
    return paths[0], function


@contextlib.contextmanager
def own_beside(path: Path, function: str, case: Case) -> Iterator[Asking]:
    """Have a function asked on a thread while the body runs.

    Raises
    ------
    LabError
        The file cannot be loaded, or the case is none that it can be asked.
    """
    from engine.trace.own import Asking, OwnFunction, plain_case

    plain_case(case)
    with OwnFunction(path, function) as own:
        with _named(path):
            own.start()
        asking = Asking(own)
        try:
            yield asking
        finally:
            asking.stop()


def ask_own(path: Path, function: str, case: Case, steps: Sequence[TraceStep]) -> OwnAnswer:
    """Ask a function, and put its answer beside the steps.

    Raises
    ------
    LabError
        The file cannot be loaded, or the case is none that it can be asked.
    """
    from engine.trace.own import OwnFunction, beside, plain_case

    pair = plain_case(case)
    with OwnFunction(path, function) as own, _named(path):
        return beside(own.query, case, steps, own.ask(pair))


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """Tell why a function cannot be loaded with the name of its file."""
    from engine.check.runner import RefusedFunctionError

    try:
        yield
    except RefusedFunctionError as refusal:
        raise LabError(f"{path}: {refusal.message}") from None
