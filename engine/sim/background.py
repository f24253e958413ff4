"""Work in a background thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

from engine.common.switch_interval import short_turns

__all__ = ["in_background"]

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
