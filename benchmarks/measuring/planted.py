"""Plant sentences of a person, an agent and tools in recorded sessions.

The places are random. A sentence counts as kept where one line of a text has all of its keys,
ignoring case and whitespace. The check uses no code of the product.
"""

from __future__ import annotations

import copy
import csv
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOST = 2
"""Maximum number of sentences in one message or output."""
SPEAKERS = ("person", "agent", "tool")
CARRIERS = ("prose", "code", "log")
_COMPONENTS = (
    *("ledger", "invoice", "tariff", "mailer", "scheduler", "importer", "gateway", "thumbnail"),
    *("webhook", "geocoder", "crawler", "audit", "checkout", "inventory", "notifier", "exporter"),
    *("resolver", "billing", "archive", "ingest", "tokenizer", "relay"),
)
_TOOLS = (
    *("Redpanda", "Typesense", "Dragonfly", "Podman", "Haproxy", "Quarkus", "Nomad", "Varnish"),
    *("SQLite", "DuckDB", "Valkey", "Protobuf", "Zookeeper", "Celery", "Pulsar", "Envoy"),
    *("Traefik", "Minio"),
)
_FOLDERS = ["blue", "north", "spool", "fleet", "harbor", "quartz"]
_COMMENTS = ("# {}", "// {}", "    # {}", "    // {}", " * {}", '    """{}"""', "x = 3  # {}")
_LOGS = (
    "2026-09-14 09:12:44,120 INFO planner: {}",
    "[09:12:44] {}",
    "WARN  {}",
    "Sep 14 09:12:44 node-3 runner[412]: {}",
    'time="2026-09-14T09:12:44Z" level=info msg="{}"',
    "note: {}",
)
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A pattern with slots, and the keys by which it is found again."""

    kind: str
    text: str
    keys: tuple[str, ...]
    form: str = "sentence"
    """Its form: a sentence, the cells of a row, or an exception's message."""
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Planted:
    """A sentence in a session."""

    speaker: str
    carrier: str
    kind: str
    text: str
    keys: tuple[str, ...]
    language: str = "en"

    def kept(self, lines: Sequence[str]) -> bool:
        """Return whether one of the normalised lines has all keys."""
        return any(all(key in line for key in self.keys) for line in lines)


def normalised(text: str) -> list[str]:
    """Return the lines in lower case, with whitespace collapsed."""
    return [" ".join(line.lower().split()) for line in text.split("\n")]


def sentences(path: Path, chosen: str) -> list[Sentence]:
    """Read the patterns of one set, or of all sets."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Sentence(
                row["kind"],
                row["sentence"],
                tuple(row["keys"].split()),
                row.get("form", "sentence"),
                row.get("language", "en"),
            )
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            if chosen == "all" or row.get("set") in (None, chosen)
        ]


def plant(
    rows: Sequence[Row], patterns: Sequence[Sentence], count: int, draw: random.Random
) -> tuple[list[Row], list[Planted]]:
    """Return a transcript's rows with planted sentences, and the sentences."""
    found = copy.deepcopy(list(rows))
    places = {speaker: list(spoken(found, speaker)) for speaker in SPEAKERS}
    planted: list[Planted] = []
    used: dict[int, int] = {}
    for number in range(count):
        speaker = SPEAKERS[number % 3]
        carrier = CARRIERS[number // 3 % 3]
        if not places[speaker]:
            continue
        fact = filled(draw.choice(patterns), speaker, carrier, draw)
        place = draw.randrange(len(places[speaker]))
        holder, key = places[speaker][place]
        holder[key] = _carried(str(holder[key]), fact.text, carrier, speaker, draw)
        planted.append(fact)
        used[id(holder)] = used.get(id(holder), 0) + 1
        if used[id(holder)] == MOST:
            del places[speaker][place]
    return found, planted


def spoken(rows: Sequence[Row], speaker: str) -> Iterator[tuple[Row, str]]:
    """Yield the texts of a speaker: a dictionary, and the key of the text."""
    for row in rows:
        message = row.get("message") or {}
        content = message.get("content")
        if isinstance(content, str) and speaker == "person" and _is_typed(row, content):
            yield message, "content"
        for block in content if isinstance(content, list) else ():
            kind, text = block.get("type"), "agent" if row["type"] == "assistant" else "person"
            if kind == "text" and text == speaker and block["text"].strip():
                yield block, "text"
            elif kind == "tool_result" and speaker == "tool" and _is_output(block):
                row.pop("toolUseResult", None)  # a repetition of the same text
                yield block, "content"


def _is_typed(row: Row, content: str) -> bool:
    host = content.lstrip().startswith(("<", "/")) or row.get("isMeta")
    return row.get("type") == "user" and not host


def _is_output(block: Row) -> bool:
    content = block.get("content")
    return isinstance(content, str) and len(content) > 80 and content.lstrip()[0] not in "{[<"


def filled(pattern: Sentence, speaker: str, carrier: str, draw: random.Random) -> Planted:
    """Return a pattern with its slots filled."""
    one, other = draw.sample(_TOOLS, 2)
    slots = {
        "c": f"{draw.choice(_COMPONENTS)} {draw.choice(('queue', 'worker', 'job', 'feed'))}",
        "t": one,
        "u": other,
        "n": str(draw.randint(101, 9989)),
        "m": str(draw.randint(101, 9989)),
        "s": str(draw.randint(11, 89)),
        "w": f"{draw.randint(1, 9)}.{draw.randint(10, 99)}.{draw.randint(1, 9)}",
        "i": f"K-{draw.randint(1000, 9999)}",
        "p": f"{draw.choice(_FOLDERS)}/{draw.choice(_COMPONENTS)}/v{draw.randint(100, 999)}.cfg",
        "h": f"{draw.choice(_FOLDERS)}-{draw.randint(10, 99)}.example.net",
        "k": f"make {draw.choice(_COMPONENTS)}-{draw.choice(_FOLDERS)}{draw.randint(10, 99)}",
    }
    text = pattern.text.format(**slots)
    keys = tuple(" ".join(key.format(**slots).lower().split()) for key in pattern.keys)
    return Planted(
        speaker, carrier, pattern.kind, text[0].upper() + text[1:], keys, pattern.language
    )


def _carried(text: str, sentence: str, carrier: str, speaker: str, draw: random.Random) -> str:
    """Insert a sentence into a text in the carrier's form."""
    if carrier == "prose":
        if speaker == "tool":
            return _between_lines(text, ("", f"{sentence}", ""), draw)
        return _beside_sentence(text, sentence, draw)
    written = draw.choice(_COMMENTS if carrier == "code" else _LOGS).format(sentence)
    if speaker == "tool":
        return _between_lines(text, (written,), draw)
    around = _CODE_AROUND if carrier == "code" else _LOG_AROUND
    before, after = draw.choice(around), draw.choice(around)
    return f"{text.rstrip()}\n\n```\n{before}\n{written}\n{after}\n```\n"


_CODE_AROUND = (
    "def total(rows):\n    return sum(row.amount for row in rows)",
    "const pending = items.filter((item) => !item.done);",
    "for (int i = 0; i < count; i++) {\n    push(queue, i);\n}",
    "class Feed:\n    size = 0\n",
)
_LOG_AROUND = (
    "2026-09-14 09:12:43,881 DEBUG pool: 3 idle\n2026-09-14 09:12:44,002 DEBUG pool: 4 idle",
    "[09:12:41] tick\n[09:12:42] tick",
    "collected 41 items\n....................",
)


def _beside_sentence(text: str, sentence: str, draw: random.Random) -> str:
    ends = [found.end() for found in re.finditer(r"[.!?](?= [A-Z])|[.!?](?=\n|\Z)", text)]
    at = draw.choice(ends) if ends else len(text)
    return f"{text[:at].rstrip()} {sentence}{text[at:]}"


def _between_lines(text: str, written: Sequence[str], draw: random.Random) -> str:
    lines = text.split("\n")
    at = draw.randint(1, len(lines))
    return "\n".join([*lines[:at], *written, *lines[at:]])
