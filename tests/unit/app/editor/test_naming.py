"""Names of bodies made by hand, from the tools to the file."""

from engine.app.editor.clipboard import copy_of, put_down
from engine.app.editor.editor import Chosen, Editor
from engine.app.session import Session
from engine.geometry import Circle
from engine.world import BodySpec, FixtureSpec

SPEC = BodySpec((FixtureSpec(Circle(0.2)),), position=(2.0, 3.0))


def test_drawn_bodies_are_named_by_kind(drop):
    editor = Editor()
    editor.begin(Session(drop(), (0, 0, 640, 480), has_history=True))
    world, history = editor.world(0), editor.session.timeline.history
    assert history is not None

    def made(kind="", name=""):
        spec = BodySpec(SPEC.fixtures, position=SPEC.position, name=name)
        return world.body(editor.gesture().create(0, spec, kind)).spec.name

    assert [made("box"), made("circle"), made("", "bird"), made("box", "whatever")] == ["box 2", "circle 3", "bird", "box 5"]
    assert made("", "box 2") == "box 6" and made("", "box") == "box", "a copy has a number of its own, another name stays"
    world.set_body(2, name="box 8")
    assert made("box") == "box 9", "8 is taken"
    n_bodies = len(world.body_ids)
    copied = copy_of(editor, [Chosen(0, 3), Chosen(0, 4)])
    assert copied is not None
    pasted = put_down(editor, copied, 0, (1.0, 0.0))
    assert [world.body(copy.body).spec.name for copy in pasted] == ["circle 9", "bird"]
    history.undo()  # the bodies and their names, at once
    assert len(world.body_ids) == n_bodies
    history.redo()
    assert [world.body(copy.body).spec.name for copy in pasted] == ["circle 9", "bird"]
