"""The code blocks for developers of their own models run and do what the page says."""

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from assistant.conversation.calls import Call
from assistant.conversation.chunks import CallArguments, CallNamed, StreamEnded, TextDelta
from assistant.conversation.outcomes import CallFailed, CallSucceeded, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View
from assistant.errors import ModelBroke, ToolError
from assistant.formats.registry import formatter, register_formatter
from assistant.formats.sections import MarkdownFormat
from assistant.models.text_protocol.route import TextRoute, through_text
from assistant.ports import ModelOptions, ModelRequest
from assistant.prompts.book import shipped_book
from assistant.testing.script import says
from assistant.testing.scripted_model import ScriptedModel
from assistant.tools.discovery import discover
from tests.docs.pages import ROOT, page

PAGE = page("docs/reference/formats.md")
FORMATTER, CHAIN, ALONE, ADAPTER = PAGE.blocks("python")
FIND = ToolSpec(name="crm.find", description="Find it.", parameters={})
CALL = Call(id="c1.1", tool="crm.find", arguments={"number": 7})
SAID = (
    FromCustomer("Where is it?"),
    FromAssistant("", (CALL,)),
    FromTools((CallSucceeded(call=CALL, value=1),)),
)
REQUEST = ModelRequest(
    role="decider",
    view=View("Be brief.", (TurnView(SAID),), "It is Sunday."),
    tools=(FIND,),
    conversation="c7",
)


@pytest.fixture(autouse=True)
def ours() -> Iterator[None]:
    openai = formatter("openai")
    yield
    register_formatter("openai", openai)


def names_in(code: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "page"}
    exec(compile(code, PAGE.name, "exec"), names)  # noqa: S102 - the page's own
    return names


def test_the_formatter_writes_all_of_its_input(tmp_path: Path) -> None:
    (tmp_path / "gateway.py").write_text(FORMATTER, encoding="utf-8")
    discover(tmp_path)

    wire = formatter("openai").format(REQUEST, "small", "small@gateway")

    assert orjson.loads(wire.body) == {
        "model": "small",
        "stream": True,
        "max_tokens": 1024,
        "functions": [
            {"name": "crm_find", "about": "Find it.", "takes": {"type": "object", "properties": {}}}
        ],
        "instructions": "Be brief.",
        "said": [
            {"by": "customer", "text": "Where is it?"},
            {
                "by": "assistant",
                "text": "",
                "calls": [{"id": "t1_c1_1", "name": "crm_find", "with": {"number": 7}}],
            },
            {"by": "tools", "results": [{"id": "t1_c1_1", "text": "1"}]},
        ],
        "note": "It is Sunday.",
    }
    assert wire.own_name("crm_find") == "crm.find"
    assert formatter("openai").format(REQUEST, "small", "small@gateway") == wire


async def test_a_model_is_asked_with_the_chain_and_its_calls_are_read() -> None:
    chain = names_in(CHAIN)["LineToolChain"](MarkdownFormat())
    model = ScriptedModel(says('Let me see.\n\n# calls\ncrm.find {"number": 7}\ncrm.find {"numb'))
    route = TextRoute(model, chain, MarkdownFormat(), shipped_book().render, b"secret")

    came = [chunk async for chunk in route.stream(REQUEST)]

    assert "".join(chunk.text for chunk in came if isinstance(chunk, TextDelta)) == "Let me see."
    called = [chunk for chunk in came if isinstance(chunk, CallNamed | CallArguments)]
    assert called[:3] == [
        CallNamed(0, "crm.find"),
        CallArguments(0, '{"number":7}'),
        CallNamed(1, "crm.find"),
    ]
    assert isinstance(called[3], CallArguments)
    assert called[3].fragment.startswith("unexpected end of data (line 1, column 1")
    assert came[-1] == StreamEnded("tool_calls")
    (asked,) = model.requests
    assert asked.view.messages[1] == FromAssistant('# calls\ncrm.find {"number":7}')


async def test_the_chain_runs_a_text_by_itself() -> None:
    chain = names_in(CHAIN)["LineToolChain"](MarkdownFormat())

    async def run(call: Call) -> Outcome:
        if call.arguments:
            raise ToolError("I can't find it")
        return CallSucceeded(call=call, value=1)

    chained = await chain.run('crm.find\ncrm.find {"number": 7}', [FIND], run)

    assert chained.text == "# observation\n\n## crm_find\n1\n\n## crm_find-2\nError: I can't find it"
    assert [type(one) for one in chained.raw.outcomes] == [CallSucceeded, CallFailed]


def test_a_text_is_read_and_its_calls_are_made_as_shown(capsys: pytest.CaptureFixture[str]) -> None:
    chained = names_in(ALONE)["chained"]
    (shown,) = PAGE.blocks("text")

    assert capsys.readouterr().out == shown
    assert [len(each) for each in (chained.raw.calls, chained.raw.results, chained.raw.errors)] == [2, 1, 1]
    assert [type(part).__name__ for part in chained.as_content_parts()] == ["TextPart"]


async def test_the_adapter_is_a_model_behind_the_text_route() -> None:
    told: list[str] = []

    async def write(text: str) -> AsyncIterator[str]:
        told.append(text)
        for piece in ("I'll look.\n\n# calls\n", '[{"tool": "crm.find", ', '"arguments": {}}]'):
            yield piece

    local = names_in(ADAPTER)["LocalModel"](write)
    route = through_text(local, render=shipped_book().render, secret=b"secret")

    came = [chunk async for chunk in route.stream(REQUEST)]

    assert CallNamed(0, "crm.find") in came
    assert "<|user|>\nWhere is it?\n<|assistant|>\n# calls" in told[0]


async def test_the_adapter_says_what_is_wrong() -> None:
    async def write(text: str) -> AsyncIterator[str]:
        yield "Well"
        raise OSError("no memory")

    local = names_in(ADAPTER)["LocalModel"](write)

    with pytest.raises(ModelBroke, match="put it behind the text route"):
        await anext(local.stream(REQUEST))
    greeting = ModelRequest(role="decider", view=View("", (TurnView(SAID[:1]),)), options=ModelOptions())
    with pytest.raises(ModelBroke, match="the model stopped: no memory"):
        [chunk async for chunk in local.stream(greeting)]


def test_the_named_files_exist() -> None:
    named = re.findall(r"`((?:assistant|tests)/[\w/.]+)`", PAGE.prose)

    assert len(named) > 5
    assert [name for name in named if not (ROOT / name).exists()] == []
