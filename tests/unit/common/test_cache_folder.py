"""Machine code is cached next to the sources, or in the user's cache if that folder is not writable."""

import pytest

from engine.common import jit


@pytest.fixture(autouse=True)
def nothing_is_remembered(monkeypatch):
    monkeypatch.setattr(jit, "_root", jit._root.__wrapped__)
    monkeypatch.setattr(jit, "_writable_root", jit._writable_root.__wrapped__)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)


def test_next_to_the_sources(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    assert jit.cache_folder() == tmp_path / "__pycache__" / "kernels" and jit.can_keep()
    assert list(jit.cache_folder().iterdir()) == []


def test_in_the_home_folder_if_another_user_owns_the_sources(tmp_path, monkeypatch):
    sealed = tmp_path / "engine"
    sealed.write_text("a file, in which no folder can be made, by root neither", encoding="utf-8")
    monkeypatch.setattr(jit, "_PACKAGE", sealed)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert jit.cache_folder() == tmp_path / "cache" / "collision-laboratory" / "kernels" and jit.can_keep()
    monkeypatch.setenv("XDG_CACHE_HOME", str(sealed))
    assert not jit.can_keep()


def test_in_the_folder_that_the_user_sets(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert jit.cache_folder() == tmp_path / "kernels"
