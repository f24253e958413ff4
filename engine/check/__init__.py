"""The bench for a user's collision function: called on seeded pairs in a process of its own, judged against exact arithmetic."""
