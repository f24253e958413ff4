"""What the window says of the live check while there is none: that it is on its way, what is checked until then, or why none will come."""

from __future__ import annotations

from engine.app.warmup import LOADING
from engine.demo.session import Session

__all__ = ["CheckNote"]


class CheckNote:
    """Begins with the check on its way.

    Attributes
    ----------
    sentence : str
        For the panel; empty where there is a check.
    short : str
        A few words for the status strip.
    is_warming_up : bool
        Whether it is on its way.
    meanwhile : str
        What is checked while it is on its way; empty where nothing is.
    """

    def __init__(self) -> None:
        self.is_warming_up = True
        self.sentence, self.short, self.meanwhile = LOADING, "check: warming up", ""

    def comes(self, sentence: str, short: str) -> None:
        """Tell how far it is; not once it is there, or has failed."""
        if self.is_warming_up:
            self.sentence, self.short = sentence, short

    def is_there(self) -> None:
        """There is one: nothing is to be said."""
        self.is_warming_up = False
        self.sentence = self.short = self.meanwhile = ""

    def fails(self, reason: str) -> None:
        """There will be none."""
        self.is_warming_up, self.meanwhile = False, ""
        self.sentence, self.short = f"no live check: {reason}", "no live check"

    def words(self, session: Session) -> str:
        """Return what the panel says in place of the counts of a session; empty for the counts."""
        return ("" if self.until(session) else self.sentence) or session.demo.note or ("" if session.layers.check else "switched off (8)")

    def until(self, session: Session) -> str:
        """Return what the panel says over the counts of a session: how few contacts they are of, and until when; empty once it is all."""
        return f"{self.meanwhile}, until all can be ({self.short})" if self.meanwhile and session.layers.check else ""
