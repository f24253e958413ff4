"""The referee of a running world: recomputes its contacts and touching fixtures after each step."""
