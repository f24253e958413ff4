"""The window, opened by a command, or why it cannot be; and the colours of a theme."""

from __future__ import annotations

from typing import Any

from engine.common.errors import InvalidInputError

__all__ = ["open_window", "use_theme"]


def use_theme(theme: str | None) -> None:
    """Let all colours be those of a theme of the command line; without one they stay."""
    if theme is not None:
        from engine.render import palette
        from engine.render.palette import THEMES

        if theme not in THEMES:
            raise InvalidInputError("--theme", " or ".join(THEMES), theme)
        palette.use_theme(theme)


def open_window(advice: str, ui_scale: float | None, kind: Any, **options: Any) -> None:
    """Run the window, as `engine.app.loop.open_window` takes it, until it is closed.

    Raises
    ------
    DisplayError
        There is no display; tells what works without one.
    """
    from engine.app.display import display_problem
    from engine.app.layout import check_ui_scale

    check_ui_scale("--ui-scale", ui_scale)
    problem = display_problem()
    from engine.app import loop

    if problem is not None:
        raise loop.DisplayError(f"no window can be opened here ({problem}); {advice}")
    with loop.open_window(kind, ui_scale=ui_scale, **options) as window:
        window.run()
