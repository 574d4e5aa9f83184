"""Whatever a conversation contains, each provider gets a request that it accepts."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import orjson
from hypothesis import HealthCheck, given, settings

from assistant.conversation.views import View
from assistant.formats.anthropic import AnthropicFormatter
from assistant.formats.openai import OpenAIFormatter
from assistant.formats.openai_variants import GrokFormatter
from assistant.formats.registry import Formatter
from assistant.ports import ModelRequest
from tests.formats.views import requests
from tests.support.fake_model.replies import WIRES, Provider
from tests.support.fake_model.request_checks import Received

FORMATTERS: tuple[tuple[Provider, Callable[[], Formatter]], ...] = (
    ("openai", OpenAIFormatter),
    ("anthropic", AnthropicFormatter),
    ("xai", GrokFormatter),
    ("xai", partial(GrokFormatter, calls_as_text=True)),
)
HEADERS = {"authorization": "Bearer k", "x-api-key": "k", "anthropic-version": "2023-06-01"}

# A busy machine is no failure.
widely = settings(suppress_health_check=[HealthCheck.too_slow])


def body(formatter: Formatter, request: ModelRequest) -> dict[str, Any]:
    return orjson.loads(formatter.format(request, "m").body)


def check(provider: Provider, wire: dict[str, Any]) -> None:
    """Raises what the strict fake server answers."""
    WIRES[provider].check(Received("", HEADERS, wire))


def blocks(wire: dict[str, Any]) -> list[object]:
    """All texts of a conversation in order, however they are split, without those that the formatter adds."""
    said: list[object] = []
    for message in wire["messages"]:
        parts = message["content"] if isinstance(message["content"], list) else [message]
        said += [(message["role"], part) for part in parts if part.get("text") != "…"]
    return said


@widely
@given(request=requests())
def test_it_is_accepted(request: ModelRequest) -> None:
    for provider, make in FORMATTERS:
        wire = body(make(), request)
        if wire["messages"]:  # Without any message no model is asked.
            check(provider, wire)


@widely
@given(request=requests())
def test_the_same_request_is_the_same_bytes(request: ModelRequest) -> None:
    for _, make in FORMATTERS:
        formatter = make()
        first = formatter.format(request, "m")

        assert formatter.format(request, "m") == first
        assert make().format(request, "m") == first


@widely
@given(request=requests())
def test_earlier_text_stays_unchanged_when_more_is_said(request: ModelRequest) -> None:
    view = request.view
    for _, make in FORMATTERS:
        formatter, said = make(), list[object]()
        for count in range(len(view.turns) + 1):
            now = blocks(body(formatter, replace(request, view=View(view.system, view.turns[:count]))))
            assert now[: len(said)] == said
            said = now


@widely
@given(request=requests())
def test_stable_parts_come_before_the_dialogue(request: ModelRequest) -> None:
    nothing_said = replace(request, view=replace(request.view, turns=()))
    for provider, make in FORMATTERS:
        if provider == "anthropic" and not request.tools:
            continue  # Tools that were called stand there although none is on offer.
        before, mark, _ = make().format(nothing_said, "m").body.partition(b'"messages":[')

        assert make().format(request, "m").body.startswith(before + mark)


@widely
@given(request=requests())
def test_a_conversation_cut_at_its_beginning_is_written_from_there(
    request: ModelRequest,
) -> None:
    cut = replace(request, view=replace(request.view, turns=request.view.turns[1:]))
    for _, make in FORMATTERS:
        formatter = make()
        formatter.format(request, "m")

        assert formatter.format(cut, "m") == make().format(cut, "m")
