"""A program that was written for mem0, on a server of Memoranda.

    memoranda serve &
    export MEM0_API_KEY=$(cat ~/.local/share/memoranda/token)
    python examples/mem0/habits.py "I like oolong tea"
    python examples/mem0/habits.py

Without words it tells what is known.
"""

from __future__ import annotations

import os
import sys

from mem0 import MemoryClient

HOST = os.environ.get("MEM0_HOST", "http://127.0.0.1:7077/mem0")
ADA = {"user_id": "ada"}


def main(words: list[str]) -> None:
    """Keep what was said; tell what fits it, or everything."""
    client = MemoryClient(host=HOST)
    if words:
        said = " ".join(words)
        client.add(said, filters=ADA)
        found = client.search(said, filters=ADA)
    else:
        found = client.get_all(filters=ADA)
    for one in found["results"]:
        sys.stdout.write(f"{one['created_at'][:10]}  {one['memory']}\n")
    client.client.close()


if __name__ == "__main__":
    main(sys.argv[1:])
