"""Credentials that look genuine and are not, each made from one that is."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from contract.clock import START, FixedClock
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.identity import table as credentials
from memoranda.identity.model import NewCredential
from memoranda.identity.principal import owner
from memoranda.memory import Memoranda
from memoranda.ports import Authenticator

NOW = START // 1_000_000
ISSUER = "https://login.example"
AUDIENCE = "memoranda"
HOUR = int(timedelta(hours=1).total_seconds())

Claims = dict[str, Any]
Forge = Callable[["World"], str]


def part(data: bytes | Mapping[str, Any]) -> str:
    """Write a part of a token."""
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def unpart(text: str) -> Any:
    """Read a part of a token that is JSON."""
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def hs256(header: bytes | Mapping[str, Any], claims: bytes | Mapping[str, Any], key: bytes) -> str:
    """Sign by hand, whatever header and claims say."""
    signed = f"{part(header)}.{part(claims)}"
    return f"{signed}.{part(hmac.digest(key, signed.encode(), hashlib.sha256))}"


class Outside:
    """An issuer with a key of each algorithm."""

    def __init__(self) -> None:
        self.keys: dict[str, Any] = {
            "RS256": rsa.generate_private_key(public_exponent=65_537, key_size=2_048),
            "ES256": ec.generate_private_key(ec.SECP256R1()),
            "EdDSA": ed25519.Ed25519PrivateKey.generate(),
        }

    def jwks(self) -> dict[str, Any]:
        """What it publishes."""
        return {"keys": [self.jwk(name) for name in self.keys]}

    def jwk(self, algorithm: str) -> dict[str, Any]:
        """One public key."""
        made = jwt.get_algorithm_by_name(algorithm).to_jwk(
            self.keys[algorithm].public_key(), as_dict=True
        )
        return {**made, "kid": f"out-{algorithm}", "alg": algorithm, "use": "sig"}

    def public_pem(self, algorithm: str) -> bytes:
        """The public key as it is often passed around."""
        key = self.keys[algorithm].public_key()
        form = serialization.PublicFormat.SubjectPublicKeyInfo
        return bytes(key.public_bytes(serialization.Encoding.PEM, form))

    def token(
        self, algorithm: str = "RS256", header: Mapping[str, Any] | None = None, **changes: Any
    ) -> str:
        """Sign claims; those that are changed to None are left out."""
        claims = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": "grace@example.org",
            "iat": NOW,
            "exp": NOW + HOUR,
            "jti": "out-1",
            "team": "local",
            "role": "member",
        } | changes
        stated = {name: value for name, value in claims.items() if value is not None}
        kid = {"kid": f"out-{algorithm}"}
        return jwt.encode(stated, self.keys[algorithm], algorithm, headers=kid | dict(header or {}))


class World:
    """An installation with teams and an outside issuer, and another installation beside it."""

    def __init__(self, folder: Path) -> None:
        self.clock = FixedClock()
        self.outside = Outside()
        keys = folder / "jwks.json"
        folder.mkdir(parents=True, exist_ok=True)
        keys.write_text(json.dumps(self.outside.jwks()))
        keys.chmod(0o600)
        self.service = self._opened(folder / "ours", keys)
        self.other = self._opened(folder / "theirs", None)
        self.authenticator: Authenticator = self.service.home.authenticator
        self.folder = self.service.settings.data_dir
        self.other.home.authenticator  # noqa: B018 - makes its token

    def close(self) -> None:
        """Let go of both."""
        self.service.close()
        self.other.close()

    def memory(self, team: str = "local") -> Memoranda:
        """The memory as the machine's owner sees it in a team."""
        return self.service.memory(owner(team))

    @cached_property
    def key(self) -> NewCredential:
        """A key of a member."""
        return self.memory().tokens.create("member", subject="ada")

    @cached_property
    def barn_key(self) -> NewCredential:
        """A key of another team's admin."""
        return self.memory("barn").tokens.create("admin", subject="eve")

    @cached_property
    def token(self) -> NewCredential:
        """A token of a member."""
        return self.memory().tokens.create("member", subject="ada", jwt=True)

    @cached_property
    def local(self) -> str:
        """The token of the machine's owner."""
        return (self.folder / "token").read_text().strip()

    @cached_property
    def secret(self) -> bytes:
        """What signs our tokens; only whoever reads the data directory has it."""
        return self.service.home.secrets.signing.newest().secret

    @property
    def header(self) -> Claims:
        """The header of a genuine token."""
        found: Claims = unpart(self.token.secret.split(".")[0])
        return found

    @property
    def claims(self) -> Claims:
        """The claims of a genuine token."""
        found: Claims = unpart(self.token.secret.split(".")[1])
        return found

    def signed(self, header: Mapping[str, Any] | None = None, **changes: Any) -> str:
        """Sign a genuine token anew, with the right key, after changes; None leaves out."""
        claims = {k: v for k, v in (self.claims | changes).items() if v is not None}
        return hs256(self.header | dict(header or {}), claims, self.secret)

    def edited(self, **changes: Any) -> str:
        """Change claims of a genuine token without signing it anew."""
        header, _, signature = self.token.secret.split(".")
        return f"{header}.{part(self.claims | changes)}.{signature}"

    def genuine(self) -> dict[str, str]:
        """Credentials of every kind that are good."""
        outside = {name: self.outside.token(name) for name in self.outside.keys}
        ours = {"key": self.key.secret, "token": self.token.secret, "local": self.local}
        return {**ours, "barn": self.barn_key.secret, **outside}

    def _opened(self, folder: Path, keys: Path | None) -> Service:
        arguments = {"data_dir": folder, "embedder": "none"}
        if keys:
            arguments |= {
                "issuer_keys_file": str(keys),
                "issuer": ISSUER,
                "issuer_audience": AUDIENCE,
            }
        return Service(load_settings(arguments, {}), self.clock)


def _raw(world: World, old: str, new: str) -> str:
    """Sign claims whose JSON was written by hand."""
    text = json.dumps(world.claims)
    assert old in text
    return hs256(world.header, text.replace(old, new, 1).encode(), world.secret)


def _swapped(text: str, place: int) -> str:
    """Another character at a place."""
    other = "A" if text[place] != "A" else "B"
    return text[:place] + other + text[place + 1 :] if place != -1 else text[:-1] + other


def _loose(text: str) -> str:
    """The same bytes written with other unused bits at the end."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return text[:-1] + alphabet[alphabet.index(text[-1]) ^ 1]


def _revoked_key(world: World) -> str:
    made = world.memory().tokens.create("member", subject="ada")
    world.memory().tokens.revoke(made.credential.id)
    return made.secret


def _revoked_token(world: World) -> str:
    made = world.memory().tokens.create("member", subject="ada", jwt=True)
    world.memory().tokens.revoke(made.credential.id)
    return made.secret


def _expired_key(world: World) -> str:
    made = world.memory().tokens.create("member", subject="ada", days=1)
    id = made.credential.id
    sql = "update credential set expires_at = :now where team = :team and id = :id"
    values = {"now": START, "team": "local", "id": id}
    world.service.home.database.write(lambda tx: tx.execute(sql, values))
    return made.secret


def _denied_outside(world: World) -> str:
    world.memory().tokens.revoke("out-gone", outside=True)
    return world.outside.token(jti="out-gone")


def _digest_as_secret(world: World) -> str:
    """What a thief of the store would try: the hash itself."""
    made = world.key.credential
    stored = world.service.home.database.read(lambda tx: credentials.by_id(tx, made.team, made.id))
    assert stored is not None
    return f"{world.key.secret.rpartition('.')[0]}.{stored[1][:43]}"


def _key_of_a_token(world: World) -> str:
    """A key text with the id of a token, which has no hash to compare with."""
    tail = world.key.secret.rpartition(".")[2]
    return f"memk_local.{world.token.credential.id}.{tail}"


def _theirs(world: World) -> NewCredential:
    return world.other.memory(owner()).tokens.create("admin", subject="ada")


def _their_token(world: World) -> str:
    return world.other.memory(owner()).tokens.create("admin", subject="ada", jwt=True).secret


def _mixed(world: World, team: str, id: str, tail: NewCredential) -> str:
    return f"memk_{team}.{id}.{tail.secret.rpartition('.')[2]}"


FORGERIES: Mapping[str, Forge] = {
    # -- the algorithm
    "none": lambda w: f"{part(w.header | {'alg': 'none'})}.{part(w.claims)}.",
    "none with signature": lambda w: w.signed({"alg": "none"}),
    "nOnE": lambda w: f"{part(w.header | {'alg': 'nOnE'})}.{part(w.claims)}.{part(b'x')}",
    "empty alg": lambda w: w.signed({"alg": ""}),
    "no alg": lambda w: hs256({"kid": w.header["kid"]}, w.claims, w.secret),
    "HS512 named": lambda w: w.signed({"alg": "HS512"}),
    "HS256 with the public RSA key": lambda w: hs256(
        {"alg": "HS256", "kid": "out-RS256"},
        unpart(w.outside.token().split(".")[1]),
        w.outside.public_pem("RS256"),
    ),
    "HS256 with the public EC key": lambda w: hs256(
        {"alg": "HS256", "kid": "out-ES256"},
        unpart(w.outside.token().split(".")[1]),
        w.outside.public_pem("ES256"),
    ),
    "RS256 under the id of our key": lambda w: w.outside.token(header={"kid": w.header["kid"]}),
    "ES256 under the id of an RSA key": lambda w: w.outside.token("ES256", {"kid": "out-RS256"}),
    "our claims under an outside key": lambda w: w.outside.token(**w.claims),
    "outside claims under our key": lambda w: w.signed(iss=ISSUER),
    # -- the id of the key
    "unknown kid": lambda w: w.signed({"kid": "k-0000000000000000"}),
    "no kid": lambda w: hs256({"alg": "HS256", "typ": "JWT"}, w.claims, w.secret),
    "kid is a path": lambda w: hs256(w.header | {"kid": "../../../../dev/null"}, w.claims, b""),
    "kid is the signing file": lambda w: w.signed({"kid": str(w.folder / "signing.json")}),
    "kid is SQL": lambda w: hs256(
        w.header | {"kid": "x' union select 'secret' -- "}, w.claims, b"secret"
    ),
    "kid is an address": lambda w: w.signed({"kid": "https://evil.example/key"}),
    "kid is a list": lambda w: w.signed({"kid": [w.header["kid"]]}),
    "kid is empty": lambda w: w.signed({"kid": ""}),
    # -- what a header must not bring
    "embedded jwk": lambda w: w.signed({"jwk": {"kty": "oct", "k": part(b"k" * 32)}}),
    "embedded RSA jwk": lambda w: w.outside.token(header={"jwk": w.outside.jwk("RS256")}),
    "jku": lambda w: w.signed({"jku": "https://evil.example/jwks"}),
    "x5u": lambda w: w.signed({"x5u": "https://evil.example/cert"}),
    "x5c": lambda w: w.signed({"x5c": ["MIIB"]}),
    "crit": lambda w: w.signed({"crit": ["exp"]}),
    "unencoded payload": lambda w: w.signed({"b64": False}),
    "compressed": lambda w: w.signed({"zip": "DEF"}),
    "another type": lambda w: w.signed({"typ": "logout+jwt"}),
    # -- time
    "expired": lambda w: w.signed(iat=NOW - 7_200, exp=NOW - 3_600),
    "expired beyond the leeway": lambda w: w.signed(iat=NOW - 60, exp=NOW - 30),
    "issued in the future": lambda w: w.signed(iat=NOW + 31, exp=NOW + 600),
    "not yet": lambda w: w.signed(nbf=NOW + 31),
    "begins at a text": lambda w: w.signed(nbf="0"),
    "begins at true": lambda w: w.signed(nbf=True),
    "good for too long": lambda w: w.signed(exp=NOW + 24 * HOUR + 1),
    "over before it began": lambda w: w.signed(iat=NOW + 20, exp=NOW + 10),
    "never expires": lambda w: w.signed(exp=None),
    "never issued": lambda w: w.signed(iat=None),
    "expires at a text": lambda w: w.signed(exp=str(NOW + HOUR)),
    "expires at true": lambda w: w.signed(exp=True),
    "expires at null": lambda w: _raw(w, f'"exp": {w.claims["exp"]}', '"exp": null'),
    "expires at NaN": lambda w: _raw(w, f'"exp": {w.claims["exp"]}', '"exp": NaN'),
    "expires at infinity": lambda w: _raw(w, f'"exp": {w.claims["exp"]}', '"exp": 1e999'),
    # -- who and for whom
    "no aud": lambda w: w.signed(aud=None),
    "wrong aud": lambda w: w.signed(aud="elsewhere"),
    "several aud": lambda w: w.signed(aud=["memoranda", "elsewhere"]),
    "no iss": lambda w: w.signed(iss=None),
    "wrong iss": lambda w: w.signed(iss="memoranda.example"),
    "no sub": lambda w: w.signed(sub=None),
    "sub is a number": lambda w: w.signed(sub=7),
    "no jti": lambda w: w.signed(jti=None),
    "jti of nothing": lambda w: w.signed(jti="01977000-0000-7000-8000-0000000000ff"),
    "jti of a key": lambda w: w.signed(jti=w.key.credential.id),
    "jti is SQL": lambda w: w.signed(jti="' or ''='"),
    "another team, signed": lambda w: w.signed(team="barn"),
    "another role, signed": lambda w: w.signed(role="admin"),
    "another agent, signed": lambda w: w.signed(role="agent", agent="bot"),
    "another workspace, signed": lambda w: w.signed(workspace="vault"),
    "another team, edited": lambda w: w.edited(team="barn"),
    "another role, edited": lambda w: w.edited(role="admin"),
    "later, edited": lambda w: w.edited(exp=NOW + 2 * HOUR),
    "team twice": lambda w: _raw(w, '"team": "local"', '"team": "barn", "team": "local"'),
    "team twice by escape": lambda w: _raw(
        w, '"team": "local"', '"team": "local", "te\\u0061m": "local"'
    ),
    "alg twice": lambda w: hs256(
        f'{{"alg": "none", "alg": "HS256", "kid": "{w.header["kid"]}"}}'.encode(),
        w.claims,
        w.secret,
    ),
    # -- the form
    "truncated signature": lambda w: w.token.secret[:-4],
    "truncated claims": lambda w: w.token.secret.rpartition(".")[0][:-3] + ".x" * 1,
    "no signature": lambda w: w.token.secret.rpartition(".")[0] + ".",
    "two parts": lambda w: w.token.secret.rpartition(".")[0],
    "four parts": lambda w: w.token.secret + ".AAAA",
    "five parts": lambda w: w.token.secret + ".AAAA.AAAA",
    "padded": lambda w: w.token.secret + "=",
    "padded claims": lambda w: w.token.secret.replace(".", "=.", 2),
    "loose last bits": lambda w: _loose(w.token.secret),
    "plain base64": lambda w: w.token.secret.replace("_", "/").replace("-", "+") + "+",
    "other signature": lambda w: _swapped(w.token.secret, len(w.token.secret) - 20),
    "claims are a list": lambda w: hs256(w.header, b"[1]", w.secret),
    "claims are deep": lambda w: hs256(w.header, b"[" * 5_000, w.secret),
    "claims are no UTF-8": lambda w: hs256(w.header, b'{"sub": "\xff"}', w.secret),
    "huge": lambda w: w.signed(padding="x" * 8_192),
    "a megabyte": lambda w: "eyJ" + "x" * 1_000_000,
    "a million dots": lambda w: "." * 1_000_000,
    # -- other installations, revoked, retired
    "token of another installation": _their_token,
    "token of another installation under our kid": lambda w: hs256(
        w.header, w.claims, w.other.home.secrets.signing.newest().secret
    ),
    "key of another installation": lambda w: _theirs(w).secret,
    "owner of another installation": lambda w: (
        (w.other.settings.data_dir / "token").read_text().strip()
    ),
    "revoked key": _revoked_key,
    "revoked token": _revoked_token,
    "revoked outside token": _denied_outside,
    "expired key": _expired_key,
    # -- keys
    "key with another team": lambda w: w.key.secret.replace("local", "barn"),
    "our id and their secret": lambda w: _mixed(w, "local", w.key.credential.id, w.barn_key),
    "our team and their id": lambda w: _mixed(w, "local", w.barn_key.credential.id, w.key),
    "their team and our secret": lambda w: _mixed(w, "barn", w.barn_key.credential.id, w.key),
    "their key under our team": lambda w: _mixed(
        w, "local", w.barn_key.credential.id, w.barn_key
    ),
    "key with another secret": lambda w: _swapped(w.key.secret, -1),
    "key with loose last bits": lambda w: _loose(w.key.secret),
    "truncated key": lambda w: w.key.secret[:-1],
    "longer key": lambda w: w.key.secret + "A",
    "key in capitals": lambda w: w.key.secret.upper(),
    "key without secret": lambda w: w.key.secret.rpartition(".")[0] + ".",
    "hash of a key": _digest_as_secret,
    "key with the id of a token": _key_of_a_token,
    "key with a path for a team": lambda w: w.key.secret.replace("local", "../local"),
    "key with SQL for a team": lambda w: w.key.secret.replace("local", "' or team='barn"),
    "key with SQL for an id": lambda w: w.key.secret.replace(w.key.credential.id, "' or ''='"),
    # -- spelling
    "space before": lambda w: " " + w.key.secret,
    "line end after": lambda w: w.key.secret + "\n",
    "zero byte after": lambda w: w.key.secret + "\0",
    "with Bearer": lambda w: "Bearer " + w.token.secret,
    "invisible character": lambda w: w.key.secret.replace("local", "lo\u200bcal"),
    "letters of another script": lambda w: w.key.secret.replace("local", "l\u043ecal"),
    "wide letters": lambda w: w.key.secret.replace("local", "\uff4cocal"),
    "half a surrogate": lambda w: w.key.secret + "\ud800",
    "turned around": lambda w: "\u202e" + w.token.secret,
    "wide letters in a token": lambda w: "\uff45" + w.token.secret[1:],
    # -- the owner's token
    "truncated owner": lambda w: w.local[:-1],
    "only the beginning of the owner": lambda w: "meml_",
    "other owner": lambda w: _swapped(w.local, -1),
    "the owner's file": lambda w: str(w.folder / "token"),
    # -- an outside issuer that says too much
    "outside: the owner's name": lambda w: w.outside.token(sub="human"),
    "outside: a rule's name": lambda w: w.outside.token(sub="rule:7"),
    "outside: an agent called as a rule": lambda w: w.outside.token(role="agent", agent="rule:7"),
    "outside: an agent called as the owner": lambda w: w.outside.token(role="agent", agent="human"),
    "outside: an agent that is admin": lambda w: w.outside.token(role="admin", agent="bot"),
    "outside: a path for a team": lambda w: w.outside.token(team="../barn"),
    "outside: no team": lambda w: w.outside.token(team=None),
    "outside: no role": lambda w: w.outside.token(role=None),
    "outside: a role of its own": lambda w: w.outside.token(role="owner"),
    "outside: for somebody else": lambda w: w.outside.token(aud="elsewhere"),
    "outside: another issuer": lambda w: w.outside.token(iss="https://evil.example"),
    "outside: no exp": lambda w: w.outside.token(exp=None),
    "outside: good for too long": lambda w: w.outside.token(exp=NOW + 24 * HOUR + 1),
    "outside: a line for a workspace": lambda w: w.outside.token(workspace="a\nb"),
    # -- nothing
    "empty": lambda w: "",
    "null": lambda w: "null",
    "undefined": lambda w: "undefined",
    "a JSON object": lambda w: json.dumps(w.claims),
}  # fmt: skip
"""Each forgery by what is wrong with it."""
