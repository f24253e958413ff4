"""Acts at ticks, from a file: what a client without a user does.

    {"acts": [{"tick": 60, "action": {"type": "Grab", "point": [0.0, 5.0]}},
              {"tick": 90, "action": {"type": "Release"}, "client": 2}]}

An action is the plain data of one of `engine.sim.actions`, as in recordings; the ticks are the server's. Of several
clients, numbered from 1, each does what names it, and what names none.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from engine.common.checks import integer
from engine.common.errors import Described, InvalidInputError, renamed
from engine.common.json_file import read_json
from engine.sim.actions import Action, action_of
from engine.sim.users import MAX_USERS

__all__ = ["Script", "ScriptedAct", "load_script", "script_of"]

_MAX_SCRIPT_BYTES = 16_000_000
_FIELDS = {"tick", "action", "client"}


class ScriptedAct(NamedTuple):
    """An act that is due at a tick, of one client, or, with None, of each."""

    tick: int
    action: Action
    client: int | None = None


class Script:
    """Actions of one client, from a file; `due` returns each once.

    Parameters
    ----------
    acts : iterable of ScriptedAct
    client : int
        Its number, from 1.
    """

    def __init__(self, acts: tuple[ScriptedAct, ...], client: int = 1) -> None:
        self._acts = sorted((act for act in acts if act.client in (None, client)), key=lambda act: act.tick)  # in a tick as they stand
        self._next = 0

    @property
    def is_over(self) -> bool:
        """True if all has been handed out."""
        return self._next == len(self._acts)

    def due(self, tick: int) -> list[Action]:
        """Return what is due by a tick and has not been handed out."""
        first = self._next
        while self._next < len(self._acts) and self._acts[self._next].tick <= tick:
            self._next += 1
        return [act.action for act in self._acts[first : self._next]]


def load_script(path: str | os.PathLike[str]) -> tuple[ScriptedAct, ...]:
    """Return what is in a file.

    Raises
    ------
    InvalidInputError
        There is no such file, or it is no script; the message has the place.
    """
    name = os.fspath(path)
    with renamed(lambda field: field if field.startswith(name) else f"{name}: {field}"):
        return script_of(read_json(path, "script", _MAX_SCRIPT_BYTES))


def script_of(plain: object) -> tuple[ScriptedAct, ...]:
    """Return the acts of plain data; errors as `load_script`."""
    acts = plain.get("acts") if isinstance(plain, dict) and set(plain) == {"acts"} else None
    if not isinstance(acts, list):
        raise InvalidInputError("script", '{"acts": [...]}', Described("something else"))
    return tuple(_act(one, f"acts[{k}]") for k, one in enumerate(acts))


def _act(plain: Any, place: str) -> ScriptedAct:
    if not isinstance(plain, dict) or not {"tick", "action"} <= set(plain) <= _FIELDS:
        raise InvalidInputError(place, "an object with tick, action and perhaps client", plain)
    tick, client = integer(f"{place}.tick", plain["tick"], 0), plain.get("client")
    if client is not None:
        integer(f"{place}.client", client, 1, MAX_USERS)
    return ScriptedAct(tick, action_of(plain["action"], f"{place}.action"), client)
