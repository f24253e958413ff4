"""Tables of the file formats, at the end of docs/json.md, made from the models that read the files.

``python -m docs.file_tables`` writes them.
"""

from __future__ import annotations

from pathlib import Path

from engine.common.file_schema import FieldRow, field_rows
from engine.compare.pair._schema import PairSchema
from engine.decompose._body_schema import BodySchema
from engine.scenes.models import SceneModel
from engine.trace._case_schema import CaseSchema

PAGE = Path(__file__).with_name("json.md")
HEADING = "# The files that the program reads"
_INTRODUCTION = """\
Each is one JSON object, checked by a pydantic model of which this table is made; a mistake is refused with its field, its value and what it
must be. `a[x, y].b` is the field `b` of `a`, or of its elements, whose `"kind"` is x or y."""
_FORMATS = {
    "Scene file": (
        SceneModel,
        "Read by `run`, `scene` and the window ([scenes](scenes.md)); its JSON schema is [scene.schema.json](scene.schema.json).",
    ),
    "Body file": (BodySchema, "Written by `trace`, read by `run --drop`."),
    "Pair file": (
        PairSchema,
        "Written by `compare --report` and `check --report`, read by `run --pair`, `step --pair` and `check --pair`.",
    ),
    "Stepper case": (CaseSchema, "Written by the window of `step`, read by `step --pair`."),
}


def section() -> str:
    """Return the generated part of the page."""
    parts = [HEADING, _INTRODUCTION]
    for title, (model, words) in _FORMATS.items():
        lines = ["| field | must be | default | |", "|---|---|---|---|", *map(_line, field_rows(model.model_json_schema()))]
        parts += [f"## {title}", words, "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def _line(row: FieldRow) -> str:
    default = f"`{row.default}`" if row.default not in ("", "required") else row.default
    return f"| `{row.path}` | {row.requirement} | {default} | {row.meaning} |"


def main() -> None:
    text = PAGE.read_text(encoding="utf-8").partition(HEADING)[0]
    PAGE.write_text(text.rstrip() + "\n\n" + section(), encoding="utf-8")


if __name__ == "__main__":
    main()
