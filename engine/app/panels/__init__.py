"""The parts of the window that lie beside the view or over it. Each gets what it needs, not the window."""
