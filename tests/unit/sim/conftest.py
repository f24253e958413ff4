"""The demos of the window's tests, which are small enough to step in a test."""

from tests.unit.app.conftest import browser, choosy, display, drop, hand, referee, twins

__all__ = ["browser", "choosy", "display", "drop", "hand", "referee", "twins"]
