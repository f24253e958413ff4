"""Draw the window: everything open in both themes, README's seesaw, a joint, comparisons of solvers, and the live check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pygame

    from engine.app.editor.editor import Editor
    from engine.app.window import Window

__all__ = ["build_seesaw", "draw_window"]

_SIZE = (1280, 720)
_FRAMES = 330
_FALL = 75
"""Frames after which both circles lie on the plank."""
_KEYS = ("K_F7", "K_9")
_PILED = 200
"""Frames after which the shapes lie in the pit."""
_HEAP = 160
"""Frames after which most of the shapes lie."""
_DRIVE = 75
"""Frames after which the car is in the middle of the bench."""
_SETTLED = 3
"""Frames after which panels have their places: Home then shows the whole picture beside them."""


def draw_window(folder: Path) -> list[Path]:
    """Draw all pictures of the window in a folder; return their paths."""
    from engine.app.headless import no_screen
    from engine.render.palette import THEMES

    with no_screen():
        return [
            *(_draw(theme, folder / f"docks_{theme}.png") for theme in THEMES),
            _draw_hands(folder / "hands.png"),
            _draw_joint(folder / "joint.png"),
            _draw_two_worlds(folder / "two_worlds.png"),
            _draw_referee(folder / "referee.png"),
        ]


def _draw(theme: str, path: Path) -> Path:
    import pygame

    from engine.render import palette

    palette.use_theme(theme)
    window, surface = _window("bounce"), pygame.Surface(_SIZE)
    window.session.timeline.watched = (0, window.session.demo.stages[0].world.body_ids[-1])
    for key in _KEYS:
        window.handle(pygame.event.Event(pygame.KEYDOWN, key=getattr(pygame, key), mod=0, unicode=""))
    for k in range(_FRAMES):
        if k == _SETTLED:
            window.session.view.home()
        window.update(1.0 / 60.0)
        window.show(surface)
    window.screen.is_outdated = True
    window.show(surface)
    pygame.image.save(surface, str(path))
    palette.use_theme("dark")
    return path


def _draw_hands(path: Path) -> Path:
    from engine.app.editor.editor import Chosen

    window, hands = _workbench(12.0)
    build_seesaw(window)
    _let_run(window, _FALL)
    _select(window, "i")
    world = hands.world(0)
    hands.selection = [Chosen(0, body) for body in world.body_ids if world.body(body).spec.name.startswith("box")]
    return _save(window, path)


def _draw_joint(path: Path) -> Path:
    """Draw a car on its way, the joint of its driven wheel selected."""
    from engine.app.editor.editor import ChosenJoint
    from engine.geometry import Circle, Polygon
    from engine.sim.actions import ChangeJoint, CreateBody, CreateJoint
    from engine.sim.actions.edits import Edit
    from engine.world import BodySpec, FixtureSpec, WheelJointSpec

    window, hands = _workbench(12.0)

    def edit(action: Edit) -> int:
        made: int = hands.gesture().edit(action)
        return made

    box = edit(CreateBody.of(0, BodySpec((FixtureSpec(Polygon.box(1.5, 0.25)),), position=(-2.5, 1.15), name="box 1")))
    for x in (-3.4, -1.6):
        name = f"circle {len(hands.world(0).body_ids)}"
        disc = edit(CreateBody.of(0, BodySpec((FixtureSpec(Circle(0.45)),), position=(x, 0.5), name=name)))
        joint = edit(CreateJoint.of(0, WheelJointSpec(box, disc, (x, 0.5))))
    edit(ChangeJoint(0, joint, {"enable_motor": True, "motor_speed": -10.0, "max_motor_torque": 27.0}))
    _let_run(window, _DRIVE)
    _select(window)
    hands.joint = ChosenJoint(0, joint)
    return _save(window, path)


def _draw_two_worlds(path: Path) -> Path:
    """Draw shapes that have fallen by Box2D, and by our own solver over that."""
    window = _window("simple_shapes", {"count": 24})
    window.session.compare_with("soft_step")
    _let_run(window, _PILED)
    return _save(window, path)


def _draw_referee(path: Path) -> Path:
    """Draw a heap with the reason and the size of each difference."""
    from engine.app.commands import find, run

    window = _window("simple_shapes")
    window.session.layers.labels = True
    _let_run(window, _HEAP)
    run(find("more"), window.app)
    return _save(window, path)


def _window(name: str, values: dict[str, object] | None = None, solver: str | None = None) -> Window:
    """Return a window with a demo and its live check."""
    import pygame

    from engine.app.window import Window
    from engine.compare.live.referee import live_referee
    from engine.sim.registry import find_demo

    pygame.display.set_mode(_SIZE)
    kind = find_demo(name)
    window = Window(_SIZE, (kind,), kind(0, values, solver=solver))
    window.use_referee(live_referee)
    return window


def _workbench(width: float) -> tuple[Window, Editor]:
    """Return a window with a bench to work on, and its editor."""
    from engine.app.panels.tools_dock import ToolsDock

    window = _window("workbench", {"width": width})
    _frames(window, 1, 0.0)
    return window, next(dock for dock in window.docks if isinstance(dock, ToolsDock)).editor


def _frames(window: Window, n: int, elapsed: float = 1.0 / 60.0) -> pygame.Surface:
    import pygame

    surface = pygame.Surface(window.size)
    for _ in range(n):
        window.update(elapsed)
        window.show(surface)
    return surface


def _let_run(window: Window, n_frames: int) -> None:
    """Let time go on for so many frames, and stop it."""
    window.session.clock.paused = False
    _frames(window, n_frames)
    window.session.clock.paused = True


def _select(window: Window, *letters: str) -> None:
    """Take the tool that selects, and press other keys."""
    import pygame

    for letter, mod in (("s", pygame.KMOD_LSHIFT), *((letter, 0) for letter in letters)):
        window.handle(pygame.event.Event(pygame.KEYDOWN, key=pygame.key.key_code(letter), mod=mod, unicode=""))


def _save(window: Window, path: Path) -> Path:
    """Write what the window shows once panels have their places."""
    import pygame

    from engine.app.commands import find, run

    if window.session.beside is not None:
        run(find("more"), window.app)
    window.session.messages.end_passing()
    for _ in range(2):
        window.session.view.home()
        window.screen.cache.forget()  # parts of the window are looked at in turn
        surface = _frames(window, 1)
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
        window.show(surface)

    def mouse(kind: int, point: tuple[float, float]) -> None:
        x, y = (round(pixel) for pixel in window.session.view.camera.to_screen(point))
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
