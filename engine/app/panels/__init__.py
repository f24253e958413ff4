"""The parts of the window beside the view or over it. Each receives only what it needs, not the window."""
