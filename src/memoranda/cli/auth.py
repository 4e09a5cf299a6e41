"""Commands for the keys and tokens of a server's callers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.options import one_of, page_options
from memoranda.cli.output import Output, command, day, remark
from memoranda.exceptions import Forbidden
from memoranda.identity.principal import Role
from memoranda.json_data import iso_time

if TYPE_CHECKING:
    from collections.abc import Callable

    from memoranda import Memoranda
    from memoranda.identity.model import Credential


@click.group()
def auth_command() -> None:
    """Manage access: keys and tokens for callers of a server."""


@auth_command.group("token")
def token_group() -> None:
    """Create, list and revoke keys and tokens."""


@auth_command.group("key")
def key_group() -> None:
    """Manage the keys that sign tokens."""


def _team_option(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--team", help="Team name. Default: the configured team.")(function)


@contextmanager
def _seen(data_dir: str | None, team: str | None) -> Iterator[Memoranda]:
    """Open the memory as the machine's owner, optionally for another team."""
    with opened(data_dir) as memory:
        if memory.is_remote and team:
            raise Forbidden("--team works only without a server; a server uses the key's team")
        if memory.is_remote or team in (None, memory.settings.team) or memory.acting is not None:
            yield memory
            return
    from memoranda.api.service import Service
    from memoranda.config import load_settings
    from memoranda.identity.principal import owner

    wanted_owner = owner(team or "")
    with closing(Service(load_settings({"data_dir": data_dir}))) as service:
        yield service.memory(wanted_owner)


@token_group.command("create", epilog="Example: memoranda auth token create --role member")
@click.option("--role", type=one_of(Role), required=True, help="Role: what the caller may do.")
@_team_option
@click.option("--subject", metavar="NAME", help="User the key belongs to. Default: its creator.")
@click.option("--agent", metavar="ID", help="Agent the key belongs to; requires the role agent.")
@click.option("--workspace", metavar="NAME", help="Default workspace of the caller.")
@click.option(
    "--days",
    "--expires",
    type=int,
    metavar="DAYS",
    help="Days until the key expires. Default: never.",
)
@click.option("--jwt", is_flag=True, help="Create a signed token instead of a key.")
@click.option("--hours", type=float, help="Hours until the signed token expires. Default: 1.")
@command
def token_create(
    out: Output, data_dir: str | None, team: str | None, role: str, **options: Any
) -> None:
    """With --jwt, the result is a signed token, valid for at most 24 hours.

    The key or token is printed once and not stored.
    """
    with _seen(data_dir, team) as memory:
        credential = memory.tokens.create(role, **options)
    out.text(credential, credential.secret)
    if out.format != "json":
        item = credential.credential
        remark(f"{item.kind} {item.id} for {_holder(item)}, {_until(item)}")


@token_group.command("list", epilog="Example: memoranda auth token list --past")
@_team_option
@click.option("--past", is_flag=True, help="Include expired and revoked keys and tokens.")
@page_options
@command
def token_list(
    out: Output, data_dir: str | None, team: str | None, past: bool, **paging: Any
) -> None:
    with _seen(data_dir, team) as memory:
        page = memory.tokens.list(past=past, **paging)
    rows = [
        (credential.id, credential.kind, credential.role, _holder(credential),
         credential.workspace or "", credential.created_by,
         day(credential.created_at), _until(credential), _used(credential))
        for credential in page
    ]  # fmt: skip
    names = ("id", "kind", "role", "for", "workspace", "by", "made", "good", "last used")
    out.rows(page, names, rows)


@token_group.command("revoke", epilog="Example: memoranda auth token revoke 01a2042c-5b1e-7000")
@click.argument("id")
@_team_option
@click.option(
    "--outside",
    is_flag=True,
    help="Revoke a token of the external issuer; ID is the token's full jti.",
)
@command
def token_revoke(
    out: Output, data_dir: str | None, id: str, team: str | None, outside: bool
) -> None:
    with _seen(data_dir, team) as memory:
        revoked = memory.tokens.revoke(id, outside=outside)
    out.text(revoked, f"{revoked.id}  revoked by {revoked.revoked_by}, {day(revoked.revoked_at)}")


@key_group.command("rotate", epilog="Example: memoranda auth key rotate")
@command
def key_rotate(out: Output, data_dir: str | None) -> None:
    """Earlier keys verify tokens until the tokens that they signed expire."""
    with opened(data_dir) as memory:
        info = memory.tokens.rotate_key()
    out.text(info, f"{info.kid}  is now the signing key")


def _holder(one: Credential) -> str:
    return f"agent {one.agent}" if one.agent else one.subject


def _used(one: Credential) -> str:
    """Return the UTC day of the last use; only the day is stored."""
    return f"{iso_time(one.last_used)[:10]} UTC" if one.last_used else "never"


def _until(one: Credential) -> str:
    if one.revoked_at is not None:
        return f"revoked {day(one.revoked_at)}"
    return "until revoked" if one.expires_at is None else f"until {day(one.expires_at)}"
