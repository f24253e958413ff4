"""A compiler for windows of tests: it compiles nothing, and has no live check."""


class IdleCompiler:
    """Compiles nothing; `doing` can be set."""

    doing, is_open = "", False

    def __enter__(self):
        IdleCompiler.is_open = True
        return self

    def __exit__(self, *_):
        IdleCompiler.is_open = False

    def failure(self, part):
        """Return why there is no live check."""
        return "left out"
