"""An SVG file as a tree of what it draws, before a library looks at it: read safely, references resolved, the rest left out.

Refused while reading: entities (a few hundred bytes of them stand for gigabytes), nesting and numbers of elements beyond any drawing,
references out of the file, references in a circle. `<use>` becomes a group with a copy of what it names; as that can double with each
level, what is copied is counted.

The library, svgelements, would draw the contents of `<symbol>`, `<mask>` and `<marker>` where they stand, follow a circle of `<use>`
without end, and search a style sheet in cubic time; none of these reach it.

Source: SVG 1.1 (second edition), 5.5 (symbol), 5.6 (use), 11.5 (display and visibility).
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from engine.common.errors import Described, InvalidInputError
from engine.common.limits import MOST_INHERITED

__all__ = ["UNAPPLIED", "WORDS", "DrawnTree", "drawn_tree"]

Element = ElementTree.Element

_MOST_ELEMENTS = 20_000
_MOST_DEPTH = 64
"""Of nesting, copies included. Drawing programs nest a dozen deep."""
_NAMESPACE = "{http://www.w3.org/2000/svg}"
_LINKS = ("href", "{http://www.w3.org/1999/xlink}href")
_SHAPES = ("path", "rect", "circle", "ellipse", "polygon", "polyline", "line")
_GROUPS = ("svg", "g", "a", "switch")
_UNTRACED = ("text", "image", "foreignObject")
UNAPPLIED = ("clip-path", "mask")
"""Properties that leave something out of a shape, and are only counted."""
_NUMBERS = frozenset(("transform", "d", "points", "x", "y", "width", "height", "r", "rx", "ry", "cx", "cy", "viewBox"))
_NO_NUMBER = re.compile(r"nan|inf", re.IGNORECASE)
"""svgelements leaves an attribute out, or the rest of a path, where it meets one of these."""
WORDS = "data-words"
"""Attribute of every shape in the tree: its id, classes and label, and before them those of the groups around it, in lower case."""
_NAMED = ("id", "class", "{http://www.inkscape.org/namespaces/inkscape}label")
_MOST_WORDS = 1_000
"""Letters of all words of a shape, a count: every shape has those of the groups around it."""
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


@dataclass(slots=True)
class DrawnTree:
    """The root, with style sheets first; how many shapes it has; what was met that is not traced, by its name."""

    root: Element
    n_shapes: int = 0
    untraced: Counter[str] = field(default_factory=Counter)


def drawn_tree(content: bytes, name: str) -> DrawnTree:
    """Return the tree of what the SVG file `name` with this content draws.

    Raises
    ------
    InvalidInputError
        It is no SVG, or one of the kinds above.
    """
    root = _parsed(content, name)
    if _local(root.tag) != "svg":
        raise InvalidInputError(name, "an SVG", Described(f"an XML file of <{root.tag[:40]}>"))
    return _Resolver(root, name).tree


def _parsed(content: bytes, name: str) -> Element:
    """Build the tree by expat itself, so that declarations of entities can be refused where they stand."""
    builder = ElementTree.TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")
    depth = count = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth, count
        depth, count = depth + 1, count + 1
        _check_size(name, depth, count)
        builder.start(_braced(tag), {_braced(key): value for key, value in attributes.items()})

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_braced(tag))

    def entity(*_: object) -> None:
        raise InvalidInputError(name, "an SVG without entities", Described("a declaration of one"))

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = entity
    try:
        parser.Parse(content, True)
        return builder.close()
    except expat.ExpatError as error:
        words = expat.errors.messages.get(error.code, "not well-formed") if isinstance(error.code, int) else "not well-formed"
        raise InvalidInputError(f"{name}, line {error.lineno}", f"XML ({words})", _line_of(content, error.lineno)) from None
    except (ValueError, LookupError) as error:
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError(name, "XML in an encoding that is known", Described(str(error))) from None


def _line_of(content: bytes, number: int) -> str:
    """Return what a line says, to be shown in an error."""
    if not content.strip():
        return Described("an empty file")
    lines = content.splitlines()
    if number > len(lines) or not lines[number - 1].strip():
        return Described("the end of the file" if number >= len(lines) else "an empty line")
    try:
        text = lines[number - 1].decode("utf-8").strip()
    except UnicodeDecodeError:
        return Described("bytes that are no text")
    return text if text.isprintable() else Described("bytes that are no text")


def _braced(tag: str) -> str:
    return "{" + tag if "}" in tag else tag


def _check_size(name: str, depth: int, count: int) -> None:
    if depth > _MOST_DEPTH:
        raise InvalidInputError(name, f"an SVG nested at most {_MOST_DEPTH} deep", Described("one nested deeper"))
    if count > _MOST_ELEMENTS:
        raise InvalidInputError(name, f"an SVG of at most {_MOST_ELEMENTS} elements, copies by <use> included", Described("more"))


def _local(tag: str) -> str:
    """Return the name of an element of SVG, with its namespace or without any; another namespace's name is left as it is."""
    return tag.removeprefix(_NAMESPACE)


class _Resolver:
    """Copies what is drawn."""

    def __init__(self, root: Element, name: str) -> None:
        self._name = name
        self._count = 0
        self._by_id = {element.attrib["id"]: element for element in root.iter() if "id" in element.attrib}
        self.tree = DrawnTree(Element("svg"))
        rules = [rule for element in root.iter() if _local(element.tag) == "style" for rule in _rules(element.text or "")]
        self._inherited = 0
        self._declared: Counter[str] = Counter()
        """Letters that are declared for each selector."""
        for selectors, declarations in rules:
            for selector in selectors.split(","):
                self._inherit(len(declarations))
                self._declared[selector.strip()] += len(declarations)
        sheet = Element("style")
        sheet.text = "\n".join(f"{selectors}{{{declarations}}}" for selectors, declarations in rules)
        found = self._copied(root, 0, (), "", 0)
        found.insert(0, sheet)
        self.tree.root = found

    def _inherit(self, n_letters: int) -> None:
        self._inherited += n_letters
        if self._inherited > MOST_INHERITED:
            wanted = f"an SVG whose groups and styles hand down at most {MOST_INHERITED} letters to all its elements"
            raise InvalidInputError(self._name, wanted, Described("more"))

    def _with_words(self, words: str, element: Element) -> str:
        own = " ".join(element.attrib[key] for key in _NAMED if key in element.attrib)
        found = " ".join((words, *own.lower().split())).strip()
        if len(found) > _MOST_WORDS:
            wanted = f"an SVG whose shapes have ids, classes and labels of at most {_MOST_WORDS} letters, those of groups included"
            raise InvalidInputError(self._name, wanted, Described(f"{len(found)}"))
        return found

    def _copied(self, element: Element, depth: int, uses: tuple[str, ...], words: str, handed: int) -> Element:
        """Return a copy with what is drawn of its children; `words` are those of the groups around it, which hand down so many letters."""
        tag = _local(element.tag)
        self._count += 1
        _check_size(self._name, depth, self._count)
        copy = Element("g" if tag in ("a", "switch") else tag)
        words = self._with_words(words, element)
        for key, value in element.attrib.items():
            if key in UNAPPLIED:
                self.tree.untraced[key] += value.strip() != "none"
            elif not key.startswith("{"):
                self._check_numbers(key, value)
                copy.attrib[key] = value
        self._inherit(handed + self._styled(tag, copy))
        handed += sum(len(value) for key, value in copy.attrib.items() if key != "d" and key != "points")
        if tag in _SHAPES:
            self.tree.n_shapes += 1
            copy.attrib[WORDS] = words
            return copy
        for child in element:
            drawn = self._drawn(child, depth + 1, uses, words, handed)
            if drawn is not None:
                copy.append(drawn)
                if tag == "switch":
                    break
        return copy

    def _check_numbers(self, key: str, value: str) -> None:
        if key in _NUMBERS and _NO_NUMBER.search(value):
            raise InvalidInputError(f"{self._name}: {key}", "finite numbers", value)

    def _styled(self, tag: str, element: Element) -> int:
        """Return how many letters the style sheet declares for an element."""
        classes = element.attrib.get("class", "").split(" ")
        selectors = ["*", tag, "#" + element.attrib.get("id", ""), *("." + one for one in classes), *(f"{tag}.{one}" for one in classes)]
        return sum(self._declared[selector] for selector in selectors)

    def _drawn(self, element: Element, depth: int, uses: tuple[str, ...], words: str, handed: int) -> Element | None:
        tag = _local(element.tag)
        if tag == "use":
            return self._used(element, depth, uses, words, handed)
        if tag in _UNTRACED:
            self.tree.untraced[tag] += 1
        return self._copied(element, depth, uses, words, handed) if tag in _SHAPES or tag in _GROUPS else None

    def _used(self, element: Element, depth: int, uses: tuple[str, ...], words: str, handed: int) -> Element | None:
        """Return a group with a copy of what is named, moved to x, y."""
        link = next((element.attrib[key].strip() for key in _LINKS if key in element.attrib), "")
        if not link:
            return None
        if not link.startswith("#"):
            raise InvalidInputError(f"{self._name}: href", "the id of something in the same file (#id)", link)
        target = self._by_id.get(link[1:])
        if target is None:
            return None
        if link in uses:
            raise InvalidInputError(f"{self._name}: href", "a reference that does not lead back to itself", link)
        for key, value in element.attrib.items():
            self._check_numbers(key, value)
        tag = _local(target.tag)
        handed += sum(map(len, element.attrib.values()))
        words = self._with_words(words, element)
        if tag == "use":
            inner = self._used(target, depth + 1, (*uses, link), words, handed)
        elif tag == "symbol" or tag in _SHAPES or tag in _GROUPS:
            inner = self._copied(target, depth + 1, (*uses, link), words, handed)
        else:
            return None
        group = Element("g", {key: value for key, value in element.attrib.items() if key not in ("x", "y", "width", "height", *_LINKS)})
        for key in UNAPPLIED:
            self.tree.untraced[key] += group.attrib.pop(key, "none").strip() != "none"
        x, y = (element.attrib.get(key, "0") for key in ("x", "y"))
        group.attrib["transform"] = f"{group.attrib.get('transform', '')} translate({x}, {y})"
        if inner is not None:
            if tag in ("symbol", "svg"):
                inner.tag = "svg"
                inner.attrib.update({key: element.attrib[key] for key in ("width", "height") if key in element.attrib})
            group.append(inner)
        return group


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """Yield selectors and declarations of the plain rules of a style sheet, without comments; what is not understood (@media, @import) is
    left out."""
    for block in _COMMENT.sub(" ", sheet).split("}"):
        selectors, brace, declarations = block.partition("{")
        selectors = " ".join(selectors.split())
        declarations = " ".join(declarations.split())
        if brace and selectors and declarations and not selectors.startswith("@"):
            yield selectors, declarations
