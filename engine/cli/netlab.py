"""``netlab``: run a server and clients with random users over simulated links, and check that all pass through the same states."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.cli import options
from engine.cli.options import argument, named, option
from engine.cli.output import progress
from engine.cli.run import demo_or_file, demo_values
from engine.common.errors import Described, InvalidInputError
from engine.common.words import counted
from engine.report import Cell, Link, Part, Report, Table

if TYPE_CHECKING:
    from engine.net.messages import SharedScene
    from engine.net.netlab.experiment import Experiment
    from engine.net.netlab.result import ExperimentResult

__all__ = ["netlab_command"]

_MAX_SWEPT = 50


@dataclass(frozen=True, kw_only=True)
class NetlabOptions:
    """Options of ``netlab``."""

    scene: str = argument("SCENE", "Demo id (see the list command) or scene file.", reads=True)
    clients: int = option("N", "Number of clients, 1 to 64.", 4)
    latency: float = option("S", "One-way latency, seconds.", 0.0)
    jitter: float = option("S", "Maximum deviation from the latency, seconds.", 0.0)
    loss: float = option("P", "Fraction of messages lost.", 0.0)
    reorder: float = option("P", "Fraction of messages that may arrive out of order.", 0.0)
    duplicate: float = option("P", "Fraction of messages duplicated.", 0.0)
    bandwidth: float = option("B", "Bytes per second in each direction of a client; 0: unlimited.", 0.0)
    stream: bool = option("", "Simulate TCP: lost messages are resent, and later ones wait for them.", False)
    steps: int = option("N", "Number of ticks to simulate and compare.", 600)
    seed: options.Seed = 0
    method: str = option("NAME", "Synchronization method: prediction, interpolation, lockstep or all.", "prediction")
    solver: options.SolverName = None
    settings: options.Settings = None
    delay: int | None = option("N", "Number of ticks that the server waits for late inputs.")
    rollback: int | None = option("N", "Number of ticks that the server can roll back for even later inputs.")
    window_steps: int | None = option("N", "Maximum number of ticks that a client may run ahead or roll back.")
    script: str | None = option("FILE", "File of client actions, instead of random users.", reads=True, excludes=("rate",))
    rate: float | None = option("R", "Number of actions that each random user starts per second.")
    join_at: int | None = option("STEP", "Tick at which the last client joins.")
    sweep: str | None = option("NAME=LIST", "Run once per value, such as latency=0,0.05,0.1; also delay, clients, ...")
    json: options.JsonFile = None


@options.command
def netlab_command(args: NetlabOptions) -> Report:
    """Share a world between a server and clients over simulated links, and compare their states at every tick.

    Server and clients run in one process and in simulated time, so the run is deterministic and as fast as the machine allows. Clients
    act at random or from a script. The status is 1 if a client's state after a tick differs from the server's or was never
    received. docs/network.md explains the measurements.
    """
    from engine.net.link import LinkSettings
    from engine.net.netlab.experiment import Experiment
    from engine.net.script import load_script

    with named(lambda field: f"--{field}"):
        link = LinkSettings(args.latency, args.jitter, args.loss, args.reorder, args.duplicate, args.bandwidth, args.stream)
    chosen = {"delay": args.delay, "rollback": args.rollback, "window": args.window_steps, "rate": args.rate}
    fields: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    script = None if args.script is None else load_script(args.script)
    scene, title = _shared_scene(args)
    with named(lambda field: f"--{field}"):
        experiment = Experiment(scene, title, args.clients, link, args.steps, args.seed, script=script, join_at=args.join_at, **fields)
    return _run(*_varied(experiment, args.method, args.sweep))


def _number(option: str, word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InvalidInputError(option, "a finite number after each =", word)
    return number


def _shared_scene(args: NetlabOptions) -> tuple[SharedScene, str]:
    """Return the scene to share, from which each side builds the demo, and its title."""
    from engine.net.scene import check_shareable, shared_scene

    kind = demo_or_file("SCENE", args.scene)
    values, own = demo_values(kind, args.settings or [], args.solver)
    make = partial(kind, args.seed, values, solver=args.solver, solver_settings=own)
    demo = make()
    with named("--solver", "solver"):
        check_shareable(demo)
    return shared_scene(demo), demo.title


def _varied(experiment: Experiment, method: str, swept: str | None) -> tuple[list[Experiment], str | None]:
    """Return one experiment per method and swept value, and the name of the swept parameter (None if there is no sweep)."""
    from engine.net.messages import METHODS
    from engine.net.netlab.experiment import SWEPT, sweep

    experiments = [replace(experiment, method=varied) for varied in options.listed("--method", method, METHODS)]
    if swept is None:
        return experiments, None
    name, equals, words = (word.strip() for word in swept.partition("="))
    if not equals or name not in SWEPT:
        raise InvalidInputError("--sweep", "NAME=LIST, where NAME is one of " + ", ".join(SWEPT), swept)
    values = [_number("--sweep", word) for word in words.split(",")]
    if len(values) > _MAX_SWEPT:
        raise InvalidInputError("--sweep", f"at most {_MAX_SWEPT} values", Described(str(len(values))))
    with named(lambda field: f"--sweep {name}"):
        return [varied for each in experiments for varied in sweep(each, name, values)], name


def _run(experiments: Sequence[Experiment], swept: str | None) -> Report:
    from engine.net.netlab import run

    results: list[ExperimentResult] = []
    n_steps = experiments[0].steps
    with progress("simulating", n_steps * len(experiments), "steps") as advance:
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
    return Report(_as_json(results), _parts(results, swept), status, interrupted=interrupted)


def _shifted(advance: Callable[[int], None], before: int) -> Callable[[int], None]:
    return lambda n_done: advance(before + n_done)


def _as_json(results: Sequence[ExperimentResult]) -> dict[str, Any]:
    """Return totals over all runs, and the result of each run."""
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
    yield Link(_about(results[0].experiment), "title")
    yield _runs_table(results, swept)
    if len(results) == 1:
        yield _clients_table(results[0])
    for result in results:
        yield from (Link(f"{result.experiment.method}: {problem}", "wrong") for problem in result.problems)
        yield from (f"dropped: {reason}" for reason in result.drops)


def _about(experiment: Experiment) -> str:
    """Return a one-line summary of an experiment with its title, clients, steps, seed and links."""
    link = ", ".join(f"{name} {value:g}" for name, value in asdict(experiment.link).items() if value) or "ideal"
    size = f"{counted(experiment.n_clients, 'client')}, {counted(experiment.steps, 'step')}"
    return f"{experiment.title}, {size}, seed {experiment.seed}; link: {link}"


def _swept_value(run: ExperimentResult, name: str) -> float:
    """Return a run's value of the swept parameter."""
    from engine.net.netlab.experiment import LINK_FIELDS, SWEPT

    return float(getattr(run.experiment.link if name in LINK_FIELDS else run.experiment, SWEPT[name]))


def _scaled(value: float | None, factor: float) -> Cell:
    return None if value is None else factor * value


def _runs_table(results: Sequence[ExperimentResult], swept: str | None) -> Table:
    """Return the table of medians, one row per run; traffic (both directions) and processor time are per client."""
    rows = [
        (
            run.experiment.method + (", server too" if run.experiment.rollback else ""),
            *([] if swept is None else [_swept_value(run, swept)]),
            f"{run.total('differing_steps')} of {run.total('compared_steps')}", run.acts, _scaled(run.own_act_shown.median, 1e3),
            _scaled(run.time_to_agree.median, 1e3), run.sizes.n, _scaled(run.sizes.median, 1e3), _scaled(run.sizes.max, 1e3),
            run.resimulated_per_step, _scaled(run.mean("stalled_share"), 100.0), run.bytes_per_s / 1e3, run.mean("ms_per_step"),
            run.server_ms_per_step,
        )
        for run in results
    ]  # fmt: skip
    heads = (
        "method", *((swept,) if swept else ()), "differ", "acts", "own action, ms", "agreed, ms", "corrections", "size, mm", "max, mm",
        "resim./step", "stalled, %", "kB/s", "ms per step", "server ms",
    )  # fmt: skip
    return Table("", heads, tuple(rows))


def _clients_table(run: ExperimentResult) -> Table:
    """Return the table of a run's clients, one row per client."""
    heads = (
        "client", "from step", "differ", "skipped", "corrections", "max, mm", "rollbacks", "resim.", "adopted", "up, B/s",
        "down, B/s", "ms per step",
    )  # fmt: skip
    rows = [
        (
            client.name, client.first_step, client.differing_steps, client.skipped_steps, client.corrections,
            _scaled(client.largest_correction, 1e3), client.rollbacks, client.resimulated_steps, client.adopted_keyframes,
            round(client.bytes_up_per_s), round(client.bytes_down_per_s), client.ms_per_step,
        )
        for client in run.clients
    ]  # fmt: skip
    return Table("", heads, tuple(rows))
