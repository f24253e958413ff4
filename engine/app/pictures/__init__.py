"""Pictures of what a command has found, drawn off-screen."""
