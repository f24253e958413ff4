"""Edits by the name of the `World` method that they call, for tests that choose one at random or make many changes."""

from engine.sim import actions

__all__ = ["edit_of"]

_KINDS = {
    "create_body": actions.CreateBody.of,
    "destroy_body": actions.DestroyBody,
    "create_fixture": actions.CreateFixture.of,
    "destroy_fixture": actions.DestroyFixture,
    "create_joint": actions.CreateJoint.of,
    "destroy_joint": actions.DestroyJoint,
    "set_pose": actions.SetPose,
    "set_velocity": actions.SetVelocity,
    "set_awake": actions.SetAwake,
    "set_body": actions.ChangeBody,
    "set_fixture": actions.ChangeFixture,
    "set_joint": actions.ChangeJoint,
    "set_settings": actions.ChangeWorld,
    "apply_impulse": actions.ApplyImpulse,
}
_CHANGES = frozenset({"set_body", "set_fixture", "set_joint", "set_settings"})


def edit_of(stage, method, *arguments, **changes):
    """Return the edit that calls a method of a stage's world."""
    return _KINDS[method](stage, *arguments, *((changes,) if method in _CHANGES else ()))
