"""The published schema matches this program, and written files are valid."""

import json
from dataclasses import fields
from pathlib import Path

import jsonschema
import pytest

from docs import file_formats
from engine.common.errors import InvalidInputError
from engine.common.json_file import json_text
from engine.compare.pair._schema import PairSchema
from engine.compare.pair.file import pair_from_json
from engine.scenes.kinds import KINDS
from engine.scenes.models import scene_schema
from engine.scenes.scene import scene_of
from engine.scenes.scene_file import scene_as_json, scene_from_json
from tests.unit.scenes.samples import EXAMPLE, machine, three_worlds

PUBLISHED = Path(__file__).resolve().parents[3] / "docs" / "scene.schema.json"


@pytest.fixture(scope="module")
def validator():
    schema = scene_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_the_published_schema_is_current():
    assert PUBLISHED.read_bytes() == json_text(scene_schema()), "python main.py scene --schema docs/scene.schema.json"


def test_the_tables_of_the_file_formats_are_current():
    _, heading, rest = file_formats.PAGE.read_text(encoding="utf-8").partition(file_formats.HEADING)
    assert heading + rest == file_formats.section(), "python -m docs.file_formats"


def test_an_error_and_the_listing_give_the_same_range():
    with pytest.raises(InvalidInputError) as caught:
        pair_from_json({"format": "collision pair", "version": 1, "query": "contains", "a": {"shape": {"kind": "circle", "radius": 0}}})
    assert caught.value.requirement == "a number > 0 m, at most 1e+09"
    assert "radius: number > 0 m\n" in file_formats.listing(PairSchema.model_json_schema())


def test_written_files_are_valid(validator):
    world = machine()
    for _ in range(40):
        world.step()
    validator.validate(json.loads(json_text(scene_as_json(scene_of(world, "A machine")))))
    validator.validate(json.loads(json_text(scene_as_json(three_worlds()))))
    validator.validate(json.loads(EXAMPLE))


def test_every_field_of_every_specification_is_in_it():
    text = PUBLISHED.read_text(encoding="utf-8")
    names = {field.name for kind in KINDS.values() for field in fields(kind) if field.init}
    assert len(names) > 40 and all(f'"{name}"' in text for name in names)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("bodies", 1, "fixtures", 0, "density"), -2),
        (("bodies", 1, "fixtures", 0, "denisty"), 2),
        (("bodies", 1, "position"), [0, 2e6]),
        (("bodies", 1, "type"), "moving"),
        (("bodies", 1, "fixtures", 0, "shape", "vertices"), [[0, 0], [1, 0]]),
        (("joints", 0, "kind"), "hinge"),
        (("joints", 0, "enable_limit"), 1),
        (("settings", "hertz"), 0),
        (("settings", "velocity_iterations"), 1.5),
        (("camera", "lower"), [0]),
        (("version",), 2),
        (("title",), 7),
        (("extra",), 7),
        (("offset",), [0, 2e6]),
        (("worlds",), [{"title": "b"}]),
        (("worlds",), [{"bodies": [{"position": [0]}]}]),
        (("joints", 0), {"kind": "mouse", "body": "plank", "target": [0, 1], "max_force": 0}),
        (("joints", 0), {"kind": "friction", "body_a": 0, "body_b": 1, "anchor": [0, 1], "max_force": -1}),
        (("joints", 0), {"kind": "motor", "body_a": 0, "body_b": 1, "correction_factor": 2}),
    ],
)
def test_schema_and_program_reject_the_same_files(place, value, validator):
    plain = json.loads(EXAMPLE)
    scene_from_json(plain)
    inner = plain
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    assert not validator.is_valid(plain)
    with pytest.raises(InvalidInputError):
        scene_from_json(plain)
