"""Converts a demo to a scene: what is seen, when the user saves it, and what was built, for a recovery file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.app.dropped_picture import kept_picture, pictures_of
from engine.common.errors import LabError
from engine.common.words import counted
from engine.render import palette
from engine.scenes import Scene, SceneWorld
from engine.scenes.pictures import MAX_ALL_PICTURE_BYTES, MAX_PICTURED_BODIES, MAX_PICTURES, BodyPicture
from engine.scenes.scene import MAX_NOTES, MAX_TEXT, MAX_WORLDS, scene_of_snapshot
from engine.sim.actions import Drop, Edit, PressKey, Restart
from engine.sim.scene_demo import BUILDING, SceneDemo

if TYPE_CHECKING:
    from engine.app.session import Session
    from engine.render.palette import Color
    from engine.sim.action import Input
    from engine.sim.demo import Demo
    from engine.sim.dropping import DroppedBody
    from engine.sim.history import History
    from engine.sim.stage import Stage

__all__ = ["built", "kept_maker", "scene_maker"]

_GAP = 0.1
"""Gap between worlds placed below each other, in heights."""


def built(history: History[Demo], until: int | None = None) -> list[tuple[int, Input]]:
    """Return the manual changes and dropped files since the last clear, each with its step; changes before time advanced share a step.

    `until` defaults to the demo's present step.
    """
    built_inputs: list[tuple[int, Input]] = []
    for step in range(_start(history), (history.now if until is None else until) + 1):
        for entry in history.branch.inputs[step]:
            if _clears(history, entry):
                built_inputs.clear()
            elif isinstance(entry.action, Edit | Drop):
                built_inputs.append((step, entry))
    return built_inputs


def kept_maker(session: Session) -> Callable[[], Scene]:
    """Return a function that makes the scene for a recovery file: as it was after the last manual change, ready to run.

    It may be called in another thread. If moving to that step and back takes long, the scene is the present one.
    """
    history = session.timeline.history
    if history is None:
        return scene_maker(session)
    changes = built(history)
    step = changes[-1][0] if changes else _start(history)
    is_far = _is_still(history, step) or not (history.is_near(step) and history.is_near(history.now))
    return _maker_at(session, history.now if is_far else step)


def _maker_at(session: Session, step: int, title: str = "") -> Callable[[], Scene]:
    """Return what `scene_maker` returns at a step, without moving the demo."""
    history = session.timeline.history
    if history is None or step == history.now:
        return scene_maker(session, title)
    makers: list[Callable[[], Scene]] = []
    history.visit(step, lambda: makers.append(scene_maker(session, title)))
    return makers[0]


def scene_maker(session: Session, title: str = "") -> Callable[[], Scene]:
    """Return a function that makes the scene of a demo's present worlds, without the grab; it may be called later in any thread.

    The scene of a demo has its title unless another is given; the scene of a scene file keeps its own.
    """
    demo = session.demo
    if not demo.stages:
        raise LabError("this demo has no world")
    grip = demo.grip
    name, watch = demo.title, demo.watch
    origin = demo.scene.demo if isinstance(demo, SceneDemo) else demo.id if demo.keeps_scenes else ""
    values = {
        parameter.name: parameter.shown(value) if parameter.choices else value
        for parameter in (demo.parameters if origin else ())
        for value in (demo.parameter(parameter.name),)
    }
    if not isinstance(demo, SceneDemo):
        step = demo.stages[0].world.step_index
        moment = f" at step {step}" if step else ""
        watch = f"This scene has all bodies and joints of the demo {name}{moment}, but not the demo's own buttons and sliders."
        if demo.tries is BUILDING:
            watch = f"You built this scene in the {name}. Draw more bodies, join them, and throw them."
        name = title or name
    shown = demo.stages[:MAX_WORLDS]
    offsets = _side_by_side(shown)
    is_in_place = all(stage.offset == offset for stage, offset in zip(shown, offsets, strict=True))
    camera = session.view.seen if is_in_place else None
    is_paused = session.clock.paused
    labels = [stage.label[:MAX_TEXT] for stage in shown]
    held = [{grip.joint} if grip is not None and grip.stage is stage else set() for stage in shown]
    snapshots = [stage.world.snapshot() for stage in shown]
    seen = [pictures_of(demo, stage) for stage in shown]
    colors = [_colors_of(demo, stage) for stage in shown]
    notes = (
        (f"{counted(len(demo.stages) - len(shown), 'world')} omitted: a scene has at most {MAX_WORLDS}.",) if demo.stages != shown else ()
    )

    def scene() -> Scene:
        pictures, left_out = _kept_pictures(seen)
        made = [
            _without_defaults(scene_of_snapshot(snapshot, name, watch, without_joints=hand, pictures=own, colors=painted))
            for snapshot, hand, own, painted in zip(snapshots, held, pictures, colors, strict=True)
        ]
        new_notes = (*left_out, *(note for world in made for note in world.notes))
        others = tuple(
            SceneWorld(world.settings, world.bodies, world.joints, offset, label, world.pictures, world.colors, world.solver)
            for world, offset, label in zip(made[1:], offsets[1:], labels[1:], strict=True)
        )
        kept = (*notes, *new_notes)[:MAX_NOTES]
        first = replace(made[0], camera=camera, paused=is_paused, notes=kept, offset=offsets[0], label=labels[0], worlds=others)
        return replace(first, demo=origin, values=tuple(values.items()))

    return scene


def _colors_of(demo: Demo, stage: Stage) -> dict[int, Color]:
    """Return the colors of all dynamic bodies and of those that the demo colors, by id."""
    world = stage.world
    by_id = {body: palette.body_color(body) for body in world.body_ids if world.body(body).spec.type == "dynamic"}
    return by_id | dict(demo.body_colors(stage))


def _without_defaults(scene: Scene) -> Scene:
    """Return a scene without the colors in which its bodies would be drawn anyway: deleted bodies and lost ids shift the default colors."""
    colors = ((body, color) for body, color in scene.colors if scene.bodies[body].type != "dynamic" or color != palette.body_color(body))
    return replace(scene, colors=tuple(colors))


def _kept_pictures(seen: Sequence[Sequence[tuple[tuple[int, ...], DroppedBody]]]) -> tuple[list[list[BodyPicture]], list[str]]:
    """Return the pictures of each world, within the limit of a scene, and a note if some are left out."""
    pictures: list[list[BodyPicture]] = []
    room, n_pictures, n_bodies, n_left_out = MAX_ALL_PICTURE_BYTES, 0, 0, 0
    for world in seen:
        own: dict[tuple[object, ...], BodyPicture] = {}
        for bodies, body in world:
            picture = kept_picture(bodies, body)
            if picture is None:
                continue
            key = picture.png, picture.lower, picture.upper
            is_new = key not in own  # otherwise the same file, dropped again
            if n_bodies + len(bodies) > MAX_PICTURED_BODIES or (is_new and (len(picture.png) > room or n_pictures == MAX_PICTURES)):
                n_left_out += len(bodies)
                continue
            own[key] = picture if is_new else replace(own[key], bodies=(*own[key].bodies, *bodies))
            n_bodies += len(bodies)
            if is_new:
                room, n_pictures = room - len(picture.png), n_pictures + 1
        pictures.append(list(own.values()))
    return pictures, [
        f"The pictures of {counted(n_left_out, 'body', 'bodies')} were omitted because they exceed the size limit of a scene."
    ] if n_left_out else []


def _start(history: History[Demo]) -> int:
    """Return the step at which the demo last started, restarted or was cleared."""
    first, inputs = history.now - history.demo.steps, history.branch.inputs
    return max((step for step in range(first, history.now + 1) if any(_clears(history, entry) for entry in inputs[step])), default=first)


def _clears(history: History[Demo], given: Input) -> bool:
    """Return True if an input removes everything built by hand."""
    clear_key = history.demo.clear_key
    return given.action == (PressKey(clear_key) if clear_key else Restart())


def _is_still(history: History[Demo], step: int) -> bool:
    """Return True if nothing has moved since a step, to the last bit."""
    states, first = history.branch.states, min(step + 1, history.now)
    return step == history.now or (
        states.bodies[first] == states.bodies[history.now] and states.digests[first] == states.digests[history.now]
    )


def _side_by_side(stages: Sequence[Stage]) -> list[tuple[float, float]]:
    """Return the positions of the worlds in the picture; worlds at one place are put below each other."""
    offsets = [stage.offset for stage in stages]
    if len(set(offsets)) == len(offsets):
        return offsets
    top, placed = 0.0, []
    for stage in stages:
        box = stage.bounds
        lower, upper = (0.0, 0.0) if box is None else (box.lower[1] - stage.offset[1], box.upper[1] - stage.offset[1])
        placed.append((0.0, top - upper))
        top -= (upper - lower) * (1.0 + _GAP)
    return placed
