"""Pydantic models of specifications and scene files, generated from the fields, defaults and rules of the specifications.

A model checks the structure of plain data: known fields, kinds, lists and their lengths. The specifications check the values, by the same
rules (`engine.world.fields`) from which the models' JSON schema is generated.
"""

from __future__ import annotations

import functools
import inspect
import operator
import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Annotated, Any, Literal

from pydantic import Field as ModelField
from pydantic import TypeAdapter, WithJsonSchema, create_model

from engine.common.file_schema import METERS, FirstVersion, Strict
from engine.common.limits import MAX_COORDINATE, MAX_NUMBER, MAX_POLYGON_VERTICES, MAX_REACH
from engine.scenes.kinds import JOINT_KINDS, KINDS, SHAPE_KINDS
from engine.scenes.pictures import MAX_PICTURE_BYTES, MAX_PICTURES
from engine.scenes.scene import MAX_BODIES, MAX_JOINTS, MAX_NOTES, MAX_TEXT, MAX_VALUES, MAX_WORLDS
from engine.world.fields import Rule, rule_of
from engine.world.solver import DEFAULT
from engine.world.specs import BODY_TYPES, FixtureSpec

__all__ = ["SceneModel", "WorldModel", "adapter_of", "scene_schema"]

Schema = dict[str, Any]
_NAMES = {kind: name for name, kind in KINDS.items()}


def _pair(limit: float) -> Schema:
    return {"type": "array", "items": {"type": "number", "minimum": -limit, "maximum": limit}, "minItems": 2, "maxItems": 2}


def _whole(low: int, high: int) -> Schema:
    return {"type": "integer", "minimum": low, "maximum": high}


_POINT = _pair(MAX_COORDINATE)
_CORNER = _pair(MAX_REACH)
_BODY_REFERENCE: Schema = {
    "description": "A body: its index in the list, from 0, or its name if no other body has it.",
    "oneOf": [_whole(0, MAX_BODIES - 1), {"type": "string"}],
}
_JOINT_REFERENCE = _whole(0, MAX_JOINTS - 1) | {
    "description": "A revolute or prismatic joint before this one: its index in the list, from 0."
}
_BY_NAME: Mapping[str, Schema] = {
    **dict.fromkeys(("center", "p1", "p2", "ghost1", "ghost2"), _CORNER),
    **dict.fromkeys(("body", "body_a", "body_b"), _BODY_REFERENCE),
    **dict.fromkeys(("joint_a", "joint_b"), _JOINT_REFERENCE),
    "type": {"enum": list(BODY_TYPES)},
    "solver_settings": {
        "description": "The solver's own settings, by name.",
        "type": "object",
        "additionalProperties": {"type": ["number", "string"]},
    },
    "skin_radius": {"type": "number", "minimum": 0.0, **METERS},
    "radius": {"type": "number", "exclusiveMinimum": 0.0, "maximum": MAX_REACH, **METERS},
    "vertices": {
        "description": "Corners of a convex polygon, meters, in either winding.",
        "type": "array",
        "items": _CORNER,
        "minItems": 3,
        "maxItems": MAX_POLYGON_VERTICES,
    },
}
"""Schemas of fields that have no rule, or for which a file accepts more than the rule."""


def _of_rule(rule: Rule) -> Schema:
    low, high = -MAX_NUMBER if rule.low is None else rule.low, MAX_NUMBER if rule.high is None else rule.high
    match rule.kind:
        case "number":
            unit = {"unit": rule.unit} if rule.unit else {}
            return {"type": "number", "exclusiveMinimum" if rule.is_above else "minimum": low, "maximum": high, **unit}
        case "vector" | "direction":
            return _pair(high)
        case "whole":
            return _whole(int(low), int(high))
        case "flag":
            return {"type": "boolean"}
        case "text":
            return {"type": "string"} if rule.high is None else {"type": "string", "maxLength": int(rule.high)}


def _descriptions(kind: type) -> dict[str, str]:
    """Return the meaning of each field of a specification, from its docstring."""
    texts: dict[str, str] = {}
    names: list[str] = []
    for line in inspect.cleandoc(kind.__doc__ or "").splitlines():
        head = re.fullmatch(r"(\w+(?:, \w+)*) : .*", line)
        if head is not None:
            names = head[1].split(", ")
        elif line.startswith("    "):
            texts.update({name: f"{texts[name]} {line.strip()}" if name in texts else line.strip() for name in names})
        else:
            names = []
    # a text about one of several names begins with that name
    return {name: text for name, text in texts.items() if not text.startswith("`") or text.startswith(f"`{name}`")}


@functools.cache
def _model(kind: Any, is_tagged: bool) -> type[Strict]:
    """Return the model of a specification or a shape; `is_tagged` requires its kind."""
    tag = Literal[_NAMES[kind]]  # type: ignore[valid-type]
    described = _descriptions(kind)
    content: dict[str, Any] = {"kind": (tag, ...) if is_tagged else (tag, _NAMES[kind])}
    for field in fields(kind):
        if field.init:
            content[field.name] = _content(kind, field, described.get(field.name))
    return create_model(kind.__name__, __base__=Strict, **content)


def _content(kind: type, field: Field[Any], description: str | None) -> tuple[Any, Any]:
    """Return the type and the default of a field."""
    default = ... if field.default is MISSING else field.default
    if kind is FixtureSpec and field.name == "shape":
        return _union(SHAPE_KINDS), default
    if field.name == "fixtures":
        listed: Any = list[_model(FixtureSpec, False)]  # type: ignore[misc]
        return Annotated[listed, ModelField(strict=False, fail_fast=True)], []
    schema = _BY_NAME.get(field.name) or _of_rule(rule_of(kind, field.name) or Rule("number"))
    if default is None:
        schema = {"anyOf": [schema, {"type": "null"}]}
    if description is not None and "description" not in schema:
        schema = schema | {"description": description}
    return Annotated[Any, WithJsonSchema(schema)], default


def _union(kinds: Mapping[str, type]) -> Any:
    """Return the type of a tagged union of these kinds."""
    models = [_model(kind, True) for kind in kinds.values()]
    return Annotated[functools.reduce(operator.or_, models), ModelField(discriminator="kind")]


@functools.cache
def adapter_of(kinds: tuple[str, ...]) -> TypeAdapter[Any]:
    """Return the validator of an object of one of these kinds; for a single one the kind may be omitted."""
    if len(kinds) == 1:
        return TypeAdapter(_model(KINDS[kinds[0]], False))
    return TypeAdapter(_union({name: KINDS[name] for name in kinds}))


_Text = Annotated[str, ModelField(max_length=MAX_TEXT)]
_Coordinate = Annotated[float, ModelField(ge=-MAX_COORDINATE, le=MAX_COORDINATE)]
_Point = Annotated[list[_Coordinate], ModelField(min_length=2, max_length=2)]
_Body = _model(KINDS["body"], False)
_Joint = _union(JOINT_KINDS)


class SettingsModel(_model(KINDS["settings"], False)):  # type: ignore[misc]
    """Settings of a world, with the solver that drives it."""

    solver: Annotated[str, ModelField(description="Name of the solver that drives the world.")] = DEFAULT


_Bodies = Annotated[list[Annotated[Any, WithJsonSchema(_BODY_REFERENCE)]], ModelField(fail_fast=True, min_length=1, max_length=MAX_BODIES)]
_PNG: Any = {"contentEncoding": "base64", "contentMediaType": "image/png"}


class PictureModel(Strict):
    """Picture of bodies: a PNG in base64 that fills a box in each body's frame, meters."""

    bodies: _Bodies
    lower: _Point
    upper: _Point
    png: Annotated[str, ModelField(max_length=4 * MAX_PICTURE_BYTES // 3 + 4, json_schema_extra=_PNG)]


class ColorModel(Strict):
    """Color of the bodies, such as #569cd6, instead of the default color for their index."""

    color: Annotated[str, ModelField(pattern="^#[0-9a-f]{6}$")]
    bodies: _Bodies


class WorldModel(Strict):
    """Another world, independent of the first one."""

    settings: Annotated[SettingsModel, ModelField(description="Settings of the world.")] = SettingsModel()
    bodies: Annotated[list[_Body], ModelField(fail_fast=True, max_length=MAX_BODIES, default_factory=list)]  # type: ignore[valid-type]
    joints: Annotated[list[_Joint], ModelField(fail_fast=True, max_length=MAX_JOINTS, default_factory=list)]  # type: ignore[valid-type]
    offset: Annotated[_Point, ModelField(description="Position of the world's origin in the picture, meters.", default=[0.0, 0.0])]
    label: _Text = ""
    pictures: Annotated[list[PictureModel], ModelField(fail_fast=True, max_length=MAX_PICTURES, default_factory=list)]
    colors: Annotated[list[ColorModel], ModelField(fail_fast=True, max_length=MAX_BODIES, default_factory=list)]


class CameraModel(Strict):
    """Area shown when the scene opens."""

    lower: _Point
    upper: _Point


class SceneModel(WorldModel):
    """A world of rigid bodies: meters, kilograms, seconds, radians; y up."""

    format: Literal["collision scene"]
    version: FirstVersion
    title: _Text = ""
    watch: _Text = ""
    worlds: Annotated[list[WorldModel], ModelField(fail_fast=True, max_length=MAX_WORLDS - 1, default_factory=list)]
    camera: CameraModel | None = None
    paused: Annotated[bool, ModelField(description="True if the scene opens paused.")] = False
    notes: Annotated[list[_Text], ModelField(fail_fast=True, max_length=MAX_NOTES, default_factory=list)]
    demo: Annotated[_Text, ModelField(description="Id of the demo with whose keys and parameters it opens.")] = ""
    values: Annotated[
        dict[_Text, float | _Text],
        ModelField(description="The demo's parameters, by name.", max_length=MAX_VALUES, default_factory=dict),
    ]


def scene_schema() -> Schema:
    """Return the JSON schema of scene files, for editors; ``python main.py scene --schema docs/scene.schema.json`` writes it.

    It does not check whether a polygon is convex, a body has a mass, or a joint connects two different bodies; the program does.
    """
    schema: Schema = _without_titles(SceneModel.model_json_schema())
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Collision scene", **schema}


def _without_titles(node: Any) -> Any:
    """Return a schema without the titles that pydantic derives from names."""
    if isinstance(node, list):
        return [_without_titles(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    return {key: _without_titles(value) for key, value in node.items() if not (key == "title" and isinstance(value, str))}
