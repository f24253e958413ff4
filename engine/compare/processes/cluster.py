"""Tasks for an existing Dask cluster; none is lost or counted twice.

The scheduler passes a task whose process died to another one, and each task has one future here, from which one answer is taken. Each
process of the cluster checks before its first task that it has the same code as this one, even if it joined later or replaced a dead one.
The library `distributed` is an optional requirement, and loaded only here.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import importlib
import importlib.metadata
import itertools
import logging
import re
import threading
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import engine
from engine.common.errors import InvalidInputError, LabError
from engine.common.installation import BOX2D
from engine.compare.processes.workers import WorkerLostError

__all__ = ["DISTRIBUTED", "ClusterError", "check_address", "run_on_cluster", "versions"]

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")

DISTRIBUTED = "distributed==2026.8.0"
"""Distribution to install for it."""

_PATIENCE = 5.0
"""Timeouts for a scheduler's answer, and for the first process of an empty cluster, s."""

_PER_PROCESS = 2
"""Tasks in flight for each process of the cluster: one in progress, and the next one queued."""

_DIGEST_DIGITS = 8

_LIBRARIES = (BOX2D, "numpy", "numba")
"""Packages on which the bits of an answer depend."""

_NOT_LOADED = "Error during deserialization of the task graph"
"""Beginning of the scheduler's message that it cannot import a task's code."""

_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss|ucx)://)?(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+):([0-9]{1,5})")

_MAX_PORT = 65535


class ClusterError(LabError, RuntimeError):
    """The cluster cannot be used: the library is missing, there is no answer, or a process there has different code."""


@dataclass(frozen=True, slots=True)
class _Done(Generic[_Answer]):
    """An answer, distinct from other results of a future."""

    answer: _Answer


def check_address(field: str, address: str) -> str:
    """Return the address of a scheduler unchanged if it is valid: HOST:PORT, optionally after `tcp://` or another protocol.

    Raises
    ------
    InvalidInputError
        It has not.
    """
    match = _ADDRESS.fullmatch(address)
    if match is None or not 1 <= int(match[1]) <= _MAX_PORT:
        raise InvalidInputError(field, "the address of a Dask scheduler, tcp://HOST:PORT", address)
    return address


def run_on_cluster(
    function: Callable[[_Task], _Answer], tasks: Sequence[_Task], address: str, rehearsal: _Task
) -> Generator[_Answer, None, None]:
    """Yield ``function(task)`` of each task, in order of completion, computed by the processes of a Dask cluster.

    Each process first does the `rehearsal`, whose answer is discarded: it loads what the tasks need. `rehearsal` is hashable, and
    `function` importable there. A process does one task at a time, however many threads it has: they would share the clocks and Box2D.
    Closing the generator withdraws the tasks that are not begun; a process ends the one it is at. If no process is left, another is waited
    for.

    Raises
    ------
    ClusterError
        Nothing answers at the address, the scheduler is lost on the way, or a process has other versions than we.
    WorkerLostError
        A task ended as many processes as the scheduler lets it (its `allowed-failures`, 3 by default, plus one).
    """
    distributed = _library()
    with _quiet(), _connected(distributed, address) as client:
        _check_processes(client, address)
        work = functools.partial(_done_there, function, rehearsal, versions())
        waiting = iter(tasks)
        in_flight = distributed.as_completed(loop=client.loop, with_results=True, raise_errors=False)

        def hand_out() -> None:
            room = _PER_PROCESS * max(1, len(client.nthreads())) - in_flight.count()
            for task in itertools.islice(waiting, max(0, room)):
                in_flight.add(client.submit(work, task, pure=False))  # impure, so that no other task's answer is reused

        with _lost_scheduler(address):
            hand_out()
        for future, reply in in_flight:
            future.release()
            answer = _answer_of(reply, address)
            with _lost_scheduler(address):
                hand_out()
            yield answer


@functools.cache
def versions() -> tuple[tuple[str, str], ...]:
    """Return name and version of everything in this process that can change an answer; the engine's version has a digest of its source.

    It is kept for as long as the process lives, as the code that it loaded is.
    """
    known = [("engine", f"{engine.__version__} (source {_digest()})")]
    for name in _LIBRARIES:
        try:
            known.append((name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            known.append((name, "none"))
    return tuple(known)


def _digest() -> str:
    """Return a digest of the engine's source, however the lines end."""
    root = Path(engine.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py"), key=lambda path: path.relative_to(root).as_posix()):
        digest.update(f"{path.relative_to(root).as_posix()}\n{path.read_text(encoding='utf-8')}".encode())
    return digest.hexdigest()[:_DIGEST_DIGITS]


_turn = threading.Lock()
"""Held by the one thread of a process of the cluster that is at work."""


def _done_there(
    function: Callable[[_Task], _Answer], rehearsal: _Task, expected: tuple[tuple[str, str], ...], task: _Task
) -> _Done[_Answer]:
    """Run one task in a process of the cluster."""
    with _turn:
        _prepare(function, rehearsal, expected)
        return _Done(function(task))


@functools.lru_cache(maxsize=1)  # failures are not cached
def _prepare(function: Callable[[_Task], object], rehearsal: _Task, expected: tuple[tuple[str, str], ...]) -> None:
    """Check, once per process, that it has the expected versions, and run the rehearsal."""
    differing = _differing(versions(), expected)
    if differing:
        raise ClusterError(f"a worker that joined the cluster has {differing}")
    function(rehearsal)


def _library() -> Any:
    try:
        return importlib.import_module("distributed")
    except ModuleNotFoundError as error:
        raise ClusterError(f"a Dask cluster needs a missing library ({error.name}): install {DISTRIBUTED}") from None


@contextlib.contextmanager
def _connected(distributed: Any, address: str) -> Iterator[Any]:
    """Yield a client of the scheduler; on leaving, whatever it still waits for is withdrawn."""
    try:
        kind = asyncio.run(_greeted(distributed, address))
        if kind != "Scheduler":
            raise ClusterError(f"the process at {address} is a Dask {kind}, not a scheduler")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions, many lines long: those that matter are checked
            client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
    except ClusterError:
        raise
    except Exception as error:  # whatever talks there may talk anything
        reason = str(error) or f"no answer within {_PATIENCE:g} s"
        raise ClusterError(f"no Dask scheduler can be reached at {address}: {reason}") from None
    try:
        yield client
    finally:
        client.close(timeout=_PATIENCE)


async def _greeted(distributed: Any, address: str) -> str:
    """Return the kind of process that answers at an address. `Client` would wait forever for a server that accepts connections but does not
    respond.
    """
    arguments = distributed.Security().get_connection_args("client")

    async def ask() -> str:
        async with distributed.rpc(address, timeout=_PATIENCE, connection_args=arguments) as there:
            return str((await there.identity())["type"])

    return await asyncio.wait_for(ask(), _PATIENCE)


def _check_processes(client: Any, address: str) -> None:
    """Raise a ClusterError unless there is a process in the cluster, and each has our versions."""
    with _lost_scheduler(address):
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            raise ClusterError(f"the cluster at {address} has no workers") from None
        replies = client.run(versions, on_error="return")
    for where, theirs in replies.items():
        if isinstance(theirs, OSError):
            continue  # it has just left
        if isinstance(theirs, Exception):
            raise ClusterError(f"the cluster worker at {where} cannot load the engine: {theirs}")
        differing = _differing(theirs, versions())
        if differing:
            raise ClusterError(f"the cluster worker at {where} has {differing}")


def _differing(theirs: tuple[tuple[str, str], ...], ours: tuple[tuple[str, str], ...]) -> str:
    there = dict(theirs)
    return ", ".join(f"{name} {there.get(name, 'none')}, not {version}" for name, version in ours if there.get(name) != version)


def _answer_of(reply: Any, address: str) -> Any:
    """Return the answer in what came of a future, or raise what came instead."""
    if isinstance(reply, _Done):
        return reply.answer
    error = reply[1] if isinstance(reply, tuple) else reply
    if type(error).__name__ == "KilledWorker":
        raise WorkerLostError(f"a task crashed {error.allowed_failures + 1} workers of the cluster at {address}") from None
    if type(error).__name__ in ("CancelledError", "FutureCancelledError", "FuturesCancelledError"):
        raise ClusterError(f"the connection to the scheduler at {address} was lost, or the work was canceled there") from None
    if isinstance(error, RuntimeError) and str(error).startswith(_NOT_LOADED):
        folder = Path(engine.__file__).parent.parent
        advice = f"start it in {folder}, or with PYTHONPATH={folder}"
        raise ClusterError(f"the scheduler at {address} cannot load the engine: {advice}") from None
    raise error


@contextlib.contextmanager
def _lost_scheduler(address: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ClusterError(f"the connection to the scheduler at {address} was lost: {error}") from None


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the library's log, and that of the loop it runs in, away from standard error: errors report what matters there."""
    before: dict[logging.Logger, int] = {}
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado"):
            logger = logging.getLogger(name)
            before[logger] = logger.level
            logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in before.items():
            logger.setLevel(level)
