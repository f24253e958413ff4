"""The documentation as a site: links, players in place, rejected arguments; and in a real browser (issue 32)."""

import http.server
import re
import threading
from functools import partial
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

import pytest

from docs.pictures.strips import page_of
from docs.site import __main__ as site
from docs.site.players import stepper_page, write_players
from docs.site.sources import INSTEAD, PLAYERS, ROOT, all_pages, write_sources
from engine import trace
from engine.sim.registry import all_demos
from tests.chromium import PROGRAM, browser
from tests.waiting import until

pytestmark = pytest.mark.filterwarnings("ignore:.* is deprecated. Check CHANGES for Sphinx API modifications")  # MyST's calls

FRAME = re.compile(r'<iframe src="([^"]+)"')
LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.fixture(scope="module")
def sources():
    return write_sources(all_pages(), "https://code")


def _frames(text):
    return {PurePosixPath(player).stem for player in FRAME.findall(text)}


def _resolved(page, link):
    return Path("/", page).parent.joinpath(link).resolve().relative_to("/").as_posix()


def test_every_algorithm_is_on_its_page(sources):
    for name in trace.algorithms():
        page = page_of(trace.algorithm(name))[0].relative_to(ROOT).as_posix()
        assert name in _frames(sources.pages[page])


def test_every_demo_or_a_stepper_in_its_place_is_shown(sources):
    shown = {player for text in sources.pages.values() for player in _frames(text)} - {*trace.algorithms()}
    assert shown == sources.scenes == {demo.id for demo in all_demos()} - {*INSTEAD}
    assert {*INSTEAD.values()} <= _frames(sources.pages["docs/demos.md"])


def test_the_first_screen_plays_and_says_how_to_start(sources):
    before, _, after = sources.pages["index.md"].partition("<iframe")
    assert "## " not in before and "![" not in before
    assert "main.py</pre>" in after.partition("## ")[0]


def test_links_lead_to_pages_or_to_code(sources):
    for page, text in sources.pages.items():
        for link in LINK.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
            path = link.partition("#")[0]
            if link.startswith("https://code/"):
                assert (ROOT / path.removeprefix("https://code/")).exists(), link
            elif path and ":" not in path:
                assert _resolved(page, path) in sources.pages or (ROOT / _resolved(page, path)).suffix == ".png", (page, link)


def test_without_a_repository_links_to_code_are_text():
    text = write_sources([ROOT / "docs" / "algorithms" / "gjk.md"]).pages["docs/algorithms/gjk.md"]
    assert "_gjk_kernel.py." in text and "](../../" not in text


def test_the_player_of_a_page_is_written_where_its_frame_looks(tmp_path):
    made = write_sources([ROOT / "docs" / "algorithms" / "gjk.md"])
    written = []
    write_players(tmp_path / PLAYERS, made, None, 0.1, lambda: written.append(1))
    (frame,) = FRAME.findall(made.pages["docs/algorithms/gjk.md"])
    assert "</html>" in (tmp_path / _resolved("docs/algorithms/gjk.md", frame)).read_text(encoding="utf-8") and written == [1]


@pytest.mark.parametrize(("name", "words"), [("a_file", "a directory"), ("full", "an earlier site")])
def test_an_unusable_directory_is_rejected_in_one_line(name, words, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(site, "find_spec", lambda name: True)  # refused before Sphinx is needed
    (tmp_path / "a_file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    assert site.main([str(tmp_path / name)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: DIR must be ") and words in line
    assert (tmp_path / "full" / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("arguments", [[], ["a", "b"], ["--nonsense", "a"]])
def test_an_invalid_command_line_is_rejected_in_one_line(arguments, capsys):
    assert site.main(arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ") and "--help" in line


def test_missing_packages_are_named_with_the_command_that_installs_them(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(site, "find_spec", lambda name: None)
    assert site.main([str(tmp_path / "new")]) == 2
    assert capsys.readouterr().err == "error: sphinx is not installed: python -m pip install -r requirements-docs.txt\n"


class _Page(HTMLParser):
    """Link targets and anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.links += [values[name] for name in ("href", "src") if values.get(name)]
        self.anchors |= {values.get("id", ""), values.get("name", "") if tag == "a" else ""}


def _lost(folder):
    """Return the broken links of a site, and the number of all links."""
    pages = {path: _Page(path) for path in folder.rglob("*.html")}
    lost, n = [], 0
    for path, page in pages.items():
        for link in page.links:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            n += 1
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            anchors = pages[target].anchors if target in pages else {""}
            if not target.exists() or (address.fragment not in anchors and "players" not in target.parts):
                lost.append((path.name, link))
    return lost, n


@pytest.mark.slow
def test_a_page_can_be_rebuilt_in_place(tmp_path, capsys):
    pytest.importorskip("sphinx")
    folder = tmp_path / "site"
    pages = [ROOT / "docs" / "algorithms" / "gjk.md"]
    for _ in range(2):
        site.build(folder, pages=pages)
    assert "2 pages, 1 player" in capsys.readouterr().out
    assert (folder / "players" / "steppers" / "gjk.html").read_text(encoding="utf-8") == stepper_page("gjk").html
    lost, n = _lost(folder)
    assert lost == [] and n > 10
    (folder / "mine.txt").write_text("mine")
    assert site.main([str(folder)]) == 2


@pytest.fixture(scope="module")
def complete_site(tmp_path_factory):
    """The complete site, with short scenes."""
    pytest.importorskip("sphinx")
    folder = tmp_path_factory.mktemp("whole")
    site.build(folder, seconds=0.5)
    return folder


@pytest.mark.slow
def test_every_link_of_the_site_has_a_target(complete_site):
    lost, n = _lost(complete_site)
    assert lost == [] and n > 5_000


class _Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


@pytest.fixture
def address(complete_site):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(complete_site))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.mark.slow
@pytest.mark.skipif(PROGRAM is None, reason="neither Chromium nor Chrome is installed, in which the pages are opened")
def test_pages_are_opened_searched_and_played(address):
    inside = "document.querySelector('iframe').contentWindow"
    player = f"{inside}.document.querySelector('section').player"
    with browser() as tab:
        tab.look(1280, 720)
        for page, steps in (("docs/algorithms/gjk.html", True), ("docs/demos/bridge.html", False)):
            tab.call("Page.navigate", url=address + page)
            until(lambda: tab.run("document.readyState === 'complete' && document.querySelector('iframe') !== null"))
            tab.run("document.querySelector('iframe').scrollIntoView(), null")
            until(lambda: tab.run(f"{inside}?.document.documentElement?.dataset.ready === ''") or tab.messages)
            assert tab.run(f"{player}.scene.constructor.name") == ("StepScene" if steps else "RunScene")
            tab.run(f"{inside}.document.querySelector('[data-part=play]').click()")
            until(lambda: tab.run(f"{player}.time") > 0)
        tab.call("Page.navigate", url=address + "search.html?q=conservative+advancement")
        until(lambda: tab.run("[...document.querySelectorAll('.search li a')].some((link) => link.href.includes('time_of_impact'))"))
        assert tab.messages == []
