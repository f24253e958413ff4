"""The network panel at the right: users, traffic and corrections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.app.network_driver import NetworkDriver
from engine.app.panels.dock import Dock
from engine.app.shared_picture import millimeters
from engine.common.installation import program
from engine.common.words import counted
from engine.ui.rows import Choice, Heading, Line, Note, Row, Switch

if TYPE_CHECKING:
    from engine.app.session import Session

__all__ = ["NetworkDock"]

_REFRESH = 0.5
"""Interval over which the rates are averaged, s."""
_MS, _KILO = 1000.0, 0.001


class NetworkDock(Dock):
    """Panel with users, traffic and corrections."""

    side = "right"
    extent = 268.0
    gives_way = True
    worlds = "shared"
    title = "Network"

    def __init__(self, leave: Callable[[], object]) -> None:
        self._leave = leave
        self._driver: NetworkDriver | None = None
        self._waited = 0.0
        self._counted: tuple[int, int, int, int] = (0, 0, 0, 0)
        self._rates = (0.0, 0.0, 0.0, 0.0)
        """Bytes sent, bytes received, resimulated ticks and corrections, per second."""

    def begin(self, session: Session) -> None:
        self._driver = session.driver if isinstance(session.driver, NetworkDriver) else None
        self._waited, self._rates = 0.0, (0.0, 0.0, 0.0, 0.0)
        self._counted = self._count()

    def update(self, session: Session, elapsed: float) -> None:
        self._waited += elapsed
        if self._waited >= _REFRESH:
            now = self._count()
            sent, received, again, corrected = ((b - a) / self._waited for a, b in zip(self._counted, now, strict=True))
            self._rates, self._counted, self._waited = (sent, received, again, corrected), now, 0.0

    def rows(self, session: Session) -> Sequence[Row]:
        driver = session.driver
        return self._rows_of(session, driver) if isinstance(driver, NetworkDriver) else ()

    # Inside

    def _count(self) -> tuple[int, int, int, int]:
        if self._driver is None:
            return 0, 0, 0, 0
        client, connection = self._driver.client, self._driver.client_session.connection
        return connection.n_sent, connection.n_received, client.n_resimulated, client.n_corrections

    def _rows_of(self, session: Session, driver: NetworkDriver) -> list[Row]:
        client, server_thread = driver.client, driver.server_thread
        sent, received, again, corrected = self._rates
        rows: list[Row] = []
        if server_thread is not None:
            elsewhere = [Line("or at", address) for address in server_thread.addresses[1:]]
            rows += [
                Heading("To join, others run"),
                Note(f"{program()} join {driver.address}"),
                *elsewhere,
                *self._server_rows(server_thread.status),
            ]
        else:
            rows += [Heading("Server"), Line("address", driver.address), Line("state", driver.client_session.status_text)]
        where = "alone" if client.is_offline else "shared"
        rows.append(Choice("This window is", ("shared", "alone", "left"), where, partial(self._go, driver)))
        rows.append(Heading("Here"))
        holders = client.holders
        for user in driver.people:
            words = [] if user.is_here else ["away"]
            if user.is_here and user.user == client.user:
                words.append(f"you, {_MS * client.round_trip:.0f} ms")
            elif user.is_here:
                words.append(f"{_MS * user.ping:.0f} ms")
            if user.user in holders:
                stage, body, _ = holders[user.user]
                words.append("holds " + session.body_name(stage, body))
            rows.append(Line(user.name, ", ".join(words)))
        rows += [
            Heading("Connection"),
            Line("round trip", f"{_MS * client.round_trip:.0f} ms"),
            Line("confirmed", "-" if driver.is_apart else f"{_MS * client.age:.0f} ms ago"),
            Line("out", f"{_KILO * sent:.1f} kB/s"),
            Line("in", f"{_KILO * received:.1f} kB/s"),
            Heading("Corrections"),
            Line("resimulated ticks", f"{again:.0f}/s"),
            Line("corrections", f"{corrected:.1f}/s, {client.n_corrections:,} in total"),
            Line("latest", millimeters(client.corrections[-1].meters) if client.corrections else "none"),
            Line("states adopted", counted(client.n_adopted, "time")),
            Switch(
                "Ghosts",
                driver.shows_ghosts,
                partial(setattr, driver, "shows_ghosts"),
                tip="Draw the outlines of bodies as they were before a correction.",
            ),
            Switch(
                "Smoothing",
                driver.smooths,
                partial(setattr, driver, "smooths"),
                tip="Show corrections gradually; the state itself changes at once.",
            ),
        ]
        return rows

    def _go(self, driver: NetworkDriver, where: str) -> None:
        if where == "left":
            self._leave()
        else:
            (driver.go_offline if where == "alone" else driver.rejoin)()

    def _server_rows(self, status: Any) -> list[Row]:
        return [
            Line("server tick", f"{status.server.ms_per_tick:.2f} ms"),
            *(Line("dropped", f"{drop.name or 'unknown'}: {drop.reason}") for drop in status.drops[-2:]),
        ]
