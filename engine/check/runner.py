"""Calls a user's function in a separate process, and survives its crashes.

The process (`child.py`) receives pairs in batches and answers each call before it begins the next, so that the call at which it hangs or
crashes is known. It is then replaced, and the new process receives the rest of the batch. A process that does not answer within the time
limit is killed, with all processes that it started.
"""

from __future__ import annotations

import contextlib
import json
import marshal
import os
import queue
import re
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from engine.check.child import SHOW_STACK
from engine.check.plain import PlainPair
from engine.check.verdicts import Reply
from engine.common.errors import LabError

__all__ = ["DEFAULT_TIME_LIMIT", "LOAD_SECONDS", "MEMORY", "RefusedFunctionError", "Runner"]

DEFAULT_TIME_LIMIT = 1.0
"""Time limit for a call, s: a thousand times the time that plain Python needs for two polygons."""

LOAD_SECONDS = 20.0
"""Time limit for importing the file, s: it may import NumPy or compile kernels."""

MEMORY = 4 << 30
"""Limit of the address space, bytes, if the system supports one."""

_GRACE = 0.25
"""Additional seconds before the process of a call beyond the limit is killed, because a busy machine may wake us late. The process itself
measures each call.
"""

_BATCH = 512
"""Number of pairs per frame; they are answered and judged one by one."""
_LONGEST_LINE = 1 << 20
_LONGEST_STACK = 1 << 16

_CHILD = Path(__file__).with_name("child.py")


class RefusedFunctionError(LabError):
    """The file could not be loaded, or has no such function; `reason` is one of missing, syntax, import, slow, died."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class Runner:
    """The function of a file for one query, in a separate process; use it in a ``with`` statement. A call may take `time_limit` seconds.

    `n_killed` is the number of calls that ended the process or were killed with it.
    """

    def __init__(self, path: Path, function: str, query: str, time_limit: float) -> None:
        self._task = {"path": str(path.resolve()), "function": function, "query": query, "memory": MEMORY}
        self._time_limit = time_limit
        self._process: subprocess.Popen[bytes] | None = None
        self._writer: threading.Thread | None = None
        self._chunks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._rest = b""
        self._stack: IO[bytes] | None = None
        """Where the process writes its stack if it crashes or is asked to."""
        self.n_killed = 0

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def start(self) -> None:
        """Load the function unless it is loaded.

        Raises
        ------
        RefusedFunctionError
            The function cannot be loaded.
        """
        if self._process is not None:
            return
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # their stacks count as memory
        command = [sys.executable, "-X", "utf8", str(_CHILD)]
        self._rest = b""
        self._chunks = queue.SimpleQueue()
        self._stack = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `stop`
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stack,
            bufsize=0,
            env=environment,
            start_new_session=True,  # so that only we receive Ctrl-C, and the processes that it starts can be killed with it
        )
        threading.Thread(target=_drain, args=(self._process, self._chunks), daemon=True).start()
        self._send(self._task)
        line = self._line(LOAD_SECONDS)
        if line is None:
            is_slow = self._process.poll() is None
            text = (
                f"importing the file took longer than {LOAD_SECONDS:.0f} s"
                if is_slow
                else f"the process {self._ending()} while importing the file"
            )
            self.stop()
            raise RefusedFunctionError("slow" if is_slow else "died", text)
        if line[:1] != ["ready"]:
            self.stop()
            reason, message = (str(part) for part in (line[1:3] if len(line) >= 3 else ("died", "the process sent unreadable output")))
            raise RefusedFunctionError(reason, message)

    def call(self, pairs: Sequence[PlainPair], repeat_each: int = 0) -> Iterator[Reply]:
        """Call the function on each pair, twice on every `repeat_each`-th, and yield the replies.

        Raises
        ------
        RefusedFunctionError
            The function cannot be loaded, or cannot be loaded again.
        """
        at = 0
        while at < len(pairs):
            self.start()
            batch = pairs[at : at + _BATCH]
            task = [(pair.a, pair.b, repeat_each > 0 and (at + k) % repeat_each == 0) for k, pair in enumerate(batch)]
            self._send(task)
            for _, _, is_repeated in task:
                # a repeated pair is two calls
                line = self._line((2.0 if is_repeated else 1.0) * self._time_limit + _GRACE)
                at += 1
                if line is None:
                    yield self._lost()
                    break
                reply = _reply(line, self._time_limit)
                yield reply
                if reply.said == "crashed":
                    self.n_killed += 1
                    self.stop()
                    break

    def stop(self) -> None:
        """End the process and all it started."""
        process, self._process = self._process, None
        if process is None:
            return
        if self._stack is not None:
            self._stack.close()
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)  # its session has the same number
        process.kill()
        process.wait()
        # if it were closed here, the next process could reuse the descriptor while the reader uses it: the reader closes it at the end
        if self._writer is not None:
            self._writer.join(_GRACE)
        if process.stdin is not None:
            process.stdin.close()

    def _lost(self) -> Reply:
        assert self._process is not None
        self.n_killed += 1
        if self._process.poll() is None:
            if SHOW_STACK is not None:
                self._process.send_signal(SHOW_STACK)
            where, message = self._place(_GRACE), f"no answer within {self._time_limit:g} s"
            reply = Reply("too_slow", message=message, where=where, seconds=self._time_limit)
        else:
            reply = Reply("crashed", message=f"the process {self._ending()}", where=self._place(0.0))
        self.stop()
        return reply

    def _place(self, seconds: float) -> str:
        """Return the line of the function's file in the stack that the process has written or writes within some seconds, or ""."""
        assert self._stack is not None
        line = re.compile(re.escape(f'File "{self._task["path"]}", ').encode() + rb"line (\d+) in ([\w<>]+)")
        end = time.monotonic() + seconds
        while True:
            found = line.search(os.pread(self._stack.fileno(), _LONGEST_STACK, 0) if hasattr(os, "pread") else b"")
            if found is not None or time.monotonic() >= end:
                return "" if found is None else f"line {int(found[1])}, in {found[2].decode()}"
            time.sleep(0.01)

    def _ending(self) -> str:
        assert self._process is not None
        status = self._process.wait()
        if status >= 0:
            return f"ended with status {status}"
        try:
            return f"was terminated by {signal.Signals(-status).name}"
        except ValueError:
            return f"was terminated by signal {-status}"

    def _send(self, what: Any) -> None:
        """Write a frame from a thread, because a process that does not read must not block us."""
        assert self._process is not None and self._process.stdin is not None
        payload = marshal.dumps(what)
        frame = struct.pack("<I", len(payload)) + payload
        self._writer = threading.Thread(target=_write, args=(self._process.stdin, frame), daemon=True)
        self._writer.start()

    def _line(self, seconds: float) -> list[Any] | None:
        """Return the next line; None at the time limit or if the process has ended."""
        end = time.monotonic() + seconds
        while b"\n" not in self._rest:
            try:
                chunk = self._chunks.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                return None
            if not chunk:
                self._wait_briefly()
                return None
            self._rest += chunk
            if len(self._rest) > _LONGEST_LINE and b"\n" not in self._rest:
                return []
        line, _, self._rest = self._rest.partition(b"\n")
        try:
            read = json.loads(line)
        except (ValueError, RecursionError):
            return []
        return read if isinstance(read, list) else []

    def _wait_briefly(self) -> None:
        """Its output has ended; give the process a moment to end too, so that its status is known."""
        assert self._process is not None
        try:
            self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()


def _reply(line: list[Any], time_limit: float) -> Reply:
    try:
        said, seconds, printed, again = line
        seconds, printed = float(seconds), int(printed)
        is_repeatable = again is None or again == said
        if seconds > time_limit:
            return Reply("too_slow", message=f"took {seconds:.3g} s; the limit is {time_limit:g} s", seconds=seconds, printed=printed)
        if said[0] == "answer":
            return Reply("answer", bool(said[1]), dict(said[2]), tuple(said[3]), "", "", seconds, printed, is_repeatable)
        if said[0] == "malformed":
            return Reply("wrong_type", message=f"{said[1]}; expected {said[2]}", seconds=seconds, printed=printed)
        return Reply("raised", message=str(said[1]), where=str(said[2]), seconds=seconds, printed=printed)
    except (ValueError, TypeError, IndexError, KeyError):
        return Reply("crashed", message="the process sent unreadable output")


def _drain(process: subprocess.Popen[bytes], chunks: queue.SimpleQueue[bytes]) -> None:
    assert process.stdout is not None
    with process.stdout as pipe, contextlib.suppress(OSError, ValueError):
        while chunk := os.read(pipe.fileno(), 1 << 16):
            chunks.put(chunk)
    chunks.put(b"")


def _write(pipe: Any, frame: bytes) -> None:
    try:
        rest = memoryview(frame)
        while rest:
            rest = rest[pipe.write(rest) :]
    except (OSError, ValueError):
        pass  # the process has ended; the thread that waits for its answer notices that
