"""The steps of an algorithm as a table of sentences, as JSON, as pictures and as a film."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.app.files import write_atomically
from engine.cli.output import progress, text_table
from engine.contracts.trace import TraceStep
from engine.trace.cases import Case

if TYPE_CHECKING:
    from rich.table import Table

    from engine.trace.own import OwnAnswer

__all__ = ["Pictures", "draw_steps", "plain_of", "steps_as_json", "steps_table"]


@dataclass(frozen=True, slots=True)
class Pictures:
    """Pictures and film to make of an algorithm's steps.

    Attributes
    ----------
    at : int or None
        The step of `screenshot`, from 1; None is the last.
    screenshot, folder, film : str or None
        A file for one step, a folder for all of them, a film.
    rate : float
        Frames a second of the film.
    seconds : float
        For which it shows each step.
    size : (width, height)
        Pixels.
    """

    at: int | None
    screenshot: str | None
    folder: str | None
    film: str | None
    rate: float
    seconds: float
    size: tuple[int, int]

    @property
    def any(self) -> bool:
        """True if there is anything to be drawn."""
        return (self.screenshot, self.folder, self.film) != (None, None, None)


def draw_steps(
    wanted: Pictures, case: Case, steps: Mapping[str, Sequence[TraceStep]], theirs: OwnAnswer | None = None
) -> list[tuple[str, str]]:
    """Draw what is wanted of the steps of several algorithms, by their names, side by side, the first with a user's answer beside it, and
    return what to print.

    Raises
    ------
    OSError, FilmError
        A file cannot be written.
    """
    if not wanted.any:
        return []
    from engine.app.files import png_bytes
    from engine.app.film import open_film
    from engine.app.headless import no_screen, scale_for
    from engine.app.pictures.step_picture import draw_beside, frame_bytes
    from engine.render import palette
    from engine.render.fonts import FontBook
    from engine.render.step_view import Aside, StepPicture
    from engine.trace import algorithm

    rows: list[tuple[str, str]] = []
    with no_screen(), contextlib.ExitStack() as undo:
        first, own = next(iter(steps)), () if theirs is None else theirs.marks
        sceneries = {name: (*algorithm(name).scenery(case), *(own if name == first else ())) for name in steps}
        drawn = [StepPicture(algorithm(name), sceneries[name], own_steps) for name, own_steps in steps.items()]
        if theirs is not None:
            drawn[0].aside = Aside(theirs.sentence, palette.UNEXPLAINED if theirs.faults else palette.AGREE, 2)
        n_steps, fonts = max(len(picture.steps) for picture in drawn), FontBook(scale_for(wanted.size))
        if wanted.screenshot is not None:
            k = n_steps - 1 if wanted.at is None else wanted.at - 1
            write_atomically(wanted.screenshot, png_bytes(draw_beside(drawn, k, wanted.size, fonts)))
            rows.append(("picture", f"{wanted.screenshot}, step {k + 1} of {n_steps}"))
        if wanted.folder is None and wanted.film is None:
            return rows
        film = None if wanted.film is None else open_film(wanted.film, wanted.size, wanted.rate)
        if film is not None:
            undo.callback(film.discard)
        digits = max(len(str(n_steps)), 3)
        with progress("pictures of the steps", n_steps) as advance:
            n_frames = 0
            for k in range(n_steps):
                surface = draw_beside(drawn, k, wanted.size, fonts)
                if wanted.folder is not None:
                    write_atomically(Path(wanted.folder) / f"{first}_{k + 1:0{digits}d}.png", png_bytes(surface))
                if film is not None:
                    frame, until = frame_bytes(surface), max(round((k + 1) * wanted.seconds * wanted.rate), n_frames + 1)
                    for _ in range(until - n_frames):
                        film.add(frame)
                    n_frames = until
                advance()
        if wanted.folder is not None:
            rows.append(("pictures", f"{n_steps} in {wanted.folder}"))
        if film is not None:
            film.close()
            undo.pop_all()
            rows.append(("film", f"{wanted.film}, {film.words} of {wanted.size[0]} x {wanted.size[1]}"))
    return rows


def steps_table(steps: Sequence[TraceStep]) -> Table:
    """Return a row for each step: its number, what it cost so far, its sentence."""
    table = text_table(right=("step",), last=("kind", "what happened, and why", "cost so far"))
    for k, step in enumerate(steps, 1):
        cost = ", ".join(f"{name} {number:,}" for name, number in step.cost.items() if name != "steps")
        table.add_row(str(k), step.kind, step.sentence, cost)
    return table


def steps_as_json(name: str, case: Case, steps: Sequence[TraceStep]) -> dict[str, Any]:
    """Return all there is of an algorithm's steps as plain data; numbers that JSON does not have are null."""
    from engine.trace import algorithm
    from engine.trace.case_file import SavedCase, case_as_json

    chosen = algorithm(name)
    return {
        "algorithm": name,
        "title": chosen.title,
        "page": chosen.page,
        "pseudo_code": list(chosen.pseudo_code),
        "views": plain_of(chosen.views),
        "case": case_as_json(SavedCase(name, case)),
        "scenery": plain_of(chosen.scenery(case)),
        "steps": plain_of(steps),
    }


def plain_of(value: object) -> Any:
    """Return plain data for records, arrays, enums and what they hold.

    Examples
    --------
    >>> from engine.contracts.trace import Feature
    >>> plain_of({"seen": (Feature("a", "edge", 3),), "bound": float("inf")})
    {'seen': [{'whose': 'a', 'part': 'edge', 'index': 3}], 'bound': None}
    """
    if is_dataclass(value):
        return {field.name: plain_of(getattr(value, field.name)) for field in fields(value) if not field.name.startswith("_")}
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, np.ndarray | np.generic):
        return plain_of(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain_of(item) for key, item in value.items()}
    if isinstance(value, Sequence | frozenset | set) and not isinstance(value, str | bytes):
        return [plain_of(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, int | str | None) else str(value)
