"""The loop of the real window: open, events, steps, picture, until closed."""

from __future__ import annotations

import contextlib
import gc
import warnings
from collections.abc import Callable, Mapping
from time import perf_counter

import pygame

from engine.app.demo import Demo
from engine.app.layout import MAX_UI_SCALE, MIN_UI_SCALE, ui_scale_for
from engine.app.registry import all_demos
from engine.app.session import Session
from engine.app.warmup import RefereeWarmup
from engine.app.window import Window
from engine.common.checks import finite
from engine.common.errors import InvalidInputError, LabError

__all__ = ["DisplayError", "run_window"]

_FRAMES_PER_SECOND = 60
_DESIGN_SIZE = (1280, 720)
_SMALLEST_SIZE = (480, 320)


class DisplayError(LabError):
    """No window can be opened here."""


def run_window(
    kind: type[Demo] | None = None,
    seed: int = 0,
    values: Mapping[str, object] | None = None,
    ui_scale: float | None = None,
    size: tuple[int, int] | None = None,
    prepare: Callable[[Demo], None] | None = None,
) -> None:
    """Open the window and return when it has been closed.

    Parameters
    ----------
    kind : Demo class, optional
        Start in this demo; the browser otherwise.
    seed, values
        For that demo.
    ui_scale : float, optional
        Size of text and widgets, 0.75 to 4; from the display's height otherwise.
    size : (width, height), optional
        Pixels of the window; 1280 x 720 design pixels otherwise, as far as the display has them.
    prepare : callable, optional
        Called with that demo before the window opens: files that are to fall into it.

    Raises
    ------
    InvalidInputError
        A parameter or the scale does not exist; nothing has been opened then.
    DisplayError
        The system refuses a window.
    """
    demos = all_demos()
    if ui_scale is not None and not MIN_UI_SCALE <= finite("ui-scale", ui_scale) <= MAX_UI_SCALE:
        raise InvalidInputError("ui-scale", f"from {MIN_UI_SCALE} to {MAX_UI_SCALE}", ui_scale)
    demo = kind(seed, values) if kind is not None else None
    if demo is not None and prepare is not None:
        prepare(demo)
    warmup = RefereeWarmup()
    try:
        surface, scale = _open(ui_scale, size)
        window = Window(surface.get_size(), demos, demo, seed, scale)
        warmup.start()
        _run(surface, window, warmup)
    finally:
        warmup.close()
        pygame.display.quit()


def _open(ui_scale: float | None, size: tuple[int, int] | None) -> tuple[pygame.Surface, float]:
    try:
        pygame.display.init()
        desktop = pygame.display.get_desktop_sizes()[0]
        scale = ui_scale if ui_scale is not None else ui_scale_for(desktop)
        wanted = size if size is not None else (round(_DESIGN_SIZE[0] * scale), round(_DESIGN_SIZE[1] * scale))
        room = (int(0.96 * desktop[0]), int(0.9 * desktop[1]))
        fitting = wanted if size is not None else (min(wanted[0], room[0]), min(wanted[1], room[1]))
        surface = pygame.display.set_mode(fitting, pygame.RESIZABLE)
        _limit_size()
    except pygame.error as error:
        raise DisplayError(f"no window can be opened: {error}") from None
    pygame.display.set_caption("Collision laboratory")
    return surface, scale


def _limit_size() -> None:
    """Let nobody make the window smaller than it can be used; where the system knows no such limit, what does not fit is cut off."""
    with warnings.catch_warnings(), contextlib.suppress(AttributeError, pygame.error):
        warnings.simplefilter("ignore", DeprecationWarning)  # the display module has no other way to its window
        pygame.Window.from_display_module().minimum_size = _SMALLEST_SIZE


def _run(surface: pygame.Surface, window: Window, warmup: RefereeWarmup) -> None:
    ticker = pygame.time.Clock()
    last = perf_counter()
    announced = False
    settled: Session | None = None
    while window.running:
        for event in pygame.event.get():
            window.handle(event)
        if not announced and warmup.wait(0.0):
            announced = True
            if warmup.factory is not None:
                window.use_referee(warmup.factory)
            else:
                window.no_referee(warmup.failure)
        if window.session is not settled:
            settled = window.session
            _settle()
        now = perf_counter()
        window.update(now - last)
        last = now
        surface = pygame.display.get_surface() or surface  # a resize makes another one
        window.draw(surface)
        pygame.display.flip()
        ticker.tick(_FRAMES_PER_SECOND)


def _settle() -> None:
    """Set the new demo's thousands of objects aside, so that no later collection of garbage walks them in the middle of a frame."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
