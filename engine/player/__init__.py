"""The player: one HTML file that shows a recording in any browser, without network and without Python.

>>> from engine import player
>>> from engine.world import BodySpec, FixtureSpec, World
>>> from engine.geometry import Circle
>>> world = World()
>>> body = world.create_body(BodySpec((FixtureSpec(Circle(0.5)),)))
>>> player.show(world, seconds=1.0)
Page()
"""

from engine.common.installation import require
from engine.player.notebook import Page, show

__all__ = ["Page", "show"]

require("jinja2")
