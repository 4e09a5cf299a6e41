"""Tools that return text from the web, by hosts' and servers' names."""

from __future__ import annotations

import pytest

from memoranda.capture.event import EventSource
from memoranda.capture.hosts.call_outcomes import CallOutcome, HostCall
from memoranda.capture.hosts.event_fields import Frame
from memoranda.capture.hosts.output_origin import tool_origin
from memoranda.observations.model import Origin
from tables import each
from tool_events import ROOT

OF_THE_WEB = (
    "WebFetch", "WebSearch", "web_search", "web_fetch", "google_web_search", "fetch_webpage",
    "read_url_content", "search_web", "fetch", "browse", "mcp__fetch__fetch",
    "mcp__brave-search__brave_web_search", "mcp__playwright__click", "browser_navigate",
    "browser_snapshot", "mcp__tavily__search", "mcp__firecrawl__firecrawl_scrape",
    "web_search_exa", "mcp__x__web_search", "url_fetch", "open_url", "puppeteer_navigate",
)  # fmt: skip
OF_THE_MACHINE = (
    None, "", "Bash", "Read", "Grep", "Glob", "Edit", "Write", "Task", "exec_command", "shell",
    "read_file", "list_directory", "mcp__git__git_fetch", "git_fetch", "search_files", "open_file",
    "fetch_rows", "apply_patch", "update_plan", "mcp__postgres__query", "codebase_search",
    "WebStorm", "save_page_count", "internet_speed",
)  # fmt: skip


@each("tool", OF_THE_WEB)
def test_a_web_page_has_unknown_authors(tool: str) -> None:
    assert tool_origin(tool) is Origin.WEB


@each("tool", OF_THE_MACHINE)
def test_local_output_is_written_by_a_tool(tool: str | None) -> None:
    assert tool_origin(tool) is Origin.TOOL


@pytest.mark.parametrize(("tool", "origin"), [("WebFetch", Origin.WEB), ("Bash", Origin.TOOL)])
def test_events_of_every_host_are_made_with_it(tool: str, origin: Origin) -> None:
    frame = Frame(host="any", session="s", source=EventSource.HOOK, occurred_at=1, cwd=ROOT)
    assert frame.result("k", HostCall(tool, {}), CallOutcome(output="x")).origin is origin


def test_a_name_of_any_length_is_read_to_a_bound() -> None:
    assert tool_origin("mcp__" + "_" * 5_000_000) is Origin.TOOL
    assert tool_origin("x" * 5_000_000) is Origin.TOOL
