"""The past of a demo: what was done and what came of it, keyframes, the way back, and recordings on disk. It knows no window."""
