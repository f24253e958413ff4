"""Files of the window: opening and dropping, saving, recovery after a crash, preferences, and the folders where they are kept."""
