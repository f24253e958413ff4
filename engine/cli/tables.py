"""Tables of a run in the command line: the options, checked before anything runs, and the files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from engine.app.files import check_writable

if TYPE_CHECKING:
    from engine.demo.base import Demo
    from engine.scenes.tables import Tables

__all__ = ["add_step", "open_tables", "wanted_tables"]

_OPTIONS = {"contacts": "--csv-contacts", "states": "--csv-states", "timings": "--csv-timings"}


def wanted_tables(contacts: str | None, states: str | None, timings: str | None) -> dict[str, str]:
    """Return the files that options ask for, by the option, each of which can be written; an error names the option."""
    wanted: dict[str, str] = {}
    for option, path in zip(_OPTIONS.values(), (contacts, states, timings), strict=True):
        if path is None:
            continue
        check_writable(option, path, (".csv",))
        wanted[option] = path
    return wanted


def open_tables(wanted: Mapping[str, str]) -> Tables:
    """Return the tables, to be used as a context."""
    from engine.scenes.tables import Tables

    return Tables(*(wanted.get(option) for option in _OPTIONS.values()))


def add_step(tables: Tables, demo: Demo) -> None:
    """Add what there is in all worlds of a demo."""
    times = [(stage.times.step, stage.times.check) for stage in demo.stages]
    tables.add(demo.steps, [stage.world for stage in demo.stages], times)
