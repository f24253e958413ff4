"""``host``: share a demo or a scene file over the network, in a window or headless."""

from __future__ import annotations

import getpass
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from engine.cli import options
from engine.cli.options import Option, argument, named, option
from engine.cli.output import say
from engine.cli.run import demo_or_file, demo_values
from engine.common.errors import InvalidInputError, LabError
from engine.common.installation import program
from engine.common.interrupts import raise_lost
from engine.common.words import counted
from engine.report import Part, Report, facts

if TYPE_CHECKING:
    from engine.net.server_thread import HostStatus, ServerThread

__all__ = ["MAX_TICKS", "Name", "account_name", "host_command"]

MAX_TICKS = 100_000_000
_MAX_NAME = 40
_LOOK_SECONDS = 0.2


def _is_unicode(text: str) -> bool:
    """Return True if a command-line argument is valid Unicode, without the lone surrogates that stand for undecodable bytes."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _check_name(option: str, name: str) -> None:
    if not 1 <= len(name.strip()) <= _MAX_NAME or not _is_unicode(name):
        raise InvalidInputError(option, f"1 to {_MAX_NAME} characters long", name)


def account_name() -> str:
    """Return the name of the user's account, which is the default user name."""
    try:
        return getpass.getuser()[:_MAX_NAME] or "guest"
    except (OSError, KeyError):  # the account has no name
        return "guest"


Name = Annotated[str | None, Option(metavar="NAME", help="Your name as shown to others.", shown="your account name", check=_check_name)]


@dataclass(frozen=True, kw_only=True)
class HostOptions:
    """Options of ``host``."""

    scene: str = argument("SCENE", "Demo id (see the list command) or scene file.", reads=True)
    port: int = option("N", "Port to listen on; 0 picks a free one.", 1234, low=0, high=65535)
    lan: bool = option("", "Let other computers of the network join, too.", False)
    delay: int = option("STEPS", "Number of steps to wait for late inputs.", 3, low=0, high=300)
    rollback: int = option("STEPS", "Number of steps that the server can roll back for even later inputs.", 0, low=0, high=150)
    window_steps: int = option("STEPS", "Maximum number of steps that a client can roll back.", 100, low=1, high=600)
    hertz: float | None = option("HZ", "Steps per second.", shown="the demo's own, usually 60")
    seed: options.Seed = 0
    solver: options.SolverName = None
    settings: options.Settings = None
    record: str | None = option("F.rec", "Record the session to a new file for the replay command.", writes=(".rec",), is_new=True)
    name: str | None = option("NAME", "Your name as shown to others.", shown="your account name", check=_check_name, in_window=True)
    headless: bool = option("", "Run only the server, without a window. Implied by --steps and --json.", False, without_window=True)
    steps: int | None = option("N", "Stop after this many steps.", shown="never", low=1, high=MAX_TICKS, without_window=True)
    json: options.JsonFile = None
    ui_scale: options.UiScale = None
    theme: options.Theme = None


@options.command
def host_command(args: HostOptions) -> Report | None:
    """Share a demo or a scene file. Others join with the join command and the printed code, and can do everything that you can.

    The server accepts connections from this computer only, unless --lan is given. It runs until the window is closed. A
    headless server runs until Ctrl-C or for N steps.
    """
    from engine.net.scene import check_hertz
    from engine.net.server import ServerSettings
    from engine.net.server_thread import ServerThread

    if args.hertz is not None:
        check_hertz("--hertz", args.hertz)
    kind = demo_or_file("SCENE", args.scene)
    values, own = demo_values(kind, args.settings or [], args.solver)
    has_window = options.has_window(args)
    if has_window:
        options.check_display("--headless needs no display")
    from engine.world import load_solver

    if args.solver is not None:
        load_solver(args.solver).prepare()  # no tick of the server may wait for the compiler
    server_thread = ServerThread(
        partial(kind, args.seed, values, solver=args.solver, solver_settings=own, hertz=args.hertz),
        ServerSettings(delay=args.delay, rollback=args.rollback, window=args.window_steps),
        args.lan, args.port, args.steps, args.record,
    )  # fmt: skip
    show = partial(_in_window, server_thread, args) if has_window else None
    return _run(server_thread, {"demo": kind.id, "seed": args.seed}, show)


def _in_window(server_thread: ServerThread, args: HostOptions) -> None:
    """Join our own server in a window until it is closed."""
    from engine.app.loop import open_shared
    from engine.net.client import Client
    from engine.net.client_session import ClientSession
    from engine.net.connection import Connection

    client = Client((args.name or account_name()).strip(), server_thread.settings.code, timer=time.thread_time)
    session = ClientSession(client, Connection("127.0.0.1", server_thread.port))
    with open_shared(session, server_thread, args.ui_scale, theme=args.theme) as loop:
        if loop is not None:
            loop.run()


def _run(server_thread: ServerThread, about: dict[str, Any], show: Callable[[], None] | None) -> Report:
    """Run the server until it stops, in a window or in the terminal, where it prints who joins and leaves; return the report."""
    with named("--solver", "solver"):
        server_thread.start()
    interrupted, reason = "", "the server ends"
    try:
        say(_invitation(server_thread))
        if show is not None:
            show()
        else:
            reported = server_thread.status
            while not server_thread.wait(_LOOK_SECONDS):
                raise_lost()
                reported = _say_changes(reported, server_thread.status)
    except KeyboardInterrupt:
        interrupted, reason = f"stopped after {counted(server_thread.status.tick, 'step')}", "the server was stopped"
    finally:
        server_thread.close(reason)
    plain = about | _as_json(server_thread, server_thread.status)

    def parts() -> Iterator[Part]:
        yield facts(plain)
        if server_thread.failure:
            raise LabError(server_thread.failure)

    return Report(plain, parts(), interrupted=interrupted)


def _invitation(server_thread: ServerThread) -> str:
    """Return the line that shows the server's address and how to join."""
    first, *more = server_thread.addresses
    elsewhere = f" (from other networks: {' or '.join(more)})" if more else ""
    return f"shared at {first}; others can join with: {program()} join {server_thread.invitation}{elsewhere}"


def _say_changes(before: HostStatus, now: HostStatus) -> HostStatus:
    """Print who joined, left or was dropped between two statuses; return the newer status."""
    for among, others, words in ((now, before, "joined"), (before, now, "left")):
        for name in sorted(set(among.users) - set(others.users)):
            say(f"step {now.tick}: {name} {words} ({counted(len(now.users), 'user')})")
    n_new = min(now.n_dropped - before.n_dropped, len(now.drops))
    for drop in now.drops[len(now.drops) - n_new :]:
        say(f"step {drop.tick}: dropped {drop.name or 'an unnamed client'}: {drop.reason}")
    if now.recording and not before.recording:
        say(f"step {now.tick}: {now.recording}")
    return now


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
