"""Store fetched pages; print missed orders and wrongly quarantined pages."""

import json
from pathlib import Path

from memoranda import Memoranda

HERE = Path(__file__).parent


def texts(name: str) -> list[str]:
    """Return the texts of a file, one a line with escaped line breaks."""
    return [line.replace("\\n", "\n") for line in (HERE / name).read_text("utf-8").splitlines()]


hostile, ordinary = texts("hostile.txt"), texts("ordinary.txt")
with Memoranda.open(workspace="shop") as memory:
    for number, text in enumerate((*hostile, *ordinary)):
        page = {"url": f"https://pages.example/{number}"}
        memory.observe(text, type="tool_call", tool="WebFetch", input=page, key=str(number))
    memory.capture.drain()
    withheld: set[str] = set()
    cursor = None
    while True:
        found = memory.quarantine.list(limit=100, cursor=cursor)
        withheld |= {one.observation.id for one in found.items}
        cursor = found.cursor
        if cursor is None:
            break
    every: dict[str, bool] = {}
    for number, text in enumerate((*hostile, *ordinary), start=1):
        seen = memory.observations.show(f"1#{number}")
        every[text] = seen.observation.id in withheld
        assert text.strip().splitlines()[-1][:20] in str(seen), (number, text)
print(
    json.dumps(
        {
            "texts": len(every),
            "missed": [text for text in hostile if not every[text]],
            "false": [text for text in ordinary if every[text]],
        }
    )
)
