"""What takes seconds the first time a process uses it, loaded in a thread so that no picture waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable

__all__ = ["Loads"]


class Loads:
    """Names of what has been loaded, and the threads that load more; one for all demos of a kind."""

    def __init__(self, thread: str) -> None:
        self._thread_name = thread
        self._done: set[str] = set()
        self._threads: dict[str, threading.Thread] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._done

    def begin(self, name: str, load: Callable[[], object]) -> bool:
        """Tell whether something is loaded; if not, let a thread load it, which tries again where that has failed."""
        thread = self._threads.get(name)
        if name not in self._done and (thread is None or not thread.is_alive()):

            def run() -> None:
                load()
                self._done.add(name)

            thread = self._threads[name] = threading.Thread(target=run, name=self._thread_name, daemon=True)
            thread.start()
        return name in self._done
