"""Tasks on a Dask cluster: none is lost or counted twice, even if a process is killed; errors are one line."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.common.errors import InvalidInputError
from engine.compare.bulk.comparison import compare, compare_chunks
from engine.compare.processes import cluster
from engine.compare.processes.cluster import DISTRIBUTED, ClusterError, check_address, run_on_cluster, versions
from engine.compare.processes.workers import WorkerLostError
from tests.waiting import PATIENCE, until

ROOT = Path(__file__).resolve().parents[3]
PAIRS, SEED, QUERIES = 60_000, 4, ("manifold",)
REHEARSAL = (-1, "")
_PROCESS = ("dask_worker", "--no-nanny", "--nthreads", "1", "--no-dashboard")

_DASK = {
    "SCHEDULER__ALLOWED_FAILURES": "1",
    "ADMIN__TICK__INTERVAL": "1s",
    "WORKER__PROFILE__ENABLED": "False",
    "WORKER__MEMORY__MONITOR_INTERVAL": "5s",
}
"""Fifty looks a second at whether the process still answers, and a hundred at where it is, cost 2 % of a processor in each of
them, and five times as much as all else that one does that waits."""

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="kills by a signal")

compiled = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="whole chunks take minutes where nothing is compiled")


class Cluster:
    """A scheduler, which abandons a task that ended two processes, and its own processes, each with one thread."""

    def __init__(self, folder):
        self._file = folder / "scheduler.json"
        dask = {f"DASK_DISTRIBUTED__{name}": value for name, value in _DASK.items()} | {"DASK_TEMPORARY_DIRECTORY": str(folder)}
        outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self._environment = {**outside, "PYTHONWARNINGS": "", **dask}
        self._everyone = []
        self.processes = []

    def start(self, n_processes, scheduler_has_engine=True):
        """Start the scheduler and this many processes, and wait until all are ready."""
        options = ("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show")
        self._start(*options, has_engine=scheduler_has_engine)
        self.processes = [self._start(*_PROCESS) for _ in range(n_processes)]
        self.address = json.loads(_when(lambda: self._file.read_text(encoding="utf-8")))["address"]
        with _asking(self.address) as client:
            assert _when(lambda: len(client.nthreads()) == n_processes)

    def end(self):
        for process in self._everyone:
            process.kill()
        for process in self._everyone:
            process.wait()

    def start_process(self, has_engine):
        """Start another process, which may be able to import the engine or not."""
        return self._start(*_PROCESS, has_engine=has_engine)

    def _start(self, program, *options, has_engine=True):
        command = [sys.executable, "-m", f"distributed.cli.{program}", "--scheduler-file", str(self._file), *options]
        quiet, folder = subprocess.DEVNULL, ROOT if has_engine else self._file.parent
        environment = {**self._environment, **({"PYTHONPATH": str(ROOT)} if has_engine else {})}
        process = subprocess.Popen(command, cwd=folder, env=environment, stdin=quiet, stdout=quiet, stderr=quiet)
        self._everyone.append(process)
        return process


def _when(read):
    """Return the result of `read` as soon as there is one."""

    def read_now():
        with contextlib.suppress(OSError):
            return read()

    return until(read_now)


@contextlib.contextmanager
def _cluster(folder, n_processes, scheduler_has_engine=True):
    made = Cluster(folder)
    try:
        made.start(n_processes, scheduler_has_engine)
        yield made
    finally:
        made.end()


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """Two processes, for tests that kill none."""
    with _cluster(tmp_path_factory.mktemp("cluster"), 2) as made:
        yield made


@contextlib.contextmanager
def _asking(address):
    import distributed

    with distributed.Client(address, set_as_default=False) as client:
        yield client


def note(task):
    """Return the number and the process id; leave a mark."""
    number, folder = task
    if folder:
        (Path(folder) / f"{os.getpid()}-{number}-{time.monotonic_ns()}").touch()
        time.sleep(0.02)
    return number, os.getpid()


def linger(task):
    """Answer the first at once, and the others once a marker file exists."""
    number, folder = task
    while number > 1 and not Path(folder, "enough").exists():
        time.sleep(0.02)
    return number, os.getpid()


def end_once(task):
    number, folder = task
    mark = Path(folder) / "ended"
    if number == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def always_end(task):
    if task != REHEARSAL:
        os.kill(os.getpid(), signal.SIGKILL)
    return 0


def sleep(task):
    if task != REHEARSAL:
        note(task)
        time.sleep(1e4)
    return task[0], 0


def refuse(task):
    if task == REHEARSAL:
        return 0
    raise ValueError(f"no {task[0]}")


def _without_rates(report):
    if isinstance(report, dict):
        return {key: _without_rates(value) for key, value in report.items() if key not in ("ours_per_s", "box2d_per_s")}
    return report


@pytest.mark.slow
@compiled
@on_posix
def test_a_killed_process_neither_loses_nor_repeats_a_pair(tmp_path):
    """Two processes, one of which is killed while it works; the JSON equals that of a single local process."""
    with _cluster(tmp_path, 2) as two:
        report, seen = _compared_while_one_is_killed(two)
    assert seen == [10_000 * count for count in range(1, 7)]
    assert _without_rates(report) == _without_rates(compare(PAIRS, SEED, QUERIES))


def _compared_while_one_is_killed(two):
    tallies = compare_chunks(PAIRS, SEED, QUERIES, scheduler=two.address)
    seen = [next(tallies).queries["manifold"].pairs]
    victim = two.processes[0]
    with _asking(two.address) as client:

        def at_work():
            pids = {where: there["pid"] for where, there in client.run(_identity).items()}
            return any(tasks and pids.get(where) == victim.pid for where, tasks in client.processing().items())

        assert _when(at_work)
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    total = None
    for total in tallies:
        seen.append(total.queries["manifold"].pairs)
    assert total is not None
    return total.as_json(), seen


def _identity():
    return {"pid": os.getpid()}


def test_each_task_is_answered_once_and_each_process_warms_up_once(two, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    tasks = [(number, str(marks)) for number in range(1, 13)]
    answers = list(run_on_cluster(note, tasks, two.address, (0, str(marks))))
    assert sorted(number for number, _ in answers) == list(range(1, 13))
    assert {pid for _, pid in answers} == {process.pid for process in two.processes}
    done = {}
    for path in sorted(marks.iterdir(), key=lambda path: int(path.name.split("-")[2])):
        process, number, _ = path.name.split("-")
        done.setdefault(process, []).append(number)
    assert all(numbers[0] == "0" and "0" not in numbers[1:] for numbers in done.values())

    # the same questions once more: nothing is remembered, nothing stays when the caller stops, few are in flight
    answers_again = run_on_cluster(linger, tasks * 50, two.address, (0, str(marks)))
    next(answers_again)
    with _asking(two.address) as client:
        assert 1 <= sum(len(tasks) for tasks in client.processing().values()) <= 4
        answers_again.close()
        (marks / "enough").touch()
        assert _when(lambda: not any(client.processing().values()))
        assert client.run_on_scheduler(_n_tasks) == 0

    with pytest.raises(ValueError, match=r"no [56]"):
        list(run_on_cluster(refuse, [(5, ""), (6, "")], two.address, REHEARSAL))


def _n_tasks(dask_scheduler):
    return len(dask_scheduler.tasks)


@pytest.mark.slow
@on_posix
def test_tasks_that_end_processes(tmp_path):
    """A task that ends its first process is run by another; one that ends two is reported."""
    tasks = [(number, str(tmp_path)) for number in range(6)]
    with _cluster(tmp_path, 3) as three:
        assert sorted(run_on_cluster(end_once, tasks, three.address, REHEARSAL)) == list(range(6))
        assert sum(process.poll() is None for process in three.processes) == 2
        with pytest.raises(WorkerLostError, match="a task crashed 2 workers of the cluster"):
            list(run_on_cluster(always_end, [(1, "")], three.address, REHEARSAL))


def test_other_versions_are_rejected(two, monkeypatch):
    ours = (("engine", "0.0.1"), *versions()[1:])
    monkeypatch.setattr(cluster, "versions", _FakeVersions(ours))
    with pytest.raises(ClusterError, match=r"^the cluster worker at tcp://\S+ has engine 0\.1\.0 \(source \w{8}\), not 0\.0\.1$"):
        list(run_on_cluster(note, [(1, "")], two.address, REHEARSAL))
    monkeypatch.setattr(cluster, "_check_processes", lambda client, address: None)  # as if it had joined after that
    with pytest.raises(ClusterError, match=r"^a worker that joined the cluster has engine 0\.1\.0"):
        list(run_on_cluster(note, [(1, "")], two.address, REHEARSAL))


class _FakeVersions:
    """A function that returns the given versions; it pickles as the real one."""

    def __init__(self, versions):
        self._versions = versions

    def __call__(self):
        return self._versions

    def __reduce__(self):
        return _real_versions, ()


def _real_versions():
    return versions


@pytest.mark.slow
@compiled
@on_posix
def test_ctrl_c_keeps_what_was_found(two, tmp_path):
    out = tmp_path / "found.json"
    options = ("--pairs", "100000000", "--queries", "overlap", "--json", str(out), "--scheduler", two.address)
    command = [sys.executable, str(ROOT / "main.py"), "compare", *options]
    pipe = subprocess.PIPE
    with _asking(two.address) as client, subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True) as run:
        try:
            keys = set()

            def two_are_counted():  # four are in flight, and a fifth only when one is done
                assert run.poll() is None, run.communicate()
                for worker_keys in client.processing().values():
                    keys.update(worker_keys)
                return len(keys) >= 6

            until(two_are_counted, look=0.3)  # each look costs the cluster, which has more to do here, some milliseconds
            run.send_signal(signal.SIGTERM)
            said, errors = run.communicate(timeout=PATIENCE)
            assert _when(lambda: client.run_on_scheduler(_n_tasks) == 0)
        finally:
            run.kill()
    assert run.returncode == 130, errors
    *progress, last = errors.splitlines()  # a busy machine says from the fifth second on what it is at
    assert last.startswith("interrupted after ") and all(line.endswith(" so far") for line in progress), errors
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["interrupted"] is True
    assert report["queries"]["overlap"]["pairs"] >= 10_000
    assert "overlap" in said


def _end_once_at_work(cluster, marks):
    until(lambda: any(marks.iterdir()))
    cluster.end()


@pytest.mark.parametrize(("n_tasks", "function"), [pytest.param(1000, note, marks=pytest.mark.slow), (1, sleep)])
def test_a_lost_scheduler_is_reported(n_tasks, function, tmp_path):
    """Between two answers, and while the only task is still being done."""
    marks = tmp_path / "marks"
    marks.mkdir()
    with _cluster(tmp_path, 1) as cluster:
        answers = run_on_cluster(function, [(1, str(marks))] * n_tasks, cluster.address, REHEARSAL)
        end = threading.Thread(target=_end_once_at_work, args=(cluster, marks))
        end.start()
        with pytest.raises(ClusterError, match=f"^the connection to the scheduler at {cluster.address} was lost"):
            list(answers)
        end.join()


@pytest.mark.parametrize(
    "address", ["", "localhost", "tcp://localhost", "http://localhost:80", "a b:1", "localhost:0", "localhost:65536", "::1"]
)
def test_an_invalid_address_is_rejected(address, capsys):
    with pytest.raises(InvalidInputError, match=r"^scheduler must be the address of a Dask scheduler, tcp://HOST:PORT, got "):
        compare_chunks(1, 0, scheduler=address)
    assert main(["compare", "--scheduler", address]) == 2
    assert capsys.readouterr().err.startswith("error: --scheduler must be the address")


@pytest.mark.parametrize("address", ["localhost:8786", "tcp://10.0.0.1:1", "tls://node-1.example.org:8786", "tcp://[::1]:8786"])
def test_addresses(address):
    assert check_address("scheduler", address) == address


def test_jobs_and_a_scheduler_are_mutually_exclusive(capsys):
    assert main(["compare", "--scheduler", "tcp://localhost:8786", "--jobs", "2"]) == 2
    assert capsys.readouterr().err == "error: --jobs must be omitted with --scheduler, got 2\n"


def test_an_unreachable_scheduler_is_reported(capsys, monkeypatch):
    """Nothing listens on the port, or the server does not answer or uses another protocol."""
    monkeypatch.setattr(cluster, "_PATIENCE", 0.5)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        _assert_unreachable(free.getsockname()[1], capsys)
        free.listen()
        _assert_unreachable(free.getsockname()[1], capsys)
    with socket.create_server(("127.0.0.1", 0)) as web:
        answering = threading.Thread(target=_answer_as_a_web_server, args=(web,))
        answering.start()
        _assert_unreachable(web.getsockname()[1], capsys)
        answering.join()


def _answer_as_a_web_server(web):
    with web.accept()[0] as asking:
        asking.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


def _assert_unreachable(port, capsys):
    assert main(["compare", "--scheduler", f"tcp://127.0.0.1:{port}"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"error: no Dask scheduler can be reached at tcp://127.0.0.1:{port}: ")
    assert said.err.count("\n") == 1


def test_a_cluster_that_cannot_work_is_reported(tmp_path, monkeypatch):
    """There is no process, or a process or scheduler that cannot load the engine."""
    import distributed

    wait = distributed.Client.wait_for_workers
    with _cluster(tmp_path, 0, scheduler_has_engine=False) as alone, _asking(alone.address) as client:
        with monkeypatch.context() as hurried, pytest.raises(ClusterError, match="has no workers"):
            hurried.setattr(distributed.Client, "wait_for_workers", lambda self, n, timeout: wait(self, n, 0.1))
            list(run_on_cluster(note, [(1, "")], alone.address, REHEARSAL))
        process = alone.start_process(has_engine=False)
        client.wait_for_workers(1, timeout=PATIENCE)
        with pytest.raises(ClusterError, match=r"^the cluster worker at tcp://\S+ cannot load the engine: .*No module named"):
            list(run_on_cluster(note, [(1, "")], alone.address, REHEARSAL))
        process.terminate()
        assert _when(lambda: not client.nthreads())
        alone.start_process(has_engine=True)
        client.wait_for_workers(1, timeout=PATIENCE)
        with pytest.raises(ClusterError, match=f"^the scheduler at {alone.address} cannot load the engine: start it in "):
            list(run_on_cluster(note, [(1, str(tmp_path))], alone.address, REHEARSAL))


def test_the_library_is_loaded_only_when_asked_for():
    program = "import sys, engine.compare.processes.cluster; sys.exit('distributed' in sys.modules or 'dask' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0


def test_the_package_to_install_is_named_and_pinned(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["compare", "--scheduler", "tcp://localhost:8786"]) == 2
    expected = f"error: a Dask cluster needs a missing library (distributed): install {DISTRIBUTED}\n"
    assert capsys.readouterr().err == expected
    assert DISTRIBUTED in (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()
