"""The page of the steppers and their film strips: none is missing or unused, and each is on its page with its command."""

from __future__ import annotations

import pytest
from PIL import Image

from docs.pictures.strips import DOCS, TOLD, anchors_of, digest_of, page_of, section_of, table_of
from engine import trace

ADVICE = "python -m docs.pictures strips"
LARGEST = 150_000  # bytes
ALGORITHMS = [trace.algorithm(name) for name in trace.algorithms()]
STRIPS = DOCS / "img" / "steppers"


def test_the_table_has_all_algorithms():
    assert table_of(ALGORITHMS) in (DOCS / "steppers.md").read_text("utf-8"), ADVICE


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: algorithm.name)
def test_each_page_has_the_strip_and_the_command(algorithm):
    path, anchor = page_of(algorithm)
    text = path.read_text("utf-8")
    assert not anchor or anchor in [name for name, _ in anchors_of(text)]
    assert section_of([algorithm for algorithm in ALGORITHMS if page_of(algorithm)[0] == path]) in text, ADVICE
    assert 0 < (STRIPS / f"{algorithm.name}.png").stat().st_size < LARGEST


def test_no_strip_is_unused():
    assert {path.stem for path in STRIPS.glob("*.png")} == set(trace.algorithms())


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: algorithm.name)
def test_a_strip_shows_the_actual_steps(algorithm):
    with Image.open(STRIPS / f"{algorithm.name}.png") as picture:
        assert picture.text[TOLD] == digest_of(algorithm.steps(algorithm.example)), f"{ADVICE} {algorithm.name}"
