"""Use no screen and not the user's own preferences, as the tests of the window do."""

from tests.unit.app.conftest import display

__all__ = ["display"]
