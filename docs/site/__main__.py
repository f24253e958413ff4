"""``python -m docs.site DIR``."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from docs.site.sources import PLAYERS, ROOT, all_pages, write_sources
from engine.app.files.writing import check_directory
from engine.cli.output import progress, waiting
from engine.common.errors import InvalidInputError, LabError
from engine.common.words import counted, shown
from engine.compare.live.referee import live_referee

_WRITTEN = ".site-files"
"""File in the site that lists its files, so that the next build removes them and no others."""

_SECONDS = 6.0
"""Simulated length of a scene."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise LabError(f"{message} (see {self.prog} --help)")


def build(folder: Path, repository: str = "", pages: Sequence[Path] | None = None, seconds: float = _SECONDS) -> None:
    """Build the site.

    Parameters
    ----------
    folder : Path
        A directory that is new, empty, or holds an earlier site and nothing else.
    repository : str
        As in `write_sources`.
    pages : sequence of Path, optional
        Pages of the site; None means all.
    seconds : float
        Simulated length of a scene.

    Raises
    ------
    LabError
        The directory cannot be used, packages are missing, or Sphinx warns: of a link that leads nowhere, for instance.
    OSError
        A file cannot be written.
    """
    missing = [name for name in ("sphinx", "myst_parser", "furo") if find_spec(name) is None]
    if missing:
        raise LabError(f"{missing[0]} is not installed: python -m pip install -r requirements-docs.txt")
    check_directory("DIR", folder)
    earlier = _earlier(folder)
    from docs.site.players import write_players

    with tempfile.TemporaryDirectory() as temporary:
        source, output = Path(temporary, "source"), Path(temporary, "output")
        sources = write_sources(all_pages() if pages is None else pages, repository)
        for name, text in sources.pages.items():
            path = source / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        shutil.copytree(ROOT / "docs" / "img", source / "docs" / "img")
        referee = live_referee if sources.scenes else None
        n = len(sources.steppers) + len(sources.scenes)
        with progress("recording the players", n) as advance:
            write_players(output / PLAYERS, sources, referee, seconds, advance)
        with waiting(f"building {counted(len(sources.pages), 'page')}"):
            _run_sphinx(source, output, Path(temporary, "doctrees"))
        for path in earlier:
            path.unlink()
        written = sorted(path.relative_to(output).as_posix() for path in output.rglob("*") if path.is_file())
        shutil.copytree(output, folder, dirs_exist_ok=True)
        (folder / _WRITTEN).write_text("\n".join(written) + "\n", encoding="utf-8")
    print(f"{folder / 'index.html'}: {counted(len(sources.pages), 'page')}, {counted(n, 'player')}")


def _earlier(folder: Path) -> list[Path]:
    """Return the files of the site that was built there.

    Raises
    ------
    InvalidInputError
        There are files that no build wrote.
    """
    listed = folder / _WRITTEN
    ours = {listed, *(folder / line for line in listed.read_text(encoding="utf-8").splitlines())} if listed.is_file() else set()
    there = {path for path in folder.rglob("*") if not path.is_dir()}
    foreign = sorted(there - ours)
    if foreign:
        raise InvalidInputError("DIR", "empty or an earlier site", f"{folder} with {foreign[0].relative_to(folder)}")
    return sorted(there)


def _run_sphinx(source: Path, output: Path, doctrees: Path) -> None:
    from sphinx.cmd.build import build_main

    options = ["-q", "-b", "html", "--fail-on-warning", "--keep-going", "-c", str(Path(__file__).parent), "-d", str(doctrees)]
    if build_main([*options, str(source), str(output)]) != 0:
        raise LabError("the site was not written, because Sphinx failed or gave the warnings above")


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the site; return 0, 2 after an error, or 130 if interrupted."""
    parser = _Parser(prog="python -m docs.site", description="Build the documentation as a site with search, steppers and scenes.")
    parser.add_argument("folder", metavar="DIR", type=Path, help="directory to write to: new, empty, or with an earlier site")
    parser.add_argument("--repository", metavar="URL", default="", help="address of the project's files, for links to code")
    try:
        options = parser.parse_args(arguments)
        build(options.folder, options.repository)
    except (LabError, OSError) as error:
        sys.stderr.write(f"error: {shown(str(error))}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
