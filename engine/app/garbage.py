"""The collector of garbage beside frames that must not wait for it."""

from __future__ import annotations

import gc

__all__ = ["set_garbage_aside"]


def set_garbage_aside() -> None:
    """Collect now, and set the thousands of objects left aside, so that no later collection walks them in the middle of a frame."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
