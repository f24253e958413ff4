"""A user with a paused scene."""

import pygame
import pytest

from tests.unit.app.conftest import browser, choosy, display, drop, hand, referee, twins
from tests.unit.app.editor.person import Person, Yard

__all__ = ["browser", "choosy", "display", "drop", "hand", "referee", "twins"]


@pytest.fixture(autouse=True)
def keys_up():
    yield
    pygame.key.set_mods(0)


@pytest.fixture
def person():
    person = Person(Yard())
    person.pause()
    return person
