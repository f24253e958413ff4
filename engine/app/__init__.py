"""The window: its parts, their events, what is drawn in it and what is written out of it; runs without a screen beside it."""

import os

from engine.common.installation import require

require("pygame")

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # standard output belongs to the program's own results
