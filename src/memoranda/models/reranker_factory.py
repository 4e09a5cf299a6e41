"""Creates the configured reranker; its dependencies load at first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.config import Settings
from memoranda.exceptions import InvalidInput, RerankerUnavailable

if TYPE_CHECKING:
    from memoranda.models.reranker import RemoteReranker
    from memoranda.ports import Reranker


def reranker(settings: Settings) -> Reranker | None:
    """Return the reranker that the settings name; None if it is off.

    Raises:
        InvalidInput: the provider needs something that is not set.
    """
    return None if settings.reranker == "none" else _remote(settings)


def _remote(settings: Settings) -> RemoteReranker:
    from memoranda.models import reranker as reranking
    from memoranda.models.http_client import ModelEndpoint

    _require(settings)
    provider, url, model = settings.reranker, settings.reranker_url, settings.reranker_model
    if provider == "cohere":
        url, model = url or reranking.COHERE_URL, model or reranking.COHERE_MODEL
        path = reranking.COHERE_PATH
    else:
        # The embedder's address of the same server has that suffix; here it is part of the path.
        url, path = url.rstrip("/").removesuffix("/v1"), reranking.COMPATIBLE_PATH
    endpoint = ModelEndpoint(
        provider, url, settings.reranker_key, reranking.PATIENCE, unavailable=RerankerUnavailable
    )
    return reranking.RemoteReranker(f"{provider}:{model}", path, model, endpoint)


def _require(settings: Settings) -> None:
    """Check early for the settings that a provider requires.

    The check is not delayed until the first query.
    """
    needed = {"cohere": ("reranker_key",), "compatible": ("reranker_url", "reranker_model")}
    for name in needed[settings.reranker]:
        if not getattr(settings, name):
            raise InvalidInput(f"reranker = {settings.reranker!r} needs {name}; set it too")
