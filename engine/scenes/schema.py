"""The JSON schema of scene files, made from the specifications: their fields, their defaults, the ranges that they check.

It is published as `docs/scene.schema.json` (``python main.py scene --schema docs/scene.schema.json``), for editors that help to write such
files. It says less than the program checks: whether a polygon is convex, whether a body has a mass, whether two joined bodies are two.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from typing import Any

from engine.common.limits import MAX_COORDINATE, MAX_NUMBER, MAX_POLYGON_VERTICES, MAX_REACH
from engine.scenes.codec import JOINT_KINDS, SHAPE_KINDS
from engine.scenes.pictures import MOST_BYTES, MOST_PICTURES
from engine.scenes.scene import LONGEST_TEXT, MOST_BODIES, MOST_JOINTS, MOST_NOTES, MOST_WORLDS
from engine.scenes.scene_file import FORMAT, VERSION
from engine.world.fields import Rule, rule_of
from engine.world.solver import DEFAULT
from engine.world.specs import BODY_TYPES, BodySpec, FixtureSpec, WorldSettings

__all__ = ["scene_schema"]

Schema = dict[str, Any]


def _pair(limit: float) -> Schema:
    return {"type": "array", "items": {"type": "number", "minimum": -limit, "maximum": limit}, "minItems": 2, "maxItems": 2}


def _whole(low: int, high: int) -> Schema:
    return {"type": "integer", "minimum": low, "maximum": high}


_POINT = _pair(MAX_COORDINATE)
_CORNER = _pair(MAX_REACH)
_TEXT: Schema = {"type": "string", "maxLength": LONGEST_TEXT}
_BODY_REFERENCE: Schema = {
    "description": "A body: its place in the list, from 0, or its name, which no other body may have.",
    "oneOf": [_whole(0, MOST_BODIES - 1), {"type": "string"}],
}
_JOINT_REFERENCE: Schema = _whole(0, MOST_JOINTS - 1) | {
    "description": "A revolute or prismatic joint: its place in the list, from 0, before this one."
}

_BY_NAME: dict[str, Schema] = {
    **dict.fromkeys(("center", "p1", "p2", "ghost1", "ghost2"), _CORNER),
    **dict.fromkeys(("body", "body_a", "body_b"), _BODY_REFERENCE),
    **dict.fromkeys(("joint_a", "joint_b"), _JOINT_REFERENCE),
    "type": {"enum": list(BODY_TYPES)},
    "solver_settings": {
        "description": "Settings of the solver's own, by name.",
        "type": "object",
        "additionalProperties": {"type": ["number", "string"]},
    },
    "skin_radius": {"type": "number", "minimum": 0.0},
    "radius": {"type": "number", "exclusiveMinimum": 0.0, "maximum": MAX_REACH},
    "vertices": {
        "description": "Corners of a convex polygon, metres, in either winding.",
        "type": "array",
        "items": _CORNER,
        "minItems": 3,
        "maxItems": MAX_POLYGON_VERTICES,
    },
    "shape": {"$ref": "#/$defs/shape"},
    "fixtures": {"type": "array", "items": {"$ref": "#/$defs/fixture"}},
}
"""Of fields without a rule of their own (`engine.world.fields`), or of which a file says more than the rule."""


def scene_schema() -> Schema:
    """Return the schema, JSON Schema 2020-12."""
    definitions = {
        "settings": _object(WorldSettings),
        "body": _object(BodySpec),
        "fixture": _object(FixtureSpec),
        "shape": {"oneOf": [_object(kind, name) for name, kind in SHAPE_KINDS.items()]},
        "joint": {"oneOf": [_object(kind, name) for name, kind in JOINT_KINDS.items()]},
    }
    world: Schema = {
        "settings": {"$ref": "#/$defs/settings"},
        "bodies": {"type": "array", "items": {"$ref": "#/$defs/body"}, "maxItems": MOST_BODIES},
        "joints": {"type": "array", "items": {"$ref": "#/$defs/joint"}, "maxItems": MOST_JOINTS},
        "offset": {"description": "Where the world's origin is in the picture, metres."} | _POINT,
        "label": _TEXT,
        "pictures": {"type": "array", "items": {"$ref": "#/$defs/picture"}, "maxItems": MOST_PICTURES},
    }
    definitions["picture"] = {
        "description": "What bodies look like: a PNG picture in base64 that fills a box of each body's frame, metres.",
        "type": "object",
        "properties": {
            "bodies": {"type": "array", "items": _BODY_REFERENCE, "minItems": 1, "maxItems": MOST_BODIES},
            "lower": _POINT,
            "upper": _POINT,
            "png": {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png", "maxLength": 4 * MOST_BYTES // 3 + 4},
        },
        "required": ["bodies", "lower", "upper", "png"],
        "additionalProperties": False,
    }
    definitions["world"] = {
        "description": "A world beside the first one, with nothing in common.",
        "type": "object",
        "properties": world,
        "additionalProperties": False,
    }
    parts: Schema = {
        "format": {"const": FORMAT},
        "version": {"const": VERSION},
        "title": _TEXT,
        "watch": _TEXT,
        **world,
        "worlds": {"type": "array", "items": {"$ref": "#/$defs/world"}, "maxItems": MOST_WORLDS - 1},
        "camera": {
            "type": "object",
            "properties": {
                side: {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2} for side in ("lower", "upper")
            },
            "required": ["lower", "upper"],
            "additionalProperties": False,
        },
        "notes": {"type": "array", "items": _TEXT, "maxItems": MOST_NOTES},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Collision scene",
        "description": "A world of Box2D: metres, kilograms, seconds, radians; y up.",
        "type": "object",
        "properties": parts,
        "required": ["format", "version"],
        "additionalProperties": False,
        "$defs": definitions,
    }


def _object(kind: Any, name: str | None = None) -> Schema:
    """Return the schema of a specification; one of several has a kind."""
    known = [field for field in fields(kind) if field.init]
    properties: Schema = {} if name is None else {"kind": {"const": name}}
    properties.update((field.name, _field(kind, field)) for field in known)
    if name is None:
        if kind is WorldSettings:
            properties["solver"] = {"description": "What drives the world, by its name.", "type": "string", "default": DEFAULT}
        properties["kind"] = {"const": {BodySpec: "body", FixtureSpec: "fixture", WorldSettings: "settings"}[kind]}
    required = [*(["kind"] if name is not None else []), *(field.name for field in known if field.default is MISSING)]
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": required} if required else {})


def _field(kind: type, field: Field[Any]) -> Schema:
    rule = rule_of(kind, field.name)
    schema = _BY_NAME.get(field.name) or _of_rule(rule or Rule("number"))
    if field.default is MISSING or field.default == ():
        return schema
    if field.default is None:
        return {"anyOf": [schema, {"type": "null"}], "default": None}
    return schema | {"default": list(field.default) if isinstance(field.default, tuple) else field.default}


def _of_rule(rule: Rule) -> Schema:
    low, high = -MAX_NUMBER if rule.low is None else rule.low, MAX_NUMBER if rule.high is None else rule.high
    match rule.kind:
        case "number":
            return {"type": "number", "exclusiveMinimum" if rule.is_above else "minimum": low, "maximum": high}
        case "vector" | "direction":
            return _pair(high)
        case "whole":
            return _whole(int(low), int(high))
        case "flag":
            return {"type": "boolean"}
        case "text":
            return {"type": "string"}
