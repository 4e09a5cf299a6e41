"""A prompt is separated from what the host added to it."""

from __future__ import annotations

import time

import pytest

from memoranda.capture.hosts.typed_text import generated_text, split_message, typed_text
from tables import each

FENCE = (
    '<memoranda-context id="0badcafe" workspace="shop">\n- Never use float\n</memoranda-context>'
)

HOSTS: list[tuple[str, str]] = [
    # A banner or a reminder of a host, and the prompt.
    ("<ide_opened_file>The user opened /srv/a.py.</ide_opened_file>\nFix a.py", "Fix a.py"),
    ("<ide_opened_file>The user opened /srv/a.py.</ide_opened_file> Fix a.py", "Fix a.py"),
    ("<ide_selection>x = 1</ide_selection>\n\nFix a.py\n\nThen test", "Fix a.py\n\nThen test"),
    ("<system-reminder>Today is Monday.</system-reminder>\n\nFix a.py", "Fix a.py"),
    ("Fix a.py\n\n<system-reminder>\nNever do <b>x</b>.\n</system-reminder>", "Fix a.py"),
    ("Fix a.py<system-reminder>Never do x.</system-reminder>", "Fix a.py"),
    ("Fix a.py\n<system-reminder>A</system-reminder>\nTest it", "Fix a.py\n\nTest it"),
    ("<system-reminder>A</system-reminder><ide_x>B</ide_x>\nFix", "Fix"),
    ("<system-reminder>see <system-reminder> there</system-reminder>\nFix", "Fix"),
    ("<system-reminder>a<system-reminder>b</system-reminder>c</system-reminder>\nFix", "Fix"),
    ("[Request interrupted by user for tool use]\nFix a.py", "Fix a.py"),
    ("[Request interrupted by user]", ""),
    # Slash commands.
    (
        "<command-message>fix</command-message>\n<command-name>/fix</command-name>\n"
        "<command-args>Fix a.py. Never touch b.</command-args>",
        "/fix Fix a.py. Never touch b.",
    ),
    (
        "<command-name>/fix</command-name><command-message>fix</command-message>"
        "<command-args>use <div> and\n<a_b>x</a_b></command-args>",
        "/fix use <div> and\n<a_b>x</a_b>",
    ),
    ("<command-name>/clear</command-name>\n<command-args></command-args>", ""),
    ("<command-name>/clear</command-name>\n<command-message>clear</command-message>", ""),
    ("/review", ""),
    ("/review Look at a.py", "/review Look at a.py"),
    # Codex.
    ("<environment_context>\n  <cwd>/srv</cwd>\n</environment_context>", ""),
    ("<recommended_plugins>\n- Always use Foo\n</recommended_plugins>", ""),
    ('<hook_prompt hook_run_id="1">Never stop</hook_prompt>', ""),
    ("<app-context>You must</app-context>", ""),
    ("<goal_context>Continue.</goal_context>\nFix a.py", "Fix a.py"),
    ("<permissions instructions>\nNever.\n</permissions instructions>", ""),
    ("# AGENTS.md instructions for /srv\n\n<INSTRUCTIONS>\nAlways.\n</INSTRUCTIONS>", ""),
    ("# AGENTS.md instructions\n\n<INSTRUCTIONS>\nA.\n</INSTRUCTIONS>\nFix a.py", "Fix a.py"),
    (
        "# Context from my IDE setup:\n\n## Open tabs:\n- a.py: a.py\n\n"
        "## My request for Codex:\nFix the rounding.\n",
        "Fix the rounding.",
    ),
    ('<image name="[Image #1]">', ""),
    ("</image>", ""),
    # Others.
    ("<user_info>\nOS: linux\n</user_info>\n<user_query>\nFix a.py\n</user_query>", "Fix a.py"),
    ("<context>x</context>\n<userRequest>\nFix a.py\n</userRequest>", "Fix a.py"),
    (
        "<task>\nFix a.py\n</task>\n<environment_details>\n# Tabs\n</environment_details>",
        "Fix a.py",
    ),
    ("<hook_context>&lt;b&gt;Never.&lt;/b&gt;</hook_context>\n\nFix a.py", "Fix a.py"),
    (
        "Look at @a.py\n--- Content from referenced files ---\nNever.\n--- End of content ---",
        "Look at @a.py",
    ),
    # Unknown elements.
    ("<some_new_tag>Never push.</some_new_tag>", ""),
    ("<some_new_tag>Never push.</some_new_tag>\nFix a.py", "Fix a.py"),
    ("<some_new_tag>Never push.</some_new_tag> Fix a.py", "Fix a.py"),
    ('<x-y z="1">Never push.</x-y>\nFix a.py', "Fix a.py"),
    ('Fix a.py\n\n<x-y z="1">\nNever push.\n</x-y>', "Fix a.py"),
    ("Fix a.py\n<new_notice>\n<item>x</item>\n</new_notice>\nThen test", "Fix a.py\n\nThen test"),
    ("<newReminder>Never push.</newReminder>\nFix a.py", "Fix a.py"),
    ("<NOTICE>Never push.</NOTICE>\nFix a.py", "Fix a.py"),
    ("<reminder>Never push.</reminder>\n\nFix a.py", "Fix a.py"),
    ("Fix a.py\n\n<reminder>Never push.</reminder>", "Fix a.py"),
    ('<new-note level="2"/>\nFix a.py', "Fix a.py"),
    # A Memoranda context, in any escaping by hosts.
    (f"{FENCE}\nFix a.py", "Fix a.py"),
    (f"<system-reminder>\nhook says: {FENCE}\n</system-reminder>\nFix a.py", "Fix a.py"),
]

PERSONS = [
    "Fix a.py",
    "The <div> in a.html is never closed",
    "Why does <user_name> stay empty in the mail?",
    "<user_id> is missing from the log, find out why",
    "<my-button> renders twice",
    "<my-button>Save</my-button> does not react to clicks",
    "Rename <some_tag>x</some_tag> to <other_tag>x</other_tag> in all files",
    "What does <system-reminder>x</system-reminder> mean in the transcript?",
    "What is `<system-reminder>x</system-reminder>`\n`<some_tag>x</some_tag>`",
    "Make this valid:\n```xml\n<web_app>\n<x/>\n</web_app>\n```\nThanks",
    "```\n<system-reminder>x</system-reminder>\n```\nwhere does that come from?",
    "This is the config:\n<app_config>\n  <port>80</port>\n</app_config>",
    "This is the component:\n\n<app-header title='x'>\n  <h1>Hi</h1>\n</app-header>\n\nCentre it",
    "Centre it\n\n<app-header title='x'>\n  <h1>Hi</h1>\n</app-header>",
    "Add the dependency\n\n<dependency>\n<groupId>a</groupId>\n</dependency>",
    "<dependency>\n<groupId>a</groupId>\n</dependency>\nWhy is it not resolved?",
    '<?xml version="1.0"?>\n<web-app>\n<a/>\n</web-app>\nIs it valid?',
    '<web-app xmlns="http://x">\n<a/>\n</web-app>\nIs it valid?',
    "<div>\n<my-widget></my-widget>\n</div>\nWhy is it blank?",
    "<Button onClick={go}>Save</Button>\nMake it blue",
    "<p>Hello</p>",
    "Use Map<String, List<T>> and vector<int> there",
    "if a < b and c > d then fix it",
    "/etc/hosts is wrong",
    "Caveat: the tests are slow",
    "# Plan\n\nFirst fix a.py",
]


@each(("text", "typed"), HOSTS)
def test_what_a_host_added_is_not_the_persons(text: str, typed: str) -> None:
    assert typed_text(split_message(text)) == typed


@each("text", PERSONS)
def test_what_a_person_pastes_stays_the_persons(text: str) -> None:
    parts = split_message(text)
    assert typed_text(parts) == text
    assert generated_text(parts) == ""


@each("text", [text for text, _ in HOSTS if "memoranda" not in text])
def test_all_of_a_message_is_kept(text: str) -> None:
    kept = "".join(part.text for part in split_message(text))
    for piece in ("Never push.", "Always.", "Today is Monday.", "x = 1", "Never touch b."):
        assert (piece in text) == (piece in kept)


@pytest.mark.parametrize(
    "text",
    [
        f"<hook_context>{FENCE.replace('<', '&lt;').replace('>', '&gt;')}</hook_context>\nFix",
        f"<hook_context>{FENCE.replace('<', chr(92) + 'u003c')}</hook_context>\nFix",
        f"<hook_prompt id='1'>{FENCE}</hook_prompt>\nFix",
        f"<system-reminder>{FENCE}</system-reminder>\nFix",
        f"{FENCE}\n\n{FENCE}\nFix",
    ],
)
def test_own_context_is_dropped(text: str) -> None:
    parts = split_message(text)
    assert typed_text(parts) == "Fix"
    assert "float" not in generated_text(parts)


@each(
    "text",
    ["<a_b>" * 60_000, "<a_b>x</a_b>" * 40_000, "`" * 300_000, "x <T>" * 60_000,
     "<system-reminder>" * 20_000, "<system-reminder>x</system-reminder>" * 10_000,
     "a\n<x-y>b</x-y> c\n" * 20_000, "--- Content from referenced files ---\n" * 8_000],
)  # fmt: skip
def test_splitting_takes_linear_time(text: str) -> None:
    def seconds(part: str) -> float:
        started = time.process_time()
        split_message(part)
        return time.process_time() - started

    # Eight times the text takes 64 times as long if the time is quadratic.
    part = text[: len(text) // 8]
    assert any(seconds(text) < 32 * max(seconds(part), 0.001) for _ in range(3))
