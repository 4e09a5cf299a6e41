"""Commands for documents, which are JSON that programs store by key."""

from __future__ import annotations

from typing import Any

import click

from memoranda.capture.redaction.model import SecretPolicy
from memoranda.cli.open_memory import opened
from memoranda.cli.options import confirmed_by_option, one_of, page_options, stated
from memoranda.cli.output import Output, command, day
from memoranda.documents.model import NewDocument
from memoranda.exceptions import NotFound
from memoranda.json_data import dump_json, parse_exact_json
from memoranda.text import clip

_place = click.option(
    "--workspace", metavar="NAME", help="Workspace. Default: the documents of the team."
)
_SHOWN = 60


@click.group()
def document_command() -> None:
    """Manage documents: JSON that programs store, such as graph state."""


@document_command.command("put", epilog='Example: memoranda document put notes greeting "Hello"')
@click.argument("space")
@click.argument("key")
@click.argument("value")
@click.option("--json", "is_json", is_flag=True, help="VALUE is JSON instead of text.")
@click.option(
    "--ttl", type=int, metavar="SECONDS", help="Seconds until the document expires. Default: never."
)
@click.option(
    "--version", type=int, metavar="N", help="Expected version; 0: the key must not exist."
)
@click.option(
    "--secrets",
    type=one_of(SecretPolicy),
    default=SecretPolicy.REFUSE.value,
    help="How to handle a credential in the value. Default: refuse.",
)
@_place
@command
def document_put(
    out: Output,
    data_dir: str | None,
    space: str,
    key: str,
    value: str,
    is_json: bool,
    ttl: int | None,
    version: int | None,
    secrets: str,
    workspace: str | None,
) -> None:
    """Pass - as VALUE to read standard input."""
    text = stated(value)
    new = NewDocument(key, parse_exact_json(text) if is_json else text, ttl, version)
    with opened(data_dir) as memory:
        (stored,) = memory.documents.put(space, [new], workspace=workspace, secrets=secrets)
    out.text(stored, f"{stored.key} has version {stored.version}")


@document_command.command("get", epilog="Example: memoranda document get notes greeting")
@click.argument("space")
@click.argument("key")
@_place
@command
def document_get(
    out: Output, data_dir: str | None, space: str, key: str, workspace: str | None
) -> None:
    with opened(data_dir) as memory:
        documents = memory.documents.get(space, [key], workspace=workspace)
    if not documents:
        raise NotFound(f"no value for {key!r} in {space!r}; it may have expired")
    value = documents[0].value
    out.verbatim(documents[0], value if isinstance(value, str) else dump_json(value, indent=2))


@document_command.command("list", epilog="Example: memoranda document list notes --prefix gr")
@click.argument("space")
@click.option("--prefix", default="", metavar="TEXT", help="Only keys with this prefix.")
@click.option("--descending", is_flag=True, help="Sort in descending order.")
@page_options
@_place
@command
def document_list(out: Output, data_dir: str | None, space: str, **filters: Any) -> None:
    """Each document is shown with the beginning of its value."""
    with opened(data_dir) as memory:
        page = memory.documents.list(space, **filters)
    rows = [
        (
            document.key,
            document.version,
            day(document.updated_at),
            clip(dump_json(document.value), _SHOWN),
        )
        for document in page
    ]
    out.rows(page, ("key", "version", "updated", "value"), rows)


@document_command.command("delete", epilog="Example: memoranda document delete notes greeting")
@click.argument("space")
@click.argument("keys", nargs=-1, required=True)
@_place
@command
def document_delete(
    out: Output, data_dir: str | None, space: str, keys: tuple[str, ...], workspace: str | None
) -> None:
    with opened(data_dir) as memory:
        gone = memory.documents.delete(space, list(keys), workspace=workspace)
    out.text({"deleted": gone}, f"{gone} deleted")


@document_command.command("clear", epilog="Example: memoranda document clear notes --yes")
@click.argument("space")
@click.option("--prefix", default="", metavar="TEXT", help="Only keys with this prefix.")
@click.option(
    "--yes", is_flag=True, help="Confirm; otherwise, the command only shows what it would remove."
)
@_place
@command
def document_clear(
    out: Output, data_dir: str | None, space: str, prefix: str, yes: bool, workspace: str | None
) -> None:
    with opened(data_dir) as memory, confirmed_by_option():
        gone = memory.documents.clear(space, prefix=prefix, workspace=workspace, confirm=yes)
    out.text({"deleted": gone}, f"{gone} deleted")
