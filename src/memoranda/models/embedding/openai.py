"""How OpenAI, and every server that is compatible with it, is asked for vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

URL = "https://api.openai.com/v1"
MODEL = "text-embedding-3-small"


class OpenAIDialect:
    """The request to /embeddings and its answer."""

    path = "/embeddings"

    def __init__(self, model: str, dimensions: int = 0) -> None:
        """Ask for vectors of the model's own size when the dimensions are 0."""
        self._asked: dict[str, Any] = {"model": model, "encoding_format": "float"}
        if dimensions:
            self._asked["dimensions"] = dimensions

    def body(self, texts: Sequence[str], query: bool) -> dict[str, Any]:
        """Return what to send for some texts, which are the same whether kept or looked for."""
        return {**self._asked, "input": list(texts)}

    def vectors(self, answer: Any) -> list[Any]:
        """Return the vectors of an answer by the index that each comes with."""
        found = {item["index"]: item["embedding"] for item in answer["data"]}
        if len(found) != len(answer["data"]):
            raise ValueError("two vectors for one text")
        return [found[place] for place in range(len(found))]
