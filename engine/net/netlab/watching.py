"""Records of the server and of each client while an experiment runs, as plain data."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field

from engine.common.errors import LabError
from engine.net.client import Client
from engine.net.corrections import Correction
from engine.net.server import Server
from engine.net.shared_simulation import SharedSimulation
from engine.sim.actions import Action
from engine.sim.demo import Demo

__all__ = ["ClientNotes", "ServerNotes", "ServerWatch", "Watch"]

_CLOCK_SECONDS = 0.5
"""From one look at a client's clock to the next."""


@dataclass(slots=True)
class ServerNotes:
    """The record of the server.

    Attributes
    ----------
    start : float
        Seconds, of the clock that all share, at tick 0.
    final : dict of int to bytes
        Digest of the state right before each tick.
    counted : dict of (user, number) to int
        The tick at which each act counted.
    seconds : float
        Of processor time.
    lost : list of (float, float)
        From when on, how many seconds its clock was behind in all: the machine could not keep up, or slept.
    drops : list of str
        Why clients were cut off.
    """

    hertz: float
    start: float
    final: dict[int, bytes] = field(default_factory=dict)
    counted: dict[tuple[int, int], int] = field(default_factory=dict)
    ticks: int = 0
    seconds: float = 0.0
    lost: list[tuple[float, float]] = field(default_factory=list)
    drops: list[str] = field(default_factory=list)

    def lost_until(self, at: float) -> float:
        """Return the seconds that its clock had lost by a time."""
        return next((seconds for since, seconds in reversed(self.lost) if since <= at), 0.0)


@dataclass(slots=True)
class ClientNotes:
    """The record of a client.

    Attributes
    ----------
    final : dict of int to bytes
        Digest of the state right before each tick, once nothing could change it any more.
    did, shown : dict of int to float
        By number of an act, when it was done, and when the picture showed a tick with it, seconds.
    confirmed : list of (int, float)
        All ticks before it were known whole, from when on.
    corrections : list of (int, float)
        Age in ticks, size in meters.
    clock : list of (float, float)
        A time, and the server's clock then, in ticks, as the client believed.
    reached : int
        The tick up to which its states were final in the end; what is not in `final` by then it has skipped, being too far behind.
    n_late : int
        Acts that counted at a later tick than they were meant for.
    n_stalls, n_frames : int
        Frames in which a tick was due and could not be taken, of so many.
    """

    name: str
    user: int = 0
    final: dict[int, bytes] = field(default_factory=dict)
    did: dict[int, float] = field(default_factory=dict)
    shown: dict[int, float] = field(default_factory=dict)
    confirmed: list[tuple[int, float]] = field(default_factory=list)
    corrections: list[tuple[int, float]] = field(default_factory=list)
    clock: list[tuple[float, float]] = field(default_factory=list)
    n_rollbacks: int = 0
    n_resimulated: int = 0
    n_adopted: int = 0
    n_welcomes: int = 0
    reached: int = 0
    n_late: int = 0
    n_stalls: int = 0
    n_frames: int = 0
    ticks: int = 0
    n_sent: int = 0
    n_received: int = 0
    lasted: float = 0.0
    seconds: float = 0.0
    refused: str = ""


class ServerWatch:
    """Notes of a server what its ticks were.

    Attributes
    ----------
    notes : ServerNotes or None
        None before the first tick.
    """

    def __init__(self) -> None:
        self.notes: ServerNotes | None = None
        self._slipped = 0.0

    def tick(self, server: Server) -> None:
        """Note the tick just taken: it is to be called after each."""
        simulation, notes = server.simulation, self.notes
        if notes is None:
            notes = self.notes = ServerNotes(server.hertz, _start_of(server), dict(simulation.digests))
        notes.final[simulation.now] = simulation.digests[simulation.now]
        notes.ticks += 1
        for act in simulation.acts(simulation.now - 1):
            notes.counted[act.key] = simulation.now - 1
        slipped = _start_of(server) - notes.start
        if slipped != self._slipped:
            self._slipped = slipped
            notes.lost.append((notes.start + slipped + (simulation.now + server.settings.delay) / server.hertz, slipped))


def _start_of(server: Server) -> float:
    """Return the time of its tick 0, as its clock goes now."""
    return -server.clock(0.0) / server.hertz


class Watch:
    """Acts for hands, and notes of its client what there is to see from without.

    Parameters
    ----------
    client : Client
        `frame` is to be called after each `advance`.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.notes = ClientNotes(client.name)
        client.on_final = self.notes.final.__setitem__
        client.on_correction = self._note_correction
        self._began: float | None = None
        self._scanned = 0
        """Ticks before it have been looked through for own acts."""
        self._clocked = -1e9
        self._simulation: SharedSimulation | None = None

    @property
    def demo(self) -> Demo | None:
        return self.client.demo

    def act(self, action: Action, now: float) -> None:
        """Apply an action; what is refused is refused."""
        client = self.client
        number = client.next_number
        with contextlib.suppress(LabError):
            client.act(action, now=now)
        if client.next_number > number:  # it has been said
            self.notes.did[number] = now

    def _note_correction(self, correction: Correction) -> None:
        self.notes.corrections.append((correction.age, correction.meters))

    @property
    def reached(self) -> int:
        """The tick up to which its states are final."""
        simulation = self.client.simulation
        return 0 if simulation is None else min(self.client.confirmed, simulation.now)

    def frame(self, now: float) -> None:
        """Look."""
        client, notes, simulation = self.client, self.notes, self.client.simulation
        if self._began is None:
            self._began = now
        if simulation is None:
            return
        notes.n_frames += 1
        if simulation is not self._simulation:
            self._simulation, self._scanned = simulation, simulation.oldest
            notes.n_welcomes += 1
        for tick in range(self._scanned, simulation.now):
            for act in simulation.acts(tick):
                if act.user == client.user and act.number in notes.did:
                    notes.shown.setdefault(act.number, now)
        notes.ticks += max(0, simulation.now - self._scanned)
        self._scanned = max(self._scanned, simulation.now)
        if not notes.confirmed or notes.confirmed[-1][0] != client.confirmed:
            notes.confirmed.append((client.confirmed, now))
        believed = client.clock(now)
        if believed is not None and now - self._clocked >= _CLOCK_SECONDS:
            self._clocked = now
            notes.clock.append((now, believed))
        notes.lasted = now - self._began

    def end(self, n_sent: int, n_received: int, seconds: float) -> ClientNotes:
        """Return all that was noted, with the bytes sent and received and the processor time taken."""
        client, notes = self.client, self.notes
        notes.user, notes.refused, notes.reached = client.user, client.end_reason, self.reached
        notes.n_rollbacks, notes.n_resimulated, notes.n_adopted = client.n_rollbacks, client.n_resimulated, client.n_adopted
        notes.n_late, notes.n_stalls = client.n_late, client.n_stalls
        notes.n_sent, notes.n_received, notes.seconds = n_sent, n_received, seconds
        return notes
