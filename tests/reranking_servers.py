"""A server on this machine that speaks as providers of rerankers do, or as it is told to."""

from __future__ import annotations

from typing import Any

from scripted_servers import ScriptedServer


def score(query: str, text: str) -> float:
    """What the server says of a text: as many as it has words of the question, less a little."""
    return len(set(query.split()) & set(text.split())) - len(text) / 1_024


class RerankingServer(ScriptedServer):
    """Answers with scripted answers first, one a request, then with scores, the best first."""

    def usual(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Return as many scores as were asked for."""
        results = [
            {"index": index, "relevance_score": score(body["query"], text)}
            for index, text in enumerate(body["documents"])
        ]
        results.sort(key=lambda result: -result["relevance_score"])
        return {"id": "x", "results": results[: body["top_n"]], "meta": {}}
