"""A server on this machine that speaks as providers of embeddings do, or as it is told to."""

from __future__ import annotations

from typing import Any

from scripted_servers import ScriptedServer

SIZE = 5


def vector(text: str, size: int = SIZE) -> list[float]:
    """What the server says of a text: no two texts of the tests are given the same direction."""
    return [
        1.0,
        *(((len(text) + 1) * place + sum(map(ord, text))) % 97 for place in range(1, size)),
    ]


class EmbeddingServer(ScriptedServer):
    """Answers with scripted answers first, one a request, then with vectors."""

    def usual(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Return vectors in the form of the provider that was asked."""
        if path.endswith("/v2/embed"):
            size = body.get("output_dimension", SIZE)
            rows = [vector(text, size) for text in body["texts"]]
            return {"id": "x", "embeddings": {"float": rows}}
        size = body.get("dimensions", SIZE)
        data = [
            {"object": "embedding", "index": index, "embedding": vector(text, size)}
            for index, text in enumerate(body["input"])
        ]
        return {"object": "list", "data": data[::-1], "model": body["model"]}
