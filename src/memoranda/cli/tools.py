"""Commands for the memory tools that models call, and tool reliability."""

from __future__ import annotations

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.options import place, stated, workspace_option
from memoranda.cli.output import Output, command, write
from memoranda.exceptions import InvalidInput
from memoranda.json_data import dump_json, parse_exact_json


@click.group()
def tool_command() -> None:
    """List the memory tools and call them by name, as models do."""


@tool_command.command("list", epilog="Example: memoranda tool list --dialect openai")
@click.option(
    "--dialect",
    type=click.Choice(("anthropic", "openai")),
    default="anthropic",
    help="Format of the provider.",
)
@command
def tool_list(out: Output, data_dir: str | None, dialect: str) -> None:
    from memoranda.tools.memory_tools import tool_definitions

    out.text(found := tool_definitions(dialect), dump_json(list(found), indent=2))  # type: ignore[arg-type]


@tool_command.command(
    "call",
    epilog="""Example: memoranda tool call core_memory_append '{"label":"a","content":"b"}'""",
)
@click.argument("name")
@click.argument("arguments")
@click.option("--task", help="Task whose blocks are used.")
@click.option("--agent", help="Act as this agent.")
@command
def tool_call(
    out: Output,
    data_dir: str | None,
    name: str,
    arguments: str,
    task: str | None,
    agent: str | None,
) -> None:
    """ARGUMENTS is a JSON object, or - to read it from standard input."""
    parsed = parse_exact_json(stated(arguments))
    if not isinstance(parsed, dict):
        raise InvalidInput("the arguments of a tool must be a JSON object")
    with opened(data_dir, agent=agent) as memory:
        answer = memory.tools.call(name, parsed, task=task)
    if out.format == "json":
        out.json({"answer": answer})
    else:
        write(answer)


@tool_command.command("reliability", epilog="Example: memoranda tool reliability --workspace shop")
@workspace_option
@click.option("--limit", type=click.IntRange(1, 1000), default=50, help="Rows.")
@command
def tool_reliability(out: Output, data_dir: str | None, workspace: str | None, limit: int) -> None:
    """An asterisk marks tools that fail clearly more often than others."""
    with opened(data_dir, fresh=True) as memory:
        records = memory.tools.reliability(workspace=place(memory, workspace), limit=limit)
    rows = [
        ("*" if record.unreliable else "", record.tool, record.calls, record.failures,
         f"{record.rate:.0%}", f"{record.low:.0%}-{record.high:.0%}", record.findings,
         _top(record.kinds), _top(record.stages))
        for record in records
    ]  # fmt: skip
    names = ("", "tool", "calls", "failed", "rate", "95 %", "findings", "kinds", "stages")
    out.rows(records, names, rows)


def _top(counted: tuple[tuple[str, int], ...]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counted[:3])
