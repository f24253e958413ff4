"""No kernel assigns an array to a slice: Numba compiles that for more than a second, and a loop in 0.05 s (`_copy_kernel`)."""

import ast
from pathlib import Path

ENGINE = Path(__file__).resolve().parents[2] / "engine"


def _has_slice(target):
    parts = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
    return any(isinstance(part, ast.Slice) for part in parts)


def _is_compiled(node):
    return isinstance(node, ast.FunctionDef) and any(ast.unparse(made).endswith(("kernel", "entry")) for made in node.decorator_list)


def slices_assigned(source):
    """Return the lines of compiled functions that assign something other than a number to a slice."""
    return [
        node.lineno
        for function in filter(_is_compiled, ast.walk(ast.parse(source)))
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and not isinstance(node.value, ast.Constant | ast.UnaryOp)
        for target in node.targets
        if isinstance(target, ast.Subscript) and _has_slice(target)
    ]


def test_slices_are_found():
    lines = ("@kernel", "def f(a, b, n):", "  a[:n] = b", "  a[:] = 0.0", "  a[2, :] = b[3]", "  a[0] = b[0]", "  a[:] = -1.0")
    assert slices_assigned("\n".join(lines)) == [3, 5] and slices_assigned("\n".join(lines[1:])) == []


def test_no_kernel_assigns_an_array_to_a_slice():
    sources = {path.relative_to(ENGINE): path.read_text("utf-8") for path in ENGINE.rglob("_*kernel.py")}
    found = [f"{path}:{line}" for path, source in sources.items() for line in slices_assigned(source)]
    assert found == []
