"""MCP resources: URIs that a host can list and read.

Each resource is an operation of the service: ``memory://context/{workspace}``,
``memory://profile``, ``memory://task/{n}``, ``memory://block/{label}`` and
``memory://observation/{ref}``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

from memoranda.api.mcp.tool_calls import carried_out
from memoranda.api.mcp.tool_results import value_at
from memoranda.api.mcp.tools import MAXIMUM, McpTool, tool_named
from memoranda.api.service import Service
from memoranda.exceptions import NotFound
from memoranda.identity.principal import Principal
from memoranda.json_data import JsonValue
from memoranda.ports import TokenCounter
from memoranda.text import clip, escape, fenced, markup_free

SCHEME = "memory://"
LISTED = 20
"""Number of URIs of each kind in a list; the most recently active come first."""
MARKDOWN, PLAIN = "text/markdown", "text/plain"


@dataclass(frozen=True, slots=True)
class ResourceAddress:
    """URI of a resource, or a URI template with a name in braces."""

    uri: str
    name: str
    description: str
    form: str = PLAIN


TEMPLATES = (
    ResourceAddress(
        f"{SCHEME}context/{{workspace}}", "context", "What an agent should know in a workspace."
    ),
    ResourceAddress(f"{SCHEME}task/{{n}}", "task", "State of a task, by its number."),
    ResourceAddress(f"{SCHEME}block/{{label}}", "block", "A block with its value."),
    ResourceAddress(
        f"{SCHEME}observation/{{ref}}", "observation", "An observation in full, by its ref."
    ),
)
PROFILE = ResourceAddress(
    f"{SCHEME}profile", "profile", "Entries that every context includes.", MARKDOWN
)


class Resources:
    """Resources that a caller can read. Thread-safe."""

    def listed(self, service: Service, principal: Principal) -> list[ResourceAddress]:
        """Return the profile, and the newest contexts, tasks and blocks.

        Other resources can be read by their URIs.
        """
        addresses = [PROFILE]
        for kind, operation, name, about in _LISTINGS:
            page = service.call(principal, operation, {"limit": LISTED})
            items = value_at(page, "items")
            addresses += [
                _address(kind, str(value_at(item, name)), str(value_at(item, about) or ""))
                for item in (items if isinstance(items, list) else ())
            ]
        return addresses

    def read(self, service: Service, principal: Principal, uri: str) -> tuple[str, str]:
        """Return the text at a URI and its media type.

        Raises:
            NotFound: there is no resource with this URI.
        """
        kind, _, rest = uri.removeprefix(SCHEME).partition("/")
        name = unquote(rest)
        if uri == PROFILE.uri:
            text = str(service.call(principal, "profile.agent-file", {}))
            return fenced(_cut(markup_free(text), service.home.counter)), MARKDOWN
        if not uri.startswith(SCHEME) or kind not in _READ or not name:
            raise NotFound(f"no resource {clip(uri, 200)!r}; list the resource templates")
        tool, arguments = _READ[kind](name)
        return carried_out(service, principal, tool, arguments).text, PLAIN


_LISTINGS = (
    ("context", "workspaces.list", "name", "root"),
    ("task", "tasks.list", "number", "goal"),
    ("block", "blocks.list", "label", "description"),
)


def _context(name: str) -> tuple[McpTool, Mapping[str, JsonValue]]:
    return tool_named("context"), {"workspace": name}


def _task(name: str) -> tuple[McpTool, Mapping[str, JsonValue]]:
    return tool_named("task_resume"), {"task": name}


def _block(name: str) -> tuple[McpTool, Mapping[str, JsonValue]]:
    return tool_named("block_edit"), {"action": "view", "label": name}


def _observation(name: str) -> tuple[McpTool, Mapping[str, JsonValue]]:
    return tool_named("get"), {"ref": name, "max_tokens": MAXIMUM}


_READ: Mapping[str, Callable[[str], tuple[McpTool, Mapping[str, JsonValue]]]] = {
    "context": _context,
    "task": _task,
    "block": _block,
    "observation": _observation,
}


def _address(kind: str, name: str, about: str) -> ResourceAddress:
    return ResourceAddress(
        f"{SCHEME}{kind}/{quote(name, safe='')}", _line(f"{kind} {name}"), _line(about)
    )


def _line(text: str) -> str:
    """Return a name from memory on one short line, without markup."""
    return escape(clip(text, 100))


def _cut(text: str, counter: TokenCounter) -> str:
    return counter.truncate(text, MAXIMUM)
