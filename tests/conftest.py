"""Setup of the test session and of each test."""

import gc
import os
import signal
import threading

import pytest
from hypothesis import HealthCheck, settings

from tests.kernels import compile_all
from tests.waiting import PATIENCE

CLOCKS = (
    "engine.cli.output.PATIENCE",  # then a command says that it is still at work, on standard error
    "engine.app.driver._STEPPING_BUDGET",  # then a frame takes no more steps
    "engine.check.runner.LOAD_SECONDS",  # then a function's file is given up
    "engine.check.trial._SHRINK_SECONDS",  # then a pair stays as large as it is
    "engine.compare.processes.cluster._PATIENCE",  # then a scheduler does not answer
    "engine.net.connection.OPEN_SECONDS",  # then a server cannot be reached
    "engine.net.connection.SILENT_SECONDS",  # then a server is taken for dead
    "engine.net.server_thread.SILENT_SECONDS",  # then a client is
)


settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")  # no property fails because the machine is slow


def pytest_sessionstart(session):
    """Compile the kernels in the process that distributes the tests, if other processes will run them and nothing is compiled yet."""
    from engine.common.jit import n_in_cache

    chosen = session.config.option
    hands_out = not hasattr(session.config, "workerinput") and bool(getattr(chosen, "numprocesses", 0))
    if hands_out and n_in_cache() == 0 and os.environ.get("NUMBA_DISABLE_JIT", "0") == "0":
        compile_all(min(chosen.numprocesses, chosen.maxprocesses or chosen.numprocesses))


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Collect the tests without garbage collection, and freeze the half a million objects that remain until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(50_000)  # a fiftieth of the processor's time otherwise


@pytest.fixture(scope="session", autouse=True)
def kept_aside():
    """Keep them frozen when the program unfreezes its own objects at the start of every demo: 0.4 s each time."""
    with pytest.MonkeyPatch.context() as patched:
        for name in ("freeze", "unfreeze"):
            patched.setattr(gc, name, lambda: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def patient():
    """Disable time-dependent behavior of the program, which would vary on a slow machine, except in tests of that behavior."""
    with pytest.MonkeyPatch.context() as patched:
        for limit in CLOCKS:
            patched.setattr(limit, PATIENCE)
        yield


@pytest.fixture(scope="session", autouse=True)
def interruptible():
    """Restore the handling of Ctrl-C: a shell makes background processes ignore it, and these processes would inherit that."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
