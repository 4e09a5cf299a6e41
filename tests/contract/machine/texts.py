"""Values that the rules of the state machine draw: few ids, many texts."""

from __future__ import annotations

from hypothesis import strategies as st

from contract.clock import START
from memoranda.text import normalise

WORDS = ("zebra", "invoice", "kernel", "window")
"""Search words: no two have the same stem, none is a part of another."""
PARTS = ("parse_config", "价格计算")
"""Parts of identifiers to search by."""

_ODD = (
    "it's",
    'say "half up"',
    "100%",
    "%s %(team)s :team ?",
    "a_b",
    "\\",
    "'; drop table observation; --",
    "日本語のテキスト",
    "修复了价格",
    "עברית \u202eabc",
    "👩‍👩‍👧‍👦 🚀",
    "e\u0301 é ﬁ ß İ",
    "\t\r\n",
    "\x01\x1f\x7f",
    "\ufffd\uffff\U0010ffff",
    "[]",
    "null",
    "~",
    " trailing ",
)

odd = st.sampled_from(_ODD)
texts = st.just("") | odd | st.text(max_size=20).map(normalise)
"""Any storable text."""
identifiers = st.lists(
    st.sampled_from(
        ("src/pricing/parse_config.py", "修复了价格计算的错误", "PARSE_CONFIG", "x", "")
    )
    | odd,
    max_size=2,
)
prose = st.builds(
    lambda words, rest: " ".join((*words, rest)),
    st.lists(st.sampled_from(WORDS), max_size=3),
    texts,
)
"""Text that contains searchable words."""

teams = st.sampled_from(("north", "north", "south"))
WORKSPACES = ("w1", "w2", "w3")
TASKS = ("01A1", "01A2", "01B1", "02A1")
PREFIXES = ("", "0", "01", "01A", "01A1", "01A01", "02", "9", "m", "~", "%")
MOMENTS = range(START, START + 6)
"""Close together, so that some are equal."""

workspace_ids = st.sampled_from(WORKSPACES)
task_ids = st.sampled_from(TASKS)
agents = st.sampled_from(("main", "helper", ""))
limits = st.sampled_from((0, 1, 2, 5, 100))
moments = st.sampled_from(MOMENTS)


def maybe(strategy: st.SearchStrategy[str]) -> st.SearchStrategy[str | None]:
    """Draw a value or None."""
    return st.none() | strategy
