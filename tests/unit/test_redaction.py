from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from memoranda.capture.redaction.redactor import Redactor, _regex
from memoranda.capture.redaction.rule_list import RULES
from memoranda.capture.redaction.secret_checks import luhn
from memoranda.capture.redaction.secret_names import NameStrength, strength
from memoranda.json_data import JsonValue
from secrets_corpus import BENIGN, SAMPLES, WRAPPINGS, remains
from secrets_public import PUBLIC
from tables import each

KEY = b"0123456789abcdef0123456789abcdef"
REDACTOR = Redactor(KEY)
PLACEHOLDER = re.compile(r"\[redacted:[a-z0-9-]+:[0-9a-f]{8}\]")
GITHUB = next(sample.secret for sample in SAMPLES if sample.name == "github ghp")
PEM = next(sample for sample in SAMPLES if sample.text.startswith("-----BEGIN RSA"))

HOSTILE = (
    *("a", "eyJ", "password=a1 ", "token=${", 'token="x ', 'token=\\"x ', "://a:", "\\"),
    *("curl -u ", "cookie: a=b ", '"token",', "login x password y ", "4111111111111111 "),
    *("-----BEGIN RSA PRIV" + "ATE KEY-----\nMIIEpAIBAAKCAQEA", "password=[redacted:x:0a1b2c3d]"),
)


def strings_in(value: JsonValue) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(text for item in value.values() for text in strings_in(item))]
    if isinstance(value, list):
        return [text for item in value for text in strings_in(item)]
    return [value] if isinstance(value, str) else []


def shape(value: JsonValue) -> object:
    if isinstance(value, dict):
        return [shape(item) for item in value.values()]
    if isinstance(value, list):
        return [shape(item) for item in value], "list"
    if isinstance(value, bool) or value is None:
        return value
    return "scalar"  # a number under a name such as password becomes a placeholder


def placeholders(value: JsonValue) -> int:
    return sum(len(PLACEHOLDER.findall(text)) for text in strings_in(value))


def test_a_number_under_a_strong_name_is_a_secret_and_a_flag_is_none() -> None:
    redacted = REDACTOR.value({"password": 12345678, "has_password": True, "max_tokens": 4096})
    assert isinstance(redacted.value, dict)
    assert PLACEHOLDER.fullmatch(str(redacted.value["password"]))
    assert redacted.value["has_password"] is True
    assert redacted.value["max_tokens"] == 4096


def test_what_only_encodes_bytes_stays_whole_whatever_it_looks_like() -> None:
    google, openai = "/AI" + "za" + "aB3d5" * 7 + "/", "-sk-" + "Ab3d" * 12
    assert REDACTOR.text(google)[1]
    assert REDACTOR.text(openai)[1]
    picture = "iVBORw0KGgo" + "Ab3/" * 60 + google + "Qx+7" * 90 + "=="
    for whole in (picture, f"data:image/png;base64,{picture}", "gAAAAAB" + "x-Y4" * 30 + openai):
        assert REDACTOR.value({"data": [whole]}).value == {"data": [whole]}
    # words around it, a key at its beginning, one that is encoded, a pattern of the user's own
    key = b64encode(PEM.text.encode()).decode()
    for text in (f"see {picture}", google[1:-1] + "A" * 300, "A" * 300 + key):
        assert REDACTOR.value([text]).value != [text]
    assert Redactor(KEY, ["Qx.7Qx"]).value([picture]).value != [picture]
    token = REDACTOR.value({"password": picture}).value
    assert isinstance(token, dict)
    assert PLACEHOLDER.fullmatch(str(token["password"]))


class TestSecretsInText:
    def test_the_corpus_covers_sixty_formats_and_every_rule(self) -> None:
        assert sum(sample.vendor for sample in SAMPLES) >= 60
        assert sum(not sample.vendor for sample in SAMPLES) >= 40
        every = (*SAMPLES, *PUBLIC)
        found = {name for sample in every for name in REDACTOR.text(sample.text)[1]}
        assert {rule.name for rule in RULES} - found == set()

    @each("wrapping", WRAPPINGS)
    def test_nothing_of_any_secret_remains_and_a_second_time_changes_nothing(
        self, wrapping: str
    ) -> None:
        left = []
        for sample in (*SAMPLES, *PUBLIC):
            text = WRAPPINGS[wrapping](sample)
            once = REDACTOR.text(text or "")[0]
            if text is not None and remains(sample.secret, once):
                left.append(sample.name)
            assert REDACTOR.text(once) == (once, {})
        assert left == []

    @each("line", BENIGN)
    def test_ordinary_lines_come_back_as_the_same_object(self, line: str) -> None:
        for text in (line, json.dumps({"out": line}), json.dumps(json.dumps([line]))):
            redacted, counts = REDACTOR.text(text)
            assert redacted is text, redacted
            assert not counts

    def test_what_surrounds_a_secret_stays(self) -> None:
        text = f"curl -H 'Authorization: Bearer {GITHUB}' https://api.example.com # {GITHUB}!"
        redacted, counts = REDACTOR.text(text)
        mark = PLACEHOLDER.findall(redacted)[0]
        assert redacted == text.replace(GITHUB, mark)
        assert counts == {"github": 2}

    def test_equal_secrets_get_equal_fingerprints_under_one_key_only(self) -> None:
        first, second = (REDACTOR.text(f"{word} {GITHUB}")[0].split()[1] for word in "ab")
        other = Redactor(b"another key").text(GITHUB)[0]
        assert first == second
        assert other != first
        assert PLACEHOLDER.fullmatch(first)

    def test_a_secret_in_a_setting_keeps_the_fingerprint_of_the_bare_one(self) -> None:
        bare = REDACTOR.text(GITHUB)[0]
        for text in (f"GITHUB_TOKEN={GITHUB}", f'"token": "{GITHUB}"', f"x:{GITHUB}\n"):
            assert bare in REDACTOR.text(text)[0]

    def test_an_unclosed_private_key_is_removed_to_the_end(self) -> None:
        head, _, _ = PEM.text.rpartition("\n-----END")
        redacted, counts = REDACTOR.text(f"before\n{head}\nand more")
        assert PLACEHOLDER.sub("*", redacted) == "before\n*"
        assert counts == {"pem": 1}

    def test_text_after_a_closed_private_key_stays(self) -> None:
        redacted = REDACTOR.text(f"{PEM.text}\nafter\n{PEM.text}\nend")[0]
        assert PLACEHOLDER.sub("*", redacted) == "*\nafter\n*\nend"

    def test_a_secret_beside_a_placeholder_is_found(self) -> None:
        redacted, counts = REDACTOR.text("[redacted:github:0a1b2c3d],password=hunter2")
        assert "hunter2" not in redacted
        assert redacted.startswith("[redacted:github:0a1b2c3d],password=[redacted:")
        assert counts.total() == 1

    def test_no_rule_name_reads_as_the_name_of_a_secret(self) -> None:
        assert [rule.name for rule in RULES if strength(rule.name)] == []

    def test_text_that_is_not_valid_unicode_is_redacted_too(self) -> None:
        redacted, _ = REDACTOR.text(f"\ud800 é {GITHUB} 漢字")
        assert PLACEHOLDER.sub("*", redacted) == "\ud800 é * 漢字"

    @each("unit", HOSTILE)
    @pytest.mark.timeout(150)
    def test_hostile_text_takes_linear_time(self, unit: str) -> None:
        text = unit * (100_000 // len(unit))
        redacted, counts = REDACTOR.text(text)
        assert len(PLACEHOLDER.findall(redacted)) >= counts.total()


class TestSecretsInValues:
    def test_the_member_of_a_sensitive_key_is_removed_whole(self) -> None:
        value: JsonValue = {"user": "bob", "db_password": "it's a long one, 2 you", "n": 3}
        redacted = REDACTOR.value(value)
        assert isinstance(redacted.value, dict)
        assert PLACEHOLDER.fullmatch(str(redacted.value["db_password"]))
        assert redacted.value | {"db_password": ""} == {"user": "bob", "db_password": "", "n": 3}
        assert redacted.counts == {"member": 1}

    @pytest.mark.parametrize(
        "value",
        [
            {"token": "IDENTIFIER", "max_tokens": 4096, "token_count": "17", "auth": "basic"},
            {"password": True, "secret": None, "token": "abc", "api_key": "${API_KEY}"},
            {"session_id": "550e8400-e29b-41d4-a716-446655440000", "passwordHint": "your cat"},
            {"secretName": "my-app-tls", "password": "<password>", "next_token": "abc123def456"},
            ["--token-count", "5", "--password-file", "/run/secrets/db", "--no-auth", "x1y2z3"],
        ],
    )
    def test_what_only_sounds_secret_stays(self, value: JsonValue) -> None:
        assert REDACTOR.value(value).value == value

    def test_headers_as_members_are_read_like_header_lines(self) -> None:
        headers: JsonValue = {"Cookie": "a=1; sid=x9y8z7", "Authorization": ["Bearer s3cr3t.x"]}
        redacted = REDACTOR.value(headers).value
        assert placeholders(redacted) == 2
        assert not re.search("x9y8z7|s3cr3t", json.dumps(redacted))

    def test_a_flag_in_a_list_of_arguments_names_the_next_one(self) -> None:
        redacted = REDACTOR.value(["tool", "--password", "swordfish", "--user", "bob"])
        assert PLACEHOLDER.sub("*", json.dumps(redacted.value)) == json.dumps(
            ["tool", "--password", "*", "--user", "bob"]
        )

    def test_a_name_and_value_pair_is_read_as_a_member(self) -> None:
        redacted = REDACTOR.value([{"name": "DB_PASSWORD", "value": "swordfish"}]).value
        assert placeholders(redacted) == 1
        assert "swordfish" not in json.dumps(redacted)

    def test_a_private_key_cut_into_lines_across_a_list_is_removed(self) -> None:
        lines: JsonValue = ["first", *PEM.text.split("\n"), "last"]
        redacted = REDACTOR.value(lines).value
        assert isinstance(redacted, list)
        assert not remains(PEM.secret, json.dumps(redacted))
        assert (redacted[0], redacted[-1]) == ("first", "last")

    def test_secrets_in_keys_are_removed_and_the_keys_stay_apart(self) -> None:
        mark = REDACTOR.text(GITHUB)[0]
        redacted = REDACTOR.value({GITHUB: 1, mark: 2, "plain": 3})
        assert list(redacted.value.values()) == [1, 2, 3]  # type: ignore[union-attr]
        assert GITHUB not in json.dumps(redacted.value)
        assert redacted.counts == {"github": 1}

    def test_a_broken_surrogate_does_not_save_a_member(self) -> None:
        redacted = REDACTOR.value({"password": f"{GITHUB}\ud800"}).value
        assert isinstance(redacted, dict)
        assert PLACEHOLDER.fullmatch(str(redacted["password"]))

    def test_nesting_of_any_depth_is_walked(self) -> None:
        value: JsonValue = GITHUB
        for _ in range(50_000):
            value = [value]
        redacted = REDACTOR.value(value)
        assert redacted.counts == {"github": 1}

    @each("value", [None, True, 3, 2.5, "", [], {}])
    def test_values_without_text_come_back_as_they_are(self, value: JsonValue) -> None:
        assert REDACTOR.value(value).value == value


def test_every_rule_is_compiled_once_in_a_process() -> None:
    for rank in range(len(RULES)):
        _regex(rank)
    compiled = _regex.cache_info().misses
    assert compiled >= len(RULES)
    assert Redactor(b"another key").text(f"{GITHUB} password=hunter2zz9")[1].total() == 2
    for rank in range(len(RULES)):
        _regex(rank)
    assert _regex.cache_info().misses == compiled


class TestPatternsOfTheUser:
    def test_the_whole_match_or_the_first_group_is_removed(self) -> None:
        redactor = Redactor(KEY, [r"EMP-\d{6}", r"case no\. (\w+)"])
        redacted, counts = redactor.text("EMP-123456 opened case no. zx81 — ok")
        assert PLACEHOLDER.sub("*", redacted) == "* opened case no. * — ok"
        assert counts == {"custom": 2}

    def test_a_pattern_that_matches_everything_still_settles(self) -> None:
        redactor = Redactor(KEY, [r".+", r"x*"])
        once = redactor.text(f"a {GITHUB} b\n[redacted:github:0a1b2c3d] c")[0]
        assert redactor.text(once) == (once, {})

    @pytest.mark.parametrize("pattern", ["(unclosed", r"(?=ahead)", r"(a)\1"])
    def test_a_bad_pattern_is_named_in_the_error(self, pattern: str) -> None:
        with pytest.raises(ValueError, match=re.escape(repr(pattern))):
            Redactor(KEY, ["fine", pattern])

    def test_an_empty_key_is_refused(self) -> None:
        with pytest.raises(ValueError, match="key is empty"):
            Redactor(b"")


class TestJudgements:
    @each(
        ("name", "expected"),
        [
            ("DB_PASSWORD", NameStrength.STRONG),
            ("newPasswordConfirmation", NameStrength.STRONG),
            ("stripeApiKey", NameStrength.WEAK),
            ("client_secret", NameStrength.WEAK),
            ("PHPSESSID", NameStrength.WEAK),
            ("X-Auth-Token", NameStrength.WEAK),
            ("max_tokens", NameStrength.NONE),
            ("token_count", NameStrength.NONE),
            ("eosToken", NameStrength.NONE),
            ("secret_name", NameStrength.NONE),
            ("author", NameStrength.NONE),
            ("primary_key", NameStrength.NONE),
            ("tokenizer", NameStrength.NONE),
            ("bypass", NameStrength.NONE),
            ("", NameStrength.NONE),
        ],
    )
    def test_names_are_distinguished(self, name: str, expected: NameStrength) -> None:
        assert strength(name) is expected

    def test_card_numbers_carry_their_own_check(self) -> None:
        assert luhn("4111 1111 1111 1111")
        assert not luhn("4111 1111 1111 1112")
        assert not luhn("0000 0000 0000 0000")


def one_of(strings: Sequence[str]) -> st.SearchStrategy[str]:
    return st.integers(0, len(strings) - 1).map(lambda index: strings[index])


fragments = st.one_of(
    one_of([sample.text for sample in SAMPLES]),
    one_of([sample.secret for sample in SAMPLES]),
    one_of(BENIGN),
    st.sampled_from(
        [
            *("password", "token", "=", ":", " ", '"', "\\", '\\"', "'", ",", "\n", "[redacted:"),
            *("[redacted:github:0a1b2c3d]", "Bearer ", "://", "@", "--", "é", "\ud800"),
            *("\x1b[31m", "<"),
            *(
                "]",
                "name",
                "value",
                "cookie",
                ";",
                "hunter2",
                "sk-",
                "eyJ",
                "-----BEGIN",
                "(",
                "${",
            ),
        ]
    ),
    st.text(max_size=8),
)
texts = st.lists(fragments, max_size=12).map("".join)
names = st.one_of(texts, st.sampled_from(["password", "token", "name", "value", "auth", "cookie"]))
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(names, inner, max_size=4)),
    max_leaves=8,
)


class TestProperties:
    @given(texts)
    def test_redacting_text_twice_changes_nothing(self, text: str) -> None:
        once, _ = REDACTOR.text(text)
        twice, counts = REDACTOR.text(once)
        assert twice is once
        assert not counts

    @given(texts)
    def test_counts_are_the_placeholders_added(self, text: str) -> None:
        redacted, counts = REDACTOR.text(text)
        added = len(PLACEHOLDER.findall(redacted)) - len(PLACEHOLDER.findall(text))
        assert counts.total() == added
        assert (redacted is text) == (not counts)

    @given(values)
    def test_values_keep_their_shape_and_count_their_placeholders(self, value: JsonValue) -> None:
        redacted = REDACTOR.value(value)
        assert shape(redacted.value) == shape(value)
        added = placeholders(redacted.value) - placeholders(value)
        assert sum(redacted.counts.values()) == added

    @given(values)
    def test_redacting_a_value_twice_changes_nothing(self, value: JsonValue) -> None:
        once = REDACTOR.value(value).value
        again = REDACTOR.value(once)
        assert again.value == once
        assert not again.counts

    @given(st.text(st.characters(categories=["Lu", "Nd", "Zs", "Lo"], exclude_characters="ACSK")))
    def test_text_without_a_keyword_is_the_same_object(self, text: str) -> None:
        keywords = {keyword for rule in RULES for keyword in rule.keywords}
        if not any(keyword in text.lower() for keyword in keywords) and text.isalpha():
            assert REDACTOR.text(text)[0] is text


@each(
    "text",
    [
        "https://x-access-token:{}@github.com/org/repo.git",
        "git clone https://x-access-token:{}@github.com/org/repo.git && cd repo",
        "token: https://oauth2:{}@gitlab.com/a/b.git",
        "GIT_TOKEN_URL=https://x-token-auth:{}@bitbucket.org/t/r.git",
        "remote: https://x-access-token:{}@github.com/org/repo.git/ 403",
        "password: https://ada:{}@host.example/x?y=1",
        "access_token=https://{}@github.com/org/repo.git",
        "postgres://admin:{}@db.internal:5432/shop?sslmode=require",
        "redis://:{}@cache:6379/0",
    ],
)
def test_of_a_url_only_the_credential_is_redacted(text: str) -> None:
    before, after = text.split("{}")
    redacted, found = REDACTOR.text(text.format(GITHUB))
    assert PLACEHOLDER.fullmatch(redacted.removeprefix(before).removesuffix(after)), redacted
    assert found.total() == 1
    assert REDACTOR.text(redacted)[0] == redacted


@each(
    "text",
    [
        "password: {}@https://x",  # begins before the URL
        "token: {} https://user:hunter2x@host/",
        "https://x-access-token:hunter2x@host/x?token={}",  # a second secret in the path
    ],
)
def test_other_secrets_next_to_a_url_are_redacted_whole(text: str) -> None:
    redacted = REDACTOR.text(text.format(GITHUB))[0]
    assert GITHUB not in redacted
    assert "hunter2x" not in redacted


def test_a_pattern_of_the_user_may_cover_a_url() -> None:
    own = Redactor(KEY, [r"internal \S+"])
    assert PLACEHOLDER.fullmatch(own.text("internal https://ada:hunter2x@host/x")[0])
