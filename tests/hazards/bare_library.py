"""Programs that crash the interpreter with the bare library, each a few lines; run one with ``python bare_library.py NAME``.

Not a test module: `test_killers` runs each of them in its own process and checks that the process dies as it did when the wrapper was
written. If one survives, the wheel has changed, and one of our guards may no longer be needed.
"""

import gc
import sys

import Box2D

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def falling_box(world):
    world.CreateStaticBody(position=(0, 0)).CreatePolygonFixture(box=(10, 1))
    body = world.CreateDynamicBody(position=(0, 1.9))
    body.CreatePolygonFixture(box=(1, 1), density=1)
    return body


def pair(world):
    return world.CreateDynamicBody(position=(0, 0)), world.CreateDynamicBody(position=(1, 0))


class Listener(Box2D.b2ContactListener):
    """Does one thing in one callback."""

    def __init__(self, callback, action):
        super().__init__()
        self.callback, self.action = callback, action

    def called(self, callback, contact):
        if callback == self.callback:
            self.action(contact)

    def BeginContact(self, contact):
        self.called("begin", contact)

    def EndContact(self, contact):
        self.called("end", contact)

    def PreSolve(self, contact, old_manifold):
        self.called("pre", contact)

    def PostSolve(self, contact, impulse):
        self.called("post", contact)


def step_with(callback, action):
    world = Box2D.b2World()
    falling_box(world)
    world.contactListener = listener = Listener(callback, action)
    for _ in range(3):
        world.Step(1 / 60, 8, 3)
    del listener


@program
def exception_in_post_solve():
    step_with("post", lambda contact: 1 / 0)


@program
def destroy_body_in_post_solve():
    step_with("post", lambda contact: contact.fixtureA.body.world.DestroyBody(contact.fixtureB.body))


@program
def listener_removed_in_callback():
    world = Box2D.b2World()
    falling_box(world)

    def remove(contact):
        world.contactListener = None

    world.contactListener = Listener("begin", remove)
    for _ in range(3):
        world.Step(1 / 60, 8, 3)


def jointed():
    """Return a world, one of its bodies, and that body's joint with another."""
    world = Box2D.b2World()
    a, b = pair(world)
    return world, a, world.CreateRevoluteJoint(bodyA=a, bodyB=b, anchor=(0, 0))


@program
def joint_read_after_body():
    world, a, joint = jointed()
    world.DestroyBody(a)
    for _ in range(100):
        _ = joint.anchorA, joint.bodyA.position


@program
def joint_destroyed_after_body():
    world, a, joint = jointed()
    world.DestroyBody(a)
    world.DestroyJoint(joint)


@program
def joint_destroyed_twice():
    world, _, joint = jointed()
    world.DestroyJoint(joint)
    world.DestroyJoint(joint)


@program
def fixture_without_shape():
    Box2D.b2World().CreateDynamicBody().CreateFixture(Box2D.b2FixtureDef())


@program
def rigid_mouse_joint():
    world = Box2D.b2World()
    ground, body = world.CreateStaticBody(), falling_box(world)
    world.CreateMouseJoint(bodyA=ground, bodyB=body, target=(0, 2), maxForce=10, frequencyHz=0, dampingRatio=0)
    world.Step(1 / 60, 8, 3)


@program
def joint_between_worlds():
    first, second = Box2D.b2World(), Box2D.b2World()
    a, b = falling_box(first), falling_box(second)
    first.CreateRevoluteJoint(bodyA=a, bodyB=b, anchor=(0, 0))
    for _ in range(10):
        first.Step(1 / 60, 8, 3)
        second.Step(1 / 60, 8, 3)


@program
def destroy_no_body():
    Box2D.b2World().DestroyBody(None)


@program
def destroy_no_joint():
    Box2D.b2World().DestroyJoint(None)


@program
def destroy_no_fixture():
    Box2D.b2World().CreateDynamicBody().DestroyFixture(None)


@program
def body_destroyed_through_two_proxies():
    world = Box2D.b2World()
    body = falling_box(world)
    other = body.fixtures[0].body
    world.DestroyBody(body)
    world.DestroyBody(other)
    for _ in range(10):
        falling_box(world)
        world.Step(1 / 60, 8, 3)


@program
def fixture_used_after_body():
    world = Box2D.b2World()
    body = falling_box(world)
    fixture = body.fixtures[0]
    world.DestroyBody(body)
    for _ in range(100):
        _ = fixture.shape.vertices, fixture.body.position


@program
def contact_used_after_step():
    kept = []
    world = Box2D.b2World()
    body = falling_box(world)
    world.contactListener = Listener("begin", kept.append)
    world.Step(1 / 60, 8, 3)
    world.DestroyBody(body)
    for _ in range(100):
        _ = kept[0].fixtureB.body.position, kept[0].worldManifold.normal


@program
def body_written_after_world():
    world = Box2D.b2World()
    body = falling_box(world)
    del world
    gc.collect()
    for _ in range(1000):
        body.awake = True
        body.transform = ((1, 2), 3)


NEARLY_COLLINEAR = (
    (3.3824219703674316, 2.6051409244537354),
    (3.5309901237487793, 2.750223398208618),
    (3.9149017333984375, 3.1251282691955566),
    (4.148476600646973, 3.3532235622406006),
    (3.8332977294921875, 3.0454390048980713),
    (3.4964468479156494, 2.7164907455444336),
)
"""Strictly convex, its corners float32 numbers; wrapped in float32, the way from corner to corner never comes back to the first."""


@program
def endless_polygon():
    shape = Box2D.b2PolygonShape(vertices=NEARLY_COLLINEAR)
    assert list(shape.vertices) == list(NEARLY_COLLINEAR)


if __name__ == "__main__":
    PROGRAMS[sys.argv[1]]()
    print("survived")
