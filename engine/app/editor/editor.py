"""State shared by the tools and the inspector: the selection, the clipboard, and the path of every change.

Changes go through `Session.act` and are thus part of the demo's history: they are undone, replayed and recorded. Changes that belong
together, such as the hundred moves of one drag, are one `Gesture`, which one undo reverts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.app.editor.background import BackgroundJobs
from engine.app.session import Session
from engine.common.errors import LabError
from engine.render import palette
from engine.sim.actions import ChangeBody, CreateBody, DestroyBody, DestroyJoint, Edit, SetAwake
from engine.sim.ids import IDS_OF_A_USER

if TYPE_CHECKING:
    from engine.sim.stage import Stage
    from engine.world import BodySpec, World
    from engine.world.joints.interface import JointSpec

__all__ = ["Chosen", "ChosenJoint", "Copied", "Editor", "Gesture"]


class Chosen(NamedTuple):
    """A body, by stage and id."""

    stage: int
    body: int


class ChosenJoint(NamedTuple):
    """A joint, by stage and id."""

    stage: int
    joint: int


@dataclass(frozen=True, slots=True)
class Copied:
    """Copied bodies relative to `middle`; in `joints`, the numbers of bodies and joints are indices into `bodies` and `joints`."""

    bodies: tuple[BodySpec, ...]
    joints: tuple[JointSpec, ...]
    middle: tuple[float, float]


_NUMBERED = re.compile(r"(.*\S) \d+", re.DOTALL)


class Gesture:
    """Edits that one undo reverts together, as long as the demo is not rewound between them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._last: int | None = None
        self._names: dict[int, set[str]] = {}
        """Names of the bodies of each stage, collected when the first body is created."""

    @property
    def has_begun(self) -> bool:
        """True if an edit was applied."""
        return self._last is not None

    def edit(self, edit: Edit) -> Any:
        """Apply an edit; return its result.

        Raises
        ------
        LabError
            The world rejects it.
        """
        history = self._session.timeline.history
        now = 0 if history is None else history.now
        goes_on = self._last is not None and now >= self._last and (history is None or history.at_tip)
        self._last = now
        return self._session.act(edit.continued() if goes_on else edit)

    def create(self, stage: int, spec: BodySpec, kind: str = "") -> int:
        """Create a body and return its id; its unique name identifies it in plots, the log, tables and files.

        The name is the `kind` and the body's id, as in "box 46", or the next unused number; in a shared world "Ann's box 3", with a number
        from the user's range. Without a kind, a copy whose original has such a name is numbered likewise; other names are kept.

        Raises
        ------
        LabError
            The world rejects it.
        """
        world = self._session.demo.stages[stage].world
        names = self._names.setdefault(stage, {world.body(body).spec.name for body in world.body_ids})
        made: int = self.edit(CreateBody.of(stage, spec))
        numbered = _NUMBERED.fullmatch(spec.name)
        word = kind or (numbered.group(1) if numbered is not None else "")
        if word:
            maker = self._session.driver.maker
            word = maker + (word.rpartition("'s ")[2] if maker else word)
            user, number = divmod(made, IDS_OF_A_USER)
            number += user > 0
            while f"{word} {number}" in names:
                number += 1
            names.add(f"{word} {number}")
            self.edit(ChangeBody(stage, made, {"name": f"{word} {number}"}))
        return made


class Editor:
    """State that outlives a tool.

    Attributes
    ----------
    session : Session
        Set by the docks once there is one.
    selection : list of Chosen
        Bodies in the order of selection; all exist at the beginning of a frame.
    joint : ChosenJoint or None
        The selected joint; then no body is selected. Selecting bodies or clearing the selection deselects it.
    is_selecting : bool
        True if the select tool is active: the selection can then be seen and changed.
    is_building : bool
        True if the active tool creates or deletes objects: only its own text is then shown at the pointer.
    is_dragging : bool
        True while the button that a tool handles is held down.
    copied : Copied or None
        The clipboard; it outlives the demo.
    background : BackgroundJobs
        Work in a thread.
    being_cut : list of sequence of point
        Outlines of which no body has been made yet, in meters of the picture; they stay visible.
    """

    session: Session

    def __init__(self) -> None:
        self._selection: list[Chosen] = []
        self._joint: ChosenJoint | None = None
        self.is_selecting = self.is_building = self.is_dragging = False
        self.copied: Copied | None = None
        self.background = BackgroundJobs()
        self.being_cut: list[tuple[tuple[float, float], ...]] = []

    @property
    def pair(self) -> tuple[Stage, int, int] | None:
        """The stage and ids of the two selected bodies, if exactly two bodies of one stage are selected."""
        if not self.is_selecting or len(self.selection) != 2 or self.selection[0].stage != self.selection[1].stage:
            return None
        a, b = self.selection
        return self.session.demo.stages[a.stage], a.body, b.body

    def begin(self, session: Session) -> None:
        """Switch to another session."""
        self.session = session
        self.selection = []
        self.being_cut.clear()

    @property
    def selection(self) -> list[Chosen]:
        """The selected bodies."""
        return self._selection

    @selection.setter
    def selection(self, chosen: list[Chosen]) -> None:
        self._selection, self._joint = chosen, None

    @property
    def joint(self) -> ChosenJoint | None:
        """The selected joint."""
        return self._joint

    @joint.setter
    def joint(self, chosen: ChosenJoint) -> None:
        self._selection, self._joint = [], chosen

    @property
    def stages(self) -> list[Stage]:
        """The stages of the running demo."""
        return self.session.demo.stages

    def world(self, stage: int) -> World:
        """Return the world of a stage."""
        return self.stages[stage].world

    @property
    def refusal(self) -> str:
        """Why this demo cannot be changed; empty if it can."""
        if not self.stages:
            return "This demo has no world, so there is nothing to edit."
        return self.session.demo.no_edits

    def is_alive(self, chosen: Chosen) -> bool:
        """Return True if a body exists."""
        return chosen.stage < len(self.stages) and self.world(chosen.stage).is_body(chosen.body)

    def prune(self) -> None:
        """Deselect objects that no longer exist."""
        if self._selection:
            self._selection = [chosen for chosen in self._selection if self.is_alive(chosen)]
        if self._joint is not None:
            stage, joint = self._joint
            if stage >= len(self.stages) or not self.world(stage).is_joint(joint):
                self._joint = None

    def say(self, words: str) -> None:
        """Show a message in the status strip."""
        self.session.messages.answer(words, palette.WARNING)

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Show a rejection inside the block as a message instead of raising it."""
        try:
            yield
        except LabError as error:
            self.say(str(error))

    def gesture(self) -> Gesture:
        """Begin edits that are undone together."""
        return Gesture(self.session)

    @contextmanager
    def change(self) -> Iterator[Gesture]:
        """Begin edits that are undone together, and show rejections, as `telling` does."""
        with self.telling():
            yield self.gesture()

    def destroy(self, chosen: list[Chosen]) -> None:
        """Delete bodies."""
        with self.change() as gesture:
            for item in chosen:
                if self.is_alive(item):
                    gesture.edit(DestroyBody(item.stage, item.body))
        self.prune()

    def destroy_joint(self) -> None:
        """Delete the selected joint and the gears that depend on it."""
        if self._joint is not None:
            with self.change() as gesture:
                gesture.edit(DestroyJoint(self._joint.stage, self._joint.joint))
        self.prune()

    def pin(self) -> None:
        """Make the selection static, or dynamic if all of it is static."""
        specs = [self.world(item.stage).body(item.body).spec for item in self.selection]
        new_type = "dynamic" if all(spec.type == "static" for spec in specs) else "static"
        with self.change() as gesture:
            for item, spec in zip(self.selection, specs, strict=True):
                if spec.type != new_type:
                    gesture.edit(ChangeBody(item.stage, item.body, {"type": new_type}))
                    gesture.edit(SetAwake(item.stage, item.body, True))

    def wake_around(self, gesture: Gesture, chosen: list[Chosen]) -> None:
        """Wake the bodies that touch the given ones, because their support may disappear."""
        for stage in sorted({item.stage for item in chosen}):
            world, bodies = self.world(stage), {item.body for item in chosen if item.stage == stage}
            contacts = world.contacts
            touching: set[int] = set()
            for a, b in zip(contacts.body_a.tolist(), contacts.body_b.tolist(), strict=True):
                touching |= {b} if a in bodies else {a} if b in bodies else set()
            for body in sorted(touching - bodies):
                if world.is_body(body) and world.body(body).spec.type == "dynamic" and not world.state(body).awake:
                    gesture.edit(SetAwake(stage, body, True))
