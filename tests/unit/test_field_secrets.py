"""Secrets whose name and value are separate fields, cells or lines."""

from __future__ import annotations

from memoranda.capture.redaction.redactor import Redactor
from tables import each

REDACTOR = Redactor(b"key of these tests")
SECRET = "mQ7vRt2xLs9"

LEAKS = (
    '{"Parameter": {"Name": "/live/api/password", "Type": "SecureString", "Value": "%s"}}',
    '{\n  "Name": "/live/api/url",\n  "Type": "SecureString",\n  "Value": "%s",\n  "Version": 3\n}',
    '{"Value": "%s", "Type": "SecureString", "Name": "/live/api/url"}',
    '{"environment": [{"value": "%s", "name": "SMTP_PASSWORD"}]}',
    '{"environment": [{"name": "SMTP_PASSWORD", "value": "%s"}]}',
    '{"ParameterKey": "AdminPassword", "UsePreviousValue": false, "ParameterValue": "%s"}',
    '{"OutputKey": "AdminPassword", "OutputValue": "%s"}',
    "env:\n  - value: %s\n    name: SMTP_PASSWORD\n",
    " login | passwd\n-------+--------\n ada   | %s\n(1 row)",
    "+----+--------+-------------+\n| id | login  | passwd      |\n+----+--------+-------------+\n"
    "|  7 | ada    | %s |\n+----+--------+-------------+",
    "\u2502 SMTP_PASSWORD \u2502 %s \u2502",
    "-[ RECORD 1 ]--\nlogin  | ada\npasswd | %s",
    "id,login,passwd\n7,ada,%s\n",
    'id;login;"passwd"\n7;ada;"%s"\n',
    "id\tlogin\tpasswd\n7\tada\t%s\n",
    "| Login | Password |\n|---|---|\n| ada | `%s` |",
    "SMTP_PASSWORD     %s\n",
    "database:\n  passwd:\n    %s\n",
    '{"passwd":\n    "%s"}',
    "INSERT INTO accounts (login, passwd, note) VALUES ('eve', 'x', ''), ('ada', '%s', 'it''s');",
    "COPY public.accounts (login, passwd) FROM stdin;\nada\t%s\n\\.\n",
    "const url = process.env.SMTP_PASSWORD || '%s'",
    'ENV["SMTP_PASSWORD"] || "%s"',
    "password: ${SMTP_PASSWORD:-%s}",
    "&quot;passwd&quot;:&quot;%s&quot;",
    "&lt;password&gt;%s&lt;/password&gt;",
    '["passwd"]=>\n  string(11) "%s"',
    ".example.org\tTRUE\t/\tTRUE\t1900000000\tsid\t%s8Zk3Wn5Bd1",
)
LABELLED = (
    ("aws_secret_access_key {}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY9zQ8yRk7Wv"),
    ("use aws_secret_access_key {} for the bucket", "wJalrXUtnFE/K7MDENGx/bPxRfiCY9/Q8yRk7Wvq"),
    ("aws secret {} key AKIAQ7RVT2XLS9KDWM4P", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY9zQ8yRk7Wv"),
    ("my_api_key {}", "mQ7vRt2xLs9Kd4Wb8Zn3"),
    ("sudo password: {}", "correcthorse"),
    ("Here is the root password: {}\nThen restart it", "swordfish9"),
    ("login: bob / pass: {}", "swordfish"),
    ("user: ada@example.org | password: {} (staging)", "correcthorse"),
)
UNLABELLED = (
    "the password: field is empty",
    "secret_access_key is read from Vault",
    "aws_secret_access_key comes from the environment_of_the_runner",
    "the_session_token refreshAccessTokenWhenExpired is called",
    "next_page_token eyJvZmZzZXQiOjIwMH0abcdefg",
    "cache_key 9f8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c",
    "pass: the test passes",
    "login: works / pass: 12 of 14",
    "login: required / pass: required",
    "admin password: required",
    "the user password: must be changed",
)
PLAIN = (
    '"@types/jsonwebtoken": "^9.0.6"',
    '"@octokit/auth-token": "^5.1.1", "@inquirer/password": "4.0.12"',
    '"auth-token": "workspace:*"',
    "next_page_token=eyJvZmZzZXQiOjIwMH0",
    "continuation_token: 1!112!QUJDREVG",
    '{"name": "PASSWORD_MIN_LENGTH", "type": "number", "value": "12"}',
    '{"name": "password", "type": "string", "required": true}',
    "| Option | Password |\n|---|---|\n| required | yes |",
    "| API_TOKEN | The token of the service | required |",
    "type Login struct {\n\tPassword\tstring\n\tUsername\tstring\n}",
    "if not password:\n    return retry(login)\n",
    "password:\n  minLength: 8\n  pattern: letters\n",
    "INSERT INTO logs (id, token_count) VALUES (7, 4096);",
    "this.errors.password || 'The password is missing'",
    "login,password,role = row\nuser,attempt,state = other",
)


@each("text", LEAKS)
def test_a_secret_apart_from_its_name_is_removed(text: str) -> None:
    whole = text % SECRET
    redacted, counts = REDACTOR.text(whole)
    assert SECRET not in redacted
    assert counts.total() == 1, redacted
    assert REDACTOR.text(redacted)[0] == redacted


@each("text", PLAIN)
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert REDACTOR.text(text)[0] == text


def test_the_name_of_the_next_member_is_no_value() -> None:
    whole = '{"Name": "SMTP_PASSWORD", "Type": "SecureString", "Value": "mQ7vRt2xLs9"}'
    redacted = REDACTOR.text(whole)[0]
    assert redacted.startswith('{"Name": "SMTP_PASSWORD", "Type": "SecureString", "Value": "[red')


def test_fields_of_structured_values() -> None:
    value = {"parameters": [{"ParameterKey": "AdminPassword", "ParameterValue": SECRET}]}
    assert SECRET not in str(REDACTOR.value(value).value)
    value = {"element": "Password field", "text": SECRET}
    assert SECRET not in str(REDACTOR.value(value).value)


@each(("text", "secret"), LABELLED)
def test_a_secret_beside_its_label_is_removed(text: str, secret: str) -> None:
    assert secret not in REDACTOR.text(text.format(secret))[0]


@each("text", UNLABELLED)
def test_a_label_without_a_secret_stays(text: str) -> None:
    assert REDACTOR.text(text)[0] == text
