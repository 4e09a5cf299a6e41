"""A person's messages to a coding agent are classified part by part."""

from __future__ import annotations

import json
import runpy
from itertools import pairwise
from pathlib import Path

import pytest

from memoranda.models.embedding.minilm import LocalEmbedder
from memoranda.utterances.classifier import UtteranceClassifier
from memoranda.utterances.labels import LABELS, LASTING, UtteranceLabel
from memoranda.utterances.model import WEIGHTS, load_model
from tables import each

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
DATA = BENCHMARKS / "data" / "utterances"
SIZE = 400_000
"""Maximum bytes of the weights in the package."""


@pytest.fixture(scope="module", params=["whole", "plain"])
def classifier(request: pytest.FixtureRequest) -> UtteranceClassifier:
    return UtteranceClassifier(LocalEmbedder() if request.param == "whole" else None)


def test_parts_cover_the_words_of_a_message_in_order(classifier: UtteranceClassifier) -> None:
    for file in sorted(DATA.glob("u[1-5].jsonl")):
        for line in file.read_text("utf-8").splitlines()[::40]:
            text = json.loads(line)["text"]
            parts = classifier.parts(text)
            assert [part.text for part in parts] == [text[p.start : p.end] for p in parts]
            covered = "".join("".join(part.text.split()) for part in parts)
            assert covered == "".join(text.split())
            assert all(0 <= part.confidence <= 1 and 0 <= part.lasting <= 1 for part in parts)
            assert all(first.end <= then.start for first, then in pairwise(parts))


def test_a_message_of_several_wishes_is_divided(classifier: UtteranceClassifier) -> None:
    text = "Thanks!\nNever commit to main directly, always open a branch.\nWhy is the build red?"
    labels = [part.label for part in classifier.parts(text, "I pushed the fix to main.")]
    assert UtteranceLabel.RULE in labels
    assert labels[0] in (UtteranceLabel.NONE, UtteranceLabel.APPROVAL)
    assert labels[-1] is UtteranceLabel.QUESTION


def test_a_short_answer_is_classified_by_the_agents_message(
    classifier: UtteranceClassifier,
) -> None:
    (offered,) = classifier.parts("no", "Shall I rewrite the parser as well?")
    assert offered.label is UtteranceLabel.REFUSAL
    (agreed,) = classifier.parts("yes please", "Shall I open the pull request?")
    assert agreed.label is UtteranceLabel.APPROVAL


@pytest.mark.parametrize(
    "text",
    [
        "from now on every endpoint needs a test",
        "we never store names in the logs",
        "remember that the licence runs out in June",
        "I prefer short answers",
        "the rule about two reviewers no longer applies, forget it",
    ],
)
def test_lasting_statements_are_recognised_by_their_wording(
    classifier: UtteranceClassifier, text: str
) -> None:
    (part,) = classifier.parts(text)
    assert part.label in LASTING
    assert part.lasting > 0.5


@each(
    ("before", "text"),
    [
        ("Ich habe die IDs als Strings gespeichert.", "IDs sind in diesem Projekt immer Zahlen"),
        ("", "mir sind kurze Sätze lieber"),
        ("J'ai mis le rapport en anglais.", "les rapports sont toujours en français chez nous"),
        ("", "acuérdate de que la tienda cierra los lunes"),
        ("Salvei o CPF no log.", "dado pessoal nunca vai pro log"),
        ("我把日志写到了控制台。", "日志一律写文件"),
        ("", "我喜欢先看结论"),
        ("", "覚えておいて、月曜にサーバーが再起動します"),
        ("", "기억해 둬, 월요일에 서버가 재시작돼"),
        ("Я вывел лог в консоль.", "логи у нас всегда пишутся в файл"),  # noqa: RUF001
        ("", "не люблю длинные ответы"),
    ],
)
def test_what_lasts_is_read_in_eight_other_languages(
    classifier: UtteranceClassifier, before: str, text: str
) -> None:
    part = classifier.parts(text, before)[0]
    assert part.label in LASTING
    assert part.lasting > 0.5


@each(
    "text",
    [
        "heute einmal ohne Tests",
        "lance les tests encore une fois",
        "por ahora déjalo así",
        "roda de novo",
        "再跑一遍测试",
        "もう一度テストを回して",
        "테스트 다시 돌려줘",
        "запусти тесты ещё раз",
    ],
)
def test_an_order_in_another_language_is_for_the_moment(
    classifier: UtteranceClassifier, text: str
) -> None:
    assert all(part.lasting < 0.5 for part in classifier.parts(text))


@pytest.mark.parametrize(
    "text", ["run the tests again", "why is it so slow?", "thanks a lot!", "ok", "good morning"]
)
def test_what_is_for_the_moment_is_not_lasting(classifier: UtteranceClassifier, text: str) -> None:
    for part in classifier.parts(text):
        assert part.lasting < 0.5


@pytest.mark.parametrize("text", ["", "  \n ", "\n\n"])
def test_a_message_without_a_word_has_no_parts(classifier: UtteranceClassifier, text: str) -> None:
    assert classifier.parts(text) == ()


@each(
    "text",
    ["x", "?", "🎉", "\u200b", "\0", "\ud800 lone", "a" * 5_000, "\uff0c" * 3, "…", "好。好。"],
)
def test_any_text_can_be_read(classifier: UtteranceClassifier, text: str) -> None:
    parts = classifier.parts(text, text)
    assert parts == classifier.parts(text, text)
    assert all(part.text for part in parts)


def test_a_part_has_the_chances_of_its_label(classifier: UtteranceClassifier) -> None:
    text = "ok merge it but only after six since the shop is open and nobody deploys by day here"
    for part in classifier.parts(text, "Shall I merge?"):
        assert sum(part.chances) == pytest.approx(1, abs=0.001)
        assert part.confidence == part.chances[LABELS.index(part.label)]


def test_of_a_long_message_both_ends_are_read(classifier: UtteranceClassifier) -> None:
    log = "\n".join(f"2026-01-01 worker {number} failed with code 7" for number in range(2_000))
    parts = classifier.parts(f"why does this fail?\n{log}\nnever retry these jobs")
    assert parts[0].text.startswith("why")
    assert parts[-1].text.endswith("never retry these jobs")
    assert sum(len(part.text) for part in parts) <= 6_000


class OtherEmbedder:
    """An embedder that the model was not fitted to and must not call."""

    name = "other"
    dimensions = 3

    def embed(self, texts: object, *, query: bool = False) -> object:
        raise AssertionError


def test_with_another_embedder_it_reads_as_with_the_local_one() -> None:
    text = "keep the old endpoint\nwe don't break clients"
    other = UtteranceClassifier(OtherEmbedder())  # type: ignore[arg-type]
    assert other.parts(text) == UtteranceClassifier(LocalEmbedder()).parts(text)


def test_the_weights_are_small_and_come_back_byte_for_byte(tmp_path: Path) -> None:
    assert WEIGHTS.stat().st_size <= SIZE
    save_model = runpy.run_path(str(BENCHMARKS / "utterance_files.py"))["save_model"]
    once, twice = tmp_path / "once.npz", tmp_path / "twice.npz"
    save_model(load_model(WEIGHTS), once)
    save_model(load_model(once), twice)
    assert once.read_bytes() == twice.read_bytes()
