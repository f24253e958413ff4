"""The parts of the window next to the view or over it. Each receives only what it needs, not the window."""
