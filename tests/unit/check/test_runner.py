"""Every call of a user's function in its process gets a reply, whatever it does, and the next pair is tried."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from engine.check import runner as runner_module
from engine.check.plain import PlainPair
from engine.check.runner import RefusedFunctionError, Runner
from tests.waiting import PATIENCE, until

SQUARE = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
PAIRS = [PlainPair(SQUARE, (float(x), 0.0, 0.5)) for x in range(5)]
LIMIT = 30.0
"""Seconds; more than a busy machine makes of a call that takes none."""


def write(folder, body, name="mine.py"):
    path = folder / name
    path.write_text(textwrap.dedent(body), encoding="utf-8")
    return path


def call(folder, body, pairs=PAIRS, repeat=0, limit=LIMIT):
    with Runner(write(folder, body), "collide", "manifold", limit) as runner:
        return list(runner.call(pairs, repeat)), runner.n_killed


def test_plain_data_go_in_and_ordered_answers_come_out(tmp_path):
    replies, killed = call(
        tmp_path,
        """
        def collide(a, b):
            assert type(a) is list and all(type(p) is tuple for p in a) and type(b) is tuple and len(b) == 3
            return {"depth": b[0], "points": a[:2]}
        """,
    )
    assert [reply.keys for reply in replies] == [{"depth": float(x), "points": [[-1.0, -1.0], [1.0, -1.0]]} for x in range(5)]
    assert killed == 0


@pytest.mark.parametrize(
    ("body", "said", "message", "killed"),
    [
        ("import os; os._exit(3)", "crashed", "ended with status 3", 1),
        ("import sys; sys.exit('bye')", "raised", "called exit(bye)", 0),
        ("exit()", "raised", "called exit(", 0),
        ("raise KeyboardInterrupt", "raised", "KeyboardInterrupt", 0),
        ("raise ValueError('no\\nsuch thing')", "raised", "ValueError: no such thing", 0),
        ("return collide(a, b)", "raised", "RecursionError", 0),
        ("return input()", "raised", "EOFError", 0),
        ("return 1 / 0", "raised", "ZeroDivisionError", 0),
        ("return 7", "wrong_type", "returned 7", 0),
        ("import os; os.closerange(3, 100)", "crashed", "the process ended", 1),
        (
            "import os\n        for k in range(3, 9):\n            try: os.write(k, b'junk\\n')\n            except OSError: pass",
            "crashed",
            "unreadable",
            1,
        ),
    ],
)
def test_a_bad_call_does_not_affect_others(tmp_path, body, said, message, killed):
    replies, n_killed = call(tmp_path, f"def collide(a, b):\n    if b[0] == 2.0:\n        {body}\n    return None\n")
    assert [reply.said for reply in replies] == ["answer", "answer", said, "answer", "answer"]
    assert message in replies[2].message
    assert n_killed == killed


@pytest.mark.parametrize(
    ("body", "grace", "message", "killed"),
    [("time.sleep(1e4)", 0.25, "no answer within 2 s", 1), ("time.sleep(2.01)", PATIENCE, " s; the limit is 2 s", 0)],
)
def test_a_call_that_takes_too_long(tmp_path, body, grace, message, killed, monkeypatch):
    """A call is ended soon after the limit; a slow call within the limit is not interrupted."""
    monkeypatch.setattr(runner_module, "_GRACE", grace)
    replies, n_killed = call(
        tmp_path, f"import time\ndef collide(a, b):\n    if b[0] == 2.0:\n        {body}\n    return None\n", limit=2.0
    )
    assert [reply.said for reply in replies] == ["answer", "answer", "too_slow", "answer", "answer"]
    assert message in replies[2].message
    assert n_killed == killed


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="signals and address space as POSIX has them")
def test_a_crash_and_an_excessive_allocation(tmp_path):
    replies, killed = call(
        tmp_path,
        """
        import ctypes
        def collide(a, b):
            if b[0] == 1.0:
                ctypes.string_at(0)
            if b[0] == 3.0:
                return [0] * 10**10
        """,
    )
    assert [reply.said for reply in replies] == ["answer", "crashed", "answer", "raised", "answer"]
    assert "SIGSEGV" in replies[1].message
    assert "MemoryError" in replies[3].message or sys.platform == "darwin"
    assert killed == 1


def is_gone(number):
    """Return whether a process has ended."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return True
    stat = Path(f"/proc/{number}/stat")
    return stat.exists() and stat.read_text().split()[2] == "Z"  # dead, and only not yet collected by init


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_child_processes_end_with_it(tmp_path):
    note = tmp_path / "number"
    body = f"""
        import os, time
        def collide(a, b):
            child = os.fork()
            if child == 0:
                time.sleep(100)
            open({str(note)!r}, "w").write(str(child))
            os._exit(0)
        """
    replies, _ = call(tmp_path, body, PAIRS[:1], limit=1.0)  # that process keeps the pipe open for so long
    assert replies[0].said == "crashed"
    number = int(note.read_text())
    until(lambda: is_gone(number))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_call_that_never_returns_ends_with_a_parent_that_was_killed(tmp_path):
    note = tmp_path / "number"
    (tmp_path / "mine.py").write_text(
        f"import os\ndef collide(a, b):\n    open({str(note)!r}, 'w').write(str(os.getpid()))\n    while True: pass\n"
    )
    script = f"""
        import os, struct, marshal, subprocess, sys
        from pathlib import Path
        child = subprocess.Popen([sys.executable, {str(runner_module._CHILD)!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        task = {{"path": {str(tmp_path / "mine.py")!r}, "function": "collide", "query": "manifold", "memory": 2**32}}
        for sent in map(marshal.dumps, (task, [({PAIRS[0].a!r}, {PAIRS[0].b!r}, False)])):
            child.stdin.write(struct.pack("<I", len(sent)) + sent)
            child.stdin.flush()
        while not Path({str(note)!r}).exists():
            pass
        os._exit(1)
        """
    assert subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=False).returncode == 1
    until(lambda: is_gone(int(note.read_text())))


def test_printed_output_is_counted_and_discarded(tmp_path, capfd):
    replies, _ = call(
        tmp_path,
        """
        import os, sys
        print("loading")
        def collide(a, b):
            print("abc")
            sys.stderr.write("de")
            os.write(1, b"unseen")
            sys.__stdout__.write("f")
        """,
    )
    assert [reply.printed for reply in replies] == [7] * 5
    assert capfd.readouterr() == ("", "")


def test_changing_the_arguments_changes_nothing_else(tmp_path):
    replies, _ = call(
        tmp_path,
        """
        seen = []
        def collide(a, b):
            seen.append((list(a), b))
            n = len(a)
            a.clear()
            return {"depth": n}
        """,
        [PAIRS[0]] * 3,
        1,
    )
    assert [reply.keys for reply in replies] == [{"depth": 4.0}] * 3
    assert all(reply.is_repeatable for reply in replies)


def test_a_different_second_answer_is_detected(tmp_path):
    body = "n = 0\ndef collide(a, b):\n    global n\n    n += 1\n    return {'depth': n}\n"
    replies, _ = call(tmp_path, body, PAIRS, 2)
    assert [reply.is_repeatable for reply in replies] == [False, True, False, True, False]


@pytest.mark.parametrize(
    ("body", "reason", "message"),
    [
        ("def collide(a, b) return", "syntax", "line 1"),
        ("import nosuchthing", "import", "ModuleNotFoundError: No module named 'nosuchthing' (line 1"),
        ("def other(a, b): pass\ndef _hidden(): pass", "missing", "no function collide; there is other"),
        ("collide = 3", "missing", "collide is not a function"),
        ("import sys; sys.exit(4)", "import", "called exit(4)"),
        ("import os; os._exit(4)", "died", "ended with status 4"),
        ("x = '\\ud800'.encode()", "import", "UnicodeEncodeError"),
    ],
)
def test_a_failed_load_gives_its_reason(tmp_path, body, reason, message):
    with Runner(write(tmp_path, body), "collide", "manifold", LIMIT) as runner, pytest.raises(RefusedFunctionError) as refused:
        list(runner.call(PAIRS))
    assert refused.value.reason == reason
    assert message in str(refused.value)


def test_a_file_may_import_from_its_folder_and_share_a_name_with_a_library(tmp_path):
    write(tmp_path, "ANSWER = 0.25", "beside.py")
    path = write(tmp_path, "import beside, json\ndef collide(a, b): return {'depth': beside.ANSWER + len(json.dumps(a)) * 0}", "types.py")
    with Runner(path, "collide", "manifold", LIMIT) as runner:
        assert [reply.keys for reply in runner.call(PAIRS)] == [{"depth": 0.25}] * 5


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal at which a stack is written")
@pytest.mark.parametrize(
    ("line", "said"), [("while True: pass", "too_slow"), ("import ctypes; ctypes.string_at(0)", "crashed")], ids=["hangs", "crashes"]
)
def test_the_line_at_which_a_call_hangs_or_crashes(line, said, tmp_path):
    body = f"""
        def collide(a, b):
            return deeper()

        def deeper():
            {line}
        """
    (reply,), killed = call(tmp_path, body, PAIRS[:1], limit=0.5)
    assert (reply.said, reply.where, killed) == (said, "line 6, in deeper", 1)
