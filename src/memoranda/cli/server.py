"""The command that runs the server."""

from __future__ import annotations

import logging
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memoranda.cli.output import Output, command_here, pairs, write

if TYPE_CHECKING:
    from memoranda.api.server.main import ServerInfo


@click.command(epilog="Example: memoranda serve --port 7077")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=7077,
    show_default=True,
    help="Port; 0 for any free port.",
)
@click.option(
    "--unix", type=click.Path(path_type=Path), help="Listen on a Unix socket that only you can use."
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Number of worker processes.",
)
@click.option("--public", is_flag=True, help="Accept requests from other machines, with keys.")
@click.option(
    "--allow-host", multiple=True, metavar="NAME", help="Additional host name. Repeatable."
)
@click.option(
    "--allow-origin",
    multiple=True,
    metavar="URL",
    help="Origin of web pages that may call the server. Repeatable.",
)
@click.option(
    "--log-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Log file. Default: standard error.",
)
@click.option(
    "--log-level",
    type=click.Choice(["info", "warning"]),
    help="Log level; info logs every call.  [default: info for a file, else warning]",
)
@command_here
def serve_command(
    out: Output,
    data_dir: str | None,
    host: str,
    port: int,
    unix: Path | None,
    workers: int,
    public: bool,
    allow_host: tuple[str, ...],
    allow_origin: tuple[str, ...],
    log_file: Path | None,
    log_level: str | None,
) -> None:
    """Serve the store to programs on this machine, until Ctrl-C.

    With --format json, one line of JSON reports when it is ready.
    """
    from memoranda.api.server.listener import ListenAddress
    from memoranda.api.server.log_lines import LogSettings
    from memoranda.api.server.main import serve
    from memoranda.config import load_settings

    level = log_level or ("info" if log_file else "warning")
    log = LogSettings(log_file, logging.getLevelNamesMapping()[level.upper()])
    address = ListenAddress(host, port, unix, public, allow_host, allow_origin)
    settings = load_settings({"data_dir": data_dir})
    serve(settings, address, workers, lambda ready: _announce(out, ready), log)
    if out.format != "json":
        write("stopped; all data is stored")


def _announce(out: Output, ready: ServerInfo) -> None:
    from memoranda.json_data import as_json, dump_json

    if out.format == "json":
        write(dump_json(as_json(ready)))
        return
    shown = {"serving": ready.url, "token": ready.token_file, "data": ready.data_dir}
    write(pairs(shown | ({"database": ready.database} if ready.database else {})))
    write(f"try:     {_first_request(ready)}")
    write("Ctrl-C stops it.")
    if ready.sign_in:
        write("\nThe web page; the link signs in once, and `memoranda web link` prints another.")
        write(f"open:    {ready.sign_in}")


def _first_request(ready: ServerInfo) -> str:
    token = f'-H "Authorization: Bearer $(cat {shlex.quote(str(ready.token_file))})"'
    if ready.url.startswith("unix:"):
        return f"curl --unix-socket {shlex.quote(ready.url[5:])} {token} http://localhost/readyz"
    return f"curl {token} {ready.url}/readyz"


@click.group()
def web_command() -> None:
    """Open the web page of a server on this machine."""


@web_command.command("link", epilog="Example: memoranda web link")
@click.option("--at", metavar="URL", help="URL of the server. Default: the running server.")
@command_here
def web_link(out: Output, data_dir: str | None, at: str | None) -> None:
    """Print a link that signs in to the web page once, within 15 minutes."""
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
