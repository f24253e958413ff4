"""Measures the memory that a process uses, as distinct from memory that it has not yet returned.

`resident` counts all pages. After a burst of large surfaces, many pages are free but lie between used ones (fragmentation), or the
allocator keeps them for the next burst. `held` collects garbage and lets glibc return every completely free page (``malloc_trim``), so the
rest is in use or shares a 4 KB page with memory in use. `allocated` returns the bytes allocated by glibc.
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
    """Resident bytes of this process after garbage collection and after returning free pages, if the C library supports that."""
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
    """Bytes allocated by glibc, without Python's small objects; None without glibc 2.33 or later."""
    ask = getattr(ctypes.CDLL(None), "mallinfo2", None) if os.name == "posix" else None
    if ask is None:
        return None
    ask.restype = _Counts
    gc.collect()
    counts = ask()
    return int(counts.uordblks + counts.hblkhd)


def growth(at, values):
    """Return the median slope between all pairs of samples (Theil-Sen), which is robust to a few outliers.

    Examples
    --------
    >>> growth([0, 1, 2, 3, 4], [10, 12, 14, 99, 18])
    2.0
    """
    x, y = np.asarray(at, dtype=np.float64), np.asarray(values, dtype=np.float64)
    i, j = np.triu_indices(len(x), 1)
    return float(np.median((y[j] - y[i]) / (x[j] - x[i])))
