"""The test bench for a user's collision function: calls it on seeded pairs in a separate process, and judges it by exact arithmetic."""
