"""Safe parsing of an SVG file into a tree of elements, and notes on unsupported parts.

The reader rejects entities (a few hundred bytes of them can expand to gigabytes) and excessive nesting and numbers of elements.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections import Counter
from xml.parsers import expat

from engine.common.errors import Described, InvalidInputError
from engine.common.words import brief, shown

__all__ = ["Element", "Notes", "check_size", "parsed"]

Element = ElementTree.Element

_MAX_ELEMENTS = 20_000
_MAX_DEPTH = 64
"""Maximum nesting, copies included. Drawing programs nest about a dozen levels."""
_NAMESPACE = "{http://www.w3.org/2000/svg}"
_MAX_NOTES = 20
_LONGEST_SOURCE = 80
"""Maximum number of letters of the file quoted in a note."""


class Notes:
    """Parts of a drawing that are not traced, applied or supported: one line per kind, with its count."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._sources: Counter[str] = Counter()

    def not_traced(self, word: str) -> None:
        self._counts[f"Not traced: {_short(word)}"] += 1

    def not_applied(self, word: str) -> None:
        self._counts[f"Not applied: {word}"] += 1

    def not_understood(self, source: str) -> None:
        """Add a note that quotes the file."""
        self._sources[f"Not understood: {_short(source)}"] += 1

    @property
    def untraced(self) -> list[str]:
        """Sorted names of the elements that are not traced."""
        return sorted(line.removeprefix("Not traced: ") for line in self._counts if line.startswith("Not traced: "))

    @property
    def cause(self) -> str:
        """The first part that was not understood or not applied, in parentheses; "" if there is none."""
        first = next((line for line in (*self._sources, *self._counts) if not line.startswith("Not traced")), "")
        return f" ({first})" if first else ""

    def lines(self) -> list[str]:
        """Return a sentence for each, with at most `_MAX_NOTES` on unsupported parts."""
        counted_lines = [f"{line} ({count})." for line, count in sorted(self._counts.items())]
        sources = [f"{line} ({count})." if count > 1 else f"{line}." for line, count in self._sources.items()]
        if len(sources) > _MAX_NOTES:
            sources = [*sources[: _MAX_NOTES - 1], f"Not understood: {len(sources) - _MAX_NOTES + 1} more."]
        return counted_lines + sources


def _short(source: str) -> str:
    return brief(shown(" ".join(source[: 4 * _LONGEST_SOURCE].split())), _LONGEST_SOURCE)


def parsed(content: bytes, name: str, notes: Notes) -> Element:
    """Return the root of the SVG file `name` with this content.

    Raises
    ------
    InvalidInputError
        It is not an SVG, or is rejected for one of the reasons above.
    """
    root = _tree(content, name, notes)
    if root.tag.removeprefix(_NAMESPACE) != "svg":
        raise InvalidInputError(name, "an SVG", Described(f"an XML file of <{brief(root.tag.removeprefix(_NAMESPACE), 40)}>"))
    return root


def _tree(content: bytes, name: str, notes: Notes) -> Element:
    """Build the tree with expat, so that entity declarations can be rejected immediately."""
    builder = ElementTree.TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")
    depth = count = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth, count
        depth, count = depth + 1, count + 1
        check_size(name, depth, count)
        builder.start(_braced(tag), {_braced(key): value for key, value in attributes.items()})

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_braced(tag))

    def entity(*_: object) -> None:
        raise InvalidInputError(name, "an SVG without entities", Described("a declaration of one"))

    def instruction(target: str, data: str) -> None:
        if target == "xml-stylesheet":
            notes.not_understood(f"<?{target} {data}?>")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = entity
    parser.ProcessingInstructionHandler = instruction
    try:
        parser.Parse(content, True)
        return builder.close()
    except expat.ExpatError as error:
        words = expat.errors.messages.get(error.code, "not well-formed") if isinstance(error.code, int) else "not well-formed"
        raise InvalidInputError(f"{name}, line {error.lineno}", f"XML ({words})", _line_of(content, error.lineno)) from None
    except (ValueError, LookupError) as error:
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError(name, "XML in a known encoding", Described(str(error))) from None


def _line_of(content: bytes, number: int) -> str:
    """Return the content of a line for an error message."""
    if not content.strip():
        return Described("an empty file")
    lines = content.splitlines()
    if number > len(lines) or not lines[number - 1].strip():
        return Described("the end of the file" if number >= len(lines) else "an empty line")
    try:
        text = lines[number - 1].decode("utf-8").strip()
    except UnicodeDecodeError:
        return Described("bytes that are not text")
    return text if text.isprintable() else Described("bytes that are not text")


def _braced(tag: str) -> str:
    return "{" + tag if "}" in tag else tag


def check_size(name: str, depth: int, count: int) -> None:
    """Reject a tree that is nested too deeply or has too many elements."""
    if depth > _MAX_DEPTH:
        raise InvalidInputError(name, f"an SVG nested at most {_MAX_DEPTH} deep", Described("one nested deeper"))
    if count > _MAX_ELEMENTS:
        raise InvalidInputError(name, f"an SVG of at most {_MAX_ELEMENTS} elements, including copies by <use>", Described("more"))
