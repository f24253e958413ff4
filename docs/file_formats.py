"""Listings of the file formats, at the end of docs/json.md, made from the models that read the files.

``python -m docs.file_formats`` writes them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from engine.common.file_schema import requirement, resolved
from engine.compare.pair._schema import PairSchema
from engine.decompose._body_schema import BodySchema
from engine.scenes.models import SceneModel
from engine.trace._case_schema import CaseSchema

PAGE = Path(__file__).with_name("json.md")
HEADING = "# The files that the program reads"
_INTRODUCTION = """\
Each file is one JSON object. An error names the field, its value and the requirement. A field with `?` or a default may be omitted;
`name[2]` is a list of two. Without a given range, magnitudes are limited to 1e4 m within a shape, to 1e6 for positions and velocities,
and otherwise to 1e9."""
_FORMATS = {
    "Scene file": (
        SceneModel,
        "`run`, `scene` and the window read this file (see [scenes](scenes.md)); "
        "[scene.schema.json](scene.schema.json) is its JSON schema.\n"
        "A joint's `body`, `body_a` and `body_b` are the index of a body in `bodies`, from 0, or its name if no other body has it.",
    ),
    "Body file": (BodySchema, "`trace` writes this file, and `run --drop` reads it."),
    "Pair file": (
        PairSchema,
        "`compare --report` and `check --report` write this file; `run --pair`, `step --pair` and `check --pair` read it.",
    ),
    "Stepper case": (CaseSchema, "The window of `step` writes this file, and `step --pair` reads it."),
}
_IMPLIED_RANGE = re.compile(r" from -(1e\+0[69]|10000) to \1|, at most (1e\+0[69]|10000)")
_RANGE_IN_MEANING = re.compile(r"^>=? 0(, (meters|1/s)| [\w/^]+)?[.,;] ?")

Schema = dict[str, Any]


def section() -> str:
    """Return the generated part of the page."""
    parts = [HEADING, _INTRODUCTION]
    for title, (model, words) in _FORMATS.items():
        parts += [f"## {title}", words, f"```\n{listing(model.model_json_schema())}\n```"]
    return "\n\n".join(parts) + "\n"


def listing(schema: Schema) -> str:
    """Return the lines of a file's fields, followed by each type that they use."""
    types: dict[str, Schema] = {}
    blocks = ["\n".join(_lines(schema, schema, types))]
    done = 0
    while done < len(types):
        name = list(types)[done]
        blocks.append("\n".join([name, *(f"  {line}" for line in _lines(schema, types[name], types))]))
        done += 1
    return "\n\n".join(blocks)


def _lines(root: Schema, owner: Schema, types: dict[str, Schema]) -> list[str]:
    """Return one line for each run of fields that differ only by name, and collect the types that they use."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for name, given in owner["properties"].items():
        field = resolved(root, given)
        is_required = name in owner.get("required", ())
        default = "" if is_required else _default(given, field)
        kind, suffix = _type(root, given, types)
        meaning = str(given.get("description") or field.get("description") or "") if "oneOf" not in field else ""
        key = (suffix, kind + default, _RANGE_IN_MEANING.sub("", meaning))
        groups.setdefault(key, []).append(name if is_required or default else f"{name}?")
    lines = []
    for (suffix, kind, meaning), names in groups.items():
        line = f"{', '.join(name + suffix for name in names)}: {kind}"
        lines.append(f"{line:40}  {meaning}" if meaning else line)
    return lines


def _type(root: Schema, node: Schema, types: dict[str, Schema]) -> tuple[str, str]:
    """Return the type of a field and the brackets of its lists."""
    node = resolved(root, node)
    if node.get("type") == "array" and "items" in node:
        kind, suffix = _type(root, node["items"], types)
        count = node["maxItems"] if node.get("maxItems") == node.get("minItems", 0) else ""
        return kind, f"[{count}]{suffix}"
    if "discriminator" in node:
        variants = [_type(root, {"$ref": reference}, types)[0] for reference in node["discriminator"]["mapping"].values()]
        return " or ".join(variants), ""
    if "properties" in node:
        name = re.sub(r"^_|Spec$|Model$|Schema$", "", node["title"])
        types.setdefault(name, node)
        return name, ""
    if "const" in node or "enum" in node:
        return " or ".join(f'"{value}"' if isinstance(value, str) else str(value) for value in node.get("enum", [node.get("const")])), ""
    if "oneOf" in node:
        return "integer or string", ""
    if node.get("type") in ("number", "integer"):
        words = requirement(node).replace("a whole number", "integer").replace("a number", "number")
        return _IMPLIED_RANGE.sub("", words), ""
    return str(node.get("type", "any")), ""


def _default(given: Schema, field: Schema) -> str:
    default = given.get("default", field.get("default"))
    if default in (None, "", []) or isinstance(default, dict) or "const" in field:
        return ""
    return f" = {str(default).lower() if isinstance(default, bool) else default}"


def main() -> None:
    text = PAGE.read_text(encoding="utf-8").partition(HEADING)[0]
    PAGE.write_text(text.rstrip() + "\n\n" + section(), encoding="utf-8")


if __name__ == "__main__":
    main()
