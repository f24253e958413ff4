"""Small faults planted in the source of a function, one at a time, in the running interpreter.

A mutant is a single change in one function: the source is parsed, a node is replaced, the function is recompiled with the same line
numbers, and the new code object replaces the old one. All importers of the function then run the fault; removing it restores the old code
object. Kernels must be plain Python, so this needs ``NUMBA_DISABLE_JIT=1``.

======================  ================================================================================
boundary                ``<`` for ``<=``, and each of the others
reversed                ``<`` for ``>=``, ``==`` for ``!=``
sign                    ``+`` for ``-``, and the reverse; a minus left out
product                 ``*`` for ``/``, and the reverse
dropped term            ``a`` for ``a + b`` or ``a - b``
not round               ``i + 1`` for ``(i + 1) % n``
off by one              a whole number one more
twice                   a number twice as large, 1 for 0
tolerance 0             0 for a number named in capital letters
connective              ``and`` for ``or``, and the reverse
negated                 a condition turned over, in if, while and if-expressions
extreme                 min for max, sine for cosine, and the reverse; no absolute value
swapped                 ``b, a`` for ``a, b``, where two values are assigned, given or returned
left out                an assignment to an element, an addition to a variable, a call, a break, a continue
======================  ================================================================================
"""

from __future__ import annotations

import ast
import copy
import inspect
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

__all__ = ["Mutant", "functions_of", "mutants_of", "planted"]

_BOUNDARY = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_REVERSED = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
_SIGN = {ast.Add: ast.Sub, ast.Sub: ast.Add}
_PRODUCT = {ast.Mult: ast.Div, ast.Div: ast.Mult}
_EXTREME = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "cos": "sin", "sin": "cos"}


@dataclass(frozen=True)
class Mutant:
    """A planted fault: its function, line and kind; `before` and `after` are the source of the node."""

    function: FunctionType = field(repr=False)
    code: CodeType = field(repr=False)
    line: int
    kind: str
    before: str
    after: str

    @property
    def name(self):
        """A name that does not change when lines above the function are added."""
        place = f"{self.function.__module__.removeprefix('engine.')}.{self.function.__qualname__}"
        return f"{place}: {self.kind}: {self.before} -> {self.after}"


@contextmanager
def planted(mutant):
    """Run with the fault in place."""
    sound = mutant.function.__code__
    mutant.function.__code__ = mutant.code
    try:
        yield
    finally:
        mutant.function.__code__ = sound


def functions_of(codes):
    """Return the functions and methods of loaded modules with these code objects, in source order."""
    functions = {}
    for module in list(sys.modules.values()):
        if isinstance(module, ModuleType) and module.__name__.startswith("engine."):
            for function in _defined(module):
                if function.__code__ in codes:
                    functions[function.__code__] = function
    return sorted(functions.values(), key=lambda function: (function.__module__, function.__code__.co_firstlineno))


def mutants_of(function, lines, is_wanted=lambda: True):
    """Yield every requested mutant of a function that differs on one of `lines`, the executed lines."""
    file = inspect.getfile(function)
    if function.__code__.co_freevars or not Path(file).is_file():  # written by `dataclass`, say
        return
    body = _definition(ast.parse(Path(file).read_text(encoding="utf-8")), function)
    if body is None:
        return
    body.decorator_list = []
    for path, kind, change in list(_changes(body)):
        node = _at(body, path)
        line = getattr(node, "lineno", body.lineno)
        if line not in lines or not is_wanted():
            continue
        changed = copy.deepcopy(body)
        new = change(copy.deepcopy(node))
        before, after = _shown(node), _shown(new)
        ast.copy_location(new, node)
        _put(changed, path, new)
        module = ast.fix_missing_locations(ast.Module([changed], []))
        compiled = compile(module, file, "exec")
        code = next(constant for constant in compiled.co_consts if isinstance(constant, CodeType) and constant.co_name == function.__name__)
        if code.co_freevars == ():
            yield Mutant(function, code, line, kind, before, after)


def _shown(node):
    return " ".join(ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).split())


def _changes(function):
    for at, statement in enumerate(function.body):
        if at == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        for path, node in _walk(statement, (("body", at),)):
            for kind, change in _of_node(node, path):
                yield path, kind, change


def _walk(node, path):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.startswith("record"):
        return  # steps for a viewer, of which no answer depends
    yield path, node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        if isinstance(value, list):
            for at, child in enumerate(value):
                if isinstance(child, ast.AST):
                    yield from _walk(child, (*path, (name, at)))
        elif isinstance(value, ast.AST):
            yield from _walk(value, (*path, (name, None)))


def _of_node(node, path):
    match node:
        case ast.Compare(ops=[op]):
            if type(op) in _BOUNDARY:
                yield "boundary", _with_op(_BOUNDARY[type(op)])
            if type(op) in _REVERSED:
                yield "reversed", _with_op(_REVERSED[type(op)])
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            yield "sign", _with_op(_SIGN[type(node.op)])
            yield "dropped term", lambda copy: copy.left
        case ast.BinOp(op=ast.Mult() | ast.Div()):
            yield "product", _with_op(_PRODUCT[type(node.op)])
        case ast.BinOp(op=ast.Mod()):
            yield "not round", lambda copy: copy.left
        case ast.UnaryOp(op=ast.USub()):
            yield "sign", lambda copy: copy.operand
        case ast.Constant(value=bool(value)):
            yield "negated", lambda copy: ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield "off by one", lambda copy: ast.Constant(value + 1)
        case ast.Constant(value=float(value)):
            yield "twice", lambda copy: ast.Constant(2.0 * value if value else 1.0)
        case ast.Name(id=name, ctx=ast.Load()) if name.isupper() and len(name) > 2:
            yield "tolerance 0", lambda copy: ast.Constant(0.0)
        case ast.BoolOp():
            yield "connective", lambda copy: ast.BoolOp(ast.Or() if isinstance(copy.op, ast.And) else ast.And(), copy.values)
        case ast.If() | ast.While():
            yield "negated", _negated
        case ast.IfExp():
            yield "negated", _negated
        case ast.Call():
            yield from _of_call(node)
        case ast.Tuple(elts=[_, _], ctx=ast.Load()) if path[-1][0] in ("value", "elts"):
            yield "swapped", lambda copy: ast.Tuple(copy.elts[::-1], ast.Load())
        case ast.Break() | ast.Continue() | ast.AugAssign():
            yield "left out", lambda copy: ast.Pass()
        case ast.Assign(targets=[ast.Subscript()]):
            yield "left out", lambda copy: ast.Pass()
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))) if not name.startswith("record"):
            yield "left out", lambda copy: ast.Pass()


def _of_call(node):
    name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id if isinstance(node.func, ast.Name) else ""
    if name in _EXTREME:

        def other(call):
            if isinstance(call.func, ast.Attribute):
                call.func.attr = _EXTREME[name]
            else:
                call.func.id = _EXTREME[name]
            return call

        yield "extreme", other
    if name in ("abs", "fabs") and len(node.args) == 1:
        yield "extreme", lambda call: call.args[0]
    if len(node.args) >= 2 and name not in ("range", "zip", *_EXTREME) and ast.dump(node.args[0]) != ast.dump(node.args[1]):

        def swapped(call):
            call.args[0], call.args[1] = call.args[1], call.args[0]
            return call

        yield "swapped", swapped


def _with_op(op):
    def change(changed):
        if isinstance(changed, ast.Compare):
            changed.ops = [op()]
        else:
            changed.op = op()
        return changed

    return change


def _negated(changed):
    changed.test = ast.UnaryOp(ast.Not(), changed.test)
    return changed


def _defined(module):
    for value in list(vars(module).values()):
        if isinstance(value, FunctionType):
            yield value
        elif isinstance(value, type) and value.__module__ == module.__name__:
            for member in list(vars(value).values()):
                inner = getattr(member, "__func__", member)
                inner = getattr(inner, "fget", None) or getattr(inner, "func", None) or inner
                if isinstance(inner, FunctionType):
                    yield inner


def _definition(module, function):
    first = function.__code__.co_firstlineno
    waiting = list(module.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef) and min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) == first:
            return node
        if isinstance(node, ast.ClassDef):
            waiting += node.body
    return None


def _at(node, path):
    for name, at in path:
        node = getattr(node, name) if at is None else getattr(node, name)[at]
    return node


def _put(root, path, new):
    owner, (name, at) = _at(root, path[:-1]), path[-1]
    if at is None:
        setattr(owner, name, new)
    else:
        getattr(owner, name)[at] = new
