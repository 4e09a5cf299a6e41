"""The command that serves JSON-RPC on standard input and output."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, redirect_stdout
from typing import TYPE_CHECKING, BinaryIO

import click

from memoranda.cli.open_memory import catch_up
from memoranda.cli.output import Output, command_here
from memoranda.exceptions import InvalidInput

if TYPE_CHECKING:
    from memoranda.api.service import Service
    from memoranda.identity.principal import Principal

CALL_FIELDS = ("method", "outcome", "milliseconds", "trace_id", "agent_id", "task_id", "context_id")
PLACES = ("error", "place", "kind")
"""Fields of a log line other than its message."""


@click.command(epilog="Example: memoranda rpc --agent critic --workspace shop")
@click.option("--agent", metavar="ID", help="Agent id; an agent can only propose changes.")
@click.option(
    "--role",
    type=click.Choice(["reader", "agent", "member", "reviewer", "admin"]),
    help="Role. Default: admin; with --agent: agent.",
)
@click.option("--workspace", metavar="NAME", help="Default workspace.")
@click.option("--verbose", is_flag=True, help="Log every call to standard error.")
@command_here
def rpc_command(
    out: Output,
    data_dir: str | None,
    agent: str | None,
    role: str | None,
    workspace: str | None,
    verbose: bool,
) -> None:
    """Answer JSON-RPC 2.0 on standard input and output until the input ends.

    Each message is one line, or has Content-Length headers; logs are written to standard error. The
    method rpc.discover lists all methods.
    """
    from memoranda.api.jsonrpc.endpoint import JsonRpcEndpoint
    from memoranda.api.jsonrpc.stdio import serve
    from memoranda.api.service import Service
    from memoranda.config import load_settings

    _log(logging.INFO if verbose else logging.WARNING)
    with _own_output() as sink, closing(Service(load_settings({"data_dir": data_dir}))) as service:
        caller = _caller(service, agent, role, workspace)
        _drain(service)
        endpoint = JsonRpcEndpoint(service)
        serve(lambda body: endpoint.answer(caller, body), sys.stdin.buffer, sink)


def _caller(
    service: Service, agent: str | None, role: str | None, workspace: str | None
) -> Principal:
    """Return the caller: the given or configured agent, or else the owner."""
    from memoranda.agents.acting_agent import identity
    from memoranda.identity.principal import Principal, Role
    from memoranda.scope import PERSON

    named = identity(service.settings, agent, service.home.ids)
    if role not in (None, "agent") and agent:
        raise InvalidInput(f"--agent is for agents, --role {role} for users; use one of them")
    if role == "agent" and not named:
        raise InvalidInput("--role agent requires --agent ID")
    person = role not in (None, "agent") or not named
    chosen = Role(role or "admin") if person else Role.AGENT
    return Principal(
        service.settings.team, PERSON, chosen, None if person else named, workspace=workspace
    )


def _drain(service: Service) -> None:
    """Store the events that hooks wrote."""
    from memoranda.identity.principal import owner

    catch_up(service.memory(owner(service.settings.team)))
    service.home.background.wake()  # run jobs left by short-lived processes


@contextmanager
def _own_output() -> Iterator[BinaryIO]:
    """Reserve standard output for responses.

    Other output goes to standard error. If the reader has closed the stream, end without an error.
    """
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    sink = sys.stdout.buffer
    with redirect_stdout(sys.stderr):
        yield sink
    try:
        sink.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _log(level: int) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_LogLine("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler])


class _LogLine(logging.Formatter):
    """Log line with additional fields besides its message."""

    def format(self, record: logging.LogRecord) -> str:
        fields = ((name, getattr(record, name, None)) for name in (*CALL_FIELDS, *PLACES))
        beside = [f"{name}={value}" for name, value in fields if value is not None]
        return " ".join([super().format(record), *beside])
