"""The table of the window's commands and keys, at the end of docs/window.md, and the steps of docs/demos.md, made from the program.

``python -m docs.key_table`` writes them.
"""

from __future__ import annotations

import re
from pathlib import Path

from engine.app.commands import markdown
from engine.sim.registry import all_demos

WINDOW, DEMOS = Path(__file__).with_name("window.md"), Path(__file__).with_name("demos.md")
_TABLE = re.compile(r"\| command \| key .*?(?=\n\n|\Z)", re.DOTALL)
_STEPS = re.compile(r"(!\[[^\n]*\n\n)?[^\n][^#<]*?(?=\n\n|\Z)(\n\n1\. .*?(?=\n\n|\Z))?", re.DOTALL)


def window_page(text: str) -> str:
    """Return docs/window.md with its table as the program has it."""
    return _TABLE.sub(lambda _: markdown(), text, count=1)


def demos_page(text: str) -> str:
    """Return docs/demos.md with what to watch and what to try, as each demo of a section has it."""
    for demo in all_demos():
        head = f"## {demo.id}\n\n"
        begin = text.find(head)
        if begin >= 0:
            begin += len(head)
            before = _STEPS.match(text, begin)
            assert before is not None
            steps = "\n".join(f"{k}. {words}" for k, (words, _) in enumerate(demo.tries, 1))
            text = f"{text[:begin]}{before.group(1) or ''}{demo.watch}\n\n{steps}{text[before.end() :]}"
    return text


if __name__ == "__main__":
    WINDOW.write_text(window_page(WINDOW.read_text(encoding="utf-8")), encoding="utf-8")
    DEMOS.write_text(demos_page(DEMOS.read_text(encoding="utf-8")), encoding="utf-8")
