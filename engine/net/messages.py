"""Messages between server and clients, encoded as MessagePack; the type, range and size of every field are checked.

    client                                    server
    Hello(name, code)                   ->
                                        <-    Refused(reason), or at the next keyframe
                                        <-    Welcome(user, tick, scene, state, acts)
    ActionRequest(number, tick, action) ->    to all clients, immediately:
                                        <-    RelayedAction(tick, user, number, action), or ActionDenied(number, reason) to the sender only
                                        <-    TickClosed(tick, count, digest)     this tick gets no more actions
    ResendRequest(tick, ...)            ->
                                        <-    RelayedAction ... and TickClosed again
    Ping(sent)                          ->
                                        <-    Pong(sent, clock)
    PointerMove(x, y)                   ->    to all other clients:
                                        <-    UserPointer(user, x, y)
    StateRequest()                      ->
                                        <-    Welcome again, at the next keyframe
                                        <-    UserList(users)                     whenever a user joins or leaves
    Goodbye()                           ->    or   <-   Dropped(reason)

Messages may be lost, duplicated or reordered: an action is identified by its user and number, a tick by its number, and missing messages
are requested again. An action is one of `engine.sim.actions`, encoded as MessagePack and decoded by `decode_action`.
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

VERSION = 4
"""Protocol version, which must be equal on both sides; incremented whenever the meaning of a message changes."""
PORT = 1234
METHODS = ("prediction", "interpolation", "lockstep")
MAX_CLIENT_MESSAGE_BYTES = 64_000
"""Maximum size of a client's message; a body of 64 polygons takes 30,000 bytes."""
MAX_SERVER_MESSAGE_BYTES = 64_000_000
"""Maximum size of a server's message; the state of 10,000 bodies takes a few million bytes."""
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
    """The bytes are not a valid message, or a field is outside its range."""


class _Message(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Base class: encoded as an array whose first element is the tag."""


class Hello(_Message, frozen=True, tag="hello"):
    """A client's request to join."""

    version: int
    name: Name
    code: Annotated[str, msgspec.Meta(max_length=40)] = ""
    """The join code that the host prints."""
    key: Annotated[str, msgspec.Meta(max_length=64)] = ""
    """Key from the `Welcome` of a returning client; empty for a new one."""


class ActionRequest(_Message, frozen=True, tag="action"):
    """An action of the client's user: its number, ascending from 0, and the requested tick."""

    number: Number
    tick: Tick
    action: msgspec.Raw


class ResendRequest(_Message, frozen=True, tag="resend"):
    """Request to resend all messages about these ticks."""

    ticks: Annotated[list[Tick], msgspec.Meta(max_length=_MAX_RESENT)]


class StateRequest(_Message, frozen=True, tag="state"):
    """Request for the server's state, because the client's state differs from it or is far behind."""


class Ping(_Message, frozen=True, tag="ping"):
    """The client's clock when it sends the ping, s, its first unconfirmed tick, and its median round-trip time, s."""

    sent: Seconds
    confirmed: Tick = 0
    round_trip: Seconds = 0.0


class PointerMove(_Message, frozen=True, tag="pointer"):
    """Position of the user's pointer, m, in picture coordinates; not part of the state."""

    x: Coordinate
    y: Coordinate


class Goodbye(_Message, frozen=True, tag="bye"):
    """The client leaves."""


class UserInfo(_Message, frozen=True, tag="user"):
    """A user who is present, or is away and may return."""

    user: UserNumber
    name: Name
    is_here: bool = True
    ping: Seconds = 0.0


class RelayedAction(_Message, frozen=True, tag="action"):
    """A user's action and its final tick: the requested one, or the first that was open when the request arrived."""

    tick: Tick
    user: UserNumber
    number: Number
    action: msgspec.Raw


class ActionDenied(_Message, frozen=True, tag="denied"):
    """A client's action was rejected; `reason` names the limit that it exceeds."""

    number: Number
    reason: Words


class SharedScene(_Message, frozen=True):
    """A description from which a client can build the shared demo.

    Attributes
    ----------
    demo : str
        Id of the demo.
    scene : dict or None
        Content of the scene file; None unless the demo shows one.
    values : dict
        Parameter values.
    solver, solver_settings : optional
        Selected solver and its settings; None if the demo's own are used.
    built_for : str or None
        Solver for which the demo builds its worlds.
    hertz : float or None
        Selected steps per second; None if the demo's own value is used.
    remembers : bool
        True if the worlds keep the full internal state of their solver.
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
    """Everything a client needs to start at a keyframe: the scene, its state right before `tick` (the first open tick), and the actions
    from that tick on. A client that has already joined uses only the state and the actions."""

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
    """The client is not admitted."""

    reason: Words


class TickClosed(_Message, frozen=True, tag="closed"):
    """A tick is closed and has `count` actions. At a keyframe, `digest` is the digest of the state right before the tick.

    `earlier` has the counts of the preceding ticks, newest first, for clients that missed them.
    """

    tick: Tick
    count: Count
    digest: Digest | None = None
    earlier: Annotated[list[Count], msgspec.Meta(max_length=MAX_EARLIER)] = []


class Pong(_Message, frozen=True, tag="pong"):
    """Reply to `Ping`, with the server's clock in ticks, including the fraction."""

    sent: Seconds
    clock: Annotated[float, msgspec.Meta(ge=-1e9, le=2.0**40)]


class UserPointer(_Message, frozen=True, tag="pointed"):
    """Position of another user's pointer."""

    user: UserNumber
    x: Coordinate
    y: Coordinate


class UserList(_Message, frozen=True, tag="users"):
    """All users who are present, or are away and may return."""

    users: Annotated[list[UserInfo], msgspec.Meta(max_length=MAX_USERS)]


class Dropped(_Message, frozen=True, tag="dropped"):
    """The server closes the connection or shuts down."""

    reason: Words
    is_over: bool = False
    """True if the server shuts down."""


FromClient: TypeAlias = Hello | ActionRequest | ResendRequest | StateRequest | Ping | PointerMove | Goodbye
FromServer: TypeAlias = Welcome | Refused | RelayedAction | ActionDenied | TickClosed | Pong | UserPointer | UserList | Dropped

_from_client = msgspec.msgpack.Decoder(FromClient)
_from_server = msgspec.msgpack.Decoder(FromServer)
_plain = msgspec.msgpack.Decoder(Any)
_encoder = msgspec.msgpack.Encoder()


def encode(message: FromClient | FromServer | list[RelayedAction]) -> bytes:
    """Encode a message, or the actions of a `Welcome`."""
    return _encoder.encode(message)


def decode_from_client(content: bytes) -> FromClient:
    """Decode a client's message.

    Raises
    ------
    MessageError
        The content is not a message, is too long, or has a field outside its range; the message names the field.
    """
    message: FromClient = _decode(_from_client, content, MAX_CLIENT_MESSAGE_BYTES)
    return message


def decode_from_server(content: bytes) -> FromServer:
    """Decode a server's message; raises as `decode_from_client` does."""
    message: FromServer = _decode(_from_server, content, MAX_SERVER_MESSAGE_BYTES)
    if isinstance(message, RelayedAction) and len(content) > MAX_CLIENT_MESSAGE_BYTES + _HEAD_BYTES:
        raise MessageError(f"an action must have at most {MAX_CLIENT_MESSAGE_BYTES} bytes, got {len(content)}")
    return message


def decode_plain(content: bytes) -> Any:
    """Decode an action in a message to plain data; raises as `decode_from_client` does."""
    return _decode(_plain, content, MAX_CLIENT_MESSAGE_BYTES)


def _decode(decoder: msgspec.msgpack.Decoder[Any], content: bytes, max_bytes: int) -> Any:
    if len(content) > max_bytes:
        raise MessageError(f"a message must have at most {max_bytes} bytes, got {len(content)}")
    try:
        if len(content) > MAX_CLIENT_MESSAGE_BYTES and not is_bounded(*plain_fields(content)):
            raise MessageError(f"a message must have at most {MAX_PLAIN_BYTES} bytes of lists, or {MAX_DECODED_BYTES} after decoding")
        return decoder.decode(content)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise MessageError(f"not a valid message: {error}") from None
