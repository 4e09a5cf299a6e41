"""Every text of the product that a person reads: pages, help, errors, tools, settings, docstrings.

Code blocks and code spans are left out, because names there belong to the code.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from memoranda.cli import cli
from memoranda.operations import OPERATIONS

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "memoranda"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "deploy" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
PLUGIN = sorted((ROOT / "plugins").rglob("*.md"))
INTERFACES = ("cli", "web", "tui", "hooks")
"""Folders where each text of two words or more is shown to a person."""
MARKUP = re.compile(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<script.*?</script>|<[^>]*>", re.S)
STRINGS = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'|`([^`]*)`")
SHOWN_ATTRIBUTE = re.compile(r"(?:title|placeholder|aria-label|alt)=\"([^\"]*)\"")
SHOWN_IN_MARKUP = re.compile(r"\{[{%][^}]*?[\"']([A-Za-z][^\"']* [^\"']*)[\"'][^}]*?[%}]\}")
COMPARED = re.compile(r"[=!]= *\"[^\"]*\"")
PARAGRAPHS = re.compile(r"\n\s*\n|\n(?=\s*[-*|] |\s*\d+\. )")


@dataclass(frozen=True, slots=True)
class ReaderText:
    """A text with its place and the kind of reader that meets it."""

    kind: str
    place: str
    text: str


def prose(page: str) -> str:
    """Return a page of Markdown without code blocks and code spans."""
    without_blocks = re.sub(r"^(\s*)```.*?^\s*```", "", page, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*(?:\n[^`\n]+)?`", "CODE", without_blocks)


def page_texts() -> Iterator[ReaderText]:
    """Return the paragraphs of the documentation, and the comments in its code blocks."""
    for page in (*PAGES, *PLUGIN):
        kind = "plugin" if page in PLUGIN else "docs"
        for paragraph in PARAGRAPHS.split(prose(page.read_text("utf-8"))):
            if paragraph.strip():
                yield ReaderText(kind, str(page.relative_to(ROOT)), " ".join(paragraph.split()))
        for block in re.findall(r"```.*?```", page.read_text("utf-8"), flags=re.S):
            for comment in re.findall(r"(?:^|\s)# +(\S.*)", block):
                yield ReaderText(kind, str(page.relative_to(ROOT)), comment)


def commands(
    command: click.Command = cli, path: tuple[str, ...] = ("memoranda",)
) -> Iterator[tuple[str, click.Command]]:
    """Return each command and group of the command line with its path."""
    yield " ".join(path), command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None:
                yield from commands(child, (*path, name))


def help_texts() -> Iterator[ReaderText]:
    """Return the help of every command and option."""
    for path, command in commands():
        for text in (command.help, command.epilog):
            if text:
                yield ReaderText("help", path, " ".join(text.replace("\b", "").split()))
        for option in command.params:
            if isinstance(option, click.Option) and option.help:
                yield ReaderText("help", f"{path} {option.opts[0]}", option.help)


def template_texts() -> Iterator[ReaderText]:
    """Return the texts of the web pages, in templates and scripts."""
    for page in sorted((SOURCE / "web" / "templates").glob("*.html")):
        source = COMPARED.sub("", page.read_text("utf-8"))
        place = str(page.relative_to(ROOT))
        found = [*SHOWN_ATTRIBUTE.findall(source), *SHOWN_IN_MARKUP.findall(source)]
        found += MARKUP.sub("\n", source).splitlines()
        yield from (ReaderText("pages", place, one.strip()) for one in found if " " in one.strip())
    for script in sorted((SOURCE / "web" / "static").glob("*.js")):
        place = str(script.relative_to(ROOT))
        for groups in STRINGS.findall(script.read_text("utf-8")):
            if re.search(r"[A-Za-z]{2,} [a-z]{2,}", text := "".join(groups)):
                yield ReaderText("pages", place, text)


def tool_texts() -> Iterator[ReaderText]:
    """Return the descriptions of the MCP tools and their parameters."""
    from memoranda.api.mcp.tools import ToolProfile, tools

    path = SOURCE / "api" / "mcp" / "tools.json"
    for tool in tools(ToolProfile.FULL):
        yield ReaderText("tools", tool.name, tool.description)

    def strings(value: object) -> Iterator[str]:
        if isinstance(value, dict):
            for key, one in value.items():
                if isinstance(one, str) and key in ("about", "title", "end", "none"):
                    yield one
                else:
                    yield from strings(one)
        elif isinstance(value, list):
            for one in value:
                yield from strings(one)

    for text in strings(json.loads(path.read_text("utf-8"))):
        yield ReaderText("tools", "tools.json", text)


def description_texts() -> Iterator[ReaderText]:
    """Return the texts of the OpenAPI and OpenRPC documents."""
    from memoranda.api.jsonrpc import endpoint
    from memoranda.api.rest import openapi

    def strings(value: object) -> Iterator[str]:
        if isinstance(value, dict):
            for key, one in value.items():
                if isinstance(one, str) and key in ("description", "summary"):
                    yield one
                else:
                    yield from strings(one)
        elif isinstance(value, list):
            for one in value:
                yield from strings(one)

    for place, document in (
        ("OpenAPI", openapi.document("/api/v1")),
        ("OpenRPC", endpoint.document()),
    ):
        for text in strings(document):
            yield ReaderText("description", place, prose(" ".join(text.split())))


def docstring_texts() -> Iterator[ReaderText]:
    """Return the documentation of the public methods."""
    from memoranda import Memoranda

    for operation in OPERATIONS.values():
        yield ReaderText("docstring", operation.name, operation.summary(Memoranda))


def _without_docstrings(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    ignored: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            ignored.add(node.value)
        if isinstance(node, ast.JoinedStr):
            parts = [p.value if isinstance(p, ast.Constant) else "X" for p in node.values]
            ignored.update(node.values)
            yield node, "".join(str(part) for part in parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in ignored:
            yield node, node.value


def source_texts() -> Iterator[ReaderText]:
    """Return messages of errors, and the texts of the interfaces, in the source."""
    for module in sorted(SOURCE.rglob("*.py")):
        place = str(module.relative_to(ROOT))
        tree = ast.parse(module.read_text("utf-8"))
        interface = module.relative_to(SOURCE).parts[0] in INTERFACES
        roots: list[ast.AST] = [tree] if interface else []
        if not interface:
            roots = [n for n in ast.walk(tree) if isinstance(n, ast.Raise) and n.exc is not None]
        for root in roots:
            for node, text in _without_docstrings(root):
                if re.search(r"[A-Za-z]{2,} [a-z]", text) and "select " not in text:
                    kind = "interface" if interface else "error"
                    line = getattr(node, "lineno", 0)
                    yield ReaderText(kind, f"{place}:{line}", " ".join(text.split()))


def class_texts() -> Iterator[ReaderText]:
    """Return the descriptions of errors and settings."""
    from memoranda import exceptions

    for name, kind in vars(exceptions).items():
        if isinstance(kind, type) and issubclass(kind, exceptions.MemorandaError):
            yield ReaderText("error", name, " ".join((kind.__doc__ or "").split()))
    tree = ast.parse((SOURCE / "config.py").read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == "Settings":
            for before, one in zip(node.body, node.body[1:], strict=False):
                if isinstance(before, ast.AnnAssign) and isinstance(one, ast.Expr):
                    text = ast.literal_eval(one.value)
                    yield ReaderText("setting", ast.unparse(before.target), " ".join(text.split()))


def all_texts() -> list[ReaderText]:
    """Return all texts, each once in a place."""
    parts = (
        *(page_texts, help_texts, template_texts, tool_texts),
        *(description_texts, docstring_texts, source_texts, class_texts),
    )
    return list(dict.fromkeys(text for part in parts for text in part()))
