"""Draws the samples that `python main.py trace` and the window can be tried with: ``python -m sprites.draw_samples``.

samples/gear.svg       a gear of ten teeth with a bore and five windows, by arcs and straight lines; fill-rule evenodd
samples/ampersand.png  the letter, 256 x 256, two holes, soft edges
samples/paw.png        five parts, soft edges, 192 x 192
samples/seesaw.json    a scene, written by hand (docs/scenes.md)
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pygame

__all__ = ["draw"]

FOLDER = Path(__file__).parent / "samples"

_FINER = 4
"""Times as large as wanted it is painted, then made smaller: sixteen shades at an edge."""
_INK = (214, 94, 60)


def draw(folder: Path = FOLDER) -> None:
    """Write the samples into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "gear.svg").write_text(gear(), encoding="utf-8")
    pygame.image.save(letter("&", 256), folder / "ampersand.png")
    pygame.image.save(paw(192), folder / "paw.png")


def gear(n_teeth: int = 10, root: float = 78.0, tip: float = 98.0, bore: float = 16.0) -> str:
    """Return the gear as SVG, 200 x 200 user units: teeth that narrow outwards, arcs between them, windows between hub and rim."""
    step = 2.0 * math.pi / n_teeth
    corners = []
    for tooth in range(n_teeth):
        middle = tooth * step
        for radius, share in ((root, -0.30), (tip, -0.17), (tip, 0.17), (root, 0.30)):
            angle = middle + share * step
            corners.append((100.0 + radius * math.sin(angle), 100.0 - radius * math.cos(angle)))
    commands = []
    for k, (x, y) in enumerate(corners):
        arc = {0: root, 2: tip}.get(k % 4)
        commands.append(
            f"M{x:.3f} {y:.3f}" if k == 0 else f"L{x:.3f} {y:.3f}" if arc is None else f"A{arc:g} {arc:g} 0 0 1 {x:.3f} {y:.3f}"
        )
    commands.append(f"A{root:g} {root:g} 0 0 1 {corners[0][0]:.3f} {corners[0][1]:.3f}Z")
    path = "".join(commands)
    turns = [2.0 * math.pi * k / 5 for k in range(5)]
    holes = "".join(_circle_path(100.0 + 47.0 * math.sin(turn), 100.0 - 47.0 * math.cos(turn), 13.0) for turn in turns)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200" viewBox="0 0 200 200">\n'
        f'  <path fill="#5b7fa6" fill-rule="evenodd" d="{path}{_circle_path(100.0, 100.0, bore)}{holes}"/>\n'
        "</svg>\n"
    )


def _circle_path(x: float, y: float, radius: float) -> str:
    return f"M{x - radius:.3f} {y:.3f}a{radius:g} {radius:g} 0 1 0 {2 * radius:g} 0a{radius:g} {radius:g} 0 1 0 {-2 * radius:g} 0Z"


def letter(sign: str, side: int) -> pygame.Surface:
    """Return a sign of pygame's own font on a transparent square."""
    pygame.font.init()
    large = pygame.font.Font(None, _FINER * side).render(sign, True, _INK)
    large = large.subsurface(large.get_bounding_rect())
    square = pygame.Surface((_FINER * side, _FINER * side), pygame.SRCALPHA)
    scale = 0.94 * square.get_width() / max(large.get_size())
    large = pygame.transform.smoothscale(large, [round(scale * length) for length in large.get_size()])
    square.blit(large, large.get_rect(center=square.get_rect().center))
    return pygame.transform.smoothscale(square, (side, side))


def paw(side: int) -> pygame.Surface:
    """Return four toes and a pad."""
    large = pygame.Surface((_FINER * side, _FINER * side), pygame.SRCALPHA)
    unit = large.get_width()
    for x, y, width, height in ((0.14, 0.40, 0.19, 0.26), (0.36, 0.17, 0.20, 0.29), (0.64, 0.17, 0.20, 0.29), (0.86, 0.40, 0.19, 0.26)):
        pygame.draw.ellipse(large, (122, 92, 74), _box(unit, x, y, width, height))
    for x, y, width, height in ((0.50, 0.62, 0.42, 0.40), (0.36, 0.76, 0.28, 0.30), (0.64, 0.76, 0.28, 0.30)):
        pygame.draw.ellipse(large, (122, 92, 74), _box(unit, x, y, width, height))
    return pygame.transform.smoothscale(large, (side, side))


def _box(unit: int, x: float, y: float, width: float, height: float) -> pygame.Rect:
    return pygame.Rect(*(round(unit * number) for number in (x - 0.5 * width, y - 0.5 * height, width, height)))


if __name__ == "__main__":
    draw()
    sys.exit(0)
