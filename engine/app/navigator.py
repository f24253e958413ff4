"""Shows a demo and switches to another: the list with a preview, the running demo, and recent demos with their history.

A history takes a few megabytes, or hundreds of megabytes for hundreds of bodies. So only the last few demos keep their state, fewer if they
are large; the most recent one is always kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from engine.app.browser import called, found_in
from engine.app.case_demos import stepper_of
from engine.app.files.opening import file_stem
from engine.app.files.saving import built
from engine.app.network_driver import NetworkDriver
from engine.app.screen import Screen
from engine.app.session import Session
from engine.app.stepper_requests import StepperRequest
from engine.common.errors import LabError
from engine.render import palette
from engine.render.views import Layers
from engine.sim.demo import Demo
from engine.sim.keyframes import MAX_BYTES
from engine.sim.parameters import parameter_values
from engine.sim.recordings import Recording
from engine.sim.replaying import new_demo
from engine.sim.scene_demo import SceneDemo
from engine.sim.stage import RefereeFactory
from engine.sim.state import decode_state, encode_state

if TYPE_CHECKING:
    from engine.net.client_session import ClientSession
    from engine.net.server_thread import ServerThread

__all__ = ["MAX_BYTES", "MAX_LEFT", "Navigator"]

MAX_LEFT = 8
"""Maximum number of left demos that keep their state: more than one compares with each other."""
_STEP_BYTES = 2_000
"""Bytes kept per step: inputs, hashes and digests, and the samples of plots and log (docs/replay.md), for a few hundred bodies."""


class Navigator:
    """The demo that a window shows, and switching to another.

    Parameters
    ----------
    demos : sequence of Demo classes
        Demos listed in the browser.
    demo : Demo or None
        First demo; None to start in the browser.
    seed : int
        For demos started from the browser.
    is_watched : bool
        False off-screen, where a picture waits until everything is loaded.
    screen : Screen
    on_leave, on_show : callable
        Called with the session that is about to be left, and with the one shown next, of a demo or of the list.
    client_session, server_thread : ClientSession and ServerThread, optional
        Start in the client's shared world; the server, if this program runs it.

    Attributes
    ----------
    chosen : int
        Index of the demo that is marked in the list.
    searched : str
        The search text.
    session : Session
        The running demo, or the preview behind the browser while `browsing`.
    watched_from : Session or None
        The session from which the shown stepper was opened, and to which the user returns.
    left : list of Session
        Demos that were left and keep their state; the most recent one last.
    shared : Session or None
        The shared world; it continues whatever is shown.
    network : NetworkDriver or None
        The driver of the shared world.
    """

    def __init__(
        self,
        demos: Sequence[type[Demo]],
        demo: Demo | None,
        seed: int,
        is_watched: bool,
        screen: Screen,
        on_leave: Callable[[Session], None],
        on_show: Callable[[Session], None],
        client_session: ClientSession | None = None,
        server_thread: ServerThread | None = None,
    ) -> None:
        self.demos = tuple(demos)
        self.browsing = demo is None and client_session is None
        self.searched = ""
        self._is_new_search = False
        """True if the search text has changed since a demo was last opened from the list."""
        self._previewed: Mapping[str, str] = {}
        """Parameters of the preview."""
        self._done: dict[tuple[str, str], set[str]] = {}
        """`Session.done` by demo and scene file, kept for their next sessions."""
        self.left: list[Session] = []
        self.watched_from: Session | None = None
        self._seed, self._is_watched, self._screen = seed, is_watched, screen
        self._on_leave, self._on_show = on_leave, on_show
        self._layers = Layers()
        self._referee: RefereeFactory | None = None
        first = type(demo) if demo is not None else next((demo_class for demo_class in self.demos if demo_class.opens_list), None)
        self.chosen = self.demos.index(first) if first in self.demos else 0
        self._client_session, self._server_thread = client_session, server_thread
        self.shared: Session | None = None
        self.network: NetworkDriver | None = None
        if client_session is not None:
            self._share(client_session, server_thread)
        self.session = self.shared or self._session(demo if demo is not None else self._preview(self.chosen))

    @property
    def has_docks(self) -> bool:
        """True if the running demo has a history or is shared."""
        return not self.browsing and (self.session.is_shared or self.session.timeline.history is not None)

    def is_listed(self, demo: Demo) -> bool:
        """Return True if a demo is in the list."""
        return type(demo) in self.demos

    # -- the live check, loaded later ----------------------------------------------------------------------------------

    def use_referee(self, factory: RefereeFactory) -> None:
        """Start the live check."""
        self._referee = factory
        if not self.browsing:
            self.session.demo.sim.use_referee(factory)

    # -- a shared world -----------------------------------------------------------------------------------------------

    @property
    def n_guests(self) -> int:
        """Number of other users of the shared world that this program serves; it ends for them with the window."""
        if self._client_session is None or self._server_thread is None or self._server_thread.is_over:
            return 0
        return sum(user.is_here and user.user != self._client_session.client.user for user in self._server_thread.status.server.users)

    def keep_up(self, elapsed: float) -> None:
        """Advance the shared world while something else is shown, and show it again if the server has sent a new state."""
        shared, network = self.shared, self.network
        if shared is None or network is None:
            return
        if shared is not self.session:
            shared.advance(elapsed)
        if network.is_outdated:
            fresh = self._share(network.client_session, network.server_thread)
            self.watched_from = None if self.watched_from is shared else self.watched_from
            if shared is self.session:
                self._show(fresh)

    def come_back_to_shared(self) -> bool:
        """Show the shared world again; return False if there is none."""
        if self.shared is None:
            return False
        self.browsing = False
        self._show(self.shared)
        return True

    def end_sharing(self) -> None:
        """Leave the shared world for good; if it is shown, switch to the list."""
        shared, network, self.shared, self.network = self.shared, self.network, None, None
        if network is not None:
            network.client_session.leave()
            if shared is self.session:
                self.browse()

    def _share(self, client_session: ClientSession, server_thread: ServerThread | None) -> Session:
        self.network = NetworkDriver(client_session, server_thread)
        self.shared = session = self._remembering(Session(self.network.demo, self._screen.layout.view, self._layers, driver=self.network))
        session.demo.viewer.interactive = self._is_watched
        if self._referee is not None:
            session.demo.sim.use_referee(self._referee)
        return session

    # -- from one demo to another -------------------------------------------------------------------------------------

    def start(self, index: int) -> None:
        """Start the demo at an index of the list, or return to it from the list."""
        self.chosen = index
        left = (
            next((session for session in reversed(self.left) if type(session.demo) is self.demos[index]), None) if self.browsing else None
        )
        kind, values = self.demos[index], self._searched_values(index)
        is_new, self._is_new_search = self._is_new_search, False
        if left is None:
            self._open(lambda: kind(self._seed, values, self._referee), kind.title or "this")
            return
        self.come_back(left)
        if is_new:
            numbers = parameter_values(kind.parameters, values)
            for name in values:
                left.set_parameter(name, numbers[name])

    def _searched_values(self, index: int) -> Mapping[str, str]:
        """Return the parameters with which the list opens a demo."""
        return self.demos[index].searched_values(self.searched) if self.browsing else {}

    def come_back(self, session: Session) -> None:
        """Resume a demo that was left."""
        self.left.remove(session)
        self.browsing = False
        self._show(session)
        if self._referee is not None:
            session.demo.sim.use_missing_referees(self._referee)
        now = 0 if session.timeline.history is None else session.timeline.history.now
        session.messages.answer(
            f"This is the demo as you left it, at step {now}{', paused' if session.clock.paused else ''}. R restarts it."
        )

    def choose(self, index: int) -> None:
        """Choose a demo from the list, and show its preview; ignored if there is no such demo."""
        browser = self._screen.browser
        if browser is None or not 0 <= index < len(self.demos):
            return
        if index != self.chosen or self._searched_values(index) != self._previewed:
            self.chosen = index
            self.session = self._session(self._preview(index, *self.left))
            self.session.view.place(browser.preview_place(self._screen.layout.view, self.demos[index]))

    def step(self, by: int) -> None:
        """Choose the demo `by` places after the chosen one, and scroll it into view."""
        if (browser := self._screen.browser) is not None:
            self.choose(browser.beside(self.chosen, by))
            browser.reveal(self.chosen)

    def search(self, words: str) -> None:
        """List the matching demos; if the chosen one does not match, or another one has that name, choose the first match."""
        browser = self._screen.browser
        if browser is None or words == self.searched:
            return
        self.searched, self._is_new_search = words, True
        browser.show(words)
        meant = called(self.demos, words) or browser.found
        if meant:
            self.choose(self.chosen if self.chosen in meant else meant[0])
        self._screen.form.lay_out(browser.rows(self.chosen), self._screen.layout.panel, browser.head(self.chosen))
        browser.reveal(self.chosen)

    def browse(self) -> None:
        """Return to the list."""
        self.browsing = True
        if type(self.session.demo) in self.demos:
            self.chosen = self.demos.index(type(self.session.demo))
        if self.chosen not in found_in(self.demos, self.searched):
            self.searched = ""
        self._show(self._session(self._preview(self.chosen, *self.left, self.session)))

    def open_demo(self, kind: type[Demo]) -> bool:
        """Start a demo that need not be in the list; if it cannot be built, show why and return False."""
        return self._open(lambda: kind(self._seed, referee=self._referee), kind.title or "this")

    def watch(self, door: StepperRequest) -> None:
        """Open a stepper; `look_back` returns to the demo from which it was opened, however many steppers follow."""
        before = self.watched_from or self.session
        if self._open(lambda: stepper_of(door.algorithm, door.case, door.title, door.beside)(self._seed), door.title):
            self.watched_from = before
            self.session.messages.answer("Esc returns to where you were.")

    def look_back(self) -> bool:
        """Return to the demo from which a stepper was opened; return False if there is none."""
        before = self.watched_from
        if before is None:
            return False
        if before in self.left:
            self.left.remove(before)
        self._show(before)
        return True

    def play(self, recording: Recording) -> None:
        """Open a recording, or show why not. If its demo is still kept here, return to that."""
        here = next((session for session in (self.session, *reversed(self.left)) if session.has_been(recording)), None)
        if here is not None:
            if here is not self.session:
                self.come_back(here)
            here.timeline.play_from(recording.begun, recording.steps)
            here.messages.say(f"This recording was made here: it covers steps {recording.begun:,} to {recording.steps:,} of the timeline.")
            return
        if self._open(lambda: new_demo(recording, self._referee), "the recording"):
            try:
                self.session.play(recording)
            except LabError as error:
                self.session.messages.say(f"The recording cannot be played: {error}", palette.WARNING)

    def _open(self, make: Callable[[], Demo], what: str) -> bool:
        try:
            demo = make()
        except LabError as error:
            self.session.messages.say(f"{what} cannot be opened: {error}", palette.WARNING)
            return False
        self.browsing = False
        self._show(self._session(demo))
        return True

    def _show(self, session: Session) -> None:
        """Leave the shown demo, keeping its state, and show another."""
        before = self.session
        before.timeline.guarded(before.driver.release_all)
        self._on_leave(before)
        given_up = self._keep(before) if self.watched_from is None else []
        self.watched_from = None
        self.session = session
        self._on_show(session)
        for dropped in given_up:
            if dropped.timeline.history is not None and dropped.timeline.history.marks:
                words = f"Undo history for {dropped.demo.title} was discarded: only recent demos keep theirs."
                session.messages.say(words)

    def _keep(self, session: Session) -> list[Session]:
        """Keep a session with user actions that is not just playing a recording; return the sessions dropped for it."""
        history = session.timeline.history
        if history is None or session.is_shared or session.is_only_played or (history.last == 0 and not history.marks):
            return []
        self.left.append(session)
        given_up = []
        while len(self.left) > 1 and (len(self.left) > MAX_LEFT or self._n_bytes() > MAX_BYTES):
            given_up.append(self.left.pop(0))
        return given_up

    def _n_bytes(self) -> int:
        histories = [session.timeline.history for session in self.left if session.timeline.history is not None]
        histories += [session.beside.history for session in self.left if session.beside is not None]
        return sum(history.n_bytes + _STEP_BYTES * history.last for history in histories)

    def _session(self, demo: Demo) -> Session:
        demo.viewer.interactive = self._is_watched
        if self._referee is not None and not self.browsing:
            demo.sim.use_missing_referees(self._referee)
        session = Session(demo, self._screen.layout.view, self._layers, has_history=self._is_watched and not self.browsing)
        session.clock.paused = self._is_watched and isinstance(demo, SceneDemo) and demo.scene.paused
        return self._remembering(session)

    def _remembering(self, session: Session) -> Session:
        """Return a session with the actions of the demo's earlier sessions."""
        session.done = self._done.setdefault((session.demo.id, file_stem(session.demo)), session.done)
        return session

    def _preview(self, index: int, *left: Session) -> Demo:
        """Return a demo for the preview: a new one, or a copy of the last of its class in `left` in which something was built by hand."""
        kind = self.demos[index]
        histories = [session.timeline.history for session in left if type(session.demo) is kind]
        history = next((history for history in reversed(histories) if history is not None and built(history)), None)
        seed = self._seed if history is None else history.demo.seed
        self._previewed = self._searched_values(index)
        demo = kind(seed, self._previewed)
        if history is not None:
            with suppress(LabError):  # from a world that failed
                decode_state(demo, encode_state(history.demo))
                demo.release()  # grabbed bodies and held keys
        return demo
