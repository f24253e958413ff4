"""Work in a background thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

from engine.common.switch_interval import short_turns

__all__ = ["Loads", "in_background"]

_Result = TypeVar("_Result")


def in_background(work: Callable[[], _Result], name: str) -> Future[_Result]:
    """Run `work` in a thread of that name, which ends with the program; return its future."""
    future: Future[_Result] = Future()

    def run() -> None:
        try:
            with short_turns():
                result = work()
        except Exception as error:
            future.set_exception(error)
        else:
            future.set_result(result)

    Thread(target=run, name=name, daemon=True).start()
    return future


class Loads:
    """Names of the items that a process has loaded in background threads."""

    def __init__(self, thread: str) -> None:
        self._thread = thread
        self._loads: dict[str, Future[object]] = {}

    def __contains__(self, name: str) -> bool:
        load = self._loads.get(name)
        return load is not None and load.done() and load.exception() is None

    def begin(self, name: str, load: Callable[[], object]) -> bool:
        """Return True if something is loaded; if not, let a thread load it, again if that has failed."""
        if name not in self and (name not in self._loads or self._loads[name].done()):
            self._loads[name] = in_background(load, self._thread)
        return name in self
