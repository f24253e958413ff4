"""Files of the window: opening, dropping, saving, recovery after a crash, preferences, and their folders."""
