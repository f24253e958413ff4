"""The report of a run over many pairs: an HTML file, and the pairs as files."""
