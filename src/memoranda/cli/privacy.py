"""Commands that show and test the privacy rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.options import stated
from memoranda.cli.output import Output, command

if TYPE_CHECKING:
    from memoranda.capture.redaction.model import PrivacyRules, RedactionPreview


@click.group()
def privacy_command() -> None:
    """Show privacy rules: what is never captured, and what is redacted."""


@privacy_command.command("show", epilog="Example: memoranda privacy show")
@command
def privacy_show(out: Output, data_dir: str | None) -> None:
    with opened(data_dir) as memory:
        rules = memory.capture.privacy()
    out.text(rules, _rules(rules, markdown=out.format == "md"))


@privacy_command.command("test", epilog="Example: memoranda privacy test - < notes.txt")
@click.argument("text")
@click.option("--path", help="Treat the text as the content of this file.")
@click.option(
    "--command", "from_command", default="", help="Treat the text as the output of this command."
)
@command
def privacy_test(
    out: Output, data_dir: str | None, text: str, path: str | None, from_command: str
) -> None:
    """Pass - to read standard input.

    Nothing is stored.
    """
    with opened(data_dir) as memory:
        preview = memory.capture.privacy_test(stated(text), path=path, command=from_command)
    out.text(preview, _preview_text(preview))


def _rules(found: PrivacyRules, *, markdown: bool) -> str:
    parts = (
        ("Excluded files", found.exclude_paths),
        ("Excluded commands", found.exclude_commands),
        ("Custom secret patterns", found.redact_patterns),
        ("Built-in secret patterns", found.rules if markdown else (", ".join(found.rules),)),
    )
    if markdown:
        lists = (f"## {title}\n\n" + "\n".join(f"- `{line}`" for line in lines)
                 for title, lines in parts if lines)  # fmt: skip
        return "\n\n".join(lists)
    sections = [[f"{title}:", *(f"  {line}" for line in lines)] for title, lines in parts if lines]
    return "\n".join(line for part in sections for line in part)


def _preview_text(found: RedactionPreview) -> str:
    if found.excluded:
        return "Nothing would be stored: the source of the text is excluded."
    removed = ", ".join(f"{count} {rule}" for rule, count in sorted(found.removed.items()))
    return f"{found.text}\nRedacted: {removed or 'nothing'}"
