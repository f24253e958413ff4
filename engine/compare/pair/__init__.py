"""A single pair: its file, both answers to it, and the shrinker."""
