"""The command that serves MCP on standard streams, started by a host."""

from __future__ import annotations

import sys

import click

from memoranda.cli.output import Output, command_here, remark
from memoranda.exceptions import InvalidInput

PROFILES = ("minimal", "default", "full", "reference-graph")
ROLES = ("reader", "agent", "member", "reviewer", "admin")


@click.command(epilog="Example: memoranda mcp --profile minimal --agent scribe")
@click.option("--profile", type=click.Choice(PROFILES), default="default", help="Tool set.")
@click.option("--role", type=click.Choice(ROLES), default="agent", help="Role of the caller.")
@click.option("--agent", metavar="ID", help="Agent id. Default: the host's name.")
@click.option(
    "--workspace", metavar="NAME", help="Workspace name. Default: the workspace of this folder."
)
@command_here
def mcp_command(
    _: Output,
    data_dir: str | None,
    profile: str,
    role: str,
    agent: str | None,
    workspace: str | None,
) -> None:
    """Serve the store to an MCP host on standard input and output.

    A host is, for example, Claude Code or Cursor.

    The caller is an agent, which can propose but not approve changes, unless --role specifies
    another role.
    """
    from memoranda.api.mcp.stdio import StdioOptions, serve
    from memoranda.api.mcp.tools import ToolProfile
    from memoranda.config import load_settings
    from memoranda.identity.principal import Role

    if agent is not None and role != Role.AGENT:
        raise InvalidInput(f"--agent is for agents; the role {role} is for users")
    if sys.stdin.isatty():
        remark("waiting for an MCP host on standard input; Ctrl-C stops it")
        remark(
            "to register this command with a host, for example: claude mcp add memoranda --"
            " memoranda mcp"
        )
    starting = StdioOptions(ToolProfile(profile), Role(role), agent, workspace)
    serve(load_settings({"data_dir": data_dir}), starting)
