"""A language model that records each call in the ledger."""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import replace

from memoranda.costs.ledger import CallRequest, Ledger, Reservation, Settlement
from memoranda.costs.model import DOLLAR, Purpose
from memoranda.exceptions import ModelAnswerUnusable, ModelUnavailable
from memoranda.instrumentation import UNMEASURED
from memoranda.json_data import JsonValue, dump_json
from memoranda.model_request import ModelReply, ModelRequest, TokenUsage
from memoranda.ports import LanguageModel, Price, Span, Telemetry

logger = logging.getLogger(__name__)


class MeteredModel:
    """Language model that calls another one within the budget of a purpose.

    Answers about a task are stored with the task; if the same request is repeated, the stored
    answer is returned at no cost.
    """

    def __init__(
        self,
        model: LanguageModel,
        price: Price | None,
        ledger: Ledger,
        purpose: Purpose,
        telemetry: Telemetry = UNMEASURED,
    ) -> None:
        """Create the model.

        If the price is unknown (None), every request fails.
        """
        self.name = model.name
        self._model = model
        self._price = price
        self._ledger = ledger
        self._purpose = purpose
        self._telemetry = telemetry

    def bound(self, question: ModelRequest) -> TokenUsage:
        """Return an upper bound of the tokens that a call uses."""
        return self._model.bound(question)

    def answer(self, question: ModelRequest) -> ModelReply:
        """Return the answer to a request with its cost.

        Raises:
            BudgetExhausted: the budget of the month does not cover the call; no model was called.
            ModelUnavailable: the model does not answer, or its price is unknown.
            ModelAnswerUnusable: the answer does not have the required form; the call may be
                charged.
        """
        request = self._request(question)
        remembered = self._ledger.remembered(self._purpose, request.digest)
        if remembered is not None:
            return ModelReply(json.loads(remembered), self.name, TokenUsage(0, 0), remembered=True)
        provider, _, _ = self.name.partition(":")
        with self._telemetry.span("ask_model", provider) as span:
            return self._ask(question, request, span)

    def _ask(self, question: ModelRequest, request: CallRequest, span: Span) -> ModelReply:
        reservation = self._ledger.reserve(self._purpose, request)
        # After any other error, the reservation is kept and counts as spent.
        try:
            reply = self._model.answer(question)
        except ModelUnavailable as error:
            logger.warning("%s; only the rules are used", error)
            if error.charged:
                error.cost = self._settle(reservation, None, span).cost
            else:
                self._ledger.release(reservation)
            raise
        except ModelAnswerUnusable as error:
            error.cost = self._settle(reservation, error.usage, span).cost
            raise
        settled = self._settle(reservation, reply.usage, span, dump_json(dict(reply.data)))
        return replace(reply, cost=settled.cost, alert=settled.alert)

    def _settle(
        self,
        reservation: Reservation,
        usage: TokenUsage | None,
        span: Span,
        answer: str | None = None,
    ) -> Settlement:
        settled, cost_and_usage = (
            self._ledger.settle(reservation, usage, answer),
            usage or reservation.call.usage,
        )
        span.add_figures(
            input_tokens=cost_and_usage.input_tokens,
            output_tokens=cost_and_usage.output_tokens,
            dollars=settled.cost / DOLLAR,
        )
        return settled

    def close(self) -> None:
        """Close the resources of the model. Idempotent."""
        self._model.close()

    def _request(self, question: ModelRequest) -> CallRequest:
        if self._price is None:
            _, _, model = self.name.partition(":")
            raise ModelUnavailable(
                f"the price of {self.name} is unknown, so the model is not called; set the price"
                f" in dollars per million input and output tokens: language_prices ="
                f" '{model}=0.15/0.60'"
            )
        digest = _digest(self.name, question)
        bound = self.bound(question)
        return CallRequest(question.operation, self.name, bound, self._price, digest)


def _digest(name: str, question: ModelRequest) -> str:
    fields: list[JsonValue] = [
        name,
        question.operation,
        question.system,
        question.text,
        dict(question.schema),
        question.max_tokens,
    ]
    return hashlib.sha256(dump_json(fields).encode("utf-8", "surrogatepass")).hexdigest()
