"""A language model that retries while the provider is busy or unreachable."""

from __future__ import annotations

from memoranda.exceptions import ModelUnavailable
from memoranda.model_request import ModelReply, ModelRequest, TokenUsage
from memoranda.models.http_client import RetryPolicy
from memoranda.ports import LanguageModel

TRIES = 3
CONNECT_SECONDS = 5.0
MAX_WAIT_SECONDS = 30.0


def patience(timeout_seconds: float) -> RetryPolicy:
    """Return the timeouts of a language model.

    A query that timed out is not sent again, because each attempt may be charged.
    """
    return RetryPolicy(
        timeout_seconds=timeout_seconds,
        connect_seconds=min(CONNECT_SECONDS, timeout_seconds),
        tries=TRIES,
        longest_wait_seconds=MAX_WAIT_SECONDS,
        again_when_slow=False,
    )


class PersistentModel:
    """Model that delegates to another one, with retries if needed.

    Each attempt has its own entry in the ledger.
    """

    def __init__(self, model: LanguageModel, patience: RetryPolicy) -> None:
        self.name = model.name
        self._model = model
        self._patience = patience

    def bound(self, question: ModelRequest) -> TokenUsage:
        """Return an upper bound of the tokens of one attempt."""
        return self._model.bound(question)

    def answer(self, question: ModelRequest) -> ModelReply:
        """Return the first successful answer.

        Raises:
            ModelUnavailable: there was no answer after three attempts, or another attempt would not
                help.
            ModelAnswerUnusable: an answer was invalid; the next would cost as much again.
        """
        waited, tries = 0.0, 0
        while True:
            tries += 1
            try:
                return self._model.answer(question)
            except ModelUnavailable as error:
                pause = self._patience.pause_after(tries, error.pause)
                too_long = waited + pause > self._patience.longest_wait_seconds
                if not error.may_pass or tries >= self._patience.tries or too_long:
                    raise _counted(error, tries) from None
            self._patience.sleep(pause)
            waited += pause

    def close(self) -> None:
        """Close the connections. Idempotent."""
        self._model.close()


def _counted(error: ModelUnavailable, tries: int) -> ModelUnavailable:
    if tries == 1:
        return error
    return ModelUnavailable(f"{error} ({tries} tries)", charged=error.charged)
