"""All colors, for the dark and the light theme, and in the current theme.

Colors must be looked up where they are used: ``palette.TEXT``, never ``from engine.render.palette import TEXT``, a default argument or a
module constant, which would keep the theme at the time of the look-up.

The signal colors follow Okabe and Ito's palette for all kinds of color vision (jfly.uni-koeln.de/color), lightened for the dark
ground and darkened for the light one. Meanings differ in lightness or form, not only in hue: a new contact point is a filled dot inside a
ring, a persisting one a small dot, a removed one a fading hollow ring, so that they differ in gray. `tests/unit/render/test_themes.py`
checks the contrast (WCAG 2.2) and the color distances for color-blind users.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypeAlias

Color: TypeAlias = tuple[int, int, int]


MIN_CONTRAST = 3.0
"""Minimum contrast of a graphical object needed to understand the picture: WCAG 2.2, success criterion 1.4.11."""
WORDS_CONTRAST = 4.5
"""Minimum contrast of text of normal size: success criterion 1.4.3."""


FILL_SHARE = 0.42
"""Share of the outline's color in a body's fill; the rest is background."""


@dataclass(frozen=True, slots=True)
class Theme:
    """A color for every name below, in small letters."""

    name: str
    background: Color
    grid: Color
    grid_axis: Color
    panel: Color
    panel_raised: Color
    panel_edge: Color
    text: Color
    strong: Color
    caption: Color
    accent: Color
    warning: Color
    body_colors: tuple[Color, ...]
    static: Color
    kinematic: Color
    sensor: Color
    sleeping: Color
    touching: Color
    point_add: Color
    point_persist: Color
    point_remove: Color
    contact_segment: Color
    normal: Color
    impulse: Color
    fixture_aabb: Color
    joint: Color
    center_of_mass: Color
    beside: Color
    agree: Color
    explained: Color
    unexplained: Color
    series: tuple[Color, ...]
    users: tuple[Color, ...]

    def named(self) -> dict[str, Color | tuple[Color, ...]]:
        """Return the colors by their names in `engine.render.palette`."""
        return {field.name.upper(): getattr(self, field.name) for field in fields(self) if field.name != "name"}

    def colors(self) -> tuple[Color, ...]:
        """Return all colors, in the same order for every theme."""
        return tuple(color for entry in self.named().values() for color in _listed(entry))

    def css(self) -> str:
        """Return the theme as custom properties of CSS: ``--body-colors-0: #569cd6; ...``."""
        entries = [(name.lower().replace("_", "-"), entry) for name, entry in self.named().items()]
        rows = [(name, entry) for name, entry in entries if not isinstance(entry[0], tuple)]
        rows += [(f"{name}-{k}", color) for name, entry in entries if isinstance(entry[0], tuple) for k, color in enumerate(entry)]
        return " ".join(f"--{name}: #{packed(color):06x};" for name, color in rows)


DARK = Theme(
    name="dark",
    background=(13, 17, 23),
    grid=(22, 28, 37),
    grid_axis=(34, 43, 56),
    panel=(18, 23, 31),
    panel_raised=(28, 36, 48),
    panel_edge=(44, 55, 70),
    text=(222, 229, 238),
    strong=(255, 255, 255),
    caption=(139, 153, 171),
    accent=(86, 180, 233),
    warning=(240, 180, 60),
    body_colors=((86, 156, 214), (64, 178, 150), (176, 140, 214), (208, 168, 88), (122, 142, 220), (96, 184, 196)),
    static=(110, 122, 138),
    kinematic=(190, 170, 120),
    sensor=(150, 130, 190),
    sleeping=(84, 94, 108),
    touching=(232, 84, 68),
    point_add=(64, 224, 255),
    point_persist=(255, 255, 255),
    point_remove=(236, 150, 200),
    contact_segment=(236, 214, 208),
    normal=(250, 214, 90),
    impulse=(255, 150, 60),
    fixture_aabb=(118, 126, 138),
    joint=(130, 212, 160),
    center_of_mass=(245, 200, 110),
    beside=(200, 255, 60),
    agree=(70, 201, 138),
    explained=(240, 180, 60),
    unexplained=(255, 92, 92),
    series=((86, 180, 233), (240, 180, 60), (178, 60, 245), (64, 240, 130), (252, 64, 110)),
    users=(
        *((216, 220, 75), (190, 98, 255), (41, 240, 144), (93, 191, 242)),
        *((168, 243, 206), (212, 168, 81), (152, 190, 187), (210, 124, 120)),
    ),
)

LIGHT = Theme(
    name="light",
    background=(250, 251, 253),
    grid=(236, 240, 245),
    grid_axis=(214, 221, 231),
    panel=(241, 244, 248),
    panel_raised=(226, 232, 240),
    panel_edge=(186, 197, 212),
    text=(24, 32, 44),
    strong=(16, 20, 26),
    caption=(80, 92, 110),
    accent=(0, 92, 158),
    warning=(140, 86, 0),
    body_colors=((32, 100, 168), (0, 116, 92), (112, 70, 160), (140, 94, 0), (66, 84, 176), (0, 110, 130)),
    static=(92, 104, 120),
    kinematic=(122, 100, 36),
    sensor=(106, 82, 156),
    sleeping=(126, 136, 150),
    touching=(192, 44, 28),
    point_add=(0, 104, 160),
    point_persist=(16, 20, 26),
    point_remove=(176, 40, 120),
    contact_segment=(110, 60, 48),
    normal=(150, 96, 0),
    impulse=(196, 72, 0),
    fixture_aabb=(120, 128, 140),
    joint=(30, 108, 66),
    center_of_mass=(124, 84, 20),
    beside=(140, 0, 220),
    agree=(0, 112, 66),
    explained=(140, 86, 0),
    unexplained=(166, 0, 52),
    series=((0, 92, 158), (140, 86, 0), (98, 35, 213), (0, 60, 24), (214, 20, 96)),
    users=(
        *((55, 23, 248), (69, 111, 25), (67, 28, 0), (36, 98, 201)),
        *((0, 27, 43), (205, 1, 22), (24, 48, 127), (150, 66, 74)),
    ),
)

THEMES = {theme.name: theme for theme in (DARK, LIGHT)}

BACKGROUND: Color = DARK.background
GRID: Color = DARK.grid
GRID_AXIS: Color = DARK.grid_axis

PANEL: Color = DARK.panel
PANEL_RAISED: Color = DARK.panel_raised
PANEL_EDGE: Color = DARK.panel_edge
TEXT: Color = DARK.text
STRONG: Color = DARK.strong
"""Text on a selected button."""
CAPTION: Color = DARK.caption
ACCENT: Color = DARK.accent
WARNING: Color = DARK.warning

BODY_COLORS: tuple[Color, ...] = DARK.body_colors
"""Colors of dynamic bodies, in turn; the outline has the color itself, the fill a mixture with the background."""
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
BESIDE: Color = DARK.beside
"""The outlines and the name of a comparison world."""

AGREE: Color = DARK.agree
EXPLAINED: Color = DARK.explained
UNEXPLAINED: Color = DARK.unexplained

SERIES: tuple[Color, ...] = DARK.series
"""Curves of a plot and layers of a stack, in this order; each also has its own dash or mark."""

USERS: tuple[Color, ...] = DARK.users
"""Users of a shared world, in turn: their pointers, names, and the outlines of what they grab; the name is always shown."""

_theme = DARK
_present: dict[Color, Color] = {}
_legible: dict[tuple[Color, float], Color] = {}


def theme() -> Theme:
    """Return the current theme."""
    return _theme


def theme_name() -> str:
    """Return the name of the current theme, a key of `THEMES`."""
    return _theme.name


def use_theme(name: str) -> None:
    """Switch all colors to a theme; an unknown name raises KeyError.

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
            _present.update(zip(other.colors(), _theme.colors(), strict=True))


def body_color(body: int) -> Color:
    """Return the default color of a dynamic body by its id."""
    return BODY_COLORS[body % len(BODY_COLORS)]


def now(color: Color) -> Color:
    """Return the counterpart of a color in the current theme; an unknown color is returned unchanged."""
    return _present.get(color, color)


def legible(color: Color, least: float = MIN_CONTRAST) -> Color:
    """Return a color that a demo chose for a body, darkened for a light background: by its name, otherwise mixed with black.

    A dark background changes nothing, because demos choose their colors for it. `least` is the contrast; text needs `WORDS_CONTRAST`.
    """
    if _theme is DARK:
        return now(color)
    legible = _legible.get((color, least))
    if legible is None:
        legible = _legible[color, least] = _darkened(now(color), BACKGROUND, least)
    return legible


def _darkened(color: Color, ground: Color, least: float) -> Color:
    """Return a color mixed with black until its contrast with the background is at least `least`."""
    while contrast(color, ground) < least:
        color = mix(color, (0, 0, 0), 0.1)
    return color


def in_both(color: Color) -> tuple[Color, Color]:
    """Return a color of the current theme as (dark, light) theme colors; it may be mixed with the background.

    A demo's own color is darkened for the light theme.

    Examples
    --------
    >>> in_both(TEXT), in_both((1, 200, 3))
    (((222, 229, 238), (24, 32, 44)), ((1, 200, 3), (1, 162, 3)))
    >>> in_both(mix(BACKGROUND, TEXT, 0.5))[1] == mix(LIGHT.background, LIGHT.text, 0.5)
    True
    """
    here, there = (DARK, LIGHT) if _theme is DARK else (LIGHT, DARK)
    counterpart = dict(zip(here.colors(), there.colors(), strict=True)).get(color) or _mixture(color, here, there)
    if _theme is DARK:
        return color, counterpart or _darkened(color, LIGHT.background, MIN_CONTRAST)
    return counterpart or color, color


def _mixture(color: Color, here: Theme, there: Theme) -> Color | None:
    """Return the counterpart of a color of `here` that is mixed with the background; None if it is not."""
    for known, other in zip(here.colors(), there.colors(), strict=True):
        part = max(range(3), key=lambda k: abs(known[k] - here.background[k]))
        span = known[part] - here.background[part]
        share = (color[part] - here.background[part]) / span if span else 0.0
        if 0.0 < share < 1.0 and max(abs(a - b) for a, b in zip(mix(here.background, known, share), color, strict=True)) <= 1:
            return mix(there.background, other, round(share, 2))
    return None


def of_verdict(holds: bool | None) -> Color:
    """Return the color of a claim that holds, of one that does not, or, for None, of one that cannot be judged yet."""
    return {None: TEXT, True: AGREE, False: WARNING}[holds]


def mix(a: Color, b: Color, share: float) -> Color:
    """Return `a` with `share` of it replaced by `b`; 0 gives a, 1 gives b.

    Examples
    --------
    >>> mix((0, 0, 0), (100, 200, 50), 0.5)
    (50, 100, 25)
    """
    keep = 1.0 - share
    return round(a[0] * keep + b[0] * share), round(a[1] * keep + b[1] * share), round(a[2] * keep + b[2] * share)


def packed(color: Color) -> int:
    """Return a color as one number, for columns of colors.

    Examples
    --------
    >>> hex(packed((1, 2, 255))), unpacked(0x0102FF)
    ('0x102ff', (1, 2, 255))
    """
    return (color[0] << 16) | (color[1] << 8) | color[2]


def unpacked(number: int) -> Color:
    """Return the color that `packed` encoded."""
    return number >> 16, (number >> 8) & 255, number & 255


def _listed(color: Color | tuple[Color, ...]) -> tuple[Color, ...]:
    """Return a color, or a sequence of colors, as a sequence."""
    return color if isinstance(color[0], tuple) else (color,)


def contrast(a: Color, b: Color) -> float:
    """Return the contrast ratio of two sRGB colors, 1 to 21, as WCAG 2.2 defines it.

    Examples
    --------
    >>> contrast((0, 0, 0), (255, 255, 255))
    21.0
    """
    darker, lighter = sorted((_luminance(a), _luminance(b)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: Color) -> float:
    """Return the relative luminance: the channels made linear (IEC 61966-2-1), weighted by the eye's sensitivity."""
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in (channel / 255.0 for channel in color)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
