"""Build R.U.B.E. exports directly with Box2D's Python interface, in the steps of the editor's own loader, b2dJson.

``python -m tests.agreement.rube_world FILE ...`` takes 600 steps with each loader and prints the largest difference of the bodies.
"""

import json
import struct
import sys

import Box2D
import numpy as np

from engine.scenes import build, load_rube

__all__ = ["farthest"]

STEPS = 600


def farthest(path, steps=STEPS):
    """Return the largest difference of any body's x, y (m) or angle (rad) in any step; every body of the file must have been loaded."""
    with open(path, encoding="utf-8") as file:
        plain = json.load(file)
    world, bodies = _world(plain)
    mine = build(load_rube(path))
    assert len(mine.body_ids) == len(bodies) and len(mine.joint_ids) == len(plain.get("joint", ()))
    dt, rounds = 1.0 / number(plain["stepsPerSecond"]), (plain["velocityIterations"], plain["positionIterations"])
    worst = 0.0
    for _ in range(steps):
        world.Step(dt, *rounds)
        mine.step()
        theirs = np.array([(body.position.x, body.position.y, body.angle) for body in bodies])
        worst = max(worst, float(np.abs(theirs - mine.poses).max()))
    return worst


def number(value):
    return struct.unpack(">f", bytes.fromhex(value))[0] if isinstance(value, str) else float(value)


def vector(value):
    return (number(value["x"]), number(value["y"])) if isinstance(value, dict) else (0.0, 0.0)


def _world(plain):
    world = Box2D.b2World(gravity=vector(plain["gravity"]))
    world.warmStarting, world.allowSleeping = plain.get("warmStarting", True), plain.get("allowSleep", True)
    world.continuousPhysics, world.subStepping = plain.get("continuousPhysics", True), plain.get("subStepping", False)
    bodies = [_body(world, entry) for entry in plain["body"]]
    for entry in plain.get("joint", ()):
        world.CreateJoint(_joint(entry, bodies))
    return world, bodies


def _body(world, entry):
    names = ("angle", "angularVelocity", "linearDamping", "angularDamping")
    flags = {name: entry.get(name, False) for name in ("awake", "bullet", "fixedRotation")}
    body = world.CreateBody(
        Box2D.b2BodyDef(
            type=entry["type"],
            position=vector(entry["position"]),
            linearVelocity=vector(entry.get("linearVelocity", 0)),
            gravityScale=number(entry.get("gravityScale", 1)),
            **flags,
            **{name: number(entry.get(name, 0)) for name in names},
        )
    )
    for fixture in entry["fixture"]:
        body.CreateFixture(
            shape=_shape(fixture),
            density=number(fixture.get("density", 0)),
            friction=number(fixture.get("friction", 0)),
            restitution=number(fixture.get("restitution", 0)),
            isSensor=fixture.get("sensor", False),
            categoryBits=fixture.get("filter-categoryBits", 1),
            maskBits=fixture.get("filter-maskBits", 0xFFFF),
            groupIndex=fixture.get("filter-groupIndex", 0),
        )
    return body


def _shape(fixture):
    if "circle" in fixture:
        circle = fixture["circle"]
        return Box2D.b2CircleShape(pos=vector(circle["center"]), radius=number(circle["radius"]))
    chain = fixture.get("chain") or fixture["polygon"]
    corners = [(number(x), number(y)) for x, y in zip(chain["vertices"]["x"], chain["vertices"]["y"], strict=True)]
    if "polygon" in fixture:
        return Box2D.b2PolygonShape(vertices=corners)
    return Box2D.b2ChainShape(vertices_loop=corners[:-1]) if chain.get("hasPrevVertex") else Box2D.b2ChainShape(vertices_chain=corners)


_JOINTS = {
    "weld": (Box2D.b2WeldJointDef, {"refAngle": "referenceAngle", "frequency": "frequencyHz", "dampingRatio": "dampingRatio"}),
    "friction": (Box2D.b2FrictionJointDef, {"maxForce": "maxForce", "maxTorque": "maxTorque"}),
    "distance": (Box2D.b2DistanceJointDef, {"length": "length", "frequency": "frequencyHz", "dampingRatio": "dampingRatio"}),
    "rope": (Box2D.b2RopeJointDef, {"maxLength": "maxLength"}),
    "wheel": (Box2D.b2WheelJointDef, {"springFrequency": "frequencyHz", "springDampingRatio": "dampingRatio"}),
    "revolute": (Box2D.b2RevoluteJointDef, {"refAngle": "referenceAngle", "lowerLimit": "lowerAngle", "upperLimit": "upperAngle"}),
    "prismatic": (
        Box2D.b2PrismaticJointDef,
        {"refAngle": "referenceAngle", "lowerLimit": "lowerTranslation", "upperLimit": "upperTranslation"},
    ),
    "motor": (
        Box2D.b2MotorJointDef,
        {"refAngle": "angularOffset", "maxForce": "maxForce", "maxTorque": "maxTorque", "correctionFactor": "correctionFactor"},
    ),
}
"""By the type in the file: Box2D's definition, and its names for the file's numbers."""


def _joint(entry, bodies):
    kind, names = _JOINTS[entry["type"]]
    settings = {ours: number(entry.get(name, 0)) for name, ours in names.items()}
    settings |= {name: entry[name] for name in ("enableLimit", "enableMotor") if name in entry}
    settings |= {name: number(entry[name]) for name in ("motorSpeed", "maxMotorTorque", "maxMotorForce") if name in entry}
    settings |= {"localAxisA": vector(entry["localAxisA"])} if "localAxisA" in entry else {}
    if entry["type"] == "motor":
        settings["linearOffset"] = vector(entry["anchorA"])
    else:
        settings |= {"localAnchorA": vector(entry["anchorA"]), "localAnchorB": vector(entry["anchorB"])}
    ends = {"bodyA": bodies[entry["bodyA"]], "bodyB": bodies[entry["bodyB"]]}
    return kind(**ends, collideConnected=entry.get("collideConnected", False), **settings)


if __name__ == "__main__":
    for file in sys.argv[1:]:
        print(json.dumps({"file": file, "steps": STEPS, "farthest": farthest(file)}))
