"""``netlab``: a server and clients behind simulated links, hands that do anything, and whether all went through the same states."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli import options
from engine.cli.output import InterruptedRunError, check_files, people, print_rows, progress, warming, write_json
from engine.cli.report_folder import page_in, write_report
from engine.cli.run import demo_or_file, demo_values
from engine.common.errors import Described, InvalidInputError
from engine.common.words import counted

if TYPE_CHECKING:
    from rich.console import Console

    from engine.net.link import LinkSettings
    from engine.net.netlab.plan import Plan
    from engine.net.netlab.result import ExperimentResult

__all__ = ["netlab_command"]

_ALL = "all"
_MAX_SWEPT = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class NetlabOptions:
    """Options of ``netlab``."""

    scene: Annotated[str, typer.Argument(metavar="SCENE", help="Which demo (see the command list), or a scene file.", show_default=False)]
    clients: Annotated[int, typer.Option("--clients", metavar="N", help="How many, 1 to 64.")] = 4
    latency: Annotated[float, typer.Option("--latency", metavar="S", help="Seconds that a message takes each way.")] = 0.0
    jitter: Annotated[float, typer.Option("--jitter", metavar="S", help="By so many seconds it may take more, or less.")] = 0.0
    loss: Annotated[float, typer.Option("--loss", metavar="P", help="Share of messages that are lost.")] = 0.0
    reorder: Annotated[float, typer.Option("--reorder", metavar="P", help="Share of messages that may overtake others.")] = 0.0
    duplicate: Annotated[float, typer.Option("--duplicate", metavar="P", help="Share of messages that come twice.")] = 0.0
    bandwidth: Annotated[float, typer.Option("--bandwidth", metavar="B", help="Bytes a second each way of a client; 0: any.")] = 0.0
    stream: Annotated[bool, typer.Option("--stream", help="A link like TCP: what is lost comes later, and all behind it waits.")] = False
    down: Annotated[
        str | None, typer.Option("--down", metavar="NAME=VALUE,...", help="Where the way from the server differs: latency=0.3,loss=0.1.")
    ] = None
    steps: Annotated[int, typer.Option("--steps", metavar="N", help="Ticks that are played and compared.")] = 600
    seed: options.Seed = 0
    method: Annotated[
        str, typer.Option("--method", metavar="NAME", help="How clients keep up: prediction, interpolation, lockstep; or all.")
    ] = "prediction"
    solver: options.SolverName = None
    settings: options.Settings = None
    delay: Annotated[int | None, typer.Option("--delay", metavar="N", help="Ticks by which the server closes a tick after its time.")] = (
        None
    )
    window_steps: Annotated[
        int | None, typer.Option("--window-steps", metavar="N", help="Ticks that a client may be ahead, and can go back.")
    ] = None
    script: Annotated[str | None, typer.Option("--script", metavar="FILE", help="What the clients do, in place of random hands.")] = None
    rate: Annotated[float | None, typer.Option("--rate", metavar="R", help="Things that a random hand begins a second.")] = None
    join_at: Annotated[int | None, typer.Option("--join-at", metavar="STEP", help="The last client comes at this tick.")] = None
    sweep: Annotated[
        str | None, typer.Option("--sweep", metavar="NAME=LIST", help="Once for each value: latency=0,0.05,0.1; also of delay, clients...")
    ] = None
    report: Annotated[str | None, typer.Option("--report", metavar="DIR", help="Write a page with tables and plots.")] = None
    json_file: options.JsonFile = None


@options.takes_options
def netlab_command(args: NetlabOptions) -> int:
    """Share a world among a server and clients behind simulated links, and compare the states of every tick.

    Server and clients run in this process, in simulated time: as fast as the machine goes, and the same every time. Every client acts at
    random, or by a script. Status 1 if a step of a client ended in another state than the server's, or a client never came to know it.
    docs/network.md explains what is measured.
    """
    from engine.app.files import check_directory
    from engine.net.link import LinkSettings
    from engine.net.netlab.plan import Plan
    from engine.net.script import load_script

    with options.named(lambda field: f"--{field}"):
        up = LinkSettings(args.latency, args.jitter, args.loss, args.reorder, args.duplicate, args.bandwidth, args.stream)
    back = up if args.down is None else _way_down(up, args.down)
    if args.report is not None:
        check_directory("--report", args.report)
    check_files({"--script": args.script}, {"--json": args.json_file, "--report": page_in(args.report)})
    options.left_out("left out with --script", {"--rate": args.rate if args.script is not None else None})
    chosen = {"delay": args.delay, "window": args.window_steps, "rate": args.rate}
    fields: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    with options.named(lambda field: f"--{field}"):
        plan = Plan({}, "", args.clients, up, back, steps=args.steps, seed=args.seed, join_at=args.join_at, **fields)
    acts = None if args.script is None else load_script(args.script)
    made, title = _scene_of(args.scene, plan.seed, args.solver, args.settings or [])
    plan = replace(plan, scene=made, title=title, script=acts)
    return _run(
        _plans(plan, args.method, args.sweep),
        None if args.sweep is None else args.sweep.partition("=")[0].strip(),
        args.report,
        args.json_file,
    )


def _way_down(up: LinkSettings, given: str) -> LinkSettings:
    from engine.net.netlab.plan import LINK_FIELDS

    changes = {}
    for part in given.split(","):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals or name not in LINK_FIELDS:
            raise InvalidInputError("--down", "NAME=VALUE,..., NAME one of " + ", ".join(LINK_FIELDS), part)
        changes[name] = _number("--down", value)
    with options.named(lambda field: f"--down {field}"):
        return replace(up, **changes)  # type: ignore[arg-type]


def _number(option: str, word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InvalidInputError(option, "a finite number behind each =", word)
    return number


def _scene_of(scene: str, seed: int, solver: str | None, settings: list[str]) -> tuple[dict[str, Any], str]:
    """Return how the demo is made, and its title."""
    from engine.net.scene import check_shareable, scene_of

    kind = demo_or_file("SCENE", scene)
    values, own = demo_values(kind, settings, solver)
    with warming():
        demo = kind(seed, values, solver=solver, solver_settings=own)
        check_shareable(demo)
        options.prepare_solvers(*demo.sim.solvers)
        demo = kind(seed, values, solver=solver, solver_settings=own)
    return scene_of(demo), demo.title


def _plans(plan: Plan, method: str, sweep: str | None) -> list[Plan]:
    """Return the plan once for each method and value."""
    from engine.net.messages import METHODS
    from engine.net.netlab.plan import SWEPT, swept

    plans = [replace(plan, method=varied) for varied in options.listed("--method", method, METHODS)]
    if sweep is None:
        return plans
    name, equals, words = (word.strip() for word in sweep.partition("="))
    if not equals or name not in SWEPT:
        raise InvalidInputError("--sweep", "NAME=LIST, NAME one of " + ", ".join(SWEPT), sweep)
    values = [_number("--sweep", word) for word in words.split(",")]
    if len(values) > _MAX_SWEPT:
        raise InvalidInputError("--sweep", f"at most {_MAX_SWEPT} values", Described(str(len(values))))
    with options.named(lambda field: f"--sweep {name}"):
        return [varied for each in plans for varied in swept(each, name, values)]


def _run(plans: list[Plan], swept: str | None, report: str | None, json_file: str | None) -> int:
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
    if findings:
        _tell(findings, swept, is_whole, report, json_file)
    if not is_whole:
        raise InterruptedRunError(f"interrupted after {counted(findings[-1].steps if findings else 0, 'step')}")
    return 1 if any(finding.problems for finding in findings) else 0


def _shifted(advance: Callable[[int], None], before: int) -> Callable[[int], None]:
    return lambda n_done: advance(before + n_done)


def _tell(findings: list[ExperimentResult], swept: str | None, is_whole: bool, report: str | None, json_file: str | None) -> None:
    """Print, and write what is to be written."""
    result = _as_json(findings)
    write_json(json_file, result if is_whole else {**result, "interrupted": True})
    console = people(json_file)
    _print(console, findings, swept)
    if report is not None:
        from engine.cli.netlab_page import netlab_report

        page, files = netlab_report(findings, swept, is_whole)
        console.print(f"report: {write_report(report, page, {}, files)}", markup=False, soft_wrap=True)


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


def _print(console: Console, findings: Sequence[ExperimentResult], swept: str | None) -> None:
    from engine.cli.netlab_page import runs_table

    first = findings[0].plan
    console.print(f"[bold]{first.title}[/bold], {counted(first.n_clients, 'client')}, {counted(first.steps, 'step')}, seed {first.seed}")
    if len(findings) == 1:
        _print_one(console, findings[0])
    else:
        console.print(runs_table(findings, swept).as_rich())
    for finding in findings:
        for problem in finding.problems:
            console.print(f"{finding.plan.method}: {problem}", style="bold red", markup=False)


def _print_one(console: Console, finding: ExperimentResult) -> None:
    from engine.cli.netlab_page import link_words, milliseconds, spread_words

    plan = finding.plan
    moved = "" if finding.restamped_share is None else f", {100.0 * finding.restamped_share:.1f} % of them too late for their tick"
    n_skipped = finding.total("skipped_steps")
    skipped = f"; {n_skipped:,} skipped by clients that were too far behind, and took the server's state" if n_skipped else ""
    corrections = f"{finding.correction.n:,}"
    if finding.correction.n:
        corrections += (
            f", {spread_words(finding.correction, 1e3, 'mm')}; known late by {spread_words(finding.correction_age, 1.0, 'ticks')}"
        )
    up = sum(client.bytes_up_per_s for client in finding.clients) / len(finding.clients)
    down = sum(client.bytes_down_per_s for client in finding.clients) / len(finding.clients)
    rows = [
        ("method", plan.method),
        ("link", link_words(plan)),
        ("differ", f"{finding.differing_steps} of {finding.total('compared_steps'):,} states, compared with the server's{skipped}"),
        ("acts", f"{finding.acts:,}{moved}"),
        ("shown", f"one's own act after {spread_words(finding.own_act_shown, 1e3, 'ms')}"),
        ("agreed", f"everywhere after {spread_words(finding.time_to_agree, 1e3, 'ms')}"),
        ("corrected", corrections),
        (
            "again",
            f"{finding.total('resimulated_steps'):,} steps in {finding.total('rollbacks'):,} rollbacks, "
            f"{finding.again_per_step:.2g} a step",
        ),
        (
            "stalled",
            "-"
            if finding.stalled_share is None
            else f"{100.0 * finding.stalled_share:.1f} % of the frames: a tick was due and not known enough of",
        ),
        ("adopted", counted(finding.total("adopted_keyframes"), "keyframe")),
        ("bytes", f"{up:,.0f} a second to the server, {down:,.0f} from it, for each client"),
        ("clock", f"off by {spread_words(finding.clock_error, 1e3, 'ms')}"),
        (
            "cost",
            f"{milliseconds(finding.server_ms_per_step)} of processor time a step for the server, "
            f"{milliseconds(_client_ms(finding))} for a client",
        ),
        *(("dropped", words) for words in finding.drops),
    ]
    print_rows(console, rows)


def _client_ms(finding: ExperimentResult) -> float | None:
    costs = [client.ms_per_step for client in finding.clients if client.ms_per_step is not None]
    return sum(costs) / len(costs) if costs else None
