"""Hostile arguments of tools get a valid answer or a described error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from jsonschema import validate

from memoranda.api.mcp.knowledge_graph_tools import GraphTools
from memoranda.api.mcp.prompts import PROMPTS, prompted
from memoranda.api.mcp.resources import SCHEME, Resources
from memoranda.api.mcp.tool_calls import TableTools, Toolbox, ToolDefinition
from memoranda.api.mcp.tools import ToolProfile
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.exceptions import UserError
from memoranda.identity.principal import Principal, Role

pytestmark = pytest.mark.integration

BOT = Principal("local", "bot", Role.AGENT, "bot", "shop")
EYE = Principal("local", "eye", Role.READER, workspace="shop")
BOXES: tuple[Toolbox, ...] = (TableTools(ToolProfile.FULL), GraphTools())
DEFINITIONS = {one.name: (box, one) for box in BOXES for one in box.definitions()}
TEXTS = st.one_of(
    st.text(max_size=60),
    st.sampled_from(["1", "1#1", "", "all", "'; drop table memory; --", "../../etc/passwd", "\0"]),
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), TEXTS)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
PLAIN = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    opened = Service(load_settings({"data_dir": tmp_path_factory.mktemp("store")}))
    opened.call(BOT, "observe", {"content": "The till rounds up.", "task": "till"})
    yield opened
    opened.close()


def likely(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Draw values that mostly match a schema, and sometimes any."""
    if "enum" in schema:
        fitting: st.SearchStrategy[Any] = st.sampled_from(schema["enum"])
    elif schema.get("type") == "array":
        fitting = st.lists(likely(schema.get("items", {})), max_size=3)
    elif schema.get("type") == "object":
        parts = {name: likely(one) for name, one in schema.get("properties", {}).items()}
        fitting = st.fixed_dictionaries(parts)
    elif schema.get("type") == "integer":
        fitting = st.integers(schema.get("minimum", -3), schema.get("maximum", 300))
    elif schema.get("type") == "boolean":
        fitting = st.booleans()
    else:
        fitting = TEXTS
    return st.one_of(fitting, fitting, fitting, ANYTHING)


def sent(definition: ToolDefinition) -> st.SearchStrategy[dict[str, Any]]:
    """Draw arguments that a model may invent for a tool."""
    parts = definition.input["properties"]
    needed = set(definition.input.get("required", ()))
    known = st.fixed_dictionaries(
        {name: likely(one) for name, one in parts.items() if name in needed},
        optional={name: likely(one) for name, one in parts.items() if name not in needed},
    )
    return st.one_of(known, known, st.dictionaries(TEXTS, ANYTHING, max_size=3))


@pytest.mark.parametrize("name", DEFINITIONS)
def test_a_tool_answers_or_explains_the_error(service: Service, name: str) -> None:
    box, definition = DEFINITIONS[name]

    @PLAIN
    @given(sent(definition))
    def tried(arguments: dict[str, Any]) -> None:
        try:
            answer = box.call(service, BOT, name, arguments)
        except UserError as error:
            assert str(error)
            assert len(str(error)) < 5_000
        else:
            validate(dict(answer.structured), definition.output)
            answer.text.encode()

    tried()


@pytest.mark.parametrize("name", DEFINITIONS)
def test_a_tool_of_somebody_who_reads_writes_nothing(service: Service, name: str) -> None:
    box, definition = DEFINITIONS[name]
    before = service.call(EYE, "stats", {})

    @settings(PLAIN, max_examples=8)  # the role is refused before arguments are read
    @given(sent(definition))
    def tried(arguments: dict[str, Any]) -> None:
        try:
            box.call(service, EYE, name, arguments)
        except UserError as error:
            assert str(error)

    tried()
    after = service.call(EYE, "stats", {})
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    for part in ("memories", "observations", "tasks"):
        assert before[part] == after[part]


@PLAIN
@given(
    rest=st.text(max_size=80), kind=st.sampled_from(["context", "task", "block", "observation", ""])
)
def test_an_address_is_read_or_not_there(service: Service, kind: str, rest: str) -> None:
    try:
        text, _ = Resources().read(service, BOT, f"{SCHEME}{kind}/{rest}")
    except UserError as error:
        assert str(error)
    else:
        assert text.startswith("<memoranda-")


@PLAIN
@given(given_=st.dictionaries(st.sampled_from(["query", "task", "x"]), TEXTS, max_size=2))
def test_a_prompt_is_made_or_refused(service: Service, given_: dict[str, str]) -> None:
    for prompt in PROMPTS:
        try:
            assert prompted(service, BOT, prompt, given_)
        except UserError as error:
            assert str(error)
