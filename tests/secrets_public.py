"""Ordinary forms of secrets from public rules, with values drawn for them.

Most forms are those of the rules of gitleaks and of hits in public files, some those of TruffleHog
and detect-secrets. Which of them stand here was chosen by hand; the values are made up.
"""

from __future__ import annotations

import string
from base64 import b64encode
from collections.abc import Iterator

from secret_drawing import ALNUM, BASE64, HEX, UPPER, URLSAFE, Sample, bare, draw, json_part, within

LOWER = string.ascii_lowercase + string.digits
DIGITS = "23456789"
_PASS, _TOKEN, _KEY, _SECRET = "pass" + "word", "to" + "ken", "k" + "ey", "sec" + "ret"


def _uuid() -> str:
    return "-".join(draw(HEX, length) for length in (8, 4, 4, 4, 12))


def _prefixed() -> Iterator[Sample]:
    groups = "-".join(draw(UPPER, length) for length in (6, 11, 5, 5, 5))
    yield bare("1password secret", "A", "3-", groups)
    yield bare("adobe client", "p8", "e-", draw(LOWER, 32))
    yield bare(
        "authress",
        "sc",
        "_",
        draw(LOWER, 12),
        ".",
        draw(LOWER, 4),
        ".acc-",
        _uuid(),
        ".",
        draw(ALNUM, 40),
    )
    yield bare("clickhouse cloud", "4b", "1d", draw(ALNUM, 38))
    yield bare("clojars", "CLO", "JARS_", draw(LOWER, 60))
    yield bare("defined networking", "dn", "key-", draw(UPPER, 26), "-", draw(UPPER, 52))
    yield bare("gitlab feature flags", "gl", "ffct-", draw(URLSAFE, 20))
    yield bare("gitlab job", "gl", "cbt-64_", draw(URLSAFE, 20))
    yield bare("gitlab routable", "gl", "pat-", draw(ALNUM, 27), ".01.", draw(LOWER, 9))
    yield bare("harness", "pa", "t.", draw(ALNUM, 22), ".", draw(ALNUM, 24), ".", draw(ALNUM, 20))
    yield bare("intra 42", "s-s4", "t2ud-", draw(HEX, 64))
    yield bare("maxmind", draw(ALNUM, 6), "_", draw(ALNUM, 29), "_m", "mk")
    yield bare("octopus deploy", "AP", "I-", draw(UPPER, 26))
    yield bare("scalingo", "tk", "-us-", draw(URLSAFE, 48))
    yield bare("settlemint", "sm", "_pat_", draw(ALNUM, 16))
    yield bare("stripe prod", "sk", "_prod_", draw(ALNUM, 32))
    yield bare("slack configuration", "xo", "xe.xo", "xp-1-", draw(UPPER, 164))
    yield bare("sentry user", "sntr", "yu_", draw(HEX, 64))
    yield bare("notion internal", "nt", "n_", draw(DIGITS, 11), draw(ALNUM, 35))
    yield bare("artifactory access", "AK", "Cp", draw(ALNUM, 69))
    jwt = ".".join((json_part('{"alg":"HS256"}'), json_part('{"sub":"1"}'), draw(ALNUM, 43)))
    yield bare("jwt in base64", b64encode(jwt.encode()).decode())
    yield bare("readme", "rd", "me_", draw(LOWER, 70))
    yield bare("planetscale password", "psc", "ale_pw_", draw(URLSAFE, 43))
    yield bare("gitlab trigger", "glp", "tt-", draw(HEX, 40))
    yield bare("facebook app", draw(DIGITS, 15), "|", draw(ALNUM, 27))
    yield within("gitlab session", "_git" + "lab_session=", draw(HEX, 32))
    yield bare("amazon mws", "amzn", ".mws.", _uuid())
    yield bare("fireworks", "f", "w_", draw(ALNUM, 24))
    yield bare("vercel", "vc", "p_", draw(ALNUM, 56))
    yield bare("yandex iam", "t", "1.", draw(ALNUM, 20), ".", draw(URLSAFE, 86))
    yield bare("atlassian admin", "ATC", "TT3xFfG", draw(URLSAFE, 170))


def _named() -> Iterator[Sample]:
    yield within("vault legacy", f"VAULT_{_TOKEN.upper()}=", f"s.{draw(ALNUM, 24)}")
    yield within(
        "yandex iam", f"yandex_iam_{_TOKEN} = ", f"t1.{draw(ALNUM, 40)}.{draw(URLSAFE, 86)}"
    )
    yield within("sidekiq", "BUNDLE_ENTERPRISE__CONTRIBSYS__COM=", f"{draw(HEX, 8)}:{draw(HEX, 8)}")
    yield within(
        "sidekiq gem source", "https://", f"{draw(HEX, 8)}:{draw(HEX, 8)}", "@gems.contribsys.com/"
    )
    yield within("algolia", f'const algolia_admin_{_KEY} = "', draw(HEX, 32), '";')
    yield within("beamer", f'beamer_api_{_TOKEN}: "', "b_" + draw(URLSAFE, 44), '"')
    yield within("lob", f"LOB_API_{_KEY.upper()}=", "live_" + draw(HEX, 35))
    yield within("sumo logic", f"SUMO_ACCESS_{_KEY.upper()}=", draw(ALNUM, 64))
    yield within(
        "mailgun webhook",
        f"mailgun_webhook_signing_{_KEY}: ",
        f"{draw(HEX, 32)}-{draw(HEX, 8)}-{draw(HEX, 8)}",
    )
    yield within("codecov", f"CODECOV_{_TOKEN.upper()}: ", _uuid())
    yield within("confluent", f"confluent_{_SECRET} = ", draw(ALNUM, 64))
    yield within("coinbase", f'"coinbase_access_{_TOKEN}": "', draw(LOWER, 64), '"')
    yield within("kraken", f"kraken_{_SECRET}=", draw(BASE64, 86) + "==")
    yield within(
        "twitter bearer",
        f"TWITTER_BEARER_{_TOKEN.upper()}=",
        "A" * 22 + draw(ALNUM, 60) + "%3D" + draw(ALNUM, 22),
    )
    yield within(
        "twitter access", f"twitter_access_{_TOKEN} = ", f"{draw(DIGITS, 18)}-{draw(ALNUM, 40)}"
    )
    yield within("snyk", f"snyk_{_TOKEN}: ", _uuid())
    yield within("squarespace", f'squarespace_{_TOKEN} := "', _uuid(), '"')
    yield within("rapid api header", "X-RapidAPI-" + "Key: ", draw(LOWER, 50))
    yield within("meraki header", "X-Cisco-Meraki-API-" + "Key: ", draw(HEX, 40))
    yield within(
        "nuget config", f'<add {_KEY}="ClearText{_PASS.title()}" value="', draw(ALNUM, 14), '" />'
    )
    yield within(
        "terraform administrator", f'administrator_login_{_PASS} = "', draw(ALNUM, 16), '"'
    )
    yield within(
        "kubernetes data",
        "apiVersion: v1\nkind: Sec" + "ret\ndata:\n  db-conn: ",
        b64encode(draw(ALNUM, 30).encode()).decode(),
    )
    yield within("freemius", f"'{_SECRET}_{_KEY}' => 'sk", "_" + draw(ALNUM, 29), "',")
    yield within("cloudant url", "https://acct:", draw(HEX, 64), "@acct.cloudant.com")
    yield within("db2", f"jdbc:db2://db:50000/x:user=app;{_PASS}=", draw(ALNUM, 12), ";")
    yield within(
        "ibm cos hmac", f'"cos_hmac_keys": {{"{_SECRET}_access_{_KEY}": "', draw(HEX, 48), '"}'
    )
    yield within("ibm iam", f"ibm_cloud_iam_api_{_KEY} = ", draw(URLSAFE, 44))
    yield within("softlayer", f"sl_api_{_KEY}: ", draw(HEX, 64))
    yield within("box", f'"boxAppSettings": {{"client{_SECRET.title()}": "', draw(ALNUM, 32), '"}')
    yield within(
        "sql server",
        'UseSqlServer("Server=localhost;User ID=sa;Pass' + "word=",
        "P@ss" + draw(ALNUM, 5) + "!",
        ';Persist Security Info=true;")',
    )
    yield within(
        "express session",
        f"session:\n  {_SECRET}: ",
        "keyboard cat",
        " # replace it\n  resave: false",
    )
    yield within("session in a comment", f"  // SESSION_{_SECRET.upper()}: ", "keyboard cat", "\n")
    yield within(
        "compose passphrase",
        f"environment:\n  APP_{_SECRET.upper()}: ",
        "shiny purple walrus 7",
        "\n  TZ: UTC",
    )
    yield within("default login", "# Default login: admin/", draw(ALNUM, 10), "\n")
    yield within(
        "default credentials", "Default credentials: admin / ", draw(ALNUM, 10), " (change it)"
    )
    yield within("found credentials", "Got DB creds: admin:", draw(ALNUM, 12), '"')
    yield within("sybase", "sp_addlogin 'Daniela','", draw(ALNUM, 12), "','Shop'")
    yield within(
        "sybase by name", "exec sp_addlogin @loginame='U1',@passwd='", draw(ALNUM, 12), "'"
    )
    yield within(
        "oracle", 'CREATE USER shop IDENTIFIED BY "', draw(ALNUM, 12), '" DEFAULT TABLESPACE t'
    )
    yield within("mariadb set", f"SET {_PASS.upper()} FOR 'bob'@'%' = '", draw(ALNUM, 12), "'")
    yield within("one-time code", "npm publish --ot" + "p=", "482913")
    yield within("one-time code in mail", "", "482913", " is your Acme verification code.")


_SENTENCES = (
    "The API key for staging is ",
    f"your new access {_TOKEN} is: ",
    f"You can log in as username ops with {_PASS} ",
    "Das Passwort für die Datenbank ist ",
    "La contraseña del servidor es ",
    "Le mot de passe du serveur est ",
    f"La {_PASS} del database è ",
    "A senha do banco é ",
    "Het wachtwoord van de server is ",
    "Hasło do bazy to ",
    "Пароль от базы: ",
    "数据库的密码是 ",
    "サーバーのパスワードは ",
    "서버 비밀번호는 ",
    "Lösenordet till servern är ",
)


def _sentence_samples() -> Iterator[Sample]:
    """Yield secrets of sentences, and of commands and settings that name no secret."""
    for sentence in _SENTENCES:
        yield within(sentence.strip(), sentence, "Tern7Marsh" + draw(DIGITS, 2))
    for setting in ("DATADOG_API", "discord_bot", "intercom_key", "SONAR_LOGIN", "sendbird_access"):
        yield within(setting, f"{setting}=", draw(HEX, 40))
    yield within("hubspot", "hubspot_api=", _uuid())
    yield within(
        "vault password", "echo '", "Loam4Finch!", "' | ansible-vault encrypt_string --stdin-name a"
    )
    yield within("pkcs12", f"openssl pkcs12 -in a -{_PASS} pass:", "Flint-Cove5", " -out b")
    yield within("expo", f"eas {_SECRET}:create --name A --value ", "Rook3Basalt", "\n")
    yield within("django", "User.objects.create_user('a', 'a@x.io', '", "Gorse-Lark9", "')")


PUBLIC: tuple[Sample, ...] = (*_prefixed(), *_named(), *_sentence_samples())
"""One sample of each form."""
