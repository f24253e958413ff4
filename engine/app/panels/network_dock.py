"""The network panel at the right: users, traffic, corrections, and sliders for a simulated link.

The simulated link (`engine.net.link`) is between this client and its server, in both directions, to try out a bad connection.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pygame

from engine.app.editor.rows import Choice, Heading, Line, Note, Number, Row, Switch
from engine.app.network_driver import NetworkDriver
from engine.app.panels.dock import Dock
from engine.app.panels.inspector_dock import Form
from engine.app.shared_picture import millimeters
from engine.common.errors import LabError
from engine.common.installation import program
from engine.common.words import counted
from engine.render import palette

if TYPE_CHECKING:
    from engine.app.session import Session

__all__ = ["NetworkDock"]

_WIDTH = 268.0
_HEADING = 30.0
_REFRESH = 0.5
"""Interval over which the rates are averaged, s."""
_MS, _PERCENT, _KILO = 1000.0, 100.0, 0.001

_LINK: tuple[tuple[str, str, float, float, float, str, str], ...] = (
    ("Latency", "latency", _MS, 500.0, 5.0, "ms", "One-way delay; half the round trip."),
    ("Jitter", "jitter", _MS, 200.0, 5.0, "ms", "Maximum random change of the delay."),
    ("Loss", "loss", _PERCENT, 50.0, 1.0, "%", "Fraction of messages that are lost and resent."),
    ("Reordering", "reorder", _PERCENT, 50.0, 1.0, "%", "Fraction of messages that overtake others."),
    ("Duplicates", "duplicate", _PERCENT, 50.0, 1.0, "%", "Fraction of messages that arrive twice."),
    ("Bandwidth", "bandwidth", _KILO, 1000.0, 5.0, "kB/s", "In each direction; 0 means unlimited."),
)
"""Name, field of `LinkSettings`, factor from the field's unit, maximum, step, unit, and tooltip."""


class NetworkDock(Dock):
    """Panel with users, traffic, corrections and the simulated link."""

    side = "right"
    folds = True
    worlds = "shared"
    title = "Network"

    def __init__(self, leave: Callable[[], object]) -> None:
        self.shown = False
        self._leave = leave
        self._driver: NetworkDriver | None = None
        self.form = Form(self._refuse)
        self._waited = 0.0
        self._counted: tuple[int, int, int, int] = (0, 0, 0, 0)
        self._rates = (0.0, 0.0, 0.0, 0.0)
        """Bytes sent, bytes received, resimulated ticks and corrections, per second."""

    @property
    def size(self) -> float:
        return _WIDTH if self.shown else 0.0

    def begin(self, session: Session) -> None:
        self._driver = session.driver if isinstance(session.driver, NetworkDriver) else None
        self._waited, self._rates = 0.0, (0.0, 0.0, 0.0, 0.0)
        self._counted = self._count()
        self.form.stop_typing()

    def handle(self, event: pygame.event.Event, session: Session) -> bool:
        if not self.shown:
            return False
        if self.form.handle(event):
            return True
        return bool(event.type == pygame.MOUSEBUTTONDOWN and pygame.Rect(self.place).collidepoint(event.pos))

    def toggle_shown(self) -> None:
        """Show or hide the panel."""
        self.shown = not self.shown
        self.form.stop_typing()

    def update(self, session: Session, elapsed: float) -> None:
        self._waited += elapsed
        if self._waited >= _REFRESH:
            now = self._count()
            sent, received, again, corrected = ((b - a) / self._waited for a, b in zip(self._counted, now, strict=True))
            self._rates, self._counted, self._waited = (sent, received, again, corrected), now, 0.0

    def shows(self, session: Session) -> Hashable:
        driver = session.driver
        if not isinstance(driver, NetworkDriver) or self.form.is_pointed:
            return None
        return self._rates, driver.client.users, driver.client_session.status_text, self.form.state, driver.client_session.connection.link

    def draw(self, surface: pygame.Surface, session: Session) -> None:
        driver = session.driver
        if not self.shown or self.place[2] < 1 or not isinstance(driver, NetworkDriver):
            return
        left, top, width, height = self.place
        ui = self.fonts.ui_scale
        pygame.draw.rect(surface, palette.PANEL, self.place)
        pygame.draw.line(surface, palette.PANEL_EDGE, (left, top), (left, top + height - 1))
        title = self.fonts.render(self.title, 14.0, palette.TEXT, True)
        surface.blit(title, title.get_rect(midleft=(left + round(12 * ui), top + round(0.5 * _HEADING * ui))))
        head = round(_HEADING * ui)
        self.form.lay_out(self._rows(session, driver), (left + 1, top + head, max(width - 1, 0), max(height - head, 0)), self.fonts)
        self.form.draw(surface)

    # Inside

    def _refuse(self, words: str) -> None:
        if self._driver is not None:
            self._driver.messages.answer(words, palette.WARNING)

    def _count(self) -> tuple[int, int, int, int]:
        if self._driver is None:
            return 0, 0, 0, 0
        client, connection = self._driver.client, self._driver.client_session.connection
        return connection.n_sent, connection.n_received, client.n_resimulated, client.n_corrections

    def _rows(self, session: Session, driver: NetworkDriver) -> list[Row]:
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
                says="Outlines of bodies before they were corrected.",
            ),
            Switch(
                "Smoothing",
                driver.smooths,
                partial(setattr, driver, "smooths"),
                says="Corrections are shown gradually; the state is set at once.",
            ),
            Heading("Simulated link, each way"),
        ]
        link = driver.client_session.connection.link
        for name, field, factor, most, step, unit, says in _LINK:
            value = round(factor * getattr(link, field), 3)
            change = partial(self._set_link, driver, field, factor)
            rows.append(Number(name, value, change, step, unit, says=says, span=(0.0, most)))
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

    def _set_link(self, driver: NetworkDriver, field: str, factor: float, value: float) -> None:
        connection = driver.client_session.connection
        try:
            changes: dict[str, Any] = {field: value / factor}
            connection.link = replace(connection.link, **changes)
        except LabError as error:
            self._refuse(str(error))
