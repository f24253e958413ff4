"""The loop of the real window: events, steps and drawing, until it is closed.

The loop pauses when the window is unused: it then handles events, but takes no steps and draws nothing. The preview next to the list pauses
without input, and a running demo pauses while its window is minimized or hidden, unless it is being recorded or a file is being written.
While kernels are being compiled, which also uses the processor, a preview runs at half the frame rate.
"""

from __future__ import annotations

import contextlib
import gc
import warnings
from collections.abc import Callable, Iterator, Mapping
from time import perf_counter
from typing import TYPE_CHECKING

import pygame

from engine.app.compiling import CHECK, Compiler, is_ready
from engine.app.files.places import preferences_file, recovery_folder
from engine.app.files.preferences import load_preferences
from engine.app.files.recovery import Recovery
from engine.app.layout import check_ui_scale, ui_scale_for
from engine.app.screen import Appearance
from engine.app.session import Session
from engine.app.status_strip import CheckNote
from engine.app.window import TITLE, Window
from engine.common.errors import InvalidInputError, LabError
from engine.common.interrupts import raise_lost
from engine.render import palette
from engine.render.fonts import FontBook
from engine.render.palette import THEMES
from engine.sim.demo import Demo
from engine.sim.registry import all_demos

if TYPE_CHECKING:
    from engine.net.client_session import ClientSession
    from engine.net.server_thread import ServerThread

__all__ = ["DisplayError", "Loop", "draw_waiting", "garbage_kept", "open_shared", "open_window", "set_garbage_aside"]

_FRAMES_PER_SECOND, _BESIDE_COMPILER, _RESTING = 60, 30, 10
"""Usual frame rate, frame rate of a preview during compilation, and polling rate at rest, Hz."""
_DESIGN_SIZE = (1280, 720)
_MIN_SIZE = (480, 320)
_SHARE_OF_SCREEN = (0.96, 0.9)
"""Maximum width and height of a new window, as shares of the screen: a task bar or dock and the title bar need the rest."""
_LONGEST_WAY = 0.1
"""Time per frame for moving to another step, seconds; from a keyframe it usually takes less."""


def set_garbage_aside() -> None:
    """Collect garbage now and exempt all existing objects from later collections, which would interrupt frames."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


@contextlib.contextmanager
def garbage_kept(is_keyframe: bool) -> Iterator[None]:
    """Collect no garbage during a frame that takes a keyframe, because both together take too long; the next event or frame collects it."""
    is_collected = gc.isenabled()
    if is_keyframe:
        gc.disable()
    try:
        yield
    finally:
        if is_collected:
            gc.enable()


class DisplayError(LabError):
    """A window cannot be opened here."""


class Loop:
    """Runs the frames of an open window on the display's surface: events, steps, drawing.

    The `compiler` has been started.
    """

    def __init__(self, surface: pygame.Surface, window: Window, compiler: Compiler) -> None:
        self.window = window
        self._surface, self._compiler = surface, compiler
        self._announced = False
        self._caption = ""
        self._settled: Session | None = None
        self._last = perf_counter()

    @property
    def is_warming_up(self) -> bool:
        """True if the live check is still loading."""
        return not self._announced

    @property
    def failure(self) -> str:
        """Why there is no live check; empty while it loads or works."""
        return self._compiler.failure(CHECK)

    def run(self) -> None:
        """Run frames, sixty per second while the window is watched, until the window is closed."""
        ticker = pygame.time.Clock()
        self._last = perf_counter()
        while self.window.running:
            self.turn()
            ticker.tick(self.frames_per_second)

    @property
    def frames_per_second(self) -> int:
        """The present frame rate, Hz."""
        if self.is_resting:
            return _RESTING
        return _BESIDE_COMPILER if self.window.browsing and self._compiler.doing else _FRAMES_PER_SECOND

    @property
    def is_resting(self) -> bool:
        """True if the loop may rest: the window is hidden or minimized, and nothing has to continue."""
        return not pygame.display.get_active() and not self.window.is_at_work

    def turn(self, elapsed: float | None = None) -> None:
        """Run one frame, or one polling interval at rest, without waiting for the next.

        Parameters
        ----------
        elapsed : float, optional
            Seconds since the previous frame; measured by default.
        """
        raise_lost()
        window = self.window
        for event in pygame.event.get():
            window.handle(event)
        self._announce()
        if window.session is not self._settled:
            self._settled = window.session
            self._settled.timeline.longest_way = _LONGEST_WAY
            set_garbage_aside()
        now = perf_counter()
        if elapsed is None:
            elapsed = now - self._last
        self._last = now
        if self.is_resting:
            window.rest(elapsed)
            return
        with garbage_kept(window.session.demo.sim.is_keyframe_next):
            window.update(elapsed)
            if window.caption != self._caption:
                self._caption = window.caption
                pygame.display.set_caption(self._caption)
            if pygame.display.get_active():
                self._surface = pygame.display.get_surface() or self._surface  # a resize creates a new surface
                window.show(self._surface)
                pygame.display.flip()

    def _announce(self) -> None:
        """Report the compiler's progress to the window, and give it the live check once that is loaded."""
        window, compiler = self.window, self._compiler
        if not self._announced and is_ready(CHECK):
            self._announced = True
            if not self.failure:
                from engine.compare.live.referee import live_referee

                window.use_referee(live_referee)
        if self.failure:
            window.check = CheckNote.failed(self.failure)
        elif compiler.doing:
            sentence = "" if self._announced else "checking starts once its algorithms are loaded"
            window.check = CheckNote(sentence, f"compiling {compiler.doing}", is_warming_up=True)
        else:
            window.check = CheckNote()


@contextlib.contextmanager
def open_window(
    kind: Callable[[int, Mapping[str, object] | None], Demo] | None = None,
    seed: int = 0,
    values: Mapping[str, object] | None = None,
    ui_scale: float | None = None,
    size: tuple[int, int] | None = None,
    prepare: Callable[[Session], None] | None = None,
    theme: str | None = None,
) -> Iterator[Loop]:
    """Open the window, yield its loop, and close the window afterwards.

    Parameters
    ----------
    kind : Demo class or callable, optional
        Makes the first demo from seed and parameters; the window opens in the browser without it.
    seed, values
        Seed and parameters of that demo.
    ui_scale : float, optional
        Size of text and widgets, 0.75 to 4; by default it depends on the display's height.
    size : (width, height), optional
        Size of the window in pixels; by default 1280 x 720 design pixels if the display is large enough.
    prepare : callable, optional
        Called with that demo's session before the first frame, for example to drop files, or to start or play a recording.

    theme : str, optional
        A key of `engine.render.palette.THEMES`; by default the last choice.

    Raises
    ------
    InvalidInputError
        A parameter, the theme or the scale does not exist; no window is opened.
    DisplayError
        The system refuses a window.
    """
    demo = kind(seed, values) if kind is not None else None

    def make(surface: pygame.Surface, scale: float) -> Window:
        return Window(surface.get_size(), all_demos(), demo, seed, scale)

    with _opened(make, ui_scale, size, theme) as loop:
        assert loop is not None
        if demo is not None and prepare is not None:
            prepare(loop.window.session)
        yield loop


@contextlib.contextmanager
def open_shared(
    client_session: ClientSession,
    server_thread: ServerThread | None = None,
    ui_scale: float | None = None,
    size: tuple[int, int] | None = None,
    theme: str | None = None,
) -> Iterator[Loop | None]:
    """Open the window on a shared world, yield its loop, and close it afterwards; the client has left by then.

    Until the server's state arrives, the window shows what it is waiting for; Esc or closing it yields None instead of a loop.

    Parameters
    ----------
    client_session : ClientSession
        Session of this window's user.
    server_thread : ServerThread, optional
        The server, if this program runs it; it is not closed here.
    ui_scale, size, theme
        As for `open_window`.

    Raises
    ------
    LabError
        The server cannot be reached or rejects the client; the message is one line.
    InvalidInputError, DisplayError
        As for `open_window`.
    """

    def make(surface: pygame.Surface, scale: float) -> Window | None:
        if not _is_joined(surface, client_session, scale):
            return None
        return Window(surface.get_size(), all_demos(), ui_scale=scale, client_session=client_session, server_thread=server_thread)

    try:
        with _opened(make, ui_scale, size, theme) as loop:
            yield loop
    finally:
        client_session.leave()


def _is_joined(surface: pygame.Surface, client_session: ClientSession, ui_scale: float) -> bool:
    """Show the connection's progress until the client has its demo; return False if the user cancels."""
    fonts, ticker = FontBook(ui_scale), pygame.time.Clock()
    while True:
        raise_lost()
        for event in pygame.event.get():
            if event.type == pygame.QUIT or (event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE):
                return False
        client_session.advance(client_session.now())
        if client_session.client.demo is not None:
            return True
        if client_session.is_over:
            raise LabError(client_session.reason)
        surface = pygame.display.get_surface() or surface
        draw_waiting(surface, fonts, client_session.status_text)
        pygame.display.flip()
        ticker.tick(_BESIDE_COMPILER)


def draw_waiting(surface: pygame.Surface, fonts: FontBook, words: str) -> None:
    """Draw a message in a window before there is a world to show."""
    surface.fill(palette.BACKGROUND)
    width, height = surface.get_size()
    lines = [(line, 18.0, palette.TEXT) for line in fonts.wrapped(words, 18.0, round(0.9 * width))]
    lines.append(("Esc cancels.", 13.0, palette.CAPTION))
    top = height // 2 - round(14 * fonts.ui_scale) * len(lines)
    for text, letters, color in lines:
        picture = fonts.render(text, letters, color)
        surface.blit(picture, picture.get_rect(midtop=(width // 2, top)))
        top += round(1.6 * letters * fonts.ui_scale)


@contextlib.contextmanager
def _opened(
    make: Callable[[pygame.Surface, float], Window | None], ui_scale: float | None, size: tuple[int, int] | None, theme: str | None
) -> Iterator[Loop | None]:
    """Open the display, create a window for its surface and UI scale, yield its loop, and close both; yield None if there is no window."""
    check_ui_scale("--ui-scale", ui_scale)
    place = preferences_file()
    chosen = load_preferences(place)
    if theme is not None and theme not in THEMES:
        raise InvalidInputError("theme", " or ".join(THEMES), theme)
    window: Window | None = None
    processes = contextlib.ExitStack()
    try:
        surface, usual, scale = _open(ui_scale, chosen.text_scale, size)
        palette.use_theme(chosen.theme if theme is None else theme)
        compiler = processes.enter_context(Compiler())
        window = make(surface, scale)
        if window is None:
            yield None
            return
        window.app.appearance = Appearance(usual, chosen, place)
        window.recover(Recovery(recovery_folder()))
        yield Loop(surface, window, compiler)
        window.leave()
    except BaseException:
        if window is not None:
            with contextlib.suppress(Exception):  # from a world that failed during a step; report the original error instead
                window.break_off()
        raise
    finally:
        processes.close()
        pygame.display.quit()


def _open(ui_scale: float | None, chosen: float | None, size: tuple[int, int] | None) -> tuple[pygame.Surface, float, float]:
    """Open the display; return its surface, its usual UI scale, and the one to use: requested, chosen before, or the usual one."""
    try:
        pygame.display.init()
        desktop = pygame.display.get_desktop_sizes()[0]
        usual = ui_scale if ui_scale is not None else ui_scale_for(desktop)
        scale = chosen if ui_scale is None and chosen is not None else usual
        window_size = size if size is not None else (round(_DESIGN_SIZE[0] * scale), round(_DESIGN_SIZE[1] * scale))
        room = (int(_SHARE_OF_SCREEN[0] * desktop[0]), int(_SHARE_OF_SCREEN[1] * desktop[1]))
        fitting = window_size if size is not None else (min(window_size[0], room[0]), min(window_size[1], room[1]))
        surface = pygame.display.set_mode(fitting, pygame.RESIZABLE)
        _limit_size()
    except pygame.error as error:
        raise DisplayError(f"no window can be opened: {error}") from None
    pygame.display.set_caption(TITLE)
    return surface, usual, scale


def _limit_size() -> None:
    """Set the minimum window size; on systems without such a limit, what does not fit is cut off."""
    with warnings.catch_warnings(), contextlib.suppress(AttributeError, pygame.error):
        warnings.simplefilter("ignore", DeprecationWarning)  # the display module offers no other access to its window
        pygame.Window.from_display_module().minimum_size = _MIN_SIZE
