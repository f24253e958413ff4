"""The colours, in one place, as the present theme has them.

A colour is looked up where it is used: ``palette.TEXT``, never ``from engine.render.palette import TEXT``, a default argument or a
constant of a module, which would keep the theme of the moment in which they were read. What the values are: `engine.render.themes`.
"""

from __future__ import annotations

from engine.render.themes import DARK, LEAST_CONTRAST, THEMES, WORDS_CONTRAST, Color, contrast

__all__ = [
    "ACCENT",
    "AGREE",
    "BACKGROUND",
    "BODY_COLORS",
    "CAPTION",
    "CENTER_OF_MASS",
    "CONTACT_SEGMENT",
    "EXPLAINED",
    "FIXTURE_AABB",
    "GRID",
    "GRID_AXIS",
    "IMPULSE",
    "JOINT",
    "KINEMATIC",
    "NORMAL",
    "PANEL",
    "PANEL_EDGE",
    "PANEL_RAISED",
    "POINT_ADD",
    "POINT_PERSIST",
    "POINT_REMOVE",
    "SENSOR",
    "SERIES",
    "SLEEPING",
    "STATIC",
    "STRONG",
    "TEXT",
    "TOUCHING",
    "UNEXPLAINED",
    "WARNING",
    "WORDS_CONTRAST",
    "Color",
    "legible",
    "mix",
    "now",
    "theme_name",
    "use_theme",
]

BACKGROUND: Color = DARK.background
GRID: Color = DARK.grid
GRID_AXIS: Color = DARK.grid_axis

PANEL: Color = DARK.panel
PANEL_RAISED: Color = DARK.panel_raised
PANEL_EDGE: Color = DARK.panel_edge
TEXT: Color = DARK.text
STRONG: Color = DARK.strong
"""Words on a button that is chosen."""
CAPTION: Color = DARK.caption
ACCENT: Color = DARK.accent
WARNING: Color = DARK.warning

BODY_COLORS: tuple[Color, ...] = DARK.body_colors
"""Dynamic bodies take turns; the outline has the colour itself, the fill one nearer to the ground."""
STATIC: Color = DARK.static
KINEMATIC: Color = DARK.kinematic
SENSOR: Color = DARK.sensor
SLEEPING: Color = DARK.sleeping
TOUCHING: Color = DARK.touching

POINT_ADD: Color = DARK.point_add
POINT_PERSIST: Color = DARK.point_persist
POINT_REMOVE: Color = DARK.point_remove
CONTACT_SEGMENT: Color = DARK.contact_segment
NORMAL: Color = DARK.normal
IMPULSE: Color = DARK.impulse
FIXTURE_AABB: Color = DARK.fixture_aabb
JOINT: Color = DARK.joint
CENTER_OF_MASS: Color = DARK.center_of_mass

AGREE: Color = DARK.agree
EXPLAINED: Color = DARK.explained
UNEXPLAINED: Color = DARK.unexplained

SERIES: tuple[Color, ...] = DARK.series
"""Curves of a plot, and layers of a stack, in this order; each has a dash or a mark of its own too."""

_theme = DARK
_present: dict[Color, Color] = {}
_legible: dict[tuple[Color, float], Color] = {}


def theme_name() -> str:
    """Return the name of the present theme, a key of `engine.render.themes.THEMES`."""
    return _theme.name


def use_theme(name: str) -> None:
    """Let every colour be that of a theme from now on; an unknown name is a KeyError.

    Examples
    --------
    >>> from engine.render import palette
    >>> palette.use_theme("light"); palette.TEXT
    (24, 32, 44)
    >>> palette.now((222, 229, 238))  # the dark theme's TEXT
    (24, 32, 44)
    >>> palette.use_theme("dark"); palette.TEXT
    (222, 229, 238)
    """
    global _theme
    _theme = THEMES[name]
    globals().update(_theme.named())
    _present.clear()
    _legible.clear()
    for other in THEMES.values():
        if other is not _theme:
            for there, here in zip(other.named().values(), _theme.named().values(), strict=True):
                _present.update(zip(_listed(there), _listed(here), strict=True))


def now(color: Color) -> Color:
    """Return a colour that somebody kept, as the present theme has it; one that no theme knows stays as it is."""
    return _present.get(color, color)


def legible(color: Color, least: float = LEAST_CONTRAST) -> Color:
    """Return a colour that a demo chose for a body, dark enough for a light ground: that of its name, or else nearer to black.

    A dark ground changes nothing, as demos choose their colours on one. `least` is the contrast: words need `WORDS_CONTRAST`.
    """
    if _theme is DARK:
        return now(color)
    found = _legible.get((color, least))
    if found is None:
        found = now(color)
        while contrast(found, BACKGROUND) < least:
            found = mix(found, (0, 0, 0), 0.1)
        _legible[color, least] = found
    return found


def mix(a: Color, b: Color, share: float) -> Color:
    """Return `a` with `share` of it replaced by `b`; 0 gives a, 1 gives b.

    Examples
    --------
    >>> mix((0, 0, 0), (100, 200, 50), 0.5)
    (50, 100, 25)
    """
    keep = 1.0 - share
    return round(a[0] * keep + b[0] * share), round(a[1] * keep + b[1] * share), round(a[2] * keep + b[2] * share)


def _listed(color: Color | tuple[Color, ...]) -> tuple[Color, ...]:
    """Return one colour, or several, as several."""
    return color if isinstance(color[0], tuple) else (color,)
