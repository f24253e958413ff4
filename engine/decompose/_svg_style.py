"""Style sheets of an SVG file: the declarations that apply to an element, and the resulting values.

From weak to strong: presentation attributes; rules of style sheets, by specificity and then by order; the style attribute; rules and
then the style attribute with !important. Undeclared properties are inherited, or have their initial value.

Style sheets are parsed by tinycss2, and compound selectors (rect.a:not(#b)) matched by cssselect2. Combinators are evaluated here, from the
root down: cssselect2 would search all ancestors for each part of a selector, in a time exponential in the number of parts. An element
reaches part k of a selector if it matches that part alone, and part k - 1 was reached

    by its parent (>), by any ancestor (a space), by the element before it (+), by any before it with the same parent (~).

A selector matches the elements that reach its last part.

Unsupported parts are omitted, and noted.

Sources: CSS 2.1, 6.4 (cascade); Selectors 4; CSS Cascade 4, 7 (inherit, initial, unset); SVG 2, 6 (styling) and 8 (geometry properties).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import cssselect2
import tinycss2
import tinycss2.color4

from engine.common.errors import Described, InvalidInputError
from engine.decompose._svg_values import (
    AUTO,
    IDENTITY,
    Length,
    length,
    length_or_auto,
    transform,
    transform_origin,
)
from engine.decompose._svg_xml import Element, Notes

__all__ = ["INITIAL", "Paint", "Style", "Styles"]

Style = dict[str, Any]
"""Values by property."""

_MAX_NESTED = 32
"""Maximum nesting of brackets in a style sheet."""
_MAX_SELECTORS = 20_000
"""Maximum number of compound selectors of all style sheets: each takes about 50 us to compile."""
_MAX_MATCHES = 2_000_000
"""Maximum number of comparisons of elements with compound selectors, by id, class and name: two seconds."""
_LONGEST_KEPT = 100
"""Maximum length of a value whose parsed form is cached."""
_MAX_MARKS = 600_000
"""Maximum number of punctuation marks and spaces in a style sheet: each produces one or two tokens of about 200 bytes."""
_MARKS = re.compile(r"\s++|[^\w\s]")
_BRACKETS = re.compile(r"[\[({]|[\])}]")
_URL = re.compile(r"url\(\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\"')\s]*+))\s*+\)\s*+", re.IGNORECASE)
"""The repetitions are possessive: with backtracking, 20,000 spaces without an end took a second, and two megabytes of them took hours."""
_COMBINATORS = (">", "+", "~")
_OWN_ARGUMENTS = ("not", "is", "where")
"""Pseudo-classes whose arguments are selectors, here compound ones."""
_COUNTING = ("nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type", "lang")
_SILENT_RULES = ("charset", "font-face", "page", "counter-style", "font-feature-values", "color-profile")
"""At-rules that do not affect outlines."""
_UNAPPLIED = ("all", "animation", "animation-name", "clip", "offset", "offset-path", "rotate", "scale", "translate", "mask-image", "zoom")
"""Properties that affect outlines but are not applied."""
_SHORTHANDS = {"font": ("font-size",), "marker": ("marker-start", "marker-mid", "marker-end")}
_WIDE = {"inherit": "inherit", "initial": "initial", "unset": "unset", "revert": "unset", "revert-layer": "unset"}
"""CSS-wide keywords. There is no user or viewer style sheet to revert to."""


class Paint(NamedTuple):
    """fill or stroke: a color's opacity, "currentcolor", or the link to a paint server and its fallback; None for none."""

    alpha: float = 1.0
    is_current: bool = False
    link: str | None = None
    fallback: Paint | None = None


_NONE = Paint(0.0)


class Wide(str):
    """A CSS-wide keyword."""

    __slots__ = ()


def _keyword(*words: str) -> Callable[[str, bool], str | None]:
    return lambda text, _: text.lower() if text.lower() in words else None


def _alpha(text: str) -> float | None:
    """Return a color's opacity; that of currentcolor is unknown here."""
    try:
        color = tinycss2.color4.parse_color(text)
    except ValueError:  # a number of more digits than Python reads
        return None
    return None if color is None or isinstance(color, str) else float(color.alpha)


def _color(text: str, _: bool) -> Paint | None:
    word = text.lower()
    if word == "currentcolor":
        return Paint(is_current=True)
    alpha = _alpha(text.partition(" icc-color")[0].strip())
    return None if alpha is None else Paint(alpha)


def _paint(text: str, is_css: bool) -> Paint | None:
    word = text.lower()
    if word in ("none", "context-fill", "context-stroke"):  # context paints are only defined for markers, which are not drawn
        return _NONE
    match = _URL.match(text)
    if match is None:
        return _color(text, is_css)
    rest = text[match.end() :].strip()
    fallback = _paint(rest, is_css) if rest and not _URL.match(rest) else _NONE
    return None if fallback is None else Paint(link=_link(match), fallback=fallback)


def _link(match: re.Match[str]) -> str:
    return next((group for group in match.groups() if group is not None), "").strip()


def _reference(text: str, _: bool) -> str | None:
    """Return a link, or "" for none; anything else (basic shapes, lists) is not supported."""
    if text.lower() == "none":
        return ""
    match = _URL.fullmatch(text)
    return None if match is None else _link(match)


def _anything(text: str, _: bool) -> str | None:
    return "" if text.lower() == "none" else text


def _share(text: str, _: bool) -> float | None:
    parsed = length(text)
    if parsed is None or parsed.unit not in ("px", "%") or text[-1] not in "0123456789.%":
        return None
    return min(1.0, max(0.0, parsed.number / (100.0 if parsed.unit == "%" else 1.0)))


_SIZES = {"xx-small": 0.6, "x-small": 0.75, "small": 8.0 / 9.0, "medium": 1.0, "large": 1.2, "x-large": 1.5, "xx-large": 2.0}
"""Font sizes relative to medium, 16 pixels: CSS Fonts 3, 3.5."""


def _font_size(text: str, is_css: bool) -> Length | None:
    word = text.lower()
    if word in _SIZES:
        return Length(16.0 * _SIZES[word], "px")
    if word in ("larger", "smaller"):
        return Length(1.2 if word == "larger" else 1.0 / 1.2, "em")
    parsed = length(text, is_css)
    return None if parsed is None or parsed.number < 0.0 else parsed


def _overflow(text: str, _: bool) -> bool | None:
    """Return whether content beyond the viewport is visible."""
    words = text.lower().split()
    if not 1 <= len(words) <= 2 or not set(words) <= {"visible", "hidden", "scroll", "auto", "clip"}:
        return None
    return set(words) <= {"visible", "auto"}


def _size(text: str, is_css: bool) -> Any:
    """Return a nonnegative length, or auto."""
    parsed = length_or_auto(text, is_css)
    return None if isinstance(parsed, Length) and parsed.number < 0.0 else parsed


def _path(text: str, is_css: bool) -> str | None:
    if not is_css:
        return text
    if text.lower() == "none":
        return ""
    match = re.fullmatch(r"path\(\s*(?:\"([^\"]*)\"|'([^']*)')\s*\)", text)
    return None if match is None else match[1] or match[2] or ""


_ZERO = Length(0.0, "px")


class _Property(NamedTuple):
    parse: Callable[[str, bool], Any]
    """Return the value of a CSS or attribute text; None if it is not supported."""
    initial: Any
    is_inherited: bool = False


_PROPERTIES = {
    "fill": _Property(_paint, Paint(), True),
    "fill-opacity": _Property(_share, 1.0, True),
    "fill-rule": _Property(_keyword("nonzero", "evenodd"), "nonzero", True),
    "clip-rule": _Property(_keyword("nonzero", "evenodd"), "nonzero", True),
    "stroke": _Property(_paint, _NONE, True),
    "stroke-opacity": _Property(_share, 1.0, True),
    "stroke-width": _Property(lambda text, _: length(text), Length(1.0, "px"), True),
    "stop-color": _Property(_color, Paint()),
    "stop-opacity": _Property(_share, 1.0),
    "color": _Property(_color, Paint(), True),
    "font-size": _Property(_font_size, Length(16.0, "px"), True),
    "visibility": _Property(_keyword("visible", "hidden", "collapse"), "visible", True),
    "display": _Property(lambda text, _: text.lower(), "inline"),
    "opacity": _Property(_share, 1.0),
    "overflow": _Property(_overflow, None),
    "clip-path": _Property(_reference, ""),
    "mask": _Property(_anything, ""),
    "filter": _Property(_anything, ""),
    "marker-start": _Property(_reference, "", True),
    "marker-mid": _Property(_reference, "", True),
    "marker-end": _Property(_reference, "", True),
    "transform": _Property(transform, (IDENTITY,)),
    "transform-origin": _Property(transform_origin, (_ZERO, _ZERO)),
    "transform-box": _Property(_keyword("view-box", "fill-box", "stroke-box", "content-box", "border-box"), "view-box"),
    "x": _Property(length, _ZERO),
    "y": _Property(length, _ZERO),
    "width": _Property(_size, AUTO),
    "height": _Property(_size, AUTO),
    "cx": _Property(length, _ZERO),
    "cy": _Property(length, _ZERO),
    "r": _Property(_size, _ZERO),
    "rx": _Property(_size, AUTO),
    "ry": _Property(_size, AUTO),
    "d": _Property(_path, ""),
}
INITIAL: Style = {name: property_.initial for name, property_ in _PROPERTIES.items()}
"""font-size is computed: a length in pixels."""


def _value(name: str, text: str, is_css: bool) -> Any:
    """Return the value of a declaration; None if it is not supported."""
    return (_kept if len(text) <= _LONGEST_KEPT else _parsed)(name, text, is_css)


def _parsed(name: str, text: str, is_css: bool) -> Any:
    word = _WIDE.get(text.lower())
    return Wide(word) if word is not None else _PROPERTIES[name].parse(text, is_css)


_kept = lru_cache(maxsize=4096)(_parsed)


class _Rule(NamedTuple):
    """Values of a rule, without and with !important."""

    normal: Style
    important: Style


class _Part(NamedTuple):
    """A compound selector in a selector: the combinator before it; for the last one, specificity, order and rule, otherwise None."""

    combinator: str
    end: tuple[tuple[int, int, int], int, _Rule] | None


class Styles:
    """Finds the declarations that apply to an element and computes its style from that of its parent."""

    def __init__(self, root: Element, name: str, notes: Notes) -> None:
        self._name, self._notes = name, notes
        self._matcher = cssselect2.Matcher()
        self._parts: list[_Part] = []
        self._costs: Counter[str] = Counter()
        """Number of compound selectors with which an element with this "#id", ".class" or name is compared; "*": any element; "~": each,
        for all of its siblings; "[": each, for every hundred letters of its attributes.
        """
        self._namespaces: dict[str | None, str] = {}
        self._declared: dict[Element, Style] = {}
        self._matched: dict[Element, list[_Rule]] = {}
        space = root.tag.removesuffix("svg")
        for element in root.iter(f"{space}style"):
            self._add_sheet(element)
        if self._parts:
            self._match(root)
        self.rem = 16.0
        self.rem = self.computed(root, None)["font-size"].number

    def computed(self, element: Element, parent: Style | None) -> Style:
        """Return the values of all properties of an element, given those of its parent (None for the root)."""
        above = INITIAL if parent is None else parent
        values = {
            name: above[name] if property_of_style.is_inherited else property_of_style.initial
            for name, property_of_style in _PROPERTIES.items()
        }
        for name, value in self._declarations(element).items():
            if isinstance(value, Wide):
                is_inherited = value == "inherit" or (value == "unset" and _PROPERTIES[name].is_inherited)
                value = above[name] if is_inherited else INITIAL[name]
            if name == "font-size" and value.unit != "px":
                size = above[name].number
                value = Length(value.resolved(size, size, self.rem), "px")
            elif name == "color" and value.is_current:
                value = above[name]
            values[name] = value
        return values

    def _declarations(self, element: Element) -> Style:
        """Return the values declared for an element, the strongest of each property."""
        declared = self._declared.get(element)
        if declared is None:
            attributes = ((key, value, False) for key, value in element.attrib.items() if key in _PROPERTIES)
            rules = [*self._matched.get(element, ()), self._rule(element.get("style", ""))]
            declared = self._values(attributes, is_css=False).normal
            for rule in rules:
                declared.update(rule.normal)
            for rule in rules:
                declared.update(rule.important)
            self._declared[element] = declared
        return declared

    def _rule(self, content: Any) -> _Rule:
        """Return the values of the declarations in a style attribute or between the braces of a rule."""
        if isinstance(content, str):
            self._check_size(content)
        try:
            items = tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True)
        except ValueError:  # a number of more digits than Python reads
            self._notes.not_understood(f"style: {content}")
            items = []
        declarations = []
        for item in items:
            if item.type == "declaration":
                text = tinycss2.serialize(token for token in item.value if token.type != "comment").strip()
                declarations.append((item.lower_name, text, bool(item.important)))
            else:
                self._notes.not_understood(_source(item))
        return self._values(declarations, is_css=True)

    def _values(self, declarations: Iterable[tuple[str, str, bool]], is_css: bool) -> _Rule:
        rule = _Rule({}, {})
        for name, text, is_important in declarations:
            text = text.strip()
            if name in _UNAPPLIED and text.lower() not in ("none", "auto", "normal", "initial"):
                self._notes.not_understood(f"{name}: {text}")
            if name == "font":
                text = _size_of_font(text)
            names = _SHORTHANDS.get(name, (name,))
            if names[0] not in _PROPERTIES or not text:
                continue
            value = _value(names[0], text, is_css)
            if value is None:
                self._notes.not_understood(f"{name}: {text}")
            else:
                (rule.important if is_important else rule.normal).update(dict.fromkeys(names, value))
        return rule

    def _check_size(self, text: str) -> None:
        if sum(1 for _ in _MARKS.finditer(text)) > _MAX_MARKS:
            requirement = f"a style sheet of at most {_MAX_MARKS} punctuation marks"
            raise InvalidInputError(f"{self._name}: style", requirement, Described("more"))
        depth = 0
        for bracket in _BRACKETS.findall(text):
            depth = depth + 1 if bracket in "[({" else max(0, depth - 1)
            if depth > _MAX_NESTED:
                requirement = f"a style sheet whose brackets are nested at most {_MAX_NESTED} deep"
                raise InvalidInputError(f"{self._name}: style", requirement, Described("one nested deeper"))

    def _add_sheet(self, element: Element) -> None:
        kind, media = element.get("type", "").strip().lower(), element.get("media", "")
        if kind not in ("", "text/css"):
            self._notes.not_understood(f'<style type="{kind}">')
        elif self._is_for_screens(media, f'<style media="{media}">'):
            text = "".join((element.text or "", *(child.tail or "" for child in element)))
            self._check_size(text)
            try:
                rules = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
            except ValueError:  # a number of more digits than Python reads
                self._notes.not_understood(f"style: {text}")
                return
            self._add_rules(rules)

    def _is_for_screens(self, media: str, source: str) -> bool:
        """Return True if a list of media contains a supported one for screens."""
        words = [word.strip().lower() for word in media.split(",")]
        for word in words:
            if word not in ("", "all", "screen", "only screen", "print", "speech", "only print", "not print", "not screen"):
                self._notes.not_understood(source)
        return any(word in ("", "all", "screen", "only screen", "not print") for word in words)

    def _add_rules(self, rules: Iterable[Any]) -> None:
        for rule in rules:
            if rule.type == "qualified-rule":
                self._add_rule(rule)
            elif rule.type != "at-rule":
                self._notes.not_understood(_source(rule))
            elif rule.lower_at_keyword == "media" and rule.content is not None:
                if self._is_for_screens(tinycss2.serialize(rule.prelude), f"@media {tinycss2.serialize(rule.prelude).strip()}"):
                    self._add_rules(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True))
            elif rule.lower_at_keyword == "namespace":
                words = [token for token in rule.prelude if token.type not in ("whitespace", "comment")]
                prefix = words[0].value if len(words) == 2 and words[0].type == "ident" else None
                if words and words[-1].type in ("string", "url"):
                    self._namespaces[prefix] = words[-1].value
            elif rule.lower_at_keyword not in _SILENT_RULES:
                self._notes.not_understood(f"@{rule.at_keyword} {tinycss2.serialize(rule.prelude).strip()}")

    def _add_rule(self, rule: Any) -> None:
        """Register a rule under each of its selectors; as in CSS, an unsupported one invalidates all of them."""
        try:
            selectors = [list(_compounds(tokens)) for tokens in _split(rule.prelude, ",")]
            if len(self._parts) + sum(map(len, selectors)) > _MAX_SELECTORS:
                requirement = f"an SVG whose style sheets have at most {_MAX_SELECTORS} selectors"
                raise InvalidInputError(f"{self._name}: style", requirement, Described("more"))
            complex_selectors = [self._compiled(compounds) for compounds in selectors]
        except cssselect2.SelectorError:
            self._notes.not_understood(f"{tinycss2.serialize(rule.prelude).strip()} {{{tinycss2.serialize(rule.content).strip()}}}")
            return
        values = self._rule(rule.content)
        for parts in complex_selectors:
            if any(selector.pseudo_element is not None for _, selector, _ in parts):
                continue  # generated content before or after: none in SVG
            a, b, c = (sum(weights) for weights in zip(*(selector.specificity for _, selector, _ in parts), strict=True))
            for k, (combinator, selector, key) in enumerate(parts):
                self._matcher.add_selector(selector, len(self._parts))
                self._costs[key] += 1
                end = ((a, b, c), len(self._parts), values) if k == len(parts) - 1 else None
                self._parts.append(_Part(combinator if k else "", end))

    def _compiled(self, compounds: list[tuple[str, list[Any]]]) -> list[tuple[str, Any, str]]:
        """Return the parts of a selector: the combinator before it, the compound selector, and the key of the elements compared with it."""
        return [
            (combinator, cssselect2.compile_selector_list(compound, self._namespaces)[0], _key(compound))
            for combinator, compound in compounds
        ]

    def _match(self, root: Element) -> None:
        """Finds the rules that apply to each element."""
        costs, n_matches = self._costs, 0
        none: frozenset[int] = frozenset()
        own: dict[Element | None, frozenset[int]] = {None: none}
        below: dict[Element | None, frozenset[int]] = {None: none}
        before: dict[Element | None, set[int]] = {}
        """Parts reached, except last ones: by an element; by it or an ancestor; by any so far that has this parent."""
        for wrapper in cssselect2.ElementWrapper.from_xml_root(root).iter_subtree():
            element = wrapper.etree_element
            n_matches += costs["*"] + costs[wrapper.local_name] + costs[f"#{wrapper.id}"]
            n_matches += sum(costs[f".{word}"] for word in wrapper.classes)
            n_matches += costs["~"] * len(wrapper.etree_siblings) + costs["["] * (1 + sum(map(len, element.attrib.values())) // 100)
            if n_matches > _MAX_MATCHES:
                requirement = f"an SVG with at most {_MAX_MATCHES} pairs of an element and a selector to compare"
                raise InvalidInputError(f"{self._name}: style", requirement, Described("more"))
            parent = None if wrapper.parent is None else wrapper.parent.etree_element
            previous = None if wrapper.previous is None else wrapper.previous.etree_element
            beside = before.setdefault(parent, set())
            reached = {">": own[parent], " ": below[parent], "+": own[previous], "~": beside}
            further, matches = [], []
            for *_, number in self._matcher.match(wrapper):
                combinator, end = self._parts[number]
                if combinator and number - 1 not in reached[combinator]:
                    continue
                if end is None:
                    further.append(number)
                else:
                    matches.append(end)
            own[element] = frozenset(further) if further else none
            below[element] = below[parent] | own[element] if further else below[parent]
            beside.update(further)
            if matches:
                self._matched[element] = [rule for *_, rule in sorted(matches, key=lambda property_: property_[:2])]


def _size_of_font(text: str) -> str:
    """Return the size in a value of the shorthand `font`; "" if there is none."""
    for word in text.lower().partition("/")[0].split():
        if word in _SIZES or word in ("larger", "smaller") or word in _WIDE or (word[0] in "0123456789.+" and length(word, is_css=True)):
            return word
    return ""


def _source(node: Any) -> str:
    """Return the source text of an unsupported part."""
    return f"style: {node.message.rstrip('.')}" if node.type == "error" else str(tinycss2.serialize([node])).strip()


def _split(tokens: Iterable[Any], separator: str) -> list[list[Any]]:
    parts: list[list[Any]] = [[]]
    for token in tokens:
        if token == separator:
            parts.append([])
        elif token.type != "comment":
            parts[-1].append(token)
    return parts


def _compounds(tokens: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the compound selectors of a selector, each with the combinator before it."""
    combinator, compound = " ", list[Any]()
    is_due = True
    for token in tokens:
        is_space = token.type == "whitespace"
        if not is_space and token not in _COMBINATORS:
            compound.append(token)
            is_due = False
            continue
        if compound:
            yield combinator, _checked(compound)
            combinator, compound = " ", []
        if not is_space:
            if is_due:
                raise cssselect2.SelectorError(token, "a combinator without an operand")
            combinator, is_due = token.value, True
    if is_due:
        raise cssselect2.SelectorError(None, "a selector that ends in a combinator, or none")
    if compound:
        yield combinator, _checked(compound)


def _checked(compound: list[Any]) -> list[Any]:
    """Reject selectors for which cssselect2 searches the whole tree: with combinators in brackets, :has(), :nth-child(... of ...)."""
    for token in compound:
        if token.type != "function":
            continue
        if token.lower_name in _OWN_ARGUMENTS:
            if any(len(list(_compounds(part))) != 1 for part in _split(token.arguments, ",")):
                raise cssselect2.SelectorError(token, "combinators in brackets")
        elif token.lower_name not in _COUNTING or any(
            argument.type == "ident" and argument.lower_value == "of" for argument in token.arguments
        ):
            raise cssselect2.SelectorError(token, "not understood")
    return compound


def _key(compound: list[Any]) -> str:
    """Return the key by which `Matcher` finds the elements to compare with a compound selector; "~" or "[" for slow ones."""
    key = "*"
    for before, token in zip([None, *compound], compound, strict=False):
        inner = list(_inner(token))
        if any(
            str(getattr(token_inside, "lower_value", getattr(token_inside, "lower_name", ""))).endswith("-of-type")
            for token_inside in inner
        ):
            return "~"
        if any(token_inside.type == "[] block" for token_inside in inner):
            return "["
        if token.type == "hash":
            key = f"#{token.value}"
        elif token.type == "ident" and not key.startswith("#"):
            if before == ".":
                key = f".{token.value}"
            elif before is None:
                key = str(token.value)
    return key


def _inner(token: Any) -> Iterator[Any]:
    """Yield a token and all tokens in its brackets."""
    yield token
    for argument in getattr(token, "arguments", ()):
        yield from _inner(argument)
