"""Demos that somebody has left, with all their past: who comes back finds them as they were.

A history takes some megabytes, of hundreds of bodies hundreds. So the last few are kept, fewer where they are large; the one left last
stays whatever it takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.history.keyframes import LARGEST_BYTES

if TYPE_CHECKING:
    from engine.demo.base import Demo
    from engine.demo.session import Session

__all__ = ["MOST_BYTES", "MOST_LEFT", "LeftSessions"]

MOST_LEFT = 8
"""Demos that were left and are still as they were: more than anybody compares with each other."""
MOST_BYTES = LARGEST_BYTES
"""Of all of them, about: as much as the keyframes of one demo may take."""
_STEP_BYTES = 2_000
"""Of a step: inputs, hashes and digests, and what plots and log keep of it (docs/replay.md), of a few hundred bodies."""


class LeftSessions:
    """The sessions that were left, the last one last."""

    def __init__(self) -> None:
        self._sessions: list[Session] = []

    def __contains__(self, session: Session) -> bool:
        return session in self._sessions

    @property
    def all(self) -> tuple[Session, ...]:
        """From the one left first."""
        return tuple(self._sessions)

    @property
    def last(self) -> Session | None:
        """The one left last."""
        return self._sessions[-1] if self._sessions else None

    def keep(self, session: Session) -> list[Session]:
        """Keep a session in which something has happened, and no mere playing of a recording; return those that are given up for it."""
        history = session.timeline.history
        if history is None or session.is_only_played or (history.last == 0 and not history.marks):
            return []
        self._sessions.append(session)
        given_up = []
        while len(self._sessions) > 1 and (len(self._sessions) > MOST_LEFT or self._n_bytes() > MOST_BYTES):
            given_up.append(self._sessions.pop(0))
        return given_up

    def of(self, kind: type[Demo]) -> Session | None:
        """Return the session of a demo that was left last, None without one."""
        return next((session for session in reversed(self._sessions) if type(session.demo) is kind), None)

    def take(self, session: Session) -> None:
        """Let a session be one that was left no more: somebody has come back, or wants it no more."""
        self._sessions.remove(session)

    def clear(self) -> None:
        """Give all of them up."""
        self._sessions.clear()

    def _n_bytes(self) -> int:
        histories = [session.timeline.history for session in self._sessions if session.timeline.history is not None]
        return sum(history.n_bytes + _STEP_BYTES * history.last for history in histories)
