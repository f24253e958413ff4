"""Files are checked before a run, and written completely or not at all."""

import os
import signal
import sys
from pathlib import Path

import pytest

from engine.app.files import writing
from engine.common.errors import InvalidInputError
from engine.common.files import write_atomically


def test_a_file_is_written_and_nothing_else_is_left(tmp_path):
    target = tmp_path / "result.json"
    assert writing.check_writable("--json", target) == target
    assert list(tmp_path.iterdir()) == []
    write_atomically(target, b"one")
    write_atomically(target, b"two")
    assert target.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("name", ["", ".", "folder/", "missing/result.json", "file/result.json", "nul\0l", "x" * 300])
def test_an_unwritable_file_is_rejected_by_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InvalidInputError, match=r"^--json must be "):
        writing.check_writable("--json", name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_a_wrong_extension_is_rejected(tmp_path):
    with pytest.raises(InvalidInputError, match=r"ends in \.png"):
        writing.check_writable("--screenshot", tmp_path / "picture.jpg", (".png",))


def test_a_folder_without_permission_is_rejected(tmp_path, monkeypatch):
    """Permissions do not restrict root, so the system's error is simulated."""

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(writing.tempfile, "TemporaryFile", refuse)
    with pytest.raises(InvalidInputError, match="Permission denied"):
        writing.check_writable("--json", tmp_path / "result.json")
    with pytest.raises(InvalidInputError, match="Permission denied"):
        writing.check_directory("out", tmp_path)


def test_a_write_that_fails_keeps_the_file_that_was_there(tmp_path, monkeypatch):
    target = tmp_path / "result.json"
    target.write_bytes(b"before")

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(target, b"after")
    assert target.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_keeps_its_target(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"before")
    link.symlink_to(real)
    write_atomically(writing.check_writable("--json", link), b"after")
    assert link.is_symlink()
    assert real.read_bytes() == b"after"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such device there")
def test_a_device_is_written_to_and_not_replaced():
    write_atomically(writing.check_writable("--json", "/dev/null"), b"gone")
    assert not Path("/dev/null").is_file()


def test_a_directory_is_made(tmp_path):
    made = writing.check_directory("out", tmp_path / "a" / "b")
    assert made.is_dir()
    assert list(made.iterdir()) == []
    (tmp_path / "file").write_bytes(b"")
    for name in ("file", "file/below", ""):
        with pytest.raises(InvalidInputError, match=r"^out must be "):
            writing.check_directory("out", tmp_path / name if name else "")


def test_checking_whether_a_file_is_writable_leaves_nothing(tmp_path, monkeypatch):
    """Issue 29: a command killed during its preparation left a ``.part`` file behind."""

    def ended(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "unlink", ended)
    writing.check_writable("--json", tmp_path / "found.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_ctrl_c_waits_until_a_file_is_written(tmp_path, monkeypatch):
    usual = os.replace

    def interrupted(*names):
        signal.raise_signal(signal.SIGINT)
        usual(*names)

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "found.json", b"{}")
    assert [path.name for path in tmp_path.iterdir()] == ["found.json"]
