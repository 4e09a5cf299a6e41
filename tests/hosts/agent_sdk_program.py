"""Run an agent of the Claude Agent SDK with the SDK's own Python.

python agent_sdk_program.py PROMPT [SESSION]
"""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query


async def main(prompt: str, session: str | None = None) -> None:
    """Run a prompt with the user's settings, and print the result."""
    options = ClaudeAgentOptions(
        cli_path=shutil.which("claude"),
        setting_sources=["user"],
        permission_mode="bypassPermissions",
        mcp_servers=Path.home() / "mcp.json",
        resume=session,
    )
    async for message in query(prompt=prompt, options=options):
        if isinstance(message, ResultMessage):
            sys.stdout.write(f"{message.result}\n")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
