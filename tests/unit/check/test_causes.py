"""What wrong answers have in common, found for a correct function with one known mistake each."""

from pathlib import Path

import pytest

from engine.check.causes import causes
from engine.check.child import read_answer
from engine.check.plain import plain_pairs
from engine.check.shrink import Failure
from engine.check.verdicts import Reply, judge
from engine.compare.cases import case_chunk

CORRECT = (Path(__file__).resolve().parents[3] / "examples" / "correct.py").read_text(encoding="utf-8")
RETURN = 'return {"normal": normal, "depth": depth,'
N_PAIRS = 500


@pytest.fixture(scope="module")
def pairs():
    return plain_pairs(case_chunk(0, 0, N_PAIRS))


@pytest.mark.parametrize(
    ("right", "wrong", "kind", "cause"),
    [
        (" - radius_a - radius_b", " - radius_a", "missed_overlap", "B is a disc"),
        (RETURN, RETURN[:-1] + " - radius_b,", "wrong_depth", "depth off by B's radius"),
        (RETURN, RETURN[:-1] + " + 0.02 * (len(corners_a) > 1 < len(corners_b)),", "wrong_depth", "depth off by +0.02 m: Box2D's skins?"),
        ("in edges(corners_b):\n        yield unit(y1", "in []:\n        yield unit(y1", "wrong_normal", "the best axis is an edge of B"),
        ("corners[1:] + corners[:1]))", "corners[1:]))", "wrong_normal", "the best axis is an edge from the last corner to the first"),
        (RETURN, RETURN.replace("normal,", "(-normal[0], -normal[1]) if radius_b else normal,"), "reversed_normal", "B is a disc"),
        (RETURN, RETURN.replace("normal,", "(-normal[1], normal[0]),"), "wrong_normal", "normal turned by 90°"),
    ],
)
def test_a_known_mistake_is_named_first_or_second(right, wrong, kind, cause, pairs):
    assert CORRECT.count(right) == 1
    module = {}
    exec(CORRECT.replace(right, wrong), module)
    failures, passed = [], []
    for pair in pairs:
        a, b = (list(shape) if isinstance(shape[0], tuple) else shape for shape in (pair.a, pair.b))
        try:
            said, contact, keys, _ = read_answer(module["collide"](a, b), "manifold")
        except (ValueError, ZeroDivisionError):
            continue
        reply = Reply(said, contact, keys)
        faults = judge("manifold", pair, reply, 1e-9)
        failures += [Failure(pair, reply, fault) for fault in faults if fault.reason == kind]
        if not faults and reply.contact:
            passed.append(pair)
    assert len(failures) > 5
    first, *others = causes(failures, passed)
    assert cause in [found.text for found in (first, *others[:1])]
    assert first.n >= 0.9 * len(failures)


def test_two_pairs_have_nothing_in_common(pairs):
    assert causes([Failure(pair, Reply("answer"), judge("overlap", pair, Reply("raised"), 0.0)[0]) for pair in pairs[:2]], []) == []


def test_a_function_that_never_returns_a_contact(pairs):
    reply = Reply("answer", False)
    failures = [Failure(pair, reply, fault) for pair in pairs[:40] for fault in judge("overlap", pair, reply, 0.0)]
    assert [str(cause) for cause in causes(failures, [])] == [f"it never returns a contact, in all {len(failures)}"]
