"""The page is one file that loads nothing, allows only its own script and style, and inserts no text as markup (issue 32)."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from engine.common.words import shown
from engine.player.encoding import packed_recording
from engine.player.page import player_page
from tests.unit.player.hostile import HOSTILE


class Parsed(HTMLParser):
    """Elements of a page, in order: (tag, attributes, text in it)."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.elements = []
        self.is_open = False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes), ""))
        self.is_open = True

    def handle_endtag(self, tag):
        self.is_open = False

    def handle_data(self, data):
        if self.is_open:
            tag, attributes, text = self.elements[-1]
            self.elements[-1] = tag, attributes, text + data

    def texts(self, tag, kind=None):
        return [text for name, attributes, text in self.elements if name == tag and (kind is None or attributes.get("type") == kind)]


def page_named(name):
    return Parsed(player_page(name, [packed_recording({"title": name, "bodies": []}, {})]))


PLAIN = [(tag, attributes) for tag, attributes, _ in page_named("Plain").elements]


def test_there_are_fifty_hostile_names():
    assert len(set(HOSTILE)) >= 50


@pytest.mark.parametrize("name", HOSTILE, ids=[f"name{k}" for k in range(len(HOSTILE))])
def test_a_hostile_name_adds_no_element(name):
    page = page_named(name)
    assert [(tag, attributes) for tag, attributes, _ in page.elements] == PLAIN
    assert page.texts("title") == [shown(name)]


def test_the_policy_allows_only_this_script_and_this_style():
    page = page_named("Plain")
    policy = next(attributes["content"] for tag, attributes, _ in page.elements if tag == "meta" and "http-equiv" in attributes)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    for rule, (content,) in (("script-src", page.texts("script", "module")), ("style-src", page.texts("style"))):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"


def test_the_page_loads_nothing_and_has_no_code_in_attributes():
    page = page_named("Plain")
    attributes = [(name, value) for _, pairs, _ in page.elements for name, value in pairs.items()]
    assert [pair for pair in attributes if pair[0] in ("src", "href", "style", "action", "srcdoc") or pair[0].startswith("on")] == []
    (script,) = page.texts("script", "module")
    assert re.findall(r"\b(?:eval|Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write|fetch|import)\b", script) == []
    assert "http" not in page.texts("style")[0] + script


def test_texts_of_a_recording_are_not_parsed_as_markup():
    content = {"bodies": [], "title": "<b>", "lines": list(HOSTILE)}
    page = Parsed(player_page("Plain", [packed_recording(content, {})]))
    (data,) = page.texts("script", "text/plain")
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", data)
    assert json.dumps(HOSTILE[0]) not in data


def test_the_modules_can_be_joined():
    (script,) = page_named("Plain").texts("script", "module")
    names = re.findall(r"^(?:async )?(?:function|class|const|let) (\w+)", script, re.MULTILINE)
    names += [
        name
        for more in re.findall(r"^const \w+ = [^\n(]*?(, [A-Z_]+ = [^\n]*);", script, re.MULTILINE)
        for name in re.findall(r", ([A-Z_]+) =", more)
    ]
    assert len(names) > 40
    assert [name for name in names if names.count(name) > 1] == []
    assert re.findall(r"^(?:import|export) ", script, re.MULTILINE) == []


def test_the_modules_stay_within_their_budget():
    (script,) = page_named("Plain").texts("script", "module")
    assert script.count("\n") <= 1545  # 45 of them keep texts from lying over each other on a phone
