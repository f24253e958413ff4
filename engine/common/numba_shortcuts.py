# mypy: disable-error-code="no-untyped-call"
"""Work that Numba does for nothing when it compiles kernels, left out: half of the processor time.

None has any effect on what is computed. All but the last four are taken only while a kernel of ours is being compiled:

- A function that is only written out in others (`jit.inlined_kernel`, and Numba's own behind `np.empty` or `max`) needs no machine code
  of its own, and what optimises it there is done again in each of its callers. `LinkedCompiler` stops once there is LLVM code to link.
- Which of an operator's many templates fits given types is looked for at each use, and why the others do not fit is put into words that
  nobody reads. The one that fitted once is asked first.
- After each of some twenty passes it is found out which variables are alive where. Only the last one asks.
- For the size of each variable a module of LLVM is written and read that has only that one.
- Functions that a module only declares are optimised like those that it defines.
- Every call of LLVM is announced, twice, to listeners that add up how long it took.
- Compiler flags are compared at every call that is typed, by two dictionaries of some twenty-five properties. Now first what was set.

They reach into Numba 0.68, and are not taken with any other (`jit._shortcuts`).
Loads Numba.
"""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from llvmlite.binding import ffi
from numba.core import transforms
from numba.core.base import BaseContext
from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import Compiler
from numba.core.errors import NumbaError
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.target_extension import get_local_target
from numba.core.targetconfig import TargetConfig
from numba.core.types import BaseFunction, Poison, unliteral
from numba.core.typing.templates import _OverloadFunctionTemplate
from numba.core.utils import order_by_target_specificity

__all__ = ["KernelCompiler", "LinkedCompiler", "take_shortcuts"]

_NEEDED = ("_optimize_final_module", "_finalize_final_module", "_finalize_dynamic_globals", "_verify_declare_only_symbols")

_n_begun = 0
"""How many kernels of ours are being compiled, each for the one before. Numba lets one thread compile at a time."""


class KernelCompiler(Compiler):
    """Numba's compiler, with the shortcuts."""

    def _compile_bytecode(self) -> Any:
        global _n_begun
        _n_begun += 1
        try:
            return super()._compile_bytecode()
        finally:
            _n_begun -= 1


class LinkedCompiler(KernelCompiler):
    """The same for functions that are only linked into others and that Python does not call."""

    def _compile_bytecode(self) -> Any:
        state = self.state
        if state.library is None and all(hasattr(JITCodeLibrary, name) for name in _NEEDED):
            state.library = _LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        return super()._compile_bytecode()


_environments: dict[str, object] = {}
"""Of functions that have no machine code yet, by name."""


class _Nowhere:
    """Takes the place of the code generator where Numba would tell machine code its environment: it is told when there is some."""

    def set_env(self, name: str, environment: object) -> None:
        """Keep it until then."""
        _environments[name] = environment


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


def _set_environments(at_will: Any) -> Any:
    def set_env(self: Any, name: str, environment: object) -> None:
        at_will(self, name, environment)
        for other in [other for other in _environments if self._engine.get_global_value_address(other)]:
            at_will(self, other, _environments.pop(other))

    return set_env


def _link_overload(at_will: Any) -> Any:
    def build(self: Any, *arguments: Any) -> Any:
        if _n_begun and self._inline.is_never_inline:
            self._jit_options = {"pipeline_class": LinkedCompiler, "no_cfunc_wrapper": True, **self._jit_options}
        return at_will(self, *arguments)

    return build


def _ask_first_what_fitted(at_will: Any) -> Any:
    fitted: dict[Any, tuple[Any, bool]] = {}

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        plain_args, plain_kws = tuple(map(unliteral, args)), {name: unliteral(kind) for name, kind in kws.items()}
        if not _n_begun or any(isinstance(kind, Poison) for kind in (*plain_args, *plain_kws.values())):
            return at_will(self, context, args, kws)

        def fit(kind: Any, is_literal: bool) -> Any:
            template = kind(context)
            try:
                signature = template.apply(args, kws) if is_literal else template.apply(plain_args, plain_kws)
            except NumbaError:
                return None
            if signature is not None:
                self._impl_keys[signature.args] = template.get_impl_key(signature)
            return signature

        key = (self, context, tuple(args), tuple(kws.items()))
        signature = fit(*fitted[key]) if key in fitted else None
        if signature is not None:
            return signature
        for kind in order_by_target_specificity(get_local_target(context), self.templates, self.key[0]):
            for is_literal in (True, False) if kind.prefer_literal else (False, True):
                signature = fit(kind, is_literal)
                if signature is not None:
                    fitted[key] = (kind, is_literal)
                    return signature
        return at_will(self, context, args, kws)  # which tells why none fits

    return get_call_type


def _find_what_is_alive_when_asked(at_will: Any) -> Any:
    def run(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        code = self.func_ir
        if not _n_begun or emit_dels or code.is_generator:
            at_will(self, emit_dels, extend_lifetimes)
        else:
            code.blocks = transforms.canonicalize_cfg(code.blocks)
            code.variable_lifetime = VariableLifetime(code.blocks)
            code.generator_info = None

    return run


def _measure_types_once(at_will: Any) -> Any:
    sizes: dict[tuple[Any, str], int] = {}

    def get_abi_sizeof(self: Any, kind: Any) -> int:
        key = (self, str(kind))
        if "%" in key[1]:  # a name, which may mean one thing here and another there
            return cast(int, at_will(self, kind))
        if key not in sizes:
            sizes[key] = at_will(self, kind)
        return sizes[key]

    return get_abi_sizeof


def _optimize_functions(self: Any, module: Any) -> None:
    module.data_layout = self._codegen._data_layout
    for function in module.functions:
        if not function.is_declaration:
            manager, builder = self._codegen._function_pass_manager()
            with self._recorded_timings.record(f"Function passes on {function.name!r}", builder):
                manager.run(function, builder)


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


@cache
def take_shortcuts() -> None:
    """Take them from now on, in this process."""
    if getattr(TargetConfig, "__slots__", None) == ["_values"]:
        flags = cast(Any, TargetConfig)
        flags.values, flags.__eq__, flags.__hash__ = _values, _are_equal, _hash
    announced = getattr(ffi.lib._lock, "_cblist", [])
    announced[:] = [pair for pair in announced if pair[0].__module__ != "numba.core.base"]
    for kind, name, shortcut in (
        (BaseFunction, "get_call_type", _ask_first_what_fitted),
        (_OverloadFunctionTemplate, "_build_impl", _link_overload),
        (PostProcessor, "run", _find_what_is_alive_when_asked),
        (BaseContext, "get_abi_sizeof", _measure_types_once),
        (CPUCodeLibrary, "_optimize_functions", lambda _: _optimize_functions),
        (JITCPUCodegen, "set_env", _set_environments),
    ):
        if hasattr(kind, name):
            setattr(kind, name, shortcut(getattr(kind, name)))
