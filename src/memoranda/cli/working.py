"""Commands for working memory: keys and values of a task that expire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.operation_commands import OperationCommands, Row
from memoranda.cli.options import stated
from memoranda.cli.output import Output, day
from memoranda.json_data import dump_json, parse_exact_json

if TYPE_CHECKING:
    from memoranda.working.model import WorkingEntry, WorkingKey


@click.group()
def working_command() -> None:
    """Manage working memory: keys and values of a task that expire."""


working = OperationCommands(working_command, "working")


@working.command(
    "put",
    'working put 3 next "write the tests"',
    click.argument("value"),
    click.option("--json", "is_json", is_flag=True, help="VALUE is JSON instead of text."),
    click.option(
        "--ttl",
        type=int,
        metavar="SECONDS",
        help="Lifetime, at most 30 days. Default: working_memory_ttl.",
    ),
)
def working_put(
    out: Output, data_dir: str | None, value: str, is_json: bool, **options: Any
) -> None:
    """Pass - as VALUE to read standard input."""
    text = stated(value)
    options["value"] = parse_exact_json(text) if is_json else text
    stored = working.call("put", data_dir, options, fresh=True)
    out.text(stored, f"{stored.key} is stored until {day(stored.expires_at)}")


@working.view("get", "working get 3 next", fresh=True)
def _value(entry: WorkingEntry) -> str:
    value = entry.value
    return value if isinstance(value, str) else dump_json(value, indent=2)


@working.view("list", "working list 3", columns=("key", "written", "expires"), fresh=True)
def _row(key: WorkingKey) -> Row:
    return key.key, day(key.written_at), day(key.expires_at)


@working.command("delete", "working delete 3 next")
def working_delete(out: Output, data_dir: str | None, task: str, key: str) -> None:
    was_there = working.call("delete", data_dir, {"task": task, "key": key}, fresh=True)
    answer = f"{key} is deleted" if was_there else f"there was no value for {key}"
    out.text({"key": key, "deleted": was_there}, answer)
