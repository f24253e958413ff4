"""The process in which a user's function runs. It is started as a script that uses only the standard library.

A crash of the function must not affect the parent. The process sends its parent one line of JSON for each call before the next call begins,
so that the parent knows the pair at which it hangs or crashes. Frames arrive on standard input, and lines are sent on standard output. Both
are moved to other descriptors before the function's file is loaded, and 0, 1 and 2 are redirected to the null device, so that the
function's own input and output cannot interfere. If the process crashes, or at the signal `SHOW_STACK`, it writes its stack to what was
standard error.

    in    4 bytes length, then marshal: [(a, b, is_repeated), ...]       ({"path", "function", "query", "memory"} the first time)
    out   ["ready"]  or  ["refused", reason, message]                    after loading
    out   [reply, seconds, printed characters, second reply or null]     after each call

A reply is ["answer", contact, keys, unknown keys], ["malformed", what, wanted] or ["raised", message, where]. Replies are JSON instead of
pickles, because this process is not trusted.
"""

from __future__ import annotations

import faulthandler
import importlib.machinery
import importlib.util
import io
import json
import marshal
import math
import os
import signal
import struct
import sys
import threading
import time
import traceback
from typing import Any

KEYS = {"manifold": ("normal", "points", "depth"), "overlap": (), "distance": ("distance", "normal", "point_a", "point_b")}
"""Keys of a returned dict that are judged, by query."""

WANTED = {
    "manifold": "None, or a dict with any of normal, points, depth (True or False is also accepted)",
    "overlap": "True or False (None or a dict is also accepted)",
    "distance": "a number, or a dict with distance and any of normal, point_a, point_b",
}

MAX_POINTS = 64
"""Maximum number of points of an answer: the outlines of two 16-gons cross at no more than 32."""

SHOW_STACK = getattr(signal, "SIGUSR1", None)
"""Signal at which the process writes the stack of its threads to standard error; None on Windows, which has none."""

_LONGEST = 300
"""Maximum length of a message, characters."""
_PARENT_INTERVAL = 0.5
"""Time between two checks that the parent is still there, s."""


class _MalformedError(Exception):
    """The function returned an object that is not an answer."""


class _Counter(io.TextIOBase):
    """Replaces the output stream and counts the printed characters; it cannot be closed, and has no descriptor."""

    encoding, errors, line_buffering = "utf-8", "replace", False

    def __init__(self) -> None:
        self.printed = 0

    def write(self, text: str) -> int:
        self.printed += len(text)
        return len(text)

    def writable(self) -> bool:
        return True

    def close(self) -> None:
        pass


def read_answer(value: Any, query: str) -> list[Any]:
    """Return the function's result as plain data; this may call methods of the returned object."""
    try:
        return _read(value, query)
    except _MalformedError as error:
        return ["malformed", _cut(str(error)), WANTED[query]]
    except RecursionError:
        return ["malformed", "returned an object that contains itself", WANTED[query]]


def _read(value: Any, query: str) -> list[Any]:
    if query == "distance":
        if isinstance(value, dict):
            if "distance" not in value:
                raise _MalformedError(f"returned a dict without distance: {_shown(value)}")
            keys, unknown = _keys(value, query)
            return ["answer", keys["distance"] <= 0.0, keys, unknown]
        if _truth(value) is not None or value is None:
            raise _MalformedError(f"returned {_shown(value)}")
        distance = _number(value, "the distance")
        return ["answer", distance <= 0.0, {"distance": distance}, []]
    if value is None:
        return ["answer", False, {}, []]
    truth = _truth(value)
    if truth is not None:
        return ["answer", truth, {}, []]
    if isinstance(value, dict):
        return ["answer", True, *_keys(value, query)]
    raise _MalformedError(f"returned {_shown(value)}")


def _keys(value: dict[Any, Any], query: str) -> tuple[dict[str, Any], list[str]]:
    parsed: dict[str, Any] = {}
    for key in KEYS[query]:
        if key not in value or (value[key] is None and key != "distance"):
            continue
        if key in ("depth", "distance"):
            parsed[key] = _number(value[key], key)
        elif key == "points":
            points = _items(value[key], key)
            if len(points) > MAX_POINTS:
                raise _MalformedError(f"points must be at most {MAX_POINTS}, got {len(points)}")
            parsed[key] = [_pair(point, f"points[{k}]") for k, point in enumerate(points)]
        else:
            parsed[key] = _pair(value[key], key)
    judged = ("normal", "points", "depth") if query == "overlap" else KEYS[query]
    return parsed, [_cut(str(key), 40) for key in value if key not in judged][:8]


def _truth(value: Any) -> bool | None:
    """Return a bool, NumPy's included, and None for everything else."""
    if isinstance(value, bool):
        return value
    return bool(value) if type(value).__name__ in ("bool_", "bool") and hasattr(value, "dtype") and value.shape == () else None


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool | str | bytes) or value is None:
        raise _MalformedError(f"{name} must be a number, got {_shown(value)}")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise _MalformedError(f"{name} must be a number, got {_shown(value)}") from None
    if not math.isfinite(number):
        raise _MalformedError(f"{name} must be finite, got {number}")
    return number


def _pair(value: Any, name: str) -> list[float]:
    parts = _items(value, name)
    if len(parts) != 2:
        raise _MalformedError(f"{name} must be two numbers (x, y), got {_shown(value)}")
    return [_number(parts[0], f"{name}[0]"), _number(parts[1], f"{name}[1]")]


def _items(value: Any, name: str) -> list[Any]:
    if isinstance(value, str | bytes | dict):
        raise _MalformedError(f"{name} must be a list, got {_shown(value)}")
    try:
        items = []
        for item in value:
            items.append(item)
            if len(items) > MAX_POINTS:
                break
        return items
    except TypeError:
        raise _MalformedError(f"{name} must be a list, got {_shown(value)}") from None


def _shown(value: Any) -> str:
    try:
        return f"{_cut(repr(value), 80)} ({type(value).__name__})"
    except Exception:
        return f"an object whose repr fails ({type(value).__name__})"


def _cut(text: str, longest: int = _LONGEST) -> str:
    text = "".join(character if character.isprintable() else " " for character in text[: 2 * longest])
    return text if len(text) <= longest else text[: longest - 3] + "..."


def _place(error: BaseException, path: str) -> str:
    """Return the location in the function's file from which an error came."""
    try:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
        return f"line {frames[-1].lineno}, in {frames[-1].name}" if frames else ""
    except BaseException:
        return ""


def _message(error: BaseException) -> str:
    name = type(error).__name__
    try:
        said = str(error)
    except BaseException:
        said = ""
    if isinstance(error, SystemExit):
        return f"called exit({said})"
    return _cut(f"{name}: {said}" if said else name)


def load(path: str, function: str) -> tuple[Any, list[str]]:
    """Return the function of a file, or None and why not: a reason in one word, and a message."""
    name = os.path.splitext(os.path.basename(path))[0]
    if name in sys.modules or name in sys.stdlib_module_names or not name.isidentifier():
        name = "checked_file"
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [os.path.dirname(path), *(folder for folder in sys.path if os.path.abspath(folder) != here), os.getcwd()]
    sys.argv = [path]
    sys.dont_write_bytecode = True  # the user's folder
    try:
        spec = importlib.util.spec_from_file_location(name, path, loader=importlib.machinery.SourceFileLoader(name, path))
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    except SyntaxError as error:
        where = f"line {error.lineno}" if error.filename == path else f"{error.filename}, line {error.lineno}"
        return None, ["syntax", _cut(error.msg + (f" ({where})" if error.lineno is not None else ""))]
    except BaseException as error:
        where = _place(error, path)
        return None, ["import", _message(error) + (f" ({where})" if where else "")]
    target = getattr(module, function, None)
    if target is None:
        there = [
            key
            for key, member in vars(module).items()
            if callable(member) and getattr(member, "__module__", None) == name and key[:1] != "_"
        ]
        return None, ["missing", _cut(f"no function {function}" + (f"; there is {', '.join(there)}" if there else ""))]
    if not callable(target):
        return None, ["missing", f"{function} is not a function"]
    return target, []


def main() -> None:
    """Serve calls until standard input ends."""
    clock, read, write, dumps, loads, unpack = time.perf_counter, os.read, os.write, json.dumps, marshal.loads, struct.unpack
    parent, incoming, outgoing, stack = os.getppid(), os.dup(0), os.dup(1), os.dup(2)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(incoming, os.O_BINARY)
        msvcrt.setmode(outgoing, os.O_BINARY)
    faulthandler.enable(stack)
    if SHOW_STACK is not None:
        faulthandler.register(SHOW_STACK, stack)
    counter = _Counter()
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = counter  # type: ignore[assignment,misc]

    def receive(n_bytes: int) -> bytes:
        parts = b""
        while len(parts) < n_bytes:
            more = read(incoming, n_bytes - len(parts))
            if not more:
                os._exit(0)
            parts += more
        return parts

    def tell(what: list[Any]) -> None:
        line = dumps(what, allow_nan=False).encode("ascii") + b"\n"
        while line:
            line = line[write(outgoing, line) :]

    def call(a: Any, b: Any) -> tuple[list[Any], float]:
        started = clock()
        try:
            reply = read_answer(function(a, b), query)
        except BaseException as error:
            reply = ["raised", _message(error), _place(error, path)]
        return reply, clock() - started

    task = loads(receive(unpack("<I", receive(4))[0]))
    path, query = task["path"], task["query"]
    _limit(task["memory"])
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    function, refusal = load(path, task["function"])
    tell(["refused", *refusal] if refusal else ["ready"])
    while not refusal:
        for a, b, is_repeated in loads(receive(unpack("<I", receive(4))[0])):
            before = counter.printed
            # new lists for each call, because the function may modify them
            reply, seconds = call(_as_argument(a), _as_argument(b))
            printed = counter.printed - before
            again = call(_as_argument(a), _as_argument(b))[0] if is_repeated else None
            tell([reply, seconds, printed, again])


def _end_with(parent: int) -> None:
    """End this process, which may be in a call that never returns, once its parent has ended. Windows does not report that."""
    while os.getppid() == parent:
        time.sleep(_PARENT_INTERVAL)
    os._exit(0)


def _as_argument(shape: Any) -> Any:
    return list(shape) if isinstance(shape[0], tuple) else shape


def _limit(memory: int) -> None:
    """Limit the allocated memory to `memory` bytes and disable core dumps, if the system supports such limits."""
    try:
        import resource
    except ImportError:
        return
    for what, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_AS, memory)):
        try:
            resource.setrlimit(what, (most, resource.getrlimit(what)[1] if most else 0))
        except (ValueError, OSError):
            continue


if __name__ == "__main__":
    main()
