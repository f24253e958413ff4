"""Measure the memory that a process holds, as distinct from memory that it has merely not returned.

`resident` counts all pages. After a burst of large surfaces many of them are free, but lie between others that are not (fragmentation), or
the allocator keeps them for the next burst. `held` collects garbage and lets glibc give back every page that is wholly free
(``malloc_trim``), so that what is left is in use, or shares its page of 4 KB with something that is. `allocated` asks glibc for what it has
given out, to the byte.
"""

import ctypes
import gc
import os
from pathlib import Path

import numpy as np

__all__ = ["allocated", "growth", "held", "resident"]


def resident():
    """Bytes of this process in memory; 0 where the system does not report it."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0


def held():
    """Bytes of this process in memory after all garbage has gone and free pages are given back, where the C library can do so."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:
        trim(0)
    return resident()


class _Counts(ctypes.Structure):
    """glibc's ``struct mallinfo2``."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
    )


def allocated():
    """Bytes that glibc has given out, without Python's small objects; None where there is no glibc 2.33 or later."""
    ask = getattr(ctypes.CDLL(None), "mallinfo2", None) if os.name == "posix" else None
    if ask is None:
        return None
    ask.restype = _Counts
    gc.collect()
    counts = ask()
    return int(counts.uordblks + counts.hblkhd)


def growth(at, values):
    """Return the median slope between all pairs of samples (Theil and Sen): a few outliers do not move it.

    Examples
    --------
    >>> growth([0, 1, 2, 3, 4], [10, 12, 14, 99, 18])
    2.0
    """
    x, y = np.asarray(at, dtype=np.float64), np.asarray(values, dtype=np.float64)
    i, j = np.triu_indices(len(x), 1)
    return float(np.median((y[j] - y[i]) / (x[j] - x[i])))
