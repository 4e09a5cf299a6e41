"""Contract of the store for keys and tokens, which revocation ends."""

from __future__ import annotations

from dataclasses import replace

from contract.clock import START
from contract.records import Records
from contract.scope_identity import KEY, credential, denial
from memoranda.identity import table as credentials
from memoranda.identity.model import CredentialKind
from memoranda.identity.principal import Role
from memoranda.store.database import Database, Transaction

TEAM = Records().team
DAY = 86_400_000_000


class CredentialContract:
    """Credentials are found by id, listed newest first, revoked for good."""

    def test_a_credential_is_kept_as_it_was_made(self, database: Database) -> None:
        agent = credential(
            TEAM, id="b", role=Role.AGENT, agent="bot/\u00fc", workspace=None, expires_at=START + 9
        )

        def work(tx: Transaction) -> None:
            assert credentials.by_id(tx, TEAM, KEY) is None
            credentials.put(tx, credential(TEAM), "digest")
            credentials.put(tx, agent, "")
            assert credentials.by_id(tx, TEAM, KEY) == (credential(TEAM), "digest")
            assert credentials.by_id(tx, TEAM, "b") == (agent, "")
            assert credentials.by_prefix(tx, TEAM, KEY[:5]) == [KEY]
            assert credentials.by_prefix(tx, TEAM, "c") == []

        database.write(work)

    def test_a_revoked_credential_stays_revoked_by_whoever_was_first(
        self, database: Database
    ) -> None:
        def work(tx: Transaction) -> None:
            credentials.put(tx, credential(TEAM), "digest")
            assert credentials.revoke(tx, TEAM, KEY, START + 1, "ada")
            assert not credentials.revoke(tx, TEAM, KEY, START + 2, "eve")
            assert not credentials.revoke(tx, TEAM, "nonesuch", START, "ada")
            revoked = replace(credential(TEAM), revoked_at=START + 1, revoked_by="ada")
            assert credentials.by_id(tx, TEAM, KEY) == (revoked, "digest")
            assert not revoked.holds(START)

        database.write(work)

    def test_valid_credentials_are_listed_separately(self, database: Database) -> None:
        made = {
            "a": credential(TEAM, id="a"),
            "b": credential(TEAM, id="b", expires_at=START + 5),
            "c": credential(TEAM, id="c"),
        }

        def ids(tx: Transaction, now: int | None) -> str:
            found = credentials.listed(tx, TEAM, now=now, limit=9)
            assert now is None or credentials.holding(tx, TEAM, now) == len(found)
            assert all(now is None or one.holds(now) for one in found)
            return "".join(one.id for one in found)

        def work(tx: Transaction) -> None:
            for one in made.values():
                credentials.put(tx, one, one.id)
            assert ids(tx, START) == "cba"
            assert ids(tx, START + 5) == "ca"
            credentials.revoke(tx, TEAM, "c", START, "ada")
            assert (ids(tx, START), ids(tx, START + 5), ids(tx, None)) == ("ba", "a", "cba")
            page = credentials.listed(tx, TEAM, before="c", limit=1)
            assert page == [made["b"]]

        database.write(work)

    def test_the_last_day_of_use_never_goes_back(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            credentials.put(tx, credential(TEAM), "digest")
            assert credentials.use(tx, TEAM, KEY, DAY * 2)
            assert not credentials.use(tx, TEAM, KEY, DAY * 2)
            assert not credentials.use(tx, TEAM, KEY, DAY)
            assert credentials.use(tx, TEAM, KEY, DAY * 3)
            found = credentials.by_id(tx, TEAM, KEY)
            assert found is not None
            assert found[0].last_used == DAY * 3

        database.write(work)

    def test_tokens_that_are_over_are_dropped_and_keys_stay(self, database: Database) -> None:
        token = credential(TEAM, kind=CredentialKind.TOKEN, expires_at=START)

        def work(tx: Transaction) -> None:
            credentials.put(tx, credential(TEAM, id="key", expires_at=START), "digest")
            credentials.put(tx, replace(token, id="over"), "")
            credentials.put(tx, replace(token, id="fresh", expires_at=START + 1), "")
            assert credentials.drop_over(tx, TEAM, START + 1) == 1
            assert [one.id for one in credentials.listed(tx, TEAM, limit=9)] == ["key", "fresh"]

        database.write(work)

    def test_a_session_stores_its_origin_and_is_no_caller(self, database: Database) -> None:
        """A session is stored once per id, counted apart, and swept like a token."""
        made = credential(TEAM, kind=CredentialKind.SESSION, parent="local", expires_at=START + 9)

        def work(tx: Transaction) -> None:
            assert credentials.put(tx, made, "digest")
            assert not credentials.put(tx, replace(made, subject="eve"), "another")
            assert credentials.by_id(tx, TEAM, made.id) == (made, "digest")
            assert credentials.holding(tx, TEAM, START) == 0
            assert credentials.holding(tx, TEAM, START, (CredentialKind.SESSION,)) == 1
            assert credentials.drop_over(tx, TEAM, START + 10) == 1

        database.write(work)

    def test_a_token_of_another_issuer_is_denied_until_it_would_be_over(
        self, database: Database
    ) -> None:
        def work(tx: Transaction) -> None:
            assert not credentials.denied(tx, TEAM, "x")
            assert credentials.deny(tx, denial(TEAM, "x"))
            assert not credentials.deny(tx, denial(TEAM, "x"))
            assert credentials.denied(tx, TEAM, "x")
            assert credentials.drop_denied(tx, TEAM, START + 9) == 0
            assert credentials.drop_denied(tx, TEAM, START + 10) == 1
            assert not credentials.denied(tx, TEAM, "x")

        database.write(work)
