"""Steps of the past to tables (CSV), out of the window: some at a time, so that the window stays alive."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from engine.common.errors import LabError
from engine.scenes.tables import Tables

if TYPE_CHECKING:
    from engine.demo.session import Session

__all__ = ["MOST_STEPS", "TablesExport"]

MOST_STEPS = 3600
"""Steps that tables are written of where nobody has marked a span: a minute at 60 Hz."""
_BUDGET = 0.03
"""Seconds of a frame of the window spent on it."""


class TablesExport:
    """Takes steps of the past again, and writes down what they did: contacts, states of bodies, times.

    Parameters
    ----------
    session : Session
        With a history; it is paused, and returns to where it stood.
    paths : three of Path
        For contacts, states, times; files that are not there yet.
    first, last : int
        Steps.

    Raises
    ------
    LabError
        The demo has no past, or no world.
    OSError
        No file can be made there.
    """

    def __init__(self, session: Session, paths: tuple[Path, Path, Path], first: int, last: int) -> None:
        if session.timeline.history is None or not session.demo.stages:
            raise LabError("this demo has no world, or no past")
        self.path, self.first, self.last = paths[0], first, last
        self._session, self._history = session, session.timeline.history
        self._paths = paths
        self._back_to, self._was_paused = session.timeline.history.now, session.clock.paused
        self._tables = Tables(*paths)
        session.clock.paused = True
        self._history.seek(first)
        self._add()

    @property
    def words(self) -> str:
        """What has been written, once it is there."""
        return f"steps {self.first} to {self.last} written to {', '.join(path.name for path in self._paths)} in {self.path.parent}"

    @property
    def share(self) -> float:
        """How much is done, 0 to 1."""
        return (self._history.now - self.first) / max(self.last - self.first, 1)

    def work(self) -> bool:
        """Go on for some milliseconds; True when the tables are there.

        Raises
        ------
        OSError
            The disk is full, or gone; `cancel` then.
        """
        started = perf_counter()
        while self._history.now < self.last:
            self._history.seek(self._history.now + 1)
            self._add()
            if perf_counter() - started > _BUDGET:
                return False
        self._tables.close()
        self._return()
        return True

    def cancel(self) -> None:
        """Leave nothing of the tables, and go back to where the session stood."""
        self._tables.discard()
        self._return()

    def _add(self) -> None:
        stages = self._session.demo.stages
        self._tables.add(self._history.now, [stage.world for stage in stages], [(stage.times.step, stage.times.check) for stage in stages])

    def _return(self) -> None:
        self._history.seek(min(self._back_to, self._history.last))
        self._session.clock.reset()
        self._session.clock.paused = self._was_paused
