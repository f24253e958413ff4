"""What a person does to a running demo: pick, draw, join, erase, and set properties; each change an edit of its history."""
