"""Simulates demos, with their worlds, logic and user actions, independently of windows, drawing and the clock."""

from engine.common.installation import require

require("msgspec")
