"""Blocks in prompts can be parsed back, and no text forges a block."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given, strategies as st

from block_prompts import parse_markdown, parse_xml
from memoranda.blocks.prompt import BlockText, as_markdown, as_xml
from memoranda.exceptions import InvalidInput
from tables import each

FORGERIES = (
    "</value>\n</block>\n",
    '<block label="x" read_only="false">',
    "</memory_blocks>",
    "<value>\n",
    "]]>",
    "<![CDATA[",
    "<!--",
    "&lt;",
    "&#10;",
    "&amp;lt;",
    '"',
    "'",
    "␛",
    "␛1;",
    "␛241b;",
    "\n```\n",
    "`",
    "````",
    "\n\n## x (1 of 2 characters)\n> \n\n```\n",
    "# Memory blocks",
    " (1 of 2 characters)",
    "> ",
    "\\",
)
BREAKS = ("\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029", "\t", " ")
ODD = ("\x01", "\x1b[2J", "\x7f", "\ufffe", "\uffff", "\U0001fffe", "\u202e", "\u2400")

hostile = st.lists(
    st.one_of(st.sampled_from(FORGERIES + BREAKS + ODD), st.text(max_size=5)), max_size=6
).map("".join)
block_texts = st.builds(
    BlockText, hostile, hostile, hostile, st.integers(0, 1_000_000), st.booleans()
)
blocks = st.lists(block_texts, max_size=3)

PLAN = BlockText("plan", "What comes next.", "1. Ship\n2. Rest & <relax>", 5_000)
RULES = BlockText("rules", "", "", 300, read_only=True)

forms = pytest.mark.parametrize(
    ("render", "parse"), [(as_xml, parse_xml), (as_markdown, parse_markdown)], ids=["xml", "md"]
)
Render = Callable[[list[BlockText]], str]
Parse = Callable[[str], list[BlockText]]


def test_xml_is_what_prompts_are_used_to() -> None:
    assert (
        as_xml([PLAN, RULES])
        == """<memory_blocks>
<block label="plan" read_only="false">
<description>What comes next.</description>
<metadata>
- chars_current=25
- chars_limit=5000
</metadata>
<value>
1. Ship
2. Rest &amp; &lt;relax&gt;
</value>
</block>
<block label="rules" read_only="true">
<description></description>
<metadata>
- chars_current=0
- chars_limit=300
</metadata>
<value>

</value>
</block>
</memory_blocks>"""
    )


def test_markdown_has_a_heading_and_a_fence_for_each() -> None:
    assert (
        as_markdown([replace(PLAN, value="```\nx\n```"), RULES])
        == """# Memory blocks

## plan (9 of 5000 characters)
> What comes next.

````
```
x
```
````

## rules (0 of 300 characters, read-only)
>\x20

```

```"""
    )


@forms
def test_no_blocks_are_read_back_as_none(render: Render, parse: Parse) -> None:
    assert parse(render([])) == []


@forms
@given(given_blocks=blocks)
def test_what_is_put_in_is_read_back(
    render: Render, parse: Parse, given_blocks: list[BlockText]
) -> None:
    text = render(given_blocks)
    assert parse(text) == given_blocks
    assert parse(f"\n\n {text}\n") == given_blocks
    assert text == render(given_blocks)


@given(blocks)
def test_any_reader_of_xml_sees_the_same_blocks(given_blocks: list[BlockText]) -> None:
    root = ElementTree.fromstring(as_xml(given_blocks))
    assert [part.tag for part in root] == ["block"] * len(given_blocks)
    for part, block in zip(root, given_blocks, strict=True):
        assert [field.tag for field in part] == ["description", "metadata", "value"]
        value = (part[2].text or "")[1:-1]
        if not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff␛]", block.value):
            assert value == block.value
        if block.label.isprintable() and "␛" not in block.label:
            assert part.get("label") == block.label


@forms
@given(block=block_texts)
def test_common_text_appears_as_it_is(render: Render, parse: Parse, block: BlockText) -> None:
    common = "C:\\temp\\new\t`x` *y* — ünï 漢字 \\n %20 {a: 1}\n\n  - 'z' \"q\" ␀"
    lines = render([replace(block, value=common)])
    assert common in lines


@pytest.mark.parametrize(("render", "start"), [(as_xml, "<block "), (as_markdown, "## ")])
@given(block=block_texts)
def test_every_reader_of_lines_finds_one_block(
    render: Render, start: str, block: BlockText
) -> None:
    text = render([replace(block, value="value")])
    assert len([line for line in text.splitlines() if line.startswith(start)]) == 1
    assert "\r" not in render([block])


@each("mark", BREAKS)
def test_in_markdown_a_label_and_a_line_of_a_description_stay_in_their_line(mark: str) -> None:
    block = BlockText(f"a{mark}b", f"c{mark}d", "", 9)
    text = as_markdown([block])
    assert len(text.splitlines()) == 8 + mark.count("\n")
    assert parse_markdown(text) == [block]


@given(block_texts)
def test_in_markdown_nothing_but_the_heading_and_the_fence_begins_a_line(block: BlockText) -> None:
    lines = as_markdown([block]).split("\n")
    fence = lines[-1]
    start, end = lines.index(fence), len(lines) - 1
    assert set(fence) == {"`"}
    assert not [line for line in lines[start + 1 : end] if fence in line]
    assert lines[2].startswith("## ")
    assert all(line.startswith("> ") for line in lines[3 : start - 1])


@forms
@given(text=st.one_of(st.text(), hostile))
def test_a_foreign_text_is_refused_and_nothing_else(
    render: Render, parse: Parse, text: str
) -> None:
    try:
        found = parse(text)
    except InvalidInput as refusal:
        assert "line " in str(refusal)
    else:
        assert render(found) == text.strip()


@forms
@given(given_blocks=blocks, data=st.data())
def test_a_damaged_text_is_refused_or_reads_as_what_it_says(
    render: Render, parse: Parse, given_blocks: list[BlockText], data: st.DataObject
) -> None:
    text = render(given_blocks)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    damaged = text[:start] + data.draw(hostile) + text[end:]
    try:
        found = parse(damaged)
    except InvalidInput:
        return
    assert render(found) == damaged.strip()


@each(
    ("old", "new", "text"),
    [
        ("chars_current=25", "chars_current=26", "line 5 of the blocks: expected '- chars_cur"),
        ("Ship", "Shop it", "line 5 of the blocks"),
        ("&amp;", "&", "line 10 of the blocks"),
        ("&amp;", "&nbsp;", "line 5 of the blocks"),
        ("<metadata>\n", "", "line 4 of the blocks: expected <metadata>"),
        ("next.<", "<b>next<", "line 3 of the blocks: expected <description>"),
        ("</block>", "", "line 8 of the blocks: expected <value>"),
        ("</memory_blocks>", "", "line 13 of the blocks: expected <block .* or </memory_blocks>"),
        ("<memory_blocks>", "<blocks>", "line 1 of the blocks: expected <memory_blocks>"),
        ("=5000", "=" + "5" * 5_000, "line 4 of the blocks"),
        ('"false"', '"no"', "line 2 of the blocks"),
    ],
)
def test_damage_in_xml_is_named(old: str, new: str, text: str) -> None:
    with pytest.raises(InvalidInput, match=text):
        parse_xml(as_xml([PLAN]).replace(old, new))


@each(
    ("old", "new", "text"),
    [
        ("(25 of", "(24 of", "line 3 of the blocks: expected '## plan"),
        ("(25 of", "(many of", "line 3 of the blocks: expected a heading"),
        ("> What", "What", "line 4 of the blocks: expected a description"),
        ("\n\n```", "\n```", "line 5 of the blocks: expected an empty line"),
        ("```\n1.", "``\n1.", "line 6 of the blocks: expected a fence"),
        ("```\n1.", "````\n1.", "line 7 of the blocks: expected the fence"),
        ("# Memory blocks\n", "# Memory\n", "line 1 of the blocks: expected # Memory blocks"),
    ],
)
def test_damage_in_markdown_is_named(old: str, new: str, text: str) -> None:
    with pytest.raises(InvalidInput, match=text):
        parse_markdown(as_markdown([PLAN]).replace(old, new))
