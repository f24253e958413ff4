"""The check without the compiler: its answers, its turns, its counts; and what is left when its process is not."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pygame
import pytest

from engine.app import plain_check
from engine.app.plain_check import PlainCheck
from engine.app.window import Window
from engine.compare.live.interpreted import answer
from engine.contracts import StepAgreement, StepContacts
from engine.demo import Demo
from engine.history.history import History, demo_hash
from tests.unit.app.hand import SIZE, Hand
from tests.waiting import PATIENCE, until

_ENVIRONMENT = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(Path(__file__).resolve().parents[3])}


class Answering(PlainCheck):
    """Answers at once, in this process; `asked` are the contacts of each question, by the place of their stage."""

    def __init__(self) -> None:
        super().__init__()
        self._thread.start()
        self.asked: list[list[tuple[int, int, int]]] = []

    def _run(self) -> None:
        """Leave the questions to `look`."""

    def look(self, stages: Any, has_stepped: bool) -> None:
        """Answer what was asked before."""
        while not self._questions.empty():
            question = self._questions.get()
            assert question is not None
            places = [stages.index(stage) if stage in stages else -1 for stage in self._asked]  # -1: of worlds that are no more
            parts = [contacts for _, contacts, _ in question]
            self.asked.append(
                [(k, *pair) for k, part in zip(places, parts, strict=True) for pair in zip(part.fixture_a, part.fixture_b, strict=True)]
            )
            self._answers.put([StepAgreement(len(part), len(part)) for part in parts])
        super().look(stages, has_stepped)


def test_it_says_what_the_compiled_check_says(twins: type[Demo], monkeypatch: pytest.MonkeyPatch) -> None:
    demo, check = twins(values={"discs": 5}), PlainCheck()
    questions: list[Any] = []
    put = check._questions.put
    monkeypatch.setattr(check, "_questions", _Watched(put, check._questions.get, questions))
    try:
        for _ in range(40):
            demo.sim.step()
        check.look(demo.stages, True)
        until(lambda: check.failure or not check._answers.empty())
        check.look(demo.stages, False)
    finally:
        check.close()
    assert check._process is not None and check._process.poll() is not None
    told = [stage.agreement for stage in demo.stages if stage.sampled.compared]
    compiled = answer(questions[0])
    assert [replace(one, max_point_error=0.0) for one in told] == [replace(one, max_point_error=0.0) for one in compiled]
    assert [one.max_point_error for one in told] == pytest.approx([one.max_point_error for one in compiled], abs=1e-12)
    assert sum(one.compared for one in told) == 5
    assert all(one.unexplained == 0 and one.max_point_error < 1e-5 for one in told)
    assert check.words.startswith("checking 0")  # what comes back while time stands still is no frame's


class _Watched:
    def __init__(self, put: Any, get: Any, seen: list[Any]) -> None:
        self._put, self.get, self._seen = put, get, seen

    def put(self, question: Any) -> None:
        self._seen.append(question)
        self._put(question)


def test_contacts_have_their_turns_over_all_worlds(drop: type[Demo]) -> None:
    class Two(drop):  # type: ignore[valid-type,misc]
        def build(self) -> None:
            super().build()
            super().build()

    demo, check = Two(values={"discs": 9}), Answering()
    for _ in range(30):
        demo.sim.step()
    for _ in range(10):
        demo.sim.step()
        check.look(demo.stages, True)
    assert [len(one) for one in check.asked] == [8] * 9
    seen = [contact for one in check.asked for contact in one]
    touching = {(k, a, b) for k in (0, 1) for a, b in _pairs(demo.stages[k].world.contacts)}
    assert len(touching) == 18 and {seen.count(contact) for contact in touching} == {4} and len(seen) == 4 * 18
    assert [stage.sampled.compared for stage in demo.stages] == [36, 36]
    assert check.words == "checking 7 of 18 pairs a frame without the compiler"  # nothing came back in the first of ten frames
    demo.restart()
    demo.sim.step()
    check.look(demo.stages, True)
    assert "no two that touch" in check.words and demo.stages[0].total == StepAgreement()


def _pairs(contacts: StepContacts) -> list[tuple[int, int]]:
    return list(zip(contacts.fixture_a.tolist(), contacts.fixture_b.tolist(), strict=True))


def test_nothing_of_it_is_in_the_past(drop: type[Demo]) -> None:
    hashes = []
    for check in (None, Answering()):
        history = History(drop())
        for _ in range(50):
            history.step()
            if check is not None:
                check.look(history.demo.stages, True)
        stage = history.demo.stages[0]
        if check is not None:
            compared = stage.sampled.compared
            assert compared > 5
            history.seek(3)
            assert stage.sampled.compared == compared, "what was compared was compared"
            history.seek(50)
        hashes.append((demo_hash(history.demo), history.divergence))
    assert hashes[0] == hashes[1] and hashes[0][1] is None


def test_the_panel_says_how_few_until_the_live_check_is_there(drop: type[Demo], referee: Any) -> None:
    window, check = Window(SIZE, (drop,), drop(values={"discs": 9})), Answering()
    hand = Hand(window)
    window.check.comes("our algorithms are being compiled", "compiling: 60 of about 210")
    window.plain = check
    session = window.session
    hand.frame(2)
    assert "being compiled" in window.check.words(session) and window.check.until(session) == "", "nothing touches yet"
    hand.frame(40)
    assert window.check.words(session) == ""
    assert window.check.until(session).endswith("of 9 pairs a frame without the compiler, until all can be (compiling: 60 of about 210)")
    n_asked = sum(map(len, check.asked))
    stage = session.demo.stages[0]
    assert stage.total.compared == n_asked > 20 and session.demo.agreement().compared == n_asked
    hand.key(pygame.K_SPACE)
    hand.frame(20)
    assert stage.total.compared <= n_asked + 8, "while time stands still there is nothing new to ask"
    hand.key(pygame.K_SPACE)
    hand.key(pygame.K_8)
    hand.frame(2)
    assert window.check.words(session) == "switched off (8)" or "being compiled" in window.check.words(session)
    hand.key(pygame.K_8)
    before = stage.total.compared
    window.use_referee(referee)
    hand.frame(2)
    assert window.check.words(session) == window.check.until(session) == ""
    assert stage.agreement.compared == 9 and stage.total.compared == before + stage.referee.total.compared  # type: ignore[union-attr]


def test_the_list_and_its_preview_ask_nothing(browser: Hand) -> None:
    check = PlainCheck()
    browser.window.plain = check
    browser.frame(90)
    assert check._thread.ident is None


@pytest.mark.parametrize("broken", ["raise SystemExit(1)", "print('hello', flush=True)", "import os; os.abort()"])
def test_where_its_process_ends_the_window_goes_on(broken: str, drop: type[Demo], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_check, "_SERVE", broken)
    demo, check = drop(), PlainCheck()
    for _ in range(40):
        demo.sim.step()
    check.look(demo.stages, True)
    until(lambda: check.failure)
    for _ in range(3):
        demo.sim.step()
        check.look(demo.stages, True)
    assert "without the compiler" in check.failure and check.words == ""
    check.close()


def test_where_no_process_can_be_started_the_window_goes_on(drop: type[Demo], monkeypatch: pytest.MonkeyPatch) -> None:

    def refuse(*arguments: Any, **named: Any) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(plain_check.subprocess, "Popen", refuse)
    demo, check = drop(), PlainCheck()
    for _ in range(40):
        demo.sim.step()
    check.look(demo.stages, True)
    assert until(lambda: check.failure).endswith("no more processes")
    check.close()


def test_closing_does_not_wait_for_an_answer(drop: type[Demo], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_check, "_SERVE", "import time; time.sleep(1e4)")
    demo, check = drop(), PlainCheck()
    for _ in range(40):
        demo.sim.step()
    check.look(demo.stages, True)
    until(lambda: check._process)
    check.close()
    assert check._process is not None and check._process.poll() is not None and not check._thread.is_alive()
    check.close()
    PlainCheck().close()


@pytest.mark.parametrize("said", [b"", b"\x80\x05\x95\xff"])
def test_its_process_ends_with_whoever_asks(said: bytes, tmp_path: Path) -> None:
    command = [sys.executable, "-c", plain_check._SERVE]
    ran = subprocess.run(command, cwd=tmp_path, env=_ENVIRONMENT, input=said, capture_output=True, timeout=PATIENCE, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


def test_a_contact_whose_fixture_has_died_is_not_asked_about(drop: type[Demo]) -> None:
    demo, check = drop(values={"discs": 2}), Answering()
    for _ in range(40):
        demo.sim.step()
    demo.stages[0].world.destroy_body(demo.discs[0])  # type: ignore[attr-defined]
    check.look(demo.stages, True)
    check.look(demo.stages, True)
    assert len(check.asked[0]) == 1
    assert np.all([demo.stages[0].world.is_fixture(fixture) for _, *pair in check.asked[0] for fixture in pair])
