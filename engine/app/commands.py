"""All commands of the window, one row each. The menu, the keys, the buttons, their tooltips, the page of keys and docs/window.md use it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pygame

from engine.app.app import App
from engine.app.keys import chords, key_codes, tooltip
from engine.app.network_driver import NO_PAST, NO_REDO
from engine.app.panels.camera_dock import CameraDock
from engine.app.panels.files_dock import FilesDock
from engine.app.panels.inspector_dock import InspectorDock
from engine.app.panels.network_dock import NetworkDock
from engine.app.panels.people_dock import PeopleDock
from engine.app.panels.plot_dock import PlotDock
from engine.app.panels.recording_dock import RecordingDock
from engine.app.panels.tools_dock import ToolsDock
from engine.app.stepper_requests import door_of_demo
from engine.contracts.agreement import REASONS
from engine.render import palette
from engine.ui.rows import Button, Heading, Line, Note, Row

__all__ = ["COMMANDS", "LAYERS", "Command", "button_of", "command_of", "find", "is_of_demo", "key_rows", "markdown", "menu_groups", "run"]


def never(app: App) -> str:
    """Return "": the command is always enabled."""
    return ""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the window.

    Parameters
    ----------
    id : str
    group : str
        Heading in the menu and on the page of keys.
    title : str
        Text of its button and menu entry.
    key : str
        "Ctrl Shift O"; several joined by " or "; empty for none.
    help : str
        A sentence.
    run : callable
    disabled : callable, optional
        Returns why the command is disabled; "" if it is enabled.
    """

    id: str
    group: str
    title: str
    key: str
    help: str
    run: Callable[[App], object]
    disabled: Callable[[App], str] = never


# -- why a command is disabled ------------------------------------------------------------------------------------------

_NOT_SHARED = "this world is not shared"


def _no_demo(app: App) -> str:
    return "start a demo first" if app.navigator.browsing else ""


def _no_world(app: App) -> str:
    return _no_demo(app) or ("" if app.session.demo.stages else "this demo has no world")


def _no_history(app: App) -> str:
    return _no_demo(app) or ("" if app.navigator.has_docks else "this demo cannot be rewound")


def _no_past(app: App) -> str:
    return _no_history(app) or (NO_PAST if app.session.is_shared else "")


def _not_ours(app: App) -> str:
    return _no_demo(app) or (NO_PAST if app.session.is_shared else "")


def _no_comparison(app: App) -> str:
    return _no_past(app) or _no_world(app)


def _no_redo(app: App) -> str:
    return _no_history(app) or (NO_REDO if app.session.is_shared else "")


def _no_film(app: App) -> str:
    history = app.session.timeline.history
    return _no_past(app) or ("" if history is not None and history.last > 0 else "no step has been taken yet")


def _no_stepper(app: App) -> str:
    demo = app.session.demo
    return _no_demo(app) or ("" if demo.stages or door_of_demo(demo) is not None else "this demo has no algorithm to step through")


def _in_list(app: App) -> str:
    return "the list of demos is already open" if app.navigator.browsing else ""


def _not_shared(app: App) -> str:
    return _no_demo(app) or ("" if app.session.is_shared else _NOT_SHARED)


# -- the rows -----------------------------------------------------------------------------------------------------------


def _toggle_layer(name: str, app: App) -> None:
    setattr(app.session.layers, name, not getattr(app.session.layers, name))


LAYERS: tuple[Command, ...] = tuple(
    Command(name, "Show", title, key, sentence, partial(_toggle_layer, name), _no_world)
    for key, name, title, sentence in (
        ("1", "shapes", "Shapes", "Draw the shapes of bodies."),
        ("2", "aabbs", "AABBs", "Draw the bounding boxes of fixtures."),
        ("3", "points", "Points", "Draw contact points."),
        ("4", "normals", "Normals", "Draw contact normals."),
        ("5", "joints", "Joints", "Draw joints."),
        ("6", "centers", "Centers", "Draw centers of mass."),
        ("7", "separations", "Separations", "Label each contact with its separation."),
        ("8", "check", "Live check", "Compute every contact a second time and mark the differences."),
        ("9", "impulses", "Impulses", "Draw the impulse at each contact as an arrow."),
        ("0", "labels", "Labels", "Label the live check's rings with their reasons and sizes."),
    )
)
"""The layers of the picture; each id is a field of `engine.render.views.Layers`."""

COMMANDS: tuple[Command, ...] = (
    Command(
        "open",
        "File",
        "Open…",
        "Ctrl O",
        "Open a scene, recording or picture.",
        lambda app: app.dock(FilesDock).ask_to_open(app.appearance),
    ),
    Command(
        "reopen",
        "File",
        "Unsaved work",
        "Ctrl Shift O",
        "Reopen or discard scenes that you built but did not save.",
        lambda app: app.dock(FilesDock).reopen(app.appearance),
    ),
    Command("save", "File", "Save", "Ctrl S", "Save the scene to its file.", lambda app: app.dock(FilesDock).save(), _no_world),
    Command(
        "save_as",
        "File",
        "Save as…",
        "Ctrl Shift S",
        "Save the scene under another name.",
        lambda app: app.dock(FilesDock).save_as(),
        _no_world,
    ),
    Command(
        "picture", "Export", "Picture", "F12", "Save a picture of the window as PNG.", lambda app: app.dock(FilesDock).picture(), _no_demo
    ),
    Command(
        "film",
        "Export",
        "Film, MP4",
        "Ctrl F",
        "Save a film of the last 20 s.",
        lambda app: app.dock(RecordingDock).export(app.session, ".mp4"),
        _no_film,
    ),
    Command(
        "gif",
        "Export",
        "Film, GIF",
        "Ctrl Shift F",
        "Save the last 20 s as a GIF.",
        lambda app: app.dock(RecordingDock).export(app.session, ".gif"),
        _no_film,
    ),
    Command(
        "page",
        "Export",
        "Web page",
        "Ctrl P",
        "Save the last 20 s as a page that plays in any browser.",
        lambda app: app.dock(RecordingDock).export(app.session, ".html"),
        _no_film,
    ),
    Command(
        "record",
        "Export",
        "Record",
        "Ctrl R",
        "Start or stop recording to a file that replays exactly.",
        lambda app: app.dock(RecordingDock).toggle_recording(app.session),
        _no_past,
    ),
    Command("solver", "Compare", "Next solver", "Shift F11", "Continue with another solver.", lambda app: app.next_solver(), _no_world),
    Command(
        "beside",
        "Compare",
        "Compare solvers",
        "F11",
        "Run a second solver from the beginning and draw it over this one; press again to remove it.",
        lambda app: app.next_comparison(),
        _no_comparison,
    ),
    Command(
        "step_through",
        "Panels",
        "Step through it",
        "F6",
        "Step through the algorithm for the object under the pointer, or for the deepest contact.",
        lambda app: app.step_through(),
        _no_stepper,
    ),
    Command(
        "step_solver",
        "Panels",
        "Step through the solver",
        "Shift F6",
        "Show the next step of the world, impulse by impulse.",
        lambda app: app.step_through_solver(),
        _no_world,
    ),
    Command(
        "inspector",
        "Panels",
        "Inspector",
        "I",
        "Show the properties of the selection and the settings of the world.",
        lambda app: app.dock(InspectorDock).toggle_shown(),
        _no_history,
    ),
    Command(
        "plots",
        "Panels",
        "Plots",
        "F7",
        "Plot energy, momentum and the watched body's speed.",
        lambda app: app.dock(PlotDock).toggle_shown(),
        _no_past,
    ),
    Command(
        "network",
        "Panels",
        "Network",
        "F3",
        "Show users, traffic and corrections.",
        lambda app: app.dock(NetworkDock).toggle_shown(),
        _not_shared,
    ),
    Command(
        "tools", "Panels", "Tool bar", "Shift T", "Hide or show the tool bar.", lambda app: app.dock(ToolsDock).toggle_shown(), _no_history
    ),
    Command("more", "Show", "More", "", "Show all settings, the solver and the live check.", lambda app: app.appearance.toggle_more()),
    Command("keys", "Window", "All keys", "F1", "Show what every key does.", lambda app: app.open_keys()),
    Command("menu", "Window", "Menu", "Ctrl M", "Open the menu.", lambda app: app.open_menu()),
    Command(
        "theme",
        "Window",
        "Dark or light",
        "F10",
        "Switch between the dark and the light theme.",
        lambda app: app.appearance.next_theme(),
    ),
    Command(
        "larger_text",
        "Window",
        "Larger text",
        "Ctrl +",
        "Make text and buttons larger.",
        lambda app: app.appearance.change_scale(app.screen, 1, app.session.messages.answer),
    ),
    Command(
        "smaller_text",
        "Window",
        "Smaller text",
        "Ctrl -",
        "Make text and buttons smaller.",
        lambda app: app.appearance.change_scale(app.screen, -1, app.session.messages.answer),
    ),
    Command(
        "usual_text",
        "Window",
        "Default text size",
        "Ctrl 0",
        "Return to the default text size.",
        lambda app: app.appearance.change_scale(app.screen, 0, app.session.messages.answer),
    ),
    Command(
        "demos", "Window", "Back to the demos", "Esc", "Go back from a close-up, a stepper or a demo.", lambda app: app.back(), _in_list
    ),
    Command("quit", "Window", "Quit", "Ctrl Q", "Close the window; unsaved work can be reopened next time.", lambda app: app.close()),
    Command("pause", "Time", "Pause", "Space", "Pause or continue.", lambda app: app.session.clock.toggle_pause(), _no_demo),
    Command("step", "Time", "Step", "N or .", "Take one step.", lambda app: app.session.clock.request_step(), _not_ours),
    Command("step_back", "Time", "Step back", ",", "Go back one step.", lambda app: app.session.timeline.back(), _no_past),
    Command(
        "slower", "Time", "Slower", "[ or -", "Slow down, to as little as 1/100 speed.", lambda app: app.session.clock.slower(), _no_demo
    ),
    Command(
        "faster", "Time", "Faster", "] or +", "Speed up, to at most 8 times real time.", lambda app: app.session.clock.faster(), _no_demo
    ),
    Command("restart", "Time", "Restart", "R", "Start over from the beginning.", lambda app: app.session.restart(), _no_demo),
    Command("undo", "Time", "Undo", "Ctrl Z", "Undo your last action.", lambda app: app.session.undo(), _no_history),
    Command(
        "redo",
        "Time",
        "Redo",
        "Ctrl Y or Ctrl Shift Z",
        "Redo the action that you undid.",
        lambda app: app.session.timeline.redo(),
        _no_redo,
    ),
    Command("to_start", "Time", "To the start", "", "Go back to the first step.", lambda app: app.session.timeline.seek(0), _no_past),
    Command("to_end", "Time", "To the end", "End", "Go to the newest step.", lambda app: app.session.timeline.to_the_end(), _no_past),
    *LAYERS,
    Command("home", "Show", "Fit view", "Home", "Show everything, and stop following.", lambda app: app.session.view.home(), _no_demo),
    Command(
        "follow",
        "Show",
        "Follow",
        "V",
        "Follow the body you point at, or stop following.",
        lambda app: app.dock(CameraDock).follow(app.session),
        _no_history,
    ),
    Command(
        "drive",
        "Shared world",
        "Drive a body",
        "F2",
        "Push the body you point at (arrow keys), or stop pushing.",
        lambda app: app.dock(PeopleDock).drive(app.session),
        _not_shared,
    ),
    Command(
        "offline",
        "Shared world",
        "Continue alone",
        "F4",
        "Disconnect and continue alone.",
        lambda app: app.network.go_offline(),
        _not_shared,
    ),
    Command(
        "rejoin", "Shared world", "Rejoin", "Shift F4", "Reconnect to the shared world.", lambda app: app.network.rejoin(), _not_shared
    ),
)

_MENU = ("File", "Export", "Compare", "Panels", "Window")
_NOT_IN_MENU = ("menu", "tools", "usual_text")
_BY_ID = {command.id: command for command in COMMANDS}


def find(id: str) -> Command:
    """Return the command with this id."""
    return _BY_ID[id]


def run(command: Command, app: App) -> None:
    """Run a command, or show why it is disabled."""
    if reason := command.disabled(app):
        app.session.messages.answer(f"Not available: {reason}.")
    else:
        app.session.done.add(command.id)
        command.run(app)


def button_of(command: Command, press: Callable[[Command], object], words: str = "{title}", **more: Any) -> Button:
    """Return the button of a command; its words may contain {title} and {key}, and `more` is passed to `Button`."""
    tip = tooltip(command.title, command.key, command.help)
    return Button(words.format(title=command.title, key=command.key), partial(press, command), tip, **more)


def menu_groups(app: App) -> tuple[tuple[str, tuple[Command, ...]], ...]:
    """Return the menu's entries under their headings, without commands that have a visible button."""
    return tuple(
        (
            name,
            tuple(
                command
                for command in COMMANDS
                if command.group == name and command.id not in _NOT_IN_MENU and (command.id != "network" or app.session.is_shared)
            ),
        )
        for name in _MENU
    )


# -- keys ---------------------------------------------------------------------------------------------------------------

_CTRL, _SHIFT = pygame.KMOD_CTRL | pygame.KMOD_META, pygame.KMOD_SHIFT
_KEYS = {chord: command for command in COMMANDS for chord in chords(command.key)}


def command_of(event: pygame.event.Event) -> Command | None:
    """Return the command of a key press; Shift is ignored unless it selects another command."""
    if event.unicode in ("[", "]"):  # on many keyboards these need AltGr and a digit
        return _KEYS[ord(event.unicode), False, False]
    if event.mod & (pygame.KMOD_ALT | pygame.KMOD_MODE):
        return None
    control, shift = bool(event.mod & _CTRL), bool(event.mod & _SHIFT)
    return _KEYS.get((event.key, control, shift)) or _KEYS.get((event.key, control, False))


def is_of_demo(app: App, key: str, command: Command) -> bool:
    """Return True if a command's key, by its pygame name, belongs to the demo: the demo requires it, or uses it while the command is
    disabled."""
    panel, demo = app.screen.panel, app.session.demo
    return key in demo.takes_keys or (panel is not None and key in panel.keys and bool(command.disabled(app)))


# -- the page of keys ---------------------------------------------------------------------------------------------------

_POINTER = (
    ("Drag", "grab a body"),
    ("Right or Ctrl drag", "move the view"),
    ("Wheel, Page Up, Page Down", "zoom at the pointer"),
    ("Drop a file", "open it; a picture becomes a body"),
    ("Point at a ring", "show why Box2D's answer differs"),
    ("Click a ring", "show a close-up; click again to step through it"),
    ("Click a contact", "step through its manifold"),
    ("Shift click a contact", "step through the solver, impulse by impulse"),
)
_CONTROLS = (
    ("Tab, Shift Tab", "next or previous control"),
    ("Enter, Space", "press the button; type in the field"),
    ("Arrow keys", "move the slider; go to the next button"),
    ("Esc", "leave the control"),
)
_SKINS = (
    "Separations (7) are measured between the cores. A polygon has a skin of 10 mm, and Box2D lets two skins overlap by 5 mm, so "
    "polygons at rest show 15 mm, and a polygon and a disc show 5 mm."
)
_GROUPS = ("Time", "Show", "Window", "File", "Export", "Compare", "Panels", "Shared world")


def key_rows(app: App, docks: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> list[Row]:
    """Return the page of keys: (heading, keys) of the demo, the pointer, the commands and the docks; and the reasons of rings."""
    unusable = (NO_PAST, NO_REDO) if app.session.is_shared else (_NOT_SHARED,)
    demo = app.session.demo.keys
    groups = [("This demo", demo)] if demo else []
    groups += [("Mouse", _POINTER), ("Controls", _CONTROLS)]

    def words(row: Command) -> str:
        plain = [pygame.key.name(key_codes(key)[0]) for key in row.key.split(" or ") if " " not in key]
        is_taken = bool(plain) and all(is_of_demo(app, key, row) for key in plain)
        return f"{row.title} (in other demos)" if is_taken else row.title

    for name in _GROUPS:
        rows = tuple((row.key, words(row)) for row in COMMANDS if row.group == name and row.key and row.disabled(app) not in unusable)
        if rows and (name != "Shared world" or app.session.is_shared):
            groups.append((name, rows))
    page: list[Row] = []
    for name, keys in (*groups, *docks):
        page += [Heading(name), *(Line(key, words, bold=True) for key, words in keys)]
    page += [
        Heading("Rings of the live check"),
        Note("Every contact is computed twice. An orange ring marks a difference, for one of these reasons:"),
    ]
    for reason in REASONS.values():
        page += [Note(reason.name, 12.0, palette.EXPLAINED, bold=True), Note(reason.sentence)]
    return [*page, Note("+15 mm", 12.0, palette.EXPLAINED, bold=True), Note(_SKINS)]


def markdown() -> str:
    """Return the table of all commands for docs/window.md."""
    lines = ["| command | key | what it does |", "|---|---|---|"]
    lines += [f"| {command.title} | {command.key and f'`{command.key}`'} | {command.help} |" for command in COMMANDS]
    return "\n".join(lines)
