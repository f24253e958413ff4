"""What the window can be told to do, by which key, and the words for the overlay."""

from __future__ import annotations

from enum import Enum

import pygame

from engine.contracts.agreement import REASONS

__all__ = ["FILE_COMMANDS", "HELP", "KEY_COMMANDS", "LAYERS", "NOTES", "Command", "command_of", "is_plain"]


class Command(Enum):
    """An order to the window or to the demo it shows."""

    BACK = "back"
    HELP = "help"
    PAUSE = "pause"
    STEP = "step"
    SLOWER = "slower"
    FASTER = "faster"
    RESTART = "restart"
    HOME = "home"
    SAVE = "save"
    SAVE_AS = "save as"
    OPEN = "open"
    MENU = "menu"
    SOLVER = "solver"
    BESIDE = "beside"
    WATCH = "watch"
    WATCH_SOLVER = "watch the solver"
    QUIT = "quit"
    SHAPES = "shapes"
    AABBS = "aabbs"
    POINTS = "points"
    NORMALS = "normals"
    JOINTS = "joints"
    CENTERS = "centers"
    SEPARATIONS = "separations"
    CHECK = "check"
    IMPULSES = "impulses"


FILE_COMMANDS: tuple[Command, ...] = (Command.SAVE, Command.SAVE_AS, Command.OPEN)
"""What `engine.app.panels.files_dock` does, which has keys for them: Ctrl S, Ctrl Shift S, Ctrl Shift O."""

LAYERS: dict[Command, tuple[str, str]] = {
    Command.SHAPES: ("Shapes", "shapes"),
    Command.AABBS: ("AABBs", "bounding boxes of fixtures (dashed)"),
    Command.POINTS: ("Points", "contact points"),
    Command.NORMALS: ("Normals", "contact normals"),
    Command.JOINTS: ("Joints", "joints"),
    Command.CENTERS: ("Centers", "centers of mass"),
    Command.SEPARATIONS: ("Separations", "separations at contacts"),
    Command.CHECK: ("Live check", "live check, differences"),
    Command.IMPULSES: ("Impulses", "impulses at contacts, as arrows"),
}
"""The toggles, keys 1 to 9, with the words of their buttons and of the overlay; each value is a field of `engine.render.views.Layers`."""

KEY_COMMANDS: dict[int, Command] = {
    pygame.K_ESCAPE: Command.BACK,
    pygame.K_F1: Command.HELP,
    pygame.K_SPACE: Command.PAUSE,
    pygame.K_n: Command.STEP,
    pygame.K_PERIOD: Command.STEP,
    pygame.K_LEFTBRACKET: Command.SLOWER,
    pygame.K_RIGHTBRACKET: Command.FASTER,
    pygame.K_MINUS: Command.SLOWER,
    pygame.K_KP_MINUS: Command.SLOWER,
    pygame.K_EQUALS: Command.FASTER,
    pygame.K_PLUS: Command.FASTER,
    pygame.K_KP_PLUS: Command.FASTER,
    pygame.K_r: Command.RESTART,
    pygame.K_HOME: Command.HOME,
    pygame.K_F6: Command.WATCH,
    pygame.K_F11: Command.BESIDE,
    **{pygame.K_1 + k: command for k, command in enumerate(LAYERS)},
    **{pygame.K_KP_1 + k: command for k, command in enumerate(LAYERS)},
}
"""Keys the window keeps for itself; all others go to the demo."""

_TYPED_COMMANDS = {"[": Command.SLOWER, "]": Command.FASTER}
"""What is typed, with whatever keys: on many keyboards brackets are digits with AltGr."""
_WITH_OTHERS = pygame.KMOD_CTRL | pygame.KMOD_META | pygame.KMOD_ALT | pygame.KMOD_MODE


def command_of(event: pygame.event.Event) -> Command | None:
    """Return the order that a key gives, None for a key that gives none."""
    if event.unicode in _TYPED_COMMANDS:
        return _TYPED_COMMANDS[event.unicode]
    if event.key == pygame.K_F11 and event.mod & pygame.KMOD_SHIFT:
        return Command.SOLVER if is_plain(event) else None
    if event.key == pygame.K_F6 and event.mod & pygame.KMOD_SHIFT:
        return Command.WATCH_SOLVER if is_plain(event) else None
    return KEY_COMMANDS.get(event.key) if is_plain(event) else None


def is_plain(event: pygame.event.Event) -> bool:
    """Tell whether a key is pressed alone or with Shift: with Ctrl or Alt it is another key, which may have no use."""
    return not event.mod & _WITH_OTHERS


HELP: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "Time",
        (
            ("Space", "pause, go on"),
            ("N  or  .", "one step"),
            ("[  or  -", "slower, down to 1/100"),
            ("]  or  +", "faster, up to 8x"),
            ("R", "restart"),
        ),
    ),
    (
        "Mouse",
        (
            ("Left drag", "grab a body"),
            ("Drop a file", "picture, SVG or body: it falls in"),
            ("Right drag", "move the view"),
            ("Wheel", "zoom at the cursor"),
            ("Home", "bring the view back"),
            ("Point at", "a difference (orange ring): its proof"),
            ("Click", "on a ring: pause and look closely; again: step by step"),
            ("Click", "on a contact point: its manifold, step by step"),
            ("Shift click", "on a contact point: the solver's step, impulse by impulse"),
        ),
    ),
    (
        "Show",
        tuple((str(k + 1), words) for k, (_, words) in enumerate(LAYERS.values())),
    ),
    (
        "Window",
        (
            ("F1", "these keys"),
            ("Ctrl M", "menu: open, save, export, record"),
            ("F6", "step by step: what is at the pointer, else the deepest contact"),
            ("Shift F6", "step by step: the solver, impulse by impulse"),
            ("F10", "dark or light"),
            ("F11", "another solver beside it: over it, in lanes, none"),
            ("Shift F11", "the next solver drives it, from here on"),
            ("Ctrl +, Ctrl -", "larger, smaller text; Ctrl 0: as usual"),
            ("Esc", "back: from a close look, from a stepper, to the demos; twice more: quit"),
        ),
    ),
)
"""Groups of (key, meaning)."""
_OF_ONE_ALONE = frozenset({"N  or  .", "[  or  -", "]  or  +", "F11"})
"""Of time that is one's own; how it passes for all says the panel of those who share a world."""
_IN_COMPANY = {"Esc": ("Esc", "back: from a close look, from a stepper, to the demos, and to this world again")}


def help_for(is_shared: bool) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """Return `HELP`, or what of it there is in a world that is shared."""
    if not is_shared:
        return HELP
    return tuple((title, tuple(_IN_COMPANY.get(row[0], row) for row in rows if row[0] not in _OF_ONE_ALONE)) for title, rows in HELP)


NOTES: tuple[tuple[str, str], ...] = (
    ("Live check: every contact is computed twice. Where Box2D and we differ, an orange ring stands, with one of these reasons:", ""),
    *((reason.name, reason.sentence) for reason in REASONS.values()),
    (
        "+15 mm",
        "Separations (7) are those of the cores. A polygon has a skin of 10 mm, and Box2D lets two skins overlap by 5 mm: "
        "polygons at rest show 15 mm, a polygon and a disc 5 mm.",
    ),
)
"""What the overlay of keys says under the keys: (word, sentence)."""
