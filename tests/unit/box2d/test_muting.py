"""`engine.box2d.muting`: the callbacks that nobody listens to are not made, and nothing is told otherwise for it."""

from __future__ import annotations

import sys

import pytest

from engine.box2d import memory
from engine.box2d.listener import ContactListener, self_test
from engine.box2d.muting import Tables, find_tables
from engine.geometry import Polygon
from engine.world import BodySpec, FixtureSpec, StepHooks, World


@pytest.fixture
def tables() -> Tables:
    found = find_tables(ContactListener({}))
    if found is None:
        assert sys.platform == "win32"
        pytest.skip("the table has another layout")
    return found


def test_two_worlds_tell_the_same_with_and_without(tables: Tables) -> None:
    assert self_test(tables) is None


def test_the_self_test_finds_what_mutes_nothing_and_what_mutes_the_wrong_one(tables: Tables) -> None:
    assert self_test(tables._replace(without_pre_solve=tables.whole, without_post_solve=tables.whole)) == "callbacks could not be muted"
    wrong = self_test(tables._replace(without_pre_solve=tables.without_post_solve))
    assert wrong is not None and "tells something else" in wrong


def test_a_hook_hears_every_contact_again_after_steps_that_had_none(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_tables", tables)
    world = World()
    world.create_body(BodySpec((FixtureSpec(Polygon.box(5.0, 0.5)),), type="static"))
    for k in range(4):
        world.create_body(BodySpec((FixtureSpec(Polygon.box(0.4, 0.4)),), position=(k - 1.5, 0.9)))
    for _ in range(3):
        assert len(world.step()) == 4
    heard: list[str] = []
    world.hooks = StepHooks(pre_solve=lambda event: heard.append("pre") is None, post_solve=lambda *told: heard.append("post"))
    world.step()
    assert heard == ["pre"] * 4 + ["post"] * 4
    world.hooks = None
    world.step()
    assert len(heard) == 8
