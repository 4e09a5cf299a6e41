"""Creates the configured language model, and returns its price and status.

Its dependencies load at first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.config import LANGUAGE_PROGRAMS, Settings
from memoranda.exceptions import InvalidInput, ModelUnavailable

if TYPE_CHECKING:
    from memoranda.models.http_client import RetryPolicy
    from memoranda.models.language.provider import ModelAccess
    from memoranda.ports import LanguageModel, Price

FOLDER = "programs"
"""Working folder of providers' programs in the data directory."""


def language_model(settings: Settings, model: str = "") -> LanguageModel | None:
    """Return the model of the settings, or another of the same provider.

    None if it is off. It makes one try; `patience` sets how a `PersistentModel` retries.

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
    """Return the price of that model; None if unknown, so it must not be used."""
    from memoranda.models.language import prices

    provider, _, usual = settings.language_model.partition(":")
    return prices.price(
        provider, model or usual, settings.language_base_url, settings.language_prices
    )


def language_patience(settings: Settings) -> RetryPolicy:
    """Return the timeouts and the number of tries of that model."""
    from memoranda.models.language import retries as persistent

    return persistent.patience(settings.language_timeout_seconds)


def language_model_problem(settings: Settings) -> str:
    """Return why the configured model cannot be used at present.

    Empty if no reason is known. Nothing is started and no request is sent; a failure of the last
    call is reported with its time.
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
    return LastFailure(settings.data_dir, settings.language_model).describe() if provider else ""


def language_version(settings: Settings) -> str:
    """Return the version of the model's program, after a comma.

    Empty without a program.

    Raises:
        InvalidInput: the provider needs something that is not set.
        ModelUnavailable: the program is missing, or does not respond.
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
    """Check early for the settings that a provider requires.

    The check is not delayed until the first query.
    """
    needed = {
        "openai": "language_api_key",
        "anthropic": "language_api_key",
        "compatible": "language_base_url",
    }
    if provider in needed and not getattr(settings, needed[provider]):
        chosen = f"language_model = {settings.language_model!r}"
        raise InvalidInput(f"{chosen} needs {needed[provider]}; set it too")
