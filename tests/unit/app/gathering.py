"""Windows on one world, in one process and simulated time: a server, a window for the first user, and other users without one."""

from typing import cast

import pygame

from engine.app.window import Window
from engine.net.client import Client
from engine.net.client_session import ClientSession
from engine.net.link import LinkSettings
from engine.net.server_thread import HostStatus, ServerThread
from engine.net.simulated_network import SimulatedConnection, SimulatedServer
from engine.sim.registry import find_demo
from tests.unit.app.hand import FRAME, SIZE, Hand

__all__ = ["Gathering"]


class Hosted:
    """The window's view of the server in its own process."""

    invitation = "192.168.0.7:1234 --code abcd-2345"
    addresses = ("192.168.0.7:1234", "10.0.0.4:1234")
    is_over = False

    def __init__(self, server):
        self._server = server

    @property
    def status(self):
        """The status, as that of `ServerThread`."""
        return HostStatus(self._server.server.status)


class Gathering(Hand):
    """Input to the window of the first of several users; `others` are the rest, which the test controls."""

    def __init__(
        self,
        demo="workbench",
        others=("Ben",),
        link=None,
        size=SIZE,
        values=None,
        is_host=False,
    ):
        self.now = 0.0
        kind = find_demo(demo)
        self.server = SimulatedServer(kind(0, values))
        self.client_sessions = [
            ClientSession(Client(name, self.server.server.settings.code), SimulatedConnection(self.server, LinkSettings()))
            for name in ("Ann", *others)
        ]
        while any(client_session.client.demo is None for client_session in self.client_sessions):
            self.pass_time(self.client_sessions)
            assert self.now < 3.0, "all get the state"
        for client_session in self.client_sessions:
            client_session.connection.link = link or LinkSettings()
        pygame.event.clear()
        server_thread = cast(ServerThread, Hosted(self.server)) if is_host else None
        super().__init__(Window(size, (kind,), client_session=self.client_sessions[0], server_thread=server_thread))
        self.frame(2)

    def pass_time(self, client_sessions):
        """Run a frame for the server and these users."""
        self.now += FRAME
        for client_session in client_sessions:
            client_session.advance(self.now)
        self.server.advance(self.now)

    def frame(self, n=1, elapsed=FRAME):
        for k in range(n):
            self.pass_time(self.client_sessions[1:])
            if k == n - 1:
                super().frame(1, elapsed)
            else:
                self.window.update(elapsed)

    def does(self, k, action):
        """Apply an action of another user."""
        return self.client_sessions[k].client.act(action, now=self.now)

    @property
    def demos(self):
        """The server's, and each user's."""
        return [
            self.server.server.simulation.demo,
            *(client_session.client.demo for client_session in self.client_sessions if client_session.client.demo is not None),
        ]

    def agree(self, seconds=1.0):
        """Let time pass without actions; return whether all went through the same states."""
        final = {}
        for client_session in self.client_sessions:
            client_session.client.on_final = lambda tick, digest: final.setdefault(tick, set()).add(digest)
        self.frame(round(seconds / FRAME))
        return len(final) > 20 and all(len(digests) == 1 for digests in final.values())
