"""Secrets and orders in texts by people who had not seen the rules.

Secrets in chat, commands, settings and code; orders to a model in seventeen languages. The floors
are the current recall of the rules; a rule that loses one text must gain more elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from memoranda.capture.redaction.redactor import Redactor
from memoranda.quarantine.order_detection import suspicion
from tables import each

TEXTS = Path(__file__).parent / "outside_texts"
REDACTOR = Redactor(b"key")


def stored(text: str) -> str:
    """Return a text as it is stored."""
    return REDACTOR.text(text)[0]


def rows(name: str) -> list[dict[str, str]]:
    """Return the texts of a file."""
    return [json.loads(line) for line in (TEXTS / name).read_text("utf-8").splitlines()]


@each(
    ("file", "is_right", "floor"),
    [
        ("secrets.jsonl", lambda row: row["secret"] not in stored(row["text"]), 0.98),
        ("harmless.jsonl", lambda row: stored(row["text"]) == row["text"], 0.97),
        ("orders.jsonl", lambda row: suspicion(row["text"]) is not None, 0.85),
        ("ordinary.jsonl", lambda row: suspicion(row["text"]) is None, 0.97),
        # The classifier of orders was not fitted to these two.
        ("unseen_orders.jsonl", lambda row: suspicion(row["text"]) is not None, 0.70),
        ("unseen_ordinary.jsonl", lambda row: suspicion(row["text"]) is None, 0.90),
    ],
    ids=["secrets", "harmless", "orders", "ordinary", "unseen orders", "unseen ordinary"],
)
def test_rules_hold_on_texts_of_others(
    file: str, is_right: Callable[[dict[str, str]], bool], floor: float
) -> None:
    texts = rows(file)
    wrong = [row["text"] for row in texts if not is_right(row)]
    assert 1 - len(wrong) / len(texts) >= floor, "\n".join(wrong)
