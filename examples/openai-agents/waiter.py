"""An agent of the OpenAI Agents SDK that goes on where the conversation was.

    pip install 'memoranda[openai-agents]'
    python waiter.py ada "I like oolong tea"
    python waiter.py ada "What shall I drink?"

What was said is kept by the session: under this name, on this machine.
"""

from __future__ import annotations

import asyncio
import os
import sys

from agents import Agent, Runner

from memoranda import Memoranda
from memoranda.integrations.openai_session import MemorandaSession


async def main(name: str, said: str) -> None:
    """Say one thing in a conversation and print what is answered."""
    agent = Agent(
        name="waiter",
        instructions="You are a waiter in a tea house. Answer in one short sentence.",
        model=os.environ.get("MODEL"),
    )
    with Memoranda.open() as memory:
        done = await Runner.run(agent, said, session=MemorandaSession(name, memory))
        print(done.final_output)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], " ".join(sys.argv[2:])))
