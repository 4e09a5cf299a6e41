"""Write a history and the results of mem0's own Memory class.

Usage: mem0_memory.py FOLDER.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

FOLDER = Path(sys.argv[1]).resolve()
os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=str(FOLDER / "mem0"))
sys.path.append(str(Path(__file__).parents[2] / "tests"))

from mem0 import Memory  # noqa: E402 - what it reads of the environment stands above

from embedding_servers import SIZE, EmbeddingServer  # noqa: E402


def main() -> None:
    """Add 40 memories of two people, change and delete some, and list all."""
    with EmbeddingServer() as server:
        model = {"api_key": "key", "openai_base_url": server.url}
        place = {"path": str(FOLDER / "mem0"), "embedding_model_dims": SIZE, "on_disk": True}
        memory = Memory.from_config(
            {
                "history_db_path": str(FOLDER / "history.db"),
                "vector_store": {"provider": "qdrant", "config": place},
                "embedder": {"provider": "openai", "config": {**model, "embedding_dims": SIZE}},
                "llm": {"provider": "openai", "config": model},
            }
        )
        ids = []
        for number in range(40):
            who = {"user_id": "ada"} if number % 2 else {"user_id": "bob", "agent_id": "shop"}
            topic = {"topic": f"t{number % 3}"}
            made = memory.add(f"Fact {number}: Porto", infer=False, metadata=topic, **who)
            ids.append(made["results"][0]["id"])
        for town, count in (("Lisbon", 10), ("Braga", 5)):
            for number in range(count):
                memory.update(ids[number], text=f"Fact {number}: {town}")
        for id in ids[35:]:
            memory.delete(id)
        results = [memory.get_all(filters={"user_id": one}, top_k=1_000) for one in ("ada", "bob")]
        every = [item for answer in results for item in answer["results"]]
        (FOLDER / "mem0.json").write_text(json.dumps({"results": every}), "utf-8")
        memory.close()


if __name__ == "__main__":
    main()
