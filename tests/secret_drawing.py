"""How synthetic secrets are put together: a telling prefix in parts, and characters drawn from a
seeded generator, so that no file of the repository holds a literal secret."""

from __future__ import annotations

import random
import string
from base64 import urlsafe_b64encode
from dataclasses import dataclass

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
URLSAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"

_random = random.Random(20)


@dataclass(frozen=True, slots=True)
class Sample:
    """One secret in the shortest text that still tells what it is."""

    name: str
    text: str
    secret: str
    vendor: bool
    in_query: bool = False
    """Whether the text may stand as a value in the query of an address."""


def draw(alphabet: str, length: int) -> str:
    """Draw characters; the last two are a digit and a letter of the alphabet, or two digits."""
    body = "".join(_random.choice(alphabet) for _ in range(length - 2))
    letters = [char for char in alphabet if char.isalpha()] or list(alphabet)
    return body + _random.choice("23456789") + _random.choice(letters)


def json_part(text: str) -> str:
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def bare(name: str, *parts: str) -> Sample:
    token = "".join(parts)
    return Sample(name, token, token, vendor=True, in_query=True)


def within(name: str, before: str, secret: str, after: str = "", *, vendor: bool = False) -> Sample:
    return Sample(name, before + secret + after, secret, vendor)
