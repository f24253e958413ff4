"""Messages shown one after another, each for some seconds, in the status strip (`engine.app.status_strip`)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from engine.render import palette
from engine.render.palette import Color

__all__ = ["Message", "Messages"]

_SECONDS, _MIN_SECONDS = 6.0, 2.0
"""Duration of a message, and its minimum if others are waiting."""


@dataclass(frozen=True, slots=True)
class Message:
    """Text and color; `is_passing` messages give way to the next, `is_answer` messages answer the last action."""

    words: str
    color: Color
    is_passing: bool = False
    is_answer: bool = False


class Messages:
    """The queue of messages."""

    def __init__(self) -> None:
        self._waiting: deque[Message] = deque()
        self._shown_for = 0.0

    @property
    def now(self) -> Message | None:
        """The message to show."""
        return self._waiting[0] if self._waiting else None

    def say(self, words: str, color: Color | None = None, is_passing: bool = False) -> None:
        """Show a message after those that are waiting."""
        if self._waiting and self._waiting[-1].is_passing:
            self._waiting.pop()
        if not self._waiting:
            self._shown_for = 0.0
        self._waiting.append(Message(words, palette.TEXT if color is None else color, is_passing))

    def answer(self, words: str, color: Color | None = None, is_passing: bool = False) -> Message:
        """Show a message at once, replacing the last answer; return it."""
        message = Message(words, palette.TEXT if color is None else color, is_passing, is_answer=True)
        self._waiting = deque(other for other in self._waiting if not (other.is_answer or other.is_passing))
        self._waiting.appendleft(message)
        self._shown_for = 0.0
        return message

    def take_back(self, message: Message) -> None:
        """Remove a message that is no longer true, if it is still there."""
        self._waiting = deque(other for other in self._waiting if other is not message)

    def end_passing(self) -> None:
        """Remove the messages that give way to others."""
        self._waiting = deque(message for message in self._waiting if not message.is_passing)

    def advance(self, elapsed: float) -> None:
        """Advance the time by `elapsed` real seconds."""
        self._shown_for += elapsed
        alone = len(self._waiting) == 1
        if self._waiting and not (alone and self._waiting[0].is_passing) and self._shown_for > (_SECONDS if alone else _MIN_SECONDS):
            self._waiting.popleft()
            self._shown_for = 0.0
