"""One pair: as a file, asked of both sides, made small."""
