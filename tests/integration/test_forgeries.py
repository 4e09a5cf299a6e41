"""Forged credentials are refused, and the refusal gives no reason."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress

import pytest

from forgeries import FORGERIES, World
from memoranda.exceptions import Unauthenticated
from memoranda.identity.authenticator import MESSAGE
from memoranda.identity.principal import Role
from tables import each

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("world"))
    yield made
    made.close()


def test_what_forgeries_are_made_of_is_genuine(world: World) -> None:
    found = {name: world.authenticator.principal(text) for name, text in world.genuine().items()}
    assert {name: (one.team, one.subject, one.role) for name, one in found.items()} == {
        "key": ("local", "ada", Role.MEMBER),
        "token": ("local", "ada", Role.MEMBER),
        "local": ("local", "human", Role.ADMIN),
        "barn": ("barn", "eve", Role.ADMIN),
        **dict.fromkeys(world.outside.keys, ("local", "grace@example.org", Role.MEMBER)),
    }
    signed_again = world.authenticator.principal(world.signed())
    assert signed_again == found["token"]


@each("name", FORGERIES)
def test_nobody_comes_in_with_a_forgery(world: World, name: str) -> None:
    text = FORGERIES[name](world)
    assert text not in world.genuine().values()
    for _ in range(2):  # the second time from a cache, if there were one
        with pytest.raises(Unauthenticated) as refused:
            world.authenticator.principal(text)
        assert refused.value.args == (MESSAGE,)
        assert refused.value.__cause__ is refused.value.__context__ is None


def test_a_credential_with_any_one_character_changed_is_nobodys(world: World) -> None:
    pick = random.Random(8)
    letters = "ABCXYZabcxyz0189-_.=+/ \u00e9"
    genuine = world.genuine()
    accepted = []
    for text in genuine.values():
        for _ in range(150):
            place = pick.randrange(len(text))
            other = text[:place] + pick.choice(letters) + text[place + pick.randrange(2) :]
            if other in genuine.values():
                continue
            with suppress(Unauthenticated):
                accepted.append((other, world.authenticator.principal(other)))
    assert accepted == []


def test_a_token_of_an_outside_issuer_is_denied_at_once(world: World) -> None:
    text = world.outside.token("EdDSA", jti="out-leaves")
    assert world.authenticator.principal(text).credential == "out-leaves"
    world.memory("barn").tokens.revoke("out-leaves", outside=True)
    assert world.authenticator.principal(text)  # another team denies only its own
    first = world.memory().tokens.revoke("out-leaves", outside=True)
    with pytest.raises(Unauthenticated):
        world.authenticator.principal(text)
    assert world.memory().tokens.revoke("out-leaves", outside=True).id == first.id
    lines = world.memory().journal.list(subject="out-leaves").items
    assert [line.detail for line in lines] == [{"kind": "outside"}]
