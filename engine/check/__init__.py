"""The bench for somebody else's collision function: called on seeded pairs in a process of its own, judged against exact arithmetic."""
