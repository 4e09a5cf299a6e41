"""Commands that bring things back."""

from __future__ import annotations

import click

from memoranda.cli.opening import Moment, opened, place, workspace_option
from memoranda.cli.output import Output, command, day, write
from memoranda.values.memory import Category
from memoranda.values.observation import ObservationType
from memoranda.values.recall import HitKind


@click.command(epilog='Example: memoranda search "how did we fix the import error"')
@click.argument("query")
@workspace_option
@click.option("--task", help="Only in this task.")
@click.option("--kind", type=click.Choice([k.value for k in HitKind]), multiple=True)
@click.option(
    "--type", "types", type=click.Choice([t.value for t in ObservationType]), multiple=True
)
@click.option("--category", type=click.Choice([c.value for c in Category]), multiple=True)
@click.option("--tag", multiple=True, help="Must have this tag; may be given several times.")
@click.option("--any-tag", is_flag=True, help="One of the tags is enough.")
@click.option("--since", type=Moment(), help="ISO date, or 90m, 12h, 7d, 4w ago.")
@click.option("--until", type=Moment())
@click.option("--limit", type=click.IntRange(1, 1000), default=20)
@command
def search_command(
    out: Output,
    data_dir: str | None,
    query: str,
    workspace: str | None,
    task: str | None,
    kind: tuple[str, ...],
    types: tuple[str, ...],
    category: tuple[str, ...],
    tag: tuple[str, ...],
    any_tag: bool,
    since: int | None,
    until: int | None,
    limit: int,
) -> None:
    """Find observations and memories."""
    from memoranda.recall.search import SearchFilter

    where = SearchFilter(
        kinds=tuple(map(HitKind, kind)) or tuple(HitKind),
        types=tuple(map(ObservationType, types)),
        categories=tuple(map(Category, category)),
        tags=tag,
        any_tag=any_tag,
        since=since,
        until=until,
    )
    with opened(data_dir, fresh=True) as memory:
        found = memory.search(
            query, workspace=place(memory, workspace, task), task=task, where=where, limit=limit
        )
    rows = [
        (hit.ref, hit.type, day(hit.created_at), hit.tokens, f"{hit.score:.2f}", hit.title)
        for hit in found.hits
    ]
    out.rows(found, ("ref", "type", "time", "tokens", "score", "title"), rows)


@click.command(epilog="Example: memoranda context --budget 1500 --query 'rounding of totals'")
@workspace_option
@click.option("--task", help="For this task, instead of the newest one.")
@click.option("--budget", type=int, help="Tokens the context may have.")
@click.option("--query", help="What the next step is about.")
@click.option(
    "--allow-overflow", is_flag=True, help="Give critical facts even if they exceed the budget."
)
@command
def context_command(
    out: Output,
    data_dir: str | None,
    workspace: str | None,
    task: str | None,
    budget: int | None,
    query: str | None,
    allow_overflow: bool,
) -> None:
    """Print what the next step should know, within a budget of tokens."""
    with opened(data_dir, fresh=True) as memory:
        brief = memory.context(
            budget=budget,
            query=query,
            workspace=place(memory, workspace, task),
            task=task,
            allow_overflow=allow_overflow,
        )
    out.text(brief, brief.text)
    if out.format == "table":
        note = f"{brief.tokens} of {brief.budget} tokens, {brief.compression_ratio}:1"
        click.echo(f"\n({note})", err=True)


@click.command(epilog="Example: memoranda relevant 'half-up rounding' --max-tokens 1200")
@click.argument("query")
@workspace_option
@click.option("--task", help="Only in this task.")
@click.option("--max-tokens", type=click.IntRange(1), default=4000)
@command
def relevant_command(
    out: Output,
    data_dir: str | None,
    query: str,
    workspace: str | None,
    task: str | None,
    max_tokens: int,
) -> None:
    """Pick summaries for a query within a budget of tokens, the best ones in full."""
    with opened(data_dir, fresh=True) as memory:
        found = memory.relevant(
            query, max_tokens=max_tokens, workspace=place(memory, workspace, task), task=task
        )
    if out.format == "json":
        out.json(found)
        return
    for observation in found.summaries:
        write(f"{observation.ref}  {observation.summary}\n")
    for full in found.expanded:
        write(f"--- {full.observation.ref}, in full\n{full.content}\n")
    write(f"{found.tokens} of {found.budget} tokens, {found.left_out} left out")
