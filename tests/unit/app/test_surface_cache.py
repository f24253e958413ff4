"""Pictures of parts of the window that are kept: one is looked at in each frame, and drawn anew if it has changed."""

from collections import Counter

import pygame

from engine.app.screen import SurfaceCache


class Wall:
    """Parts side by side, each painted in a color that counts its paintings."""

    def __init__(self, names):
        self.kept = SurfaceCache()
        self.surface = pygame.Surface((10 * len(names), 10))
        self.names = names
        self.painted = Counter()
        self.size = 10

    def frame(self, shows, state=None):
        """Draw a frame; return the names of the parts that were painted."""
        before = self.painted.copy()
        self.kept.begin()
        self.surface.fill(0)
        for name, shown in shows.items():
            place = (10 * self.names.index(name), 0, 10, self.size)
            look = None if shown is None else lambda shown=shown: shown
            self.kept.draw(self.surface, name, place, look, lambda name=name, place=place: self._paint(name, place), state)
        return "".join(sorted(self.painted - before))

    def _paint(self, name, place):
        self.painted[name] += 1
        self.surface.fill((self.painted[name], 0, 0), place)

    def color(self, name):
        return int(self.surface.get_at((10 * self.names.index(name) + 5, 5))[0])


def test_a_part_that_shows_the_same_is_copied():
    wall = Wall("ab")
    assert wall.frame({"a": 1, "b": 1}) == "ab"
    for _ in range(5):
        assert wall.frame({"a": 1, "b": 1}) == ""
        assert wall.color("a") == 1 and wall.color("b") == 1
    assert "".join(wall.frame({"a": 2, "b": 1}) for _ in range(4)) == "a"
    assert wall.color("a") == 2


def test_parts_that_change_all_the_time_take_turns():
    wall = Wall("abcd")
    wall.frame(dict.fromkeys("abcd", 0))
    painted = [wall.frame(dict.fromkeys("abcd", k)) for k in range(1, 41)]
    assert all(len(names) == 1 for names in painted)
    assert all(wall.painted[name] == 11 for name in "abcd")


def test_after_something_was_done_and_in_another_state_all_are_painted_at_once():
    wall = Wall("abc")
    wall.frame(dict.fromkeys("abc", 0))
    wall.kept.forget()
    assert wall.frame(dict.fromkeys("abc", 0)) == "abc"
    assert wall.frame(dict.fromkeys("abc", 0), state="pointed") == "abc"
    wall.size = 8
    assert wall.frame(dict.fromkeys("abc", 0), state="pointed") == "abc"


def test_what_shows_none_is_never_kept():
    wall = Wall("abc")
    wall.frame(dict.fromkeys("abc", 0))
    assert [wall.frame({"a": None, "b": 0, "c": 0}) for _ in range(3)] == ["a"] * 3
    assert wall.frame({"a": 0, "b": 0, "c": 0}) == "a"


def test_a_part_that_is_hidden_costs_the_others_only_its_turn():
    wall = Wall("abc")
    wall.frame(dict.fromkeys("abc", 0))
    painted = [wall.frame({"a": k, "c": k}) for k in range(1, 10)]
    assert sorted(painted) == [""] * 3 + ["a"] * 3 + ["c"] * 3
