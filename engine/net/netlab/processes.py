"""An experiment in real time: the server and each client in a process of its own, over sockets of this machine.

Each process loads what it needs and says that it is ready; then the server opens its port, and the clients come. Each tells how far it is,
and at the end what it noted. Processes are fresh interpreters; they leave Ctrl-C to the parent, and end with it however it ends.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection as Pipe
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from typing import Any

from engine.common.errors import LabError
from engine.common.rng import stream
from engine.net.client import Client
from engine.net.connection import Connection
from engine.net.hosting import BIND, Hosting
from engine.net.netlab.finding import Finding, found_of
from engine.net.netlab.plan import Plan
from engine.net.netlab.watching import ClientNotes, ServerNotes, ServerWatch, Watch
from engine.net.party import Party
from engine.net.scene import made_of

__all__ = ["run_processes"]

_FRAME = 1.0 / 60.0
_TELL_SECONDS = 0.2
_START_SECONDS = 600.0
"""For loading, with kernels that may have to be compiled."""
_LAST_SECONDS = 30.0
"""For which clients that come no farther are waited for after the last tick, until they know all."""
_END_SECONDS = 10.0
"""In which a process tells its notes when it is told to end."""
_SERVER = -1


@dataclass(slots=True)
class _Child:
    """A process, what it was last heard to say, and what it noted."""

    process: SpawnProcess
    pipe: Pipe[Any, Any]
    port: int = 0
    tick: int = 0
    is_ready: bool = False
    is_gone: bool = False
    notes: Any = None


def run_processes(plan: Plan, advance: Callable[[int], object] | None = None) -> Finding:
    """Return what comes of a plan; `advance` is told how many steps are done. Interrupted, it is told of as far as it came.

    Raises
    ------
    LabError
        The server cannot be started.
    """
    crew = _Crew(plan, advance)
    try:
        return crew.run()
    finally:
        crew.end()


class _Crew:
    """The processes; the server's number is `_SERVER`, those of clients go up from 0."""

    def __init__(self, plan: Plan, advance: Callable[[int], object] | None) -> None:
        self._plan, self._advance = plan, advance
        self._children: dict[int, _Child] = {}

    def run(self) -> Finding:
        plan, is_whole = self._plan, True
        try:
            context = multiprocessing.get_context("spawn")
            for number in (_SERVER, *range(plan.n_clients)):
                ours, theirs = context.Pipe()
                process = context.Process(target=_work, args=(theirs, plan, number), name=_name(number), daemon=True)
                process.start()
                theirs.close()  # so that its end is seen here
                self._children[number] = _Child(process, ours)
            self._play()
        except KeyboardInterrupt:
            if not any(child.tick for child in self._children.values()):
                raise  # nobody has anything to tell, and some are still loading
            is_whole = False
        self._gather()
        server = self._children[_SERVER].notes
        if not isinstance(server, ServerNotes):
            if not is_whole:
                raise KeyboardInterrupt
            raise LabError(f"the server failed: {server if isinstance(server, str) else 'its process ended'}")
        clients = [self._notes_of(number) for number in range(plan.n_clients)]
        return found_of(plan, "sockets", server, clients, is_whole)

    def _notes_of(self, number: int) -> ClientNotes:
        notes = self._children[number].notes
        if isinstance(notes, ClientNotes):
            return notes
        return ClientNotes(_name(number), refused=notes if isinstance(notes, str) else "its process ended")

    def _play(self) -> None:
        """Wait until all are ready, let the clients in, and wait until all know all."""
        plan, children = self._plan, self._children
        server, clients = children[_SERVER], [children[number] for number in range(plan.n_clients)]
        until = time.monotonic() + _START_SECONDS
        while not all(child.is_ready or child.is_gone for child in children.values()):
            self._listen(until)
        self._tell(server, ("go", 0))
        while server.port == 0 and not server.is_gone:
            self._listen(until)
        waiting, end, before = dict(enumerate(clients)), None, [0] * len(clients)
        while not server.is_gone and not all(child.is_gone or child.notes is not None for child in clients):
            for number in [number for number in waiting if server.tick >= plan.comes_at(number)]:
                self._tell(waiting.pop(number), ("go", server.port))
            self._listen(None if end is None else end)
            if self._advance is not None:
                self._advance(min(server.tick, plan.steps))
            farthest = [child.tick for child in clients]
            if server.tick >= plan.steps and (end is None or farthest != before):
                end = time.monotonic() + _LAST_SECONDS
            before = farthest
            if end is not None and time.monotonic() >= end:
                return

    def _gather(self) -> None:
        """Tell all to end, and take what they have noted."""
        until = time.monotonic() + _END_SECONDS
        with contextlib.suppress(KeyboardInterrupt):  # twice: then without
            for child in self._children.values():
                self._tell(child, ("end", 0))
            while time.monotonic() < until and not all(child.is_gone or child.notes is not None for child in self._children.values()):
                self._listen(until, is_patient=False)

    def _listen(self, until: float | None, is_patient: bool = True) -> None:
        """Take in what processes say, within a fifth of a second."""
        pipes = {child.pipe: child for child in self._children.values() if not child.is_gone}
        if is_patient and until is not None and time.monotonic() > until and not any(child.tick for child in self._children.values()):
            raise LabError(f"the processes have not started within {_START_SECONDS:.0f} s")
        for pipe in wait(list(pipes), _TELL_SECONDS):
            child = pipes[pipe]  # type: ignore[index]
            try:
                word, value = child.pipe.recv()
            except (EOFError, OSError):
                child.is_gone = True
                continue
            if word == "ready":
                child.is_ready = True
            elif word == "port":
                child.port = value
            elif word == "tick":
                child.tick = value
            else:
                child.notes = value
                child.is_gone |= word == "failed"

    def _tell(self, child: _Child, words: tuple[str, int]) -> None:
        with contextlib.suppress(OSError):  # it is dead already; reading from it says so
            child.pipe.send(words)

    def end(self) -> None:
        """End all processes, whatever they are doing."""
        for child in self._children.values():
            child.process.terminate()
        for child in self._children.values():
            child.process.join(1.0)
            if child.process.is_alive():
                child.process.kill()
                child.process.join()
            child.pipe.close()


def _name(number: int) -> str:
    return "server" if number == _SERVER else f"user {number}"


# -- in a process of its own ------------------------------------------------------------------------------------------


def _work(pipe: Pipe[Any, Any], plan: Plan, number: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        notes = _serve(pipe, plan) if number == _SERVER else _take_part(pipe, plan, number)
        pipe.send(("notes", notes))
    except (EOFError, BrokenPipeError):
        return
    except Exception as error:  # told to the parent, which raises it
        with contextlib.suppress(OSError):
            pipe.send(("failed", f"{type(error).__name__}: {error}" if not isinstance(error, LabError) else str(error)))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _told_to_go(pipe: Pipe[Any, Any], plan: Plan) -> int | None:
    """Load everything, and wait until it begins; return the port, or None if it does not begin at all."""
    made_of(plan.scene).sim.step()
    pipe.send(("ready", 0))
    word, port = pipe.recv()
    return port if word == "go" else None


def _is_told_to_end(pipe: Pipe[Any, Any], seconds: float) -> bool:
    return pipe.poll(max(0.0, seconds)) and pipe.recv()[0] == "end"


def _serve(pipe: Pipe[Any, Any], plan: Plan) -> ServerNotes | None:
    if _told_to_go(pipe, plan) is None:
        return None
    watch, begun = ServerWatch(), time.process_time()
    hosting = Hosting(lambda: made_of(plan.scene), plan.server_settings, BIND, 0, on_tick=watch.tick)
    hosting.start()
    try:
        pipe.send(("port", hosting.port))
        while not _is_told_to_end(pipe, _TELL_SECONDS) and not hosting.is_over:
            pipe.send(("tick", hosting.status.tick))
    finally:
        hosting.close()
    if hosting.failure:
        raise LabError(hosting.failure)
    notes = watch.notes
    if notes is not None:
        notes.seconds = time.process_time() - begun
        notes.drops = [f"{drop.name or 'a stranger'}: {drop.reason}" for drop in hosting.status.drops]
    return notes


def _take_part(pipe: Pipe[Any, Any], plan: Plan, number: int) -> ClientNotes | None:
    port = _told_to_go(pipe, plan)
    if port is None:
        return None
    client, hands = Client(_name(number), method=plan.method, timer=time.thread_time, most_work=math.inf), plan.hands(number)
    seed = int(stream(plan.seed, "connection", number).integers(2**62))
    connection = Connection(BIND, port, link=(plan.up, plan.down), seed=seed)
    party, watch = Party(client, connection), Watch(client)
    begun, told, due = time.process_time(), 0.0, time.monotonic()
    try:
        while not party.is_over:
            now = time.monotonic()
            party.advance(now)
            watch.frame(now)
            if client.course is not None:
                if watch.reached >= plan.steps:
                    break
                if client.course.now < plan.steps:
                    hands.play(watch, client.course.now, now)
            if now - told >= _TELL_SECONDS:
                told = now
                pipe.send(("tick", watch.reached))
            due = max(due + _FRAME, now)
            if _is_told_to_end(pipe, due - time.monotonic()):
                break
        notes = watch.end(connection.n_sent, connection.n_received, time.process_time() - begun)
        notes.refused = "" if watch.reached >= plan.steps else client.refused or (party.reason if party.is_over else "")
        return notes
    finally:
        party.leave()
