"""Files of secrets: owner's token, signing keys, external public keys."""

from __future__ import annotations

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from contract.clock import START, FixedClock
from forgeries import Outside
from memoranda.exceptions import InvalidInput, StorageUnusable
from memoranda.identity import key_files as private
from memoranda.identity.external_keys import ExternalKeys
from memoranda.identity.local_token import LocalToken
from memoranda.identity.signing_keys import LEEWAY, MAX_LIFETIME, MIN_BYTES, SigningKeys


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# ---------------------------------------------------------------- private files


def test_a_private_file_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "secret"
    private.make(path, b"first")
    private.make(path, b"second")
    assert private.read(path) == b"first"
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)
    private.replace(path, b"third")
    assert private.read(path) == b"third"
    assert mode(path) == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["secret"]


@pytest.mark.parametrize("opened", [0o640, 0o604, 0o620, 0o602, 0o610, 0o777])
def test_a_private_file_that_others_may_use_is_refused(tmp_path: Path, opened: int) -> None:
    path = tmp_path / "secret"
    private.make(path, b"secret")
    path.chmod(opened)
    with pytest.raises(StorageUnusable, match="readable by others"):
        private.read(path)


def test_a_file_that_is_too_large_or_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    with pytest.raises(StorageUnusable, match="cannot use"):
        private.read(path)
    private.make(path, b"x" * (private.LARGEST + 1))
    with pytest.raises(StorageUnusable, match="more than"):
        private.read(path)
    with pytest.raises(StorageUnusable, match="cannot use"):
        private.read(tmp_path)


# ---------------------------------------------------------------- the owner's token


def test_the_owners_token_is_made_once_and_known(tmp_path: Path) -> None:
    made = LocalToken(tmp_path / "data")
    text = made.path.read_text().strip()
    assert text.startswith("meml_")
    assert mode(made.path) == 0o600
    assert LocalToken(tmp_path / "data").fits(text)
    assert not made.fits(text + "\n")


def test_the_owners_token_is_taken_away_with_its_file(tmp_path: Path) -> None:
    token = LocalToken(tmp_path)
    text = token.path.read_text().strip()
    token.path.unlink()
    assert not token.fits(text)
    other = LocalToken(tmp_path)
    assert not other.fits(text)
    assert not token.fits(text)
    assert token.fits(other.path.read_text().strip())


def test_the_owners_token_is_worth_nothing_once_others_can_read_it(tmp_path: Path) -> None:
    token = LocalToken(tmp_path)
    text = token.path.read_text().strip()
    token.path.chmod(0o644)
    assert not token.fits(text)
    with pytest.raises(StorageUnusable, match="readable by others"):
        LocalToken(tmp_path)


@pytest.mark.parametrize("content", ["", "meml_short", "secret" * 10, "meml_" + "é" * 43])
def test_a_file_without_a_token_is_refused(tmp_path: Path, content: str) -> None:
    private.make(tmp_path / "token", content.encode())
    with pytest.raises(StorageUnusable, match="contains no token"):
        LocalToken(tmp_path)


# ---------------------------------------------------------------- signing keys


def test_signing_keys_are_made_once_and_private(tmp_path: Path) -> None:
    keys = SigningKeys(tmp_path, FixedClock())
    again = SigningKeys(tmp_path, FixedClock())
    assert keys.newest() == again.newest()
    assert len(keys.newest().secret) == MIN_BYTES
    assert mode(keys.path) == 0o600
    assert repr(keys.newest().secret) not in repr(keys.newest())


def test_a_rotated_key_signs_in_every_process_and_the_old_one_verifies(tmp_path: Path) -> None:
    clock = FixedClock()
    keys, elsewhere = SigningKeys(tmp_path, clock), SigningKeys(tmp_path, clock)
    first = keys.newest()
    made = keys.rotate()
    assert elsewhere.newest() == keys.newest() == made
    assert list(elsewhere.by_kid()) == [first.kid, made.kid]
    old = elsewhere.by_kid()[first.kid]
    assert (old.secret, old.retired_at) == (first.secret, START)


def test_an_old_key_verifies_what_it_may_have_signed_until_that_is_over(tmp_path: Path) -> None:
    clock = FixedClock()
    keys = SigningKeys(tmp_path, clock)
    first = keys.newest().kid
    keys.rotate()
    old = keys.by_kid()[first]
    assert old.verifies(START + LEEWAY, START)
    assert not old.verifies(START + LEEWAY + 1, START)
    end = START + MAX_LIFETIME + LEEWAY
    assert old.verifies(START, end - 1)
    assert not old.verifies(START, end)
    clock.advance(MAX_LIFETIME + LEEWAY - 1)
    keys.rotate()
    assert first in keys.by_kid()
    clock.advance(1)
    keys.rotate()
    assert first not in keys.by_kid()
    assert len(keys.by_kid()) == 3


def _keys(*rows: dict[str, Any]) -> dict[str, Any]:
    plain = {"kid": "a", "secret": "A" * 43 + "=", "created_at": 1, "retired_at": None}
    return {"keys": [plain | row for row in rows]}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"keys": []}',
        '{"keys": 7}',
        '{"keys": [7]}',
        '{"keys": [{}]}',
        json.dumps(_keys({"secret": "A" * 42})),
        json.dumps(_keys({"secret": ""})),
        json.dumps(_keys({"secret": "?" * 44})),
        json.dumps(_keys({"kid": ""})),
        json.dumps(_keys({"kid": 7})),
        json.dumps(_keys({"created_at": "now"})),
        json.dumps(_keys({"retired_at": "now"})),
        json.dumps(_keys({"retired_at": 2})),
        json.dumps(_keys({}, {})),
        json.dumps(_keys({"secret": "c2hvcnQ="}, {"kid": "b"})),
    ],
)
def test_signing_keys_that_are_short_or_broken_stop_the_start(tmp_path: Path, content: str) -> None:
    private.make(tmp_path / "signing.json", content.encode())
    with pytest.raises(StorageUnusable, match="signing keys"):
        SigningKeys(tmp_path, FixedClock())


def test_signing_keys_that_others_can_read_stop_the_start(tmp_path: Path) -> None:
    SigningKeys(tmp_path, FixedClock()).path.chmod(0o644)
    with pytest.raises(StorageUnusable, match="readable by others"):
        SigningKeys(tmp_path, FixedClock())


def test_whole_keys_of_any_length_are_taken(tmp_path: Path) -> None:
    longer = _keys({"retired_at": 2}, {"kid": "b", "secret": "A" * 88})
    private.make(tmp_path / "signing.json", json.dumps(longer).encode())
    keys = SigningKeys(tmp_path, FixedClock())
    assert [len(one.secret) for one in keys.by_kid().values()] == [32, 66]


# ---------------------------------------------------------------- an outside issuer


@pytest.fixture(scope="module")
def outside() -> Outside:
    return Outside()


def published(folder: Path, *keys: object) -> Path:
    path = folder / "jwks.json"
    path.write_text(json.dumps({"keys": keys}))
    path.chmod(0o644)  # public keys may be readable by all
    return path


def test_public_keys_have_one_algorithm_each(outside: Outside, tmp_path: Path) -> None:
    keys = ExternalKeys(published(tmp_path, *outside.jwks()["keys"])).by_kid()
    assert {kid: one.algorithm for kid, one in keys.items()} == {
        "out-RS256": "RS256",
        "out-ES256": "ES256",
        "out-EdDSA": "EdDSA",
    }
    bare = {k: v for k, v in outside.jwk("ES256").items() if k not in ("alg", "use")}
    assert ExternalKeys(published(tmp_path, bare)).by_kid()["out-ES256"].algorithm == "ES256"


def test_public_keys_are_read_again_when_their_file_changes(
    outside: Outside, tmp_path: Path
) -> None:
    keys = ExternalKeys(published(tmp_path, outside.jwk("ES256")))
    path = published(tmp_path, outside.jwk("EdDSA"), outside.jwk("RS256"))
    assert list(keys.by_kid()) == ["out-EdDSA", "out-RS256"]
    path.write_text("{}")
    with pytest.raises(StorageUnusable, match="contains no keys"):
        keys.by_kid()


def unlike(outside: Outside) -> dict[str, list[object]]:
    """Return files without usable public keys."""
    good = outside.jwk("RS256")
    small = rsa.generate_private_key(public_exponent=65_537, key_size=1_024)
    other = ec.generate_private_key(ec.SECP384R1())
    whole = RSAAlgorithm.to_jwk(outside.keys["RS256"], as_dict=True)
    return {
        "no keys": [],
        "too many": [good | {"kid": str(number)} for number in range(101)],
        "no object": ["key"],
        "no kid": [{k: v for k, v in good.items() if k != "kid"}],
        "one kid twice": [good, outside.jwk("ES256") | {"kid": good["kid"]}],
        "symmetric": [{"kty": "oct", "k": "A" * 43, "kid": "a", "alg": "HS256"}],
        "another algorithm": [good | {"alg": "HS256"}],
        "a weak algorithm": [good | {"alg": "none"}],
        "private": [whole | {"kid": "a"}],
        "for encryption": [good | {"use": "enc"}],
        "another curve": [
            ECAlgorithm.to_jwk(other.public_key(), as_dict=True) | {"kid": "a"}  # type: ignore[arg-type]
        ],
        "too short": [RSAAlgorithm.to_jwk(small.public_key(), as_dict=True) | {"kid": "a"}],
        "half of it": [{k: v for k, v in good.items() if k != "n"}],
        "no numbers": [good | {"n": "?"}],
        "not on the curve": [outside.jwk("ES256") | {"x": "A" * 43}],
    }


@pytest.mark.parametrize(
    "fault",
    [
        "no keys",
        "too many",
        "no object",
        "no kid",
        "one kid twice",
        "symmetric",
        "another algorithm",
        "a weak algorithm",
        "private",
        "for encryption",
        "another curve",
        "too short",
        "half of it",
        "no numbers",
        "not on the curve",
    ],
)
def test_what_is_no_public_key_is_refused_at_the_start(
    outside: Outside, tmp_path: Path, fault: str
) -> None:
    with pytest.raises(InvalidInput, match=r"jwks\.json"):
        ExternalKeys(published(tmp_path, *unlike(outside)[fault]))


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
@pytest.mark.parametrize("opened", [0o666, 0o622, 0o664])
def test_public_keys_that_others_may_change_are_refused(
    outside: Outside, tmp_path: Path, opened: int
) -> None:
    path = published(tmp_path, outside.jwk("ES256"))
    path.chmod(opened)
    with pytest.raises(StorageUnusable, match="readable by others"):
        ExternalKeys(path)


def test_keys_that_are_rotated_at_once_are_all_kept(tmp_path: Path) -> None:
    clock = FixedClock()
    SigningKeys(tmp_path, clock)

    def rotate(_: int) -> str:
        return SigningKeys(tmp_path, clock).rotate().kid

    with ThreadPoolExecutor(4) as pool:
        made = set(pool.map(rotate, range(12)))
    kept = SigningKeys(tmp_path, clock).by_kid()
    assert len(made) == 12
    assert made < set(kept)
    assert len(kept) == 13
    assert [one.retired_at is None for one in kept.values()] == [False] * 12 + [True]


def test_files_that_are_made_at_once_are_one(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        tokens = set(pool.map(lambda _: LocalToken(tmp_path).path.read_text(), range(8)))
        newest = {
            one.kid
            for one in pool.map(lambda _: SigningKeys(tmp_path, FixedClock()).newest(), "ab")
        }
    assert len(tokens) == len(newest) == 1
