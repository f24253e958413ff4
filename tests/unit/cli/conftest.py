"""Use no screen and no user preferences, as in the tests of the window."""

from tests.unit.app.conftest import display

__all__ = ["display"]
