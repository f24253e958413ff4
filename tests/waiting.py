"""Waits for other processes and threads until a condition is true, long enough for a slow or busy machine.

No test may fail because a machine is slow, so a limit here is far above the usual duration: if it is reached, something hangs.
"""

import time

__all__ = ["PATIENCE", "until"]

PATIENCE = 1200.0
"""Seconds. A command that tests start takes one to ten on a machine with nothing else to do, and a minute where kernels are compiled;
beside a dozen other processes, twenty times as long."""


def until(condition, seconds=PATIENCE, look=0.05):
    """Return the result of `condition` as soon as it is true or not empty; check it every `look` seconds.

    Raises
    ------
    AssertionError
        It never was.
    """
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, f"waited {seconds:.0f} s for nothing"
        time.sleep(look)
    return value
