"""Remote rerankers with a correct, a faulty and an absent server."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memoranda.config import load_settings
from memoranda.exceptions import InvalidInput, RerankerUnavailable
from memoranda.models.factory import reranker
from memoranda.models.http_client import ModelEndpoint
from memoranda.models.remote_reranker import COMPATIBLE_PATH, PATIENCE, RemoteReranker
from reranking_servers import RerankingServer, score
from scripted_servers import Answer
from tables import each

KEY = "sk-hunter2"
QUERY = "where is the red door"
TEXTS = ["a blue window", "the red door is where it was", "the door"]
EXPECTED = [score(QUERY, text) for text in TEXTS]
BLANKS = "\n \t" * 50_000
BROKEN = Answer(500, "<h1>oh no</h1>")


@contextmanager
def asking(
    url: str,
    *,
    key: str = KEY,
    pauses: list[float] | None = None,
    timeout: float = 30.0,
    chance: float = 1.0,
) -> Iterator[RemoteReranker]:
    """Return a reranker that records its pauses instead of sleeping."""
    patience = replace(
        PATIENCE,
        timeout_seconds=timeout,
        connect_seconds=timeout,
        sleep=([] if pauses is None else pauses).append,
        chance=lambda: chance,
    )
    endpoint = ModelEndpoint("jina", url, key, patience, unavailable=RerankerUnavailable)
    with closing(RemoteReranker("jina:m", COMPATIBLE_PATH, "m", endpoint)) as found:
        yield found


def configured(tmp_path: Path, **options: object) -> RemoteReranker:
    arguments = {"data_dir": tmp_path, "reranker_key": KEY, **options}
    found = reranker(load_settings(arguments, {}))
    assert isinstance(found, RemoteReranker)
    return found


def refusal(answer: Answer, texts: tuple[str, ...] = ("one", "two")) -> str:
    with RerankingServer(answer) as server, asking(server.url) as remote:
        with pytest.raises(RerankerUnavailable) as caught:
            remote.scores(QUERY, texts)
        assert len(server.requests) == 1
        assert KEY not in str(caught.value)
        return str(caught.value)


def results(*pairs: tuple[Any, Any]) -> Answer:
    found = [{"index": index, "relevance_score": value} for index, value in pairs]
    return Answer(200, {"results": found})


class TestWhatIsAsked:
    def test_scores_come_in_the_order_of_the_texts(self, tmp_path: Path) -> None:
        with (
            RerankingServer() as server,
            closing(configured(tmp_path, reranker="cohere", reranker_url=server.url)) as remote,
        ):
            assert remote.scores(QUERY, TEXTS) == EXPECTED
        assert EXPECTED[1] > EXPECTED[2] > EXPECTED[0]  # so the server did not keep the order
        assert remote.name == "cohere:rerank-v3.5"
        (request,) = server.requests
        assert (request.path, request.key) == ("/v1/v2/rerank", f"Bearer {KEY}")
        assert request.body == {
            "model": "rerank-v3.5",
            "query": QUERY,
            "documents": TEXTS,
            "top_n": 3,
        }

    @pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/"])
    def test_a_compatible_server_needs_no_key(self, tmp_path: Path, end: str) -> None:
        arguments = {"reranker": "compatible", "reranker_model": "bge", "reranker_key": ""}
        with RerankingServer() as server:
            arguments["reranker_url"] = server.url.removesuffix("/v1") + end
            with closing(configured(tmp_path, **arguments)) as remote:
                assert remote.scores(QUERY, TEXTS) == EXPECTED
        (request,) = server.requests
        assert (request.path, request.key) == ("/v1/rerank", None)
        assert request.body["model"] == "bge"
        assert remote.name == "compatible:bge"

    def test_a_configured_model_is_requested(self, tmp_path: Path) -> None:
        with RerankingServer() as server:
            arguments = {"reranker_model": "rerank-v4.0-fast", "reranker_url": server.url}
            with closing(configured(tmp_path, reranker="cohere", **arguments)) as remote:
                remote.scores(QUERY, TEXTS)
        assert server.requests[0].body["model"] == "rerank-v4.0-fast"
        assert remote.name == "cohere:rerank-v4.0-fast"

    def test_texts_are_sent_as_providers_accept_them(self) -> None:
        with RerankingServer() as server, asking(server.url) as remote:
            remote.scores("a\ud800b", ["", BLANKS + "end", "a\ud800b", "word " * 5_000])
            remote.scores("word " * 5_000, ["one"])
            remote.scores("", ["one"])
        first, second, third = (request.body for request in server.requests)
        *others, long = first["documents"]
        assert (first["query"], others) == ("a?b", ["-", "-", "a?b"])
        assert 1_990 <= len(long.split()) <= 2_000
        assert 1_990 <= len(second["query"].split()) <= 2_000
        assert third["query"] == "-"

    def test_no_texts_cause_no_request(self) -> None:
        with RerankingServer() as server, asking(server.url) as remote:
            assert remote.scores(QUERY, []) == []
        assert server.requests == []

    def test_a_hundred_texts_are_one_request_and_more_are_too_many(self) -> None:
        texts = [f"the door {'!' * number}" for number in range(101)]
        with RerankingServer() as server, asking(server.url) as remote:
            assert remote.scores(QUERY, texts[:100]) == [score(QUERY, text) for text in texts[:100]]
            with pytest.raises(InvalidInput, match="101 texts to rerank; pass at most 100"):
                remote.scores(QUERY, texts)
        assert [request.body["top_n"] for request in server.requests] == [100]

    def test_threads_share_a_reranker(self) -> None:
        with (
            RerankingServer() as server,
            asking(server.url) as remote,
            ThreadPoolExecutor(4) as pool,
        ):
            found = list(pool.map(lambda n: remote.scores(QUERY, ["x" * n, "red"]), range(40)))
        for number, scores in enumerate(found):
            assert scores == [score(QUERY, "x" * number or "-"), score(QUERY, "red")]

    def test_a_closed_reranker_reconnects(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with RerankingServer() as server, asking(server.url) as remote:
            assert remote.scores(QUERY, TEXTS) == EXPECTED
            remote.close()
            remote.close()
            assert remote.scores(QUERY, TEXTS) == EXPECTED
            monkeypatch.setenv("ALL_PROXY", "carrier-pigeon://loft")
            assert remote.scores(QUERY, TEXTS) == EXPECTED
            remote.close()
            with pytest.raises(RerankerUnavailable, match="loft"):
                remote.scores(QUERY, TEXTS)


class TestWhatPasses:
    def test_a_provider_that_fails_once_is_retried(self) -> None:
        pauses: list[float] = []
        with RerankingServer(BROKEN) as server, asking(server.url, pauses=pauses) as remote:
            assert remote.scores(QUERY, TEXTS) == EXPECTED
        assert pauses == [0.5]
        assert len(server.requests) == 2

    def test_a_provider_that_fails_twice_is_given_up(self) -> None:
        pauses: list[float] = []
        with (
            RerankingServer(BROKEN, BROKEN) as server,
            asking(server.url, pauses=pauses, chance=0.0) as remote,
            pytest.raises(RerankerUnavailable, match=r"500: <h1>oh no</h1> \(2 tries\)"),
        ):
            remote.scores(QUERY, TEXTS)
        assert pauses == [0.25]

    def test_a_busy_provider_is_retried_after_its_requested_pause(self) -> None:
        pauses: list[float] = []
        busy = Answer(429, {"message": "slow down"}, {"Retry-After": "1"})
        with RerankingServer(busy) as server, asking(server.url, pauses=pauses) as remote:
            assert remote.scores(QUERY, TEXTS) == EXPECTED
        assert pauses == [1.0]

    def test_a_pause_that_is_too_long_is_not_waited_for(self, tmp_path: Path) -> None:
        busy = Answer(429, {"message": "slow down"}, {"Retry-After": "2"})
        with (
            RerankingServer(busy) as server,
            closing(configured(tmp_path, reranker="cohere", reranker_url=server.url)) as remote,
            pytest.raises(RerankerUnavailable, match=r"429: slow down$"),
        ):
            remote.scores(QUERY, TEXTS)
        assert len(server.requests) == 1

    def test_a_slow_provider_is_given_up_at_once(self) -> None:
        pauses: list[float] = []
        go_on = threading.Event()
        slow = Answer(200, "{}", before=lambda: go_on.wait(30))
        with (
            RerankingServer(slow) as server,
            asking(server.url, pauses=pauses, timeout=0.5) as remote,
        ):
            try:
                with pytest.raises(RerankerUnavailable, match="does not answer: ReadTimeout"):
                    remote.scores(QUERY, TEXTS)
            finally:
                go_on.set()
        assert pauses == []

    def test_a_search_does_not_wait_for_long(self) -> None:
        assert (PATIENCE.timeout_seconds, PATIENCE.connect_seconds) == (5.0, 1.0)
        assert (PATIENCE.tries, PATIENCE.longest_wait_seconds) == (2, 1.0)

    def test_a_provider_that_disconnects_is_retried(self) -> None:
        pauses: list[float] = []
        cut = Answer(200, "{}", {"Content-Length": "100"})
        with RerankingServer(cut) as server, asking(server.url, pauses=pauses) as remote:
            assert remote.scores(QUERY, TEXTS) == EXPECTED
        assert pauses == [0.5]

    def test_an_unreachable_provider_is_given_up(self) -> None:
        pauses: list[float] = []
        with socket.create_server(("127.0.0.1", 0)) as unused:
            port = unused.getsockname()[1]
        with (
            asking(f"http://127.0.0.1:{port}", pauses=pauses) as remote,
            pytest.raises(RerankerUnavailable, match=r"jina at 127\.0\.0\.1 does not answer"),
        ):
            remote.scores(QUERY, TEXTS)
        assert len(pauses) == 1


class TestWhatIsRefused:
    def test_a_wrong_key_is_not_tried_again_and_not_shown(self) -> None:
        message = refusal(Answer(401, {"detail": f"Incorrect key {KEY}."}))
        assert message == "jina at 127.0.0.1 answered 401: Incorrect key ***."

    def test_a_page_in_place_of_an_answer_is_refused(self) -> None:
        page = Answer(200, f"<html>{KEY}</html>", {"Content-Type": "text/html"})
        assert refusal(page) == "jina at 127.0.0.1 did not answer with JSON"

    def test_a_key_is_not_carried_to_another_place(self) -> None:
        with RerankingServer() as other:
            moved = Answer(307, "", {"Location": f"{other.url}/rerank"})
            assert "answered 307" in refusal(moved)
        assert other.requests == []

    def test_scores_of_any_scale_are_taken(self) -> None:
        answer = results((1, -11.5), (0, 7))
        with RerankingServer(answer) as server, asking(server.url) as remote:
            scores = remote.scores(QUERY, ["one", "two"])
        assert scores == [7.0, -11.5]
        assert all(type(value) is float for value in scores)

    @each(
        ("pairs", "words"),
        [
            ([(0, 1)], "1 scores for 2 texts"),
            ([], "0 scores for 2 texts"),
            ([(0, 1), (1, 2), (1, 2)], "3 scores for 2 texts"),
            ([(0, 1), (0, 2)], "two scores for one text"),
            ([(1, 1), (2, 2)], "a text that was not sent"),
            ([(0, 1), (-1, 2)], "a text that was not sent"),
            ([(0, 1), (True, 2)], "a text that was not sent"),
            ([(0, 1), (1.0, 2)], "a text that was not sent"),
            ([(0, 1), ("1", 2)], "a text that was not sent"),
            ([(0, 1), (None, 2)], "a text that was not sent"),
            ([(0, 1), ([], 2)], "a text that was not sent"),
            ([(0, 1), (1, float("nan"))], "a score that is not a number"),
            ([(0, 1), (1, float("inf"))], "a score that is not a number"),
            ([(0, 1), (1, -float("inf"))], "a score that is not a number"),
            ([(0, 1), (1, "0.5")], "a score that is not a number"),
            ([(0, 1), (1, True)], "a score that is not a number"),
            ([(0, 1), (1, None)], "a score that is not a number"),
            ([(0, 1), (1, [0.5])], "a score that is not a number"),
            ([(0, 1), (1, 10**400)], "too large"),
        ],
        ids=lambda value: str(value)[:30],
    )
    def test_scores_that_are_none_are_refused(
        self, pairs: list[tuple[Any, Any]], words: str
    ) -> None:
        message = refusal(results(*pairs))
        assert message.startswith("jina:m returned an invalid answer: ")
        assert words in message

    @each(
        "body",
        [
            [],
            {},
            None,
            7,
            "[[1, 2], [3, 4]]",
            {"results": None},
            {"results": 7},
            {"results": "xy"},
            {"results": {"0": 1, "1": 2}},
            {"results": [1, 2]},
            {"results": [None, None]},
            {"results": [{"index": 0}, {"index": 1}]},
            {"results": [{"relevance_score": 1}, {"relevance_score": 2}]},
            [{"index": 0, "score": 1}, {"index": 1, "score": 2}],
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_an_answer_of_another_form_is_refused(self, body: object) -> None:
        assert refusal(Answer(200, body)).startswith("jina:m returned an invalid answer: ")

    @pytest.mark.parametrize("body", ["", "no json", "[" * 100_000], ids=len)
    def test_an_answer_that_cannot_be_read_is_refused(self, body: str) -> None:
        assert refusal(Answer(200, body)).endswith("did not answer with JSON")

    def test_a_key_that_cannot_be_sent_is_not_shown(self) -> None:
        with (
            RerankingServer() as server,
            asking(server.url, key=f"{KEY}\n") as remote,
            pytest.raises(RerankerUnavailable) as caught,
        ):
            remote.scores(QUERY, TEXTS)
        assert KEY not in str(caught.value)
        assert server.requests == []

    def test_a_proxy_of_an_unknown_kind_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ALL_PROXY", "carrier-pigeon://loft")
        with (
            asking("http://models.example") as remote,
            pytest.raises(
                RerankerUnavailable, match=r"cannot call jina at models\.example: .*loft"
            ),
        ):
            remote.scores(QUERY, TEXTS)

    def test_a_missing_client_is_reported(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "httpx", None)
        with (
            asking("http://127.0.0.1:9") as remote,
            pytest.raises(
                RerankerUnavailable, match=r"needs httpx: pip install 'memoranda\[remote\]'"
            ),
        ):
            remote.scores(QUERY, TEXTS)


class TestWhichIsMeant:
    def test_none_unless_one_is_named(self, tmp_path: Path) -> None:
        assert reranker(load_settings({"data_dir": tmp_path}, {})) is None
        assert reranker(load_settings({"data_dir": tmp_path, "reranker": "none"}, {})) is None

    @pytest.mark.parametrize(
        ("arguments", "missing"),
        [
            ({"reranker": "cohere"}, "reranker_key"),
            ({"reranker": "compatible", "reranker_model": "m"}, "reranker_url"),
            ({"reranker": "compatible", "reranker_url": "http://x"}, "reranker_model"),
        ],
    )
    def test_a_setting_that_a_provider_needs_is_required(
        self, tmp_path: Path, arguments: dict[str, str], missing: str
    ) -> None:
        settings = load_settings({"data_dir": tmp_path, **arguments}, {})
        with pytest.raises(InvalidInput, match=f"needs {missing}"):
            reranker(settings)
