"""Export an agent file from Letta's own server.

Usage: letta_agent.py FOLDER, in an environment of its own: pip install letta==0.16.8 asyncpg
pgvector. LETTA_PG_URI names an empty database with pgvector, OPENAI_API_KEY is any text, and
LETTA_DISABLE_SQLALCHEMY_POOLING=true allows it to connect without TLS.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from letta.orm.base import Base
from letta.schemas.agent import CreateAgent
from letta.schemas.block import CreateBlock
from letta.schemas.embedding_config import EmbeddingConfig
from letta.schemas.enums import MessageRole
from letta.schemas.letta_message_content import TextContent
from letta.schemas.llm_config import LLMConfig
from letta.schemas.message import Message
from letta.server.db import engine
from letta.server.server import SyncServer
from sqlalchemy import text

TABLES = (
    "create sequence if not exists message_seq_id",
    "alter table messages alter sequence_id set default nextval('message_seq_id')",
)
BLOCKS = (
    {"label": "human", "value": "Name: Ada. Likes tea."},
    {"label": "persona", "value": "I am a guide.", "limit": 4_000, "read_only": True},
    {"label": "route", "value": "Porto, Braga", "description": "Where to"},
)


async def main(folder: str) -> None:
    """Create an agent with blocks and a conversation, and export it."""
    async with engine.begin() as line:
        await line.execute(text("create extension if not exists vector"))
        await line.run_sync(Base.metadata.create_all)
        for statement in TABLES:
            await line.execute(text(statement))
    server: Any = SyncServer()
    await server.init_async()
    actor = server.default_user
    wanted = CreateAgent(
        name="guide",
        llm_config=LLMConfig.default_config("gpt-4"),
        embedding_config=EmbeddingConfig.default_config(provider="openai"),
        memory_blocks=[CreateBlock(**one) for one in BLOCKS],
    )
    agent = await server.create_agent_async(wanted, actor=actor)
    talk = [
        Message(
            agent_id=agent.id,
            role=MessageRole.assistant if number % 2 else MessageRole.user,
            content=[TextContent(text=f"Message {number}: parcels go to Porto")],
        )
        for number in range(6)
    ]
    made = await server.message_manager.create_many_messages_async(talk, actor=actor)
    there = await server.agent_manager.get_agent_by_id_async(agent.id, actor=actor)
    ids = [*there.message_ids, *(one.id for one in made)]
    await server.agent_manager.update_message_ids_async(agent.id, ids, actor=actor)
    file = await server.agent_serialization_manager.export([agent.id], actor)
    (Path(folder) / "guide.af").write_text(file.model_dump_json(), "utf-8")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
