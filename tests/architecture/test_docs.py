"""The pages: every link leads to a file, every named test exists, and every algorithm's or topic's page is in its index with a picture."""

import pkgutil
import re
from pathlib import Path

import pytest

from engine.dynamics.solver import solver_of
from engine.experiments.studies import STUDIES

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ALGORITHMS = sorted(path for path in (DOCS / "algorithms").glob("*.md") if path.name != "README.md")
DRAWN = {path.stem for path in (DOCS / "pictures" / "dynamics").glob("*.py")} - {"__init__"}
TOPICS = sorted(path for path in (DOCS / "dynamics").glob("*.md") if path.stem in DRAWN)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]

METHODS = sorted({path.stem for path in (ROOT / "engine" / "dynamics" / "methods").glob("[!_]*.py")} - {"protocol"})

LINK = re.compile(r"\]\(([^)\s]+)\)")
TEST = re.compile(r"`(test_\w+)`")
MAX_PICTURE = 120_000  # bytes


def test_links_have_targets():
    links = [(page, link.split("#")[0]) for page in PAGES for link in LINK.findall(page.read_text("utf-8"))]
    lost = [(page, link) for page, link in links if not link.startswith(("http:", "https:")) and not (page.parent / link).exists()]
    assert len(links) > 200 and lost == []


def test_tests_that_pages_name_exist():
    there = set(re.findall(r"def (test_\w+)", "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py"))))
    named = {name for page in PAGES for name in TEST.findall(page.read_text("utf-8"))}
    assert named and named - there == set()


@pytest.mark.parametrize("folder", ["algorithms", "dynamics", "studies"])
def test_every_page_is_in_its_index(folder):
    index = {link for link in LINK.findall((DOCS / folder / "README.md").read_text("utf-8")) if "/" not in link and "#" not in link}
    assert index == {path.name for path in (DOCS / folder).glob("*.md")} - {"README.md"}


def test_every_method_is_in_the_index_of_methods_with_its_page():
    text = (DOCS / "solvers.md").read_text("utf-8")
    listed = text[text.index("<!-- methods -->") : text.index("<!-- /methods -->")]
    assert set(re.findall(r"^\| `(\w+)` \|", listed, re.MULTILINE)) == {*METHODS} | {"box2d"}
    assert set(re.findall(r"\]\(solvers/(\w+)\.md\)", listed)) == {path.stem for path in (DOCS / "solvers").glob("*.md")}


@pytest.mark.parametrize("method", METHODS)
def test_the_page_of_a_method_lists_its_settings(method):
    table = (DOCS / "solvers" / f"{method}.md").read_text("utf-8").split("| setting | default |")[1].split("\n\n")[0]
    described = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", table, re.MULTILINE)
    assert described == [(setting.name, _default(setting)) for setting in solver_of(method).method.settings]


def _default(setting):
    """Return a default as pages write it: lengths below 0.1 m in mm."""
    if isinstance(setting.default, str):
        return f"`{setting.default}`"
    small = setting.unit in ("m", "m/s") and setting.default < 0.1
    value = f"{1000.0 * setting.default if small else setting.default:g}"
    exponent = re.sub(r"e([+-])0*(\d)", lambda match: "e" + match[1].strip("+") + match[2], value)
    large = f"1e{len(value) - 1}" if re.fullmatch("10{4,}", value) else exponent
    return f"{large} {'m' * small}{setting.unit}".replace("^2", "²").strip()


@pytest.mark.parametrize("page", [*ALGORITHMS, *TOPICS], ids=lambda page: page.stem)
def test_every_page_has_a_picture_and_results(page):
    text, folder = page.read_text("utf-8"), page.parent.name
    picture = DOCS / "img" / folder / f"{page.stem}.png"
    assert f"(../img/{folder}/{page.stem}.png)" in text
    assert 0 < picture.stat().st_size < MAX_PICTURE
    headings = [name.rstrip("s") for name in re.findall(r"^## (\w+)", text, re.MULTILINE)]
    assert headings == ["Idea", "Derivation", "Pitfall", "What", "Source"]


def test_every_study_has_its_page_and_picture():
    pages = {path.stem: path.read_text("utf-8") for path in (DOCS / "studies").glob("*.md") if path.stem != "README"}
    pictures = {path.stem: path.stat().st_size for path in (DOCS / "img" / "studies").glob("*.png")}
    assert set(pages) == set(pictures) == set(STUDIES)
    assert all(f"(../img/studies/{name}.png)" in text and f"main.py studies {name}" in text for name, text in pages.items())
    assert max(pictures.values()) < MAX_PICTURE


def test_every_picture_belongs_to_a_page_and_to_the_script():
    pictures = sorted(path.stem for path in (DOCS / "img" / "algorithms").glob("*.png"))
    others = ("__init__", "__main__", "kit", "docks", "shared", "network_methods", "strips")
    drawn = [path.stem for path in (DOCS / "pictures").glob("*.py") if path.stem not in others]
    assert pictures == sorted(drawn) == [path.stem for path in ALGORITHMS]
    assert sorted(path.stem for path in (DOCS / "img" / "dynamics").glob("*.png")) == sorted(DRAWN) == [path.stem for path in TOPICS]


def test_engine_names_on_pages_exist():
    """Issue 30: pages named modules that had been deleted."""
    for name in {name for page in PAGES for name in re.findall(r"\bengine(?:\.\w+)+", page.read_text("utf-8"))}:
        pkgutil.resolve_name(name)


def test_code_names_on_pages_of_dynamics_exist():
    modules = [path for folder in ("engine", "tests") for path in (ROOT / folder).rglob("*.py")]
    words = {path.name for path in modules}.union(*(re.findall(r"\w+", path.read_text("utf-8")) for path in modules))
    named = {name for page in (DOCS / "dynamics").glob("*.md") for name in re.findall(r"`(\w+(?:\.py)?)`", page.read_text("utf-8"))}
    ours = {name for name in named if ("_" in name or name.isupper() or name.endswith(".py")) and not name.startswith("b2")}
    assert len(ours) > 50 and ours - words == set()


def test_the_layout_for_contributors_names_every_package():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    layout = text[text.index("## Layout") : text.index("## A demo")]
    packages = {f"engine/{path.parent.name}/" for path in (ROOT / "engine").glob("*/__init__.py")}
    assert set(re.findall(r"engine/\w+/", layout)) == packages


def test_files_named_for_contributors_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = re.findall(r"`((?:engine|demos|tests|docs|sprites)/[\w./-]+)`", text)
    assert named and [name for name in named if not (ROOT / name).exists()] == []
