"""Cached images of the window's parts: each frame checks one and redraws it if it has changed."""

from collections import Counter

import pygame

from engine.app.screen import SurfaceCache


class Wall:
    """Parts side by side, each drawn in a color that counts its redraws."""

    def __init__(self, names):
        self.kept = SurfaceCache()
        self.surface = pygame.Surface((10 * len(names), 10))
        self.names = names
        self.painted = Counter()
        self.size = 10

    def frame(self, shows, state=None):
        """Draw a frame; return the names of the redrawn parts."""
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


def test_an_unchanged_part_is_copied():
    wall = Wall("ab")
    assert wall.frame({"a": 1, "b": 1}) == "ab"
    for _ in range(5):
        assert wall.frame({"a": 1, "b": 1}) == ""
        assert wall.color("a") == 1 and wall.color("b") == 1
    assert "".join(wall.frame({"a": 2, "b": 1}) for _ in range(4)) == "a"
    assert wall.color("a") == 2


def test_parts_that_change_constantly_take_turns():
    wall = Wall("abcd")
    wall.frame(dict.fromkeys("abcd", 0))
    painted = [wall.frame(dict.fromkeys("abcd", k)) for k in range(1, 41)]
    assert all(len(names) == 1 for names in painted)
    assert all(wall.painted[name] == 11 for name in "abcd")


def test_all_parts_are_drawn_after_an_action_or_a_change_of_state():
    wall = Wall("abc")
    wall.frame(dict.fromkeys("abc", 0))
    wall.kept.forget()
    assert wall.frame(dict.fromkeys("abc", 0)) == "abc"
    assert wall.frame(dict.fromkeys("abc", 0), state="pointed") == "abc"
    wall.size = 8
    assert wall.frame(dict.fromkeys("abc", 0), state="pointed") == "abc"


def test_a_part_without_a_key_is_never_cached():
    wall = Wall("abc")
    wall.frame(dict.fromkeys("abc", 0))
    assert [wall.frame({"a": None, "b": 0, "c": 0}) for _ in range(3)] == ["a"] * 3
    assert wall.frame({"a": 0, "b": 0, "c": 0}) == "a"


def test_a_hidden_part_costs_the_others_only_its_turn():
    wall = Wall("abc")
    wall.frame(dict.fromkeys("abc", 0))
    painted = [wall.frame({"a": k, "c": k}) for k in range(1, 10)]
    assert sorted(painted) == [""] * 3 + ["a"] * 3 + ["c"] * 3
