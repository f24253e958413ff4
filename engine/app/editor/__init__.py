"""Editing a running demo by hand: tools, selection, clipboard, and the inspector's pages. Independent of the window."""
