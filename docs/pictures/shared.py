"""The picture of a shared world: two windows side by side, in which two people build a seesaw together and one lifts what is on it.

Both are clients of a server in this process, over simulated links and in simulated time, so that the picture comes out the same.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["draw_shared"]

_SIZE = (800, 560)
_GAP = 6
_FALL, _LIFT = 80, 50
"""Frames after which the boxes lie on the plank, and in which one is lifted."""
_FRAME = 1.0 / 60.0

Point = tuple[float, float]


class _Two:
    """Two people, each at a window."""

    def __init__(self) -> None:
        import pygame

        from engine.app.window import Window
        from engine.compare.live.referee import live_referee
        from engine.net.client import Client
        from engine.net.client_session import ClientSession
        from engine.net.link import LinkSettings
        from engine.net.simulated_network import SimulatedConnection, SimulatedServer
        from engine.sim.registry import find_demo

        kind = find_demo("workbench")
        self._server = SimulatedServer(kind(0, {"width": 12.0}))
        client_sessions = [ClientSession(Client(name), SimulatedConnection(self._server, LinkSettings())) for name in ("Ann", "Ben")]
        while any(client_session.client.demo is None for client_session in client_sessions):
            for client_session in client_sessions:
                client_session.advance(client_session.now())
            self._server.advance(self._server.now + _FRAME)
        for client_session in client_sessions:
            client_session.connection.link = LinkSettings(0.06, 0.02)
        self.windows = [Window(_SIZE, (kind,), client_session=client_session) for client_session in client_sessions]
        for window in self.windows:
            window.use_referee(live_referee)
        self.surfaces = [pygame.Surface(_SIZE) for _ in client_sessions]
        self.frame(3)
        for window in self.windows:
            window.session.view.home()

    def frame(self, n: int = 1) -> None:
        """Let frames pass in both windows."""
        for _ in range(n):
            self._server.advance(self._server.now + _FRAME)
            for window, surface in zip(self.windows, self.surfaces, strict=True):
                window.update(_FRAME)
                window.show(surface)

    def key(self, k: int, name: str, mod: int = 0) -> None:
        """Press a key in a window."""
        import pygame

        self.windows[k].handle(pygame.event.Event(pygame.KEYDOWN, key=pygame.key.key_code(name), mod=mod, unicode=""))
        self.frame()

    def press(self, k: int, point: Point) -> None:
        """Go to a point, meters, and press the left button."""
        import pygame

        self.move(k, point)
        self.windows[k].handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=self._pixel(k, point), button=1))
        self.frame()

    def move(self, k: int, point: Point, is_pressed: bool = False) -> None:
        """Go to a point."""
        import pygame

        buttons = (int(is_pressed), 0, 0)
        self.windows[k].handle(pygame.event.Event(pygame.MOUSEMOTION, pos=self._pixel(k, point), rel=(1, 1), buttons=buttons))
        self.frame()

    def drag(self, k: int, start: Point, end: Point | None = None) -> None:
        """Drag from one point to another, or click."""
        import pygame

        self.press(k, start)
        if end is not None:
            self.move(k, end, is_pressed=True)
        self.windows[k].handle(pygame.event.Event(pygame.MOUSEBUTTONUP, pos=self._pixel(k, end or start), button=1))
        self.frame()

    def _pixel(self, k: int, point: Point) -> tuple[int, int]:
        x, y = self.windows[k].session.view.camera.to_screen(point)
        return round(x), round(y)


def draw_shared(path: Path) -> Path:
    """Draw what both see, and return the path."""
    import pygame

    from engine.app.headless import no_screen

    with no_screen():
        pygame.display.set_mode(_SIZE)
        two, shift = _Two(), pygame.KMOD_LSHIFT
        two.key(0, "space")
        two.key(0, "b", shift)
        two.drag(0, (-3.4, 1.0), (3.4, 1.25))
        two.key(0, "h", shift)
        two.drag(0, (0.0, 1.12))
        two.drag(0, (0.0, 0.7))
        two.key(0, "escape")
        two.key(1, "b", shift)
        two.drag(1, (-3.0, 2.6), (-2.2, 3.4))
        two.drag(1, (1.9, 2.6), (3.0, 3.7))
        two.key(1, "escape")
        two.frame(20)
        two.key(1, "space")
        two.move(0, (-1.2, 3.2))
        two.frame(_FALL)
        world = two.windows[1].session.demo.stages[0].world
        box = world.body_ids[-1]
        x, y = world.state(box).position
        two.press(1, (x, y))
        for k in range(_LIFT):
            two.move(0, (-1.2 - 0.012 * k, 3.2 - 0.01 * k))
            two.move(1, (x - 0.02 * k, y + 0.045 * k), is_pressed=True)
        width, height = _SIZE
        picture = pygame.Surface((2 * width + _GAP, height))
        for k, surface in enumerate(two.surfaces):
            picture.blit(surface, (k * (width + _GAP), 0))
        pygame.image.save(picture, str(path))
    return path
