# mypy: disable-error-code="no-untyped-call"
"""Work that Numba does for nothing when it compiles kernels, left out: two fifths of the processor time.

Two shortcuts, both without any effect on the machine code that is kept:

- A function that is only written out in others (`jit.inlined_kernel`) needs no machine code of its own, and what optimises it there is
  done again in each of its callers. `LinkedCompiler` stops once there is LLVM code to link.
- Numba compares its compiler flags at every call that it types, by two dictionaries of some twenty-five properties. `compare_flags_fast`
  compares first what was set.

Both reach into Numba 0.68. What is missing there in another version is left as it is: compiling then takes longer, and nothing else.
Loads Numba.
"""

from __future__ import annotations

from typing import Any, cast

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.targetconfig import TargetConfig

__all__ = ["LinkedCompiler", "compare_flags_fast"]

_NEEDED = ("_optimize_final_module", "_finalize_final_module", "_finalize_dynamic_globals", "_verify_declare_only_symbols")


class _Nowhere:
    """Takes the place of the code generator where Numba would tell machine code its environment: there is no machine code."""

    def set_env(self, name: str, environment: object) -> None:
        """Do nothing."""


class _LinkedLibrary(JITCodeLibrary):
    """LLVM code to link into callers: neither optimised nor turned into machine code by itself."""

    @property
    def codegen(self) -> Any:
        return _Nowhere()

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0


class LinkedCompiler(Compiler):
    """Numba's compiler for functions that are forced inline and that Python does not call."""

    def _compile_bytecode(self) -> Any:
        state = self.state
        if state.library is None and all(hasattr(JITCodeLibrary, name) for name in _NEEDED):
            state.library = _LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        return super()._compile_bytecode()


_defaults: dict[type, dict[str, Any]] = {}


def _values(flags: Any) -> dict[str, Any]:
    kind = type(flags)
    if kind not in _defaults:
        _defaults[kind] = {name: option.default for name, option in kind.options.items()}
    return {**_defaults[kind], **flags._values}


def _are_equal(flags: Any, other: Any) -> Any:
    if flags is other:
        return True
    if not isinstance(other, TargetConfig):
        return NotImplemented
    return flags._values == other._values or _values(flags) == _values(other)


def _hash(flags: Any) -> int:
    return hash(type(flags))  # Numba's own hashes the names of the options alone, which are those of the type


def compare_flags_fast() -> None:
    """Let Numba compare compiler flags without listing them, from now on."""
    if getattr(TargetConfig, "__slots__", None) == ["_values"]:
        kind = cast(Any, TargetConfig)
        kind.values, kind.__eq__, kind.__hash__ = _values, _are_equal, _hash
