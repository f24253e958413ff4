"""Lines shown one after another, each for some seconds: in the status strip, by `engine.app.status_strip`."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from engine.render import palette
from engine.render.palette import Color

__all__ = ["Message", "Messages"]

_SECONDS, _MIN_SECONDS = 6.0, 2.0
"""How long a message stays, and how long it stays where others wait."""


@dataclass(frozen=True, slots=True)
class Message:
    """Words, their color, whether they only hold until the next ones come ("reading ..."), and whether they answer what was just done."""

    words: str
    color: Color
    is_passing: bool = False
    is_answer: bool = False


class Messages:
    """The queue of them."""

    def __init__(self) -> None:
        self._waiting: deque[Message] = deque()
        self._shown_for = 0.0

    @property
    def now(self) -> Message | None:
        """Message that is to be shown."""
        return self._waiting[0] if self._waiting else None

    def say(self, words: str, color: Color | None = None, is_passing: bool = False) -> None:
        """Show a message after those that wait."""
        if self._waiting and self._waiting[-1].is_passing:
            self._waiting.pop()
        if not self._waiting:
            self._shown_for = 0.0
        self._waiting.append(Message(words, palette.TEXT if color is None else color, is_passing))

    def answer(self, words: str, color: Color | None = None, is_passing: bool = False) -> Message:
        """Show a message at once, before whatever waits, and instead of the last answer; return it."""
        message = Message(words, palette.TEXT if color is None else color, is_passing, is_answer=True)
        self._waiting = deque(other for other in self._waiting if not (other.is_answer or other.is_passing))
        self._waiting.appendleft(message)
        self._shown_for = 0.0
        return message

    def take_back(self, message: Message) -> None:
        """Take away a message that is true no more; nothing happens if it is there no more."""
        self._waiting = deque(other for other in self._waiting if other is not message)

    def end_passing(self) -> None:
        """Take away words that only hold until the next ones come."""
        self._waiting = deque(message for message in self._waiting if not message.is_passing)

    def advance(self, elapsed: float) -> None:
        """Let `elapsed` real seconds pass."""
        self._shown_for += elapsed
        alone = len(self._waiting) == 1
        if self._waiting and not (alone and self._waiting[0].is_passing) and self._shown_for > (_SECONDS if alone else _MIN_SECONDS):
            self._waiting.popleft()
            self._shown_for = 0.0
