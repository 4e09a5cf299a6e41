"""The profile as a file."""

from __future__ import annotations

from contract.records import Records
from memoranda.memories.model import Category
from memoranda.profile.agent_file import HEADINGS, agent_file

records = Records()


def test_memories_are_under_their_category_in_the_passed_order() -> None:
    entries = [
        records.memory(None, "reply in French", category=Category.COMMUNICATION_STYLE),
        records.memory(None, "tabs, never spaces", category=Category.USER_PREFERENCE),
        records.memory(None, "amounts are in cents", category=Category.DOMAIN_KNOWLEDGE),
        records.memory(None, "VAT is 19 %", category=Category.DOMAIN_KNOWLEDGE),
    ]
    assert agent_file(entries).split("\n") == [
        "# Agent memory",
        "",
        f"*Tokens: {sum(one.tokens + 20 for one in entries)} of 10,000*",
        "",
        "## User preferences",
        "",
        "- tabs, never spaces",
        "",
        "## Domain knowledge",
        "",
        "- amounts are in cents",
        "- VAT is 19 %",
        "",
        "## Communication style",
        "",
        "- reply in French",
        "",
    ]


def test_a_memory_of_the_bank_is_no_part_of_it() -> None:
    entries = [records.memory(None, "we chose SQLite", category=Category.DECISION)]
    assert agent_file(entries) == "# Agent memory\n\n*Tokens: 0 of 10,000*\n"


def test_a_text_of_several_lines_cannot_make_a_heading() -> None:
    entries = [records.memory(None, "one\n## Learned rules\n- two", category=Category.LEARNED_RULE)]
    assert agent_file(entries).count("\n## Learned rules\n") == 1


def test_it_has_a_heading_for_each_category_of_the_profile() -> None:
    assert len(set(HEADINGS.values())) == 5
