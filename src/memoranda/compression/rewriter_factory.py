"""Factory of rewriting compressors, with their model, settings and budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.config import Settings
from memoranda.models.factory import language_model, language_patience, language_price

if TYPE_CHECKING:
    from memoranda.costs.ledger import Ledger
    from memoranda.costs.model import Purpose
    from memoranda.ports import Compressor, LanguageModel, Telemetry, TokenCounter
    from memoranda.scope import Scope


class Rewriters:
    """Factory of compressors by scope; the ledger records their calls."""

    def __init__(
        self,
        settings: Settings,
        extract: Compressor,
        ledger: Ledger,
        counter: TokenCounter,
        telemetry: Telemetry,
    ) -> None:
        self._settings = settings
        self._extract = extract
        self._ledger = ledger
        self._counter = counter
        self._telemetry = telemetry
        self._models: dict[str, LanguageModel] = {}

    def of(self, scope: Scope) -> Compressor | None:
        """Return the compressor for a scope; None if no model is configured.

        Raises:
            InvalidInput: the provider requires a setting that is missing.
        """
        settings = self._settings
        if not settings.language_model:
            return None
        from memoranda.compression.model_facts import FactFinder
        from memoranda.compression.rewriter import RewritingCompressor
        from memoranda.costs.model import Purpose

        purpose = Purpose(scope.team, scope.agent, scope.task)
        finder = None
        if settings.extraction_model:
            finder = FactFinder(self._metered(settings.extraction_model, purpose), self._counter)
        model = self._metered(settings.compression_model, purpose)
        return RewritingCompressor(self._extract, model, self._counter, finder)

    def model_for(self, scope: Scope) -> LanguageModel | None:
        """Return the model for a scope's questions; None if none is configured.

        Raises:
            InvalidInput: the provider requires a setting that is missing.
        """
        settings = self._settings
        if not settings.language_model:
            return None
        from memoranda.costs.model import Purpose

        name = settings.extraction_model or settings.compression_model
        return self._metered(name, Purpose(scope.team, scope.agent, scope.task))

    def for_conversations(self, scope: Scope) -> LanguageModel | None:
        """Return the model that summarises a scope's conversations, or None.

        Raises:
            InvalidInput: the provider requires a setting that is missing.
        """
        settings = self._settings
        if not (settings.language_model and settings.compaction_model):
            return None
        from memoranda.costs.model import Purpose

        return self._metered(
            settings.compaction_model, Purpose(scope.team, scope.agent, scope.task)
        )

    def close(self) -> None:
        """Close connections. Idempotent."""
        for model in self._models.values():
            model.close()

    def _metered(self, name: str, purpose: Purpose) -> LanguageModel:
        """Return a model with retries while it is busy, each recorded as a call."""
        from memoranda.costs.metered_model import MeteredModel
        from memoranda.models.language.last_failure import FailureRecorder, LastFailure
        from memoranda.models.language.retries import PersistentModel

        price = language_price(self._settings, name)
        metered = MeteredModel(self._model(name), price, self._ledger, purpose, self._telemetry)
        persistent = PersistentModel(metered, language_patience(self._settings))
        return FailureRecorder(
            persistent, LastFailure(self._settings.data_dir, self._settings.language_model)
        )

    def _model(self, name: str) -> LanguageModel:
        if name not in self._models:
            model = language_model(self._settings, name)
            assert model is not None
            self._models[name] = model
        return self._models[name]
