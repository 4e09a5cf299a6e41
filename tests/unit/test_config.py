"""Settings: their sources, and the errors for wrong ones."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from memoranda import hook_event
from memoranda.config import NAMES, load_settings
from memoranda.exceptions import InvalidInput
from memoranda.search.model import FACTORS
from memoranda.settings import EXCLUDED_COMMANDS, EXCLUDED_PATHS
from tables import each

HOMES = ("HOME", "USERPROFILE", "XDG_DATA_HOME", "LOCALAPPDATA", "MEMORANDA_DATA_DIR")


def write_config(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text, "utf-8")
    return folder


def test_defaults_need_neither_file_nor_environment(tmp_path: Path) -> None:
    settings = load_settings({"data_dir": tmp_path / "none"}, {})
    assert settings.team == "local"
    assert settings.exclude_paths == EXCLUDED_PATHS
    assert settings.origins["team"] == "default"
    assert settings.origins["data_dir"] == "argument"
    assert set(settings.origins) == set(NAMES)
    assert not (tmp_path / "none").exists()


def test_arguments_precede_the_environment_and_that_the_file(tmp_path: Path) -> None:
    write_config(tmp_path, 'context_budget = 300\nteam = "file"\ntokenizer = "file"\n')
    environ = {"MEMORANDA_CONTEXT_BUDGET": "400", "MEMORANDA_TEAM": "environment"}
    settings = load_settings({"data_dir": tmp_path, "team": "argument"}, environ)
    assert (settings.team, settings.context_budget, settings.tokenizer) == ("argument", 400, "file")
    assert settings.origins["team"] == "argument"
    assert settings.origins["context_budget"] == "environment"
    assert settings.origins["tokenizer"] == "config.toml"


def test_the_file_lies_in_the_data_directory_that_is_in_force(tmp_path: Path) -> None:
    one = write_config(tmp_path / "one", 'team = "one"')
    two = write_config(tmp_path / "two", 'team = "two"')
    environ = {"MEMORANDA_DATA_DIR": str(one)}
    assert load_settings({}, environ).team == "one"
    assert load_settings({"data_dir": two}, environ).team == "two"


def test_an_argument_of_none_is_no_argument(tmp_path: Path) -> None:
    environ = {"MEMORANDA_DATA_DIR": str(tmp_path), "MEMORANDA_TEAM": "ours"}
    settings = load_settings({"data_dir": None, "team": None}, environ)
    assert (settings.data_dir, settings.team) == (tmp_path, "ours")


def test_every_problem_is_named_at_once(tmp_path: Path) -> None:
    write_config(tmp_path, 'colour = "blue"\ncontext_budget = 5\nteam = 7\nexclude_paths = 3\n')
    environ = {"MEMORANDA_CONTEXT_BUDGET": "many", "MEMORANDA_TOKENIZER": ""}
    with pytest.raises(InvalidInput) as caught:
        load_settings({"data_dir": tmp_path, "speed": 9}, environ)
    message = str(caught.value)
    for problem in (
        "config.toml: colour: unknown setting",
        "config.toml: context_budget: must be between",
        "config.toml: team: must be a text",
        "config.toml: exclude_paths",
        "environment: context_budget",
        "environment: tokenizer: must be a text",
        "argument: speed: unknown setting",
    ):
        assert problem in message


@pytest.mark.parametrize("value", ["[1]", "{}", "true", '"x"', "99", "1_000_001", "nan", "inf"])
def test_a_budget_that_is_none_is_refused_in_words(tmp_path: Path, value: str) -> None:
    write_config(tmp_path, f"context_budget = {value}")
    with pytest.raises(InvalidInput, match=r"config.toml: context_budget"):
        load_settings({"data_dir": tmp_path}, {})


@pytest.mark.parametrize("content", [b"team = ", b"\xff\xfe", b"team = 'a'\nteam = 'b'"])
def test_a_file_that_is_no_toml_is_refused_in_words(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "config.toml").write_bytes(content)
    with pytest.raises(InvalidInput, match=r"config\.toml is not valid TOML"):
        load_settings({"data_dir": tmp_path}, {})


def test_lists_come_as_lists_or_as_lines(tmp_path: Path) -> None:
    write_config(tmp_path, 'redact_patterns = ["a+", "b"]')
    environ = {"MEMORANDA_EXCLUDE_PATHS": "**/x\n**/y z\n"}
    settings = load_settings({"data_dir": tmp_path}, environ)
    assert settings.redact_patterns == ("a+", "b")
    assert settings.exclude_paths == ("**/x", "**/y z")
    assert settings.exclude_commands == EXCLUDED_COMMANDS


@pytest.mark.parametrize("name", ["exclude_paths", "exclude_commands", "redact_patterns"])
def test_an_empty_list_excludes_nothing_instead_of_everything(tmp_path: Path, name: str) -> None:
    from_environment = load_settings({"data_dir": tmp_path}, {f"MEMORANDA_{name.upper()}": ""})
    assert getattr(from_environment, name) == ()
    write_config(tmp_path, f'{name} = ["", "x"]')
    assert getattr(load_settings({"data_dir": tmp_path}, {}), name) == ("x",)


def test_the_place_of_a_key_is_the_same_for_every_program(tmp_path: Path) -> None:
    name = "MEMORANDA_ENCRYPTION_KEY_FILE"
    home = Path.home()
    assert load_settings({}, {name: "~/keys/memoranda"}).encryption_key_file == str(
        home / "keys" / "memoranda"
    )
    assert load_settings({}, {name: ""}).encryption_key_file == ""
    with pytest.raises(InvalidInput, match="encryption_key_file: must be an absolute path"):
        load_settings({}, {name: "keys/memoranda"})


@pytest.mark.parametrize(
    ("text", "meant"),
    [("true", True), ("True", True), ("1", True), ("false", False), ("0", False), ("", False)],
)
def test_a_switch_is_on_or_off(tmp_path: Path, text: str, meant: bool) -> None:
    environ = {"MEMORANDA_ENCRYPTION_KEYRING": text}
    assert load_settings({"data_dir": tmp_path}, environ).encryption_keyring is meant
    write_config(tmp_path, f"encryption_keyring = {str(meant).lower()}")
    assert load_settings({"data_dir": tmp_path}, {}).encryption_keyring is meant
    with pytest.raises(InvalidInput, match="encryption_keyring: must be true or false"):
        load_settings({}, {"MEMORANDA_ENCRYPTION_KEYRING": "perhaps"})


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://localhost:6379/0", "redis://localhost:6379/0"),
        ("redis://:hunter2@cache:6379/0", "redis://:***@cache:6379/0"),
        ("rediss://me:hunter2@cache", "rediss://me:***@cache"),
        ("unix://me:hunter2@/run/redis.sock?db=1", "unix://me:***@/run/redis.sock?db=1"),
        ("redis://cache/0?password=hunter2&db=1", "redis://cache/0?password=***&db=1"),
        ("", ""),
    ],
)
def test_the_address_of_a_cache_is_shown_without_its_password(
    tmp_path: Path, url: str, shown: str
) -> None:
    settings = load_settings({"data_dir": tmp_path}, {"MEMORANDA_REDIS_URL": url})
    assert settings.redis_url == url
    assert settings.shown("redis_url") == shown


@pytest.mark.parametrize("url", ["localhost:6379", "http://me:hunter2@cache", "redis:cache"])
def test_an_address_of_another_kind_is_refused_without_showing_it(tmp_path: Path, url: str) -> None:
    with pytest.raises(InvalidInput, match="redis_url: must begin with one of redis://") as caught:
        load_settings({"data_dir": tmp_path}, {"MEMORANDA_REDIS_URL": url})
    assert "hunter2" not in str(caught.value)


@each(
    ("name", "value", "words"),
    [
        (
            "embedder",
            "bert",
            "must be one of local, multilingual, none, openai, cohere, compatible",
        ),
        ("embedder", "", "must be one of"),
        ("embedding_url", "models.example/v1", "must look like https://"),
        ("embedding_url", "ftp://models.example", "must look like https://"),
        ("embedding_url", "https://", "must look like https://"),
        ("embedding_url", "https://me:hunter2@models.example", "must look like https://"),
        ("embedding_url", "https://models.example/v1?key=hunter2", "must look like https://"),
        ("embedding_key", "hunter2\n", "must consist of visible ASCII"),
        ("embedding_key", "hunter2 hunter2", "must consist of visible ASCII"),
        ("embedding_key", "hunter2é", "must consist of visible ASCII"),
        ("embedding_dimensions", "-1", "must be between 0 and 16,000"),
        ("embedding_dimensions", "many", "embedding_dimensions"),
        ("embedding_threads", "0", "must be between 1 and 64"),
        ("embedding_threads", "65", "must be between 1 and 64"),
        ("embedding_threads", "", "embedding_threads"),
        ("reranker", "openai", "must be one of none, cohere, compatible"),
        ("reranker", "", "must be one of"),
        ("reranker_url", "models.example", "must look like https://"),
        ("reranker_url", "https://me:hunter2@models.example", "must look like https://"),
        ("reranker_url", "https://models.example?key=hunter2", "must look like https://"),
        ("reranker_key", "hunter2 hunter2", "must consist of visible ASCII"),
        ("reranker_key", "hunter2\n", "must consist of visible ASCII"),
    ],
)
def test_what_a_provider_cannot_be_set_to_is_refused_without_showing_it(
    tmp_path: Path, name: str, value: str, words: str
) -> None:
    with pytest.raises(InvalidInput, match=f"environment: {name}: ") as caught:
        load_settings({"data_dir": tmp_path}, {f"MEMORANDA_{name.upper()}": value})
    assert words in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_a_switch_is_no_number(tmp_path: Path) -> None:
    write_config(tmp_path, "embedding_threads = true")
    with pytest.raises(InvalidInput, match="embedding_threads: must be between 1 and 64"):
        load_settings({"data_dir": tmp_path}, {})


def test_settings_of_an_embedder_come_as_texts_or_as_toml(tmp_path: Path) -> None:
    write_config(tmp_path, 'embedder = "compatible"\nembedding_dimensions = 256\n')
    environ = {
        "MEMORANDA_EMBEDDING_URL": "http://[::1]:11434/v1/",
        "MEMORANDA_EMBEDDING_MODEL": "nomic-embed-text:latest",
        "MEMORANDA_EMBEDDING_THREADS": "4",
    }
    settings = load_settings({"data_dir": tmp_path}, environ)
    assert (settings.embedder, settings.embedding_dimensions) == ("compatible", 256)
    assert settings.embedding_url == "http://[::1]:11434/v1/"
    assert settings.embedding_model == "nomic-embed-text:latest"
    assert settings.embedding_threads == 4


def test_settings_of_a_reranker_come_as_texts_or_as_toml(tmp_path: Path) -> None:
    assert load_settings({"data_dir": tmp_path}, {}).reranker == "none"
    write_config(tmp_path, 'reranker = "compatible"\nreranker_model = "bge"\n')
    environ = {"MEMORANDA_RERANKER_URL": "http://[::1]:8080", "MEMORANDA_RERANKER_KEY": "k"}
    settings = load_settings({"data_dir": tmp_path}, environ)
    assert (settings.reranker, settings.reranker_model) == ("compatible", "bge")
    assert (settings.reranker_url, settings.reranker_key) == ("http://[::1]:8080", "k")


@pytest.mark.parametrize("kind", ["embedding", "reranker"])
def test_what_a_provider_does_without_can_be_empty(tmp_path: Path, kind: str) -> None:
    names = (f"{kind}_model", f"{kind}_url", f"{kind}_key")
    environ = {f"MEMORANDA_{name.upper()}": "" for name in names}
    settings = load_settings({"data_dir": tmp_path}, environ)
    assert [getattr(settings, name) for name in names] == ["", "", ""]


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({"OPENAI_API_KEY": "theirs", "MEMORANDA_EMBEDDER": "openai"}, "theirs"),
        ({"OPENAI_API_KEY": " theirs\n", "MEMORANDA_EMBEDDER": "openai"}, "theirs"),
        ({"OPENAI_API_KEY": "theirs", "MEMORANDA_EMBEDDER": "cohere"}, ""),
        ({"OPENAI_API_KEY": "theirs", "MEMORANDA_EMBEDDER": "compatible"}, ""),
        ({"OPENAI_API_KEY": "theirs"}, ""),
        ({"COHERE_API_KEY": "theirs", "MEMORANDA_EMBEDDER": "cohere"}, "theirs"),
        (
            {"COHERE_API_KEY": "old", "CO_API_KEY": "new", "MEMORANDA_EMBEDDER": "cohere"},
            "new",
        ),
        (
            {
                "OPENAI_API_KEY": "theirs",
                "MEMORANDA_EMBEDDING_KEY": "ours",
                "MEMORANDA_EMBEDDER": "openai",
            },
            "ours",
        ),
    ],
    ids=str,
)
def test_the_key_of_a_provider_is_found_where_its_own_programs_look(
    tmp_path: Path, arguments: dict[str, str], key: str
) -> None:
    settings = load_settings({"data_dir": tmp_path}, arguments)
    assert settings.embedding_key == key
    assert settings.origins["embedding_key"] == ("environment" if key else "default")


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({"COHERE_API_KEY": "old", "CO_API_KEY": "new", "MEMORANDA_RERANKER": "cohere"}, "new"),
        ({"COHERE_API_KEY": "theirs", "MEMORANDA_RERANKER": "cohere"}, "theirs"),
        ({"COHERE_API_KEY": "theirs", "MEMORANDA_RERANKER": "compatible"}, ""),
        ({"COHERE_API_KEY": "theirs", "MEMORANDA_EMBEDDER": "cohere"}, ""),
        ({"MEMORANDA_EMBEDDING_KEY": "other", "MEMORANDA_RERANKER": "cohere"}, ""),
        (
            {
                "CO_API_KEY": "theirs",
                "MEMORANDA_RERANKER_KEY": "ours",
                "MEMORANDA_RERANKER": "cohere",
            },
            "ours",
        ),
    ],
    ids=str,
)
def test_the_key_of_a_reranker_is_found_where_programs_of_its_provider_look(
    tmp_path: Path, arguments: dict[str, str], key: str
) -> None:
    settings = load_settings({"data_dir": tmp_path}, arguments)
    assert settings.reranker_key == key
    assert settings.origins["reranker_key"] == ("environment" if key else "default")


@pytest.mark.parametrize("name", ["embedding_key", "reranker_key"])
def test_the_key_of_a_provider_is_never_shown(tmp_path: Path, name: str) -> None:
    settings = load_settings({"data_dir": tmp_path, name: "hunter2"}, {})
    assert getattr(settings, name) == "hunter2"
    assert settings.shown(name) == "***"
    assert "hunter2" not in repr(settings)
    assert load_settings({"data_dir": tmp_path}, {}).shown(name) == ""


def test_everything_is_kept_inside_the_data_directory(tmp_path: Path) -> None:
    settings = load_settings({"data_dir": tmp_path}, {})
    for path in (
        settings.database_path,
        settings.spool_dir,
        settings.context_dir,
        settings.key_path,
    ):
        assert path.parent == tmp_path


@pytest.mark.parametrize(
    "environ",
    [
        {"HOME": "/home/x"},
        {"HOME": "/home/x", "XDG_DATA_HOME": "/data"},
        {"HOME": "/home/x", "XDG_DATA_HOME": ""},
        {"HOME": "/home/x", "XDG_DATA_HOME": "~/data"},
        {"HOME": "/home/x", "XDG_DATA_HOME": "/data", "MEMORANDA_DATA_DIR": "/own"},
        {"HOME": "/home/x", "MEMORANDA_DATA_DIR": ""},
        {"HOME": "/home/x", "MEMORANDA_DATA_DIR": "~/mine"},
        {"HOME": "/home/x", "MEMORANDA_DATA_DIR": "/own/../other/"},
        {"HOME": "", "USERPROFILE": "/users/x"},
        {"HOME": "", "USERPROFILE": ""},
        {},
        {"HOME": "home/x"},
        {"HOME": "~", "XDG_DATA_HOME": "data"},
        {"USERPROFILE": "/users/x", "LOCALAPPDATA": "/users/x/local"},
    ],
    ids=str,
)
def test_the_hook_finds_the_same_data_directory(
    monkeypatch: pytest.MonkeyPatch, environ: dict[str, str]
) -> None:
    for name in HOMES:
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert load_settings({}).data_dir == Path(hook_event.data_dir())


def test_without_an_absolute_home_the_folder_of_the_login_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in HOMES:
        monkeypatch.delenv(name, raising=False)
    login = Path(pwd.getpwuid(os.getuid()).pw_dir)
    assert load_settings({}).data_dir.is_relative_to(login)
    assert Path(hook_event.data_dir()).is_relative_to(login)
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 9)
    for folder in (load_settings({}).data_dir, Path(hook_event.data_dir())):
        assert folder.is_absolute()
        assert not folder.is_relative_to(login)


@pytest.mark.parametrize("named", ["data", "./data", "~nobody-of-that-name/mine"])
def test_the_variable_names_an_absolute_folder(named: str) -> None:
    environ = {"HOME": "/home/x", "MEMORANDA_DATA_DIR": named}
    with pytest.raises(InvalidInput, match="absolute path"):
        load_settings({}, environ)
    assert load_settings({"data_dir": "/own"}, environ).data_dir == Path("/own")
    assert load_settings({"data_dir": "own"}, environ).data_dir == Path.cwd() / "own"


@given(st.dictionaries(st.sampled_from(HOMES[:3]), st.text("ab/~. ", max_size=8)))
def test_the_hook_and_the_settings_agree_on_any_environment(environ: dict[str, str]) -> None:
    kept = {name: os.environ.pop(name, None) for name in HOMES}
    try:
        os.environ.update(environ)
        assert load_settings({}).data_dir == Path(hook_event.data_dir())
    finally:
        for name, value in kept.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def test_weights_of_factors_are_read_from_a_text_or_a_table(tmp_path: Path) -> None:
    environ = {"MEMORANDA_RECALL_WEIGHTS": "recency=0.3,stage=0"}
    text = load_settings({"data_dir": tmp_path}, environ)
    assert text.recall_weights == {**FACTORS, "recency": 0.3, "stage": 0}
    (tmp_path / "config.toml").write_text("recall_weights = { similarity = 1 }\n")
    table = load_settings({"data_dir": tmp_path}, {})
    assert table.recall_weights == {**FACTORS, "similarity": 1}


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("recency", "must look like"),
        ("beauty=1", "unknown factor beauty"),
        ("recency=2", "between 0 and 1"),
        ("recency=-1", "between 0 and 1"),
        ("recency=nan", "between 0 and 1"),
        ("similarity=0", "above 0"),
        ("recency=much", "could not convert"),
        ("", "must be a text"),
    ],
)
def test_weights_that_make_no_score_are_refused(value: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=says):
        load_settings({"data_dir": tmp_path, "recall_weights": value}, {})


def test_an_unknown_fusion_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="calibrated, reciprocal"):
        load_settings({"data_dir": tmp_path, "fusion": "nuclear"}, {})


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("none", "none"),
        ("prometheus", "prometheus"),
        ("opentelemetry, prometheus", "opentelemetry,prometheus"),
        ("prometheus,prometheus", "prometheus"),
    ],
)
def test_telemetry_is_one_two_or_none(value: str, meant: str, tmp_path: Path) -> None:
    assert load_settings({"data_dir": tmp_path, "telemetry": value}, {}).telemetry == meant


@pytest.mark.parametrize("value", ["", "statsd", "none,prometheus", "prometheus,", 7])
def test_telemetry_that_is_unknown_is_refused(value: object, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"telemetry: must be"):
        load_settings({"data_dir": tmp_path, "telemetry": value}, {})
