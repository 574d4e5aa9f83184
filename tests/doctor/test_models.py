"""Each configured model is asked once, as a customer would ask it; its answer is reported."""

from collections.abc import Callable

import pytest

from assistant.clock import SystemClock
from assistant.doctor.known_settings import Known, read_settings
from assistant.doctor.service_findings import answer_findings, configured_deps, models_named, role_findings
from assistant.errors import (
    DeclarationError,
    ModelBroke,
    ModelBusy,
    ModelError,
    ModelRefused,
    ModelTimeout,
)
from assistant.findings import Doubtful, Finding, Fine, Wrong
from assistant.ports import Clock
from assistant.prompts.book import PromptBook, shipped_book
from assistant.settings import Settings
from assistant.testing.chat import deps_for
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.testing.script import Line, breaks, calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.turn.context import TurnDependencies
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.scripted_replies import on_the_wire

ONE = Settings(model="one")


def played(
    *lines: Line, tools: int = 1, book: PromptBook | None = None
) -> Callable[[Settings, Clock], TurnDependencies]:
    """Makes dependencies with a scripted model, and perhaps a tool."""

    def make(settings: Settings, clock: Clock) -> TurnDependencies:
        model = ScriptedModel(*lines, clock=clock, name=settings.model)
        spec = fake_spec("look", "looking", "look")
        return deps_for(model, [FakeTool(spec, Gives(1), clock)] * tools, book or shipped_book(), clock)

    return make


async def said_of(*lines: Line, tools: int = 1) -> Finding:
    (finding,) = await answer_findings(ONE, played(*lines, tools=tools))
    return finding


async def test_a_model_that_calls_a_tool_is_fine() -> None:
    found = await said_of(calls("look", text="I'll look."))

    assert isinstance(found, Fine)
    assert found.says.startswith("one: answers, begins after 0.0")
    assert found.says.endswith("streams (5 pieces), calls look")


async def test_a_model_that_only_writes_is_doubtful_if_it_could_call() -> None:
    talks = await said_of(says(["Hello."]))

    assert isinstance(talks, Doubtful)
    assert talks.says.endswith("came in one piece; called no tool")
    assert isinstance(await said_of(says("Hello."), tools=0), Fine)


async def test_a_model_that_says_nothing_is_wrong() -> None:
    found = await said_of(says([]))

    assert isinstance(found, Wrong)
    assert found.says.endswith("but says nothing")


@pytest.mark.parametrize(
    ("error", "cure"),
    [
        (ModelTimeout("late"), "ASSISTANT_FIRST_TOKEN_TIMEOUT_S"),
        (ModelRefused("no"), "the key"),
        (ModelBusy("later"), "ASSISTANT_FALLBACK_MODELS"),
        (ModelBroke("cut"), "its server"),
        (ModelError("odd"), "the network"),
    ],
)
async def test_each_failure_has_its_solution(error: ModelError, cure: str) -> None:
    found = await said_of(breaks(error=error))

    assert isinstance(found, Wrong)
    assert found.says == f"one: {error}"
    assert cure in found.cure


async def test_a_bug_of_ours_is_a_finding_too() -> None:
    (found,) = await answer_findings(ONE, played())

    assert isinstance(found, Wrong)
    assert "AssertionError" in found.says


async def test_every_model_that_is_named_is_asked_once() -> None:
    settings = Settings(
        model="a", fallback_models=["b", "a"], narrator_model="c", narrator_fallback_models=["b", "d"]
    )

    found = await answer_findings(settings, played(calls("look")))

    assert models_named(settings) == ["a", "b", "c", "d"]
    assert [finding.says.partition(":")[0] for finding in found] == ["a", "b", "c", "d"]


async def test_a_model_that_cannot_be_made_does_not_hide_the_next() -> None:
    fine = played(calls("look"))

    def make(settings: Settings, clock: Clock) -> TurnDependencies:
        if settings.model == "one":
            raise DeclarationError("no key")
        return fine(settings, clock)

    found = await answer_findings(ONE.model_copy(update={"fallback_models": ["two"]}), make)

    assert found[0] == Wrong("model", "one: no key")
    assert isinstance(found[1], Fine)


async def test_a_broken_folder_of_tools_keeps_no_model_from_being_asked(tmp_path: object) -> None:
    settings = Settings.model_validate({"model": "offline", "tools_dir": f"{tmp_path}/nowhere"})

    (found,) = await answer_findings(settings)

    assert isinstance(found, Fine)


async def test_without_starters_an_example_of_a_tool_is_asked() -> None:
    sources = dict(shipped_book().sources)
    sources["voice.toml"] = VOICE
    silent = PromptBook(sources)

    (found,) = await answer_findings(ONE, played(calls("look"), book=silent))

    assert isinstance(found, Doubtful)
    assert "nothing says what customers ask" in found.says


async def test_a_real_client_is_asked_over_its_own_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    reply = on_the_wire(calls("list_upcoming_appointments", "get_open_invoices"), "openai")
    async with FakeModelServer(reply, clock=SystemClock()) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        (found,) = await answer_findings(Settings(model="openai/scripted"))
        asked = server.received[0].body

    assert isinstance(found, Fine)
    assert "calls list_upcoming_appointments and get_open_invoices" in found.says
    assert "Check my appointments and billing" in str(asked)


def test_roles_are_shown_with_their_fallback_models() -> None:
    known = Known(
        settings=Settings(model="a", fallback_models=["b", "c"], narrator_fallback_models=[]),
        wrong=(),
        places={"ASSISTANT_MODEL": ".env"},
    )

    assert role_findings(known) == [
        Fine("models", "decider: a, then b, then c (set in .env)"),
        Fine("models", "narrator: a, no fallback (like the decider)"),
    ]


def test_the_dependencies_are_the_configured_ones() -> None:
    with pytest.raises(DeclarationError, match="nowhere"):
        configured_deps(Settings.model_validate({"tools_dir": "nowhere"}), SystemClock())


VOICE = """
name = "Robin"
company = "Willow & Finch"
currency = "USD"
greeting = "Hello"
disclosure = "Automated."
starters = []
tone = "calm"
"""


async def test_a_model_that_plays_customers_is_asked_and_need_not_call() -> None:
    settings = Settings(model="one", simulator_model="other")

    one, other = await answer_findings(settings, played(says("Hello.")))

    assert isinstance(one, Doubtful)
    assert isinstance(other, Fine)
    assert other.says.startswith("other: answers")
    assert other.says.endswith("it has no tool to call")
    assert models_named(Settings(model="one", simulator_model="one")) == ["one"]


def test_a_model_that_plays_customers_is_named_if_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_SIMULATOR_MODEL", "other")

    assert role_findings(read_settings())[2].says == "simulated customers: other (set in the environment)"


def test_options_under_an_unknown_model_name_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_MODEL", "xai/grok-4")
    monkeypatch.setenv(
        "ASSISTANT_MODEL_OPTIONS", '{"xai/grok-4": {"images": false}, "grok-4": {"images": true}}'
    )

    found = role_findings(read_settings())[2:]

    assert [(type(one).__name__, one.says) for one in found] == [
        ("Doubtful", "ASSISTANT_MODEL_OPTIONS has some for 'grok-4', which is none of the models")
    ]


def test_a_model_that_its_provider_retires_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_MODEL", "openai/gpt-4o-mini")
    monkeypatch.setenv("ASSISTANT_FALLBACK_MODELS", "openai/gpt-6-luna, offline")

    *_, found = role_findings(read_settings())

    assert isinstance(found, Doubtful)
    assert found.says.startswith(
        "openai/gpt-4o-mini: its provider's date for its end is January 14, 2027 (announced by "
    )
    assert found.cure == "try gpt-6-luna, which the provider names instead"
