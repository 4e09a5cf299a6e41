"""Contract of the store for full text: queries have no operators."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import pytest

from contract.records import Records
from memoranda.exceptions import InvalidInput
from memoranda.observations import table as observations
from memoranda.store.database import Database, TextQuery, Transaction
from memoranda.tasks.model import Task

ROWS = {
    "plain": "the invoice total was wrong",
    "operators": "near and or not, said the parser",
    "hyphen": "installed foo-bar from the index",
    "language": "rewrote it in C++ and c#",
    "path": "edited src/pricing/parse_config.py",
    "chinese": "修复了价格计算的错误",
    "quote": 'it\'s called "half up" rounding',
    "emoji": "shipped 🚀 at last",
    "failing": "the build fails on failing tests",
    "russian": "йогурт и ёлка",
    "greek": "ο άνθρωπος μίλησε",
    "hindi": "हिन्दी में संदेश",
    "bengali": "বাংলা ভাষা",
    "arabic": "كَتَبَ رِسَالَةً",
    "hebrew": "שָׁלוֹם לְכֻלָּם",
    "thai": "ระบบจัดเก็บข้อมูลภาษาไทย",
    "burmese": "မြန်မာစကားပြောတယ်",
    "vietnamese": "Đà Nẵng rất đẹp",
    "turkish": "ılık bir İstanbul",
    "german": "die Straße ist groß",
    "kana": "ｶﾞﾝﾀﾞﾑ",
    "wide": "Ｔｏｔａｌ",
    "ligature": "the oﬃce",
    "alone": "猫在水里",
    "camel": "call reserveSeatRow of ParseHTTPReply",
    "product": "moved to SourceForge",
    "mixed": "Ñandú: cargarÁrbolViejo",
}
HOSTILE = (
    "",
    " ",
    '"',
    '""',
    "'",
    "AND",
    "OR",
    "NOT",
    "NEAR",
    "NEAR(",
    "NEAR(a b, 2)",
    "foo-bar",
    "C++",
    "*",
    "inv*",
    "^invoice",
    "body:invoice",
    "scope : x",
    "{body scope} : a",
    "a AND",
    "(",
    ")",
    "a:b:c",
    "what is this?",
    "user@example.com",
    "--",
    "'; drop table observation; --",
    "\\",
    "%",
    "_",
    "🚀",
    "👩‍👩‍👧‍👦",
    "价格",
    "\u202eabc",
    "x" * 10_000,
)


WORDS = (
    ("AND", "operators"),
    ("not", "operators"),
    ("NEAR", "operators"),
    ("foo-bar", "hyphen"),
    ("C++", "language"),
    ("it's", "quote"),
    ('"half', "quote"),
    ("INVOICE", "plain"),
    ("价格", "chinese"),
    ("错误", "chinese"),
    ("failed", "failing"),
    ("🚀", "emoji"),
    ("ёлка", "russian"),
    ("Йогурт", "russian"),
    ("йогурта", "russian"),
    ("ΑΝΘΡΩΠΟΣ", "greek"),
    ("ανθρώπου", "greek"),
    ("हिन्दी", "hindi"),
    ("संदेश", "hindi"),
    ("বাংলা", "bengali"),
    ("رسالة", "arabic"),
    ("שלום", "hebrew"),
    ("ภา", "thai"),
    ("မြ", "burmese"),
    ("da", "vietnamese"),
    ("đẹp", "vietnamese"),
    ("ilik", "turkish"),
    ("istanbul", "turkish"),
    ("STRASSE", "german"),
    ("ガンダム", "kana"),
    ("total", "wide"),
    ("office", "ligature"),
    ("水", "alone"),
    ("seats", "camel"),
    ("ReserveSeatRow", "camel"),
    ("http", "camel"),
    ("forge", "product"),
    ("sourceforge", "product"),
    ("arbol", "mixed"),
)
"""Words, each with the row that contains it."""


class TextContract:
    """Search finds the rows of its scope by their words."""

    def test_no_text_of_a_query_is_obeyed(self, database: Database) -> None:
        self._filled(database)
        for text in HOSTILE:
            words = re.findall(r"\w+|\U0001f680", text.lower())
            for query in ((text,), tuple(text.split()), (text, "zzzunknown")):
                found = self._names(database, query, query)
                without = [n for n in found if not any(word in ROWS[n].lower() for word in words)]
                assert without == [], f"{text!r} found rows that hold none of its words"

    def test_a_word_finds_the_row_that_contains_it(self, database: Database) -> None:
        self._filled(database)
        for word, name in WORDS:
            assert name in self._names(database, [word]), word
            assert name in self._names(database, ["zzzunknown", word, "🚀"]), word

    @pytest.mark.parametrize("part", ["parse_conf", "pricing/parse", "config.py", "价格计算"])
    def test_a_part_of_an_identifier_finds_its_row(self, database: Database, part: str) -> None:
        self._filled(database)
        found = self._names(database, [], [part])
        assert found == ["chinese" if part == "价格计算" else "path"]

    def test_five_thousand_words_are_no_trouble(self, database: Database) -> None:
        self._filled(database)
        words = ["invoice", *(f"word{number}" for number in range(5_000))]
        assert self._names(database, words, words) == ["plain"]

    def test_nothing_to_look_for_finds_nothing(self, database: Database) -> None:
        self._filled(database)
        assert self._names(database, [], []) == []
        assert self._names(database, ["", " "], [""]) == []

    def test_search_stays_in_its_scope(self, database: Database) -> None:
        records = Records()

        def fill(tx: Transaction) -> list[Task]:
            tasks = [records.plant_task(tx, name) for name in ("one", "one", "two")]
            for number, task in enumerate(tasks):
                records.plant(tx, task, 1, f"zebra_{number} zebra")
            return tasks

        first, second, third = database.write(fill)

        def found(tx: Transaction, workspace: str | None, task: str | None) -> set[str]:
            query = TextQuery(records.team, ["zebra"], ["zebra_"], workspace, task)
            hits = tx.text("observation").search(query)
            rows = observations.by_ids(tx, records.team, [hit.id for hit in hits])
            return {row.task for row in rows.values()}

        def look(tx: Transaction) -> None:
            assert found(tx, None, None) == {first.id, second.id, third.id}
            assert found(tx, first.workspace, None) == {first.id, second.id}
            assert found(tx, first.workspace, second.id) == {second.id}
            assert found(tx, first.workspace, third.id) == set()
            assert found(tx, "unknown", None) == set()

        database.read(look)

    def test_a_row_is_found_however_many_fit_better_elsewhere(self, database: Database) -> None:
        here, away = Records("here"), Records("away", seed=1)

        def fill(tx: Transaction, records: Records, name: str) -> None:
            task = records.plant_task(tx, name)
            for number in range(1, 401):
                records.plant(tx, task, number, "zebra zebra_x")

        database.of("away").write(partial(fill, records=away, name="shop"))
        database.of("here").write(partial(fill, records=here, name="other"))

        def work(tx: Transaction) -> None:
            task = here.plant_task(tx)
            text = "a long row, in which the zebra (zebra_x) is one animal of many"
            made = here.plant(tx, task, 1, text)
            for words, identifiers in ((["zebra"], []), ([], ["zebra_x"])):
                query = TextQuery("here", words, identifiers, task.workspace, limit=5)
                found = [hit.id for hit in tx.text("observation").search(query)]
                assert found == [made.id], (words, identifiers)

        database.of("here").write(work)

    def test_a_memory_is_found_however_many_fit_better_elsewhere(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            one, two = (records.plant_task(tx, name).workspace for name in ("one", "two"))
            for number in range(300):
                records.plant_memory(tx, records.memory(one, f"zebra {number}"))
            text = "a long memory, in which the zebra is one animal of many"
            here = records.plant_memory(tx, records.memory(two, text))
            everywhere = records.plant_memory(tx, records.memory(None, f"{text}, everywhere"))
            query = TextQuery(records.team, ["zebra"], workspace=two, limit=5)
            found = [hit.id for hit in tx.text("memory").search(query)]
            assert found == [here.id, everywhere.id]

        database.write(work)

    def test_hits_are_best_first_and_within_the_limit(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            best = records.plant(tx, task, 1, "zebra zebra zebra")
            for number in range(2, 30):
                records.plant(tx, task, number, f"a zebra among {number} others{' and more' * 30}")
            for number in range(30, 60):
                records.plant(tx, task, number, f"nothing of the kind {number}")
            query = TextQuery(records.team, ["zebra"], limit=10)
            hits = tx.text("observation").search(query)
            assert len(hits) == 10
            assert hits[0].id == best.id
            assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
            assert all(hit.score > 0 for hit in hits)

        database.write(work)

    def test_records_with_every_word_are_found_among_ids(self, database: Database) -> None:
        made = self._filled(database)
        names = {id: name for name, id in made.items()}

        def containing(words: Sequence[str], among: Sequence[str] = tuple(ROWS)) -> set[str]:
            ids = [made[name] for name in among]
            found = database.read(lambda tx: tx.text("observation").containing("local", ids, words))
            return {names[id] for id in found}

        assert containing(["invoice", "total"]) == {"plain"}
        assert containing(["the", "index"], ["hyphen", "plain"]) == {"hyphen"}
        assert containing(["the"], ["plain", "wide"]) == {"plain"}
        assert containing(["invoices", "were", "zebra"]) == set()
        assert containing(["fail", "tests"]) == {"failing"}
        assert containing(["价格", "错误"]) == {"chinese"}
        assert containing([]) == containing(["invoice"], []) == set()
        assert containing(["invoice", *(f"word{number}" for number in range(5_000))]) == set()
        for text in HOSTILE:
            assert containing([text, "zzzunknown"]) == set()

    def test_what_was_removed_is_found_no_more_also_after_a_purge(self, database: Database) -> None:
        made = self._filled(database)

        def forget(tx: Transaction) -> None:
            observations.delete(tx, "local", [made["plain"], made["path"]], 0)

        database.write(forget)
        for _ in range(2):
            assert self._names(database, ["invoice", "edited"], ["parse_config"]) == []
            assert self._names(database, ["foo-bar"]) == ["hyphen"]
            database.write(lambda tx: tx.text("observation").purge())

    def test_the_index_follows_its_transaction(self, database: Database) -> None:
        self._filled(database)

        def work(tx: Transaction) -> None:
            records = Records(seed=5)
            records.plant(tx, records.plant_task(tx), 1, "giraffe")
            assert tx.text("observation").search(TextQuery("local", ["giraffe"]))
            tx.text("observation").remove("local", [])
            tx.text("observation").purge()
            raise InvalidInput("no")

        with pytest.raises(InvalidInput):
            database.write(work)
        assert self._names(database, ["giraffe"]) == []
        assert self._names(database, ["invoice"]) == ["plain"]

    def _filled(self, database: Database) -> dict[str, str]:
        """Store `ROWS` in one task; return their ids."""
        records = Records()

        def fill(tx: Transaction) -> dict[str, str]:
            task = records.plant_task(tx)
            return {
                name: records.plant(tx, task, number, text).id
                for number, (name, text) in enumerate(ROWS.items(), 1)
            }

        return database.write(fill)

    def _names(
        self, database: Database, words: Sequence[str], identifiers: Sequence[str] = ()
    ) -> list[str]:
        """Search for words; return the names of the rows found."""

        def look(tx: Transaction) -> list[str]:
            hits = tx.text("observation").search(TextQuery("local", words, identifiers))
            rows = observations.by_ids(tx, "local", [hit.id for hit in hits])
            by_text = {text: name for name, text in ROWS.items()}
            return [by_text[rows[hit.id].summary] for hit in hits]

        return database.read(look)
