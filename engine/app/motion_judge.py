"""Runs the referee of motion on two worlds at the panel's request: why they diverged, and what moves them apart in the next step.

This takes some tenths of a second, and the kernels may not be compiled yet, so a thread does it on copies of the worlds.
"""

from __future__ import annotations

import threading
from collections import Counter
from time import sleep
from typing import TYPE_CHECKING

from engine.app.warmup import BackgroundLoad
from engine.common import jit
from engine.common.switch_interval import short_turns
from engine.common.words import counted

if TYPE_CHECKING:
    from engine.sim.comparison import Comparison
    from engine.world import WorldSnapshot

__all__ = ["MotionJudge"]

_PART = "the referee of motion"
"""Name of the part in `engine.app.compiling.EVERYTHING`."""
_LOOK = 0.1
"""Seconds between two checks whether the kernels are loaded."""
_loads: list[BackgroundLoad] = []
"""The load of this process, at most one."""


class MotionJudge:
    """One panel's questions, one at a time.

    Attributes
    ----------
    told : tuple of str
        The last answer, in sentences.
    n_told : int
        How many answers there were.
    """

    def __init__(self) -> None:
        self.told: tuple[str, ...] = ()
        self.n_told = 0
        self._thread: threading.Thread | None = None

    @property
    def is_at_work(self) -> bool:
        """Whether an answer is being sought."""
        return self._thread is not None and self._thread.is_alive()

    def ask(self, beside: Comparison) -> None:
        """Ask about two worlds as they stand; nothing happens while it is at work."""
        if self.is_at_work:
            return
        stages = beside.first.demo.stages
        snapshots = [stage.world.snapshot() for stage in stages if stage.world.hooks is None or stage.world.hooks.pre_solve is None]
        self._thread = threading.Thread(
            target=self._answer, args=(beside, snapshots, len(stages) - len(snapshots)), name="referee of motion", daemon=True
        )
        self._thread.start()

    def _answer(self, beside: Comparison, snapshots: list[WorldSnapshot], n_left_out: int) -> None:
        try:
            _load()
            with short_turns():
                self.told = (*_parted(beside), *_next_step(snapshots, n_left_out))
        except Exception as error:  # whatever it is, the window goes on, and says why
            self.told = (f"Not judged: {error}",)
        self.n_told += 1


def _load() -> None:
    """Wait until the referee's kernels are there."""
    from engine.app.compiling import run_part

    if not _loads and jit.is_compiling():
        statement = f"from engine.app.compiling import run_part; run_part({_PART!r})"
        _loads.append(BackgroundLoad(statement, lambda: run_part(_PART)))
    while _loads and not _loads[0].is_done:
        sleep(_LOOK)


def _parted(beside: Comparison) -> tuple[str, ...]:
    """Return why the two parted, once they have."""
    why, parted = beside.why(), beside.distances.parted
    return () if why is None or parted is None else (f"Diverged at step {parted.step:,}. Cause: {why.words}",)


def _next_step(snapshots: list[WorldSnapshot], n_left_out: int) -> tuple[str, ...]:
    """Return which causes move how many bodies apart in the next step, where both engines take it from the first world's state."""
    from engine.compare.motion import judge_step

    verdicts = [judge_step(snapshot) for snapshot in snapshots]
    counts = sum((verdict.counts for verdict in verdicts), Counter[str]())
    n_agree, n = sum(verdict.agree for verdict in verdicts), sum(verdict.compared for verdict in verdicts)
    left_out = f" {counted(n_left_out, 'world')} omitted, because a hook decides there." if n_left_out else ""
    if not n:
        return (f"Next step: there is no body to judge.{left_out}",)
    causes = [f"{cause.replace('_', ' ')} {count}" for cause, count in counts.most_common()]
    causes += [] if counts["unexplained"] else ["none unexplained"]
    return (f"Next step, from equal states: {n_agree} of {counted(n, 'body', 'bodies')} agree; {'; '.join(causes)}.{left_out}",)
