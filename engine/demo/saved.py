"""Where what is built in a session is saved, and what was built by then."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from engine.history.input_log import Input

__all__ = ["Saved"]


@dataclass(slots=True)
class Saved:
    """Where what is built in a session is saved.

    Attributes
    ----------
    path : Path or None
        The file that it was saved in.
    title : str
        What the scene is called, of one that was given a name; "" otherwise.
    built : list of Input or None
        What had been built when it was saved; None where it was not.
    is_reopened : bool
        Whether the scene had been kept without being saved, and is as unsaved as before.
    """

    path: Path | None = None
    title: str = ""
    built: list[Input] | None = field(default=None, repr=False)
    is_reopened: bool = False
