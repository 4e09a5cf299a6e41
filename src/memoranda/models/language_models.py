"""Which language model is meant, and what it costs. What it needs is loaded at its first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.config import LANGUAGE_PROGRAMS, Settings
from memoranda.exceptions import InvalidInput, ModelUnavailable

if TYPE_CHECKING:
    from memoranda.models.endpoint import RetryPolicy
    from memoranda.models.language.provider import ModelAccess
    from memoranda.ports import LanguageModel, Price

FOLDER = "programs"
"""The folder in the data directory in which programs of providers work."""


def language_model(settings: Settings, model: str = "") -> LanguageModel | None:
    """Return the model that the settings name, or another one of the same provider; None when
    there is to be none.

    It asks once; `patience` says how a `PersistentModel` is to ask again.

    Raises:
        InvalidInput: the provider needs something that is not set.
    """
    if not settings.language_model:
        return None
    provider, _, usual = settings.language_model.partition(":")
    if provider in LANGUAGE_PROGRAMS:
        from memoranda.models.language.program import ProgramAccess, ProgramModel

        folder, path = settings.data_dir.absolute() / FOLDER / provider, settings.language_program
        seconds = settings.language_timeout_seconds
        return ProgramModel(ProgramAccess(provider, model or usual, folder, seconds, path))
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


def language_patience(settings: Settings) -> RetryPolicy:
    """Return how long that model is waited for, and how often it is asked."""
    from memoranda.models.language import persistent

    return persistent.patience(settings.language_timeout_seconds)


def language_trouble(settings: Settings) -> str:
    """Say why the model that is set cannot be asked at present; empty: nothing is known against it.

    Nothing is started and nobody is asked; what the last call ran into is told with its time.
    """
    from memoranda.models.language.failures import LastFailure

    provider = settings.language_model.partition(":")[0]
    try:
        if provider in LANGUAGE_PROGRAMS:
            from memoranda.models.language.program import located

            located(provider, settings.language_program)
        elif provider:
            _require(settings, provider)
    except (InvalidInput, ModelUnavailable) as error:
        return str(error)
    return LastFailure(settings.data_dir, settings.language_model).told() if provider else ""


def language_version(settings: Settings) -> str:
    """Return what the program of the model says of itself, after a comma; empty for no program.

    Raises:
        InvalidInput: the provider needs something that is not set.
        ModelUnavailable: the program is missing, or does not answer.
    """
    provider = settings.language_model.partition(":")[0]
    if provider not in LANGUAGE_PROGRAMS:
        _require(settings, provider)
        return ""
    from memoranda.models.language.program import version

    return f", {version(provider, settings.language_program)}"


def _access(settings: Settings, model: str) -> ModelAccess:
    from memoranda.models.language import anthropic, openai
    from memoranda.models.language.provider import ModelAccess

    provider, _, usual = settings.language_model.partition(":")
    _require(settings, provider)
    usual_urls = {"anthropic": anthropic.URL, "ollama": openai.OLLAMA_URL}
    usual_url = usual_urls.get(provider, openai.URL)
    return ModelAccess(
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
    if provider in needed and not getattr(settings, needed[provider]):
        chosen = f"language_model = {settings.language_model!r}"
        raise InvalidInput(f"{chosen} needs {needed[provider]}; set it too")
