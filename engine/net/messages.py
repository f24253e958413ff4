"""Messages between server and clients: MessagePack, every field with type, range and size.

    client                                    server
    Hello(name, password)               ->
                                        <-    Refused(reason), or at its next keyframe
                                        <-    Welcome(user, tick, scene, state, acts)
    ActionRequest(number, tick, action) ->    to all, at once:
                                        <-    RelayedAction(tick, user, number, action), or to him alone ActionDenied(number, reason)
                                        <-    TickClosed(tick, count, digest)     no more actions will come for this tick
    ResendRequest(tick, ...)            ->
                                        <-    RelayedAction ... and TickClosed again
    Ping(sent)                          ->
                                        <-    Pong(sent, clock)
    PointerMove(x, y)                   ->    to all others:
                                        <-    UserPointer(user, x, y)
    StateRequest()                      ->
                                        <-    Welcome again, at the next keyframe
                                        <-    UserList(users)                     whenever somebody joins or leaves
    Goodbye()                           ->    or   <-   Dropped(reason)

A message may be lost, duplicated or overtaken: an action is identified by its user and number, a tick by its number, and what is missing is
requested again. An action is one of `engine.sim.actions`; here it is the action's MessagePack, read by `decode_action`.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import msgspec

from engine.common.errors import LabError
from engine.common.messagepack import MAX_DECODED_BYTES, MAX_PLAIN_BYTES, is_bounded, plain_fields
from engine.sim.users import MAX_USERS

__all__ = [
    "MAX_CLIENT_MESSAGE_BYTES",
    "MAX_EARLIER",
    "MAX_SERVER_MESSAGE_BYTES",
    "METHODS",
    "PORT",
    "VERSION",
    "ActionDenied",
    "ActionRequest",
    "Dropped",
    "FromClient",
    "FromServer",
    "Goodbye",
    "Hello",
    "MessageError",
    "Ping",
    "PointerMove",
    "Pong",
    "Refused",
    "RelayedAction",
    "ResendRequest",
    "SharedScene",
    "StateRequest",
    "TickClosed",
    "UserInfo",
    "UserList",
    "UserPointer",
    "Welcome",
    "decode_from_client",
    "decode_from_server",
    "decode_plain",
    "encode",
]  # fmt: skip

VERSION = 3
"""Version of the messages: it changes with the meaning of any of them, and must be equal at both ends."""
PORT = 1234
METHODS = ("prediction", "interpolation", "lockstep")
MAX_CLIENT_MESSAGE_BYTES = 64_000
"""Bytes: a body of 64 polygons has 30 thousand."""
MAX_SERVER_MESSAGE_BYTES = 64_000_000
"""Bytes: the state of 10,000 bodies has a few million."""
_MAX_RESENT = 128
_HEAD_BYTES = 64
MAX_EARLIER = 8

Tick: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**40)]
Number: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**40)]
UserNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=MAX_USERS)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=10_000)]
Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
Words: TypeAlias = Annotated[str, msgspec.Meta(max_length=500)]
Digest: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=16, max_length=16)]
Coordinate: TypeAlias = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]
Seconds: TypeAlias = Annotated[float, msgspec.Meta(ge=-1e12, le=1e12)]


class MessageError(LabError):
    """The bytes are no message, or a field is outside its range."""


class _Message(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Base: an array whose first element is the tag."""


class Hello(_Message, frozen=True, tag="hello"):
    """A client wants to join."""

    version: int
    name: Name
    password: Annotated[str, msgspec.Meta(max_length=200)] = ""
    key: Annotated[str, msgspec.Meta(max_length=64)] = ""
    """Key that the `Welcome` of a returning client contained."""


class ActionRequest(_Message, frozen=True, tag="action"):
    """An action of the client's user: its number, ascending from 0, and the tick for which the client has predicted it."""

    number: Number
    tick: Tick
    action: msgspec.Raw


class ResendRequest(_Message, frozen=True, tag="resend"):
    """The client lacks something of these ticks."""

    ticks: Annotated[list[Tick], msgspec.Meta(max_length=_MAX_RESENT)]


class StateRequest(_Message, frozen=True, tag="state"):
    """The client's state differs from the server's, or is far behind: it wants the server's."""


class Ping(_Message, frozen=True, tag="ping"):
    """The client's clock when it was sent, the tick up to which it knows everything, and its last round-trip time."""

    sent: Seconds
    confirmed: Tick = 0
    round_trip: Seconds = 0.0


class PointerMove(_Message, frozen=True, tag="pointer"):
    """Position of the user's pointer, meters in the picture; no part of the state."""

    x: Coordinate
    y: Coordinate


class Goodbye(_Message, frozen=True, tag="bye"):
    """The client leaves."""


class UserInfo(_Message, frozen=True, tag="user"):
    """A user who is here, or was and may come back."""

    user: UserNumber
    name: Name
    is_here: bool = True
    ping: Seconds = 0.0


class RelayedAction(_Message, frozen=True, tag="action"):
    """An action of a user, at the tick at which it counts: the requested one, or the first that was open when it arrived."""

    tick: Tick
    user: UserNumber
    number: Number
    action: msgspec.Raw


class ActionDenied(_Message, frozen=True, tag="denied"):
    """An action of the client is not applied, with the reason: guests may not do it, or a limit is exceeded."""

    number: Number
    reason: Words


class SharedScene(_Message, frozen=True):
    """The shared demo and how it was made: all that a client needs to build it.

    Attributes
    ----------
    demo : str
        Its id.
    scene : dict or None
        Content of its scene file, if it was made from one.
    values : dict
        Its parameters.
    solver, solver_settings : optional
        The chosen ones.
    built_for : str or None
        Solver for which its worlds are built.
    hertz : float or None
        The chosen steps per second.
    remembers : bool
        True if its worlds keep the whole state of their solver.
    """

    demo: str
    scene: dict[str, Any] | None
    seed: Number
    values: dict[str, float]
    solver: str | None
    solver_settings: list[tuple[str, float | str]] | None
    built_for: str | None
    hertz: Annotated[float, msgspec.Meta(gt=0.0, le=1000.0)] | None
    remembers: bool


class Welcome(_Message, frozen=True, tag="welcome"):
    """All that a client needs to go on from a keyframe: the scene, its state right before `tick`, the first open one, and the actions
    since. A client that has joined takes the state and the actions."""

    user: UserNumber
    key: Annotated[str, msgspec.Meta(max_length=64)]
    tick: Tick
    scene: SharedScene
    state: bytes
    acts: list[RelayedAction]
    hertz: Annotated[float, msgspec.Meta(gt=0.0, le=1000.0)]
    delay: Annotated[int, msgspec.Meta(ge=0, le=1000)]
    window: Annotated[int, msgspec.Meta(ge=1, le=10_000)]
    next_number: Number = 0
    """Number of the client's next action."""


class Refused(_Message, frozen=True, tag="refused"):
    """The client may not join."""

    reason: Words


class TickClosed(_Message, frozen=True, tag="closed"):
    """A tick is closed, with so many actions. After a keyframe, also the digest of the state right before the tick.

    `earlier` has the counts of the ticks right before, newest first, for a client that missed them.
    """

    tick: Tick
    count: Count
    digest: Digest | None = None
    earlier: Annotated[list[Count], msgspec.Meta(max_length=MAX_EARLIER)] = []


class Pong(_Message, frozen=True, tag="pong"):
    """The answer to `Ping`, with the server's clock in ticks, fraction included."""

    sent: Seconds
    clock: Annotated[float, msgspec.Meta(ge=-1e9, le=2.0**40)]


class UserPointer(_Message, frozen=True, tag="pointed"):
    """Position of another user's pointer."""

    user: UserNumber
    x: Coordinate
    y: Coordinate


class UserList(_Message, frozen=True, tag="users"):
    """Users who are here, or may come back."""

    users: Annotated[list[UserInfo], msgspec.Meta(max_length=MAX_USERS)]


class Dropped(_Message, frozen=True, tag="dropped"):
    """The server ends the connection, or itself."""

    reason: Words
    is_over: bool = False
    """True if the server itself ends."""


FromClient: TypeAlias = Hello | ActionRequest | ResendRequest | StateRequest | Ping | PointerMove | Goodbye
FromServer: TypeAlias = Welcome | Refused | RelayedAction | ActionDenied | TickClosed | Pong | UserPointer | UserList | Dropped

_from_client = msgspec.msgpack.Decoder(FromClient)
_from_server = msgspec.msgpack.Decoder(FromServer)
_plain = msgspec.msgpack.Decoder(Any)
_encoder = msgspec.msgpack.Encoder()


def encode(message: FromClient | FromServer | list[RelayedAction]) -> bytes:
    """Return the bytes of a message, or of the actions of a `Welcome`."""
    return _encoder.encode(message)


def decode_from_client(content: bytes) -> FromClient:
    """Return the message of a client.

    Raises
    ------
    MessageError
        It is none, is too long, or has a field outside its range, which is named.
    """
    message: FromClient = _decode(_from_client, content, MAX_CLIENT_MESSAGE_BYTES)
    return message


def decode_from_server(content: bytes) -> FromServer:
    """Return the message of a server; errors as `decode_from_client`."""
    message: FromServer = _decode(_from_server, content, MAX_SERVER_MESSAGE_BYTES)
    if isinstance(message, RelayedAction) and len(content) > MAX_CLIENT_MESSAGE_BYTES + _HEAD_BYTES:
        raise MessageError(f"an action must be of at most {MAX_CLIENT_MESSAGE_BYTES} bytes, got {len(content)}")
    return message


def decode_plain(content: bytes) -> Any:
    """Return the plain data of an action of a message; errors as `decode_from_client`."""
    return _decode(_plain, content, MAX_CLIENT_MESSAGE_BYTES)


def _decode(decoder: msgspec.msgpack.Decoder[Any], content: bytes, max_bytes: int) -> Any:
    if len(content) > max_bytes:
        raise MessageError(f"a message must be of at most {max_bytes} bytes, got {len(content)}")
    try:
        if len(content) > MAX_CLIENT_MESSAGE_BYTES and not is_bounded(*plain_fields(content)):
            raise MessageError(f"a message must have at most {MAX_PLAIN_BYTES} bytes of lists, {MAX_DECODED_BYTES} once decoded")
        return decoder.decode(content)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise MessageError(f"no message: {error}") from None
