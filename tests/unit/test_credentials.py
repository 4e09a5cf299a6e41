"""Texts of keys, names allowed in them, and caching of callers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from contract.clock import START
from contract.scope_identity import KEY, credential
from memoranda.capture.redaction.redactor import Redactor
from memoranda.exceptions import InvalidInput
from memoranda.identity import key_format
from memoranda.identity.caller_cache import MAXIMUM, SECONDS, CallerCache
from memoranda.identity.key_format import Digests
from memoranda.identity.model import NewCredential, refuse_reserved
from memoranda.identity.principal import Principal, Role, owner
from memoranda.identity.token_parser import MAX_LENGTH, parse_token
from tables import each

ADA = Principal("local", "ada", Role.MEMBER)


def test_a_key_contains_its_lookup_id_and_nothing_twice() -> None:
    texts = {key_format.new_text("my-team_2", KEY) for _ in range(50)}
    assert len(texts) == 50
    for text in texts:
        parsed = key_format.parse_key_text(text)
        assert parsed is not None
        assert (parsed.team, parsed.id) == ("my-team_2", KEY)
        assert len(text.rpartition(".")[2]) == 43


@pytest.mark.parametrize("team", ["a", "a" * 63, "0", "a-b", "a_b"])
def test_every_team_can_have_keys(team: str) -> None:
    parsed = key_format.parse_key_text(key_format.new_text(team, KEY))
    assert parsed is not None
    assert parsed.team == team


def test_a_hash_fits_its_text_and_installation_alone() -> None:
    ours, theirs = Digests(b"o" * 32), Digests(b"t" * 32)
    text = key_format.new_text("local", KEY)
    digest = ours.of(text)
    assert ours.fits(text, digest)
    assert not ours.fits(text + "A", digest)
    assert not ours.fits(text.replace("local", "barn"), digest)
    assert not theirs.fits(text, digest)
    assert not ours.fits(text, None)
    assert not ours.fits(text, "")
    assert text.rpartition(".")[2] not in digest


def test_keys_and_the_owners_token_are_taken_out_of_what_is_captured() -> None:
    redactor = Redactor(b"k" * 32)
    for text in (key_format.new_text("north-2", KEY), key_format.new_local()):
        for line in (f"curl -H 'X-Key: {text}'", f'{{"a": "{text}"}}', f"use {text}, please"):
            cleaned, counts = redactor.text(line)
            assert text[-30:] not in cleaned
            assert counts == {"memoranda": 1}


def test_the_text_of_a_key_is_not_in_what_is_printed_of_it() -> None:
    made = NewCredential(credential("local"), "memk_secret")
    assert "memk_secret" not in repr(made)


def test_a_credential_is_valid_until_it_expires_or_is_revoked() -> None:
    assert credential("local").holds(START)
    assert credential("local", expires_at=START + 1).holds(START)
    assert not credential("local", expires_at=START).holds(START)
    assert not credential("local", revoked_at=START).holds(START)


def test_a_credential_stands_for_whom_it_was_made() -> None:
    found = credential("local", role=Role.AGENT, agent="bot", expires_at=START).principal
    agent = Principal("local", "ada@local", Role.AGENT, "bot", "shop", KEY, START)
    assert found == agent


@each(
    "taken",
    [
        owner(),
        Principal("local", "bot", Role.AGENT, "human"),
        Principal("local", "bot", Role.AGENT, "rule:7"),
        Principal("local", "bot", Role.AGENT, "a b"),
        Principal("local", "bot", Role.AGENT, "\u0430da"),
        Principal("local", "bot", Role.AGENT, "a\u200bb"),
        Principal("local", "bot", Role.AGENT, "a\nb"),
    ],
)
def test_names_of_the_owner_and_of_rules_are_nobody_elses(taken: Principal) -> None:
    with pytest.raises(InvalidInput):
        refuse_reserved(taken)


def test_other_names_are_free_and_the_owners_is_the_owners() -> None:
    for free in (ADA, Principal("local", "bot", Role.AGENT, "critic/2")):
        assert refuse_reserved(free) == free
    assert refuse_reserved(owner(), owner=True) == owner()
    with pytest.raises(InvalidInput):
        refuse_reserved(Principal("local", "human", Role.AGENT, "human"), owner=True)


# ---------------------------------------------------------------- who is known


class Elapsed:
    """A clock that advances only on request."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_somebody_stays_known_for_some_seconds() -> None:
    elapsed = Elapsed()
    known = CallerCache(elapsed)
    known.put("text", ADA, known.generation)
    elapsed.seconds = SECONDS - 0.001
    assert known.get("text") == ADA
    assert known.get("Text") is None
    elapsed.seconds = SECONDS
    assert known.get("text") is None
    assert SECONDS < 5


def test_everybody_is_forgotten_at_once_and_who_was_being_looked_up() -> None:
    known = CallerCache()
    before = known.generation
    known.put("one", ADA, before)
    known.forget()
    assert known.get("one") is None
    known.put("two", ADA, before)
    assert known.get("two") is None
    known.put("two", ADA, known.generation)
    assert known.get("two") == ADA


def test_only_so_many_are_known_and_those_of_late() -> None:
    known = CallerCache()
    for number in range(MAXIMUM + 1):
        known.put(str(number), ADA, 0)
    assert known.get("0") is None
    assert known.get("1") == known.get(str(MAXIMUM)) == ADA


def test_threads_may_share_who_is_known() -> None:
    known = CallerCache()

    def work(number: int) -> None:
        for turn in range(200):
            known.put(f"{number}-{turn}", ADA, known.generation)
            known.get(f"{number}-{turn}")
            if turn % 50 == 0:
                known.forget()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    known.forget()
    assert known.get("0-199") is None


def test_half_a_surrogate_is_no_trouble() -> None:
    assert CallerCache().get("\ud800") is None


# ---------------------------------------------------------------- the form of tokens

HEADER = "eyJhbGciOiJIUzI1NiIsImtpZCI6ImsifQ"  # {"alg":"HS256","kid":"k"}


def test_the_form_of_a_token_is_read() -> None:
    parsed = parse_token(f"{HEADER}.e30.AAAA")
    assert parsed is not None
    assert (parsed.algorithm, parsed.kid, parsed.claims) == ("HS256", "k", {})


@each(
    "text",
    [
        "",
        ".",
        "..",
        f"{HEADER}.e30.",
        f"{HEADER}.e30",
        f"{HEADER}.e30.A",  # no bytes have that length
        f"{HEADER}.e31.AAAA",  # other unused bits
        f"{HEADER}.e30.AB",
        f"{HEADER}.e30=.AAAA",
        f"{HEADER}.e30.AAAA\n",
        f"{HEADER}.e30.AA+A",
        f"{HEADER}.bnVsbA.AAAA",
        "e30.e30.AAAA",
        "bnVsbA.e30.AAAA",
        f"{HEADER}.e30." + "A" * MAX_LENGTH,
    ],
)
def test_what_has_another_form_is_no_token(text: str) -> None:
    assert parse_token(text) is None
