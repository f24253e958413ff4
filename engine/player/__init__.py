"""The player: one HTML file that shows a recording in any browser, without network and without Python."""
