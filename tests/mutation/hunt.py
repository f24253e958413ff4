"""Finds which mutants the referee kills and which survive, and how close it came."""

from __future__ import annotations

import signal
import sys
import time
import warnings
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from engine.common.rng import stream
from tests.mutation.mutator import Mutant, functions_of, mutants_of, planted

__all__ = ["Fate", "Outcome", "fates", "reached"]

_SLOWEST, _MIN_SECONDS = 10.0, 1.0
"""Times as long as the sound program takes, and seconds of the processor: longer than both, and the mutant has made a loop endless."""

_LEFT_ALONE = ("engine.compare.", "engine.box2d.", "engine.common.", "engine.contracts.")
"""The judge and Box2D's side, which are not on trial, and what checks arguments."""


@dataclass(frozen=True)
class Fate:
    """Fate of a mutant in one query.

    `unexplained`    killed: an answer was judged unexplained
    `raised`         killed: an exception; compiled, some of them would be a read past an array
    `endless`        killed: too slow
    `shared`         survived, but would have been judged unexplained by a judge without the fault
    `absorbed`       survived: answers changed, and the judge took each change for agreement, or gave it a proved reason
    `aside`          survived: only feature ids changed, which `compare` does not judge (`tests/agreement` does)
    `unchanged`      survived: not one bit of an answer changed
    """

    outcome: str
    batch: int
    note: str = ""


@dataclass(frozen=True)
class Outcome:
    """A mutant in a query, and its fate."""

    query: str
    mutant: Mutant
    fate: Fate


class _TooSlow(BaseException):
    """Raised by the timer."""


def reached(trial):
    """Compute a trial's answers once and return our code that ran, and its lines."""
    lines_by_code = {}

    def trace(frame, event, argument):
        if not str(frame.f_globals.get("__name__", "")).startswith("engine.") or frame.f_globals["__name__"].startswith(_LEFT_ALONE):
            return None
        lines = lines_by_code.setdefault(frame.f_code, set())

        def local(frame, event, argument):
            lines.add(frame.f_lineno)
            return local

        return local

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        for batch in range(trial.n_batches):
            trial.ours(batch)
    finally:
        sys.settrace(before)
    return lines_by_code


def fates(trial, share, seed, part=(0, 1), only=()):
    """Yield the fate of every mutant of a trial, or of a seeded share of them; `part` (i, n) selects every n-th of those.

    A name must contain one of the texts in `only`.
    """
    with _quiet():
        sound, limits = [], []
        for batch in range(trial.n_batches):
            started = time.process_time()
            sound.append(trial.run(batch))
            limits.append(max(_MIN_SECONDS, _SLOWEST * (time.process_time() - started)))
    assert sum(batch.n_unexplained for batch in sound) == 0, f"{trial.query}: the sound program has unexplained rows"
    ran = reached(trial)
    rng, number = stream(seed, "mutants", trial.query), 0

    def is_wanted():
        nonlocal number
        if rng.random() >= share:
            return False
        number += 1
        return number % part[1] == part[0]

    for function in functions_of(set(ran)):
        for mutant in mutants_of(function, ran[function.__code__], is_wanted):
            if only and not any(text in mutant.name for text in only):
                continue
            yield Outcome(trial.query, mutant, _fate(trial, mutant, sound, limits))


def _fate(trial, mutant, sound, limits):
    changed, largest, note, has_aside = -1, 0.0, "", False
    for batch in range(trial.n_batches):
        try:
            with _quiet(), _limited(limits[batch]), planted(mutant):
                answers = trial.ours(batch)
                judged = trial.verdict(batch, answers)
        except _TooSlow:
            return Fate("endless", batch)
        except (Exception, SystemExit) as error:
            return Fate("raised", batch, type(error).__name__)
        if judged.n_unexplained:
            return Fate("unexplained", batch)
        has_aside = has_aside or not all(map(np.array_equal, sound[batch].asides, judged.asides))
        size = sound[batch].change(judged)
        if size > largest:
            largest, changed = size, batch
            with _quiet():
                alone = trial.verdict(batch, answers)
            if alone.n_unexplained:
                return Fate("shared", batch)
            more = judged.reasons - sound[batch].reasons
            note = ", ".join([f"changed by {largest:.2g}", *(f"{count} more {reason}" for reason, count in sorted(more.items()))])
    if changed >= 0:
        return Fate("absorbed", changed, note)
    return Fate("aside" if has_aside else "unchanged", trial.n_batches)


@contextmanager
def _quiet():
    """Warnings are disabled, because a mutant may divide by zero."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _limited(seconds):
    def stop(number, frame):
        raise _TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
