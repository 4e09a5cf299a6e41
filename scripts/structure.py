"""Check the sizes of modules and functions; print the largest.

Hard limits: module 500 lines, function 60 lines, 7 parameters, test lines at least 0.8 of source
lines. The aims (300, 35, 1.0) are printed next to them. Command functions of the command line
are exempt from the limit on parameters: each parameter is an option that a person sees.

A class name is defined in one module only.

`str.splitlines` is refused: it ends lines at U+2028, form feeds and the like, in the middle of a
text. `memoranda.text.text_lines` does not.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULE, FUNCTION, PARAMETERS, TESTS = 500, 60, 7, 0.8
WIDE = {
    "memoranda/conversations/resource.py:add": 8,
    "memoranda/root_verbs.py:observe": 13,
    "memoranda/root_verbs.py:search": 10,
    "memoranda/blocks/resource.py:insert": 8,
    "memoranda/blocks/resource.py:replace": 8,
    "memoranda/errors/resource.py:record": 9,
    "memoranda/memories/resource.py:list": 8,
    "memoranda/api/jsonrpc/memory/core.py:retrieve": 10,
    "memoranda/api/jsonrpc/memory/core.py:store": 9,
    "memoranda/api/jsonrpc/memory/errors.py:record_error": 8,
}
"""Public use cases with more parameters, all passed by name."""
ADAPTERS = {"MemorandaStore"}
"""Class names that a framework's users expect, defined once per framework."""


def main() -> int:
    """Measure the tree; return 1 when a hard limit is exceeded."""
    modules = {path: path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py")}
    sizes = sorted(((text.count("\n"), str(path)) for path, text in modules.items()), reverse=True)
    functions = sorted(
        (found for path, text in modules.items() for found in _functions(path, text)), reverse=True
    )
    shipped = ROOT / "src" / "memoranda" / "testing"  # tests that others run too
    tests = _lines(ROOT / "tests") + _lines(shipped)
    source = _lines(ROOT / "src") - _lines(shipped)
    lengths = sorted(length for length, _, _ in functions)
    over = [(count - WIDE.get(name, PARAMETERS), count, name) for _, name, count in functions]
    wide = max(over)[1:]
    print(f"modules {len(sizes)}, largest {sizes[0][0]} lines ({_short(sizes[0][1])})")
    print(f"functions {len(lengths)}, median {lengths[len(lengths) // 2]}, ", end="")
    print(f"p90 {lengths[len(lengths) * 9 // 10]}, largest {functions[0][0]} ({functions[0][1]})")
    print(f"most parameters {wide[0]} ({wide[1]})")
    print(f"test lines for each source line {tests / source:.2f} ({tests} / {source})")
    passed = (
        sizes[0][0] <= MODULE
        and lengths[-1] <= FUNCTION
        and wide[0] <= WIDE.get(wide[1], PARAMETERS)
        and tests / source >= TESTS
    )
    if not passed:
        print(f"over a hard limit: module {MODULE}, function {FUNCTION}, ", file=sys.stderr, end="")
        print(f"parameters {PARAMETERS}, tests {TESTS}", file=sys.stderr)
    twice = _repeated_classes(modules)
    for name, places in twice.items():
        print(f"class {name} stands in {', '.join(places)}", file=sys.stderr)
    split = [place for path, text in modules.items() for place in _splitlines(path, text)]
    for place in split:
        print(f"{place}: text_lines instead of splitlines", file=sys.stderr)
    return 0 if passed and not split and not twice else 1


def _lines(folder: Path) -> int:
    return sum(path.read_text("utf-8").count("\n") for path in folder.rglob("*.py"))


def _splitlines(path: Path, text: str) -> list[str]:
    return [
        f"{_short(str(path))}:{node.lineno}"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and node.attr == "splitlines"
    ]


def _repeated_classes(modules: dict[Path, str]) -> dict[str, list[str]]:
    """Return class names that several modules define, without adapters."""
    places: dict[str, list[str]] = {}
    for path, text in modules.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef) and node.name not in ADAPTERS:
                places.setdefault(node.name, []).append(_short(str(path)))
    return {name: found for name, found in places.items() if len(found) > 1}


def _functions(path: Path, text: str) -> list[tuple[int, str, int]]:
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            count = sum(1 for name in names if name.arg not in ("self", "cls"))
            is_command = path.parent.name == "cli" and node.decorator_list
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            name = f"{_short(str(path))}:{node.name}"
            found.append((length, name, 0 if is_command else count))
    return found


def _short(path: str) -> str:
    return path.partition("/memoranda/src/")[2] or path.partition("/src/")[2]


if __name__ == "__main__":
    sys.exit(main())
