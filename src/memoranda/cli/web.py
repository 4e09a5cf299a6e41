"""Commands for the web page of a server."""

from __future__ import annotations

from pathlib import Path

import click

from memoranda.cli.output import Output, command_here


@click.group()
def web_command() -> None:
    """Open the web page of a server on this machine."""


@web_command.command("link", epilog="Example: memoranda web link")
@click.option("--at", metavar="URL", help="Address of the server. Default: the running one.")
@command_here
def web_link(out: Output, data_dir: str | None, at: str | None) -> None:
    """Print a link that signs in to the web page: once, within 15 minutes."""
    from memoranda.api.server.main import link_at
    from memoranda.clock import SystemClock
    from memoranda.config import load_settings
    from memoranda.identity.sessions import MINUTES, new_link

    folder = load_settings({"data_dir": data_dir}).data_dir
    url = (at or _place(folder)).rstrip("/")
    link = link_at(url, new_link(folder, SystemClock()))
    out.text({"url": link, "minutes": MINUTES}, link)


def _place(folder: Path) -> str:
    from memoranda.api.server.main import PLACE
    from memoranda.exceptions import NotFound

    try:
        return (folder / PLACE).read_text("ascii")
    except OSError:
        message = "no server is running for this data directory; start one: memoranda serve"
        raise NotFound(message) from None
