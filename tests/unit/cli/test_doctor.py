"""The doctor's report on other machines."""

import platform
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from engine.app import compiling
from engine.cli import doctor
from engine.cli.main import main
from engine.common import jit
from engine.common.errors import LabError
from engine.common.installation import BOX2D


def _installed(monkeypatch, **versions):
    real = metadata.version

    def version(name):
        key = name.replace("-", "_")
        if key not in versions:
            return real(name)
        number = versions[key]
        if number is None:
            raise metadata.PackageNotFoundError(name)
        return number

    monkeypatch.setattr(metadata, "version", version)


@pytest.mark.parametrize(
    ("twin", "version", "advice"), [("box2d_py", "2.3.8", f"box2d-py {BOX2D}"), ("pygame", "2.6.1", "pygame pygame-ce")]
)
def test_two_packages_in_one_folder_are_detected(twin, version, advice, monkeypatch):
    _installed(monkeypatch, **{twin: version})
    (finding,) = list(doctor._mixed())
    assert finding.state == "problem" and f"uninstall -y {advice}" in finding.advice
    assert ("RAND_LIMIT_swigconstant" in finding.advice) == (twin == "box2d_py")


def test_missing_and_other_versions_are_distinguished(monkeypatch):
    _installed(monkeypatch, **{BOX2D.replace("-", "_"): None}, numpy="1.26.4", mdurl="0.0.1")
    findings = {finding.what: finding for finding in doctor._packages()}
    assert findings[BOX2D].state == "problem"
    assert findings["numpy"].state == "note"
    assert findings["mdurl"].state == "note"
    assert "rich" not in findings and findings["packages"].found.endswith(" have the tested version")
    assert all("requirements.txt" in findings[name].advice for name in (BOX2D, "numpy", "mdurl"))


def test_a_python_without_wheels(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 15, 0, "final", 0))
    assert doctor._python().state == "problem"
    assert "3.11 to 3.14" in doctor._python().advice


def test_a_platform_without_wheels(monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert doctor._platform().state == "note"


@pytest.mark.parametrize(
    ("status", "stderr", "message"),
    [
        (0, "", "invalid output"),
        (-11, "", "SIGSEGV"),
        (1, "Traceback\nAttributeError: RAND_LIMIT_swigconstant\n", "RAND_LIMIT_swigconstant"),
        (3, "", "status 3"),
    ],
)
def test_a_box2d_that_crashes_its_interpreter(status, stderr, message, monkeypatch):
    monkeypatch.setattr(subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, status, "hello", stderr))
    (finding,) = list(doctor._box2d())
    assert finding.state == "problem"
    assert message in finding.found and "--force-reinstall" in finding.advice


def test_brackets_are_printed_unchanged(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "findings", lambda: iter([doctor.Finding("cache", "note", "in /tmp/[a]/b", "see [c]")]))
    assert main(["doctor"]) == 0
    printed = capsys.readouterr().out
    assert "in /tmp/[a]/b" in printed and "-> see [c]" in printed


@pytest.mark.parametrize(("n_each", "words"), [(2, "Compiled 4 functions in "), (0, "All functions were already compiled.")])
def test_everything_is_compiled_and_reported(n_each, words, monkeypatch):
    """What was compiled is counted by the compiler: files in the cache may be of the folder's former place, which Numba does not use."""
    monkeypatch.setattr(jit, "_writable_root", lambda: Path())
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    monkeypatch.setattr(compiling, "everything", lambda: ("one", "two"))
    monkeypatch.setattr(compiling, "run_part", lambda name: n_each)
    monkeypatch.setattr("engine.common.machine.n_cores", lambda: 1)
    assert doctor.compile_everything().startswith(words)


def test_a_kernel_that_cannot_be_compiled_is_reported_in_one_line(monkeypatch):
    def fail(name):
        raise OSError("disk full")

    monkeypatch.setattr(jit, "_writable_root", lambda: Path())
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    monkeypatch.setattr(compiling, "run_part", fail)
    monkeypatch.setattr("engine.common.machine.n_cores", lambda: 1)
    with pytest.raises(LabError, match="compiling fails: OSError: disk full"):
        doctor.compile_everything()
    monkeypatch.setattr(jit, "_writable_root", lambda: None)
    with pytest.raises(LabError, match="set NUMBA_CACHE_DIR"):
        doctor.compile_everything()
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    with pytest.raises(LabError, match="NUMBA_DISABLE_JIT"):
        doctor.compile_everything()
