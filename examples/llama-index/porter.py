"""An engine of LlamaIndex that knows in one session what was said in another.

pip install memoranda 'llama-index-core>=0.14,<0.15' llama-index-llms-openai
python porter.py monday "My parcels go to Porto."
python porter.py tuesday "Where do my parcels go to?"
"""

from __future__ import annotations

import asyncio
import os
import sys

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory
from llama_index.llms.openai import OpenAI

from memoranda import Memoranda
from memoranda.integrations.llama_index import MemorandaMemoryBlock

MODEL = os.environ.get("MODEL", "gpt-4.1-mini")


async def main(session: str, said: str) -> None:
    """Say one thing in a session and print what is answered; then it leaves the session."""
    with Memoranda.open() as store:
        block = MemorandaMemoryBlock(store, workspace="porter", budget=1_000)
        memory = Memory.from_defaults(session_id=session, memory_blocks=[block])
        llm = OpenAI(model=MODEL, api_base=os.environ.get("OPENAI_BASE_URL"))
        engine = SimpleChatEngine.from_defaults(llm=llm, memory=memory)
        answer = str(await engine.achat(said))
        print(answer)
        # What left the short-term memory is kept; a session that ends leaves it as a whole.
        talk = [
            ChatMessage(role="user", content=said),
            ChatMessage(role="assistant", content=answer),
        ]
        await block.aput(talk, session_id=session)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], " ".join(sys.argv[2:])))
