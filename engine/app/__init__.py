"""The window: its parts, their events, its drawing and the files that it writes; also headless runs."""

import os

from engine.common.installation import require

require("pygame")

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # keep standard output for the program's own results
