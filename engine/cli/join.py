"""``join``: join a shared demo, in a window or headless."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.cli import options
from engine.cli.host import MAX_TICKS, Name, account_name
from engine.cli.options import argument, option
from engine.cli.output import progress, say
from engine.common.checks import choice
from engine.common.errors import LabError
from engine.common.interrupts import raise_lost
from engine.common.words import counted
from engine.report import Report, facts

if TYPE_CHECKING:
    from engine.net.client_session import ClientSession
    from engine.net.script import Script

__all__ = ["join_command"]

_FRAME = 1.0 / 120.0
_LAST_SECONDS = 10.0
"""After the server has ended, the remaining confirmed steps may be simulated for at most this many seconds."""
_GIVE_UP_SECONDS = 7.0
"""Seconds after which a headless client stops reconnecting. The documentation promises ten; the rest is for writing the result."""


@dataclass(frozen=True, kw_only=True)
class JoinOptions:
    """Options of ``join``."""

    host: str = argument("HOST[:PORT]", "Address of the server; IPv6 as [::1]:1234.")
    name: Name = None
    code: str | None = option("CODE", "Join code that the host shows.")
    method: str = option("NAME", "Synchronization method: prediction, interpolation or lockstep.", "prediction")
    script: str | None = option("F.json", "Perform the scripted actions of this file.", reads=True, without_window=True)
    headless: bool = option("", "Run without a window. Implied by --steps, --json and --script.", False, without_window=True)
    steps: int | None = option(
        "N", "Leave after this many steps.", shown="when the server ends", low=1, high=MAX_TICKS, without_window=True
    )
    json: options.JsonFile = None
    ui_scale: options.UiScale = None
    theme: options.Theme = None


@options.command
def join_command(args: JoinOptions) -> Report | None:
    """Join a session shared with the host command, starting from its current state.

    The status of a headless run is 0 if all states matched the server's, and 1 if one did not or the connection was lost before the end.
    """
    from engine.net.client_session import ClientSession
    from engine.net.connection import Connection, parse_address
    from engine.net.messages import METHODS

    address = parse_address(args.host)
    choice("--method", args.method, METHODS)
    has_window = options.has_window(args)
    if has_window:
        options.check_display("--headless needs no display")
    from engine.net.client import Client
    from engine.net.script import Script, load_script

    acts = Script(() if args.script is None else load_script(args.script))
    client = Client((args.name or account_name()).strip(), args.code or "", method=args.method, timer=time.thread_time)
    session = ClientSession(client, Connection(*address))
    if has_window:
        from engine.app.loop import open_shared

        with open_shared(session, None, args.ui_scale, theme=args.theme) as loop:
            if loop is not None:
                loop.run()
        return None
    return _Guest(session, acts, args.steps).run({"host": address[0], "port": address[1]})


class _Guest:
    """Headless client that joins a session and reports the result."""

    def __init__(self, session: ClientSession, script: Script, steps: int | None, sleep: Callable[[float], object] = time.sleep) -> None:
        self.session, self.script, self.steps, self._sleep = session, script, steps, sleep
        self.first: int | None = None
        """Tick of the state received on joining; None until then."""
        self.final = self.keyframe = 0
        """Last tick whose state is final, and the last final tick that is a keyframe."""
        self.state_hash = ""
        self.n_failed = 0
        """Number of script actions that the demo rejected."""
        session.client.on_final = self._note

    def _note(self, tick: int, digest: bytes) -> None:
        from engine.sim.users import KEYFRAME_TICKS

        self.final = tick
        if tick % KEYFRAME_TICKS == 0:
            self.keyframe, self.state_hash = tick, digest.hex()

    @property
    def is_done(self) -> bool:
        """True once the requested number of steps is final."""
        return self.steps is not None and self.first is not None and self.final >= self.first + self.steps

    def run(self, about: dict[str, Any]) -> Report:
        """Run until the session ends or all steps are taken, and return the report."""
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
                        left = 0.0  # no extra time after the reconnection attempts
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
        """Show a progress bar, or print status changes if the number of steps is unlimited."""
        if self.steps is not None:
            return progress(lambda: self.session.status_text, self.steps)
        reported = ""

        def report(n_done: int) -> None:
            nonlocal reported
            if self.session.status_text != reported and (
                self.first is not None or not self.session.is_over
            ):  # otherwise the error message has the reason
                reported = self.session.status_text
                say(reported)

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
                except LabError:  # rejected by the demo, identically on all machines
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
