"""The inspector's rows: the properties and the state of the selection, or the settings of the worlds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from engine.app.editor.editor import Chosen, Editor, Gesture
from engine.app.stepper_requests import door_of_bodies
from engine.common.errors import LabError
from engine.common.words import counted, plain_number
from engine.sim.actions import ChangeBody, ChangeFixture, ChangeWorld, SetAwake, SetPose, SetVelocity
from engine.sim.ids import IDS_OF_A_USER
from engine.ui.rows import Choice, Heading, Line, Note, Number, Row, Switch, Text
from engine.world import World
from engine.world.fields import changed
from engine.world.specs import BODY_TYPES

__all__ = ["body_rows", "world_rows"]

_MAX_READ = 20
"""Maximum number of selected bodies that are checked for equal values; changes apply to all of them."""

_SETTINGS: tuple[tuple[str, float, str, str], ...] = (
    ("hertz", 10.0, "Hz", "Steps per second. A higher rate is more accurate and makes stacks stiffer, but takes more time."),
    ("velocity_iterations", 1.0, "", "Velocity sweeps over contacts and joints. More sweeps make stacks and chains stiffer."),
    (
        "position_iterations",
        1.0,
        "",
        "Position sweeps that push overlapping bodies apart and pull joints together. More sweeps leave less overlap.",
    ),
)
_SWITCHES: tuple[tuple[str, str], ...] = (
    ("warm_starting", "Starts each step with the impulses of the last one. If off, tall stacks sink and jitter."),
    (
        "continuous",
        "Stops fast bodies when they hit static bodies, and bullets when they hit any body. If off, they pass through thin walls.",
    ),
    ("sleeping", "Lets bodies at rest sleep (drawn dim) until something touches them. If off, every body is simulated in every step."),
    (
        "sub_stepping",
        "Handles one time-of-impact event per step, to study continuous collision. Time runs more slowly while bodies collide.",
    ),
)

_STEPPERS = {"contact": "manifold", "distance": "distance", "overlap": "overlap"}
"""Queries of two bodies with a stepper, by the labels of their buttons."""

_SAYS: dict[str, str] = {
    "type": "A static body never moves; a kinematic one moves at its own velocity; a dynamic one responds to forces and contacts.",
    "name": "The body's name in the log, plots, tables and files.",
    "bullet": 'The body stops at its first contact, even with a moving body. Requires the world\'s "continuous" setting.',
    "fixed_rotation": "The body never rotates.",
    "awake": "The body is simulated in each step. If off, it sleeps until something touches it.",
    "allow_sleep": "The body falls asleep after half a second at rest.",
    "linear_damping": "Drag on the velocity; at 1 the body loses two thirds of its velocity per second.",
    "angular_damping": "Drag on the angular velocity.",
    "gravity_scale": "Multiplies gravity; at 0 the body floats, below 0 it rises.",
    "density": "Mass per square meter; sets the body's mass and inertia.",
    "friction": "0 is as slippery as ice. A contact uses the square root of the product of both bodies' values.",
    "restitution": "Fraction of the speed kept in a bounce. A contact uses the larger of both bodies' values; below 1 m/s nothing bounces.",
    "sensor": "Detects overlapping bodies, but does not stop them.",
    "category": "Bits of the body's own category.",
    "mask": "Bits of the categories that the body collides with; the masks of both bodies must allow the collision.",
    "group": "Bodies in the same group always collide if its number is positive "
    "and never if it is negative. At 0, category and mask decide.",
    "x": "Type a coordinate to move the body there.",
    "y": "Type a coordinate to move the body there.",
    "angle": "Type an angle to turn the body; counter-clockwise is positive.",
    "vx": "Type a velocity to throw the body to the right.",
    "vy": "Type a velocity to throw the body upward.",
    "spin": "Type a rate to spin the body counter-clockwise.",
}
"""Tooltips of a body's properties, by name."""


def world_rows(editor: Editor) -> list[Row]:
    """Return the settings of the worlds; a change applies to all of them."""
    if editor.refusal:
        return [Heading("World"), Note(editor.refusal)]
    settings = editor.stages[0].world.settings

    def setter(name: str) -> Callable[[Any], None]:
        return lambda value: _set_world(editor, name, value)

    gx, gy = settings.gravity
    rows: list[Row] = [
        Heading("World" if len(editor.stages) == 1 else f"All {len(editor.stages)} worlds"),
        Number("gravity x", gx, lambda x: _set_world(editor, "gravity", (x, gy)), 1.0, "m/s²"),
        Number("gravity y", gy, lambda y: _set_world(editor, "gravity", (gx, y)), 1.0, "m/s²"),
        Note("Acceleration of every free body, regardless of mass. On Earth, y is -9.8."),
    ]
    for name, step, unit, words in _SETTINGS:
        title = "step rate" if name == "hertz" else name.replace("_", " ")
        rows += [
            Number(title, getattr(settings, name), setter(name), step, unit, name != "hertz"),
            Note(words),
        ]
    for name, words in _SWITCHES:
        rows += [Switch(name.replace("_", " "), getattr(settings, name), setter(name)), Note(words)]
    rows.append(Note("Changes last until the demo restarts (R); undo reverts them."))
    return rows


def body_rows(editor: Editor) -> list[Row]:
    """Return the editable properties of the selected bodies, and the state of the first one."""
    chosen = editor.selection
    if not chosen:
        return [
            Heading("Selection"),
            Note("Nothing is selected. Press Shift S, then click a body or a joint's ring, or drag a frame around several bodies."),
        ]
    first = chosen[0]
    world = editor.world(first.stage)
    body, state = world.body(first.body), world.state(first.body)
    read = [editor.world(item.stage).body(item.body) for item in chosen[:_MAX_READ]]
    title, called = counted(len(chosen), "body", "bodies"), editor.session.called("body", first.body)
    has_maker = bool(body.spec.name) and first.body >= IDS_OF_A_USER
    if len(chosen) == 1 and has_maker:
        title = body.spec.name
    elif len(chosen) == 1:
        title = called[:1].upper() + called[1:] + (f": {body.spec.name}" if body.spec.name else "")

    def differs(name: str) -> bool:
        return any(getattr(other.spec, name) != getattr(body.spec, name) for other in read)

    def setter(name: str) -> Callable[[Any], None]:
        return lambda value: _set_bodies(editor, name, value)

    def number(name: str, step: float, unit: str = "") -> Number:
        return Number(name.replace("_", " "), getattr(body.spec, name), setter(name), step, unit, is_mixed=differs(name), tip=_SAYS[name])

    def switch(name: str, words: str) -> Switch:
        return Switch(words, getattr(body.spec, name), setter(name), differs(name), _SAYS[name])

    rows: list[Row] = [
        Heading(title),
        Choice("type", BODY_TYPES, body.spec.type, setter("type"), differs("type"), _SAYS["type"]),
        Text("name", body.spec.name, setter("name"), differs("name"), _SAYS["name"]),
        switch("bullet", "bullet (CCD, all bodies)"),
        switch("fixed_rotation", "fixed rotation"),
        Switch("awake", state.awake, lambda awake: _wake(editor, awake), tip=_SAYS["awake"]),
        switch("allow_sleep", "may sleep"),
        number("linear_damping", 0.1, "1/s"),
        number("angular_damping", 0.1, "1/s"),
        number("gravity_scale", 0.5),
    ]
    rows += _stepper_rows(editor)
    rows += _fixture_rows(editor, read)
    rows += _motion_rows(editor, first)
    touching = int((editor.stages[first.stage].touching == first.body).any(axis=0).sum())
    speed = math.hypot(*state.linear_velocity)
    energy = 0.5 * body.mass * speed * speed + 0.5 * body.inertia * state.angular_velocity**2
    rows += [
        Heading("State" if len(chosen) == 1 else f"State of {body.spec.name if has_maker else called}"),
        Line("speed", f"{plain_number(speed)} m/s"),
        Line("mass", f"{plain_number(body.mass)} kg"),
        Line("inertia", f"{plain_number(body.inertia)} kg m²"),
        Line("kinetic energy", f"{plain_number(energy)} J"),
        Line("contacts", str(touching)),
        Line("joints", str(len(body.joints))),
        Line("fixtures", str(len(body.fixtures))),
        Line("sleeps", "no" if state.awake else "yes"),
    ]
    return rows


def _stepper_rows(editor: Editor) -> list[Row]:
    """Return the stepper buttons of two bodies, if exactly two are selected."""
    pair = editor.pair
    if pair is None:
        return []
    stage, a, b = pair

    def watch(word: str) -> None:
        try:
            editor.session.watch(door_of_bodies(stage, a, b, _STEPPERS[word]))
        except LabError as error:
            editor.say(str(error))

    return [
        Heading("Step by step"),
        Choice("algorithm for these two bodies", tuple(_STEPPERS), "", watch, tip="Shows every step of our algorithm on these shapes."),
    ]


def _fixture_rows(editor: Editor, read: list[Any]) -> list[Row]:
    """Return the properties of all fixtures of all selected bodies."""
    specs = [spec for body in read for spec in body.spec.fixtures]
    if not specs:
        return []

    def differs(name: str) -> bool:
        return any(getattr(spec, name) != getattr(specs[0], name) for spec in specs)

    def setter(name: str, is_whole: bool = False) -> Callable[[Any], None]:
        return lambda value: _set_fixtures(editor, name, int(value) if is_whole else value)

    def number(name: str, step: float, unit: str = "", whole: bool = False, base: int = 10) -> Number:
        return Number(name, getattr(specs[0], name), setter(name, whole), step, unit, whole, base, differs(name), _SAYS[name])

    return [
        Heading("Material"),
        number("density", 0.5, "kg/m²"),
        number("friction", 0.1),
        number("restitution", 0.1),
        Switch("sensor", specs[0].sensor, setter("sensor"), differs("sensor"), _SAYS["sensor"]),
        Heading("Filter"),
        number("category", 1.0, whole=True, base=16),
        number("mask", 1.0, whole=True, base=16),
        number("group", 1.0, whole=True),
    ]


def _motion_rows(editor: Editor, first: Chosen) -> list[Row]:
    """Return the pose and the motion of the first selected body; typed numbers change them."""
    world = editor.world(first.stage)
    state = world.state(first.body)
    (x, y), angle = state.position, state.angle
    (vx, vy), spin = state.linear_velocity, state.angular_velocity

    # other values keep their present state, because the body moves while the user types
    def put(x: float | None = None, y: float | None = None, angle: float | None = None) -> None:
        now = world.state(first.body)
        at = now.position[0] if x is None else x, now.position[1] if y is None else y
        _move(editor, SetPose, first, at, now.angle if angle is None else angle)

    def throw(vx: float | None = None, vy: float | None = None, spin: float | None = None) -> None:
        now = world.state(first.body)
        velocity = now.linear_velocity[0] if vx is None else vx, now.linear_velocity[1] if vy is None else vy
        _move(editor, SetVelocity, first, velocity, now.angular_velocity if spin is None else spin)

    rows: list[Row] = [
        Heading("Motion"),
        Number("x", x, lambda new: put(x=new), 0.1, "m", tip=_SAYS["x"]),
        Number("y", y, lambda new: put(y=new), 0.1, "m", tip=_SAYS["y"]),
        Number("angle", math.degrees(angle), lambda new: put(angle=math.radians(new)), 5.0, "°", tip=_SAYS["angle"]),
    ]
    if world.body(first.body).spec.type != "static":
        rows += [
            Number("vx", vx, lambda new: throw(vx=new), 0.5, "m/s", tip=_SAYS["vx"]),
            Number("vy", vy, lambda new: throw(vy=new), 0.5, "m/s", tip=_SAYS["vy"]),
            Number("spin", spin, lambda new: throw(spin=new), 0.5, "rad/s", tip=_SAYS["spin"]),
        ]
    return rows


# -- changes ----------------------------------------------------------------------------------------------------------


def _set_world(editor: Editor, name: str, value: Any) -> None:
    if name.endswith("_iterations"):
        value = int(value)
    with editor.change() as gesture:
        for stage in editor.stages:
            changed(stage.world.settings, "WorldSettings", {name: value})  # reject before changing anything
        for k, stage in enumerate(editor.stages):
            gesture.edit(ChangeWorld(k, {name: value}))
            for row, body in enumerate(stage.world.body_ids):  # a change of gravity does not wake sleeping bodies
                if name in ("gravity", "sleeping") and not stage.world.awake[row] and stage.world.body(body).spec.type == "dynamic":
                    gesture.edit(SetAwake(k, body, True))


def _set_bodies(editor: Editor, name: str, value: Any) -> None:
    with editor.change() as gesture:
        for item in editor.selection:
            spec = editor.world(item.stage).body(item.body).spec
            at_rest = replace(spec, linear_velocity=(0.0, 0.0), angular_velocity=0.0)
            changed(at_rest, "body", {name: value})
        for item in editor.selection:
            if getattr(editor.world(item.stage).body(item.body).spec, name) != value:
                gesture.edit(ChangeBody(item.stage, item.body, {name: value}))
                _rouse(editor, gesture, item)


def _set_fixtures(editor: Editor, name: str, value: Any) -> None:
    with editor.change() as gesture:
        for item in editor.selection:
            spec = editor.world(item.stage).body(item.body).spec
            fixtures = tuple(changed(fixture, "fixture", {name: value}) for fixture in spec.fixtures)
            replace(spec, fixtures=fixtures, linear_velocity=(0.0, 0.0), angular_velocity=0.0)  # its mass is checked too
        for item in editor.selection:
            world = editor.world(item.stage)
            for fixture in world.body(item.body).fixtures:
                if getattr(world.fixture(fixture).spec, name) != value:
                    gesture.edit(ChangeFixture(item.stage, fixture, {name: value}))
            _rouse(editor, gesture, item)


def _wake(editor: Editor, awake: bool) -> None:
    with editor.change() as gesture:
        for item in editor.selection:
            if editor.world(item.stage).body(item.body).spec.type != "static":
                gesture.edit(SetAwake(item.stage, item.body, awake))


def _move(editor: Editor, kind: type[SetPose | SetVelocity], one: Chosen, pair: tuple[float, float], turn: float) -> None:
    with editor.change() as gesture:
        gesture.edit(kind(one.stage, one.body, pair, turn))
        editor.wake_around(gesture, [one])
        _rouse(editor, gesture, one)


def _rouse(editor: Editor, gesture: Gesture, one: Chosen) -> None:
    """Wake a changed body if possible, because it may have to move now."""
    world: World = editor.world(one.stage)
    if gesture.has_begun and world.body(one.body).spec.type == "dynamic" and not world.state(one.body).awake:
        try:
            gesture.edit(SetAwake(one.stage, one.body, True))
        except LabError:  # set inactive: it cannot wake
            return
