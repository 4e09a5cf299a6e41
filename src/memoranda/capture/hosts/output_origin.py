"""Origin of a tool's output; tools that read the web return foreign text."""

from __future__ import annotations

import re

from memoranda.observations.model import Origin

_NAMES = re.compile(
    r"(?:web_?(?:fetch|search|browse|page|crawl)|google_?web_?search|fetch_?(?:web_?page|url|html"
    r"|page|content)|(?:read|open|visit|get|load)_?(?:url|web_?page|web_?site)|search_?web"
    r"|(?:http|url)_?(?:fetch|get|request|context)|scrape|crawl|browser?_|puppeteer_|playwright_"
    r"|brave_|tavily|firecrawl|exa_|duckduckgo|perplexity|serp_?api|searx)"
)
_WHOLE = frozenset({"fetch", "browse", "browser", "crawling"})
_SERVERS = re.compile(
    r"(?:fetch|browser|playwright|puppeteer|brave|tavily|firecrawl|exa|duckduckgo|perplexity|jina"
    r"|serp|searx|web)"
)


def tool_origin(tool: str | None) -> Origin:
    """Return the origin of a tool's output: WEB or TOOL.

    The origin is WEB if the name of the tool, or of its MCP server, is typical of tools that fetch
    pages or search the web.
    """
    name = (tool or "")[:200].lower().replace("-", "_").replace(".", "_")
    if name.startswith("mcp__"):
        server, _, name = name[5:].partition("__")
        if _SERVERS.match(server):
            return Origin.WEB
    web = name in _WHOLE or name.endswith("_exa") or _NAMES.match(name)
    return Origin.WEB if web else Origin.TOOL
