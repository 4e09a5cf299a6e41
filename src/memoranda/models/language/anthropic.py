"""Models of Anthropic, called through its client."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from memoranda.exceptions import ModelAnswerUnusable
from memoranda.json_data import JsonValue
from memoranda.model_request import ModelReply, ModelRequest, TokenUsage
from memoranda.models.language import answer_reader as reading, schema
from memoranda.models.language.prompt import fenced, instructions
from memoranda.models.language.provider import ProviderModel

if TYPE_CHECKING:
    from anthropic import Anthropic

URL = "https://api.anthropic.com"


def _by_schema(question: ModelRequest) -> dict[str, Any]:
    form = {"type": "json_schema", "schema": schema.provider_schema(question.schema)}
    return {"output_config": {"format": form}}


def _by_tool(question: ModelRequest) -> dict[str, Any]:
    """Request the answer as arguments of the only tool.

    The tool does nothing.
    """
    tool = {
        "name": "answer",
        "description": "Hand in the answer.",
        "input_schema": schema.provider_schema(question.schema),
    }
    return {"tools": [tool], "tool_choice": {"type": "tool", "name": "answer"}}


class AnthropicModel(ProviderModel):
    """Model at /v1/messages that answers with a schema or a tool call.

    The answer is in the arguments of the tool.
    """

    forms = (_by_schema, _by_tool)

    def _library(self) -> Any:
        import anthropic

        return anthropic

    def _connect(self, library: Any) -> Anthropic:
        from memoranda.models.language.http_connection import connection

        # At debug level, the client would log complete requests.
        logging.getLogger("anthropic._base_client").addFilter(_without_content)
        access = self._access
        result: Anthropic = library.Anthropic(
            api_key="put on by the connection",
            base_url=access.url,
            max_retries=0,
            timeout=access.patience.timeout_seconds,
            open_telemetry=False,
            http_client=connection(access.name, {"X-Api-Key": access.key}, access.patience),
        )
        return result

    def _send(self, client: Anthropic, question: ModelRequest, form: dict[str, Any]) -> bytes:
        body: dict[str, Any] = {
            "model": self._access.model,
            "max_tokens": question.max_tokens,
            "system": instructions(question),
            "messages": [{"role": "user", "content": fenced(question.text)}],
        }
        answer = client.messages.with_raw_response.create(**body, **form)
        return answer.http_response.content

    def _read(self, body: bytes, question: ModelRequest) -> ModelReply:
        answer = reading.envelope(body, self.name)
        usage = _usage(answer.get("usage"))
        ended = answer.get("stop_reason")
        if ended == "refusal":
            raise ModelAnswerUnusable(f"{self.name} refused to answer", usage=usage)
        if ended not in ("end_turn", "tool_use", "stop_sequence"):
            raise ModelAnswerUnusable(
                f"{self.name} did not complete its answer within {question.max_tokens:,} tokens",
                usage=usage,
            )
        data = self._data(answer.get("content"), question, usage)
        model = answer.get("model")
        return ModelReply(data, model if isinstance(model, str) else self._access.model, usage)

    def _data(
        self, content: JsonValue, question: ModelRequest, usage: TokenUsage | None
    ) -> dict[str, JsonValue]:
        listed = content if isinstance(content, list) else []
        parts = [part for part in listed if isinstance(part, dict)]
        filled_in = [part.get("input") for part in parts if part.get("type") == "tool_use"]
        if filled_in:
            return reading.validated(filled_in[0], question, self.name, usage)
        texts = [part.get("text") for part in parts if part.get("type") == "text"]
        answer = "".join(text for text in texts if isinstance(text, str))
        return reading.data(answer, question, self.name, usage)


def _usage(fields: object) -> TokenUsage | None:
    return reading.usage_of(
        reading.tokens(
            fields, "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"
        ),
        reading.tokens(fields, "output_tokens"),
        reading.tokens(fields, "cache_read_input_tokens"),
    )


def _without_content(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith("Request options")
