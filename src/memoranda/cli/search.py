"""Commands for retrieval: search, rate results, and build contexts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.open_memory import opened, pending_count
from memoranda.cli.options import MomentParam, one_of, place, workspace_option
from memoranda.cli.output import Output, command, day, remark, write
from memoranda.exceptions import InvalidInput
from memoranda.memories.model import Category
from memoranda.observations.model import ObservationType
from memoranda.scope import NEW_FOLDER
from memoranda.search.model import ContextBrief, HitKind, SearchMode
from memoranda.text import clip

if TYPE_CHECKING:
    from memoranda import Memoranda
    from memoranda.search.filters import SearchFilter
    from memoranda.search.model import Hit, SearchResult

SCOPES = ("global", "project", "all")
"""Search scopes: memories of the whole team, one workspace, or all."""


@click.command(epilog='Example: memoranda search "how did we fix the import error"')
@click.argument("query")
@workspace_option
@click.option("--portal", "portal", metavar="NAME", hidden=True, help="Same as --workspace.")
@click.option(
    "--scope",
    type=click.Choice(SCOPES),
    help="Memories of the whole team, this folder's workspace, or every workspace.",
)
@click.option("--task", help="Only in this task.")
@click.option(
    "--kind",
    type=one_of(HitKind),
    multiple=True,
    help="Only observations, only memories, or only blocks.",
)
@click.option(
    "--type",
    "types",
    type=one_of(ObservationType),
    multiple=True,
    help="Only observations of this type.",
)
@click.option(
    "--category", type=one_of(Category), multiple=True, help="Only memories of this category."
)
@click.option("--tag", multiple=True, help="Only results with this tag. Repeatable.")
@click.option(
    "--tags",
    metavar="TAGS",
    default="",
    help="Only results with all of these tags, such as test,git.",
)
@click.option("--any-tag", is_flag=True, help="Match any of the tags.")
@click.option("--since", type=MomentParam(), help="ISO date, or 90m, 12h, 7d, 4w ago.")
@click.option("--until", type=MomentParam(), help="End: an ISO date, or an age.")
@click.option("--as-of", type=MomentParam(), help="Search as of this time.")
@click.option("--known-by", type=MomentParam(), help="Only records stored by this time.")
@click.option("--ever", is_flag=True, help="Include memories that are not valid now.")
@click.option(
    "--mode",
    type=one_of(SearchMode),
    default="hybrid",
    help="Search mode: text and vectors, one of them, or exact tags first.",
)
@click.option(
    "--use-embeddings", is_flag=True, help="Search by text and by meaning (hybrid), the default."
)
@click.option("--quarantined", is_flag=True, help="Include quarantined observations.")
@click.option("--stage", help="Current stage of work; relevant results rank higher.")
@click.option("--explain", is_flag=True, help="Show the components of each score.")
@click.option(
    "--min-score",
    "--floor",
    type=click.FloatRange(0, 1),
    help="Minimum score of a hit; 0 lists the nearest records.",
)
@click.option("--nearest", is_flag=True, help="If nothing is found, show the nearest records.")
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, help="Maximum number of results."
)
@click.option("--cursor", help="Continue after the previous page.")
@command
def search_command(out: Output, data_dir: str | None, query: str, **options: Any) -> None:
    from memoranda.search.model import TaskContext

    with opened(data_dir, fresh=True) as memory:
        searched = _place(memory, options)
        result = memory.search(
            query,
            workspace=searched,
            where=_filter(options),
            work=TaskContext(options["stage"]),
            **{name: options[name] for name in PASSED_ON},
        )
        pending = 0 if result.hits else pending_count(memory, searched)
    for note in _notes(result, pending):
        remark(f"note: {note}")
    nearest = result.nearest if options["nearest"] else ()
    if nearest:
        remark("nothing found; nearest:")
    hits = result.hits or nearest
    rows = [
        (
            hit.ref,
            hit.type,
            day(hit.created_at),
            hit.tokens,
            f"{hit.score:.2f}",
            _marked(hit, query),
        )
        for hit in hits
    ]
    headers = ("ref", "type", "time", "tokens", "score", "title")
    out.rows(result, headers, rows, recalled=True)
    if options["explain"] and out.format != "json":
        for hit in hits:
            write(f"\n{hit.ref}  score {hit.score:g} = {_parts(hit.parts)}")
            write(f"    evidence: {_parts(hit.evidence or {})}")


def _place(memory: Memoranda, options: Mapping[str, Any]) -> str | None:
    """Return the workspace to search.

    Raises:
        InvalidInput: two scopes are specified, or this folder has no workspace.
    """
    from memoranda.resource import require_name

    workspace, scope = options["workspace"], options["scope"]
    workspace = options["portal"] if workspace is None else workspace
    require_name(workspace)
    if workspace and scope in ("global", "all"):
        raise InvalidInput(f"--scope {scope} cannot be combined with a workspace; omit one of them")
    if scope in ("global", "all"):
        return "all"
    result = place(memory, workspace, options["task"])
    if scope == "project" and result is None and not options["task"]:
        raise InvalidInput("this folder has no workspace yet; specify one with --workspace")
    return result


def _marked(hit: Hit, query: str) -> str:
    """Return the line of a hit, marked if a later hit replaces it."""
    line = _line(hit, query)
    return f"(replaced by {hit.replaced_by}) {line}" if hit.replaced_by else line


def _line(hit: Hit, query: str) -> str:
    """Return a hit's title, and the matching text if the title lacks it."""
    if hit.excerpt is None:
        return hit.title
    from memoranda.search.query import parse_query
    from memoranda.search.sentence_matches import matched_sentence

    text = hit.excerpt.text
    if part := matched_sentence(text, parse_query(query).words):
        text = text[part.start : part.start + part.length]
    text = clip(" ".join(text.split()), SENTENCE)
    if text in hit.title:
        return hit.title
    return text if text.startswith(hit.title.rstrip("…")) else f"{hit.title} … {text}"


def _notes(found: SearchResult, pending: int) -> Iterator[str]:
    """Yield caveats about the results; unapproved proposals are not searched."""
    if pending:
        what = "proposal is" if pending == 1 else "proposals are"
        yield f"{pending} {what} not searched while pending; see memoranda pending list"
    if found.note:
        yield found.note
    if found.elsewhere:
        yield f"{found.elsewhere} more in other workspaces; to include them: --workspace all"
    from memoranda.statements.conflict_result import reworded

    for pair in found.validation.contradictions:
        says = "updates" if pair.kind == "update" else "contradicts"
        yield f"{pair.newer} {says} the earlier {pair.older} (difference: {reworded(pair.reason)})"
    if missing := found.validation.left_out:
        shown = ", ".join(missing[:NAMED]) + (" …" if len(missing) > NAMED else "")
        what = "memory applies" if len(missing) == 1 else "memories apply"
        yield f"{len(missing)} critical {what} to any work (memoranda memory show ID): {shown}"


SENTENCE = 160
"""Number of characters shown of a sentence in a line."""
NAMED = 5
"""Number of critical memories listed in a note."""
PASSED_ON = ("task", "mode", "limit", "cursor", "explain", "min_score")


def _filter(options: Mapping[str, Any]) -> SearchFilter:
    from memoranda.search.filters import SearchFilter

    return SearchFilter(
        kinds=tuple(map(HitKind, options["kind"])) or tuple(HitKind),
        types=tuple(map(ObservationType, options["types"])),
        categories=tuple(map(Category, options["category"])),
        tags=(*options["tag"], *filter(None, map(str.strip, options["tags"].split(",")))),
        any_tag=options["any_tag"],
        team_wide=options["scope"] == "global",
        since=options["since"],
        until=options["until"],
        as_of=options["as_of"],
        quarantined=options["quarantined"],
        known_by=options["known_by"],
        ever=options["ever"],
    )


def _parts(parts: Mapping[str, float]) -> str:
    return "  ".join(f"{name} {value:g}" for name, value in parts.items() if value)


@click.command(epilog="Example: memoranda rate 3#42 useful")
@click.argument("id")
@click.argument("verdict", type=click.Choice(("useful", "useless")))
@click.option("--task", help="Task in which the record was useful.")
@command
def rate_command(
    out: Output, data_dir: str | None, id: str, verdict: str, task: str | None
) -> None:
    with opened(data_dir) as memory:
        rated = memory.observations.rate(id, useful=verdict == "useful", task=task)
    out.text(rated, f"{id}: {rated.useful} times useful, {rated.useless} times useless")


@click.command(epilog="Example: memoranda context --budget 1500 --query 'rounding of totals'")
@workspace_option
@click.option("--task", help="Task number or id. Default: the newest task.")
@click.option("--budget", type=int, help="Maximum tokens of the context.")
@click.option("--query", help="Description of the next step.")
@click.option(
    "--in-view",
    type=int,
    default=0,
    help="Number of newest observations that the agent can still see.",
)
@click.option(
    "--allow-overflow", is_flag=True, help="Include critical facts even if they exceed the budget."
)
@click.option("--at-start", is_flag=True, help="Show the context that a starting session receives.")
@command
def context_command(
    out: Output,
    data_dir: str | None,
    workspace: str | None,
    task: str | None,
    budget: int | None,
    query: str | None,
    in_view: int,
    allow_overflow: bool,
    at_start: bool,
) -> None:
    with opened(data_dir, fresh=True) as memory:
        within = place(memory, workspace, task)
        unknown = at_start and not (within or task or query or in_view or allow_overflow)
        if unknown:
            within = NEW_FOLDER
        brief = memory.context(
            budget=budget,
            query=query,
            workspace=within,
            task=task,
            in_view=in_view,
            allow_overflow=allow_overflow,
            at_start=at_start,
        )
    if unknown and not (brief.sections or brief.left_out):
        brief = ContextBrief.empty(brief.budget)
    out.verbatim(brief, brief.text)
    if brief.note:
        remark(f"note: {brief.note}")
    if unknown:
        remark(
            "note: nothing was captured in this folder; a session that starts here receives only "
            "what applies to every workspace; use --workspace NAME or --workspace all"
        )
    if out.format == "table":
        ratio = brief.compression_ratio
        whole = f"; the captured text is {ratio:g} times as long" if ratio > 1 else ""
        remark(f"\n({brief.tokens:,} of {brief.budget:,} tokens{whole})")


@click.command(epilog="Example: memoranda relevant 'half-up rounding' --max-tokens 1200")
@click.argument("query")
@workspace_option
@click.option("--task", help="Only in this task.")
@click.option("--max-tokens", type=click.IntRange(1), default=4000, help="Maximum tokens.")
@command
def relevant_command(
    out: Output,
    data_dir: str | None,
    query: str,
    workspace: str | None,
    task: str | None,
    max_tokens: int,
) -> None:
    with opened(data_dir, fresh=True) as memory:
        observations = memory.observations.relevant(
            query, max_tokens=max_tokens, workspace=place(memory, workspace, task), task=task
        )
    parts = [f"{summary.ref}  {summary.summary}\n" for summary in observations.summaries]
    parts += [
        f"--- {observation.observation.ref}, in full\n{observation.content}\n"
        for observation in observations.expanded
    ]
    parts.append(
        f"{observations.tokens} of {observations.budget} tokens, {observations.left_out} left out"
    )
    out.recalled(observations, "\n".join(parts))
