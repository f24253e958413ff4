"""Reads a page that the program wrote, and checks properties of every page."""

import re
from html.parser import HTMLParser

__all__ = ["PageReader", "read_page"]

_VOID = ("meta", "img")
_SELF_CLOSED = ("meta", "path", "use", "g")


class PageReader(HTMLParser):
    """Tags, ids, references and texts of a page, in order."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.ids, self.references, self.text = [], [], [], [], []

    def handle_starttag(self, tag, attributes):
        if tag not in _VOID:
            self.open.append(tag)
        self._note(tag, attributes)

    def handle_startendtag(self, tag, attributes):
        assert tag in _SELF_CLOSED
        self._note(tag, attributes)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def _note(self, tag, attributes):
        self.tags.append(tag)
        assert not [name for name, _ in attributes if name.startswith("on")]
        self.ids += [value or "" for name, value in attributes if name == "id"]
        self.references += [value or "" for name, value in attributes if name in ("src", "href")]


def read_page(page):
    """Return the reader of a page, after checking that it is well-formed, has unique ids, needs no network, and runs no foreign script."""
    reader = PageReader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    assert not {"link", "object", "image"} & set(reader.tags)
    assert reader.tags.count("script") == ("iframe" in reader.tags)
    assert len(reader.ids) == len(set(reader.ids))
    assert re.search(r"https?:|url\(|@import", page) is None
    return reader
