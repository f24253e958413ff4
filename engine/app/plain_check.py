"""The live check while its kernels are being compiled: the same code without the compiler, a few pairs in every frame.

A second process runs it (`engine.compare.live.interpreted`), so that neither window nor compiler waits for it. It is asked about the next
few of the contacts that touch, round and round over all worlds, and again when it has answered: where the machine is busy that is less
often than in every frame, and what the panel says is what was done. Worlds are only read, and nothing of it is part of a demo's past.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from queue import SimpleQueue
from statistics import fmean
from threading import Thread
from typing import Any

import numpy as np

from engine.common.arrays import IntArray
from engine.contracts import StepAgreement, StepContacts
from engine.geometry import FixtureShape
from engine.sim.stage import Stage
from engine.world import World
from engine.world.solver import Capabilities

__all__ = ["PlainCheck"]

_ROOT = Path(__file__).resolve().parents[2]
_SERVE = "from engine.compare.live.interpreted import serve; serve()"
_AT_ONCE = 8
"""Pairs of a question: 2 to 3 ms of the other process, a sixth of a frame at 60 frames a second; the compiler keeps the rest."""
_FRAMES = 60
"""Over which the pairs a frame are the mean."""

_Question = list[tuple[Capabilities, StepContacts, dict[int, FixtureShape]]]


class PlainCheck:
    """Starts its process with the first question, and has one question under way at a time.

    Attributes
    ----------
    failure : str
        Why nothing is checked any more; empty while all is well.
    """

    def __init__(self) -> None:
        self.failure = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = Thread(target=self._run, name="plain check", daemon=True)
        self._questions: SimpleQueue[_Question | None] = SimpleQueue()
        self._answers: SimpleQueue[list[StepAgreement]] = SimpleQueue()
        self._is_closed = False
        self._asked: list[Stage] = []
        """Of the question under way."""
        self._last = (-1, -1)
        """The contact asked about last: its stage's place, and its key."""
        self._has_answered = False
        self._n_touching = 0
        self._checked: deque[int] = deque(maxlen=_FRAMES)

    @property
    def words(self) -> str:
        """How much is checked, as it was of late; empty before the first answer."""
        if self.failure or not self._has_answered:
            return ""
        if self._n_touching == 0:
            return "no two that touch are awake, none to be checked without the compiler"
        mean = fmean(self._checked) if self._checked else 0.0
        of = f" of {self._n_touching:,}" if self._n_touching > mean else ""
        return f"checking {mean:.{0 if mean >= 1.0 else 1}f}{of} pairs a frame without the compiler"

    def look(self, stages: Sequence[Stage], has_stepped: bool) -> None:
        """Give stages what was found out about them; where they `has_stepped`, ask about the next few of their contacts."""
        n_answered = 0
        if not self._answers.empty():
            for stage, agreement in zip(self._asked, self._answers.get(), strict=True):
                stage.sample(agreement)
                n_answered += agreement.compared
            self._asked, self._has_answered = [], True
        if not has_stepped:
            return
        self._checked.append(n_answered)
        if not self._asked and not self._is_closed:
            self._ask(stages)

    def close(self) -> None:
        """End the process, with whatever is under way."""
        self._is_closed = True
        if self._thread.ident is None:
            return
        self._questions.put(None)
        if self._process is not None:
            self._process.kill()
        self._thread.join()

    # Questions

    def _ask(self, stages: Sequence[Stage]) -> None:
        """Ask about the next few contacts, those after the last ones."""
        keys = [_keys(stage.world.contacts) for stage in stages]
        first = np.concatenate(([0], np.cumsum([len(one) for one in keys])))
        self._n_touching = int(first[-1])
        if self._n_touching == 0:
            return
        at, key = self._last
        start = int(first[at] + np.searchsorted(keys[at], key, side="right")) if 0 <= at < len(stages) else 0
        chosen = (start + np.arange(min(_AT_ONCE, self._n_touching))) % self._n_touching
        places = np.searchsorted(first, chosen, side="right") - 1
        self._last = int(places[-1]), int(keys[places[-1]][chosen[-1] - first[places[-1]]])
        self._asked = [stages[place] for place in np.unique(places).tolist()]
        question = [_part(stages[k].world, keys[k][chosen[places == k] - first[k]]) for k in np.unique(places).tolist()]
        if self._thread.ident is None:
            self._thread.start()
        self._questions.put(question)

    def _run(self) -> None:
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
        pipe, command = subprocess.PIPE, [sys.executable, "-c", _SERVE]
        try:
            with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as process:
                assert process.stdin is not None and process.stdout is not None
                self._process = process
                try:
                    while (question := self._questions.get()) is not None and not self._is_closed:
                        process.stdin.write(pickle.dumps(question, pickle.HIGHEST_PROTOCOL))
                        process.stdin.flush()
                        self._answers.put(pickle.load(process.stdout))
                finally:
                    process.kill()
        except Exception as error:  # it ended, never began, or said something else: whatever it is, the window goes on without
            self._is_closed = True
            self.failure = f"the check without the compiler broke off: {type(error).__name__}: {error}"


def _keys(contacts: StepContacts) -> IntArray:
    """Return a number for each contact that Box2D computed in the step, ascending."""
    rows = contacts.evaluated & (contacts.count > 0)
    return (contacts.fixture_a[rows] << 32) | contacts.fixture_b[rows]


def _part(world: World, keys: IntArray) -> tuple[Capabilities, StepContacts, dict[int, FixtureShape]]:
    """Return a world's solver, some contacts, and the shapes of their fixtures, without those of which one has died within the step."""
    contacts = world.contacts
    rows = np.flatnonzero(np.isin((contacts.fixture_a << 32) | contacts.fixture_b, keys))
    pairs = np.column_stack((contacts.fixture_a[rows], contacts.fixture_b[rows]))
    shapes = {fixture: world.fixture(fixture).shape for fixture in np.unique(pairs).tolist() if world.is_fixture(fixture)}
    rows = rows[np.isin(pairs, list(shapes)).all(axis=1)]
    some: dict[str, Any] = {"removed": (), "began": (), "ended": ()}
    for field in fields(contacts):
        column = getattr(contacts, field.name)
        if isinstance(column, np.ndarray):
            some[field.name] = column[rows]
    return world.capabilities, replace(contacts, **some), shapes
