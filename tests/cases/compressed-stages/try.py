"""Plant sentences of three speakers among reads of code; compress them."""

import json

from memoranda import Memoranda

CODE = '''"""Module {n}: reads rows, checks them and hands them on."""

import json
from pathlib import Path


def load_{n}(path: Path) -> list[dict[str, int]]:
    rows = json.loads(path.read_text())
    if not rows:
        return []
    for row in rows:
        if row["amount"] < 0 and row["kind"] != "refund":
            raise ValueError(row)
{comment}
    return [row for row in rows if row["kind"] in KINDS_{n}]


class Reader{n}:
    size = {n}

    def __init__(self, path: Path, strict: bool = False) -> None:
        self.path = path
        self.strict = strict

    def read(self) -> list[dict[str, int]]:
        found = load_{n}(self.path)
        while self.strict and not found:
            found = load_{n}(self.path.parent / "spare.json")
        return sorted(found, key=lambda row: (row["day"], row["amount"]))
'''
PERSON = (
    "The totals of ledger {n} have to be in cents.",
    "Under no circumstances log card {n} in full.",
    "We can't use Redis for queue {n}, the boxes have no network.",
    "Mandatory: feed {n} goes through gate/{n}.cfg.",
)
AGENT = (
    "You must never call the billing endpoint {n} without the idempotency key.",
    "I went with SQLite for store {n} because the other one lost writes.",
    "The staging port of service {n} is 90{n}.",
    "To rebuild index {n} somebody has to run make index-{n}.",
)
TOOL = (
    "    # Batches of more than 40{n} rows are refused by the bank, so we split them.",
    "    # NOTE: reader {n} must not be shared between threads.",
    "    # Settings of reader {n} live in /etc/readers/{n}.toml.",
    "    # Decision: no retries in reader {n}, the caller already retries.",
)


def sentence(patterns: tuple[str, ...], number: int) -> str:
    return patterns[number % len(patterns)].format(n=number)


planted: dict[str, list[str]] = {"person": [], "agent": [], "tool": []}
with Memoranda.open(workspace="shop") as memory:
    for number in range(10, 22):
        said = {
            "person": sentence(PERSON, number),
            "agent": sentence(AGENT, number),
            "tool": sentence(TOOL, number),
        }
        code = "\n\n".join(
            CODE.format(n=f"{number}{part}", comment=said["tool"] if part == "b" else "")
            for part in "abc"
        )
        person = f"Look at reader {number} next. {said['person']} Thanks."
        memory.conversations.add(person, role="user", session="one")
        agent = f"Let me read the file first. {said['agent']} I'll look at the tests now."
        memory.conversations.add(agent, role="assistant", session="one")
        memory.observe(code, task="one", tool="Read", type="tool_call")
        for who, text in said.items():
            planted[who].append(text.strip(" #"))
    memory.capture.drain()
    task = memory.tasks.list().items[0].id
    memory.stages.complete(task)
    made = [memory.stages.compress(task, one.number, ratio=10) for one in memory.stages.list(task)]
    text = "\n".join(one.text for one in made)
    brief = memory.tasks.brief(task, tokens=sum(one.source_tokens for one in made) // 10).text
kept = {who: sum(one in text for one in found) for who, found in planted.items()}
told = sum(one.kept for one in made) / sum(one.facts for one in made)
print(
    json.dumps(
        kept
        | {
            "briefly": sum(one in brief for found in planted.values() for one in found),
            "honest": abs(told - sum(kept.values()) / 36) <= 0.02,
            "longer": sum(one.tokens > one.source_tokens for one in made),
            "ratio": round(sum(o.source_tokens for o in made) / sum(o.tokens for o in made), 1),
        }
    )
)
