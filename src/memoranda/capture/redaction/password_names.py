"""Names of passwords in languages other than English."""

from __future__ import annotations

import re

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


def _either_case(word: str) -> str:
    """Return a pattern for a label in either case.

    Patterns run on bytes, which have no case beyond ASCII; JSON may have it escaped.
    """
    forms = (word, word.capitalize(), word.upper())
    every = dict.fromkeys((*forms, *map(escaped, forms)))
    return "|".join(form.replace(" ", "[ _]") for form in every)


def escaped(word: str) -> str:
    """Return a pattern for a text that JSON may have escaped to ASCII."""
    return "".join(c if c.isascii() else rf"\\+(?i:u{ord(c):04x})" for c in word)


_EVERY = "|".join(map(_either_case, _WORDS))
_OTHER_SCRIPTS = "|".join(_either_case(one) for one in _WORDS if ord(one[0]) > ord("\u0370"))
LABELS = (
    rf"(?:(?:^|[^A-Za-z0-9]|\\u[0-9A-Fa-f]{{4}}|\\[nrt]|\[[0-9;]*m)(?:{_EVERY})"
    rf"|(?:{_OTHER_SCRIPTS}))"
)
"""Pattern of labels; one may end a longer name, as in ``BD_CONTRASEÑA``."""
LABEL_KEYWORDS = tuple(
    dict.fromkeys(
        form.replace(" ", gap)
        for word in _WORDS
        for form in (word, word.capitalize(), word.upper())
        for gap in " _"
    )
)
_LABEL = re.compile(rf"(?:^|.*[^A-Za-z0-9])(?:{_EVERY})[\s:\uff1a]*")


def is_label(name: str) -> bool:
    """Return whether a name ends in the label of a password in some language."""
    return _LABEL.fullmatch(name[-128:]) is not None
