"""Models of OpenAI and of every compatible server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoranda.exceptions import ModelAnswerUnusable
from memoranda.model_request import ModelReply, ModelRequest, TokenUsage
from memoranda.models.language import answer_reader as reading, schema
from memoranda.models.language.prompt import fenced, instructions
from memoranda.models.language.provider import ProviderModel

if TYPE_CHECKING:
    from openai import OpenAI

URL = "https://api.openai.com/v1"
OLLAMA_URL = "http://127.0.0.1:11434/v1"
OWN = "openai"
"""OpenAI itself; other servers receive only commonly supported parameters."""


def _by_schema(question: ModelRequest) -> dict[str, Any]:
    form = {"name": "answer", "strict": True, "schema": schema.provider_schema(question.schema)}
    return {"response_format": {"type": "json_schema", "json_schema": form}}


def _by_json(question: ModelRequest) -> dict[str, Any]:
    return {"response_format": {"type": "json_object"}}


def _by_text(question: ModelRequest) -> dict[str, Any]:
    return {}


class OpenAIModel(ProviderModel):
    """Model at /chat/completions that answers with a schema, JSON or text.

    JSON is extracted from text.
    """

    forms = (_by_schema, _by_json, _by_text)

    def _library(self) -> Any:
        import openai

        return openai

    def _connect(self, library: Any) -> OpenAI:
        from memoranda.models.language.http_connection import connection

        access = self._access
        headers = {"Authorization": f"Bearer {access.key}"} if access.key else {}
        result: OpenAI = library.OpenAI(
            api_key="put on by the connection",
            base_url=access.url,
            max_retries=0,
            http_client=connection(access.name, headers, access.patience),
        )
        return result

    def _send(self, client: OpenAI, question: ModelRequest, form: dict[str, Any]) -> bytes:
        body = self._request(question) | form
        return client.chat.completions.with_raw_response.create(**body).content

    def _request(self, question: ModelRequest) -> dict[str, Any]:
        messages = [
            {"role": "system", "content": instructions(question)},
            {"role": "user", "content": fenced(question.text)},
        ]
        body: dict[str, Any] = {"model": self._access.model, "messages": messages}
        if self._access.provider == OWN:
            return body | {"max_completion_tokens": question.max_tokens, "store": False}
        return body | {"max_tokens": question.max_tokens, "temperature": 0}

    def _read(self, body: bytes, question: ModelRequest) -> ModelReply:
        answer = reading.envelope(body, self.name)
        usage = _usage(answer.get("usage"))
        try:
            choice: Any = answer["choices"][0]  # type: ignore[index]
            message, ended = choice["message"], choice.get("finish_reason")
            refused, text = message.get("refusal"), message.get("content")
        except (LookupError, TypeError, AttributeError):
            raise ModelAnswerUnusable(
                f"{self.name} returned an answer without a choice", usage=usage
            ) from None
        if refused or ended == "content_filter":
            raise ModelAnswerUnusable(f"{self.name} refused to answer", usage=usage)
        if ended not in ("stop", None):
            raise ModelAnswerUnusable(
                f"{self.name} did not complete its answer within {question.max_tokens:,} tokens",
                usage=usage,
            )
        data = reading.data(text, question, self.name, usage)
        model = answer.get("model")
        return ModelReply(data, model if isinstance(model, str) else self._access.model, usage)


def _usage(fields: object) -> TokenUsage | None:
    return reading.usage_of(
        reading.tokens(fields, "prompt_tokens"),
        reading.tokens(fields, "completion_tokens"),
        reading.tokens(fields, "prompt_tokens_details.cached_tokens"),
    )
