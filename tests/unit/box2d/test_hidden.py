"""What Box2D hides is read and written at proved offsets only."""

from __future__ import annotations

import pytest

from engine.box2d import hidden, memory

pytestmark = pytest.mark.skipif(memory.load() is not None, reason="memory is out of reach here")


def test_the_proof_passes() -> None:
    assert hidden.self_test() is None
    assert memory.best_hidden() is not None


def test_the_world_of_the_proof_uses_what_it_proves() -> None:
    """Every kind of joint has impulses there, and joints stand at limits: else a wrong offset could pass."""
    world = hidden._Joined(hidden.HiddenMemory())
    states = set()
    for _ in range(hidden._STEPS):
        world.step()
        found = world.read().joints
        states |= {int(found[row, 4]) for row, joint in enumerate(world.joints) if type(joint).__name__ == "b2RevoluteJoint"}
    assert {type(joint).__name__ for joint in world.joints} == set(hidden.JOINT_WORDS)
    impulses = world.read().joints[:, :4]
    assert (impulses != 0).any(axis=1).all()
    assert states >= {0, 1}


@pytest.mark.parametrize("at", range(len(hidden.BODY_WORDS)))
def test_a_wrong_offset_in_a_body_is_noticed(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading only: the words before and after each one are within the body."""
    words = list(hidden.BODY_WORDS)
    words[at] += 1 if words[at] + 1 not in words else -1 if words[at] - 1 not in words else 5
    monkeypatch.setattr(hidden, "BODY_WORDS", tuple(words))
    monkeypatch.setattr(hidden.HiddenMemory, "write", lambda *_: None)  # a wrong offset must be found before anything is written
    world = hidden._Joined(hidden.HiddenMemory())
    problems = []
    for _ in range(20):
        world.step()
        problems.append(world.difference())
    assert any(problems)


@pytest.mark.parametrize("kind", hidden.JOINT_WORDS)
def test_a_wrong_offset_in_a_joint_is_noticed(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for at in range(len(hidden.JOINT_WORDS[kind])):
        words = list(hidden.JOINT_WORDS[kind])
        words[at] -= 3
        with monkeypatch.context() as patch:
            patch.setattr(hidden, "JOINT_WORDS", {**hidden.JOINT_WORDS, kind: tuple(words)})
            world = hidden._Joined(hidden.HiddenMemory())
            problems = []
            for _ in range(hidden._STEPS):
                world.step()
                problems.append(world.difference())
            assert any(problems), (kind, at)
