"""Tables of a run: written completely or not at all, with each body's name in its own world."""

import csv
import errno
import os

import pytest

from engine.geometry import Circle
from engine.scenes.tables import Tables
from engine.world import BodySpec, FixtureSpec, World


def world_with(name):
    world = World()
    world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), name=name))
    return world


def test_a_replaced_world_has_its_own_names(tmp_path):
    """A restart creates new worlds, which may have the old ones' memory addresses and change counts."""
    path = tmp_path / "states.csv"
    with Tables(states=path) as tables:
        for step, name in enumerate(("first", "second", "third")):
            tables.add(step, [world_with(name), world_with(f"{name}, other")])
    with open(path, newline="", encoding="utf-8") as file:
        names = [row["name"] for row in csv.DictReader(file)]
    assert names == ["first", "first, other", "second", "second, other", "third", "third, other"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device")])
def test_an_incomplete_table_leaves_no_file(error, tmp_path, monkeypatch):
    def fail(*_):
        raise error

    tables = Tables(tmp_path / "contacts.csv", tmp_path / "states.csv")
    tables.add(0, [world_with("one")])
    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(type(error)) as raised:
        tables.close()
    assert list(tmp_path.iterdir()) == []
    if isinstance(raised.value, OSError):
        assert raised.value.filename == str(tmp_path / "contacts.csv")


def test_a_table_that_cannot_be_started_leaves_no_other_file(tmp_path):
    with pytest.raises(OSError, match="missing"):
        Tables(tmp_path / "contacts.csv", tmp_path / "missing" / "states.csv")
    assert list(tmp_path.iterdir()) == []
