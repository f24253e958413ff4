"""Messages between server and clients: MessagePack, every field with type, range and size, and no pickle.

    client                              server
    Hello(name, password)         ->
                                  <-    Refused(reason), or at its next keyframe
                                  <-    Welcome(user, tick, scene, state, acts)
    ActionRequest(number, tick, action)     ->    to all, at once:
                                  <-    RelayedAction(tick, user, number, action)    or to him alone, ActionDenied(number, reason)
                                  <-    TickClosed(tick, count, digest)           nothing more will come for this tick
    ResendRequest(tick, ...)            ->
                                  <-    RelayedAction ... and TickClosed again
    Ping(sent)                    ->
                                  <-    Pong(sent, tick)
    PointerMove(x, y)                ->    to all others:
                                  <-    UserPointer(user, x, y)
                                  <-    Keyframe(tick, state)                 to one that asked: StateRequest(tick, digest)
                                  <-    UserList(users)                        whenever somebody comes or goes
    Goodbye()                         ->    or   <-   Dropped(reason)

A message may be lost, doubled or overtaken: an act is known by its user and number, a tick by its number, and what is missing is asked for
again. An act is an action of `engine.sim.actions` by a user at a tick; here it is the action's MessagePack, read by `decode_action`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

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
    "Keyframe",
    "MessageError",
    "Ping",
    "PointerMove",
    "Pong",
    "Refused",
    "RelayedAction",
    "ResendRequest",
    "StateRequest",
    "TickClosed",
    "UserInfo",
    "UserList",
    "UserPointer",
    "Welcome",
    "decode_from_client",
    "decode_from_server",
    "encode",
    "encode_acts",
]  # fmt: skip

VERSION = 2
"""Version of the messages: it changes with the meaning of any of them, and must be equal at both ends."""
PORT = 1234
METHODS = ("prediction", "interpolation", "lockstep")
MAX_CLIENT_MESSAGE_BYTES = 64_000
"""Bytes: a body of 64 polygons has 30 thousand."""
MAX_SERVER_MESSAGE_BYTES = 64_000_000
"""Bytes: the state of 10,000 bodies has a few million."""
_MAX_MISSING = 128
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
    """The bytes are no message, or one with a field outside its range."""


class _Message(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Base: an array whose first element is the tag."""


class Hello(_Message, frozen=True, tag="hello"):
    """A client wants to come in. `method` is how it keeps up with the others, one of `METHODS`."""

    version: int
    name: Name
    password: Annotated[str, msgspec.Meta(max_length=200)] = ""
    key: Annotated[str, msgspec.Meta(max_length=64)] = ""
    """Key that the `Welcome` of a returning client contained."""
    platform: Annotated[str, msgspec.Meta(max_length=200)] = ""


class ActionRequest(_Message, frozen=True, tag="did"):
    """A user's own act: its number, ascending from 0, and the tick for which the client has predicted it."""

    number: Number
    tick: Tick
    action: msgspec.Raw


class ResendRequest(_Message, frozen=True, tag="missing"):
    """The client has not all that belongs to these ticks."""

    ticks: Annotated[list[Tick], msgspec.Meta(max_length=_MAX_MISSING)]


class StateRequest(_Message, frozen=True, tag="lost"):
    """The client's state at a keyframe is another than the server's: it wants that."""

    tick: Tick
    digest: Digest


class Ping(_Message, frozen=True, tag="ping"):
    """The client's clock when it was sent, and what it has: the last tick up to which it knows everything, and how long the way there and
    back took last."""

    sent: Seconds
    confirmed: Tick = 0
    round_trip: Seconds = 0.0


class PointerMove(_Message, frozen=True, tag="pointing"):
    """Place of the user's pointer, meters in the picture; no part of the state."""

    x: Coordinate
    y: Coordinate


class Goodbye(_Message, frozen=True, tag="bye"):
    """The client goes."""


class UserInfo(_Message, frozen=True, tag="who"):
    """One who is here, or was and may come back."""

    user: UserNumber
    name: Name
    is_here: bool = True
    ping: Seconds = 0.0


class RelayedAction(_Message, frozen=True, tag="acted"):
    """An act of a user, at the tick at which it counts: the one asked for, or the first that was open when the act came."""

    tick: Tick
    user: UserNumber
    number: Number
    action: msgspec.Raw


class ActionDenied(_Message, frozen=True, tag="denied"):
    """An act of the client counts nowhere, with the reason: guests may not do it, or there is too much of it."""

    number: Number
    reason: Words


class Welcome(_Message, frozen=True, tag="welcome"):
    """All that a client needs to go on from a keyframe: how the demo was made, its state right before `tick`, the first open one, and what
    was done since."""

    user: UserNumber
    key: Annotated[str, msgspec.Meta(max_length=64)]
    tick: Tick
    scene: dict[str, Any]
    """demo, scene, seed, values, solver, solver_settings, built_for, hertz, remembers: see `engine.net.scene`."""
    state: bytes
    acts: list[RelayedAction]
    hertz: Annotated[float, msgspec.Meta(gt=0.0, le=1000.0)]
    delay: Annotated[int, msgspec.Meta(ge=0, le=1000)]
    window: Annotated[int, msgspec.Meta(ge=1, le=10_000)]
    next_number: Number = 0
    """Number of the client's next act."""


class Refused(_Message, frozen=True, tag="refused"):
    """The client does not come in."""

    reason: Words


class TickClosed(_Message, frozen=True, tag="closed"):
    """Nothing more comes for a tick: so many acts belong to it. After a keyframe, the digest of the state right before the tick.

    `earlier` says the same of the ticks right before, newest first, for one who missed it.
    """

    tick: Tick
    count: Count
    digest: Digest | None = None
    earlier: Annotated[list[Count], msgspec.Meta(max_length=MAX_EARLIER)] = []


class Keyframe(_Message, frozen=True, tag="keyframe"):
    """The server's state right before a tick."""

    tick: Tick
    state: bytes


class Pong(_Message, frozen=True, tag="pong"):
    """An answer to `Ping`: the server's clock in ticks, with its fraction, when it answered."""

    sent: Seconds
    clock: Annotated[float, msgspec.Meta(ge=-1e9, le=2.0**40)]


class UserPointer(_Message, frozen=True, tag="pointed"):
    """Place of another user's pointer."""

    user: UserNumber
    x: Coordinate
    y: Coordinate


class UserList(_Message, frozen=True, tag="present"):
    """Users who are here."""

    users: Annotated[list[UserInfo], msgspec.Meta(max_length=MAX_USERS)]


class Dropped(_Message, frozen=True, tag="dropped"):
    """The server ends the connection, or itself."""

    reason: Words
    is_over: bool = False
    """True if the server itself ends."""


FromClient: TypeAlias = Hello | ActionRequest | ResendRequest | StateRequest | Ping | PointerMove | Goodbye
FromServer: TypeAlias = Welcome | Refused | RelayedAction | ActionDenied | TickClosed | Keyframe | Pong | UserPointer | UserList | Dropped
Method: TypeAlias = Literal["prediction", "interpolation", "lockstep"]

_from_client = msgspec.msgpack.Decoder(FromClient)
_from_server = msgspec.msgpack.Decoder(FromServer)
_encoder = msgspec.msgpack.Encoder()


def encode(message: FromClient | FromServer) -> bytes:
    """Return the bytes of a message."""
    return _encoder.encode(message)


def decode_from_client(content: bytes) -> FromClient:
    """Return what a client says.

    Raises
    ------
    MessageError
        It is none of its messages, too long, or a field is outside its range, which is named.
    """
    found: FromClient = _decoded(_from_client, content, MAX_CLIENT_MESSAGE_BYTES)
    return found


def decode_from_server(content: bytes) -> FromServer:
    """Return what a server says; errors as `decode_from_client`."""
    found: FromServer = _decoded(_from_server, content, MAX_SERVER_MESSAGE_BYTES)
    return found


def encode_acts(acts: list[RelayedAction]) -> bytes:
    """Return the bytes of acts as they stand in a `Welcome`."""
    return _encoder.encode(acts)


def _decoded(decoder: msgspec.msgpack.Decoder[Any], content: bytes, most: int) -> Any:
    if len(content) > most:
        raise MessageError(f"a message must be of at most {most} bytes, got {len(content)}")
    try:
        if len(content) > MAX_CLIENT_MESSAGE_BYTES:
            if not is_bounded(*plain_fields(content)):
                raise MessageError(f"a message must have at most {MAX_PLAIN_BYTES} bytes of lists, {MAX_DECODED_BYTES} once decoded")
        return decoder.decode(content)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise MessageError(f"no message: {error}") from None
