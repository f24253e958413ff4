"""``netlab``: a server and clients behind simulated links, hands that do anything, and whether all went through the same states."""

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
    from engine.net.netlab.plan import Plan
    from engine.net.netlab.result import ExperimentResult

__all__ = ["netlab_command"]

_MAX_SWEPT = 50


@dataclass(frozen=True, kw_only=True)
class NetlabOptions:
    """Options of ``netlab``."""

    scene: str = argument("SCENE", "Which demo (see the command list), or a scene file.", reads=True)
    clients: int = option("N", "How many, 1 to 64.", 4)
    latency: float = option("S", "Seconds that a message takes each way.", 0.0)
    jitter: float = option("S", "By so many seconds it may take more, or less.", 0.0)
    loss: float = option("P", "Share of messages that are lost.", 0.0)
    reorder: float = option("P", "Share of messages that may overtake others.", 0.0)
    duplicate: float = option("P", "Share of messages that come twice.", 0.0)
    bandwidth: float = option("B", "Bytes a second each way of a client; 0: any.", 0.0)
    stream: bool = option("", "A link like TCP: what is lost comes later, and all behind it waits.", False)
    down: str | None = option("NAME=VALUE,...", "Where the way from the server differs: latency=0.3,loss=0.1.")
    steps: int = option("N", "Ticks that are played and compared.", 600)
    seed: options.Seed = 0
    method: str = option("NAME", "How clients keep up: prediction, interpolation, lockstep; or all.", "prediction")
    solver: options.SolverName = None
    settings: options.Settings = None
    delay: int | None = option("N", "Ticks by which the server closes a tick after its time.")
    window_steps: int | None = option("N", "Ticks that a client may be ahead, and can go back.")
    script: str | None = option("FILE", "What the clients do, in place of random hands.", reads=True, excludes=("rate",))
    rate: float | None = option("R", "Things that a random hand begins a second.")
    join_at: int | None = option("STEP", "The last client comes at this tick.")
    sweep: str | None = option("NAME=LIST", "Once for each value: latency=0,0.05,0.1; also of delay, clients...")
    report: options.ReportFolder = None
    json: options.JsonFile = None


@options.command
def netlab_command(args: NetlabOptions) -> Report:
    """Share a world among a server and clients behind simulated links, and compare the states of every tick.

    Server and clients run in this process, in simulated time: as fast as the machine goes, and the same every time. Every client acts at
    random, or by a script. Status 1 if a step of a client ended in another state than the server's, or a client never came to know it.
    docs/network.md explains what is measured.
    """
    from engine.net.link import LinkSettings
    from engine.net.netlab.plan import LINK_FIELDS, Plan
    from engine.net.script import load_script

    with named(lambda field: f"--{field}"):
        up = LinkSettings(args.latency, args.jitter, args.loss, args.reorder, args.duplicate, args.bandwidth, args.stream)
    with named(lambda field: f"--down {field}"):
        down = replace(up, **(_changes(args.down, LINK_FIELDS) if args.down is not None else {}))
    chosen = {"delay": args.delay, "window": args.window_steps, "rate": args.rate}
    fields: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    with named(lambda field: f"--{field}"):
        plan = Plan({}, "", args.clients, up, down, steps=args.steps, seed=args.seed, join_at=args.join_at, **fields)
    acts = None if args.script is None else load_script(args.script)
    made, title = _scene_of(args)
    plans, swept = _plans(replace(plan, scene=made, title=title, script=acts), args.method, args.sweep)
    return _run(plans, swept)


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


def _scene_of(args: NetlabOptions) -> tuple[dict[str, Any], str]:
    """Return how the demo is made, and its title."""
    from engine.net.scene import check_shareable, scene_of

    kind = demo_or_file("SCENE", args.scene)
    values, own = demo_values(kind, args.settings or [], args.solver)
    make = partial(kind, args.seed, values, solver=args.solver, solver_settings=own)
    with warming():
        demo = make()
        check_shareable(demo)
        options.prepare_solvers(*demo.sim.solvers)
        demo = make()
    return scene_of(demo), demo.title


def _plans(plan: Plan, method: str, sweep: str | None) -> tuple[list[Plan], str | None]:
    """Return the plan once for each method and value, and what is swept."""
    from engine.net.messages import METHODS
    from engine.net.netlab.plan import SWEPT, swept

    plans = [replace(plan, method=varied) for varied in options.listed("--method", method, METHODS)]
    if sweep is None:
        return plans, None
    name, equals, words = (word.strip() for word in sweep.partition("="))
    if not equals or name not in SWEPT:
        raise InvalidInputError("--sweep", "NAME=LIST, NAME one of " + ", ".join(SWEPT), sweep)
    values = [_number("--sweep", word) for word in words.split(",")]
    if len(values) > _MAX_SWEPT:
        raise InvalidInputError("--sweep", f"at most {_MAX_SWEPT} values", Described(str(len(values))))
    with named(lambda field: f"--sweep {name}"):
        return [varied for each in plans for varied in swept(each, name, values)], name


def _run(plans: Sequence[Plan], swept: str | None) -> Report:
    from engine.cli.netlab_page import netlab_page
    from engine.net.netlab.experiment import run_experiment

    findings: list[ExperimentResult] = []
    n_steps = plans[0].steps
    with progress("playing", n_steps * len(plans), "steps") as advance:
        for plan in plans:
            try:
                findings.append(run_experiment(plan, _shifted(advance, n_steps * len(findings))))
            except KeyboardInterrupt:
                break
            if not findings[-1].is_whole:
                break
    is_whole = len(findings) == len(plans) and findings[-1].is_whole
    interrupted = "" if is_whole else f"interrupted after {counted(findings[-1].steps if findings else 0, 'step')}"
    if not findings:
        return Report({}, interrupted=interrupted)
    status = int(any(finding.problems for finding in findings))
    return Report(_as_json(findings), _parts(findings, swept), status, partial(netlab_page, findings, swept), interrupted)


def _shifted(advance: Callable[[int], None], before: int) -> Callable[[int], None]:
    return lambda n_done: advance(before + n_done)


def _as_json(findings: Sequence[ExperimentResult]) -> dict[str, Any]:
    """Return what all runs come to, and each of them."""
    first = findings[0]
    counts = ("differing_steps", "rollbacks", "resimulated_steps", "adopted_keyframes")
    return {
        "demo": first.plan.title,
        "seed": first.plan.seed,
        "clients": max(finding.plan.n_clients for finding in findings),
        "steps": sum(finding.steps for finding in findings),
        **{name: sum(finding.total(name) for finding in findings) for name in counts},
        "bytes_per_s": sum(finding.bytes_per_s for finding in findings) / len(findings),
        "agree": not any(finding.problems for finding in findings),
        "runs": [finding.as_json() for finding in findings],
    }


def _parts(findings: Sequence[ExperimentResult], swept: str | None) -> Iterator[Part]:
    from engine.cli.netlab_page import about, clients_table, runs_table

    yield Link(about(findings[0].plan), "title")
    yield runs_table(findings, swept)
    if len(findings) == 1:
        yield clients_table(findings[0])
    for finding in findings:
        yield from (Link(f"{finding.plan.method}: {problem}", "wrong") for problem in finding.problems)
        yield from (f"dropped: {words}" for words in finding.drops)
