"""Creates the configured embedder, reranker and language model.

The dependencies of these models are loaded on first use.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from memoranda.config import KEYS_OF_PROVIDERS, LANGUAGE_PROGRAMS, Settings
from memoranda.exceptions import (
    EmbedderUnavailable,
    InvalidInput,
    ModelUnavailable,
    RerankerUnavailable,
)

if TYPE_CHECKING:
    from memoranda.models.embedding.minilm import LocalEmbedder
    from memoranda.models.embedding.multilingual import MultilingualEmbedder
    from memoranda.models.embedding.remote import RemoteEmbedder
    from memoranda.models.http_client import RetryPolicy
    from memoranda.models.language.provider import ModelAccess
    from memoranda.models.remote_reranker import RemoteReranker
    from memoranda.ports import Embedder, LanguageModel, Price

CONNECT_SECONDS = 2.0
"""Timeout for checking whether a model's server accepts connections."""
PACKAGES = {"openai": "openai", "compatible": "openai", "anthropic": "anthropic"}
"""Package needed by a provider's language model."""
FOLDER = "programs"
"""Working folder for language model programs in the data directory."""
NEEDED: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "embedder": {
        "openai": ("embedding_key",),
        "cohere": ("embedding_key",),
        "compatible": ("embedding_url", "embedding_model"),
    },
    "reranker": {"cohere": ("reranker_key",), "compatible": ("reranker_url", "reranker_model")},
    "language_model": {
        "openai": ("language_api_key",),
        "anthropic": ("language_api_key",),
        "compatible": ("language_base_url",),
    },
}
"""Settings that a provider requires, by the setting that selects the provider."""


def require_settings(settings: Settings, *kinds: str) -> None:
    """Check that the settings required by the models' providers are set.

    Called early, so that the check is not delayed until the first text.

    Raises:
        InvalidInput: a provider requires a setting that is missing.
    """
    for kind in kinds:
        chosen = getattr(settings, kind)
        for name in NEEDED[kind].get(chosen.partition(":")[0], ()):
            if not getattr(settings, name):
                where = _variables(chosen, name)
                raise InvalidInput(f"{kind} = {chosen!r} needs {name}{where}; set it too")


def _variables(chosen: str, name: str) -> str:
    """Return the environment variables that may contain a key instead."""
    known = KEYS_OF_PROVIDERS.get(chosen.partition(":")[0], ()) if name.endswith("key") else ()
    return f" (or the variable {' or '.join(known)})" if known else ""


def missing_package(settings: Settings) -> str:
    """Return why the provider's package cannot be used; empty if it can."""
    provider = settings.language_model.partition(":")[0]
    package = PACKAGES.get(provider, "")
    if not package or find_spec(package) is not None:
        return ""
    return f"{package} is not installed: pip install 'memoranda[{package}]'"


def embedder(settings: Settings) -> Embedder | None:
    """Return the configured embedder; None if the embedder is off.

    Raises:
        InvalidInput: the provider requires a setting that is missing.
    """
    if settings.embedder == "none":
        return None
    if settings.embedder == "local":
        return local_embedder(settings.embedding_threads)
    if settings.embedder == "multilingual":
        return _multilingual_embedder(settings.embedding_threads)
    return _remote_embedder(settings)


@cache
def local_embedder(threads: int) -> LocalEmbedder:
    """Return the local embedder that all stores in this process share.

    A loaded embedder takes 50 MB or more.
    """
    from memoranda.models.embedding.minilm import LocalEmbedder

    return LocalEmbedder(threads)


@cache
def _multilingual_embedder(threads: int) -> MultilingualEmbedder:
    """Return the multilingual embedder that all stores in this process share."""
    from memoranda.models.embedding.multilingual import MultilingualEmbedder

    return MultilingualEmbedder(threads)


def _remote_embedder(settings: Settings) -> RemoteEmbedder:
    from memoranda.models.embedding.dialects import CohereDialect, OpenAIDialect
    from memoranda.models.embedding.remote import RemoteEmbedder
    from memoranda.models.http_client import ModelEndpoint

    require_settings(settings, "embedder")
    provider, dimensions = settings.embedder, settings.embedding_dimensions
    form = CohereDialect if provider == "cohere" else OpenAIDialect
    model = settings.embedding_model or form.usual_model
    url, key = settings.embedding_url or form.url, settings.embedding_key
    endpoint = ModelEndpoint(provider, url, key, unavailable=EmbedderUnavailable)
    name = f"{provider}:{model}" + (f"@{dimensions}" if dimensions else "")
    return RemoteEmbedder(name, dimensions, form(model, dimensions), endpoint)


def reranker(settings: Settings) -> RemoteReranker | None:
    """Return the reranker that the settings name; None if the reranker is off.

    Raises:
        InvalidInput: the provider requires a setting that is missing.
    """
    return None if settings.reranker == "none" else _remote_reranker(settings)


def _remote_reranker(settings: Settings) -> RemoteReranker:
    from memoranda.models import remote_reranker as reranking
    from memoranda.models.http_client import ModelEndpoint

    require_settings(settings, "reranker")
    provider, url, model = settings.reranker, settings.reranker_url, settings.reranker_model
    if provider == "cohere":
        url, model = url or reranking.COHERE_URL, model or reranking.COHERE_MODEL
        path = reranking.COHERE_PATH
    else:
        # The embedder's address of the same server has that suffix, which is part of the path here.
        url, path = url.rstrip("/").removesuffix("/v1"), reranking.COMPATIBLE_PATH
    endpoint = ModelEndpoint(
        provider, url, settings.reranker_key, reranking.PATIENCE, unavailable=RerankerUnavailable
    )
    return reranking.RemoteReranker(f"{provider}:{model}", path, model, endpoint)


def language_model(settings: Settings, model: str = "") -> LanguageModel | None:
    """Return the configured model, or another one of the same provider.

    The result is None if the model is off. The model makes one attempt; `patience` sets how a
    `PersistentModel` retries.

    Raises:
        InvalidInput: the provider requires a setting that is missing.
    """
    if not settings.language_model:
        return None
    provider, _, usual = settings.language_model.partition(":")
    if provider in LANGUAGE_PROGRAMS:
        from memoranda.models.language.program import ProgramAccess, ProgramModel

        folder, path = settings.data_dir.absolute() / FOLDER / provider, settings.language_program
        seconds = settings.language_timeout_seconds
        return ProgramModel(ProgramAccess(provider, model or usual, folder, seconds, path))
    access = _language_access(settings, model)
    if access.provider == "anthropic":
        from memoranda.models.language.anthropic import AnthropicModel

        return AnthropicModel(access)
    from memoranda.models.language.openai import OpenAIModel

    return OpenAIModel(access)


def language_price(settings: Settings, model: str = "") -> Price | None:
    """Return the model's price; None if unknown, so that it must not be used."""
    from memoranda.models.language import prices

    provider, _, usual = settings.language_model.partition(":")
    return prices.price(
        provider, model or usual, settings.language_base_url, settings.language_prices
    )


def language_patience(settings: Settings) -> RetryPolicy:
    """Return the timeouts and number of attempts for the model."""
    from memoranda.models.language import retries as persistent

    return persistent.patience(settings.language_timeout_seconds)


def language_model_problem(settings: Settings) -> str:
    """Return why the configured model currently cannot be used.

    The result is empty if no reason is known. Nothing is started and no request is sent; a failure
    of the last call is reported with its time.
    """
    if not settings.language_model:
        return ""
    from memoranda.models.language.last_failure import LastFailure

    provider = settings.language_model.partition(":")[0]
    try:
        if provider in LANGUAGE_PROGRAMS:
            from memoranda.models.language.program import located

            located(provider, settings.language_program)
        else:
            require_settings(settings, "language_model")
    except (InvalidInput, ModelUnavailable) as error:
        return str(error)
    if missing := missing_package(settings):
        return missing
    return LastFailure(settings.data_dir, settings.language_model).describe()


def language_server_problem(settings: Settings) -> str:
    """Return why the model's server cannot be reached; empty if it can.

    Only a connection is made; nothing is sent. Programs and proxied servers are not checked.

    Raises:
        InvalidInput: the provider requires a setting that is missing.
    """
    if settings.language_model.partition(":")[0] in LANGUAGE_PROGRAMS:
        return ""
    import socket
    from urllib.parse import urlsplit
    from urllib.request import getproxies, proxy_bypass

    access = _language_access(settings, "")
    url = urlsplit(access.url)
    host, port = url.hostname or "", url.port or (443 if url.scheme == "https" else 80)
    if url.scheme in getproxies() and not proxy_bypass(host):
        return ""
    try:
        socket.create_connection((host, port), CONNECT_SECONDS).close()
    except OSError as error:
        where = f"{access.place} (port {port}) does not answer: {type(error).__name__}"
        return f"{where}; start the server, or check language_base_url and the network"
    return ""


def language_version(settings: Settings) -> str:
    """Return the version of the model's program, after a comma.

    The result is empty if the model has no program.

    Raises:
        InvalidInput: the provider requires a setting that is missing.
        ModelUnavailable: the program is missing, or does not respond.
    """
    provider = settings.language_model.partition(":")[0]
    if provider not in LANGUAGE_PROGRAMS:
        require_settings(settings, "language_model")
        return ""
    from memoranda.models.language.program import version

    return f", {version(provider, settings.language_program)}"


def _language_access(settings: Settings, model: str) -> ModelAccess:
    from memoranda.models.language import anthropic, openai
    from memoranda.models.language.provider import ModelAccess

    provider, _, usual = settings.language_model.partition(":")
    require_settings(settings, "language_model")
    usual_urls = {"anthropic": anthropic.URL, "ollama": openai.OLLAMA_URL}
    usual_url = usual_urls.get(provider, openai.URL)
    return ModelAccess(
        provider,
        model or usual,
        settings.language_base_url or usual_url,
        settings.language_api_key,
        language_patience(settings),
    )
