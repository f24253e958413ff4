"""Validation of plain data from files with pydantic models. An error names the field, its value and the requirement.

The requirements in messages and the listings in docs/json.md are both read from the model's JSON schema, so that each range is defined only
once, in the model. This module imports pydantic, and the modules that describe formats import this one; therefore code that reads files
imports those modules only when it reads a file.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from engine.common.installation import require

require("pydantic")

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from engine.common.errors import Described, InvalidInputError
from engine.common.words import LONGEST_NAME, path_below

__all__ = ["METERS", "FirstVersion", "Strict", "requirement", "resolved", "validated"]

METERS = {"unit": "m"}
"""`json_schema_extra` of a field that is a length."""
FirstVersion = Annotated[int, Field(ge=1, le=1, json_schema_extra={"const": 1})]
"""Version number of a format with a single version. Unlike ``Literal[1]`` it rejects True."""
_UNBOUNDED = 2**31 - 1
"""Upper bounds of integers from this value on are storage limits, which messages omit."""

_T = TypeVar("_T")
Schema = dict[str, Any]


class Strict(BaseModel):
    """Base class of objects in files. It rejects unknown fields, text in place of a number, and numbers that are not finite.

    Lists in a model should be `fail_fast`; otherwise pydantic records every wrong element, although only the first one is reported.
    """

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)


def validated(model: type[_T] | TypeAdapter[_T], plain: object, file: str = "") -> _T:
    """Return plain data as an instance of a model.

    Parameters
    ----------
    model : type of BaseModel, or TypeAdapter
    plain : object
        As parsed from JSON.
    file : str
        Prefix of messages. If it is empty, an error in the data as a whole has an empty field.

    Raises
    ------
    InvalidInputError
        The first error found; an error in the format or version takes precedence.
    """
    adapter = model if isinstance(model, TypeAdapter) else _adapter_of(model)  # type: ignore[arg-type] # a class is hashable
    try:
        return adapter.validate_python(plain)
    except ValidationError as error:
        first = min(error.errors(include_url=False), key=lambda entry: entry["loc"] not in (("format",), ("version",)))
        path, node = _located(_schema_of(adapter), first["loc"])
        mistake = _mistake(path, node, first)
        field = f"{file}: {mistake.field or 'the file'}" if file else mistake.field
        raise InvalidInputError(field, mistake.requirement, mistake.value) from None


@functools.cache
def _adapter_of(model: Any) -> TypeAdapter[Any]:
    return TypeAdapter(model)


@functools.cache
def _schema_of(adapter: TypeAdapter[Any]) -> Schema:
    """Return the JSON schema of a model; cached, because that of scene files takes a tenth of a second."""
    return adapter.json_schema()


def _mistake(path: str, node: Schema, error: Any) -> InvalidInputError:
    kind, value, context = error["type"], error.get("input"), error.get("ctx", {})
    if kind == "missing":
        return InvalidInputError(path, "given", Described("nothing"))
    if kind == "extra_forbidden":
        known = list(node.get("properties", {}))
        name = str(error["loc"][-1])
        near = difflib.get_close_matches(name[:LONGEST_NAME], known, n=3) or known
        return InvalidInputError(path_below(path, name), "a known field (" + ", ".join(near) + ")", value)
    if kind.startswith("union_tag"):
        tag = value.get("kind", Described("nothing")) if isinstance(value, dict) else value
        return InvalidInputError(path_below(path, "kind"), "one of " + ", ".join(node["discriminator"]["mapping"]), tag)
    if kind in ("too_short", "too_long") and isinstance(value, list):
        bound = f"at least {context['min_length']}" if kind == "too_short" else f"at most {context['max_length']}"
        return InvalidInputError(path, f"a list of {bound}", Described(f"{len(value)}"))
    if isinstance(context.get("error"), InvalidInputError):  # from our own validator
        return InvalidInputError(path, context["error"].requirement, context["error"].value)
    return InvalidInputError(path, requirement(node), value)


def _located(root: Schema, places: Sequence[int | str]) -> tuple[str, Schema]:
    """Return the path of a location in a file, without the kinds of unions, and its schema. For an unknown field, this is the schema of the
    object that contains the field."""
    path, node = "", resolved(root, root)
    for place in places:
        if "discriminator" in node and place in node["discriminator"]["mapping"]:
            node = resolved(root, {"$ref": node["discriminator"]["mapping"][place]})
            continue
        if "anyOf" in node:  # an untagged union: the file does not name its variant
            break
        if isinstance(place, int):
            node = resolved(root, node.get("items", {}))
        elif place in node.get("properties", {}):
            node = resolved(root, node["properties"][place])
        else:
            break
        path = path_below(path, place)
    return path, node


def resolved(root: Schema, node: Schema) -> Schema:
    """Resolve the top-level references of a schema; if it then has a single alternative that is not null, return that alternative."""
    while "$ref" in node:
        node = {**root["$defs"][node["$ref"].rpartition("/")[2]], **{key: value for key, value in node.items() if key != "$ref"}}
    others = [option for option in node.get("anyOf", ()) if option.get("type") != "null"]
    return resolved(root, others[0]) if len(others) == 1 else node


def requirement(node: Schema) -> str:
    """Return the requirement on a value, in words."""
    if "const" in node:
        return str(node["const"])
    if "enum" in node:
        return "one of " + ", ".join(map(str, node["enum"]))
    kind = node.get("type")
    if kind in ("number", "integer"):
        return _range(node)
    if kind == "string" and "maxLength" in node:
        return f"text of at most {node['maxLength']} characters"
    if "discriminator" in node:
        return "an object"
    words = {"object": "an object", "array": "a list", "string": "text", "boolean": "true or false"}
    return words[kind] if kind in words else str(node.get("description", "something else"))


def _range(node: Schema) -> str:
    noun = "a whole number" if node["type"] == "integer" else "a number"
    unit = f" {node['unit']}" if "unit" in node else ""
    low, high = node.get("minimum"), node.get("maximum")
    if high is not None and high >= _UNBOUNDED and node["type"] == "integer":
        high = None
    if "exclusiveMinimum" in node:
        return f"{noun} > {node['exclusiveMinimum']:g}{unit}" + ("" if high is None else f", at most {high:g}")
    if low is not None and high is not None and (low != 0 or node["type"] == "integer"):
        return f"{noun} from {low:g} to {high:g}{unit}"
    if low is not None:
        return f"{noun} >= {low:g}{unit}" + ("" if high is None else f", at most {high:g}")
    return f"{noun}{unit}"
