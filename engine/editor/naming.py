"""What bodies made by hand are called: what they are and a number, so that plots, the log, tables and files tell them apart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.editor.editor import Editor, Gesture
    from engine.world import BodySpec

__all__ = ["create_named", "names_in"]

_NUMBERED = re.compile(r"(.*\S) \d+", re.DOTALL)


def names_in(editor: Editor, stage: int) -> set[str]:
    """Return all names of bodies in the world of a stage."""
    world = editor.world(stage)
    return {world.body(body).spec.name for body in world.body_ids}


def create_named(gesture: Gesture, stage: int, spec: BodySpec, taken: set[str], kind: str = "") -> int:
    """Create a body, as a part of a gesture, name it, and return its id.

    Parameters
    ----------
    gesture : Gesture
    stage : int
    spec : BodySpec
    taken : set of str
        Names that others have; the new one is added.
    kind : str
        What it is, "box": its name is that with its id behind, "box 46", or with the next number that nothing else is called by. Without,
        that is done to a copy of something that has such a name; another name stays.

    Raises
    ------
    LabError
        The world refuses it.
    """
    made: int = gesture.edit(stage, "create_body", spec)
    numbered = _NUMBERED.fullmatch(spec.name)
    word = kind or (numbered.group(1) if numbered is not None else "")
    if word:
        number = made
        while f"{word} {number}" in taken:
            number += 1
        name = f"{word} {number}"
        taken.add(name)
        gesture.edit(stage, "set_body", made, name=name)
    return made
