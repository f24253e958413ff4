"""Machine code is kept beside the sources, or, if nothing can be written there, in the user's own cache."""

import pytest

from engine.common import jit


@pytest.fixture(autouse=True)
def nothing_is_remembered(monkeypatch):
    monkeypatch.setattr(jit, "_root", jit._root.__wrapped__)
    monkeypatch.setattr(jit, "_writable_root", jit._writable_root.__wrapped__)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)


def test_beside_the_sources(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    assert jit.cache_folder() == tmp_path / "__pycache__" / "kernels" and jit.can_keep()
    assert list(jit.cache_folder().iterdir()) == []


def test_at_home_where_the_sources_are_another_users(tmp_path, monkeypatch):
    sealed = tmp_path / "engine"
    sealed.write_text("a file, in which no folder can be made, by root neither", encoding="utf-8")
    monkeypatch.setattr(jit, "_PACKAGE", sealed)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert jit.cache_folder() == tmp_path / "cache" / "collision-laboratory" / "kernels" and jit.can_keep()
    monkeypatch.setenv("XDG_CACHE_HOME", str(sealed))
    assert not jit.can_keep()


def test_where_the_user_says(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert jit.cache_folder() == tmp_path / "kernels"
