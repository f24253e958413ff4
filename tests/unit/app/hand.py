"""Input to a window with the small demos of `conftest`, with a frame after each event."""

import pygame

__all__ = ["FRAME", "SIZE", "Hand", "dock_of", "frames", "key", "pixel", "press"]

FRAME = 1.0 / 60.0
SIZE = (1280, 720)


class Hand:
    """Presses, drags and clicks, with a frame after each."""

    def __init__(self, window):
        self.window = window
        self.surface = pygame.Surface(window.size)

    def frame(self, n=1, elapsed=FRAME):
        """Run frames, drawing the first and the last, and handle the events in pygame's queue."""
        for k in range(n):
            for event in pygame.event.get():
                self.window.handle(event)
            self.window.update(elapsed)
            if k in (0, n - 1):
                self.window.show(self.surface)

    def send(self, kind, **attributes):
        """Send one event and run a frame."""
        self.window.handle(pygame.event.Event(kind, attributes))
        self.frame()

    def key(self, key):
        """Press and release."""
        self.send(pygame.KEYDOWN, key=key, mod=0, unicode="")
        self.send(pygame.KEYUP, key=key, mod=0)

    def click(self, at, button=1):
        """Move there, press and release."""
        pygame.mouse.set_pos(at)
        self.send(pygame.MOUSEMOTION, pos=at, rel=(0, 0), buttons=(0, 0, 0))
        self.send(pygame.MOUSEBUTTONDOWN, pos=at, button=button)
        self.send(pygame.MOUSEBUTTONUP, pos=at, button=button)
        self.frame()

    def wheel(self, at, notches):
        """Turn the wheel at a position."""
        self.send(pygame.MOUSEWHEEL, x=0, y=notches, precise_y=float(notches), mouse=at)


def pixel(hand, point):
    x, y = hand.window.session.view.camera.to_screen(point)
    return round(x), round(y)


def frames(window, n=1):
    """Run frames without the event queue, drawing the first and the last, and return the picture."""
    surface = pygame.Surface(window.size)
    for k in range(n):
        window.update(FRAME)
        if k in (0, n - 1):
            window.show(surface)
    return surface


def key(window, key, mod=0):
    """Press and release a key."""
    window.handle(pygame.event.Event(pygame.KEYDOWN, key=key, mod=mod, unicode=""))
    window.handle(pygame.event.Event(pygame.KEYUP, key=key, mod=mod))
    frames(window)


def press(window, at, **more):
    """Press and release a mouse button."""
    window.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=at, button=1, **more))
    window.handle(pygame.event.Event(pygame.MOUSEBUTTONUP, pos=at, button=1))
    frames(window)


def dock_of(window, kind):
    return next(dock for dock in window.docks if isinstance(dock, kind))
