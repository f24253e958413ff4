"""Tasks distributed to processes: none is lost or repeated, and all processes end."""

import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from engine.compare.processes.workers import WorkerLostError, run_tasks
from tests.waiting import until


def square(n):
    return n * n


def end_once(task):
    """End the process at the first attempt, and return at the second."""
    number, folder = task
    mark = Path(folder) / str(number)
    if number == 3 and not mark.exists():
        mark.touch()
        os._exit(9)
    return number


def always_end(task):
    os._exit(7)


def refuse(task):
    raise ValueError(f"no {task}")


def note_pid_and_sleep(folder):
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(1e4)


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_each_task_is_answered_once(jobs):
    assert sorted(run_tasks(square, range(7), jobs)) == [n * n for n in range(7)]


def test_a_killed_process_loses_no_task(tmp_path):
    tasks = [(number, str(tmp_path)) for number in range(6)]
    assert sorted(run_tasks(end_once, tasks, 2)) == list(range(6))
    assert (tmp_path / "3").exists()


def note_task(task):
    number, folder = task
    (Path(folder) / f"{os.getpid()}-{number}-{time.monotonic_ns()}").touch()
    return number


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_process_warms_up_once(jobs, tmp_path):
    tasks = [(number, str(tmp_path)) for number in range(1, 6)]
    assert sorted(run_tasks(note_task, tasks, jobs, rehearsal=(0, str(tmp_path)))) == [1, 2, 3, 4, 5]
    done = {}
    for path in sorted(tmp_path.iterdir(), key=lambda path: int(path.name.split("-")[2])):
        process, number, _ = path.name.split("-")
        done.setdefault(process, []).append(number)
    assert done.pop(str(os.getpid()))[:1] == ["0"]
    assert all(numbers[0] == "0" and "0" not in numbers[1:] for numbers in done.values())
    assert len(done) == (0 if jobs == 1 else 2)


def test_a_task_that_ends_every_process_is_reported():
    with pytest.raises(WorkerLostError, match="a task crashed 3 processes; the last one ended with status 7"):
        list(run_tasks(always_end, ["a task", "a task"], 2))


def test_an_exception_is_raised_here_with_its_location():
    with pytest.raises(ValueError, match=r"no [56]") as raised:
        list(run_tasks(refuse, [5, 6], 2))
    assert "in refuse" in raised.value.__notes__[0]


def test_closing_ends_the_processes():
    answers = run_tasks(square, range(100), 2)
    next(answers)
    assert len(multiprocessing.active_children()) == 2
    answers.close()
    assert multiprocessing.active_children() == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_the_processes_end_with_their_parent(tmp_path):
    context = multiprocessing.get_context("spawn")
    parent = context.Process(target=_lead, args=(str(tmp_path),))
    parent.start()
    until(lambda: len(list(tmp_path.iterdir())) == 2)
    pids = [int(path.name) for path in tmp_path.iterdir()]
    assert len(pids) == 2
    assert parent.pid is not None
    os.kill(parent.pid, signal.SIGKILL)
    parent.join()
    until(lambda: not any(map(is_alive, pids)))


def _lead(folder):
    list(run_tasks(note_pid_and_sleep, [folder, folder], 2))
