"""A strip in place of the timeline of a shared world: users with their pings, and the age of the state.

+----------------------------------------------------------------------------------+
| [pause] [undo]   o Ann, you   o Ben 84 ms   o Cyd left      confirmed 90 ms ago |
+----------------------------------------------------------------------------------+

It also draws the users' pointers, grabbed bodies and corrections over the picture (`engine.app.shared_picture`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import pygame

from engine.app.network_driver import NetworkDriver
from engine.app.panels.camera_dock import body_under
from engine.app.panels.dock import Dock, WindowActions
from engine.app.shared_picture import Ghost, draw_ghosts, draw_holds, draw_pointer, ghosts_of, user_color
from engine.render import palette
from engine.ui.rows import Area, Bar, Row

if TYPE_CHECKING:
    from engine.app.session import Session
    from engine.app.status_strip import Note
    from engine.render.canvas import Canvas

__all__ = ["PeopleDock"]

_SIZE = 12.5
_CATCH_UP = 0.06
"""Time constant with which a drawn pointer approaches its last known position, s."""
_LASTS = 1.0
"""Lifetime of a ghost, s."""
_ONE_AT_A_TIME = 0.3
"""Minimum interval between ghosts of one body, s, because a body dragged by a distant user is corrected in every frame."""
_MAX_GHOSTS = 24
Point = tuple[float, float]


class PeopleDock(Dock):
    """Strip with buttons, users and a graph."""

    side = "bottom"
    extent = 36.0
    shown = True
    worlds = "shared"
    title = "Shared world"
    keys: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Arrows, W A S D", "push the body you drive with 20 N"),
        ("Space, [, ]", "pause, slow down or speed up for all users"),
    )

    def __init__(self, actions: WindowActions) -> None:
        self._actions = actions
        self.ghosts: list[Ghost] = []
        self._n_corrections = 0
        self._pointers: dict[int, Point] = {}
        """Drawn position of each user's pointer, in picture coordinates, m."""

    def begin(self, session: Session) -> None:
        self.ghosts.clear()
        self._pointers.clear()
        driver = session.driver
        self._n_corrections = driver.client.n_corrections if isinstance(driver, NetworkDriver) else 0

    def leave(self, session: Session) -> None:
        self.begin(session)

    def drive(self, session: Session) -> None:
        """Assign the force keys to the body under the pointer, or to none."""
        driver, at = session.driver, self.form.ui.pointer
        if isinstance(driver, NetworkDriver):
            driver.drive(body_under(session, at) if at is not None and session.view.holds(at) else None)

    def update(self, session: Session, elapsed: float) -> None:
        driver = session.driver
        if not isinstance(driver, NetworkDriver):
            return
        self.ghosts = [replace(ghost, seconds=ghost.seconds + elapsed) for ghost in self.ghosts if ghost.seconds + elapsed < _LASTS]
        self._note_corrections(driver)
        here = {user.user for user in driver.client.users if user.is_here}
        share = 1.0 - math.exp(-elapsed / _CATCH_UP)
        pointers: dict[int, Point] = {}
        for user, (x, y) in driver.client.pointers.items():
            if user in here and user != driver.client.user:
                was = self._pointers.get(user, (x, y))
                pointers[user] = was[0] + share * (x - was[0]), was[1] + share * (y - was[1])
        self._pointers = pointers

    def _note_corrections(self, driver: NetworkDriver) -> None:
        """Add ghosts for new corrections; a body's ghost is replaced only by a larger one, or after `_ONE_AT_A_TIME`."""
        client = driver.client
        n_new, self._n_corrections = client.n_corrections - self._n_corrections, client.n_corrections
        if not driver.shows_ghosts:
            self.ghosts.clear()
            return
        shown = {ghost.of: ghost for ghost in self.ghosts}
        for correction in list(client.corrections)[-n_new:] if n_new > 0 else ():
            for ghost in ghosts_of(driver.demo, correction):
                before = shown.get(ghost.of)
                if before is None or ghost.meters > before.meters or before.seconds > _ONE_AT_A_TIME:
                    shown[ghost.of] = ghost
        self.ghosts = sorted(shown.values(), key=lambda ghost: ghost.seconds)[:_MAX_GHOSTS]

    def note(self, session: Session) -> Note | None:
        driver = session.driver
        if not isinstance(driver, NetworkDriver) or not driver.trouble:
            return None
        return driver.trouble, palette.WARNING

    def paint(self, canvas: Canvas, session: Session) -> None:
        driver = session.driver
        if not isinstance(driver, NetworkDriver):
            return
        own = session.demo.viewer.pointed
        pointers = self._pointers if own is None else {**self._pointers, driver.client.user: own}
        draw_ghosts(canvas, self.ghosts, _LASTS)
        draw_holds(canvas, session.demo, driver.client.holders, pointers)
        names = {user.user: user.name for user in driver.client.users}
        for user, at in self._pointers.items():
            draw_pointer(canvas, at, names.get(user, f"user {user}"), user_color(user))

    def rows(self, session: Session) -> Sequence[Row]:
        driver = session.driver
        if not isinstance(driver, NetworkDriver):
            return ()
        pause = self._actions.button("pause", icon="play" if driver.clock.paused else "pause")
        shows = driver.people, driver.is_apart, round(100.0 * driver.client.age)
        return (Bar((pause, self._actions.button("undo", icon="undo")), Area("users", partial(self._draw, driver), shows=shows)),)

    # Inside

    def _draw(self, driver: NetworkDriver, surface: pygame.Surface, rect: pygame.Rect, pointer: tuple[int, int] | None) -> None:
        ui, right = self.fonts.ui_scale, rect.right - round(8 * self.fonts.ui_scale)
        text = "not connected" if driver.is_apart else f"confirmed {1000.0 * driver.client.age:.0f} ms ago"
        age = self.fonts.render(text, 11.0, palette.WARNING if driver.is_apart else palette.CAPTION)
        x = self._draw_users(surface, driver, rect.left + round(10 * ui), right)
        if right - x > age.get_width():
            surface.blit(age, age.get_rect(midright=(right, rect.centery)))

    def _draw_users(self, surface: pygame.Surface, driver: NetworkDriver, x: int, right: int) -> int:
        """Draw the users that fit, and return the x coordinate after the last."""
        ui, middle = self.fonts.ui_scale, self.place[1] + self.place[3] // 2 + 1
        people = driver.people
        for k, user in enumerate(people):
            is_own = user.user == driver.client.user
            more = ", you" if is_own else f"  {1000.0 * user.ping:.0f} ms" if user.is_here else ", away"
            words = self.fonts.render(
                self.fonts.shortened(user.name, _SIZE, round(110 * ui)) + more, _SIZE, palette.TEXT if user.is_here else palette.CAPTION
            )
            wide = round(15 * ui) + words.get_width() + round(12 * ui)
            rest = self.fonts.render(f"+ {len(people) - k}", _SIZE, palette.CAPTION)
            if x + wide + (0 if k == len(people) - 1 else rest.get_width()) > right:
                surface.blit(rest, rest.get_rect(midleft=(x, middle)))
                return x + rest.get_width()
            pygame.draw.circle(
                surface, user_color(user.user), (x + round(6 * ui), middle), round(5 * ui), 0 if user.is_here else max(1, round(1.5 * ui))
            )
            surface.blit(words, words.get_rect(midleft=(x + round(15 * ui), middle)))
            x += wide
        return x
