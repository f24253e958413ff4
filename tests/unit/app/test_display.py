"""The check for a display does not wait for one that does not answer."""

import socket
import sys
import threading

import pytest

from engine.app import display
from engine.cli.options import check_display
from engine.common.errors import LabError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system always has a display")


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)


def test_no_variable_is_set():
    assert display.display_problem() == "neither DISPLAY nor WAYLAND_DISPLAY is set"
    assert display.display_problem() is not None


@pytest.mark.parametrize("driver", ["dummy", "offscreen"])
def test_a_driver_without_windows(driver, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("SDL_VIDEODRIVER", driver)
    assert display.display_problem() == f"SDL_VIDEODRIVER is {driver}"


@pytest.mark.parametrize("name", [":98765", "nonsense", "", "::::", "/no/such/socket", ":65536", "localhost:99999"])
def test_an_x_server_that_is_not_there(name, monkeypatch):
    monkeypatch.setenv("DISPLAY", name)
    assert display.display_problem() is not None


def test_a_wayland_server_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert display.display_problem() == f"no Wayland server answers at {tmp_path / 'wayland-0'}"


def test_a_silent_server_times_out(tmp_path, monkeypatch):
    monkeypatch.setattr(display, "_ANSWER_TIME", 0.1)
    path = tmp_path / "silent"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        monkeypatch.setenv("DISPLAY", str(path))
        assert "no X server answers" in str(display.display_problem())


def test_a_server_that_rejects_the_connection_is_not_a_display(tmp_path, monkeypatch):
    """It accepts the connection; then SDL is tried, and cannot open a window either."""
    path = tmp_path / "refusing"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()

        def refuse():
            connection, _ = server.accept()
            with connection:
                connection.recv(12)
                connection.sendall(bytes(8))

        thread = threading.Thread(target=refuse)
        thread.start()
        monkeypatch.setenv("DISPLAY", str(path))
        problem = display.display_problem()
        thread.join()
    assert problem.startswith("SDL ")


def test_the_check_keeps_its_connection_until_sdl_has_one(tmp_path, monkeypatch):
    """A bare X server resets when its last client leaves, and refuses the window that comes next."""
    path = tmp_path / "bare"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        answered, held = [], []

        def answer():
            connection, _ = server.accept()
            connection.sendall(bytes(8))
            connection.settimeout(0.1)
            answered.append(connection)

        def sdl_found():
            thread.join()
            (connection,) = answered
            assert connection.recv(12) != b""
            try:
                held.append(connection.recv(1))  # empty if the client has left
            except TimeoutError:
                held.append(None)
            return None, "x11"

        thread = threading.Thread(target=answer)
        thread.start()
        monkeypatch.setenv("DISPLAY", str(path))
        monkeypatch.setattr(display, "_sdl_found", sdl_found)
        assert display.display_problem() is None
        assert held == [None]
        answered[0].close()


def test_an_error_without_advice_ends_with_its_reason():
    with pytest.raises(LabError, match=r"\(neither DISPLAY nor WAYLAND_DISPLAY is set\)$"):
        check_display("")
