"""What Box2D hides is read and written at proved offsets only."""

from __future__ import annotations

import pytest

from engine.box2d import internal_state, memory

pytestmark = pytest.mark.skipif(memory.load() is not None, reason="memory is out of reach here")


def test_the_proof_passes() -> None:
    assert internal_state.self_test() is None
    assert memory.best_internal_memory() is not None


def test_the_world_of_the_proof_uses_what_it_proves() -> None:
    """Every kind of joint has impulses there, and joints stand at limits: else a wrong offset could pass."""
    world = internal_state._Joined(internal_state.InternalMemory())
    states = set()
    for _ in range(internal_state._STEPS):
        world.step()
        found = world.read().joints
        states |= {int(found[row, 4]) for row, joint in enumerate(world.joints) if type(joint).__name__ == "b2RevoluteJoint"}
    assert {type(joint).__name__ for joint in world.joints} == set(internal_state.JOINT_WORDS)
    impulses = world.read().joints[:, :4]
    assert (impulses != 0).any(axis=1).all()
    assert states >= {0, 1}


@pytest.mark.parametrize("at", range(len(internal_state.BODY_WORDS)))
def test_a_wrong_offset_in_a_body_is_noticed(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading only: the words before and after each one are within the body."""
    words = list(internal_state.BODY_WORDS)
    words[at] += 1 if words[at] + 1 not in words else -1 if words[at] - 1 not in words else 5
    monkeypatch.setattr(internal_state, "BODY_WORDS", tuple(words))
    monkeypatch.setattr(internal_state.InternalMemory, "write", lambda *_: None)  # a wrong offset must be found before anything is written
    world = internal_state._Joined(internal_state.InternalMemory())
    problems = []
    for _ in range(20):
        world.step()
        problems.append(world.difference())
    assert any(problems)


@pytest.mark.parametrize("kind", internal_state.JOINT_WORDS)
def test_a_wrong_offset_in_a_joint_is_noticed(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for at in range(len(internal_state.JOINT_WORDS[kind])):
        words = list(internal_state.JOINT_WORDS[kind])
        words[at] -= 3
        with monkeypatch.context() as patch:
            patch.setattr(internal_state, "JOINT_WORDS", {**internal_state.JOINT_WORDS, kind: tuple(words)})
            world = internal_state._Joined(internal_state.InternalMemory())
            problems = []
            for _ in range(internal_state._STEPS):
                world.step()
                problems.append(world.difference())
            assert any(problems), (kind, at)
