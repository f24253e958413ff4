"""``join``: a demo that somebody shares, in the window or headless."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from engine.cli import options
from engine.cli.host import MAX_TICKS, Name, Password, account_name
from engine.cli.options import argument, option
from engine.cli.output import progress
from engine.common.checks import choice
from engine.common.errors import LabError
from engine.common.interrupts import raise_lost
from engine.common.words import counted, shown
from engine.report import Report, facts

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


@dataclass(frozen=True, kw_only=True)
class JoinOptions:
    """Options of ``join``."""

    host: str = argument("HOST[:PORT]", "Where it is shared; [::1]:1234 of an IPv6 address.")
    name: Name = None
    password: Password = None
    tls: bool = option("", "Encrypted, and only if the server's certificate is trusted.", False)
    tls_ca: str | None = option("F.pem", "Trust this certificate, such as the server's own; implies --tls.", reads=True)
    method: str = option("NAME", "How it keeps up with the others: prediction, interpolation or lockstep.", "prediction")
    script: str | None = option("F.json", "Do what is in this file at the steps that it names.", reads=True, without_window=True)
    headless: bool = option("", "No window. Implied by --steps, --json and --script.", False, without_window=True)
    steps: int | None = option("N", "Go after so many steps.", shown="when the server ends", low=1, high=MAX_TICKS, without_window=True)
    json: options.JsonFile = None
    ui_scale: options.UiScale = None
    theme: options.Theme = None


@options.command
def join_command(args: JoinOptions) -> Report | None:
    """Join what somebody shares with the command host: with its whole present state, and everything that the others do.

    Headless: status 0 if all states were the server's, 1 if one was not, or the connection broke off before the end.
    """
    from engine.net.client_session import ClientSession
    from engine.net.connection import Connection, parse_address
    from engine.net.messages import METHODS

    address = parse_address(args.host)
    choice("--method", args.method, METHODS)
    context = None
    if args.tls or args.tls_ca is not None:
        from engine.net.tls import client_tls

        context = client_tls(args.tls_ca)
    has_window = options.has_window(args)
    if has_window:
        options.check_display("--headless joins without one")
    from engine.net.client import Client
    from engine.net.script import Script, load_script

    acts = Script(() if args.script is None else load_script(args.script))
    client = Client((args.name or account_name()).strip(), args.password or "", method=args.method, timer=time.thread_time)
    session = ClientSession(client, Connection(*address, context))
    if has_window:
        from engine.app.loop import open_shared

        with open_shared(session, None, args.ui_scale, theme=args.theme) as loop:
            if loop is not None:
                loop.run()
        return None
    return _Guest(session, acts, args.steps).run({"host": address[0], "port": address[1]})


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

    def run(self, about: dict[str, Any]) -> Report:
        """Take part until the end, and return the result."""
        session, client = self.session, self.session.client
        is_interrupted, left = False, _LAST_SECONDS
        try:
            with self._progress() as advance:
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
        plain = about | self._as_json(reason)
        interrupted = f"left after {counted(self.final - self.first, 'step')}" if is_interrupted else ""
        is_good = not client.is_desynced and (self.is_done or (server_ended and self.steps is None))
        return Report(plain, (facts(plain),), int(not is_good), interrupted=interrupted)

    def _progress(self) -> contextlib.AbstractContextManager[Callable[[int], None]]:
        """Show how far it is; without an end, say how it stands."""
        if self.steps is not None:
            return progress(lambda: self.session.status_text, self.steps)
        reported = ""

        def report(n_done: int) -> None:
            nonlocal reported
            if self.session.status_text != reported and (self.first is not None or not self.session.is_over):  # else the error says it
                reported = self.session.status_text
                typer.echo(shown(reported), err=True)

        return contextlib.nullcontext(report)

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
            "users": [who.name for who in client.users],
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
