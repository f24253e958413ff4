"""The theme of pygame_gui's widgets, from the same palette as everything else."""

from __future__ import annotations

from typing import Any

from engine.render import palette
from engine.render.palette import Color, mix

__all__ = ["theme_for"]


def theme_for(ui_scale: float) -> dict[str, Any]:
    """Return the theme for a UI scale; sizes are in screen pixels."""
    hovered = mix(palette.PANEL_RAISED, palette.TEXT, 0.08)  # lighter or darker only: the accent's colour says that a button is on
    chosen = mix(palette.PANEL, palette.ACCENT, 0.42)
    radius = str(round(5 * ui_scale))
    text = _hex(palette.TEXT)
    flat = {"shape": "rounded_rectangle", "shape_corner_radius": radius, "border_width": "1", "shadow_width": "0"}
    font = {"name": "noto_sans", "size": str(round(13 * ui_scale))}
    return {
        "defaults": {
            "colours": {
                "normal_bg": _hex(palette.PANEL_RAISED),
                "hovered_bg": _hex(hovered),
                "active_bg": _hex(chosen),
                "selected_bg": _hex(chosen),
                "disabled_bg": _hex(palette.PANEL),
                "dark_bg": _hex(palette.BACKGROUND),
                "disabled_dark_bg": _hex(palette.BACKGROUND),
                "normal_text": text,
                "hovered_text": text,
                "active_text": text,
                "selected_text": _hex(palette.STRONG),
                "disabled_text": _hex(palette.CAPTION),
                "normal_border": _hex(palette.PANEL_EDGE),
                "hovered_border": _hex(palette.CAPTION),
                "active_border": _hex(palette.ACCENT),
                "selected_border": _hex(palette.ACCENT),
                "disabled_border": _hex(palette.PANEL_EDGE),
            },
            "font": font,
            "misc": flat,
        },
        "button": {"misc": {**flat, "text_horiz_alignment_padding": str(round(8 * ui_scale))}, "font": font},
        "@toggle": {"misc": {**flat, "text_horiz_alignment": "left"}, "font": font},
        "@choice": {"misc": {**flat, "text_horiz_alignment_padding": "1"}, "font": font},
        "@entry": {
            "misc": {**flat, "text_horiz_alignment": "left", "text_horiz_alignment_padding": str(round(12 * ui_scale))},
            "font": {"name": "noto_sans", "size": str(round(15 * ui_scale))},
        },
        "horizontal_slider": {
            "misc": {
                "shape": "rounded_rectangle",
                "shape_corner_radius": radius,
                "border_width": "1",
                "shadow_width": "0",
                "enable_arrow_buttons": "0",
                "sliding_button_width": str(round(14 * ui_scale)),
            }
        },
        "horizontal_slider.#sliding_button": {
            "colours": {"normal_bg": _hex(mix(palette.PANEL, palette.ACCENT, 0.75)), "hovered_bg": _hex(palette.ACCENT)},
            "misc": {**flat, "border_width": "0"},
        },
    }


def _hex(color: Color) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)
