"""A simulation: worlds, what a demo does with them, and the actions of its users. It knows no window, no pixel and no clock."""
