"""Pictures of parts of the window that are kept: drawn anew when they must be, and in turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

import pygame
import pytest

from engine.app import screen
from engine.app.screen import SurfaceCache

FRAME = 1.0 / 60.0


class Wall:
    """Some parts beside each other, each painted in a color that counts how often it was painted."""

    def __init__(self, names: str) -> None:
        self.kept = SurfaceCache()
        self.surface = pygame.Surface((10 * len(names), 10))
        self.names = names
        self.painted: Counter[str] = Counter()
        self.size = 10

    def frame(self, shows: dict[str, Hashable], seconds: float = FRAME) -> str:
        """Draw a frame; return the names of the parts that were painted."""
        before = self.painted.copy()
        self.kept.elapse(seconds)
        self.kept.begin()
        self.surface.fill(0)
        for name, shown in shows.items():
            place = (10 * self.names.index(name), 0, 10, self.size)
            look = None if shown is None else lambda shown=shown: shown
            self.kept.draw(self.surface, name, place, look, lambda name=name, place=place: self._paint(name, place))
        return "".join(sorted(self.painted - before))

    def _paint(self, name: str, place: tuple[int, int, int, int]) -> None:
        self.painted[name] += 1
        self.surface.fill((self.painted[name], 0, 0), place)

    def color(self, name: str) -> int:
        return int(self.surface.get_at((10 * self.names.index(name) + 5, 5))[0])


@pytest.fixture(autouse=True)
def looked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each part be looked at in each frame."""
    monkeypatch.setattr(screen, "_LOOK", 0.0)


def test_a_part_is_looked_at_twenty_times_a_second_and_at_once_where_the_pointer_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "_LOOK", 0.045)
    kept, surface, looks, state = SurfaceCache(), pygame.Surface((9, 9)), [0], 0

    def shows() -> int:
        looks[0] += 1
        return 0

    for k in range(61):
        state = 1 if k == 60 else 0
        before = looks[0]
        kept.elapse(FRAME)
        kept.begin()
        kept.draw(surface, "a", (0, 0, 9, 9), shows, lambda: None, state)
    assert looks[0] == before + 1 and 19 <= looks[0] <= 22


def test_a_part_that_shows_the_same_is_copied() -> None:
    wall = Wall("ab")
    assert wall.frame({"a": 1, "b": 1}) == "ab"
    for _ in range(5):
        assert wall.frame({"a": 1, "b": 1}) == ""
        assert wall.color("a") == 1 and wall.color("b") == 1
    assert wall.frame({"a": 2, "b": 1}) == "a"
    assert wall.color("a") == 2


def test_parts_that_change_all_the_time_take_turns() -> None:
    wall = Wall("abcd")
    wall.frame(dict.fromkeys("abcd", 0))
    painted = [wall.frame(dict.fromkeys("abcd", k)) for k in range(1, 41)]
    assert all(len(names) == 1 for names in painted)
    assert all(wall.painted[name] == 11 for name in "abcd")


def test_none_waits_longer_than_a_tenth_of_a_second() -> None:
    wall = Wall("abcd")
    wall.frame(dict.fromkeys("abcd", 0))
    wall.frame(dict.fromkeys("abcd", 1))
    assert wall.frame(dict.fromkeys("abcd", 1), 0.2) == "bcd"


def test_what_changed_and_stands_still_is_seen_in_the_end() -> None:
    wall = Wall("abc")
    wall.frame(dict.fromkeys("abc", 0))
    painted = "".join(wall.frame(dict.fromkeys("abc", 1)) for _ in range(3))
    assert sorted(painted) == ["a", "b", "c"] and wall.frame(dict.fromkeys("abc", 1)) == ""


def test_after_something_was_done_all_are_painted_at_once() -> None:
    wall = Wall("abc")
    wall.frame(dict.fromkeys("abc", 0))
    wall.kept.forget()
    assert wall.frame(dict.fromkeys("abc", 0)) == "abc"


def test_another_place_is_painted_at_once_and_none_is_never_kept() -> None:
    wall = Wall("abc")
    wall.frame(dict.fromkeys("abc", 0))
    wall.size = 8
    assert wall.frame(dict.fromkeys("abc", 0)) == "abc"
    assert [wall.frame({"a": None, "b": 0, "c": 0}) for _ in range(3)] == ["a"] * 3
    assert wall.frame({"a": 0, "b": 0, "c": 0}) == "a"


def test_a_part_that_is_hidden_while_it_waits_holds_the_others_up_for_one_frame() -> None:
    wall = Wall("abc")
    wall.frame(dict.fromkeys("abc", 0))
    assert wall.frame(dict.fromkeys("abc", 1)) == "a"
    assert wall.frame({"a": 2, "c": 2}) == ""
    assert "".join(wall.frame({"a": k, "c": k}) for k in range(3, 9)) == "cacaca"
