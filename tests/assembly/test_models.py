"""From the settings to models with fallback models."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.assembly.models import Providers, build_models, embedded_may_decide, names_of
from assistant.conversation.chunks import StreamEnded
from assistant.conversation.views import FromCustomer, TurnView, View
from assistant.errors import DeclarationError
from assistant.models.fallback import FallbackModel
from assistant.ports import Model, ModelRequest
from assistant.prompts.book import shipped_book
from assistant.prompts.narration import Narration
from assistant.settings import ModelSettings, Settings
from assistant.testing.fake_tool import fake_spec
from assistant.testing.script import says
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.registry import Tools
from assistant.turn.context import RoleModel
from tests.support.fake_model import openai_events
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.replies import Reply, refuses, streams
from tests.support.rows import check_rows

EMBEDDED = ScriptedModel(name="offline")
HELLO = says("Hello.")
ASKED = ModelRequest(role="decider", view=View("", (TurnView((FromCustomer("Thank you!"),)),)))


def providers(environ: Mapping[str, str]) -> Providers:
    return Providers(VirtualClock(), environ, jitter=lambda: 0.0)


def chosen(*names: str, by: Providers) -> Model:
    return by.model(names, 2, lambda: EMBEDDED)


async def answer_of(model: Model) -> StreamEnded:
    last = [chunk async for chunk in model.stream(ASKED)][-1]
    assert isinstance(last, StreamEnded)
    return last


@check_rows(
    ("settings", "decider", "narrator"),
    [
        (Settings(), ["offline"], ["offline"]),
        (Settings(model="gpt-4o"), ["gpt-4o"], ["gpt-4o"]),
        (Settings(model="a/b", fallback_models=["c/d", "offline"]), ["a/b", "c/d", "offline"], None),
        (Settings(model="a/b", narrator_model="c/d"), ["a/b"], ["c/d"]),
        (
            Settings(model="a/b", narrator_model="c/d", fallback_models=["e/f"]),
            ["a/b", "e/f"],
            ["c/d", "e/f"],
        ),
        (
            Settings(model="a/b", fallback_models=["e/f"], narrator_fallback_models=[]),
            ["a/b", "e/f"],
            ["a/b"],
        ),
        (Settings(model=" a/b ", fallback_models=["c/d", "a/b"]), ["a/b", "c/d"], None),
    ],
)
def test_each_role_has_its_models_in_order(
    settings: Settings, decider: Sequence[str], narrator: Sequence[str] | None
) -> None:
    names = names_of(settings)

    assert list(names["decider"]) == decider
    assert list(names["narrator"]) == (decider if narrator is None else narrator)


@check_rows(
    ("settings", "may"),
    [
        (Settings(), True),
        (Settings(model="a/b"), False),
        (Settings(model="a/b", fallback_models=["offline"]), True),
        (Settings(model="a/b", narrator_model="offline"), True),
        (Settings(model="a/b", narrator_fallback_models=["offline"]), True),
        (Settings(model="offline", fallback_models=["a/b"], narrator_model="a/b"), True),
    ],
)
def test_writes_are_confirmed_if_the_embedded_model_may_decide(settings: Settings, may: bool) -> None:
    assert embedded_may_decide(settings) is may


def test_the_embedded_model_alone_is_not_wrapped() -> None:
    assert chosen("offline", by=providers({})) is EMBEDDED


@pytest.mark.parametrize("name", ["openai/", "gpt-4o", "gemini/x"])
def test_a_mistake_in_a_fallback_model_stops_the_start_too(name: str) -> None:
    with pytest.raises(DeclarationError, match=name):
        chosen("offline", name, by=providers({}))


BUSY = refuses(429, "slow down", retry_after="60")


@pytest.mark.parametrize(
    ("replies", "who", "requests"),
    [
        ([streams(openai_events.answer("Hi."))], None, 1),
        ([refuses(500), streams(openai_events.answer("Hi."))], None, 2),
        ([refuses(500), refuses(500), streams(openai_events.answer("Hi."))], "openai/spare", 3),
        ([BUSY, refuses(401)], "offline", 2),
    ],
    ids=["goes well", "again", "the spare one", "the embedded one"],
)
async def test_a_fallback_model_answers_when_the_first_one_fails(
    replies: Sequence[Reply], who: str | None, requests: int
) -> None:
    clock = VirtualClock()
    async with FakeModelServer(*replies, clock=clock) as server:
        app_folder = providers({"OPENAI_BASE_URL": server.url})
        spare = ScriptedModel(*[HELLO] * (who == "offline"), name="offline")
        model = app_folder.model(["openai/main", "openai/spare", "offline"], 2, lambda: spare)

        assert (await answer_of(model)).model == who
        assert len(server.received) == requests
        await app_folder.close()


async def test_roles_share_what_is_known_about_a_model() -> None:
    clock = VirtualClock()
    async with FakeModelServer(BUSY, streams(openai_events.answer("Hi.")), clock=clock) as server:
        app_folder = providers({"OPENAI_BASE_URL": server.url})
        decider = app_folder.model(["openai/main", "openai/spare"], 2, lambda: EMBEDDED)
        narrator = app_folder.model(
            ["openai/main", "offline"], 2, lambda: ScriptedModel(HELLO, name="offline")
        )

        assert (await answer_of(decider)).model == "openai/spare"
        assert (await answer_of(narrator)).model == "offline"
        assert len(server.received) == 2  # the narrator knows that main wants to be left alone
        await app_folder.close()


async def test_a_provider_that_fails_five_times_is_not_asked_for_a_while() -> None:
    clock = VirtualClock()
    async with FakeModelServer(*[refuses(500)] * 5, clock=clock) as server:
        app_folder = providers({"OPENAI_BASE_URL": server.url})
        spare = ScriptedModel(HELLO, name="offline")
        model = app_folder.model([f"openai/{name}" for name in "abcd"] + ["offline"], 2, lambda: spare)

        assert (await answer_of(model)).model == "offline"
        assert len(server.received) == 5
        await app_folder.close()


async def test_a_real_fallback_to_the_embedded_model_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    settings = Settings(model="openai/main", fallback_models=["offline"], data_dir=tmp_path, max_tokens=7)
    models = _built(settings)

    ended = await answer_of(models["decider"].model)

    assert ended.model == "offline"
    assert isinstance(models["decider"].model, FallbackModel)
    assert models["decider"].model is models["narrator"].model
    assert models["decider"].options.max_tokens == 7
    await models["decider"].model.close()


async def test_options_of_one_model_do_not_apply_to_another() -> None:
    clock = VirtualClock()
    own = {"openai/main": ModelSettings(max_tokens=50, extra={"seed": 7})}
    async with FakeModelServer(refuses(401), streams(openai_events.answer("Hi.")), clock=clock) as server:
        app_folder = Providers(clock, {"OPENAI_BASE_URL": server.url}, own, jitter=lambda: 0.0)
        model = app_folder.model(["openai/main", "openai/spare"], 1, lambda: EMBEDDED)

        await answer_of(model)

        main, spare = (request.body for request in server.received)
        assert (main["max_tokens"], main["seed"]) == (50, 7)
        assert (spare["max_tokens"], "seed" in spare) == (1024, False)
        await app_folder.close()


async def test_a_model_without_tool_calling_is_told_about_tools_and_calls_them() -> None:
    clock = VirtualClock()
    written = '# calls\n{"tool": "find", "arguments": {"order": "A-1"}}\n'
    own = {"openai/main": ModelSettings(calls="json")}
    async with FakeModelServer(streams(openai_events.answer(written)), clock=clock) as server:
        app_folder = Providers(clock, {"OPENAI_BASE_URL": server.url}, own, jitter=lambda: 0.0)
        model = app_folder.model(["openai/main"], 1, lambda: EMBEDDED, shipped_book().render)

        chunks = [
            chunk
            async for chunk in model.stream(
                replace(ASKED, tools=(fake_spec("find", "looking it up", "look it up"),))
            )
        ]

        assert [type(chunk).__name__ for chunk in chunks] == ["CallNamed", "CallArguments", "StreamEnded"]
        (request,) = server.received
        assert "tools" not in request.body
        assert '"tool":"find"' in request.body["messages"][0]["content"]
        await app_folder.close()


def test_a_field_that_this_package_writes_cannot_be_set_for_a_model() -> None:
    own = {"openai/main": ModelSettings(extra={"messages": []})}
    app_folder = Providers(VirtualClock(), {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, own)

    with pytest.raises(DeclarationError, match=r"ASSISTANT_MODEL_OPTIONS: openai/main: extra: .* 'messages'"):
        app_folder.model(["openai/main"], 1, lambda: EMBEDDED)


def test_the_narrator_can_be_another_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    models = _built(Settings(narrator_model="openai/narrator", data_dir=tmp_path))

    assert (models["decider"].model.name, models["narrator"].model.name) == ("offline", "openai/narrator")


def _built(settings: Settings) -> Mapping[str, RoleModel]:
    book = shipped_book()
    return {**build_models(settings, Tools([]), book, Narration(book), VirtualClock())}


@pytest.mark.parametrize(
    ("own", "narrator_max_tokens", "fits"),
    [
        (ModelSettings(extra={"thinking": {"type": "enabled", "budget_tokens": 1024}}), 1024, False),
        (ModelSettings(extra={"thinking": {"type": "enabled", "budget_tokens": 1024}}), 2048, True),
        (
            ModelSettings(max_tokens=2048, extra={"thinking": {"type": "enabled", "budget_tokens": 1024}}),
            100,
            True,
        ),
        (ModelSettings(extra={"thinking": {"type": "adaptive"}}), 1024, True),
    ],
)
def test_a_model_may_not_think_for_longer_than_its_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: ModelSettings, narrator_max_tokens: int, fits: bool
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    settings = Settings(
        model="anthropic/main",
        model_options={"anthropic/main": own},
        narrator_max_tokens=narrator_max_tokens,
        data_dir=tmp_path,
    )
    if fits:
        assert _built(settings)
    else:
        with pytest.raises(DeclarationError, match="anthropic/main: extra: thinking has budget_tokens 1024"):
            _built(settings)
