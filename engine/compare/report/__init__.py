"""The report of a run over many pairs: one HTML file, and the pairs as files."""
