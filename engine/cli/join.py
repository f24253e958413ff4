"""``join``: a demo that somebody shares, in the window or headless."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli import options
from engine.cli.host import MAX_TICKS, Name, Password, name_of, password_of
from engine.cli.output import InterruptedRunError, check_files, people, print_rows, progress, write_json
from engine.common.checks import choice
from engine.common.errors import LabError
from engine.common.interrupts import raise_lost
from engine.common.words import counted, shown

if TYPE_CHECKING:
    from engine.net.client_session import ClientSession
    from engine.net.script import Script

__all__ = ["join_command"]

_FRAME = 1.0 / 120.0
_LAST_SECONDS = 10.0
"""At most, for what is known but not yet simulated, once the server has ended."""
_GIVE_UP_SECONDS = 7.0
"""Without a window, after which a connection that broke off is not tried again: of the ten that the page promises, so that the rest is left
to write what came of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinOptions:
    """Options of ``join``."""

    host: Annotated[str, typer.Argument(metavar="HOST[:PORT]", help="Where it is shared; [::1]:1234 of an IPv6 address.")]
    name: Name = None
    password: Password = None
    tls: Annotated[bool, typer.Option("--tls", help="Encrypted, and only if the server's certificate is trusted.")] = False
    authority: Annotated[
        str | None, typer.Option("--tls-ca", metavar="F.pem", help="Trust this certificate, such as the server's own; implies --tls.")
    ] = None
    method: Annotated[
        str, typer.Option("--method", metavar="NAME", help="How it keeps up with the others: prediction, interpolation or lockstep.")
    ] = "prediction"
    script: Annotated[
        str | None, typer.Option("--script", metavar="F.json", help="Do what is in this file at the steps that it names.")
    ] = None
    headless: Annotated[bool, typer.Option("--headless", help="No window. Implied by --steps, --json and --script.")] = False
    steps: Annotated[
        int | None,
        typer.Option("--steps", metavar="N", min=1, max=MAX_TICKS, help="Go after so many steps.", show_default="when the server ends"),
    ] = None
    json_file: options.JsonFile = None
    ui_scale: options.UiScale = None
    theme: options.Theme = None


@options.takes_options
def join_command(args: JoinOptions) -> int:
    """Join what somebody shares with the command host: with its whole present state, and everything that the others do.

    Headless: status 0 if all states were the server's, 1 if one was not, or the connection broke off before the end.
    """
    from engine.net.client_session import ClientSession
    from engine.net.connection import Connection, address_of
    from engine.net.messages import METHODS

    address = address_of(args.host)
    name = name_of(args.name)
    password = password_of(args.password)
    choice("--method", args.method, METHODS)
    check_files({"--script": args.script, "--tls-ca": args.authority}, {"--json": args.json_file})
    context = None
    if args.tls or args.authority is not None:
        from engine.net.tls import client_tls

        context = client_tls(args.authority)
    has_window = not (args.headless or args.steps is not None or args.json_file is not None or args.script is not None)
    if has_window:
        options.check_display("--headless joins without one", args.ui_scale)
    options.left_out("left out of a headless run", {"--ui-scale": None if has_window else args.ui_scale})
    from engine.net.client import Client
    from engine.net.script import Script, load_script

    acts = Script(() if args.script is None else load_script(args.script))
    session = ClientSession(Client(name, password or "", method=args.method, timer=time.thread_time), Connection(*address, context))
    if has_window:
        from engine.app.loop import open_shared

        with open_shared(session, None, args.ui_scale, theme=args.theme) as loop:
            if loop is not None:
                loop.run()
        return 0
    return _Guest(session, acts, args.steps).run(args.json_file, {"host": address[0], "port": address[1]})


class _Guest:
    """A client without a window."""

    def __init__(self, session: ClientSession, script: Script, steps: int | None, sleep: Callable[[float], object] = time.sleep) -> None:
        self.session, self.script, self.steps, self._sleep = session, script, steps, sleep
        self.first: int | None = None
        """Tick of the state with which it came in."""
        self.final = self.keyframe = 0
        """The last tick whose state nothing can change any more; the last of those that are keyframes."""
        self.state_hash = ""
        self.n_failed = 0
        """Inputs of the script that the demo refused."""
        session.client.on_final = self._note

    def _note(self, tick: int, digest: bytes) -> None:
        from engine.sim.users import KEYFRAME_TICKS

        self.final = tick
        if tick % KEYFRAME_TICKS == 0:
            self.keyframe, self.state_hash = tick, digest.hex()

    @property
    def is_done(self) -> bool:
        """True if it has taken all its steps."""
        return self.steps is not None and self.first is not None and self.final >= self.first + self.steps

    def run(self, json_file: str | None, about: dict[str, Any]) -> int:
        """Take part until the end, and report the result."""
        session, client = self.session, self.session.client
        is_interrupted, left = False, _LAST_SECONDS
        try:
            with self._telling() as advance:
                while not session.is_over and not self.is_done:
                    raise_lost()
                    now = session.now()
                    self._frame(now)
                    advance(self.final - (self.first or 0))
                    if session.disconnected_since is not None and now - session.disconnected_since >= _GIVE_UP_SECONDS:
                        left = 0.0  # there was time enough while it was tried
                        break
                    self._sleep(_FRAME)
        except KeyboardInterrupt:
            is_interrupted = True
        end = session.now() + left
        while not is_interrupted and not self.is_done and self.final < client.confirmed and session.now() < end:
            session.advance(session.now())
        reason, server_ended = session.reason, session.server_ended
        session.leave()
        if self.first is None:
            if is_interrupted:
                raise KeyboardInterrupt
            raise LabError(reason)
        rows = [
            ("steps", f"{self.final - self.first:,}, from step {self.first:,} to {self.final:,}"),
            ("users", ", ".join(dict.fromkeys(who.name for who in client.present))),
            ("went back", f"{counted(client.n_rollbacks, 'time')}, {counted(client.n_resimulated, 'step')} taken again"),
            ("corrected", f"{counted(client.n_corrections, 'time')} that could be seen"),
            ("compared", f"{counted(client.n_compared, 'keyframe')}, {client.n_adopted} taken over from the server"),
            *((("denied", f"{counted(client.n_denied, 'input')} by the server: {client.denials[-1]}"),) if client.n_denied else ()),
            *((("failed", f"{counted(self.n_failed, 'input')} that the demo does not take"),) if self.n_failed else ()),
            ("round trip", f"{1e3 * client.round_trip:.1f} ms"),
            ("sent", f"{session.connection.n_sent:,} bytes, received {session.connection.n_received:,}"),
            ("state", f"{self.state_hash} before step {self.keyframe}"),
            *((("ended", reason),) if not self.is_done and reason else ()),
        ]
        write_json(json_file, about | self._as_json(reason))
        print_rows(people(json_file), rows)
        if is_interrupted:
            raise InterruptedRunError(f"left after {counted(self.final - self.first, 'step')}")
        return 0 if not client.is_desynced and (self.is_done or (server_ended and self.steps is None)) else 1

    def _telling(self) -> contextlib.AbstractContextManager[Callable[[int], None]]:
        """Show how far it is; without an end, say how it stands."""
        if self.steps is not None:
            return progress(lambda: self.session.status_text, self.steps)
        reported = ""

        def tell(n_done: int) -> None:
            nonlocal reported
            is_error = self.first is None and self.session.is_over  # reported as such in the end
            if self.session.status_text != reported and not is_error:
                reported = self.session.status_text
                typer.echo(shown(reported), err=True)

        return contextlib.nullcontext(tell)

    def _frame(self, now: float) -> None:
        session, client = self.session, self.session.client
        session.advance(now)
        simulation = client.simulation
        if simulation is None:
            return
        if self.first is None:
            self.first = self.final = client.confirmed
        if client.user in simulation.demo.sim.users.users:
            for action in self.script.due(simulation.now):
                try:
                    client.act(action, now=now)
                except LabError:  # the demo refuses it, and everywhere alike
                    self.n_failed += 1

    def _as_json(self, reason: str) -> dict[str, Any]:
        client, connection = self.session.client, self.session.connection
        return {
            "demo": client.demo.id if client.demo is not None else "",
            "user": client.user,
            "name": client.name,
            "method": client.method,
            "first_step": self.first,
            "last_step": self.final,
            "keyframe": self.keyframe,
            "state_hash": self.state_hash,
            "users": [who.name for who in client.present],
            "rollbacks": client.n_rollbacks,
            "resimulated_steps": client.n_resimulated,
            "corrections": client.n_corrections,
            "compared_keyframes": client.n_compared,
            "adopted_keyframes": client.n_adopted,
            "differs": client.is_desynced,
            "late_inputs": client.n_late,
            "denied_inputs": client.n_denied,
            "denials": list(client.denials),
            "failed_inputs": self.n_failed,
            "round_trip_ms": 1e3 * client.round_trip,
            "breaks": self.session.n_disconnects,
            "bytes_sent": connection.n_sent,
            "bytes_received": connection.n_received,
            "ended": reason or None,
        }
