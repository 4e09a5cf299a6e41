"""Names that indicate a secret (``db_password``), and harmless lookalikes."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import cache, lru_cache

from memoranda.language.words import word_set

# Words that make a name sensitive. After a strong word, even a plain word ("hunter") is a secret;
# after a weak word, only a value that is not a word, number, path or code, as "token" and "secret"
# name many harmless things.
STRONG_WORDS = (
    *("passwords?", "passwd", "passwort", "passphrase", "passcode", "pwd"),
    "(?:db|smtp|mail|ftp|sudo|root|admin|user|ssh|redis|mysql|imap|ldap|proxy|remote|wifi|vpn|sftp|vnc|rdp)_?pass",
)
WEAK_WORDS = ("secret_?id", "secret", "token", "credentials?", "session_?id", "sess_?id")
WHOLE_WORDS = ("pass", "pw", "auth", "authorization", "cookie", "sid", "otp", "psk", "bearer")
KEY_KINDS = (
    *("access", "account", "admin", "aes", "api", "app", "application", "auth", "cipher"),
    *("consumer", "crypto", "deploy", "encryption", "fernet", "functions", "hmac"),
    *("ingest", "integration", "jwt", "license", "master", "pre_?shared", "private", "recovery"),
    *("root", "rsa", "secret", "service", "session", "shared", "signature", "signing", "sops"),
    *("ssh", "storage", "subscription", "unseal", "vault", "webhook", "wrapping"),
)
"""Kinds of key that are secret, unlike a cache, primary or public key."""

# A sensitive word followed by one of these names a property of the secret, not the secret itself.
_DESCRIPTORS = word_set(
    """
    address age agent alg algorithm arn at attempt attempts balance binder binders bucket budget
    button cache callback changed chars check checker checksum class column component config
    configuration constraint container context controller count counter counters counts created
    date decoder delegate diff digest dir domain duration empty enabled encoder encryptor end
    endpoint env error event exception exp expiration expired expires expiry extractor factory
    fetcher field file filename filter fingerprint flow fn for form format found from func
    function generator getter group groups handler hasher header headers help hint host icon id
    identifier ids image index info input interface invalid issuer item iv jar kind label len
    length level limit lines link list listener location mail manager map match matches max
    mechanism mechanisms message metadata method mgr min mismatch missing mode model module name
    names not number object offset options output owner page param parameter parameters params
    parser path pattern per place placeholder plugin policy pos position prefix price process
    processor prompt property protocol provider query rate reader ref reference regex registry
    repository request required requirement requirements reset resolver response result role
    rotation route router rule rules schema scheme scope scopes screen section server service
    setter settings sha size sock socket source spec start state status storage store strategy
    stream strength style suffix support symbol tab table text time timeout timestamp title
    transformer ttl type types uri url usage used user valid validation validator verifier
    version view vocabulary widget window with within wrapper writer
    """
)
# A "token" with one of these words is a unit of text, a cursor or the mark of a single request.
_PLAIN_TOKEN_HEADS = word_set(
    """
    abort bos cached cancel cancellation cls continuation cursor eos idempotency input lexer mask
    max mention min next num output pad page pagination paging parser placeholder prompt public
    resume scroll sep skip special start stop string sub sync total unk
    """
)
# A name that begins with one of these words is a question about a secret.
_QUESTIONS = word_set(
    "allow allows can disable enable has have is needs no on requires should skip use uses without"
)
NAME_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
"""Word of a name in any spelling: camel case, underscores, hyphens."""
_SENSITIVE = re.compile(
    rf"(?P<strong>{'|'.join(STRONG_WORDS)})(?=_)"
    rf"|(?:{'|'.join(WEAK_WORDS)})(?=_)"
    rf"|(?:{'|'.join(KEY_KINDS)})_?keys?(?=_)"
    rf"|(?<=_)(?:{'|'.join(WHOLE_WORDS)})(?=_)"
)
_WORDS = (
    *("contraseña", "contrasena", "contrasenya", "clave", "senha", "palavra-passe"),
    *("palavra-chave", "mot de passe", "mdp", "kennwort", "zugangscode", "wachtwoord"),
    *("lösenord", "losenord", "adgangskode", "adgangsord", "passord", "salasana", "hasło"),
    *("haslo", "heslo", "jelszó", "jelszo", "parolă", "parola", "şifre", "sifre", "geslo"),
    *("lozinka", "zaporka", "slaptažodis", "parole", "parool", "κωδικός", "συνθηματικό"),
    *(
        "пароль",
        "кодовое слово",
        "токен",
        "лозинка",
        "парола",
        "密码",
        "密碼",
        "口令",
        "密钥",
        "密鑰",
    ),
    *(
        "令牌",
        "パスワード",
        "暗証番号",
        "合言葉",
        "비밀번호",
        "암호",
        "패스워드",
        "토큰",
        "mật khẩu",
        "kata sandi",
    ),
    *(
        "katalaluan",
        "รหัสผ่าน",
        "पासवर्ड",
        "كلمة المرور",
        "كلمة السر",
        "الباسورد",
        "الباسوورد",
        "باسورد",
        "الرقم السري",
        "رمز عبور",
        "گذرواژه",
    ),
    *("סיסמה", "סיסמא", "clé api", "clé secrète", "llave secreta", "clave api"),
    *("chave secreta", "chave de api", "api-schlüssel"),
)
LABEL_KEYWORDS = tuple(
    dict.fromkeys(
        form.replace(" ", gap)
        for word in _WORDS
        for form in (word, word.capitalize(), word.upper())
        for gap in " _"
    )
)


class NameStrength(IntEnum):
    """How strongly a name alone indicates a secret."""

    NONE = 0
    WEAK = 1
    STRONG = 2


@lru_cache(maxsize=4096)
def strength(name: str) -> NameStrength:
    """Return how sensitive a name is: ``db_password`` strong, ``apiKey`` weak."""
    parts = [word.lower() for word in NAME_WORD.findall(name[-128:])]
    joined = f"_{'_'.join(parts)}_"
    last = max(_SENSITIVE.finditer(joined), key=lambda match: match.start(), default=None)
    if last is None or not _DESCRIPTORS.isdisjoint(joined[last.end() :].split("_")):
        return NameStrength.NONE
    if parts[0] in _QUESTIONS:
        return NameStrength.NONE
    if last["strong"]:
        return NameStrength.STRONG
    heads = joined[: last.start()].split("_")
    if last[0] == "token" and not _PLAIN_TOKEN_HEADS.isdisjoint(heads):
        return NameStrength.NONE
    return NameStrength.WEAK


def _either_case(word: str) -> str:
    """Return a pattern for a label in either case.

    Patterns run on bytes, which have no case beyond ASCII; the label may be escaped in JSON.
    """
    forms = (word, word.capitalize(), word.upper())
    every = dict.fromkeys((*forms, *map(escaped, forms)))
    return "|".join(form.replace(" ", "[ _]") for form in every)


def escaped(word: str) -> str:
    """Return a pattern for a text that JSON may have escaped to ASCII."""
    return "".join(c if c.isascii() else rf"\\+(?i:u{ord(c):04x})" for c in word)


_EVERY = "|".join(map(_either_case, _WORDS))
_OTHER_SCRIPTS = "|".join(_either_case(item) for item in _WORDS if ord(item[0]) > ord("\u0370"))
LABELS = (
    rf"(?:(?:^|[^A-Za-z0-9]|\\u[0-9A-Fa-f]{{4}}|\\[nrt]|\[[0-9;]*m)(?:{_EVERY})"
    rf"|(?:{_OTHER_SCRIPTS}))"
)
"""Pattern of labels; a longer name may end with one: ``BD_CONTRASEÑA``."""


@cache  # compiling it takes 10 ms, and few texts name a secret
def _label() -> re.Pattern[str]:
    return re.compile(rf"(?:^|.*[^A-Za-z0-9])(?:{_EVERY})[\s:\uff1a]*")


def is_label(name: str) -> bool:
    """Return whether a name ends with a label for passwords in some language."""
    return _label().fullmatch(name[-128:]) is not None
