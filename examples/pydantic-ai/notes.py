"""An agent of pydantic-ai that keeps notes of its own from one run to the next.

pip install 'memoranda[anthropic]' 'pydantic-ai-slim[anthropic]>=2.68,<3'
python notes.py "I like tea"
python notes.py "What do I like?"
"""

from __future__ import annotations

import os
import sys
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.capabilities import NativeTool
from pydantic_ai.native_tools import MemoryTool as NativeMemoryTool

from memoranda import Memoranda
from memoranda.integrations.anthropic_memory import MemoryTool

MODEL = os.environ.get("MODEL", "anthropic:claude-sonnet-5-5")


def main(said: str) -> None:
    """Say one thing to the agent and print what it answers."""
    with Memoranda.open(workspace="notes") as memory:
        tool = MemoryTool(memory, workspace="notes")
        agent = Agent(
            MODEL,
            model_settings={"max_tokens": 1_024},
            capabilities=[NativeTool(NativeMemoryTool())],
        )

        @agent.tool_plain(name="memory")
        def _remember(**command: Any) -> Any:
            return tool.call(command)

        print(agent.run_sync(said).output)


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]))
