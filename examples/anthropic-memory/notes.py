"""Claude keeps notes of its own from one conversation to the next: `python notes.py "I like tea"`.

The notes are blocks of the workspace `notes`: look at them with `memoranda block list`.
"""

from __future__ import annotations

import os
import sys

from anthropic import Anthropic

from memoranda import Memoranda
from memoranda.integrations.anthropic_memory import MemoryTool

MODEL = os.environ.get("MODEL", "claude-sonnet-5-5")


def main(said: str) -> None:
    """Say one thing to the model and print what it answers."""
    with Memoranda.open(workspace="notes") as memory:
        runner = Anthropic().beta.messages.tool_runner(
            model=MODEL,
            max_tokens=1_024,
            betas=["context-management-2025-06-27"],
            messages=[{"role": "user", "content": said}],
            tools=[MemoryTool(memory, workspace="notes")],
        )
        for part in runner.until_done().content:
            if part.type == "text":
                print(part.text)


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "What do you know about me?")
