"""Secrets stated in a sentence are removed, in any language.

Sentences about secrets stay.
"""

from __future__ import annotations

import pytest

from memoranda.capture.redaction.redactor import Redactor
from tables import each

STATED = (
    ("The password for the staging database is {}", "Kq7#vW2pLx9!"),
    ("password for admin: {}", "Hn4$Rt8zMq2w"),
    ("the api key for the mailer is {}", "9fKx2LmQ7vRt4WpZ"),
    ("das Passwort für den Testserver lautet {}", "Vb5!kTz8Qw3n"),
    ("la contraseña del servidor es {}", "Jx8?mPq4Ws6t"),
    ("le mot de passe de la base est {}", "Zr3!nLk9Qx7v"),
    ("la password del server è {}", "Wt6#bHm2Kz8p"),
    ("a senha do banco é {}", "Gq9!xVn4Lr2k"),
    ("het wachtwoord van de server is {}", "Mp7$cJw5Xt3z"),
    ("пароль от базы: {}", "Nk2#zQv8Hb6r"),
    ("密码是 {}", "Tx4!pWm9Lq7k"),
    ("user deploy and password {}", "Ck8#sRv3Np6w"),
)
"""(sentence, its secret)."""

HARMLESS = (
    "The password for the account is required and must be changed",
    "the password is hashed with bcrypt before it is stored",
    "The token is expired, so the session ends",
    "password is too short",
    "das Passwort lautet anders als gestern",
    "Passwort vergessen? Dann eine Mail anfordern.",
    "la contraseña es obligatoria",
    "le mot de passe est incorrect",
    "a senha é obrigatória para continuar",
    "the api key is missing from the request",
    "The key for the map is the country code",
    "the token for each word is its index",
    "пароль не указан в настройках",
    "user logs in and password resets are sent by mail",
)
"""Sentences about secrets that contain none."""


def redacted(text: str) -> str:
    """Return a text without its secrets."""
    return Redactor(b"key").text(text)[0]


@each(("sentence", "secret"), STATED, ids=[one for one, _ in STATED])
def test_a_secret_that_a_sentence_states_is_removed(sentence: str, secret: str) -> None:
    text = redacted(f"Please note: {sentence.format(secret)}\nThen go on with the tests.")
    assert secret not in text
    assert "Then go on with the tests." in text


@each("sentence", HARMLESS)
def test_a_sentence_that_states_no_secret_stays(sentence: str) -> None:
    text = f"Please note: {sentence}\nThen go on with the tests."
    assert redacted(text) == text


@pytest.mark.parametrize(
    "name", ["DATADOG_API_KEY", "discord_bot_key", "NETLIFY_AUTH", "telegram.bot.key"]
)
def test_a_setting_of_a_vendor_is_removed_whatever_its_form(name: str) -> None:
    value = "a8Zk2Lq9Xw4Tn7Vb3Mc6Pr1S"
    assert value not in redacted(f"{name}={value}\n")
    assert redacted(f"{name}=$" + "{" + name.upper() + "}\n").count("$") == 1


@each(
    ("form", "secret"),
    [
        ("[sudo] password for rosa: {}\n$ id", "milchkanne"),
        ("Enter passphrase for key '/srv/k/id_rsa': {}\nok", "seven foxes jump 9 walls"),
        ("rosa@box.lan's password: {}\nWelcome", "milchkanne7"),
        ("La contraseña del panel es {}, gracias", "Pelicano_8841"),
        ("管理画面のパスワードは「{}」です。", "momiji_kame_58"),
        ('release { storePassword "{}" }', "dachsbau_19"),
        ("snmpget -v 2c -c {} 10.0.0.9 sysName.0", "k3stRel-rw"),
        ("snmp-server community {} RO", "k3stRel77"),
        ("htpasswd -b -c /etc/web/.users rosa {}", "Kestrel^310"),
    ],
)
def test_what_was_typed_or_stated_is_removed(form: str, secret: str) -> None:
    assert secret not in redacted(form.replace("{}", secret))


@each(
    "text",
    [
        "[sudo] password for rosa: \nSorry, try again.",
        "Enter passphrase for key '/srv/k/id_rsa': \nIdentity added",
        "La contraseña está en la variable db_password_2",
        "storePassword keystoreProperties['storePassword']",
        "パスワードは「設定」画面で変えられます。",
        "snmp-server community public RO",
        "snmpwalk -v2c -c $COMMUNITY 10.0.0.9",
    ],
)
def test_prompts_and_settings_without_a_secret_stay(text: str) -> None:
    assert redacted(text) == text


@each(
    ("form", "secret"),
    [
        ("2FA seed of the shared account: {}", "JBQX7M4TPL2NRW5DKVGH3JYCE6FSUA2Q"),
        ("TOTP secret {} for the login test", "KQXT RZK3 ONKQ WOBD"),
        ("here are the recovery codes, the first unused one is {}", "8c1fe-0b7d4"),
        ("The PIN of the test terminal is {}, as ever.", "4471"),
        ("use my PIN {} at the door", "73920"),
        ("wallet seed: {}.", "velvet orbit cannon drift maple hockey sunset ladder"),
        ("the passphrase on the backup drive: {}", "correct otter marble seventeen"),
        ("RESTIC_PASSWORD is {}", "seven tall ships sank in may"),
        ("Das Passwort vom Testserver lautet {}.", "Igel im Nebel 3"),
        ("La password dell'utente root è {}", "TortaDiMele.56"),
        ("пароль админа на стенде {}, потом сменим", "qazXSW_62"),
        ("sunucunun şifresi {} , root ile gir", "fenerbahce1907"),
        ("A senha do roteador continua sendo {}, sim", "flamengo81"),
        ("mon mot de passe c'est {} voilà", "Bretagne_29!"),
        ("서버 비밀번호는 {} 이고 계정은 admin", "dubu!jjigae9"),
        ("just log in as me, user jdoe pw {}", "hunter22"),
        ("new admin login for keycloak: admin / {}", "tr0ub4dor&Pferd"),
        ("user hanne@example.org\npassword {}\n", "schnittlauch_im_mai"),
        ("remote_username greenhouse-7\nremote_password {}\n", "tom8toVine_q"),
        ("conn = ftplib.FTP('ftp.example.de', 'kunde17', '{}')", "Drucker_0815"),
        ("$ftp->login('druk', '{}');", "inktvlek_0317"),
        ('network={\n  psk="{}"\n}', "drei Birnen im Sack"),
        ("mysql2://root:{}@127.0.0.1:3307/shop", "hunter-green-77"),
        ("ansible-vault view all.yml --vault-password-file <(echo {})", "Wild.Eichel.6"),
    ],
)
def test_secrets_of_chat_terminals_and_settings_are_removed(form: str, secret: str) -> None:
    assert secret not in redacted(form.replace("{}", secret))


@each(
    "text",
    [
        "password = httr::oauth2.0_fetch(row, password = 'password')",
        "The password is sha256-hashed and salted.",
        "das Kennwort muss mindestens 8 Zeichen haben",
        "пароль должен содержать минимум 8 символов",
        "la contraseña se guarda con argon2id",
        "the password for server42 is stored in the vault",
        "le mot de passe est demandé une fois",
        "The PIN has four digits and is printed on the card.",
        "pin 13 is the LED of the board",
        "wifi: check the key of the router in the settings",
        "seed: 42",
        "recovery codes are shown once",
        "2FA is required for every account",
        "client.login('user', password)",
        "snmpwalk -v2c -c $COMMUNITY 10.0.0.9",
    ],
)
def test_texts_about_secrets_stay(text: str) -> None:
    assert redacted(text) == text
