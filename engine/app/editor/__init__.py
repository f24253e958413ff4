"""Building and changing a running demo by hand: tools, what is selected, the clipboard, the inspector's pages. It knows no window."""
