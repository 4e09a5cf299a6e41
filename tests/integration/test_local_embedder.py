"""The local embedder: its vectors, and behaviour without it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from memoranda.config import load_settings
from memoranda.exceptions import EmbedderUnavailable
from memoranda.models.embedding import minilm
from memoranda.models.embedding.minilm import LocalEmbedder
from memoranda.models.factory import embedder as embedder_of

TRIPLES = [
    (
        "The deployment failed because the disk was full.",
        "We could not release: no space was left on the server.",
        "She prefers green tea to coffee in the morning.",
    ),
    (
        "How do I undo the last commit?",
        "git reset --soft HEAD~1 takes back the most recent change",
        "the invoice must be paid within thirty days",
    ),
    (
        "The user wants answers in German.",
        "Reply in German to this person.",
        "The database runs on port 5432.",
    ),
]
TEXTS = [
    *(text for triple in TRIPLES for text in triple),
    "",
    " \n",
    "名前を変更する",
    "x" * 5_000,
    "ok",
    *(f"step {number}: " + "build, test and release " * number for number in (1, 2, 7, 20, 45, 79)),
]


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


@pytest.mark.parametrize("triple", TRIPLES, ids=lambda triple: triple[0])
def test_a_paraphrase_is_nearer_than_something_else(
    embedder: LocalEmbedder, triple: tuple[str, str, str]
) -> None:
    message, paraphrase, other = embedder.embed(triple)
    assert message @ paraphrase > message @ other + 0.3


def test_every_text_has_a_vector_of_length_one(embedder: LocalEmbedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert (vectors.shape, vectors.dtype) == ((len(TEXTS), embedder.dimensions), np.float32)
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-5


def test_no_texts_have_no_vectors(embedder: LocalEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_a_vector_does_not_depend_on_its_neighbours_or_its_place(embedder: LocalEmbedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert np.abs(embedder.embed(TEXTS[::-1])[::-1] - vectors).max() < 1e-3
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    assert np.abs(alone - vectors).max() < 1e-3


def test_a_long_text_is_read_up_to_its_256th_token(embedder: LocalEmbedder) -> None:
    words = ["hello"] * 254  # with its two neighbours
    full, over, other = embedder.embed(
        [" ".join(words), " ".join([*words, "disk"]), " ".join([*words[1:], "disk"])]
    )
    assert np.array_equal(full, over)
    assert not np.array_equal(full, other)


def test_threads_share_one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    loads = []
    load = minilm.session_of

    def counted(model: Path, threads: int, *, prepared: bool) -> object:
        loads.append(threads)
        return load(model, threads, prepared=prepared)

    monkeypatch.setattr(minilm, "session_of", counted)
    shared = LocalEmbedder(threads=1)
    assert loads == []
    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(lambda _: shared.embed(TEXTS[:9]), range(8))
    assert all(np.abs(other - first).max() < 1e-3 for other in others)
    assert loads == [1]


def test_stores_of_a_process_share_one_model(tmp_path: Path) -> None:
    one, other = (embedder_of(load_settings({"data_dir": str(tmp_path / n)}, {})) for n in "ab")
    assert isinstance(one, LocalEmbedder)
    assert one is other


def test_the_first_questions_are_answered_without_preparing_the_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loads = []
    load = minilm.session_of

    def noted(model: Path, threads: int, *, prepared: bool) -> object:
        loads.append(prepared)
        return load(model, threads, prepared=prepared)

    monkeypatch.setattr(minilm, "session_of", noted)
    embedder = LocalEmbedder()
    requests = [embedder.embed(TEXTS[:1], query=True) for _ in range(minilm.FEW + 2)]
    assert loads == [False, True]
    assert all(np.abs(one - requests[0]).max() < 1e-5 for one in requests)


def test_the_installed_model_is_the_one_that_vectors_are_named_after() -> None:
    LocalEmbedder().verify()


def test_a_changed_model_is_noticed_by_verifying(tmp_path: Path) -> None:
    changed = bytearray(minilm.installed_model().read_bytes())
    changed[1_000_000] ^= 1
    model = tmp_path / "model.onnx"
    model.write_bytes(changed)
    with pytest.raises(EmbedderUnavailable, match="not the expected model; pip install"):
        LocalEmbedder(model=model).verify()


def test_a_missing_model_is_reported(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match=r"is missing: .*model\.onnx; pip install"):
        LocalEmbedder(model=tmp_path / "model.onnx").embed(["a"])


@pytest.mark.parametrize("content", [b"", b"half a model"])
def test_a_model_that_was_cut_is_refused_before_it_is_loaded(
    tmp_path: Path, content: bytes
) -> None:
    model = tmp_path / "model.onnx"
    model.write_bytes(content)
    with pytest.raises(EmbedderUnavailable, match=r"not the expected model; pip install"):
        LocalEmbedder(model=model).embed(["a"])


def test_a_model_of_the_right_size_that_cannot_be_read_is_refused_in_words(tmp_path: Path) -> None:
    model = tmp_path / "model.onnx"
    model.write_bytes(b"\xff" * minilm.MODEL_BYTES)
    with pytest.raises(EmbedderUnavailable, match=r"model\.onnx cannot be loaded.*pip install"):
        LocalEmbedder(model=model).embed(["a"])


def test_a_model_that_is_not_installed_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "PACKAGE", "a_package_that_nobody_has")
    with pytest.raises(EmbedderUnavailable, match="not installed; pip install"):
        LocalEmbedder().embed(["a"])


def test_a_runtime_that_is_not_installed_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EmbedderUnavailable, match=r"onnxruntime cannot be loaded.*pip install"):
        LocalEmbedder().embed(["a"])


def test_the_runtime_of_the_model_leaves_nothing_behind_and_reports_to_nobody(
    tmp_path: Path,
) -> None:
    """The runtime's wheels write a device id and event queue to a user's home."""
    program = (
        "from memoranda.models.embedding.minilm import LocalEmbedder;"
        "print(len(LocalEmbedder(1).embed(['a text'])))"
    )
    hidden = ("CI", "GITHUB_ACTIONS", "PYTEST_", "TF_BUILD", "ORT_", "XDG_")
    env = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    env["HOME"] = str(tmp_path)
    command = [sys.executable, "-B", "-c", program]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.stdout == "1\n", done.stderr
    assert list(tmp_path.rglob("*")) == []


def test_passages_of_an_earlier_analysis_get_vectors_too(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "memoranda", "--data-dir", str(tmp_path)]
    environment = {**os.environ, "HOME": str(tmp_path)}
    texts = ("The orders are kept in table orders_v2.", "The lamp of the second pier is broken.")
    for text in texts:
        subprocess.run([*command, "remember", text], env=environment, check=True, timeout=120)
    with closing(sqlite3.connect(tmp_path / "memoranda.db", isolation_level=None)) as store:
        changed = store.execute("update passage set text_hash = 'of another', model = ''")
        assert changed.rowcount == len(texts)
    run = subprocess.run(
        [*command, "reembed", "--format", "json"],
        env=environment,
        check=True,
        timeout=120,
        capture_output=True,
    )
    report = json.loads(run.stdout)
    assert (report["passages"], report["waiting"]) == (len(texts), 0)
