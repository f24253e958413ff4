"""``netlab``: a server and clients over simulated links, users that act at random, and whether all went through the same states."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.cli import options
from engine.cli.options import argument, named, option
from engine.cli.output import progress, warming
from engine.cli.run import demo_or_file, demo_values
from engine.common.errors import Described, InvalidInputError
from engine.common.words import counted
from engine.report import Link, Part, Report

if TYPE_CHECKING:
    from engine.net.messages import SharedScene
    from engine.net.netlab.experiment import Experiment
    from engine.net.netlab.result import ExperimentResult

__all__ = ["netlab_command"]

_MAX_SWEPT = 50


@dataclass(frozen=True, kw_only=True)
class NetlabOptions:
    """Options of ``netlab``."""

    scene: str = argument("SCENE", "Which demo (see the command list), or a scene file.", reads=True)
    clients: int = option("N", "Number of clients, 1 to 64.", 4)
    latency: float = option("S", "Seconds that a message takes, each way.", 0.0)
    jitter: float = option("S", "Maximum deviation from the latency, seconds.", 0.0)
    loss: float = option("P", "Share of messages that are lost.", 0.0)
    reorder: float = option("P", "Share of messages that may overtake others.", 0.0)
    duplicate: float = option("P", "Share of messages that come twice.", 0.0)
    bandwidth: float = option("B", "Bytes a second each way of a client; 0: any.", 0.0)
    stream: bool = option("", "A link like TCP: a lost message comes later, and those behind it wait.", False)
    down: str | None = option("NAME=VALUE,...", "Differences of the way from the server: latency=0.3,loss=0.1.")
    steps: int = option("N", "Ticks that are played and compared.", 600)
    seed: options.Seed = 0
    method: str = option("NAME", "How clients keep up: prediction, interpolation, lockstep; or all.", "prediction")
    solver: options.SolverName = None
    settings: options.Settings = None
    delay: int | None = option("N", "Ticks by which the server closes a tick after its time.")
    window_steps: int | None = option("N", "Ticks that a client may be ahead, and can go back.")
    script: str | None = option("FILE", "Actions of the clients, in place of random users.", reads=True, excludes=("rate",))
    rate: float | None = option("R", "Actions that a random user begins per second.")
    join_at: int | None = option("STEP", "Tick at which the last client joins.")
    sweep: str | None = option("NAME=LIST", "Run once for each value: latency=0,0.05,0.1; also of delay, clients...")
    report: options.ReportFolder = None
    json: options.JsonFile = None


@options.command
def netlab_command(args: NetlabOptions) -> Report:
    """Share a world among a server and clients over simulated links, and compare the states of every tick.

    Server and clients run in this process, in simulated time: as fast as the machine goes, and the same every time. Every client acts at
    random, or by a script. Status 1 if a step of a client ended in another state than the server's, or a client never came to know it.
    docs/network.md explains what is measured.
    """
    from engine.net.link import LinkSettings
    from engine.net.netlab.experiment import LINK_FIELDS, Experiment
    from engine.net.script import load_script

    with named(lambda field: f"--{field}"):
        up = LinkSettings(args.latency, args.jitter, args.loss, args.reorder, args.duplicate, args.bandwidth, args.stream)
    with named(lambda field: f"--down {field}"):
        down = replace(up, **(_changes(args.down, LINK_FIELDS) if args.down is not None else {}))
    chosen = {"delay": args.delay, "window": args.window_steps, "rate": args.rate}
    fields: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    script = None if args.script is None else load_script(args.script)
    scene, title = _shared_scene(args)
    with named(lambda field: f"--{field}"):
        experiment = Experiment(scene, title, args.clients, up, down, args.steps, args.seed, script=script, join_at=args.join_at, **fields)
    return _run(*_varied(experiment, args.method, args.sweep))


def _changes(given: str, known: Sequence[str]) -> dict[str, Any]:
    """Return the values of ``NAME=VALUE,...``."""
    changes = {}
    for part in given.split(","):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals or name not in known:
            raise InvalidInputError("--down", "NAME=VALUE,..., NAME one of " + ", ".join(known), part)
        changes[name] = _number("--down", value)
    return changes


def _number(option: str, word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InvalidInputError(option, "a finite number behind each =", word)
    return number


def _shared_scene(args: NetlabOptions) -> tuple[SharedScene, str]:
    """Return how the demo is made, and its title."""
    from engine.net.scene import check_shareable, shared_scene

    kind = demo_or_file("SCENE", args.scene)
    values, own = demo_values(kind, args.settings or [], args.solver)
    make = partial(kind, args.seed, values, solver=args.solver, solver_settings=own)
    with warming():
        demo = make()
        check_shareable(demo)
        options.prepare_solvers(*demo.sim.solvers)
        demo = make()
    return shared_scene(demo), demo.title


def _varied(experiment: Experiment, method: str, swept: str | None) -> tuple[list[Experiment], str | None]:
    """Return the experiment once for each method and value, and what is swept."""
    from engine.net.messages import METHODS
    from engine.net.netlab.experiment import SWEPT, sweep

    experiments = [replace(experiment, method=varied) for varied in options.listed("--method", method, METHODS)]
    if swept is None:
        return experiments, None
    name, equals, words = (word.strip() for word in swept.partition("="))
    if not equals or name not in SWEPT:
        raise InvalidInputError("--sweep", "NAME=LIST, NAME one of " + ", ".join(SWEPT), swept)
    values = [_number("--sweep", word) for word in words.split(",")]
    if len(values) > _MAX_SWEPT:
        raise InvalidInputError("--sweep", f"at most {_MAX_SWEPT} values", Described(str(len(values))))
    with named(lambda field: f"--sweep {name}"):
        return [varied for each in experiments for varied in sweep(each, name, values)], name


def _run(experiments: Sequence[Experiment], swept: str | None) -> Report:
    from engine.cli.netlab_page import netlab_page
    from engine.net.netlab import run

    results: list[ExperimentResult] = []
    n_steps = experiments[0].steps
    with progress("playing", n_steps * len(experiments), "steps") as advance:
        for experiment in experiments:
            try:
                results.append(run.run_experiment(experiment, _shifted(advance, n_steps * len(results))))
            except KeyboardInterrupt:
                break
            if not results[-1].is_whole:
                break
    is_whole = len(results) == len(experiments) and results[-1].is_whole
    interrupted = "" if is_whole else f"interrupted after {counted(results[-1].steps if results else 0, 'step')}"
    if not results:
        return Report({}, interrupted=interrupted)
    status = int(any(result.problems for result in results))
    return Report(_as_json(results), _parts(results, swept), status, partial(netlab_page, results, swept), interrupted)


def _shifted(advance: Callable[[int], None], before: int) -> Callable[[int], None]:
    return lambda n_done: advance(before + n_done)


def _as_json(results: Sequence[ExperimentResult]) -> dict[str, Any]:
    """Return the sums of all runs, and each of them."""
    first = results[0].experiment
    counts = ("differing_steps", "rollbacks", "resimulated_steps", "adopted_keyframes")
    return {
        "demo": first.title,
        "seed": first.seed,
        "clients": max(result.experiment.n_clients for result in results),
        "steps": sum(result.steps for result in results),
        **{name: sum(result.total(name) for result in results) for name in counts},
        "bytes_per_s": sum(result.bytes_per_s for result in results) / len(results),
        "agree": not any(result.problems for result in results),
        "runs": [result.as_json() for result in results],
    }


def _parts(results: Sequence[ExperimentResult], swept: str | None) -> Iterator[Part]:
    from engine.cli.netlab_page import about, clients_table, runs_table

    yield Link(about(results[0].experiment), "title")
    yield runs_table(results, swept)
    if len(results) == 1:
        yield clients_table(results[0])
    for result in results:
        yield from (Link(f"{result.experiment.method}: {problem}", "wrong") for problem in result.problems)
        yield from (f"dropped: {reason}" for reason in result.drops)
