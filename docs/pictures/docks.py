"""The pictures of the window: in docs/seeing.md with everything open, in both themes; in docs/hands.md with README's seesaw."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.app.window import Window

__all__ = ["build_seesaw", "draw_window"]

_SIZE = (1280, 720)
_FRAMES = 330
_FALL = 75
"""Frames after which both discs lie on the plank."""
_KEYS = ("K_F7", "K_F8", "K_F9", "K_9")
_SETTLED = 3
"""Frames after which panels have their places: Home then shows the whole picture beside them."""


def draw_window(folder: Path) -> list[Path]:
    """Draw `docks_dark.png`, `docks_light.png` and `hands.png` in a folder."""
    from engine.app.headless import no_screen
    from engine.render.themes import THEMES

    with no_screen():
        return [*(_draw(theme, folder / f"docks_{theme}.png") for theme in THEMES), _draw_hands(folder / "hands.png")]


def _draw(theme: str, path: Path) -> Path:
    import pygame

    from engine.app.registry import find_demo
    from engine.app.warmup import referee_factory
    from engine.app.window import Window
    from engine.render import palette

    pygame.display.set_mode(_SIZE)
    palette.use_theme(theme)
    kind = find_demo("bounce")
    window, surface = Window(_SIZE, (kind,), kind(0)), pygame.Surface(_SIZE)
    window.use_referee(referee_factory())
    window.session.watched = (0, window.session.demo.stages[0].world.body_ids[-1])
    for key in _KEYS:
        window.handle(pygame.event.Event(pygame.KEYDOWN, key=getattr(pygame, key), mod=0, unicode=""))
    for k in range(_FRAMES):
        if k == _SETTLED:
            window.session.home()
        window.update(1.0 / 60.0)
        window.draw(surface)
    window.rebuild()
    window.draw(surface)
    pygame.image.save(surface, str(path))
    palette.use_theme("dark")
    return path


def _draw_hands(path: Path) -> Path:
    import pygame

    from engine.app.hands.hands import Chosen
    from engine.app.hands.tools_dock import ToolsDock
    from engine.app.registry import find_demo
    from engine.app.warmup import referee_factory
    from engine.app.window import Window

    pygame.display.set_mode(_SIZE)
    kind = find_demo("workbench")
    window, surface = Window(_SIZE, (kind,), kind(0, {"width": 12.0})), pygame.Surface(_SIZE)
    window.use_referee(referee_factory())
    window.update(0.0)
    window.draw(surface)
    build_seesaw(window)
    window.session.clock.paused = False
    for _ in range(_FALL):
        window.update(1.0 / 60.0)
        window.draw(surface)
    window.session.clock.paused = True
    for letter, mod in (("s", pygame.KMOD_LSHIFT), ("i", 0)):
        window.handle(pygame.event.Event(pygame.KEYDOWN, key=pygame.key.key_code(letter), mod=mod, unicode=""))
    hands = next(dock for dock in window.docks if isinstance(dock, ToolsDock)).hands
    world = hands.world(0)
    hands.selection = [Chosen(0, body) for body in world.body_ids if world.body(body).spec.name.startswith("box")]
    window.session.messages.end_passing()
    for _ in range(2):
        window.session.home()
        window.update(1.0 / 60.0)
        window.draw(surface)
    pygame.image.save(surface, str(path))
    return path


def build_seesaw(window: Window) -> None:
    """Build what README's "Build something" says, by the keys and the mouse that it names; time stands still at the end."""
    import pygame

    shift = pygame.KMOD_LSHIFT
    surface = pygame.Surface(window.size)

    def key(letter: str, mod: int = 0) -> None:
        window.handle(pygame.event.Event(pygame.KEYDOWN, key=pygame.key.key_code(letter), mod=mod, unicode=""))
        frame()

    def frame() -> None:
        window.update(1.0 / 60.0)
        window.draw(surface)

    def mouse(kind: int, point: tuple[float, float]) -> None:
        x, y = (round(pixel) for pixel in window.session.camera.to_screen(point))
        more = {"rel": (1, 1), "buttons": (0, 0, 0)} if kind == pygame.MOUSEMOTION else {"button": 1}
        window.handle(pygame.event.Event(kind, pos=(x, y), **more))

    def drag(*points: tuple[float, float]) -> None:
        mouse(pygame.MOUSEMOTION, points[0])
        mouse(pygame.MOUSEBUTTONDOWN, points[0])
        for point in points:
            mouse(pygame.MOUSEMOTION, point)
        mouse(pygame.MOUSEBUTTONUP, points[-1])
        frame()

    key("space")
    key("p", shift)
    pygame.key.set_mods(shift)
    for corner in ((-1.2, 0.0), (1.2, 0.0), (0.0, 2.0), (-1.2, 0.0)):
        drag(corner)
    pygame.key.set_mods(0)
    key("b", shift)
    drag((-4.5, 2.0), (4.5, 2.4))
    key("h", shift)
    drag((0.0, 2.1))
    drag((0.0, 1.8))
    key("c", shift)
    drag((-3.6, 4.0), (-2.9, 4.0))
    drag((3.4, 4.0), (4.2, 4.0))
