"""Commands that set Memoranda up inside coding agents."""

from __future__ import annotations

import os
from pathlib import Path

import click

from memoranda.cli.output import Output, command_here, write

AGENTS = ("claude-code", "codex", "gemini-cli", "cursor")


@click.command(epilog="Example: memoranda install claude-code --dry-run")
@click.argument("agent", type=click.Choice(AGENTS))
@click.option("--scope", type=click.Choice(["user", "project"]), default="user")
@click.option("--live", is_flag=True, help="Long outputs are shown to the agent in short form.")
@click.option("--dry-run", is_flag=True, help="Only show the change.")
@command_here
def install_command(
    out: Output, data_dir: str | None, agent: str, scope: str, live: bool, dry_run: bool
) -> None:
    """Write the hooks that record an agent's sessions. Other settings stay as they are.

    Installing again without --live turns live mode off; only Claude Code has it.
    """
    _change(out, data_dir, agent, scope, dry_run, install=True, live=live)


@click.command(epilog="Example: memoranda uninstall claude-code --scope project")
@click.argument("agent", type=click.Choice(AGENTS))
@click.option("--scope", type=click.Choice(["user", "project"]), default="user")
@click.option("--dry-run", is_flag=True, help="Only show the change.")
@command_here
def uninstall_command(
    out: Output, data_dir: str | None, agent: str, scope: str, dry_run: bool
) -> None:
    """Remove those hooks again, and nothing else. What was captured stays."""
    _change(out, data_dir, agent, scope, dry_run, install=False)


def _change(
    out: Output,
    data_dir: str | None,
    agent: str,
    scope: str,
    dry_run: bool,
    *,
    install: bool,
    live: bool = False,
) -> None:
    from memoranda.agents.environment import passing_place
    from memoranda.agents.hosts import CODEX, InstallScope, host_of
    from memoranda.agents.installation import Installation
    from memoranda.config import load_settings
    from memoranda.errors import InvalidInput

    host = host_of(agent)
    if live and host.shortened is None:
        raise InvalidInput(f"{host.title} does not let a hook shorten what its agent sees")
    settings = load_settings({"data_dir": data_dir})
    path = host.settings_file(InstallScope(scope), Path.cwd(), os.environ)
    custom = settings.origins["data_dir"] != "default"
    over = settings.live_over_bytes if live else None
    installation = Installation(
        host, path, settings.data_dir, custom_data_dir=custom, live_over=over
    )
    change = installation.installing() if install else installation.removing()
    if not dry_run:
        installation.apply(change)
    notes = [host.afterwards] if install and host.afterwards else []
    if install and (place := passing_place()):
        notes.append(f"Hooks run from {place}: they record nothing any more when that is removed")
    payload = {
        "path": str(path),
        "changed": change.before != change.after,
        "diff": change.diff,
        "notes": notes,
    }
    if out.format == "json":
        out.json(payload)
    elif not change.diff:
        write(f"{path}: nothing to change")
    elif dry_run:
        write(change.diff)
    else:
        done = "records every session from the next one on" if install else "records no more"
        done += ", once its hooks are trusted" if install and host is CODEX else ""
        done += f" and sees outputs over {over:,} bytes in short form" if over else ""
        write(f"{path}: {host.title} {done}")
        for note in notes:
            write(note)
