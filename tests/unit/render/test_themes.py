"""The themes: contrast by WCAG 2.2, distinguishability under color blindness, and that a change of theme affects everything drawn."""

import itertools

import numpy as np
import pytest

from engine.render import palette
from engine.render.fonts import FontBook
from engine.render.palette import DARK, LIGHT, MIN_CONTRAST, THEMES, contrast

TEXT_CONTRAST = 4.5
"""WCAG 2.2, success criterion 1.4.3: text of the usual size."""
DIFFERENT = 10.0
"""CIE 1976 difference at which two adjacent colors are clearly different; 2.3 is just noticeable (Mahy and others, 1994)."""

# Machado, Oliveira, Fernandes 2009, "A physiologically-based model for simulation of color vision deficiency", severity 1, linear RGB.
SIGHTS = {
    "normal": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}
_TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
_WHITE = _TO_XYZ.sum(axis=1)


def lab(color, sight):
    """Return CIE L*a*b* (D65) of an sRGB color as seen with a type of color vision."""
    share = np.array(color) / 255.0
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    xyz = _TO_XYZ @ np.clip(SIGHTS[sight] @ linear, 0.0, 1.0) / _WHITE
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    seen = np.array([116.0 * f[1] - 16.0, 500.0 * (f[0] - f[1]), 200.0 * (f[1] - f[2])])
    return seen


def distance(a, b, sight):
    return float(np.linalg.norm(lab(a, sight) - lab(b, sight)))


@pytest.fixture(autouse=True)
def dark_again():
    yield
    palette.use_theme("dark")


themes = pytest.mark.parametrize("theme", list(THEMES.values()), ids=lambda theme: theme.name)


@themes
def test_text_is_legible_on_every_background(theme):
    words = ("text", "strong", "caption", "accent", "warning", "agree", "explained", "unexplained", "beside")
    grounds = ("background", "panel", "panel_raised")
    colors = {
        **{w: getattr(theme, w) for w in words},
        **{f"{group} {k}": color for group in ("users",) for k, color in enumerate(getattr(theme, group))},
    }
    bad = [(w, g, round(contrast(color, getattr(theme, g)), 2)) for w, color in colors.items() for g in grounds]
    assert not [row for row in bad if row[2] < TEXT_CONTRAST]


@themes
def test_meaningful_marks_contrast_with_the_background(theme):
    names = ("static", "kinematic", "sensor", "touching", "normal", "impulse", "fixture_aabb", "joint", "center_of_mass")
    shown = [(name, getattr(theme, name)) for name in (*names, "point_add", "point_persist", "point_remove")]
    shown += [(f"body {k}", color) for k, color in enumerate(theme.body_colors)] + [(f"series {k}", c) for k, c in enumerate(theme.series)]
    weak = [(name, round(contrast(color, theme.background), 2)) for name, color in shown]
    assert not [row for row in weak if row[1] < MIN_CONTRAST]
    assert contrast(theme.sleeping, theme.background) < contrast(theme.static, theme.background)  # asleep is meant to be dim


@themes
@pytest.mark.parametrize("sight", SIGHTS)
def test_colors_with_different_meanings_are_distinguishable(theme, sight):
    groups = (
        {"agree": theme.agree, "explained": theme.explained, "unexplained": theme.unexplained},
        {"added": theme.point_add, "persisting": theme.point_persist, "removed": theme.point_remove},
        {"touching": theme.touching, "asleep": theme.sleeping},
        {"normal": theme.normal, "point": theme.point_add, "joint": theme.joint},
        {f"series {k}": color for k, color in enumerate(theme.series)},
        {f"user {k}": color for k, color in enumerate(theme.users)},
    )
    alike = [
        (a, b, round(distance(group[a], group[b], sight), 1))
        for group in groups
        for a, b in itertools.combinations(group, 2)
        if distance(group[a], group[b], sight) < DIFFERENT
    ]
    assert not alike


@themes
@pytest.mark.parametrize("sight", SIGHTS)
def test_comparison_worlds_are_distinguishable_from_the_first(theme, sight):
    drawn = (*theme.body_colors, theme.static, theme.kinematic, theme.touching, theme.sleeping, theme.joint, theme.background)
    assert min(distance(theme.beside, color, sight) for color in drawn) >= DIFFERENT


def test_a_theme_changes_every_color_and_can_be_reverted():
    before = {name: getattr(palette, name) for name in DARK.named()}
    palette.use_theme("light")
    assert palette.theme_name() == "light"
    assert {name: getattr(palette, name) for name in LIGHT.named()} == LIGHT.named()
    assert all(getattr(palette, name) != before[name] for name in before)
    palette.use_theme("dark")
    assert {name: getattr(palette, name) for name in before} == before
    with pytest.raises(KeyError):
        palette.use_theme("sepia")


def test_a_stored_color_is_mapped_to_the_other_theme():
    """Equal colors of one theme are equal in the other, and no color belongs to both, so `now` is unambiguous."""
    for theme, other in ((DARK, LIGHT), (LIGHT, DARK)):
        pairs = [(_all(a), _all(b)) for a, b in zip(theme.named().values(), other.named().values(), strict=True)]
        there = [color for a, _ in pairs for color in a]
        here = [color for _, b in pairs for color in b]
        meaning = {}
        for a, b in zip(there, here, strict=True):
            assert meaning.setdefault(a, b) == b, a
        assert not set(there) & set(here)
        palette.use_theme(other.name)
        assert [palette.now(color) for color in there] == here
        assert [palette.now(color) for color in here] == here
    assert palette.now((1, 2, 3)) == (1, 2, 3)


def test_a_color_of_a_demo_is_adjusted_only_on_a_light_background():
    pale = (250, 240, 150)
    assert palette.legible(pale) == pale
    palette.use_theme("light")
    assert contrast(palette.legible(pale), palette.BACKGROUND) >= MIN_CONTRAST
    assert palette.legible(DARK.normal) == LIGHT.normal


def test_cached_texts_use_the_current_theme():
    fonts = FontBook()
    palette.use_theme("light")
    assert fonts.render("word", 13.0, DARK.text) is fonts.render("word", 13.0, LIGHT.text)


def _all(color):
    return palette._listed(color)
