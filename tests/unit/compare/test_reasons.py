"""Every reason of the referee has a sentence for users, on the screen and in the docs."""

import re
from pathlib import Path

import engine.compare
from engine.contracts.agreement import REASONS

_ROOT = Path(engine.compare.__file__).resolve().parents[2]


def test_each_reason_given_is_in_the_table():
    used = set()
    for path in sorted((_ROOT / "engine" / "compare").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        used.update(re.findall(r'Verdict\(\s*"(\w+)"', source))
    assert len(used) >= 7 and used <= set(REASONS), used - set(REASONS)


def test_each_reason_has_its_section():
    page = (_ROOT / "docs" / "referee.md").read_text(encoding="utf-8")
    for reason in REASONS.values():
        assert f"## {reason.name}\n" in page
