"""Template environment: escapes all text; missing names are errors."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from memoranda.text import clip, counted
from memoranda.web import assets, charts as drawing, filters
from memoranda.web.differences import differences
from memoranda.web.page_frame import Site

PARTS = "parts.html"
"""Macros that every template can use as ``ui``."""


class _Environment(Environment):
    """Looks up members of JSON objects before dict methods: ``page.items``."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return a member of an object."""
        if isinstance(obj, dict) and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


@cache
def environment() -> Environment:
    """Return the environment of all templates."""
    result = _Environment(
        loader=PackageLoader("memoranda.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    result.filters |= {
        "short": filters.short,
        "tokens": filters.tokens,
        "money": filters.money,
        "size": filters.size,
        "share": filters.share,
        "span": filters.span,
        "absolute": filters.absolute,
        "clip": clip,
        "quoted": filters.quoted,
        "message": filters.message,
        "short_id": filters.short_id,
    }
    result.globals |= {
        "asset": assets.address,
        "bands": drawing.bands,
        "bar": drawing.bar,
        "columns": drawing.columns,
        "counted": counted,
        "differences": differences,
        "line": drawing.line,
        "seconds_between": filters.seconds_between,
    }
    return result


def rendered(template: str, values: Mapping[str, Any], site: Site) -> str:
    """Return a page as HTML.

    ``site`` has the values that every page needs. Templates access it as ``site``, the macros of
    ``parts.html`` as ``ui``, and ``ago``, which formats times relative to now.
    """
    found = environment()
    template_values = {"site": site, "ago": partial(filters.relative, now=site.now)}
    parts = found.get_template(PARTS).make_module(template_values)
    return found.get_template(template).render({**template_values, "ui": parts, **values})
