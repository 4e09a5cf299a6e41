"""Remote embedders with a correct, a faulty and an absent server."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embedding_servers import SIZE, EmbeddingServer, vector
from memoranda.config import load_settings
from memoranda.exceptions import EmbedderUnavailable, InvalidInput
from memoranda.models.embedding.dialects import CohereDialect, OpenAIDialect
from memoranda.models.embedding.minilm import LocalEmbedder
from memoranda.models.embedding.remote import RemoteEmbedder
from memoranda.models.factory import embedder
from memoranda.models.http_client import ModelEndpoint, RetryPolicy
from scripted_servers import Answer
from tables import each

KEY = "sk-hunter2"
BUSY = Answer(429, {"error": {"message": "slow down"}}, {"Retry-After": "3"})
BROKEN = Answer(500, "<h1>oh no</h1>")


@contextmanager
def asking(
    url: str, *, pauses: list[float] | None = None, timeout: float = 30.0, chance: float = 1.0
) -> Iterator[RemoteEmbedder]:
    """Return an embedder that records its pauses instead of sleeping."""
    kept = [] if pauses is None else pauses
    patience = RetryPolicy(timeout, timeout, sleep=kept.append, chance=lambda: chance)
    endpoint = ModelEndpoint("openai", url, KEY, patience, unavailable=EmbedderUnavailable)
    with closing(RemoteEmbedder("openai:m", 0, OpenAIDialect("m"), endpoint)) as found:
        yield found


def configured(server: EmbeddingServer, tmp_path: Path, **options: object) -> RemoteEmbedder:
    arguments = {"data_dir": tmp_path, "embedding_url": server.url, "embedding_key": KEY, **options}
    found = embedder(load_settings(arguments, {}))
    assert isinstance(found, RemoteEmbedder)
    return found


def directions(*texts: str, size: int = SIZE) -> np.ndarray[Any, Any]:
    rows = np.array([vector(text, size) for text in texts])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def refusal(answer: Answer, texts: tuple[str, ...] = ("one", "two")) -> str:
    with EmbeddingServer(answer) as server, asking(server.url) as remote:
        with pytest.raises(EmbedderUnavailable) as caught:
            remote.embed(texts)
        assert len(server.requests) == 1
        assert remote.dimensions == 0
        assert KEY not in str(caught.value)
        return str(caught.value)


class TestWhatIsAsked:
    def test_openai_answers_out_of_order_and_vectors_come_in_order(self, tmp_path: Path) -> None:
        texts = ["one", "three and four", "the fifth"]
        with (
            EmbeddingServer() as server,
            closing(configured(server, tmp_path, embedder="openai")) as remote,
        ):
            vectors = remote.embed(texts)
        assert np.abs(vectors - directions(*texts)).max() < 1e-6
        assert vectors.dtype == np.float32
        assert (remote.name, remote.dimensions) == ("openai:text-embedding-3-small", SIZE)
        (request,) = server.requests
        assert (request.path, request.key) == ("/v1/embeddings", f"Bearer {KEY}")
        assert request.body == {
            "model": "text-embedding-3-small",
            "input": texts,
            "encoding_format": "float",
        }

    def test_cohere_receives_whether_texts_are_documents_or_queries(self, tmp_path: Path) -> None:
        with (
            EmbeddingServer() as server,
            closing(configured(server, tmp_path, embedder="cohere")) as remote,
        ):
            assert np.abs(remote.embed(["one", "two"]) - directions("one", "two")).max() < 1e-6
            remote.embed(["one"], query=True)
        kept, sought = server.requests
        assert (kept.path, kept.key) == ("/v1/v2/embed", f"Bearer {KEY}")
        assert kept.body["input_type"] == "search_document"
        assert sought.body["input_type"] == "search_query"
        assert sought.body["texts"] == ["one"]
        assert sought.body["embedding_types"] == ["float"]
        assert remote.name == "cohere:embed-v4.0"

    @pytest.mark.parametrize("provider", ["openai", "cohere", "compatible"])
    def test_configured_dimensions_are_requested_and_part_of_the_name(
        self, tmp_path: Path, provider: str
    ) -> None:
        arguments = {"embedder": provider, "embedding_model": "m", "embedding_dimensions": 3}
        with (
            EmbeddingServer() as server,
            closing(configured(server, tmp_path, **arguments)) as remote,
        ):
            assert remote.dimensions == 3
            assert np.abs(remote.embed(["one"]) - directions("one", size=3)).max() < 1e-6
        assert remote.name == f"{provider}:m@3"

    def test_a_compatible_server_needs_no_key(self, tmp_path: Path) -> None:
        arguments = {"embedder": "compatible", "embedding_model": "nomic", "embedding_key": ""}
        with EmbeddingServer() as server:
            arguments["embedding_url"] = f"{server.url}/"
            with closing(configured(server, tmp_path, **arguments)) as remote:
                remote.embed(["one"])
        assert server.requests[0].path == "/v1/embeddings"
        assert server.requests[0].key is None
        assert remote.name == "compatible:nomic"

    def test_many_texts_go_out_in_batches(self) -> None:
        texts = [f"text {'!' * number}" for number in range(200)]
        with EmbeddingServer() as server, asking(server.url) as remote:
            vectors = remote.embed(texts)
        assert [len(request.body["input"]) for request in server.requests] == [96, 96, 8]
        assert np.abs(vectors - directions(*texts)).max() < 1e-6

    def test_a_batch_of_long_texts_is_smaller(self) -> None:
        with EmbeddingServer() as server, asking(server.url) as remote:
            remote.embed([f"{number} " + "internationally " * 1_500 for number in range(12)])
        assert [len(request.body["input"]) for request in server.requests] == [10, 2]

    def test_texts_are_sent_as_providers_accept_them(self) -> None:
        with EmbeddingServer() as server, asking(server.url) as remote:
            remote.embed(["", " \n", "\n \t" * 50_000 + "end", "a\ud800b", "word " * 20_000])
        empty, blank, long_blank, broken, long = server.requests[0].body["input"]
        assert (empty, blank, long_blank, broken) == ("-", "-", "-", "a?b")
        assert 7_990 <= len(long.split()) <= 8_000

    def test_no_texts_cause_no_request(self) -> None:
        with EmbeddingServer() as server, asking(server.url) as remote:
            assert remote.embed([]).shape == (0, 0)
            remote.embed(["one"])
            assert remote.embed([]).shape == (0, SIZE)
        assert len(server.requests) == 1

    def test_threads_share_an_embedder(self) -> None:
        with (
            EmbeddingServer() as server,
            asking(server.url) as remote,
            ThreadPoolExecutor(4) as pool,
        ):
            found = list(pool.map(lambda number: remote.embed(["x" * number]), range(1, 40)))
        for number, vectors in enumerate(found, 1):
            assert np.abs(vectors - directions("x" * number)).max() < 1e-6


class TestWhatPasses:
    def test_a_busy_provider_is_retried_after_its_requested_pause(self) -> None:
        pauses: list[float] = []
        with EmbeddingServer(BUSY) as server, asking(server.url, pauses=pauses) as remote:
            assert remote.embed(["one"]).shape == (1, SIZE)
        assert pauses == [3.0]

    def test_a_date_is_read_by_the_clock_of_the_provider(self) -> None:
        pauses: list[float] = []
        payload = {
            "Date": "Mon, 01 Jan 2001 00:00:00 GMT",
            "Retry-After": "Mon, 01 Jan 2001 00:00:07 GMT",
        }
        with (
            EmbeddingServer(Answer(503, "", payload)) as server,
            asking(server.url, pauses=pauses) as remote,
        ):
            remote.embed(["one"])
        assert pauses == [7.0]

    @each("text", ["soon", "", "-3", "nan", "Mon, 01 Jan 2001 00:00:07 GMT", "Mon, 99 Jan"])
    def test_a_pause_that_cannot_be_read_is_ours(self, text: str) -> None:
        pauses: list[float] = []
        answer = Answer(429, "", {"Retry-After": text})
        with EmbeddingServer(answer) as server, asking(server.url, pauses=pauses) as remote:
            remote.embed(["one"])
        assert pauses == [0.5]

    @pytest.mark.parametrize("seconds", ["31", "86400", "inf"])
    def test_a_pause_that_is_too_long_is_not_waited_for(self, seconds: str) -> None:
        pauses: list[float] = []
        answer = Answer(429, {"message": "quota"}, {"Retry-After": seconds})
        with (
            EmbeddingServer(answer) as server,
            asking(server.url, pauses=pauses) as remote,
            pytest.raises(EmbedderUnavailable, match="429: quota"),
        ):
            remote.embed(["one"])
        assert pauses == []

    def test_all_pauses_together_are_bounded(self) -> None:
        pauses: list[float] = []
        busy = [Answer(429, "", {"Retry-After": "16"})] * 3
        with (
            EmbeddingServer(*busy) as server,
            asking(server.url, pauses=pauses) as remote,
            pytest.raises(EmbedderUnavailable, match=r"429.*\(2 tries\)"),
        ):
            remote.embed(["one"])
        assert pauses == [16.0]

    @pytest.mark.parametrize(("chance", "expected"), [(1, [0.5, 1, 2]), (0, [0.25, 0.5, 1])])
    def test_a_failing_provider_is_given_up(self, chance: float, expected: list[float]) -> None:
        pauses: list[float] = []
        with (
            EmbeddingServer(*[BROKEN] * 9) as server,
            asking(server.url, pauses=pauses, chance=chance) as remote,
            pytest.raises(EmbedderUnavailable, match=r"500: <h1>oh no</h1> \(4 tries\)"),
        ):
            remote.embed(["one"])
        assert pauses == expected
        assert len(server.requests) == 4

    def test_an_unreachable_provider_is_given_up(self) -> None:
        pauses: list[float] = []
        with socket.create_server(("127.0.0.1", 0)) as unused:
            port = unused.getsockname()[1]
        with (
            asking(f"http://127.0.0.1:{port}", pauses=pauses) as remote,
            pytest.raises(EmbedderUnavailable, match=r"openai at 127\.0\.0\.1 does not answer"),
        ):
            remote.embed(["one"])
        assert len(pauses) == 3

    def test_a_slow_provider_is_retried(self) -> None:
        pauses: list[float] = []
        go_on = threading.Event()
        slow = Answer(200, "{}", before=lambda: go_on.wait(30))
        with (
            EmbeddingServer(slow) as server,
            asking(server.url, pauses=pauses, timeout=0.5) as remote,
        ):
            try:
                assert remote.embed(["one"]).shape == (1, SIZE)
            finally:
                go_on.set()
        assert pauses[0] == 0.5

    def test_a_provider_that_disconnects_is_retried(self) -> None:
        pauses: list[float] = []
        cut = Answer(200, "{}", {"Content-Length": "100"})
        with EmbeddingServer(cut) as server, asking(server.url, pauses=pauses) as remote:
            assert remote.embed(["one"]).shape == (1, SIZE)
        assert pauses == [0.5]


class TestWhatIsRefused:
    def test_a_wrong_key_is_not_tried_again_and_not_shown(self) -> None:
        body = {"error": {"message": f"Incorrect API key provided: {KEY}.", "type": "invalid"}}
        message = refusal(Answer(401, body))
        assert message == "openai at 127.0.0.1 answered 401: Incorrect API key provided: ***."

    @each(
        ("body", "words"),
        [
            ({"message": "no such model"}, "no such model"),
            ({"detail": "no such model"}, "no such model"),
            ({"error": "no such\n  model"}, "no such model"),
            ("", "Bad Request"),
            ("x" * 5_000, "x" * 300),
            ([], "[]"),
        ],
        ids=lambda value: str(value)[:20],
    )
    def test_a_refusal_includes_the_providers_message(self, body: object, words: str) -> None:
        assert refusal(Answer(400, body)) == f"openai at 127.0.0.1 answered 400: {words}"

    def test_a_key_is_not_carried_to_another_place(self) -> None:
        with EmbeddingServer() as other:
            moved = Answer(307, "", {"Location": f"{other.url}/embeddings"})
            assert "answered 307" in refusal(moved)
        assert other.requests == []

    @each(
        ("rows", "words"),
        [
            ([[1, 2]], "1 vectors for 2 texts"),
            ([[1, 2]] * 3, "3 vectors for 2 texts"),
            ([[1, 2], [1, 2, 3]], "returned an invalid answer"),
            ([[1, float("nan")], [1, 2]], "zero or non-finite"),
            ([[1, float("inf")], [1, 2]], "zero or non-finite"),
            ([[1e200, 1e200], [1, 2]], "zero or non-finite"),
            ([[10**400, 1], [1, 2]], "lists of numbers"),
            ([[0, 0.0], [1, 2]], "zero or non-finite"),
            ([[], []], "zero or non-finite"),
            ([["1", "2"], ["1", "2"]], "lists of numbers"),
            ([[None, 1], [1, 2]], "lists of numbers"),
            ([[[1], [2]], [[1], [2]]], "lists of numbers"),
            (["AAAA", "AAAA"], "not a list"),
            ([7, 7], "not a list"),
            ([{"0": 1}, {"0": 1}], "not a list"),
        ],
        ids=lambda value: str(value)[:30],
    )
    def test_vectors_that_are_none_are_refused(self, rows: list[Any], words: str) -> None:
        data = [{"index": index, "embedding": row} for index, row in enumerate(rows)]
        assert words in refusal(Answer(200, {"data": data}))

    @each(
        ("body", "says"),
        [
            ("no json", "did not answer with JSON"),
            ("", "did not answer with JSON"),
            ("[" * 100_000, "did not answer with JSON"),
            ([], "invalid answer"),
            ({}, "answered without 'data'"),
            (None, "invalid answer"),
            ({"data": None}, "invalid answer"),
            ({"data": ["x", "y"]}, "invalid answer"),
            ({"data": [{"index": 0}, {"index": 1}]}, "answered without 'embedding'"),
            ({"data": [{"embedding": [1]}, {"embedding": [2]}]}, "answered without 'index'"),
            (
                {"data": [{"index": 1, "embedding": [1]}, {"index": 2, "embedding": [1]}]},
                "answered without",
            ),
            ({"data": [{"index": index, "embedding": [1]} for index in (0, 0)]}, "two vectors"),
            ({"data": [{"index": index, "embedding": [1]} for index in (0, 1, 1)]}, "two vectors"),
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_an_answer_of_another_form_is_refused(self, body: object, says: str) -> None:
        assert says in refusal(Answer(200, body))

    def test_a_vector_size_once_seen_is_required(self) -> None:
        other = Answer(200, {"data": [{"index": 0, "embedding": [1.0] * (SIZE + 1)}]})
        with EmbeddingServer() as server, asking(server.url) as remote:
            remote.embed(["one"])
            server.answers.append(other)
            with pytest.raises(EmbedderUnavailable, match="vectors with 6 dimensions, not 5"):
                remote.embed(["one"])
            assert remote.embed(["one"]).shape == (1, SIZE)

    def test_a_requested_vector_size_is_required(self) -> None:
        answer = Answer(200, {"embeddings": {"float": [[1.0, 2.0]]}})
        with EmbeddingServer(answer) as server:
            endpoint = ModelEndpoint("cohere", server.url, KEY, unavailable=EmbedderUnavailable)
            remote = RemoteEmbedder("cohere:m@3", 3, CohereDialect("m", 3), endpoint)
            with closing(remote), pytest.raises(EmbedderUnavailable, match="dimensions, not 3"):
                remote.embed(["one"])

    def test_a_key_that_cannot_be_sent_is_not_shown(self) -> None:
        with EmbeddingServer() as server:
            patience = RetryPolicy(sleep=lambda _: None)
            endpoint = ModelEndpoint(
                "openai", server.url, f"{KEY}\n", patience, unavailable=EmbedderUnavailable
            )
            with closing(endpoint), pytest.raises(EmbedderUnavailable) as caught:
                endpoint.post("/embeddings", {})
        assert KEY not in str(caught.value)
        assert server.requests == []

    def test_a_proxy_of_an_unknown_kind_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ALL_PROXY", "carrier-pigeon://loft")
        with (
            asking("http://models.example") as remote,
            pytest.raises(
                EmbedderUnavailable, match=r"cannot call openai at models\.example: .*loft"
            ),
        ):
            remote.embed(["one"])

    def test_a_missing_client_is_reported(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "httpx", None)
        with (
            asking("http://127.0.0.1:9") as remote,
            pytest.raises(EmbedderUnavailable, match=r"pip install 'memoranda\[remote\]'"),
        ):
            remote.embed(["one"])


class TestWhichIsMeant:
    def test_the_one_on_this_machine_unless_another_is_named(self, tmp_path: Path) -> None:
        assert isinstance(embedder(load_settings({"data_dir": tmp_path}, {})), LocalEmbedder)

    def test_none(self, tmp_path: Path) -> None:
        assert embedder(load_settings({"data_dir": tmp_path, "embedder": "none"}, {})) is None

    @pytest.mark.parametrize(
        ("arguments", "missing"),
        [
            ({"embedder": "openai"}, "embedding_key"),
            ({"embedder": "cohere"}, "embedding_key"),
            ({"embedder": "compatible", "embedding_model": "m"}, "embedding_url"),
            ({"embedder": "compatible", "embedding_url": "http://x"}, "embedding_model"),
        ],
    )
    def test_a_setting_that_a_provider_needs_is_required(
        self, tmp_path: Path, arguments: dict[str, str], missing: str
    ) -> None:
        settings = load_settings({"data_dir": tmp_path, **arguments}, {})
        with pytest.raises(InvalidInput, match=f"needs {missing}"):
            embedder(settings)
