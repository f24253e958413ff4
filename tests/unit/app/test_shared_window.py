"""A window on a shared world: its actions take effect everywhere, and features that cannot be shared are rejected with a message."""

import time

import pygame
import pytest

from docs.pictures.docks import build_seesaw
from engine.app import loop
from engine.app.editor.clipboard import copy_of, put_down
from engine.app.editor.editor import Chosen, ChosenJoint
from engine.app.editor.joint_page import joint_rows
from engine.app.editor.pages import body_rows
from engine.app.loop import draw_waiting, open_shared
from engine.app.network_driver import NO_PAST, NO_REDO, NetworkDriver
from engine.app.panels.inspector_dock import InspectorDock
from engine.app.panels.network_dock import NetworkDock
from engine.app.panels.people_dock import PeopleDock
from engine.common.errors import LabError
from engine.geometry import Circle
from engine.net import messages as m
from engine.net.client import Client
from engine.net.client_session import ClientSession
from engine.net.limits import Limits
from engine.net.link import LinkSettings
from engine.net.server import ServerSettings
from engine.net.simulated_network import SimulatedConnection, SimulatedServer
from engine.render.fonts import FontBook
from engine.sim.actions import ChangeBody, CreateBody, DestroyBody, Drag, Drive, Grab, Pause, SetSpeed
from engine.sim.registry import find_demo
from engine.ui.rows import Heading, Line
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec
from tests.unit.app.controls import names
from tests.unit.app.gathering import Gathering
from tests.unit.app.hand import pixel
from tests.unit.app.idle_compiler import IdleCompiler
from tests.waiting import until


def test_a_seesaw_built_by_one_user_appears_everywhere(monkeypatch):
    two = Gathering(link=LinkSettings(0.04, 0.02, 0.02))
    assert isinstance(two.window.session.driver, NetworkDriver)
    update = two.window.update
    monkeypatch.setattr(two.window, "update", lambda elapsed: (two.pass_time(two.client_sessions[1:]), update(elapsed)))
    build_seesaw(two.window)
    monkeypatch.setattr(two.window, "update", update)
    assert two.window.session.clock.paused, "it is built while time stands still, for all"
    two.key(pygame.K_SPACE)
    assert two.agree(0.6)
    for demo in two.demos:
        world = demo.stages[0].world
        (joint,) = world.joint_ids
        assert isinstance(world.joint(joint).spec, RevoluteJointSpec) and len(world.body_ids) == 5
        assert not demo.sim.users.paused
        assert all(body >> 20 == 1 for body in world.body_ids[1:]), "ids of the first user's range"


def test_users_see_what_others_hold():
    two = Gathering("simple_shapes", values={"count": 4})
    session, ben = two.window.session, two.client_sessions[1].client
    world = session.demo.stages[0].world
    two.frame(30)
    body = world.body_ids[-1]
    x, y = world.state(body).position
    at = pixel(two, (x, y))
    two.send(pygame.MOUSEMOTION, pos=at, rel=(0, 0), buttons=(0, 0, 0))
    two.send(pygame.MOUSEBUTTONDOWN, pos=at, button=1)
    for k in range(20):
        two.window.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=(at[0] + 3 * k, at[1] - 6 * k), rel=(3, -6), buttons=(1, 0, 0)))
    two.frame(4)
    two.does(1, Drive(0, world.body_ids[-2]))
    ben.send_pointer((1.0, 2.0))
    two.frame(10)
    grip = ben.demo.sim.users.users[1].grip
    assert grip.body == body
    assert ben.pointers[1] == pytest.approx(session.view.to_world((at[0] + 57, at[1] - 114)))
    assert session.demo.sim.users.users[2].drives == (0, world.body_ids[-2]) and session.driver.client.pointers[2] == (1.0, 2.0)
    two.send(pygame.MOUSEBUTTONUP, pos=at, button=1)
    two.frame(10)
    assert ben.demo.sim.users.users[1].grip is None
    assert two.agree()


def test_pause_speed_and_restart_affect_everyone_and_a_menu_affects_no_one():
    two = Gathering("simple_shapes", values={"count": 4})
    session, ben = two.window.session, two.client_sessions[1].client
    two.key(pygame.K_SPACE)
    two.key(pygame.K_LEFTBRACKET)
    two.frame(10)
    assert ben.demo.sim.users.paused and ben.demo.sim.users.speed == 0.5 and session.clock.pace == "paused, 1/2"
    steps = ben.demo.steps
    two.frame(20)
    assert ben.demo.steps == steps
    two.does(1, Pause(False))
    two.frame(20)
    assert ben.demo.steps > steps and not session.clock.paused
    two.send(pygame.KEYDOWN, key=pygame.K_m, mod=pygame.KMOD_CTRL, unicode="")
    steps = ben.demo.steps
    two.frame(20)
    assert ben.demo.steps > steps and session.demo.steps == pytest.approx(ben.demo.steps, abs=2)
    two.key(pygame.K_ESCAPE)
    two.key(pygame.K_r)
    two.frame(10)
    assert ben.demo.steps < steps
    assert two.agree()


def test_features_that_need_a_history_are_rejected_with_a_message():
    two = Gathering("simple_shapes", values={"count": 4})
    session = two.window.session
    for key, mod, words in (
        (pygame.K_COMMA, 0, NO_PAST),
        (pygame.K_n, 0, NO_PAST),
        (pygame.K_F7, 0, NO_PAST),
        (pygame.K_r, pygame.KMOD_CTRL, NO_PAST),
        (pygame.K_y, pygame.KMOD_CTRL, NO_REDO),
        (pygame.K_z, pygame.KMOD_CTRL | pygame.KMOD_SHIFT, NO_REDO),
    ):
        session.messages.answer("")
        two.send(pygame.KEYDOWN, key=key, mod=mod, unicode="")
        message = session.messages.now
        assert words in message.words
    two.key(pygame.K_F11)
    message = session.messages.now
    assert NO_PAST in message.words
    assert session.beside is None and not any(dock.size for dock in two.window.dock_area.active() if dock.worlds == "own")


def test_joins_and_leaves_are_announced_and_the_world_keeps_running_behind_the_list():
    two = Gathering("simple_shapes", values={"count": 4})
    session = two.window.session
    messages = set()
    two.client_sessions[1].leave()
    for _ in range(20):
        two.frame(3)
        messages.add(session.messages.now.words if session.messages.now is not None else "")
    assert "You share this world with Ben." in messages
    two.frame(200)
    messages.add(session.messages.now.words if session.messages.now is not None else "")
    assert "Ben left" in messages
    two.key(pygame.K_ESCAPE)
    assert two.window.browsing and two.window.is_at_work
    steps = session.demo.steps
    two.frame(30)
    assert session.demo.steps >= steps + 29
    two.key(pygame.K_ESCAPE)
    assert two.window.session is session and not two.window.browsing
    two.window.leave()
    two.frame(2)
    assert two.client_sessions[0].is_over and two.client_sessions[0].connection.state == "closed"


def test_a_slow_connection_is_corrected_and_shows_ghosts():
    two = Gathering("simple_shapes", values={"count": 4})
    session, connection = two.window.session, two.client_sessions[0].connection
    assert isinstance(session.driver, NetworkDriver)
    two.key(pygame.K_F3)
    two.frame(2)
    dock, people = two.window.dock_area.find(NetworkDock), two.window.dock_area.find(PeopleDock)
    assert dock is not None and people is not None
    connection.link = LinkSettings(latency=0.1)
    two.frame(60)
    assert session.driver.client.round_trip > 0.15
    body = session.demo.stages[0].world.body_ids[-1]
    two.does(1, Grab((0.0, 6.0), held=(0, body, (0.0, 0.0))))
    seen = 0
    for k in range(20):
        two.does(1, Drag((0.3 * k, 6.0)))
        two.frame(2)
        seen = max(seen, len(people.ghosts))
    assert seen and session.driver.client.n_corrections > 5
    session.driver.shows_ghosts = False
    two.frame()
    assert people.ghosts == [] and two.agree()


def test_a_user_continues_alone_and_rejoins():
    two = Gathering("simple_shapes", values={"count": 4})
    alone = two.window.session
    assert isinstance(alone.driver, NetworkDriver)
    two.key(pygame.K_F4)
    two.frame(5)
    assert alone.driver.client.is_offline and "Shift F4" in alone.driver.trouble and two.window.note is not None
    body = alone.demo.stages[0].world.body_ids[-1]
    alone.act(DestroyBody(0, body))
    steps = alone.demo.steps
    two.frame(30)
    assert alone.demo.steps >= steps + 29 and not alone.demo.stages[0].world.is_body(body)
    two.send(pygame.KEYDOWN, key=pygame.K_b, mod=pygame.KMOD_LSHIFT, unicode="")
    note = two.window.note
    assert note[0].startswith("you are offline; press Shift F4 to rejoin  |  Box: "), "a hint covers nothing"
    two.key(pygame.K_ESCAPE)
    two.does(1, SetSpeed(0.5))
    two.send(pygame.KEYDOWN, key=pygame.K_F4, mod=pygame.KMOD_SHIFT, unicode="")
    two.frame(60)
    back = two.window.session
    assert back is not alone and isinstance(back.driver, NetworkDriver) and not back.driver.is_outdated and back.driver.trouble == ""
    assert back.demo.stages[0].world.is_body(body) and back.clock.speed == 0.5 and back.driver.client.user == 1
    assert two.agree()


def test_the_world_stays_as_it_is_when_the_server_ends():
    two = Gathering("simple_shapes", values={"count": 4})
    session = two.window.session
    assert isinstance(session.driver, NetworkDriver)
    two.client_sessions[0].connection.close("the server ends")
    two.frame(3)
    assert "the server ends" in session.driver.trouble and "press F4 to continue alone" in session.driver.trouble
    two.key(pygame.K_F4)
    steps = session.demo.steps
    two.frame(20)
    assert session.demo.steps >= steps + 19
    two.key(pygame.K_F3)
    two.frame(2)
    two.window.navigator.end_sharing()
    two.frame(2)
    assert two.window.browsing and two.window.navigator.shared is None and not two.window.is_at_work


@pytest.mark.parametrize("is_offline", [False, True])
def test_a_user_can_rejoin_a_restarted_server(is_offline):
    two = Gathering("simple_shapes", values={"count": 4})
    session = two.window.session
    assert isinstance(session.driver, NetworkDriver)
    session.driver.client.receive(m.encode(m.Dropped("the server ends", is_over=True)), two.now)
    two.frame(3)
    assert session.driver.trouble == "the server ends; press F4 to continue alone or Shift F4 to try again"
    if is_offline:
        two.key(pygame.K_F4)
        two.frame(20)
        assert session.driver.trouble == "you are offline; press Shift F4 to rejoin"
    two.send(pygame.KEYDOWN, key=pygame.K_F4, mod=pygame.KMOD_SHIFT, unicode="")
    two.frame(60)
    back = two.window.session
    assert (
        isinstance(back.driver, NetworkDriver)
        and not back.driver.is_outdated
        and back.driver.trouble == ""
        and not back.driver.client.is_offline
    )
    assert two.agree()


def test_a_failed_rejoin_gives_a_message_and_the_user_stays_alone(monkeypatch):
    two = Gathering("simple_shapes", values={"count": 4})
    session = two.window.session
    assert isinstance(session.driver, NetworkDriver)
    connection = session.driver.client_session.connection
    monkeypatch.setattr(connection, "open", lambda: setattr(connection, "reason", "nothing listens"))
    two.key(pygame.K_F4)
    two.frame(2)
    two.send(pygame.KEYDOWN, key=pygame.K_F4, mod=pygame.KMOD_SHIFT, unicode="")
    two.frame(2)
    assert session.driver.trouble.startswith("nothing listens; trying again in") and session.driver.client.is_offline
    two.key(pygame.K_F4)
    two.frame(2)
    assert session.driver.client_session.is_over and session.driver.trouble == "you are offline; press Shift F4 to rejoin"


def test_with_interpolation_a_new_body_appears_when_the_server_confirms_it():
    two = Gathering(link=LinkSettings(0.03))
    session = two.window.session
    assert isinstance(session.driver, NetworkDriver)
    session.driver.client.method = "interpolation"
    disc = BodySpec((FixtureSpec(Circle(0.3)),), position=(0.0, 5.0))
    with pytest.raises(LabError, match="interpolation does not predict"):
        session.act(CreateBody.of(0, disc))
    two.frame(40)
    assert all((1 << 20) in demo.stages[0].world.body_ids for demo in two.demos)


def test_the_strip_is_drawn_in_every_size():
    for size in ((1280, 720), (480, 320)):
        two = Gathering("simple_shapes", ("Ben", "Cyd with a very long name indeed"), size=size, values={"count": 4})
        two.frame(5)
        dock = two.window.dock_area.find(PeopleDock)
        assert dock.place[3] > 0 and two.surface.get_at(dock.place[:2]) != two.surface.get_at((dock.place[0] + 20, dock.place[1] - 20))


def test_a_waiting_window_shows_the_reason_and_can_be_canceled(monkeypatch):
    server = SimulatedServer(find_demo("simple_shapes")(0))
    client_session = ClientSession(Client("Ann", server.server.settings.code), SimulatedConnection(server, LinkSettings()))
    messages = []
    monkeypatch.setattr(loop, "draw_waiting", lambda surface, fonts, words: (messages.append(words), draw_waiting(surface, fonts, words)))
    pygame.event.post(pygame.event.Event(pygame.ACTIVEEVENT))
    monkeypatch.setattr(
        client_session.client, "advance", lambda now: pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_ESCAPE))
    )
    with open_shared(client_session, size=(480, 320)) as opened:
        assert opened is None
    assert messages == ["waiting for the state of this program"] and client_session.is_over


def test_a_rejection_by_the_server_is_reported_in_one_line(monkeypatch):
    server = SimulatedServer(find_demo("simple_shapes")(0))
    client_session = ClientSession(Client("Ann"), SimulatedConnection(server, LinkSettings()))
    receive = client_session.connection.receive
    monkeypatch.setattr(client_session.connection, "receive", lambda: (server.advance(server.now + 0.02), receive())[1])
    with (
        pytest.raises(LabError, match="this server requires the join code that its host shows: pass it with --code"),
        open_shared(client_session, size=(480, 320)),
    ):
        pass
    assert not pygame.display.get_init()


def test_a_shared_window_runs_and_disconnects_properly(monkeypatch):
    monkeypatch.setattr(loop, "Compiler", IdleCompiler)
    server = SimulatedServer(find_demo("simple_shapes")(0, {"count": 4}), now=time.monotonic())
    client_session = ClientSession(Client("Ann", server.server.settings.code), SimulatedConnection(server, LinkSettings()))
    receive = client_session.connection.receive
    monkeypatch.setattr(client_session.connection, "receive", lambda: (server.advance(time.monotonic()), receive())[1])
    with open_shared(client_session, size=(480, 320)) as opened:
        assert opened.window.session.is_shared
        until(lambda: opened.turn() or opened.window.session.demo.steps > 5, look=0.01)
        assert not opened.is_resting
        assert pygame.display.get_caption()[0] == "Ann, guest in Simple shapes at this program - Collision laboratory"
    assert client_session.is_over and client_session.reason == "left"


def test_new_bodies_are_named_after_their_creator():
    two = Gathering()
    build_seesaw(two.window)
    session = two.window.session
    assert isinstance(session.driver, NetworkDriver)
    world = session.demo.stages[0].world
    names = [world.body(body).spec.name for body in world.body_ids[1:]]
    assert names == ["Ann's polygon 1", "Ann's box 2", "Ann's circle 3", "Ann's circle 4"]
    dock = two.window.dock_area.find(InspectorDock)
    editor = dock.editor
    editor.selection = [Chosen(0, world.body_ids[2])]
    assert body_rows(editor)[0] == Heading("Ann's box 2")
    editor.selection = [Chosen(0, body) for body in world.body_ids[2:4]]
    assert Heading("State of Ann's box 2") in body_rows(editor)
    (joint,) = world.joint_ids
    assert joint_rows(editor, ChosenJoint(0, joint))[0] == Heading("Ann's joint 1: hinge")
    session.driver.drive((0, world.body_ids[2]))
    assert session.messages.now.words.startswith("you drive Ann's box 2: ")
    copied = copy_of(editor, [Chosen(0, world.body_ids[2])])
    assert copied is not None
    session.driver.client.users = (m.UserInfo(1, "Zoe"), m.UserInfo(2, "Ben"))
    assert [world.body(copy.body).spec.name for copy in put_down(editor, copied, 0, (1.0, 5.0))] == ["Zoe's box 5"], "a copy is its maker's"
    two.frame(8)
    disc = BodySpec((FixtureSpec(Circle(0.3)),), position=(0.0, 5.0))
    body = two.does(1, CreateBody.of(0, disc))
    two.frame(8)
    session.driver.drive((0, body))
    assert session.messages.now.words.startswith("you drive Ben's body 1: ")
    two.does(1, DestroyBody(0, body))
    two.frame(8)
    with pytest.raises(LabError, match="Ben's body 1 was destroyed after step"):
        session.act(ChangeBody(0, body, {"name": "x"}))


def test_no_text_mentions_the_timeline_redo_or_single_steps(monkeypatch):
    rendered = []
    render = FontBook.render
    monkeypatch.setattr(FontBook, "render", lambda self, text, *more: (rendered.append(text), render(self, text, *more))[1])
    two = Gathering()
    two.key(pygame.K_F1)
    two.frame(2)
    two.key(pygame.K_F1)
    two.send(pygame.KEYDOWN, key=pygame.K_m, mod=pygame.KMOD_CTRL, unicode="")
    two.frame(2)
    panel, words = two.window.screen.panel, " ".join(rendered)
    assert panel is not None and "Step" not in names(two.window)
    assert "Ctrl Z undoes your last action" in words and "pause, slow down or speed up for all users" in words and "Film, MP4" in words
    for gone in ("timeline", "redo", "one step", "another solver beside it", "100x", "twice more: quit"):
        assert gone not in words, gone


def test_the_title_names_the_user_and_the_host():
    host, guest = Gathering(is_host=True), Gathering()
    assert host.window.caption == "Ann, host of Workbench at 192.168.0.7:1234 - Collision laboratory"
    assert guest.window.caption == "Ann, guest in Workbench at this program - Collision laboratory"
    guest.key(pygame.K_F4)
    assert guest.window.caption == "Ann, alone: Workbench - Collision laboratory"
    guest.window.navigator.end_sharing()
    assert guest.window.caption == "Collision laboratory"


def test_closing_the_hosts_window_warns_once():
    two = Gathering(others=("Ben", "Cyd"), is_host=True)
    two.send(pygame.QUIT)
    message = two.window.session.messages.now
    assert two.window.running and message is not None and message.words == "Close again to quit; the shared world ends for 2 guests."
    two.window.session.messages.advance(7.0)
    two.send(pygame.QUIT)
    assert two.window.running, "that was long ago"
    two.key(pygame.K_ESCAPE)
    two.window.navigator.end_sharing()
    two.key(pygame.K_ESCAPE)
    message = two.window.session.messages.now
    assert message.words == "Press Esc again to quit; the shared world ends for 2 guests."
    two.send(pygame.QUIT)
    assert not two.window.running


def test_closing_a_guests_window_asks_nothing():
    two = Gathering(is_host=True)
    two.client_sessions[1].leave()
    two.frame(3)
    two.send(pygame.QUIT)
    assert not two.window.running, "nobody else is here"
    guest = Gathering()
    guest.send(pygame.QUIT)
    assert not guest.window.running


def test_a_returning_user_is_not_listed_twice():
    two = Gathering(others=("Ben", "Cyd"))
    session = two.window.session
    assert isinstance(session.driver, NetworkDriver)
    two.client_sessions[1].leave()
    two.client_sessions[2].leave()
    two.frame(5)
    assert [(user.name, user.is_here) for user in session.driver.people] == [("Ann", True), ("Ben", False), ("Cyd", False)]
    two.client_sessions[1] = ClientSession(Client("Ben", two.server.server.settings.code), SimulatedConnection(two.server, LinkSettings()))
    two.frame(60)
    assert [user.name for user in session.driver.client.users] == ["Ann", "Ben", "Cyd", "Ben"]
    assert [(user.user, user.name, user.is_here) for user in session.driver.people] == [
        (1, "Ann", True),
        (4, "Ben", True),
        (3, "Cyd", False),
    ]
    two.key(pygame.K_F3)
    two.frame(2)
    dock = two.window.dock_area.find(NetworkDock)
    assert [row.name for row in dock.rows(session) if isinstance(row, Line)].count("Ben") == 1


def test_a_waking_laptop_rejoins_as_the_same_user():
    two = Gathering("simple_shapes", values={"count": 4})
    two.server.server.settings = ServerSettings(code=two.server.server.settings.code, limits=Limits(silent_seconds=0.5))
    session, key = two.window.session, two.client_sessions[0].client.key
    assert isinstance(session.driver, NetworkDriver)
    for _ in range(40):  # it sleeps
        two.pass_time(two.client_sessions[1:])
    assert [user.is_here for user in two.server.server.users] == [False, True]
    two.frame(2)
    assert session.driver.trouble == "it sent nothing for 0.5 s; trying again in 0 s; press F4 to continue alone"
    two.frame(70)
    back = two.window.session
    assert (
        isinstance(back.driver, NetworkDriver)
        and back.driver.trouble == ""
        and (back.driver.client.user, back.driver.client.key) == (1, key)
    )
    assert [user.is_here for user in two.server.server.users] == [True, True] and two.client_sessions[0].n_disconnects == 1


def test_a_killed_host_is_reported_despite_earlier_messages():
    """Issue 31: "You are the first one here" hid the message about the lost connection."""
    two = Gathering("simple_shapes", values={"count": 4})
    session = two.window.session
    session.messages.say("first")
    session.messages.say("second")
    two.client_sessions[0].connection.close("the connection was lost")
    two.frame(3)
    assert isinstance(session.driver, NetworkDriver)
    assert two.window.note[0] == session.driver.trouble != ""
    session.messages.answer("refused")
    assert two.window.note[0] == "refused"


def test_a_restarted_host_is_reported_to_have_a_new_world():
    two = Gathering("simple_shapes", values={"count": 4})
    session = two.window.session
    assert isinstance(session.driver, NetworkDriver)
    session.driver.client.receive(m.encode(m.Dropped("the server ends", is_over=True)), two.now)
    session.driver.client.key = "0" * 32  # which a new server does not know
    two.frame(3)
    two.send(pygame.KEYDOWN, key=pygame.K_F4, mod=pygame.KMOD_SHIFT, unicode="")
    two.frame(60)
    note = two.window.note
    assert "restarted" in note[0]
    assert two.window.session.driver.client.user == 3
