"""Which language model is meant, and what it costs. What it needs is loaded at its first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.config import Settings
from memoranda.errors import InvalidInput

if TYPE_CHECKING:
    from memoranda.models.endpoint import Patience
    from memoranda.models.language.provider import Access, ProviderModel
    from memoranda.ports import Price


def language_model(settings: Settings, model: str = "") -> ProviderModel | None:
    """Return the model that the settings name, or another one of the same provider; None when
    there is to be none.

    It asks once; `patience` says how a `PersistentModel` is to ask again.

    Raises:
        InvalidInput: the provider needs something that is not set.
    """
    if not settings.language_model:
        return None
    access = _access(settings, model)
    if access.provider == "anthropic":
        from memoranda.models.language.anthropic import AnthropicModel

        return AnthropicModel(access)
    from memoranda.models.language.openai import OpenAIModel

    return OpenAIModel(access)


def language_price(settings: Settings, model: str = "") -> Price | None:
    """Return what that model costs; None: nobody says, so that it must not be asked."""
    from memoranda.models.language import prices

    provider, _, usual = settings.language_model.partition(":")
    return prices.price(
        provider, model or usual, settings.language_base_url, settings.language_prices
    )


def language_patience(settings: Settings) -> Patience:
    """Return how long that model is waited for, and how often it is asked."""
    from memoranda.models.language import persistent

    return persistent.patience(settings.language_timeout_seconds)


def _access(settings: Settings, model: str) -> Access:
    from memoranda.models.language import anthropic, openai
    from memoranda.models.language.provider import Access

    provider, _, usual = settings.language_model.partition(":")
    _require(settings, provider)
    usual_url = anthropic.URL if provider == "anthropic" else openai.URL
    return Access(
        provider,
        model or usual,
        settings.language_base_url or usual_url,
        settings.language_api_key,
        language_patience(settings),
    )


def _require(settings: Settings, provider: str) -> None:
    """Say at once, rather than at the first question, what a provider cannot do without."""
    needed = {
        "openai": "language_api_key",
        "anthropic": "language_api_key",
        "compatible": "language_base_url",
    }
    if not getattr(settings, needed[provider]):
        chosen = f"language_model = {settings.language_model!r}"
        raise InvalidInput(f"{chosen} needs {needed[provider]}; set it too")
