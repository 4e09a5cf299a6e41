"""The option for the server address.

It is a separate module, because every command loads it at start-up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

_SERVER = "memoranda.api.server"


def server_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the server option to a command, or to all of them."""
    return click.option(
        "--url",
        metavar="URL",
        expose_value=False,
        callback=_store_address,
        help="Use a server, not the store on this machine (MEMORANDA_URL).",
    )(function)


def server_named() -> str | None:
    """Return the server address from the command line, or None."""
    context = click.get_current_context(silent=True)
    named: str | None = context.meta.get(_SERVER) if context else None
    return named


def _store_address(context: click.Context, _: click.Parameter, url: str | None) -> None:
    if url:
        context.meta[_SERVER] = url
