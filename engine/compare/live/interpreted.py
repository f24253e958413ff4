"""The live check without the compiler: the same code as plain Python, in a process of its own, a few pairs at a time.

While the kernels of `LiveReferee` are being compiled they cannot be called. A caller that cannot wait starts this with
``NUMBA_DISABLE_JIT=1`` and asks over its standard input: a question is a pickle of the solver, the contacts of some pairs and the shapes
of their fixtures, world by world, its answer on standard output a pickle of what the referee says of each world's. A pair costs some
0.15 ms and a question 1 ms, where compiled code takes 0.001. Nothing is kept from one question to the next, so nothing of a world can go
wrong here.
"""

from __future__ import annotations

import pickle
import signal
import sys
from collections.abc import Mapping, Sequence

from engine.compare.live.referee import packed_for
from engine.contracts import StepAgreement, StepContacts
from engine.geometry import FixtureShape
from engine.world.solver import Capabilities

__all__ = ["answer", "serve"]


def answer(question: Sequence[tuple[Capabilities, StepContacts, Mapping[int, FixtureShape]]]) -> list[StepAgreement]:
    """Return what the live check says of the contacts of each world, which that solver drives, and whose fixtures have these shapes."""
    return [packed_for(solver, shapes).judge(contacts) for solver, contacts, shapes in question]


def serve() -> None:
    """Answer until standard input ends: the asking process has closed it, or is no more. Ctrl-C is meant for that process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # what anything prints is no answer
    while True:
        try:
            question = pickle.load(questions)
        except (EOFError, pickle.UnpicklingError):  # in the middle of a question that was broken off
            return
        pickle.dump(answer(question), answers, protocol=pickle.HIGHEST_PROTOCOL)
        answers.flush()
