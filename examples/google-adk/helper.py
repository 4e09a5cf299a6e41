"""An agent of Google's ADK that looks into earlier sessions.

pip install memoranda 'google-adk>=2.13,<3'
python helper.py monday "My parcels go to Porto."
python helper.py tuesday "Where do my parcels go to?"
"""

from __future__ import annotations

import asyncio
import os
import sys

from google.adk.agents import LlmAgent
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import preload_memory
from google.genai.types import Content, Part

from memoranda import Memoranda
from memoranda.integrations.google_adk import MemorandaMemoryService

MODEL = os.environ.get("MODEL", "gemini-2.5-flash")
ADA = {"app_name": "helper", "user_id": "ada"}


async def main(name: str, said: str) -> None:
    """Say one thing in a session, print what is answered, and keep the session."""
    sessions = InMemorySessionService()
    with Memoranda.open() as memory:
        kept = MemorandaMemoryService(memory)
        agent = LlmAgent(name="helper", model=MODEL, tools=[preload_memory])
        runner = Runner(
            app_name="helper", agent=agent, session_service=sessions, memory_service=kept
        )
        await sessions.create_session(**ADA, session_id=name)
        message = Content(role="user", parts=[Part(text=said)])
        async for event in runner.run_async(user_id="ada", session_id=name, new_message=message):
            for part in (event.content and event.content.parts) or []:
                print(part.text)
        session = await sessions.get_session(**ADA, session_id=name)
        if session:
            await kept.add_session_to_memory(session)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], " ".join(sys.argv[2:])))
