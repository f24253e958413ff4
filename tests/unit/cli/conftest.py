"""No window on anybody's screen, and not the user's own preferences, as for the tests of the window."""

from tests.unit.app.conftest import display

__all__ = ["display"]
