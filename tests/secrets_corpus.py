"""Synthetic secrets in every format the redactor knows, and ordinary lines it must leave alone.

Each secret is put together when this module is imported, from a telling prefix split in two and
characters drawn from a seeded generator, so that no file of the repository holds a literal secret.
"""

from __future__ import annotations

import json
import string
from base64 import b64encode
from collections.abc import Callable, Iterator

from secret_drawing import ALNUM, BASE64, HEX, UPPER, URLSAFE, Sample, bare, draw, json_part, within
from secret_forms import further


def _vendors() -> Iterator[Sample]:
    id = "-".join(draw(HEX, length) for length in (8, 4, 4, 4, 12))
    yield bare("memoranda key", "me", "mk_north-2.", id, ".", draw(URLSAFE, 43))
    yield bare("memoranda owner", "me", "ml_", draw(URLSAFE, 43))
    yield bare("aws access key id", "AK", "IA", draw(UPPER, 16))
    yield bare("aws temporary key id", "AS", "IA", draw(UPPER, 16))
    pair = "AK" + "IA" + draw(UPPER, 16)
    yield within("aws key pair", f"{pair},", draw(BASE64, 40), vendor=True)
    yield bare("aws session", "IQoJb3Jp", "Z2lu", draw(BASE64, 200))
    for letter in "pousr":
        yield bare(f"github gh{letter}", f"gh{letter}", "_", draw(ALNUM, 36))
    yield bare("github fine-grained", "github", "_pat_", draw(ALNUM, 22), "_", draw(ALNUM, 59))
    yield bare("gitlab personal", "gl", "pat-", draw(URLSAFE, 20))
    yield bare("gitlab runner", "gl", "rt-", draw(URLSAFE, 20))
    yield bare("backblaze", "K0", "03", draw(ALNUM, 27))
    yield bare("anthropic", "sk-", "ant-api03-", draw(URLSAFE, 93), "AA")
    yield bare("openai classic", "s", "k-", draw(ALNUM, 48))
    yield bare("openai project", "sk-", "proj-", draw(URLSAFE, 150))
    yield bare("openai service", "sk-", "svcacct-", draw(URLSAFE, 150))
    yield bare("openrouter", "sk-", "or-v1-", draw(HEX, 64))
    yield bare("google api", "AI", "za", draw(URLSAFE, 35))
    yield bare("google oauth", "ya", "29.", draw(URLSAFE, 120))
    yield bare("google client", "GOC", "SPX-", draw(URLSAFE, 28))
    yield bare(
        "slack bot",
        "xo",
        "xb-",
        draw("23456789", 12),
        "-",
        draw("23456789", 13),
        "-",
        draw(ALNUM, 24),
    )
    yield bare("slack user", "xo", "xp-", draw("23456789", 12), "-", draw(HEX, 32))
    yield bare(
        "slack app", "xa", "pp-1-A", draw(UPPER, 10), "-", draw("23456789", 13), "-", draw(HEX, 64)
    )
    yield within(
        "slack webhook",
        "https://hooks.sla" + "ck.com/services/",
        f"T{draw(UPPER, 9)}/B{draw(UPPER, 9)}/{draw(ALNUM, 24)}",
        vendor=True,
    )
    yield bare("stripe live", "sk", "_live_", draw(ALNUM, 24))
    yield bare("stripe test", "sk", "_test_", draw(ALNUM, 24))
    yield bare("stripe restricted", "rk", "_live_", draw(ALNUM, 24))
    yield bare("stripe webhook", "wh", "sec_", draw(ALNUM, 32))
    yield bare("twilio key", "S", "K", draw(HEX, 32))
    yield within("twilio account", "A" + "C" + draw(HEX, 32) + ":", draw(HEX, 32), vendor=True)
    yield bare("sendgrid", "S", "G.", draw(URLSAFE, 22), ".", draw(URLSAFE, 43))
    yield bare("mailgun", "ke", "y-", draw(HEX, 32))
    yield bare("mailchimp", draw(HEX, 32), "-u", "s14")
    yield bare("brevo", "xkey", "sib-", draw(HEX, 64), "-", draw(ALNUM, 16))
    yield bare("npm", "np", "m_", draw(ALNUM, 36))
    yield bare("pypi", "pypi-", "AgEIcHlwaS5vcmc", draw(URLSAFE, 150))
    yield bare("rubygems", "ruby", "gems_", draw(HEX, 48))
    yield bare("crates", "ci", "o", draw(ALNUM, 32))
    yield bare("docker", "dckr", "_pat_", draw(URLSAFE, 27))
    yield bare("hugging face", "h", "f_", draw(ALNUM, 34))
    yield bare("digitalocean", "do", "p_v1_", draw(HEX, 64))
    yield bare("shopify", "shp", "at_", draw(HEX, 32))
    yield bare("databricks", "da", "pi", draw(HEX, 32))
    yield bare("vault service", "hv", "s.", draw(URLSAFE, 90))
    yield bare("vault batch", "hv", "b.", draw(URLSAFE, 138))
    yield bare("telegram bot", draw("23456789", 9), ":A", "A", draw(URLSAFE, 33))
    yield bare(
        "discord bot", "MT", "A", draw(ALNUM, 21), ".", draw(URLSAFE, 6), ".", draw(URLSAFE, 38)
    )
    yield within(
        "discord webhook",
        "https://dis" + "cord.com/api/webhooks/",
        f"112233445566778899/{draw(URLSAFE, 68)}",
        vendor=True,
    )
    yield within(
        "azure storage",
        "AccountName=store;Account" + "Key=",
        draw(BASE64, 86) + "==",
        ";EndpointSuffix=core.windows.net",
        vendor=True,
    )
    yield within(
        "azure signature",
        "https://store.blob.core.windows.net/c?sv=2022-11-02&s" + "ig=",
        draw(ALNUM, 40) + "%3D",
        "&se=2030",
        vendor=True,
    )
    yield bare("azure client", draw(ALNUM, 3), "8", "Q~", draw(ALNUM, 34))
    yield bare("heroku", "HR", "KU-", draw(URLSAFE, 60))
    yield bare("linear", "lin", "_api_", draw(ALNUM, 40))
    yield bare("notion old", "sec", "ret_", draw(ALNUM, 43))
    yield bare("notion new", "nt", "n_", draw(ALNUM, 46))
    yield bare("figma", "fi", "gd_", draw(URLSAFE, 40))
    yield bare("supabase", "sb", "p_", draw(HEX, 40))
    yield bare("cloudflare origin", "v1", ".0-", draw(HEX, 24), "-", draw(HEX, 146))
    yield bare("fly", "fo", "1_", draw(URLSAFE, 43))
    yield bare("doppler", "dp", ".pt.", draw(ALNUM, 43))
    yield bare("age", "AGE-", "SECRET-KEY-1", draw("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58))
    yield bare("new relic", "NR", "AK-", draw(UPPER, 27))
    yield bare("sentry", "sntr", "ys_", draw(ALNUM, 100), "=_", draw(ALNUM, 43))
    yield within(
        "sentry dsn", "https://", draw(HEX, 32), "@o123.ingest.sentry.io/4501", vendor=True
    )
    yield bare("grafana", "gl", "sa_", draw(ALNUM, 32), "_", draw(HEX, 8))
    yield bare("terraform", draw(ALNUM, 14), ".atlas", "v1.", draw(URLSAFE, 67))
    yield bare("pulumi", "pu", "l-", draw(HEX, 40))
    yield bare("replicate", "r", "8_", draw(ALNUM, 37))
    yield bare("groq", "gs", "k_", draw(ALNUM, 52))
    yield bare("perplexity", "pp", "lx-", draw(ALNUM, 48))
    yield bare("xai", "xa", "i-", draw(ALNUM, 80))
    yield bare("nvidia", "nv", "api-", draw(URLSAFE, 64))
    yield bare("langsmith", "ls", "v2_pt_", draw(HEX, 32), "_", draw(HEX, 10))
    yield bare("dropbox", "s", "l.", draw(URLSAFE, 135))
    yield within("okta", "SS" + "WS ", "00" + draw(URLSAFE, 40), vendor=True)
    yield bare("artifactory", "AK", "Cp", draw(ALNUM, 69))
    yield bare("square access", "sq", "0atp-", draw(URLSAFE, 22))
    yield bare("square production", "EA", "AA", draw(URLSAFE, 60))
    yield bare("planetscale", "psc", "ale_tkn_", draw(URLSAFE, 43))
    yield bare("postman", "PM", "AK-", draw(HEX, 24), "-", draw(HEX, 34))
    yield bare("airtable", "pa", "t", draw(ALNUM, 14), ".", draw(HEX, 64))
    yield bare("atlassian", "ATA", "TT3xFfGF0", draw(URLSAFE, 180))
    yield bare("alibaba", "LT", "AI", draw(ALNUM, 20))
    yield bare("dynatrace", "dt0", "c01.", draw(UPPER, 24), ".", draw(UPPER, 64))
    yield bare("netlify", "nf", "p_", draw(ALNUM, 36))
    yield bare("tailscale", "ts", "key-auth-", draw(ALNUM, 17), "-", draw(ALNUM, 32))
    yield bare("aws bedrock", "AB", "SK", draw(ALNUM, 110))
    yield bare("nuget", "oy", "2", draw(string.ascii_lowercase + "234567", 43))
    yield bare("supabase new", "sb", "_secret_", draw(URLSAFE, 31))
    yield bare("cloudflare new", "cf", "ut_", draw(ALNUM, 48))
    yield bare("new relic license", draw(HEX, 36), "NR", "AL")
    yield bare("grafana old", "eyJr", "Ijoi", draw(ALNUM, 70), "==")
    yield bare("pinecone", "pc", "sk_", draw(ALNUM, 60))
    yield bare("cerebras", "cs", "k-", draw(string.ascii_lowercase + string.digits, 48))
    yield bare("tavily", "tv", "ly-dev-", draw(ALNUM, 32))
    yield bare("elevenlabs", "s", "k_", draw(HEX, 48))
    yield bare("artifactory reference", "cmVm", "dGtu", draw(ALNUM, 56))
    yield bare("facebook", "EA", "AC", draw(ALNUM, 160))
    yield bare("bitbucket", "AT", "BB", draw(ALNUM, 32))
    yield bare("tencent", "AK", "ID", draw(ALNUM, 32))
    yield bare("contentful", "CF", "PAT-", draw(URLSAFE, 43))
    yield bare("sonar", "sq", "u_", draw(HEX, 40))
    yield bare("circleci", "CCI", "PAT_", draw(ALNUM, 22), "_", draw(HEX, 40))
    yield bare("buildkite", "bk", "ua_", draw(HEX, 40))
    yield bare("sourcegraph", "sg", "p_", draw(HEX, 16), "_", draw(HEX, 40))
    yield bare("posthog", "ph", "x_", draw(ALNUM, 43))
    yield bare("resend", "r", "e_", draw(ALNUM, 8), "_", draw(ALNUM, 24))
    yield bare("typeform", "tf", "p_", draw(URLSAFE, 59))
    yield bare("shippo", "ship", "po_live_", draw(HEX, 40))
    yield bare("prefect", "pn", "u_", draw(ALNUM, 36))
    yield bare("onepassword", "ops", "_ey", "J", draw(ALNUM, 200))


def _pem(kind: str, newline: str = "\n") -> Sample:
    lines = [draw(BASE64, 64) for _ in range(6)]
    head, tail = f"-----BEG{'IN'} {kind}-----", f"-----E{'ND'} {kind}-----"
    return Sample(kind.lower(), newline.join([head, *lines, tail]), "\n".join(lines), vendor=False)


def _structures() -> Iterator[Sample]:
    jwt = ".".join(
        (
            json_part('{"alg":"HS256","typ":"JWT"}'),
            json_part('{"sub":"1234567890","name":"A"}'),
            draw(URLSAFE, 43),
        )
    )
    yield Sample("jwt", jwt, jwt, vendor=False, in_query=True)
    yield _pem("RSA PRIV" + "ATE KEY")
    yield _pem("EC PRIV" + "ATE KEY")
    yield _pem("OPENSSH PRIV" + "ATE KEY")
    yield _pem("PGP PRIV" + "ATE KEY BLOCK")
    escaped = _pem("PRIV" + "ATE KEY", "\\n")
    yield Sample(
        "gcp service account", f'"private_key": "{escaped.text}\\n"', escaped.secret, False
    )
    unclosed = _pem("DSA PRIV" + "ATE KEY")
    yield Sample("unclosed pem", unclosed.text.rpartition("\n")[0], unclosed.secret, vendor=False)
    yield Sample(
        "base64 pem",
        b64encode(unclosed.text.encode()).decode(),
        b64encode(unclosed.text.encode()).decode(),
        vendor=False,
    )

    putty = "\n".join([draw(BASE64, 64), draw(BASE64, 64), draw(BASE64, 30)])
    yield within("putty", "Private" + "-Lines: 3\n", putty, "\nPrivate-MAC: 0")

    yield within("bearer header", "Authorization: Bearer ", draw(URLSAFE, 40))
    yield within(
        "basic header",
        "Authorization: Basic ",
        b64encode(f"admin:{draw(ALNUM, 14)}".encode()).decode(),
    )
    yield within("token header", "Authorization: Token ", draw(HEX, 40))
    yield within(
        "digest header",
        'Authorization: Digest username="bob", realm="x", response="',
        draw(HEX, 32),
        '"',
    )
    yield within(
        "curl bearer",
        'curl -H "Authorization: Bearer ',
        draw(ALNUM, 32),
        '" https://api.example.com/v1',
    )
    yield within("bearer alone", "Bearer ", draw(ALNUM, 40))
    yield within("api key header", "X-Api-Key: ", draw(ALNUM, 32))
    yield within("auth token header", "X-Auth-Token: ", draw(HEX, 32))
    yield within("cookie", "Cookie: theme=dark; sid=", draw(ALNUM, 32))
    yield within("curl cookie", "curl -b 'sid=", draw(ALNUM, 32), "' https://example.com")
    yield within("set-cookie", "Set-Cookie: connect=s%3A", draw(ALNUM, 40), "; Path=/; HttpOnly")

    yield within("postgres url", "postgresql://app:", draw(ALNUM, 18), "@db.internal:5432/app")
    yield within(
        "postgres url with slash", "postgres://app:ab/", draw(ALNUM, 18), "@db.internal/app"
    )
    yield within("mysql url", "mysql+pymysql://root:", "pa@" + draw(ALNUM, 16), "@127.0.0.1:3306/x")
    yield within("redis url", "redis://:", draw(ALNUM, 24), "@cache:6379/0")
    yield within(
        "mongodb url", "mongodb+srv://app:", draw(ALNUM, 16), "@cluster0.abcde.mongodb.net/db"
    )
    yield within("amqp url", "amqp://guest:", draw(ALNUM, 16), "@mq:5672/")
    yield within("oracle url", "jdbc:oracle:thin:app/", draw(ALNUM, 16), "@db:1521:x")
    yield within("web url", "https://deploy:", draw(ALNUM, 20), "@git.example.com/x.git")
    yield within(
        "ado string",
        "Server=tcp:x,1433;User ID=sa;Pass" + "word=",
        draw(ALNUM, 16),
        ";Encrypt=true",
    )
    yield within("odbc string", "Driver={x};UID=sa;P" + "wd=", draw(ALNUM, 16), ";")
    yield within(
        "jdbc url", "jdbc:postgresql://h/db?user=a&pass" + "word=", draw(ALNUM, 16), "&ssl=true"
    )

    yield within("env password", "DB_PASS" + "WORD=", "a,b;" + draw(ALNUM, 16))
    yield within("aws secret by name", "AWS_SECRET_ACCESS" + "_KEY=", draw(BASE64, 40))
    yield within("aws credentials file", "aws_secret_access" + "_key = ", draw(BASE64, 40))
    yield within("twilio by name", "TWILIO_AUTH_TO" + "KEN=", draw(HEX, 32))
    yield within("cloudflare by name", "CLOUDFLARE_API_TO" + "KEN=", draw(URLSAFE, 40))
    yield within(
        "heroku by name", "HEROKU_API" + "_KEY=", "12345678-abcd-4bcd-8bcd-" + draw(HEX, 12)
    )
    yield within("datadog by name", "DD_API" + "_KEY: ", draw(HEX, 32))
    yield within("camel case", "stripeApi" + 'Key: "', draw(ALNUM, 24), '"')
    yield within("byte string", "secret_to" + 'ken = b"', draw(ALNUM, 20), '"')
    yield within("name and value", '{"name":"DB_PASS' + 'WORD","value":"', "swordfish", '"}')
    yield within("yaml word", "db:\n  pass" + "word: ", "swordfish", "\n  host: x")
    yield within("password is", "my pass" + "word is ", "Tr0ub4dor&" + draw(ALNUM, 4))
    yield within("docker env", "ENV API" + "_KEY ", draw(ALNUM, 20))
    yield within("fish set", "set -x API_TO" + "KEN ", draw(ALNUM, 20))
    yield within("python auth", 'get(url, auth=("bob", "', draw(ALNUM, 14), '"))')
    yield within("quoted password", "pass" + 'word = "', "correct horse " + draw(ALNUM, 10), '"')
    yield within("single quotes", "pass" + "wd: '", "Tr0ub4dor&" + draw(ALNUM, 6), "'")
    yield within("password with quote", "pass" + 'word: "', 'ab\\"cd' + draw(ALNUM, 12), '"')
    yield within("annotated", "api_to" + 'ken: str = "', draw(ALNUM, 24), '"')
    yield within("python dict", "{'user': 'bob', 'pass" + "word': '", draw(ALNUM, 14), "'}")
    yield within("json member", '{"client_sec' + 'ret": "', draw(URLSAFE, 32), '"}')
    yield within("php define", "define( 'DB_PASS" + "WORD', '", draw(ALNUM, 16), "' );")
    yield within("encryption key", "ENCRYPTION" + "_KEY=", draw(HEX, 64))
    yield within("laravel key", "APP" + "_KEY=base64:", draw(BASE64, 43) + "=")
    yield within("session cookie by name", "session" + "_id: ", draw(ALNUM, 32))
    yield within("kubernetes env", "- name: API_TO" + "KEN\n  value: ", draw(ALNUM, 30))
    yield within("html field", '<input name="csrf_to' + 'ken" value="', draw(ALNUM, 32), '">')
    yield within("npmrc", "//registry.example.com/:_auth" + "Token=", draw(HEX, 36))
    yield within("maven settings", "<pass" + "word>", draw(ALNUM, 14), "</password>")
    yield within("sql", "ALTER ROLE app WITH PASS" + "WORD '", draw(ALNUM, 14), "';")
    yield within("mysql grant", "CREATE USER a IDENTIFIED" + " BY '", draw(ALNUM, 14), "';")
    yield within("redis conf", "require" + "pass ", draw(ALNUM, 20))
    yield within("wireguard", "Private" + "Key = ", draw(BASE64, 42) + "k=")
    yield within("dockerfile arg", "ARG NPM_TO" + "KEN=", draw(ALNUM, 32))
    yield within(
        "crypt hash", "root:$6", "$abcdefgh$" + draw(ALNUM + "./", 86), ":19000:0:99999:7:::"
    )

    yield within("netrc", "machine api.example.com login bob pass" + "word ", draw(ALNUM, 14))
    yield within("netrc in lines", "machine h\n  login bob\n  pass" + "word ", draw(ALNUM, 14))
    yield within("pgpass", "db.internal:54" + "32:app:bob:", draw(ALNUM, 14))
    yield within("mysql flag", "mysql -u root -p", draw(ALNUM, 12), " shop")
    yield within("password flag", "tool login --pass" + "word ", draw(ALNUM, 14))
    yield within("password flag equals", "tool --pass" + "word=", draw(ALNUM, 14), " run")
    yield within("token flag", "tool deploy --to" + "ken ", draw(ALNUM, 20))
    yield within("api key flag", "tool --api" + "-key '", draw(ALNUM, 20), "'")
    yield within("curl user", "curl -sS -u bob:", draw(ALNUM, 14), " https://example.com")
    yield within("sshpass", "sshpass -p ", draw(ALNUM, 14), " ssh host")
    yield within(
        "docker login", "docker login -u bob -p ", draw(ALNUM, 20), " registry.example.com"
    )
    yield within("openssl", "openssl rsa -passin pa" + "ss:", draw(ALNUM, 14), " -in k.pem")
    yield within("prose", "the API key is ", draw(ALNUM, 32))
    yield Sample("card", "4111 1111 1111 " + "1111", "4111 1111 1111 1111", vendor=False)
    yield Sample("card without spaces", "55555555" + "55554444", "5555555555554444", vendor=False)


SAMPLES: tuple[Sample, ...] = (*_vendors(), *_structures(), *further())
SAMPLES_OF_KINDS = [
    one for one in SAMPLES if one.name in {"gitlab personal", "unclosed pem", "jdbc url", "prose"}
]
"""A key of a vendor, a private key, a password in an address, and one in a sentence."""

WRAPPINGS: dict[str, Callable[[Sample], str | None]] = {
    "bare": lambda s: s.text,
    "prose": lambda s: f"I ran it again and the log said {s.text} before it stopped working",
    "json member": lambda s: json.dumps({"command": "x", "output": s.text, "code": 0}),
    "json in json": lambda s: json.dumps(json.dumps({"output": s.text})),
    "json three deep": lambda s: json.dumps({"a": json.dumps({"b": json.dumps([s.text])})}),
    "export": lambda s: f"export MY_SETTING={s.text}\necho done",
    "export quoted": lambda s: f'export MY_SETTING="{s.text}"\necho done',
    "yaml": lambda s: f"config:\n  setting: {s.text}\n  other: 1\n",
    "colour": lambda s: f"\x1b[31m{s.text}\x1b[0m plain",
    "escaped colour": lambda s: f"\\u001b[1;31m{s.text}\\u001b[0m plain",
    "after escaped newline": lambda s: f"first\\n{s.text}\\nlast",
    "query": lambda s: f"https://x.example/cb?a=1&v={s.text}&z=2" if s.in_query else None,
    "diff line": lambda s: f"@@ -1 +1 @@\n-old\n+{s.text}\n",
    "numbered line": lambda s: "\n".join(
        f"{i:6}→{line}" for i, line in enumerate(s.text.split("\n"), 41)
    ),
}
"""Ways in which a secret reaches the redactor, by name; None where one makes no sense."""


def remains(secret: str, output: str) -> bool:
    """Tell whether any 12 characters of a secret, or all of a shorter one, are in the output."""
    for line in secret.split("\n"):
        for form in {line, json.dumps(line)[1:-1]}:
            size = min(12, len(form))
            if any(form[i : i + size] in output for i in range(len(form) - size + 1)):
                return True
    return False


BENIGN: tuple[str, ...] = (
    "commit 3f786850e387550fdab836ed7e6dc881de23001b (HEAD -> main)",
    "request 550e8400-e29b-41d4-a716-446655440000 took 12 ms",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  dist/app.tar.gz",
    '      "integrity": "sha512-Qn0Q4Zt8v1mQfWm1b0n2h0fW4cQb7m1hC0vJv1lYyqQ2bX5eYq8Zb0kY==",',
    "reset your password in settings",
    "router.post('/reset-password/:to" + "ken', resetPassword)",
    "https://github.com/acme/reset/blob/3f786850e387550fdab836ed7e6dc881de23001b/README.md",
    "https://app.acme.io/invite/how-to-invite-a-colleague-to-a-project",
    "<key>CFBundleIdentifier</key>\n<string>com.acme.shop</string>",
    "data: V2hvIG93bnMgdGhlIHBhc3N3b3JkIHBhZ2UgYW5kIGl0cyB0ZXN0cz8K",
    "class pa-grid-column-auto-fit-content-large-screen-only",
    "Password: must contain at least 8 characters",
    "pub struct Login { token: Option<String>, secret: Vec<u8>, password: &str }",
    "func New(token *oauth2.Token, auth: *http.Auth) error {",
    "the password is hashed before it is stored",
    "Password: incorrect",
    "interface Login {\n  user: string;\n  password: string;\n}",
    "Login{\n    user: name,\n    password: newPassword,\n}",
    '["DB_PASSWORD", "DB_HOST", "API_KEY", "SECRET_KEY"]',
    "def get_token(self) -> str:",
    "token = tokenizer.next()",
    "        token = self._tokens[0]",
    'api_key = os.environ["API_KEY"]',
    'api_key = os.environ.get("API_KEY")',
    "const apiKey = process.env.API_KEY;",
    "API_KEY=${API_KEY}",
    "API_KEY=$API_KEY docker compose up",
    "password: ${{ secrets.DB_PASSWORD }}",
    "    password: str",
    "    password: Optional[str] = None,",
    "def login(user: str, password: str, token: str | None = None) -> Session:",
    "secret_name: my-app-tls",
    "secretName: my-app-tls",
    "Authorization: Bearer <your-token-here>",
    "Authorization: Bearer $TOKEN",
    "export TOKEN=<your-token-here>",
    "password=xxxx",
    "password: ********",
    'token: "..."',
    "max_tokens=4096",
    '{"max_tokens": 4096, "input_tokens": 1200, "token_count": 17}',
    '{"usage": {"cache_read_input_tokens": 120000}, "next_page_token": "abc123def456"}',
    '{"type": "token", "token": "IDENTIFIER", "value": "foo"}',
    "key: value",
    'primary_key = "id"',
    'cache_key: "user:42:profile"',
    "foreign_key: accounts.id",
    "public_key_file: /etc/app/keys/public.pem",
    "![x](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==)",
    "https://host/path?page=2&sort=name",
    "http://localhost:8080/users/@me",
    "git clone git@github.com:org/repo.git",
    "ssh://git@example.com:2222/org/repo.git",
    "http://registry:4873/@scope/package",
    "import secrets, token, tokenize",
    "from app.auth import password_hasher, TokenError",
    "Authorization header missing",
    "error: 401 Unauthorized: bearer token required",
    "tool run --token-count 5 --no-auth --password-file /run/secrets/db",
    "use the --password option to set it",
    "contact: alice@example.com, bob.smith@mail.example.org",
    "Author: Alice <alice@example.com>",
    "authors = ['A', 'B']",
    "tests/test_auth.py::test_password_is_hashed PASSED",
    "PASS: 34, FAIL: 0",
    "# pass 34",
    "pass",
    "if password == confirm_password:",
    "connect(user=user, password=password)",
    "connect(user=cfg.user, password=cfg.password, token=self.token)",
    "passwordInput.value = form.password",
    "PWD=/home/alice/project",
    "OLDPWD=/home/alice",
    "SSH_AUTH_SOCK=/tmp/ssh-XXXXabcd12/agent.4711",
    "GPG_KEY=E3FF2839C048B25C084DEBE9B26995E310250568",
    "AWS_WEB_IDENTITY_TOKEN_FILE=/var/run/secrets/eks/serviceaccount/to" + "ken",
    '{"session_id": "550e8400-e29b-41d4-a716-446655440000", "cwd": "/srv/app"}',
    '"token_endpoint_auth_method": "client_secret_basic", "id_token_alg": "RS256"',
    '<label for="password">Password:</label>',
    '<input type="password" name="password" autocomplete="off">',
    "SECRET_KEY = get_secret('django')",
    "token: Token = self.lexer.read()",
    "let token: string;",
    "token_url: https://auth.example.com/oauth2/token",
    '"tokenizer_class": "GPT2Tokenizer", "eos_token": "</s>", "pad_token_id": 0',
    "Bearer authentication is configured",
    "mysql -u root -p shop < dump.sql",
    "docker run -p 8080:80 -e TZ=UTC nginx",
    "curl -u https://example.com/file -o out",
    "2024-05-01T12:00:00.123456Z INFO auth: user 4711 logged in, session started",
    "1714564800000 1714564800123456 1714564800123456789",
    "0.4111111111111111",
    "task-abcdefghijklmnopqrstuvwx risk-assessment-of-the-whole-thing",
    "    at Object.<anonymous> (/srv/app/node_modules/token-types/lib/index.js:10:19)",
    "if (line.startsWith('-----BEGIN PRIV" + "ATE KEY-----')) { parse(line) }",
    "see the Cookie policy: https://example.com/cookies",
    "cookie: CookieJar = CookieJar()",
    "secrets:\n  - db_password\n  - api_key",
    "env:\n  - name: API_TOKEN\n    valueFrom:\n      secretKeyRef:\n        key: token",
    "auth:\n  type: basic\n  enabled: true",
    "drwxr-xr-x 2 root root 4096 May  1 12:00 secrets",
    "[redacted:github:0a1b2c3d] was here, [redacted:assignment:deadbeef])more",
)
"""Ordinary lines of code, settings, logs and prose; nothing in them is a secret."""
