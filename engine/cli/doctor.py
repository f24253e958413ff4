"""``doctor``: check the environment and advise on how to fix problems."""

from __future__ import annotations

import json
import os
import platform
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from engine.cli.options import JsonFile, command, option
from engine.cli.output import people, print_part, progress, waiting
from engine.common.errors import LabError
from engine.common.installation import BOX2D, CORE, ENGINES, INSTALL, INSTALL_ENGINES, LAB, PYTHON, is_checkout
from engine.common.jit import cache_folder, can_keep, is_compiling
from engine.common.words import counted
from engine.report import Cell, Link, Report, Table

__all__ = ["Finding", "doctor_command", "findings"]

_ROOT = Path(__file__).resolve().parents[2]
_WHEELS = {("Linux", "x86_64"), ("Windows", "AMD64"), ("Darwin", "arm64")}
_PYTHONS = ((3, 11), (3, 14))
_PROBE_TIME = 120.0
"""Maximum duration of a probe, seconds; enough to compile its kernels on a slow machine."""
_REINSTALL = f"{PYTHON} -m pip install --force-reinstall --no-deps " + ("-r requirements.txt" if is_checkout() else BOX2D)
_READER_HELP = (
    "no action needed: the public interface gives the same results, only more slowly; demos with joints rewind by replaying from the start"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One row of the report. `state` is "ok", "note" (the program runs with limitations) or "problem" (it cannot run)."""

    what: str
    state: str
    found: str
    advice: str = ""


def findings() -> Iterator[Finding]:
    """Yield the results of all checks. Nothing is modified; Box2D is loaded in a subprocess, because a broken build may crash."""
    yield _python()
    yield _platform()
    yield from _packages()
    yield from _mixed()
    yield from _box2d()
    yield from _engines()
    yield from _sdl()
    yield _display()
    yield from _numba()


@dataclass(frozen=True, kw_only=True)
class DoctorOptions:
    """Options of ``doctor``."""

    compile: bool = option("", "Compile all kernels first, with one process per core.", False)
    json: JsonFile = None


@command
def doctor_command(args: DoctorOptions) -> Report:
    """Check the environment and print advice for each problem. The status is 1 if the program cannot run."""
    if args.compile:
        print_part(people(args.json), compile_everything())
    with waiting("checking"):
        lines = list(findings())
    kinds = {"ok": "right", "note": "note", "problem": "wrong"}
    rows: list[tuple[Cell, ...]] = []
    for finding in lines:
        kind = kinds[finding.state]
        rows.append((Link(finding.state, kind), finding.what, finding.found))
        if finding.advice:
            rows.append((Link(""), "", Link(f"-> {finding.advice}", kind)))
    problems = sum(finding.state == "problem" for finding in lines)
    plain = {"healthy": problems == 0, "findings": [asdict(finding) for finding in lines]}
    verdict = f"{counted(problems, 'problem')}: the program cannot run." if problems else "The program can run."
    return Report(plain, (Table("", ("", "what", "found"), tuple(rows), (0, 1, 2)), verdict), int(problems > 0))


def compile_everything() -> str:
    """Compile all kernels with a progress bar; return a summary.

    Raises
    ------
    LabError
        A part cannot be compiled, or there is no writable cache folder.
    """
    from engine.app.compiling import everything, run_part
    from engine.common.machine import n_cores
    from engine.compare.processes.workers import run_tasks

    if not is_compiling():
        raise LabError("compilation is disabled because NUMBA_DISABLE_JIT is set; unset it")
    if not can_keep():
        raise LabError("compiled code cannot be cached here: set NUMBA_CACHE_DIR to a writable folder")
    names, n_processes = everything(), n_cores()
    n_compiled, began = 0, time.monotonic()
    with progress("compiling", len(names)) as advance:
        try:
            for n_new in run_tasks(run_part, names, n_processes):
                n_compiled += n_new
                advance()
        except Exception as error:
            raise LabError(f"compiling fails: {type(error).__name__}: {error}") from error
    if n_compiled == 0:
        return "All functions were already compiled."
    by = counted(n_processes, "process", "processes")
    return f"Compiled {counted(n_compiled, 'function')} in {time.monotonic() - began:.0f} s, by {by}."


def _python() -> Finding:
    version, bits = sys.version_info[:2], 8 * struct.calcsize("P")
    text = f"{platform.python_implementation()} {platform.python_version()}, {bits} bits"
    low, high = (".".join(map(str, version)) for version in _PYTHONS)
    if not _PYTHONS[0] <= version <= _PYTHONS[1] or bits != 64 or platform.python_implementation() != "CPython":
        return Finding("Python", "problem", text, f"use 64-bit CPython {low} to {high}, for which the libraries have wheels")
    return Finding("Python", "ok", text)


def _platform() -> Finding:
    system, machine = platform.system(), platform.machine()
    text = f"{system} {platform.release()}, {machine}, {counted(os.cpu_count() or 1, 'core')}"
    if (system, machine) not in _WHEELS:
        return Finding(
            "platform", "note", text, "PyPI has no Box2D wheel for this platform: pip needs SWIG and a C++ compiler to build one"
        )
    return Finding("platform", "ok", text)


def _installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _packages() -> Iterator[Finding]:
    """Compare installed package versions with the tested ones; without a checkout, only check that the packages are installed."""
    pins = dict.fromkeys([*CORE.values(), *LAB.values()], "")
    if is_checkout():
        lines = (_ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
        pinned = [Requirement(line) for line in lines if line and not line.startswith("#")]
        pins = {line.name: str(line.specifier)[2:] for line in pinned if line.marker is None or line.marker.evaluate()}
    n_good = 0
    for name, pin in pins.items():
        version = _installed(name)
        if version is None:
            yield Finding(name, "problem", "not installed", f"{INSTALL}  (requires {pin})" if pin else INSTALL)
        elif pin and version != pin:
            yield Finding(name, "note", version, f"tested with {pin}: {INSTALL}")
        else:
            n_good += 1
    yield Finding("packages", "ok", f"{n_good} of {len(pins)} have the tested version")


def _mixed() -> Iterator[Finding]:
    """Detect distributions that install into the same folder, where they overwrite each other and uninstalling one breaks the other."""
    box2ds = tuple(name for name in ("Box2D", "ufal-pybox2d", "box2d-py", "box2d-kengz", "pybox2d") if name != BOX2D)
    for folder, needed, others, symptom in (
        ("Box2D", BOX2D, box2ds, "AttributeError: ... RAND_LIMIT_swigconstant"),
        ("pygame", "pygame-ce", ("pygame",), "missing names such as fblits"),
    ):
        present = [name for name in others if _installed(name) is not None]
        if present:
            names = " ".join([*present, needed])
            advice = f"{PYTHON} -m pip uninstall -y {names}, then {INSTALL}  (symptom: {symptom})"
            yield Finding(f"import {folder}", "problem", f"{' and '.join([needed, *present])} install into the same folder", advice)


def box2d_probe() -> dict[str, Any]:
    """Drop a disc on a floor in a Box2D world and test the memory reader; return the results."""
    from engine.geometry import Circle, Polygon
    from engine.world import BodySpec, FixtureSpec, World, load_solver

    world = World()
    world.create_body(BodySpec((FixtureSpec(Polygon.box(5.0, 0.5)),), type="static", position=(0.0, -0.5)))
    disc = world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), position=(0.0, 1.0)))
    touched = sum(len(world.step().began) for _ in range(60))
    height = world.state(disc).position[1]
    solver = load_solver("box2d")
    fell_well = touched == 1 and abs(height - 0.5) < 0.02
    return {"fell_well": fell_well, "height": height, "memory_problem": solver.prepare(), "engine": solver.capabilities.version}


def _probed() -> tuple[Any, str]:
    """Call `box2d_probe` in a subprocess, because a broken Box2D may crash it; return (result, "") or (None, problem)."""
    code = "import json; from engine.cli import doctor; print(json.dumps(doctor.box2d_probe()))"
    try:
        ran = subprocess.run([sys.executable, "-c", code], cwd=_ROOT, capture_output=True, text=True, timeout=_PROBE_TIME, check=False)
        if ran.returncode == 0:
            return json.loads(ran.stdout), ""
    except subprocess.TimeoutExpired:
        return None, f"no answer in {_PROBE_TIME:.0f} s"
    except (OSError, ValueError) as error:
        return None, f"the test printed invalid output ({error})"
    ending = f"the interpreter was killed by {signal.Signals(-ran.returncode).name}" if ran.returncode < 0 else f"status {ran.returncode}"
    return None, (ran.stderr.strip().splitlines() or [ending])[-1]


def _box2d() -> Iterator[Finding]:
    answer, problem = _probed()
    if answer is not None and not answer["fell_well"]:
        problem = f"a disc dropped on a floor rests at a height of {answer['height']:.4g} m instead of 0.5 m"
    if problem:
        yield Finding("Box2D works", "problem", problem, _REINSTALL)
    else:
        yield Finding("Box2D works", "ok", f"a dropped disc comes to rest on the floor; the wheel contains Box2D {answer['engine']}")
    if answer is not None and answer["memory_problem"] is None:
        yield Finding("memory reader", "ok", "reads contacts directly from Box2D's memory; matches the public interface")
    elif answer is not None:
        yield Finding("memory reader", "note", answer["memory_problem"], _READER_HELP)


def _engines() -> Iterator[Finding]:
    """List the other engines that can simulate worlds; none is needed."""
    for distribution in ENGINES.values():
        version = _installed(distribution)
        if version is None:
            yield Finding(distribution, "note", "not installed; the laboratory runs without it", INSTALL_ENGINES)
        else:
            yield Finding(distribution, "ok", f"{version}; as a solver, it rewinds by repeating the run from the beginning")


def _sdl() -> Iterator[Finding]:
    from engine.app.display import NotPygameCeError, sdl_version

    try:
        yield Finding("SDL", "ok", sdl_version())
    except ImportError as error:
        yield Finding("SDL", "problem", str(error), INSTALL)
    except NotPygameCeError as error:
        yield Finding("SDL", "problem", str(error), f"{PYTHON} -m pip uninstall -y pygame pygame-ce, then {INSTALL}")


def _display() -> Finding:
    from engine.app.display import display_found

    problem, driver = display_found()
    if problem is None:
        return Finding("display", "ok", "a window can be opened" + (f", with SDL driver {driver}" if driver else ""))
    advice = "the tour and run --headless need no display; to open a window, run the program on a desktop"
    return Finding("display", "note", f"none: {problem}", advice)


def _numba() -> Iterator[Finding]:
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        yield Finding("numba", "note", "NUMBA_DISABLE_JIT is set", "unset it: without compilation everything is much slower")
    if not can_keep():
        advice = "set NUMBA_CACHE_DIR to a writable folder; otherwise the kernels are compiled at every start"
        yield Finding("numba cache", "note", f"{cache_folder()} is not writable", advice)
        return
    words = f"each function is compiled at its first call, and kept in {cache_folder()}; `doctor --compile` compiles all of them now"
    yield Finding("numba cache", "ok", words)
