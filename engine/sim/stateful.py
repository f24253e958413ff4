"""Objects that stay themselves when a past state is restored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

__all__ = ["Stateful"]


class Stateful:
    """An object that others hold too: when a past state is restored it stays the same object, and only its state is replaced."""

    state_names: ClassVar[tuple[str, ...]] = ()
    """Names of the attributes that are its state."""

    def state_attributes(self) -> dict[str, Any]:
        """Return its state by name."""
        return {name: getattr(self, name) for name in self.state_names}

    def set_state_attributes(self, state: Mapping[str, Any]) -> None:
        """Replace its state by one that `state_attributes` returned."""
        vars(self).update(state)
