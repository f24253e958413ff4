"""The application: demos and their registry, the clock, the window, and the same runs without a screen."""

import os

from engine.common.installation import require

require("pygame", "pygame_gui")

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # standard output belongs to the program's own results
