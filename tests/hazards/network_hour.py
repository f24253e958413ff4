"""An hour of a shared world over real sockets: python -m tests.hazards.network_hour [--minutes 60] [--count 200] [--solver box2d]

A server in a process of its own, as `host --headless` has it (`engine.net.server_thread`), and four scripted clients that simulate nothing:
they grab, drag, throw, push with force keys and point, say what has come to them, and compare clocks. Every `--stir` seconds one of them
builds the scene anew, so that it does not come to rest. Each minute says what the server's process holds in memory, what share of a core it
took (processor time), how late its ticks came, and how its clock goes against ours. In the end: the memory of
the last quarter against the second's, the drift of the clocks, the share of a core; exit 1 if one of them is out of bounds.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from engine.net import messages as m
from engine.net.connection import Connection
from engine.net.server_thread import ServerThread
from engine.sim.actions import Action, Drag, Drive, Grab, PressKey, Release, ReleaseKey, Restart, encode_action
from engine.sim.registry import find_demo
from engine.world import load_solver

MOST_OF_A_CORE = 0.15
MOST_DRIFT = 2.0
"""Ticks."""
MOST_GROWTH = 0.02
"""Of the memory, from the second quarter to the last."""
_FRAME = 1.0 / 60.0
_CLOCK_SECONDS = 1.0 / os.sysconf("SC_CLK_TCK")


def serve(count: int, solver: str) -> None:
    """Host the scene; tell its status for every line that comes, until there are none."""
    load_solver(solver).prepare()
    host = ServerThread(lambda: find_demo("simple_shapes")(0, {"count": count}, solver=solver), port=0)
    host.start()
    print(host.port, flush=True)
    for _ in sys.stdin:
        status, found = host.status, host.status.server
        told = {"tick": found.tick, "slipped": found.slipped, "sent": found.n_sent, "received": found.n_received}
        wrong = {"drops": [repr(drop) for drop in status.drops], "troubles": found.troubles, "failure": host.failure}
        more = {"ms": found.ms_per_tick, "worst_ms": found.worst_ms, "restamped": found.restamped, **wrong}
        print(json.dumps({**told, **more}), flush=True)
    host.close()


class LightClient:
    """One who takes part, and simulates nothing.

    Attributes
    ----------
    late : list of float
        Ticks by which closed ticks came late, by the server's clock; emptied by whoever reads it.
    offset : float
        The server's clock in ticks less ours, by the pong of the last seconds that was fastest under way.
    errors : list of float
        By how many ticks each new fast pong contradicts that; emptied by whoever reads it.
    """

    def __init__(self, number: int, port: int) -> None:
        self.number = number
        self.connection = Connection("127.0.0.1", port)
        self.welcome: m.Welcome | None = None
        self.late: list[float] = []
        self.errors: list[float] = []
        self.offset = math.nan
        self.n_said = self.n_heard = self.n_gaps = 0
        self._next_tick: int | None = None
        self._pongs: list[tuple[float, float, float]] = []
        """Of the last seconds: when it came, how long it took, the offset that it gives."""
        self._pinged = -1.0
        self._frame = 0
        self._say(m.Hello(m.VERSION, f"light {number}"))

    def _say(self, message: m.FromClient) -> None:
        self.connection.send(m.encode(message))

    def frame(self, now: float, is_restart: bool) -> None:
        """Take in what has come, and do what is due."""
        for content, at in self.connection.receive():
            self._take(m.decode_from_server(content), at)
        if self.connection.state == "closed":
            raise SystemExit(f"client {self.number}: {self.connection.reason}")
        if now - self._pinged >= 0.25:
            self._pinged = now
            self._say(m.Ping(now, self._next_tick or 0))
        if self.welcome is None or math.isnan(self.offset):
            return
        self._frame += 1
        if is_restart:
            self._act(Restart())
        self._play(self._frame)

    def _play(self, frame: int) -> None:
        """Grab somewhere, pull it around and let it go; the last client pushes a body with its keys too."""
        beat, turn = frame % 120, 0.1 * frame + 1.5 * self.number
        point = 5.0 * math.cos(turn), 4.0 + 3.0 * math.sin(0.7 * turn)
        if beat == 10 * self.number:
            self._act(Grab(point))
        elif beat % 2 == 0 and 10 * self.number < beat < 100:
            self._act(Drag(point))
        elif beat == 100:
            self._act(Release())
        if beat % 6 == 0:
            self._say(m.PointerMove(*point))
        if self.number == 3 and beat in (20, 60, 90):
            actions: dict[int, Action] = {20: Drive(0, 4 + frame // 120 % 100), 60: PressKey("up"), 90: ReleaseKey("up")}
            self._act(actions[beat])

    def _act(self, action: Action) -> None:
        assert self.welcome is not None
        tick = round(time.monotonic() * self.welcome.hertz + self.offset) + 1
        self._say(m.ActionRequest(self.welcome.next_number + self.n_said, tick, msgspec.Raw(encode_action(action))))
        self.n_said += 1

    def _take(self, message: m.FromServer, at: float) -> None:
        if isinstance(message, m.Welcome):
            self.welcome = message
        elif isinstance(message, m.Refused | m.Dropped):
            raise SystemExit(f"client {self.number}: {message.reason}")
        elif isinstance(message, m.Pong):
            self._compare(message, at)
        elif isinstance(message, m.RelayedAction) and self.welcome is not None and message.user == self.welcome.user:
            self.n_heard += 1
        elif isinstance(message, m.TickClosed) and self.welcome is not None:
            self.n_gaps += self._next_tick is not None and message.tick != self._next_tick
            self._next_tick = message.tick + 1
            if not math.isnan(self.offset):
                self.late.append(at * self.welcome.hertz + self.offset - (message.tick + self.welcome.delay + 1))

    def _compare(self, pong: m.Pong, at: float) -> None:
        hertz = 60.0 if self.welcome is None else self.welcome.hertz
        took, offset = at - pong.sent, pong.clock - 0.5 * (pong.sent + at) * hertz
        self._pongs = [one for one in self._pongs if at - one[0] < 5.0]
        if not math.isnan(self.offset) and took < 0.5 * _FRAME:
            self.errors.append(abs(offset - self.offset))
            if self.errors[-1] > 1.0:  # the server's clock has slipped: what was said before it is of another clock
                self._pongs.clear()
        self._pongs.append((at, took, offset))
        self.offset = min(self._pongs, key=lambda one: one[1])[2]


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _CLOCK_SECONDS


def _resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--solver", default="box2d")
    parser.add_argument("--stir", type=float, default=60.0, help="seconds between two restarts of the scene")
    parser.add_argument("--serve", action="store_true", help="be the server; the command starts that itself")
    options = parser.parse_args()
    if options.minutes < 1.1:
        parser.error(f"--minutes must be at least 1.1, got {options.minutes:g}")
    if options.serve:
        serve(options.count, options.solver)
        return 0
    command = [sys.executable, "-m", "tests.hazards.network_hour", "--serve", "--count", str(options.count), "--solver", options.solver]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        try:
            return _watch(server, options.minutes, options.stir)
        finally:
            assert server.stdin is not None
            server.stdin.close()


def _watch(server: subprocess.Popen[str], minutes: float, stir: float) -> int:
    assert server.stdin is not None and server.stdout is not None
    clients = [LightClient(number, port) for port in [int(server.stdout.readline())] for number in range(4)]
    memory: list[int] = []
    shares: list[float] = []
    offsets: list[float] = []
    slipped: list[float] = []
    begun = minute = stirred = time.monotonic()
    cpu = _cpu_seconds(server.pid)
    print("minute  MB    core  ms a tick (longest)  late 50 %  99 %  most  gaps  clock error  offset  slipped  kB/s out, in", flush=True)
    sent = received = 0
    while time.monotonic() - begun < 60.0 * minutes:
        frame = time.monotonic()
        is_restart = frame - stirred >= stir
        stirred = frame if is_restart else stirred
        for client in clients:
            client.frame(frame, is_restart and client.number == 0)
        if frame - minute >= 60.0:
            server.stdin.write("\n")
            server.stdin.flush()
            told = json.loads(server.stdout.readline())
            if told["failure"] or told["drops"]:
                raise SystemExit(f"the server: {told['failure']} {told['drops']}")
            spent = _cpu_seconds(server.pid)
            memory.append(_resident(server.pid))
            shares.append((spent - cpu) / (frame - minute))
            slipped.append(told["slipped"])
            offsets.append(statistics.median(client.offset for client in clients))
            late = sorted(one for client in clients for one in client.late)
            wrong = max((error for client in clients for error in client.errors), default=0.0)
            out, back = (told["sent"] - sent) / 6e4, (told["received"] - received) / 6e4
            print(
                f"{len(memory):6d}  {memory[-1] / 1e6:.1f}  {shares[-1]:.1%}  {told['ms']:.2f} ({told['worst_ms']:.1f})  "
                f"{late[len(late) // 2]:.2f}  {late[len(late) * 99 // 100]:.2f}  {late[-1]:.2f}  {sum(one.n_gaps for one in clients)}  "
                f"{wrong:.2f}  {offsets[-1] - offsets[0]:+.2f}  {told['slipped']:.2f}  {out:.1f}, {back:.1f}",
                flush=True,
            )
            sent, received, cpu, minute = told["sent"], told["received"], spent, frame
            for client in clients:
                client.late.clear()
                client.errors.clear()
        time.sleep(max(0.0, _FRAME - (time.monotonic() - frame)))
    return _verdict(clients, memory, shares, offsets, slipped)


def _verdict(clients: list[LightClient], memory: list[int], shares: list[float], offsets: list[float], slipped: list[float]) -> int:
    quarter = max(1, len(memory) // 4)
    second, last = statistics.median(memory[quarter : 2 * quarter] or memory), statistics.median(memory[-quarter:])
    drift = max(abs(offset - offsets[0] + gone - slipped[0]) for offset, gone in zip(offsets, slipped, strict=True))
    apart = max(client.offset for client in clients) - min(client.offset for client in clients)
    share = statistics.fmean(shares)
    grown, left_out = last / second - 1.0, slipped[-1] - slipped[0]
    print(f"memory: second quarter {second / 1e6:.1f} MB, last {last / 1e6:.1f} MB, {grown:+.2%} (at most {MOST_GROWTH:+.0%})")
    print(
        f"clocks: drift {drift:.2f} ticks beside the {left_out:.2f} that the server's slipped; four clients {apart:.2f} apart (at most 2)"
    )
    print(f"core: {share:.1%} on average, {max(shares):.1%} at most (at most {MOST_OF_A_CORE:.0%} on average)")
    said, heard = (sum(getattr(client, name) for client in clients) for name in ("n_said", "n_heard"))
    print(f"acts: {said} said, {heard} heard again; ticks missing or out of order: {sum(client.n_gaps for client in clients)}")
    is_fine = last <= (1.0 + MOST_GROWTH) * second and drift <= MOST_DRIFT and apart <= MOST_DRIFT and share <= MOST_OF_A_CORE
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
