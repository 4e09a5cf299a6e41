"""Secrets in forms of daily work: settings, commands, headers, bodies, code, languages."""

from __future__ import annotations

import json
import string
from base64 import b64encode
from collections.abc import Iterator

from secret_drawing import ALNUM, BASE64, HEX, UPPER, URLSAFE, Sample, bare, draw, json_part, within

DIGITS = "23456789"
LOWER = string.ascii_lowercase + string.digits
_PASS, _WORD, _TOKEN, _KEY = "pass", "word", "to" + "ken", "k" + "ey"
_PRIVATE = "PRIV" + "ATE KEY"


def _password() -> str:
    return draw(ALNUM, 12)


def _uuid() -> str:
    return "-".join(draw(HEX, length) for length in (8, 4, 4, 4, 12))


def further() -> Iterator[Sample]:
    """Yield one sample of each form."""
    yield from _vendors()
    yield from _files()
    yield from _commands()
    yield from _messages()
    yield from _programs()
    yield from _languages()


def _vendors() -> Iterator[Sample]:
    telegram = draw(DIGITS, 9) + ":A" + "A" + draw(URLSAFE, 33)
    yield within("telegram url", "https://api.telegram.org/bot", telegram, "/sendMessage")
    yield bare("mapbox", "s", "k.", json_part('{"u":"shop","a":"cl1"}'), ".", draw(URLSAFE, 22))
    yield bare("render", "rn", "d_", draw(ALNUM, 32))
    yield bare("duffel", "duf", "fel_live_", draw(URLSAFE, 43))
    yield bare("easypost", "EZ", "AK", draw(ALNUM, 56))
    yield bare("flutterwave", "FLW", "SECK_TEST-", draw(HEX, 32), "-X")
    yield within(
        "teams webhook",
        "https://shop.webhook.off" + "ice.com/webhookb2/",
        f"{_uuid()}@{_uuid()}/IncomingWebhook/{draw(HEX, 32)}/{_uuid()}",
    )
    yield within("zapier webhook", "https://hooks.zap" + "ier.com/hooks/catch/", "1234567/ab3cde9")
    yield bare("asana", "1", "/", "12", draw(DIGITS, 14), ":", draw(HEX, 32))
    yield bare("clickup", "p", "k_", draw(DIGITS, 8), "_", draw(UPPER, 32))
    yield bare("hubspot", "pa", "t-na1-", _uuid())
    yield bare("plaid", "acc", "ess-sandbox-", _uuid())
    yield bare("adafruit", "ai", "o_", draw(ALNUM, 28))
    yield bare("readme", "rd", "me_", draw(string.ascii_lowercase + string.digits, 70))
    yield bare("frame.io", "fio", "-u-", draw(URLSAFE, 64))
    yield bare("neon", "na", "pi_", draw(string.ascii_lowercase + string.digits, 64))
    yield bare("deno", "dd", "p_", draw(ALNUM, 36))
    yield bare("infracost", "ic", "o-", draw(ALNUM, 32))
    yield bare("openshift", "sha", "256~", draw(URLSAFE, 43))
    yield bare("jina", "ji", "na_", draw(ALNUM, 60))
    yield bare("mem0", "m", "0-", draw(ALNUM, 40))
    yield bare("hindsight", "hs", "k-", draw(ALNUM, 32))
    yield bare("byterover", "br", "v_", draw(ALNUM, 32))
    yield bare("retaindb", "retain", "db_", draw(ALNUM, 32))
    yield bare("voyage", "p", "a-", draw(ALNUM, 43))
    yield bare("runpod", "rp", "a_", draw(ALNUM, 42))
    yield bare("context7", "ctx", "7sk-", _uuid())
    yield bare("modal", "a", "k-", draw(ALNUM, 22))
    yield bare("letta", "sk", "-let-", b64encode(f"{_uuid()}:{_uuid()}".encode()).decode())
    part = b64encode(f'"uuid":"{_uuid()}"}}'.encode()).decode().rstrip("=")
    yield bare("zep", "z", "_1dWlkIjoi", part, ".", draw(URLSAFE, 86))
    yield bare("supermemory", "s", "m_", draw(ALNUM, 22), "_", draw(ALNUM, 64))
    yield bare("wandb", "wan", "db_v1_", draw(ALNUM, 27), "_", draw(ALNUM, 49))
    yield bare("browserbase", "bb", "_live_", draw(URLSAFE, 27))
    yield bare("cursor", "k", "ey_", draw(HEX, 64))
    yield bare("daytona", "dt", "n_", draw(HEX, 64))
    yield bare("composio", "a", "k_", draw(ALNUM, 20))
    yield bare("helicone", "sk", "-helicone-", "-".join(draw(LOWER, 7) for _ in range(4)))
    yield bare("inngest", "sign", "key-prod-", draw(HEX, 64))
    yield bare("trigger.dev", "t", "r_prod_", draw(ALNUM, 24))
    yield bare("unkey", "unk", "ey_", draw(ALNUM, 22))
    for id in (draw(HEX, 24), _uuid()):
        yield bare("infisical", "s", "t.", id, ".", draw(HEX, 32), ".", draw(HEX, 32))
    yield bare("lob", "li", "ve_", draw(HEX, 35))
    yield within(
        "convex", "pr" + "od:happy-otter-123|", b64encode(draw(ALNUM, 60).encode()).decode()
    )
    redirect = "https://app.example.com/callback?"
    yield within("login redirect", f"{redirect}code=", draw(URLSAFE, 43), "&state=x")
    yield within("login redirect", f"{redirect}state=x&scope=all&code=", draw(URLSAFE, 43))
    yield bare("firecrawl", "f", "c-", draw(HEX, 32))
    yield bare("apify", "api", "fy_api_", draw(ALNUM, 36))
    yield bare("mailersend", "ml", "sn.", draw(HEX, 64))
    yield bare("braintree", "access_" + _TOKEN, "$sandbox$", draw(HEX, 16), "$", draw(HEX, 32))
    yield bare("wakatime", "wa", "ka_", _uuid())
    yield bare("trello", "AT", "TA", draw(HEX, 64))
    yield bare("yandex", "AQ", "VN", draw(URLSAFE, 36))
    yield bare("aiven", "AV", "NS_", draw(URLSAFE, 19))
    yield bare("launchdarkly", "sd", "k-", _uuid())
    yield bare("axiom", "xa", "at-", _uuid())
    yield bare("azure openai", draw(ALNUM, 52), "JQ", "QJ99", draw(ALNUM, 26))
    yield bare("vercel blob", "vercel", "_blob_rw_", draw(ALNUM, 16), "_", draw(ALNUM, 30))
    yield bare("together", "tg", "p_v1_", draw(URLSAFE, 43))
    yield bare("e2b", "e2", "b_", draw(HEX, 40))
    yield bare("razorpay", "rz", "p_live_", draw(ALNUM, 14))
    auths = json.dumps(
        {"auths": {"r.example.com": {"auth": draw(ALNUM, 24)}}}, separators=(",", ":")
    )
    yield Sample(
        "docker config in kubernetes", *[b64encode(auths.encode()).decode()] * 2, vendor=False
    )


def _files() -> Iterator[Sample]:
    settings = f"DB_{_PASS.upper()}{_WORD.upper()}={_password()}\nPORT=8080\n"
    yield within("settings in base64", "data: ", b64encode(settings.encode()).decode())
    listed = f"<{_KEY}>API{_KEY.title()}</{_KEY}>\n\t<string>"
    yield within("property list", listed, draw(ALNUM, 28), "</string>")
    yield within("end of a PEM key", "", draw(BASE64, 64), f"\n-----END RSA {_PRIVATE}-----")
    yield within(
        "terraform output",
        '{"db_' + _PASS + _WORD + '":{"sensitive":true,"type":"string","value":"',
        _password(),
        '"}}',
    )
    yield within(
        "terraform variable", f'variable "db_{_PASS}{_WORD}" {{ default = "', _password(), '" }'
    )
    yield within("yaml folded", f"db:\n  {_PASS}{_WORD}: >-\n    ", _password(), "\n  host: x")
    yield within("yaml literal", f"api_{_TOKEN}: |\n  ", draw(ALNUM, 32), "\nnext: 1")
    yield within("yaml list item", f"- {_PASS}{_WORD}: ", _password(), "\n")
    yield within(
        "kubernetes secret", f"data:\n  {_PASS}{_WORD}: ", b64encode(_password().encode()).decode()
    )
    yield within("fernet", "FERNET" + "_KEY=", draw(URLSAFE, 43) + "=")
    yield within("unseal", "Unseal " + "Key 1: ", draw(BASE64, 43) + "=")
    yield within("encryption key in prose", "encryption " + "key: ", draw(HEX, 64))
    yield within("wordpress", "define('SECURE_AUTH" + "_KEY', '", draw(ALNUM, 40), "');")
    yield within("pypirc", f"[pypi]\nusername = bob\n{_PASS}{_WORD} = ", _password())
    yield within("pip.conf", "index-url = https://bob:", _password(), "@pypi.example.com/simple")
    yield within(
        "npmrc password",
        f"//r.example.com/:_{_PASS}{_WORD}=",
        b64encode(_password().encode()).decode(),
    )
    yield within("pgpass any port", "db:*:app:bob:", _password())
    yield within("spring", f"spring.datasource.{_PASS}{_WORD}=", _password())
    yield within("properties", f"app.api-{_KEY}=", draw(ALNUM, 24))
    yield within("toml", f'api_{_TOKEN} = "', draw(ALNUM, 24), '"')
    yield within("makefile", f"API_{_TOKEN.upper()} ?= ", draw(ALNUM, 24))
    yield within(
        "compose", f"environment:\n  - POSTGRES_{_PASS.upper()}{_WORD.upper()}=", _password()
    )
    yield within("systemd", f'Environment="API_{_TOKEN.upper()}=', draw(ALNUM, 24), '"')
    yield within("appsettings", f'<add key="Api{_KEY.title()}" value="', draw(ALNUM, 24), '" />')
    yield within("htpasswd file", "bob:$ap" + "r1$", draw(ALNUM, 8) + "$" + draw(ALNUM, 22))
    yield within("ldap config", "root" + "pw ", _password())
    yield within("cisco", "username bob " + "secret 0 ", _password())
    yield within("markdown table", f"| {_PASS.title()}{_WORD} | ", _password(), " |")
    yield within("markdown bold", f"**{_PASS.title()}{_WORD}:** ", _password())
    yield within(
        "sql server", f"CREATE LOGIN a WITH {_PASS.upper()}{_WORD.upper()} = N'", _password(), "';"
    )
    yield within("oracle user", "create user a identified" + " by ", _password(), ";")


def _commands() -> Iterator[Sample]:
    yield within(
        "npm config", f"npm config set //r.example.com/:_auth{_TOKEN.title()} ", draw(ALNUM, 36)
    )
    yield within("cargo login", "cargo lo" + "gin ", draw(ALNUM, 32))
    yield within("poetry", f"poetry config pypi-{_TOKEN}.pypi ", draw(ALNUM, 32))
    yield within("poetry basic", "poetry config http-" + "basic.shop bob ", _password())
    yield within("twine", "twine upload -u bob -" + "p ", _password(), " dist/*")
    yield within("keytool", "keytool -list -keystore k.jks -store" + "pass ", _password())
    yield within(
        "keyvault", "az keyvault se" + "cret set --vault-name v --name db --value ", _password()
    )
    yield within("htpasswd", "htpass" + "wd -b .htpasswd bob ", _password())
    yield within("htpasswd printed", "htpass" + "wd -nb bob ", _password())
    yield within("chpasswd", "echo 'bob:", _password(), "' | chpass" + "wd")
    yield within("sudo", "echo ", _password(), " | su" + "do -S apt update")
    yield within("sudo quoted", "echo '", _password(), "' | su" + "do -S -k true")
    yield within(
        "docker stdin", "echo ", draw(ALNUM, 20), " | docker login -u bob --pass" + "word-stdin"
    )
    yield within("here string", "su" + "do -S true <<< '", _password(), "'")
    yield within("mosquitto", "mosquitto_pub -h h -u bob -" + "P ", _password(), " -t a -m b")
    yield within("mysqladmin", "mysqladmin -u root pass" + "word ", _password())
    yield within("rabbitmq", "rabbitmqctl add_" + "user bob ", _password())
    yield within("smbclient", "smbclient //h/s -U bob" + "%", _password())
    yield within("seven zip", "7z a -" + "p", _password(), " a.7z b")
    yield within("lftp", "lftp -u bob" + ",", _password(), " ftp.example.com")
    yield within("net user", "net user bob ", _password(), " /add")
    yield within(
        "secure string", "ConvertTo-Secure" + 'String "', _password(), '" -AsPlainText -Force'
    )
    yield within("fly secrets", "fly sec" + "rets set SESSION=", draw(ALNUM, 24))
    yield within("wget", f"wget --user=bob --{_PASS}{_WORD}='", _password(), "' https://x.example")
    yield within(
        "kubectl", f"kubectl create secret generic a --from-literal={_PASS}{_WORD}=", _password()
    )
    yield within(
        "docker build", f"docker build --build-arg NPM_{_TOKEN.upper()}=", draw(ALNUM, 36), " ."
    )
    yield within("powershell", f'$env:API_{_KEY.upper()} = "', draw(ALNUM, 24), '"')
    yield within("gh secret", "gh sec" + "ret set DEPLOY -b ", draw(ALNUM, 24))
    yield within("psql", f'psql "host=db user=bob {_PASS}{_WORD}=', _password(), '"')


def _messages() -> Iterator[Sample]:
    for path in ("reset-password", "users/password/reset/MQ", "magic-link", "invitations/accept"):
        yield within(path, f"Open https://app.acme.io/{path}/", draw(ALNUM, 43))
    yield within("saml", "SAML" + "Response=", b64encode(draw(ALNUM, 90).encode()).decode())
    for scheme in ("Splunk", "GenieKey", "Klaviyo-API-Key", "PVEAPIToken"):
        yield within(f"{scheme} header", "Authori" + f"zation: {scheme} ", draw(ALNUM, 36))
    yield within(
        "doubled label",
        f"X-Functions-{_KEY.title()}: X-Functions-{_KEY.title()}: ",
        draw(ALNUM, 54),
    )
    yield within("vault header", f"X-Vault-{_TOKEN.title()}: ", draw(ALNUM, 28))
    yield within("gitlab header", f"Private-{_TOKEN.title()}: ", draw(URLSAFE, 24))
    yield within("cloudflare header", f"X-Auth-{_KEY.title()}: ", draw(HEX, 37))
    basic = b64encode(f"bob:{_password()}".encode()).decode()
    yield within("basic alone", "'Ba" + "sic ", basic, "'")
    boundary = "--x1\r\nContent-Disposition: form-data; name="
    yield within("multipart", f'{boundary}"{_PASS}{_WORD}"\r\n\r\n', _password(), "\r\n--x1--")
    yield within("form", f"user=bob&{_PASS}{_WORD}=", _password(), "&next=%2F")
    yield within("encoded json", f"%7B%22{_PASS}{_WORD}%22%3A%22", _password(), "%22%7D")
    yield within("encoded form", f"next=%3F{_PASS}{_WORD}%3D", _password(), "%26a")
    yield within("grant", "grant_type=refresh&client_sec" + "ret=", draw(URLSAFE, 32), "&a=b")
    yield within("session cookie", "Cookie: JSESSION" + "ID=", draw(UPPER, 32))
    words = "river candle orbit velvet amber forest pencil rocket winter sugar tiger lemon"
    yield within("seed phrase", "seed phr" + "ase: ", words)


def _programs() -> Iterator[Sample]:
    yield within("go dsn", 'sql.Open("mysql", "app:', _password(), '@tcp(db:3306)/shop")')
    yield within("java setter", f'source.set{_PASS.title()}{_WORD}("', _password(), '");')
    yield within("java builder", f'.{_PASS}{_WORD}("', _password(), '")')
    yield within("java connection", 'DriverManager.getConnection(url, "bob", "', _password(), '");')
    yield within("go basic auth", "req.SetBasic" + 'Auth("bob", "', _password(), '")')
    yield within("c# credential", "new NetworkCreden" + 'tial("bob", "', _password(), '")')
    yield within("c# property", f'settings.{_PASS.title()}{_WORD} = "', _password(), '";')
    yield within("php pdo", "new PDO($dsn, 'bob', '", _password(), "');")
    yield within("php curl", "curl_setopt($c, CURLOPT_USER" + "PWD, 'bob:", _password(), "');")
    yield within("php setter", f"$mail->set{_PASS.title()}{_WORD}('", _password(), "');")
    yield within("ruby basic auth", "basic_" + "auth 'bob', '", _password(), "'")
    yield within("ruby hash", f"{_PASS}{_WORD}: '", _password(), "',")
    yield within("go constant", f'const api{_TOKEN.title()} string = "', draw(ALNUM, 32), '"')
    yield within("rust constant", f'const API_{_TOKEN.upper()}: &str = "', draw(ALNUM, 32), '";')
    yield within("c array", f'char {_PASS}{_WORD}[] = "', _password(), '";')
    yield within("vb", f'Dim {_PASS}{_WORD} As String = "', _password(), '"')
    yield within("r arrow", f'api_{_KEY} <- "', draw(ALNUM, 24), '"')
    yield within("clojure", f':{_PASS}{_WORD} "', _password(), '"')
    yield within("lisp", f'(setq smtp-{_PASS}{_WORD} "', _password(), '")')
    yield within("erlang", f'{{{_PASS}{_WORD}, "', _password(), '"}')


def _languages() -> Iterator[Sample]:
    for label in (
        *(
            "contraseña=",
            "senha: ",
            "пароль: ",
            "Пароль=",
            "密码\uff1a",
            "密碼: ",
            "mot de passe : ",
        ),
        *("Kennwort: ", "wachtwoord=", "lösenord: ", "hasło: ", "heslo: ", "şifre: ", "parola: "),
        *(
            "パスワード\uff1a",
            "비밀번호: ",
            "mật khẩu: ",
            "clave = ",
            "BD_CONTRASEÑA=",
            "Passwort: ",
        ),
    ):
        yield within(f"label {label.strip()}", label, _password())
    yield within("label in json", '{"contraseña": "', _password(), '"}')
    yield within("label in a sentence", "la contraseña es ", _password())
    yield within("webhook by key", "https://maker.ifttt.com/trigger/x/with/key/", draw(ALNUM, 22))
