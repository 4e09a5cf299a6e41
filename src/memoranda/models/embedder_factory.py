"""Creates the configured embedder; its dependencies load at first use."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from memoranda.config import Settings
from memoranda.exceptions import EmbedderUnavailable, InvalidInput

if TYPE_CHECKING:
    from memoranda.models.embedding.minilm import LocalEmbedder
    from memoranda.models.embedding.remote import RemoteEmbedder
    from memoranda.ports import Embedder


def embedder(settings: Settings) -> Embedder | None:
    """Return the embedder that the settings name; None if it is off.

    Raises:
        InvalidInput: the provider needs something that is not set.
    """
    if settings.embedder == "none":
        return None
    if settings.embedder == "local":
        return _local(settings.embedding_threads)
    return _remote(settings)


@cache
def _local(threads: int) -> LocalEmbedder:
    """Return the local embedder that all stores of this process share.

    Loaded, it takes 50 MB and more.
    """
    from memoranda.models.embedding.minilm import LocalEmbedder

    return LocalEmbedder(threads)


def _remote(settings: Settings) -> RemoteEmbedder:
    from memoranda.models.embedding.dialects import CohereDialect, OpenAIDialect
    from memoranda.models.embedding.remote import RemoteEmbedder
    from memoranda.models.http_client import ModelEndpoint

    _require(settings)
    provider, dimensions = settings.embedder, settings.embedding_dimensions
    form = CohereDialect if provider == "cohere" else OpenAIDialect
    model = settings.embedding_model or form.usual_model
    url, key = settings.embedding_url or form.url, settings.embedding_key
    endpoint = ModelEndpoint(provider, url, key, unavailable=EmbedderUnavailable)
    name = f"{provider}:{model}" + (f"@{dimensions}" if dimensions else "")
    return RemoteEmbedder(name, dimensions, form(model, dimensions), endpoint)


def _require(settings: Settings) -> None:
    """Check early for the settings that a provider requires.

    The check is not delayed until the first text.
    """
    needed = {
        "openai": ("embedding_key",),
        "cohere": ("embedding_key",),
        "compatible": ("embedding_url", "embedding_model"),
    }
    for name in needed[settings.embedder]:
        if not getattr(settings, name):
            raise InvalidInput(f"embedder = {settings.embedder!r} needs {name}; set it too")
