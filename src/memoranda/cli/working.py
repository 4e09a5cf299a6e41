"""Commands for working memory: keys and values of a task that expire."""

from __future__ import annotations

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.options import page_options, stated
from memoranda.cli.output import Output, command, day
from memoranda.json_data import dump_json, parse_exact_json


@click.group()
def working_command() -> None:
    """Manage working memory: keys and values of a task that expire."""


@working_command.command("put", epilog='Example: memoranda working put 3 next "write the tests"')
@click.argument("task")
@click.argument("key")
@click.argument("value")
@click.option("--json", "is_json", is_flag=True, help="VALUE is JSON instead of text.")
@click.option(
    "--ttl",
    type=int,
    metavar="SECONDS",
    help="Lifetime, at most 30 days. Default: working_memory_ttl.",
)
@command
def working_put(
    out: Output,
    data_dir: str | None,
    task: str,
    key: str,
    value: str,
    is_json: bool,
    ttl: int | None,
) -> None:
    """Pass - as VALUE to read standard input."""
    text = stated(value)
    with opened(data_dir, fresh=True) as memory:
        stored = memory.working.put(task, key, parse_exact_json(text) if is_json else text, ttl)
    out.text(stored, f"{stored.key} is stored until {day(stored.expires_at)}")


@working_command.command("get", epilog="Example: memoranda working get 3 next")
@click.argument("task")
@click.argument("key")
@command
def working_get(out: Output, data_dir: str | None, task: str, key: str) -> None:
    with opened(data_dir, fresh=True) as memory:
        entry = memory.working.get(task, key)
    value = entry.value
    out.text(entry, value if isinstance(value, str) else dump_json(value, indent=2))


@working_command.command("list", epilog="Example: memoranda working list 3")
@click.argument("task")
@page_options
@command
def working_list(
    out: Output, data_dir: str | None, task: str, limit: int, cursor: str | None
) -> None:
    with opened(data_dir, fresh=True) as memory:
        page = memory.working.list(task, cursor, limit)
    rows = [(key.key, day(key.written_at), day(key.expires_at)) for key in page]
    out.rows(page, ("key", "written", "expires"), rows)


@working_command.command("delete", epilog="Example: memoranda working delete 3 next")
@click.argument("task")
@click.argument("key")
@command
def working_delete(out: Output, data_dir: str | None, task: str, key: str) -> None:
    with opened(data_dir, fresh=True) as memory:
        was_there = memory.working.delete(task, key)
    answer = f"{key} is deleted" if was_there else f"there was no value for {key}"
    out.text({"key": key, "deleted": was_there}, answer)
