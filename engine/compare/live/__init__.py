"""The referee of a running world: after each step, its contacts and which of its fixtures touch, found a second time."""
