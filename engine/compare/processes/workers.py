"""Tasks distributed among processes; none is lost or done twice.

Each process has its own pipe, and receives the next task after answering the previous one. If a process dies (the system may end one that
uses too much memory), its task is passed to another one; a task that ends three processes is reported as a fault. `multiprocessing.Pool`
would wait for the answer forever.

Processes are new interpreters: a fork would copy Numba's and Box2D's state, and is not available on every platform. They leave Ctrl-C to
the parent, and always end with it, because a thread in each waits for that.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Generator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, Generic, TypeVar

from engine.common.errors import LabError

__all__ = ["WorkerLostError", "run_tasks"]

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")

_MAX_ATTEMPTS = 3
"""Maximum number of processes that one task may end."""

_PATIENCE = 5.0
"""Seconds after a request to end before a process is killed."""


class WorkerLostError(LabError, RuntimeError):
    """A task ended every process that tried it."""


def run_tasks(
    function: Callable[[_Task], _Answer], tasks: Sequence[_Task], n_jobs: int, rehearsal: _Task | None = None
) -> Generator[_Answer, None, None]:
    """Yield ``function(task)`` of each task, in order of completion; with one job in this process, otherwise in `n_jobs` processes.

    Each process, this one too, first does the `rehearsal`, if there is one, whose answer is discarded: it loads what the tasks need.
    Closing the generator ends the processes. An exception of `function` is raised here.

    Raises
    ------
    WorkerLostError
        A task ended three processes.
    """
    if rehearsal is not None:
        function(rehearsal)
    if n_jobs <= 1:
        yield from map(function, tasks)
        return
    pool = _WorkerPool(function, tasks, n_jobs, rehearsal)
    try:
        yield from pool.answers()
    finally:
        pool.end()


class _WorkerPool(Generic[_Task, _Answer]):
    """The processes, the task of each, and the tasks not handed out yet."""

    def __init__(self, function: Callable[[_Task], _Answer], tasks: Sequence[_Task], n_jobs: int, rehearsal: _Task | None) -> None:
        self._context: SpawnContext = multiprocessing.get_context("spawn")
        self._function, self._tasks, self._rehearsal = function, tasks, rehearsal
        self._waiting = deque(range(len(tasks)))
        self._attempts = [0] * len(tasks)
        self._n_jobs = min(n_jobs, len(tasks))
        self._at_work: dict[Connection[Any, Any], tuple[SpawnProcess, int]] = {}
        self._idle: list[tuple[Connection[Any, Any], SpawnProcess]] = []

    def answers(self) -> Generator[_Answer, None, None]:
        """Distribute tasks until all are answered."""
        self._idle = [self._spawn() for _ in range(self._n_jobs)]
        while self._waiting or self._at_work:
            while self._waiting and self._idle:
                self._assign(*self._idle.pop())
            for pipe in wait(list(self._at_work)):
                answer = self._receive(pipe)  # type: ignore[arg-type]
                if answer is not None:
                    yield answer[0]

    def end(self) -> None:
        """End all processes, whatever they are doing."""
        everyone = [process for process, _ in self._at_work.values()] + [process for _, process in self._idle]
        for process in everyone:
            process.terminate()
        for process in everyone:
            process.join(_PATIENCE)
            if process.is_alive():
                process.kill()
                process.join()
        for pipe in [*self._at_work, *(pipe for pipe, _ in self._idle)]:
            pipe.close()
        self._at_work.clear()
        self._idle.clear()

    def _spawn(self) -> tuple[Connection[Any, Any], SpawnProcess]:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_work, args=(self._function, theirs, self._rehearsal), daemon=True)
        process.start()
        theirs.close()  # so that its end is detected here
        return ours, process

    def _assign(self, pipe: Connection[Any, Any], process: SpawnProcess) -> None:
        task = self._waiting.popleft()
        self._attempts[task] += 1
        self._at_work[pipe] = (process, task)
        try:
            pipe.send(self._tasks[task])
        except OSError:
            return  # it is already dead, which reading from it will show

    def _receive(self, pipe: Connection[Any, Any]) -> tuple[_Answer] | None:
        """Return the answer of a process that has one; None if it died, and then its task waits again."""
        process, task = self._at_work.pop(pipe)
        try:
            is_fine, answer = pipe.recv()
        except (EOFError, OSError):
            pipe.close()
            process.join()
            if self._attempts[task] >= _MAX_ATTEMPTS:
                message = f"{self._tasks[task]} crashed {_MAX_ATTEMPTS} processes; the last one ended with status {process.exitcode}"
                raise WorkerLostError(message) from None
            self._waiting.appendleft(task)
            self._idle.append(self._spawn())
            return None
        self._idle.append((pipe, process))
        if not is_fine:
            raise answer
        return (answer,)


def _work(function: Callable[[Any], Any], pipe: Connection[Any, Any], rehearsal: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    is_ready = rehearsal is None
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        try:
            if not is_ready:
                function(rehearsal)
                is_ready = True
            answer = (True, function(task))
        except Exception as error:  # sent to the parent, which raises it
            error.add_note("in another process:\n" + traceback.format_exc())
            answer = (False, error)
        pipe.send(answer)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
