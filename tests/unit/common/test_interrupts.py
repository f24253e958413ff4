"""An interrupt lost in native code is raised again by the running loop."""

import ctypes
import os
import signal
import subprocess
import sys
import threading

import pytest

from engine.cli.main import terminating_as_interrupting
from engine.cli.output import progress
from engine.common import interrupts
from engine.common.interrupts import DeferredInterrupt, raise_lost
from tests.waiting import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="os.kill cannot send SIGINT to oneself on Windows")


class _Interrupting:
    """An object that raises an interrupt when an attribute is read."""

    def __getattr__(self, name):
        os.kill(os.getpid(), signal.SIGINT)
        raise AttributeError(name)


def _lose_an_interrupt():
    """Make C code look up an attribute, which clears the exception raised there, here KeyboardInterrupt."""
    assert ctypes.pythonapi.PyObject_HasAttrString(ctypes.py_object(_Interrupting()), b"anything") == 0


def test_an_interrupt_that_was_lost_is_raised_once():
    with terminating_as_interrupting():
        _lose_an_interrupt()
        with pytest.raises(KeyboardInterrupt):
            raise_lost()
        raise_lost()


def test_the_next_step_of_a_long_run_raises_it(capsys):
    n_done = 0
    with pytest.raises(KeyboardInterrupt), terminating_as_interrupting(), progress("counting", 10) as advance:
        for k in range(10):
            if k == 3:
                _lose_an_interrupt()
            advance()
            n_done += 1
    assert n_done == 3
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_watch_over_the_compiler_ends_with_the_run(monkeypatch):
    """It ended the process when the next run compiled something."""
    monkeypatch.setattr(interrupts, "_GRACE", 0.05)
    monkeypatch.setattr(interrupts.os, "_exit", lambda status: pytest.fail("the process would have ended"))
    with terminating_as_interrupting():
        _lose_an_interrupt()
    monkeypatch.setattr(interrupts.compile_notice, "began", lambda **_: 0.0)
    for thread in [thread for thread in threading.enumerate() if thread.name == "interrupts"]:
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_a_run_does_not_inherit_the_interrupt_of_the_one_before():
    with terminating_as_interrupting():
        _lose_an_interrupt()
    raise_lost()


_IN_A_FINALIZER = """
import signal
from engine.common.interrupts import heed_interrupts, raise_lost

heed_interrupts()


class Interrupted:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)


class Wrong:
    def __del__(self):
        raise ValueError("a fault of the program")


Interrupted()
Wrong()
try:
    raise_lost()
except KeyboardInterrupt:
    print("raised")
"""


def test_an_interrupt_in_a_finalizer_is_raised_later_without_a_report():
    ran = subprocess.run([sys.executable, "-c", _IN_A_FINALIZER], capture_output=True, text=True, check=True)
    assert ran.stdout == "raised\n"
    assert "a fault of the program" in ran.stderr and "KeyboardInterrupt" not in ran.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ignored_interrupts_stay_ignored(number):
    before = signal.signal(number, signal.SIG_IGN)
    try:
        with terminating_as_interrupting():
            os.kill(os.getpid(), number)
            assert signal.getsignal(number) is signal.SIG_IGN
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_sigterm_waits_for_uninterruptible_work_like_ctrl_c(name):
    number, is_whole = getattr(signal, name), False
    # as usual, whoever started the tests: under nohup and in the background of a shell they are ignored, and would stay so
    before = signal.signal(number, signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)
    try:
        with pytest.raises(KeyboardInterrupt), terminating_as_interrupting(), DeferredInterrupt():
            os.kill(os.getpid(), number)
            with DeferredInterrupt():
                os.kill(os.getpid(), number)
            is_whole = True
    finally:
        signal.signal(number, before)
    assert is_whole


_IN_A_STEP = """
import os, signal, sys, threading, time
from engine.cli.main import terminating_as_interrupting
from engine.common import compile_notice
from engine.common.interrupts import DeferredInterrupt, interrupt

signal.signal(signal.SIGTERM, signal.SIG_DFL)
try:
    with terminating_as_interrupting(), DeferredInterrupt():
        if sys.argv[1] == "compiling":
            compile_notice._entered[threading.get_ident()] = 1, time.monotonic()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(float(sys.argv[2]))
        print("whole")
except KeyboardInterrupt:
    sys.exit(7)
"""


def test_an_interrupt_ends_the_compiler_within_a_step_but_no_step():
    """Issue 45: SIGTERM took 98 s, because a step, which defers it, waited for the compiler."""
    for doing, seconds, status, said in (("compiling", "60", 130, ""), ("computing", "2.5", 7, "whole\n")):
        ran = subprocess.run([sys.executable, "-c", _IN_A_STEP, doing, seconds], capture_output=True, text=True, timeout=50, check=False)
        assert (ran.returncode, ran.stdout) == (status, said), ran.stderr
        assert ran.stderr == "interrupted\n" * (status == 130)
