"""Request and response format of OpenAI-compatible embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

URL = "https://api.openai.com/v1"
MODEL = "text-embedding-3-small"


class OpenAIDialect:
    """Request to /embeddings and its response."""

    path = "/embeddings"

    def __init__(self, model: str, dimensions: int = 0) -> None:
        """Use vectors of the model's own size if the dimensions are 0."""
        self._parameters: dict[str, Any] = {"model": model, "encoding_format": "float"}
        if dimensions:
            self._parameters["dimensions"] = dimensions

    def body(self, texts: Sequence[str], query: bool) -> dict[str, Any]:
        """Return the request body for some texts.

        Texts and queries are embedded alike.
        """
        return {**self._parameters, "input": list(texts)}

    def vectors(self, answer: Any) -> list[Any]:
        """Return the vectors of a response in the order of their indexes."""
        found = {item["index"]: item["embedding"] for item in answer["data"]}
        if len(found) != len(answer["data"]):
            raise ValueError("two vectors for one text")
        return [found[place] for place in range(len(found))]
