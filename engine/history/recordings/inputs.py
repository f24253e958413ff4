"""An input as plain data, and back: what a person did, as it stands in a recording.

    ["grab", [[1.5, 2.0]]]      ["edit", [0, "create_body", [{"kind": "body", ...}], []]]      ["grab", [[1.5, 2.0]], [[0, 0], [0, -3]]]

The action, its arguments, and, where the demo's worlds were laid out side by side, where they lay. What comes from a file is checked as
far as that calling the demo with it can do nothing but what a hand could do, or be refused.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.common.errors import Described, InvalidInputError
from engine.common.words import counted
from engine.history.recordings.layout import RecordingError, is_number
from engine.scenes.codec import Precision, from_plain, to_plain
from engine.sim.input_log import ACTIONS, EDITS, USER_ACTIONS, Input
from engine.world import World

if TYPE_CHECKING:
    from engine.decompose import BodyFile

__all__ = ["ARGUMENTS", "as_plain", "input_of"]

_FILE = "body file"
_EDITS = ("edit", "amend_edit")
_NAMES = {
    "release_key": "lift",
    "release_all": "lift_all",
    "amend_edit": "edit_too",
    "keep_solver_state": "remember",
    "resource_ready": "arrive",
}
"""Names of actions in the file, where they are others: those that they had when the first recordings were made."""
_ACTIONS = {_NAMES.get(action, action): action for action in ACTIONS}
"""By their names in the file."""
_ACTIONS_OF_A_USER = {name: action for name, action in _ACTIONS.items() if action not in ("by", "go_alone")} | dict(
    zip(USER_ACTIONS, USER_ACTIONS, strict=True)
)
_MOST_TEXT = 200


def as_plain(one: Input) -> list[Any]:
    """Return an input as plain data.

    Raises
    ------
    InvalidInputError
        It has an argument that cannot be written down.
    """
    plain: list[Any] = [_NAMES.get(one.action, one.action), [_argument_as_plain(argument) for argument in one.arguments]]
    if one.offsets:
        plain.append([list(offset) for offset in one.offsets])
    return plain


def input_of(plain: object, place: str, precision: Precision = np.float64, of_a_user: bool = False) -> Input:
    """Return the input of plain data; in old recordings the numbers of specifications are those of float32.

    What only one of several users can do is read where it is `of_a_user`.

    Raises
    ------
    InvalidInputError
        There is no such action, or its arguments are others; the message names the place.
    """
    if not isinstance(plain, list) or not 2 <= len(plain) <= 3 or not isinstance(plain[1], list):
        raise RecordingError(place, "an action and its arguments", plain)
    name, given = plain[0], plain[1]
    known = _ACTIONS_OF_A_USER if of_a_user else _ACTIONS
    if not isinstance(name, str) or name not in known:
        raise RecordingError(place, "one of " + ", ".join(known), name)
    action = known[name]
    readers = ARGUMENTS[action]
    if not _least(action) <= len(given) <= len(readers):
        raise RecordingError(f"{place}: {name}", f"given {counted(len(readers), 'argument')}", Described(str(len(given))))
    arguments = tuple(
        _specs(one, f"{place}: {name}[{k}]", precision) if read is _specs else read(one, f"{place}: {name}[{k}]")
        for k, (read, one) in enumerate(zip(readers, given, strict=False))
    )
    if action in _EDITS:
        _check_edit(arguments, place)
    offsets: Any = plain[2] if len(plain) == 3 else []
    if not isinstance(offsets, list):
        raise RecordingError(place, "a list of offsets", offsets)
    return Input(action, arguments, tuple(_point(one, f"{place}: offset") for one in offsets))


def _argument_as_plain(argument: Any) -> Any:
    from engine.decompose import BodyFile

    if isinstance(argument, Input):
        return as_plain(argument)
    if isinstance(argument, BodyFile):
        from engine.decompose import body_as_json

        return {"kind": _FILE, "body": body_as_json(argument, Path.cwd())}
    return to_plain(argument, np.float64)


def _point(plain: object, place: str) -> tuple[float, float]:
    if isinstance(plain, list) and len(plain) == 2 and all(is_number(one) for one in plain):
        return plain[0], plain[1]
    raise RecordingError(place, "two finite numbers", plain)


def _number(plain: object, place: str) -> Any:
    if not is_number(plain):
        raise RecordingError(place, "a finite number", plain)
    return plain


def _text(plain: object, place: str) -> str:
    if not isinstance(plain, str) or len(plain) > _MOST_TEXT:
        raise RecordingError(place, f"a text of at most {_MOST_TEXT} letters", plain)
    return plain


def _count(plain: object, place: str) -> int:
    if not isinstance(plain, int) or isinstance(plain, bool) or plain < 0:
        raise RecordingError(place, "a whole number >= 0", plain)
    return plain


def _simple(plain: object, place: str) -> Any:
    return plain if isinstance(plain, str) and len(plain) <= _MOST_TEXT else _number(plain, place)


def _specs(plain: object, place: str, precision: Precision = np.float64) -> tuple[Any, ...]:
    if not isinstance(plain, list):
        raise RecordingError(place, "a list", plain)
    found: tuple[Any, ...] = from_plain(plain, place, precision=precision)
    return found


def _body_file(plain: object, place: str) -> BodyFile:
    from engine.decompose import body_from_json

    if not isinstance(plain, dict) or plain.get("kind") != _FILE:
        raise RecordingError(place, "a body file", plain)
    return body_from_json(plain.get("body"), place, Path.cwd())


def _input(plain: object, place: str) -> Input:
    """Read what a user did."""
    return input_of(plain, place, of_a_user=True)


def _whole(plain: object, place: str) -> int:
    if not isinstance(plain, int) or isinstance(plain, bool) or abs(plain) >= 2**63:
        raise RecordingError(place, "a whole number", plain)
    return plain


def _model(plain: object, place: str) -> bool:
    if not isinstance(plain, bool):
        raise RecordingError(place, "true or false", plain)
    return plain


Reader = Callable[[object, str], Any]

ARGUMENTS: Mapping[str, tuple[Reader, ...]] = MappingProxyType(
    {
        "press": (_text,),
        "release_key": (_text,),
        "release_all": (),
        "set_parameter": (_text, _simple),
        "set_solver": (_text, _specs),
        "amend_solver": (_text, _specs),
        "restart": (),
        "drop": (_body_file, _point),
        "grab": (_point,),
        "hold": (_count, _count, _point, _point),
        "drag": (_point,),
        "release": (),
        "turn": (_point,),
        "on_wheel": (_point, _number),
        "edit": (_count, _text, _specs, _specs),
        "amend_edit": (_count, _text, _specs, _specs),
        "keep_solver_state": (),
        "resource_ready": (_text,),
        "by": (_count, _input),
        "go_alone": (),
        "join": (_model,),
        "leave": (),
        "drive": (_whole, _count),
        "pause": (_model,),
        "set_speed": (_number,),
        "undo_own": (),
    }
)
"""What reads each argument of each action."""


_LEAST = {"edit": 2, "amend_edit": 2, "set_solver": 1, "join": 0}
"""How many arguments there must be, where some may be left out."""


def _least(action: str) -> int:
    return _LEAST.get(action, len(ARGUMENTS[action]))


def _check_edit(arguments: tuple[Any, ...], place: str) -> None:
    """Make sure that the method exists and takes the arguments."""
    method = arguments[1]
    if method not in EDITS:
        raise RecordingError(f"{place}: edit", "one of " + ", ".join(EDITS), method)
    given = arguments[2] if len(arguments) > 2 else ()
    changes = arguments[3] if len(arguments) > 3 else ()
    if any(not (isinstance(change, tuple) and len(change) == 2 and isinstance(change[0], str)) for change in changes):
        raise RecordingError(f"{place}: edit", "pairs of a name and a value", Described("something else"))
    try:
        inspect.signature(getattr(World, method)).bind(None, *given, **dict(changes))
    except TypeError as error:
        raise InvalidInputError(f"{place}: {method}", f"called as it can be ({error})", Described("something else")) from None
