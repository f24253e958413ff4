"""Scenes that several tests use."""

import struct

from engine.geometry import Polygon
from engine.scenes import Scene, SceneWorld
from engine.world import (
    BodySpec,
    DistanceJointSpec,
    FixtureSpec,
    FrictionJointSpec,
    GearJointSpec,
    MotorJointSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    PulleyJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    WeldJointSpec,
    WheelJointSpec,
    World,
    WorldSettings,
)

__all__ = ["BOX", "DRAWING", "EXAMPLE", "box", "level", "machine", "three_worlds", "vec"]

BOX = (FixtureSpec(Polygon.box(0.4, 0.2)),)


def machine():
    """Every kind of joint, each between a post and a box that hangs, slides or swings; a gear couples two of them."""
    world = World(WorldSettings(gravity=(0.2, -9.0)))
    for k in range(10):
        x = 4.0 * k
        world.create_body(BodySpec(BOX, "static", (x, 5.0), 0.3))
        world.create_body(BodySpec(BOX, position=(x + 1.0, 4.8), angle=0.1 * k, name=f"arm {k}"))
    ends = [(2 * k, 2 * k + 1) for k in range(10)]
    world.create_joint(RevoluteJointSpec(*ends[0], (0.5, 5.0), True, -0.4, 0.9, True, 1.0, 5.0))
    world.create_joint(DistanceJointSpec(*ends[1], (4.0, 5.0), (5.2, 4.8), 2.0, 0.1))
    world.create_joint(WeldJointSpec(*ends[2], (8.5, 5.0), 3.0, 0.1))
    world.create_joint(PrismaticJointSpec(*ends[3], (12.5, 5.0), (1.0, 3.0), True, -0.7, 0.3))
    world.create_joint(WheelJointSpec(*ends[4], (17.0, 4.8), (0.3, 1.0), 3.0, 0.4, True, 2.0, 4.0))
    world.create_joint(RopeJointSpec(*ends[5], (20.0, 5.0), (21.0, 4.8), 1.4))
    world.create_joint(PulleyJointSpec(ends[6][1], ends[7][1], (25.0, 9.0), (29.0, 9.0), (25.2, 4.8), (29.1, 4.8), 0.7))
    world.create_joint(MouseJointSpec(ends[0][1], (1.2, 4.9), 30.0))
    world.create_joint(FrictionJointSpec(*ends[8], (33.0, 4.8), 2.0, 0.1))
    world.create_joint(MotorJointSpec(*ends[9], (0.8, 0.3), 0.2, 30.0, 2.0, 0.2))
    world.create_joint(GearJointSpec(0, 3, -0.6))
    return world


def three_worlds():
    """Return three worlds side by side: a box hinged to a post, one on a motor, and nothing."""
    bodies = (BodySpec(BOX, "static", name="post"), BodySpec(BOX, position=(1.0, 0.0)))
    second = SceneWorld(WorldSettings((0.0, 0.0)), bodies, (MotorJointSpec(0, 1, (2.0, 0.0)),), (0.0, -3.0), "driven")
    hinged = (RevoluteJointSpec(0, 1, (0.0, 0.0)),)
    return Scene(bodies=bodies, joints=hinged, title="Three", label="hinged", worlds=(second, SceneWorld(offset=(0.0, -6.0))))


EXAMPLE = """{
  "format": "collision scene", "version": 1,
  "title": "A seesaw", "watch": "It tilts.",
  "settings": {"gravity": [0, -10]},
  "bodies": [
    {"type": "static", "name": "ground",
     "fixtures": [{"shape": {"kind": "polygon", "vertices": [[-9, -1], [9, -1], [9, 0], [-9, 0]]}}]},
    {"position": [0, 1], "name": "plank",
     "fixtures": [
       {"shape": {"kind": "polygon", "vertices": [[-3, -0.1], [3, -0.1], [3, 0.1], [-3, 0.1]]},
        "density": 2}]}
  ],
  "joints": [
    {"kind": "revolute", "body_a": "ground", "body_b": "plank",
     "anchor": [0, 1]}],
  "camera": {"lower": [-10, -2], "upper": [10, 8]}
}
"""


def vec(x, y):
    return {"x": x, "y": y}


def box(half=0.5, **more):
    return {"density": 1, "polygon": {"vertices": {"x": [half, -half, -half, half], "y": [half, half, -half, -half]}}, **more}


def level(**more):
    """A small world in the editor's style: many omitted fields, zero vectors as 0, one hexadecimal number."""
    return {
        "gravity": vec(0, -9.5),
        "stepsPerSecond": 50,
        "velocityIterations": 6,
        "positionIterations": 2,
        "allowSleep": True,
        "continuousPhysics": True,
        "autoClearForces": True,
        "body": [
            {"type": 0, "position": 0, "name": "ground", "fixture": [box(5.0, friction=0.7)]},
            {
                "type": 2,
                "position": vec(1, 8),
                "angle": struct.pack(">f", 0.5).hex().upper(),
                "linearVelocity": vec(1, 0),
                "angularVelocity": 2,
                "awake": True,
                "bullet": True,
                "linearDamping": 0.1,
                "gravityScale": 0.5,
                "fixture": [box(0.5, restitution=0.25, **{"filter-categoryBits": 2, "filter-maskBits": 65533, "filter-groupIndex": -1})],
            },
            {"type": 1, "position": vec(4, 8), "fixture": [{"circle": {"center": 0, "radius": 0.5}, "sensor": True}]},
        ],
        **more,
    }


DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" width="800" height="600">
<g inkscape:groupmode="layer" inkscape:label="Static ground" id="layer1">
 <rect x="0" y="500" width="800" height="100"/>
 <path id="wheel" class="dynamic density-2.5 restitution_0.5" d="M300 100 a50 50 0 1 0 100 0 a50 50 0 1 0 -100 0"/>
</g>
<path id="ell" class="bullet friction-0.8" d="M0 0 H200 V50 H50 V200 H0 Z"/>
<rect id="statics" x="500" y="0" width="10" height="10"/>
<g class="ignore"><rect x="0" y="0" width="800" height="600"/></g>
<rect id="dust" x="600" y="0" width="0.2" height="0.2"/>
</svg>"""
