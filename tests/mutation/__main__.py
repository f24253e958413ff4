"""``python -m tests.mutation``: plants faults in our algorithms and prints which of them the referee detects.

Each fault takes 10 ms to 3 s, and all of them (about 9,000) half an hour on two cores; ``--share 0.05`` tests a twentieth of them.
``--json FILE`` writes a line for each. Does not run on Windows, which has no timer to end an endless loop.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

_COLUMNS = ("unexplained", "raised", "endless", "shared", "absorbed", "aside", "unchanged")


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--queries", default="")
    parser.add_argument("--share", type=float, default=1.0, help="of all mutants")
    parser.add_argument("--only", action="append", default=[], help="mutants whose names contain this; may be repeated")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=4000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--survivors", action="store_true", help="list every one that was not killed")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--part", type=int, default=-1, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part >= 0:
        _work(options)
        return
    rows = _collect(options)
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    _print(rows, options.survivors)


def _work(options):
    from tests.mutation.hunt import fates
    from tests.mutation.trials import QUERIES, trials

    sizes = [max(1, options.pairs // share) for share in (64, 16, 4)]
    sizes.append(max(1, options.pairs - sum(sizes)))
    queries = options.queries.split(",") if options.queries else list(QUERIES)
    for trial in trials(options.seed, sizes, queries):
        for result in fates(trial, options.share, options.seed, (options.part, options.jobs), options.only):
            row = {
                "query": result.query,
                "name": result.mutant.name,
                "line": result.mutant.line,
                "outcome": result.fate.outcome,
                "note": result.fate.note,
            }
            print(json.dumps(row), flush=True)


def _collect(options):
    """Distribute the work among processes in which kernels are plain Python."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "tests.mutation", *sys.argv[1:], "--jobs", str(options.jobs)]
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        files = [Path(directory) / f"part{part}" for part in range(options.jobs)]
        with contextlib.ExitStack() as stack:
            outputs = [stack.enter_context(file.open("w", encoding="utf-8")) for file in files]
            parts = [
                subprocess.Popen([*command, "--part", str(part)], env=environment, stdout=output) for part, output in enumerate(outputs)
            ]
            try:
                statuses = [part.wait() for part in parts]
            finally:
                for part in parts:
                    part.terminate()
        if any(statuses):
            raise SystemExit(f"a process ended with status {max(statuses, key=abs)}")
        for file in files:
            rows += [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return sorted(rows, key=lambda row: (row["query"], row["name"], row["line"]))


def _print(rows, with_survivors):
    from tests.mutation.survivors import reason_of

    print(f"{'query':<10}{'mutants':>9}" + "".join(f"{name:>12}" for name in _COLUMNS))
    for query in dict.fromkeys(row["query"] for row in rows):
        counts = Counter(row["outcome"] for row in rows if row["query"] == query)
        print(f"{query:<10}{counts.total():>9}" + "".join(f"{counts[name]:>12}" for name in _COLUMNS))
    total = Counter(row["outcome"] for row in rows)
    print(f"{'all':<10}{total.total():>9}" + "".join(f"{total[name]:>12}" for name in _COLUMNS))
    survivors = [row for row in rows if row["outcome"] in _COLUMNS[3:]]
    reasons = Counter(reason_of(row["query"], row["name"], row["outcome"]) for row in survivors)
    print("\nsurvivors, and why:")
    for reason, count in reasons.most_common():
        print(f"{count:>9}  {reason}")
    if with_survivors:
        print()
        for row in survivors:
            note = f" ({row['note']})" if row["note"] else ""
            print(f"{row['query']} {row['outcome']}{note}: line {row['line']}: {row['name']}")
            print(f"    {reason_of(row['query'], row['name'], row['outcome'])}")


if __name__ == "__main__":
    main()
