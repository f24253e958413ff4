"""Scripts, which list actions by tick in a file, for a client without a user.

    {"acts": [{"tick": 60, "action": {"type": "Grab", "point": [0.0, 5.0]}},
              {"tick": 90, "action": {"type": "Release"}, "client": 2}]}

An action is one of `engine.sim.actions` as plain data, as in recordings; ticks are those of the server. If there are several
clients, they are numbered from 1, and each applies the actions that have its number or none.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from typing import Any, NamedTuple

from engine.common.checks import integer
from engine.common.errors import Described, InvalidInputError, renamed
from engine.common.json_file import read_json
from engine.sim.actions import Action, action_of
from engine.sim.users import MAX_USERS

__all__ = ["Script", "ScriptedAction", "load_script"]

_MAX_SCRIPT_BYTES = 16_000_000


class ScriptedAction(NamedTuple):
    """An action at a tick, for one client, or for every client if `client` is None."""

    tick: int
    action: Action
    client: int | None = None


class Script:
    """The actions of one client.

    Parameters
    ----------
    actions : tuple of ScriptedAction
    client : int
        Number of the client, from 1.
    """

    def __init__(self, actions: tuple[ScriptedAction, ...], client: int = 1) -> None:
        self._waiting = sorted((action for action in actions if action.client in (None, client)), key=lambda action: action.tick)

    def due(self, tick: int) -> list[Action]:
        """Remove and return the actions that are due by a tick."""
        n = bisect_right(self._waiting, tick, key=lambda action: action.tick)
        due, self._waiting = self._waiting[:n], self._waiting[n:]
        return [action.action for action in due]


def load_script(path: str | os.PathLike[str]) -> tuple[ScriptedAction, ...]:
    """Load a script.

    Raises
    ------
    InvalidInputError
        The file does not exist or is not a script; the message names the location.
    """
    name = os.fspath(path)
    with renamed(lambda field: field if field.startswith(name) else f"{name}: {field}"):
        plain = read_json(path, "script", _MAX_SCRIPT_BYTES)
        actions = plain.get("acts") if isinstance(plain, dict) and set(plain) == {"acts"} else None
        if not isinstance(actions, list):
            raise InvalidInputError("script", '{"acts": [...]}', Described("something else"))
        return tuple(_scripted(action, f"acts[{k}]") for k, action in enumerate(actions))


def _scripted(plain: Any, place: str) -> ScriptedAction:
    if not isinstance(plain, dict) or not {"tick", "action"} <= set(plain) <= {"tick", "action", "client"}:
        raise InvalidInputError(place, "an object with tick, action and, optionally, client", plain)
    tick, client = integer(f"{place}.tick", plain["tick"], 0), plain.get("client")
    if client is not None:
        integer(f"{place}.client", client, 1, MAX_USERS)
    return ScriptedAction(tick, action_of(plain["action"], f"{place}.action"), client)
