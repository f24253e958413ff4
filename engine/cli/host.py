"""``host``: a demo or a scene file that others may join, in the window or headless."""

from __future__ import annotations

import getpass
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.app.files import check_writable
from engine.cli import options
from engine.cli.output import InterruptedRunError, check_files, people, print_rows, warming, write_json
from engine.cli.run import demo_or_file, demo_values
from engine.common.errors import Described, InvalidInputError, LabError
from engine.common.installation import program
from engine.common.interrupts import raise_lost
from engine.common.words import counted, shown

if TYPE_CHECKING:
    from engine.net.server import Drop
    from engine.net.server_thread import HostStatus, ServerThread

__all__ = ["MAX_TICKS", "Name", "Password", "host_command", "name_of", "password_of"]

MAX_TICKS = 100_000_000
_MAX_DELAY, _MAX_WINDOW = 300, 600
_MAX_PASSWORD, _MAX_NAME = 200, 40
_LOOK_SECONDS = 0.2

Name = Annotated[str | None, typer.Option("--name", metavar="NAME", help="How the others see you.", show_default="your account's")]
Password = Annotated[
    str | None,
    typer.Option(
        "--password",
        metavar="WORD",
        envvar="COLLISION_LAB_PASSWORD",
        show_envvar=False,
        help="What one must know to join. Others here can read a command line; COLLISION_LAB_PASSWORD in the environment is hidden.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOptions:
    """Options of ``host``."""

    scene: Annotated[str, typer.Argument(metavar="SCENE", help="Which demo (see the command list), or a scene file.")]
    port: Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="Where it listens; 0 takes one that is free.")] = 1234
    bind: Annotated[
        str, typer.Option("--bind", metavar="ADDRESS", help="Who may join: 127.0.0.1 this computer alone, 0.0.0.0 all that can reach it.")
    ] = "127.0.0.1"
    delay: Annotated[
        int, typer.Option("--delay", metavar="STEPS", min=0, max=_MAX_DELAY, help="Steps for which inputs that are late are waited for.")
    ] = 3
    window: Annotated[
        int, typer.Option("--window-steps", metavar="STEPS", min=1, max=_MAX_WINDOW, help="Steps that a client can go back.")
    ] = 100
    hertz: Annotated[
        float | None, typer.Option("--hertz", metavar="HZ", help="Steps a second.", show_default="the demo's own, as a rule 60")
    ] = None
    seed: options.Seed = 0
    solver: options.SolverName = None
    settings: options.Settings = None
    password: Password = None
    certificate: Annotated[
        str | None, typer.Option("--tls-certificate", metavar="F.pem", help="Encrypt, by TLS with this certificate and its key.")
    ] = None
    key: Annotated[str | None, typer.Option("--tls-key", metavar="F.pem", help="The key, if it is in a file of its own.")] = None
    recording: Annotated[str | None, typer.Option("--record", metavar="F.rec", help="Record it, for replay; a new file.")] = None
    name: Name = None
    headless: Annotated[bool, typer.Option("--headless", help="No window: the server alone. Implied by --steps and --json.")] = False
    steps: Annotated[
        int | None, typer.Option("--steps", metavar="N", min=1, max=MAX_TICKS, help="End after so many steps.", show_default="never")
    ] = None
    json_file: options.JsonFile = None
    ui_scale: options.UiScale = None
    theme: options.Theme = None


@options.takes_options
def host_command(args: HostOptions) -> int:
    """Share a demo or a scene file: others join it with the command join, and everybody may do in it what you may.

    It listens on this computer alone unless --bind says otherwise, until the window is closed. Headless it goes on until Ctrl-C, or for N
    steps.
    """
    from engine.net.scene import check_hertz
    from engine.net.server import ServerSettings
    from engine.net.server_thread import ServerThread

    if args.hertz is not None:
        check_hertz("--hertz", args.hertz)
    options.left_out("given with --tls-certificate", {"--tls-key": args.key if args.certificate is None else None})
    reads = {"SCENE": args.scene if os.path.exists(args.scene) else None, "--tls-certificate": args.certificate, "--tls-key": args.key}
    check_files(reads, {"--json": args.json_file})
    if args.recording is not None:
        check_writable("--record", args.recording, (".rec",))
        if os.path.lexists(args.recording):
            raise InvalidInputError("--record", "a file that is not there yet", args.recording)
    tls = None
    if args.certificate is not None:
        from engine.net.tls import server_tls

        tls = server_tls(args.certificate, args.key)
    kind = demo_or_file("SCENE", args.scene)
    values, own = demo_values(kind, args.settings or [], args.solver)
    has_window = not (args.headless or args.steps is not None or args.json_file is not None)
    if has_window:
        options.check_display("--headless shares it without one", args.ui_scale)
    options.left_out(
        "left out of a headless run", {"--ui-scale": None if has_window else args.ui_scale, "--name": None if has_window else args.name}
    )
    secret = password_of(args.password) or ""
    with warming():
        options.prepare_solvers(args.solver)
    server_thread = ServerThread(
        partial(kind, args.seed, values, solver=args.solver, solver_settings=own, hertz=args.hertz),
        ServerSettings(delay=args.delay, window=args.window, password=secret),
        args.bind, args.port, tls, args.steps, args.recording,
    )  # fmt: skip
    show = partial(_in_window, server_thread, name_of(args.name), secret, args.ui_scale, args.theme) if has_window else None
    return _run(server_thread, {"demo": kind.id, "seed": args.seed}, args.json_file, show)


def password_of(given: str | None) -> str | None:
    """Return a password that may be sent.

    Raises
    ------
    InvalidInputError
        It is empty or too long; the message does not show it.
    """
    if given is not None and not 1 <= len(given) <= _MAX_PASSWORD:
        raise InvalidInputError("--password", f"of 1 to {_MAX_PASSWORD} characters", Described(counted(len(given), "character")))
    if given is not None and not _is_unicode(given):
        raise InvalidInputError("--password", "of characters of Unicode", Described("bytes that are none"))
    return given


def _is_unicode(text: str) -> bool:
    """Tell whether a text of the command line can be sent: bytes that are no characters stand in it as half pairs."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def name_of(given: str | None) -> str:
    """Return how others see a user: the name that was given, or the account's.

    Raises
    ------
    InvalidInputError
        It is empty or too long.
    """
    if given is None:
        try:
            return getpass.getuser()[:_MAX_NAME] or "guest"
        except (OSError, KeyError):  # an account without a name
            return "guest"
    if not 1 <= len(given.strip()) <= _MAX_NAME or not _is_unicode(given):
        raise InvalidInputError("--name", f"of 1 to {_MAX_NAME} characters", given)
    return given.strip()


def _in_window(server_thread: ServerThread, name: str, password: str, ui_scale: float | None, theme: str | None) -> None:
    """Join one's own server, in the window, until that is closed."""
    from engine.app.loop import open_shared
    from engine.net.client import Client
    from engine.net.client_session import ClientSession
    from engine.net.connection import Connection
    from engine.net.tls import own_tls

    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(server_thread.bind, server_thread.bind)
    client = Client(name, password, timer=time.thread_time)
    client_session = ClientSession(client, Connection(host, server_thread.port, own_tls() if server_thread.has_tls else None))
    with open_shared(client_session, server_thread, ui_scale, theme=theme) as loop:
        if loop is not None:
            loop.run()


def _run(server_thread: ServerThread, about: dict[str, Any], json_file: str | None, show: Callable[[], None] | None) -> int:
    """Host until the end, report who joins and leaves, or show the window, and write the result."""
    with warming():
        server_thread.start()
    is_interrupted, reason = False, "the server ends"
    try:
        _say(_invitation(server_thread))
        if server_thread.is_open_to_others and not server_thread.settings.password:
            _say("whoever can reach this computer may join: --password keeps others out")
        if server_thread.is_open_to_others and not server_thread.has_tls:
            _say("what is said can be read on the way: --tls-certificate encrypts it")
        if show is not None:
            show()
        else:
            reported = server_thread.status
            while not server_thread.wait(_LOOK_SECONDS):
                raise_lost()
                reported = _tell_changes(reported, server_thread.status)
    except KeyboardInterrupt:
        is_interrupted, reason = True, "the server was stopped"
    finally:
        server_thread.close(reason)
    status = server_thread.status
    result, server = about | _as_json(server_thread, status), status.server
    rows = [
        ("steps", f"{status.tick:,}"),
        ("users", ", ".join(dict.fromkeys(result["users"])) or "nobody came"),
        ("sent", f"{server.n_sent:,} bytes, received {server.n_received:,}"),
        ("a step", f"{server.ms_per_tick:.2f} ms, {server.worst_ms:.2f} ms at most, of the last seconds"),
        ("state", f"{status.state_hash} before step {status.keyframe}"),
        *(("dropped", f"{_who(drop)} at step {drop.tick}: {drop.reason}") for drop in status.drops),
        *(("trouble", words) for words in result["troubles"]),
        *((("recorded", server_thread.record if not status.recording else status.recording),) if server_thread.record is not None else ()),
    ]
    write_json(json_file, result)
    print_rows(people(json_file), rows)
    if server_thread.failure:
        raise LabError(server_thread.failure)
    if is_interrupted:
        raise InterruptedRunError(f"stopped after {counted(status.tick, 'step')}")
    return 0


def _say(line: str) -> None:
    typer.echo(shown(line), err=True)


def _invitation(server_thread: ServerThread) -> str:
    """Say where it is, and how others join."""
    first, *more = server_thread.addresses
    elsewhere = f" (in another network {' or '.join(more)})" if more else ""
    return f"shared at {first}; others join with: {program()} join {server_thread.invitation}{elsewhere}"


def _tell_changes(before: HostStatus, now: HostStatus) -> HostStatus:
    """Tell who has come and gone, and who was dropped."""
    for name in sorted(set(now.users) - set(before.users)):
        _say(f"step {now.tick}: {name} is here ({counted(len(now.users), 'user')})")
    for name in sorted(set(before.users) - set(now.users)):
        _say(f"step {now.tick}: {name} has gone ({counted(len(now.users), 'user')})")
    n_new = min(now.n_dropped - before.n_dropped, len(now.drops))
    for drop in now.drops[len(now.drops) - n_new :]:
        _say(f"step {drop.tick}: dropped {_who(drop)}: {drop.reason}")
    if now.recording and not before.recording:
        _say(f"step {now.tick}: {now.recording}")
    return now


def _who(drop: Drop) -> str:
    return drop.name or "a stranger"


def _as_json(server_thread: ServerThread, status: HostStatus) -> dict[str, Any]:
    server = status.server
    return {
        "bind": server_thread.bind,
        "port": server_thread.port,
        "addresses": list(server_thread.addresses),
        "steps": status.tick,
        "keyframe": status.keyframe,
        "state_hash": status.state_hash,
        "users": [user.name for user in server.users],
        "bytes_sent": server.n_sent,
        "bytes_received": server.n_received,
        "ms_per_step": {"median": server.ms_per_tick, "max": server.worst_ms},
        "slipped_steps": server.slipped,
        "late_inputs": server.restamped,
        "dropped": status.n_dropped,
        "drops": [{"step": drop.tick, "name": drop.name, "reason": drop.reason} for drop in status.drops],
        "troubles": [*server.troubles, *([server_thread.failure] if server_thread.failure else [])],
        "recording": None if server_thread.record is None else str(server_thread.record),
        "recording_ended": status.recording or None,
    }
