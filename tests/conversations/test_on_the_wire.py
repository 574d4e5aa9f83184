"""The requests of these conversations, as they were when each was made: in every provider's form, accepted by
each.

In a replay, models receive nothing over a network. Here, each request is written again from the log, up to the
moment of the request, and the strict fake server of its provider checks it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import orjson

from assistant.conversation.entries import ModelAsked, ModelRole
from assistant.conversation.state import ConversationState
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromAssistant, FromTools, View
from assistant.ports import ModelOptions, ModelRequest
from assistant.replay.cassette_file import load
from assistant.replay.player.environment import ReplayEnvironment, environment_of
from assistant.replay.player.play import replay
from assistant.tenants import load_settings
from assistant.turn.view_builder import ViewBuilder
from tests.formats.on_the_wire import WRITTEN, Written
from tests.support.cassettes import CASSETTES
from tests.support.fake_model.replies import WIRES
from tests.support.fake_model.request_checks import Received
from tests.support.rows import check_rows

WORDS = (
    "valid for every provider",
    "error as a result",
    "two views",
    "text is no call",
    "no forged messages",
)
HEADERS = {"authorization": "Bearer k", "x-api-key": "k", "anthropic-version": "2023-06-01"}
NAMES = (
    "drop_order", "find_free_slots", "get_loyalty_points", "get_open_invoices", "get_opening_hours",
    "get_order_status", "get_parking_fees", "list_upcoming_appointments", "order_case", "read_note",
)  # fmt: skip
TOOLS = tuple(ToolSpec(name=name, description="Does it.", parameters={}) for name in NAMES)
TOKENS = re.compile(r"<\|\w+\|>|</?s>|\[/?INST\]|</?tool_call>|[\u200b\u2028\u202e\U000e0000-\U000e007f]")
CALLED_IN_TEXT = re.compile(r"^\| Please call ", re.MULTILINE)


@cache
def _covers() -> dict[str, frozenset[str]]:
    """What each conversation is an example of. Read once: there are many."""
    return {name: frozenset(load(path).cassette.tags) for name, path in CASSETTES.items()}


def _files(*words: str) -> list[str]:
    """The conversations that cover one of these words."""
    return sorted(name for name, covers in _covers().items() if not covers.isdisjoint(words))


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: who was asked, and what that model was given."""

    role: ModelRole
    view: View
    state: ConversationState


@cache
def _environment() -> ReplayEnvironment:
    return environment_of(load_settings())


@cache
def asked(name: str) -> tuple[Asked, ...]:
    """Every request of a conversation, in their order."""
    entries = replay(load(CASSETTES[name]).cassette, _environment()).entries
    return tuple(
        _asked(one.entry, ConversationState(entries[:place]))
        for place, one in enumerate(entries)
        if isinstance(one.entry, ModelAsked)
    )


def _asked(entry: ModelAsked, state: ConversationState) -> Asked:
    *earlier, turn = state.turns
    return Asked(entry.role, ViewBuilder().view("You are an assistant.", earlier, turn), state)


def sent(one: Asked, way: Written) -> dict[str, Any]:
    """The request's body."""
    request = ModelRequest(
        role=one.role, view=one.view, tools=TOOLS, options=ModelOptions(formatted=way.formatted)
    )
    return orjson.loads(way.make().format(request, way.model).body)


def in_every_way(*words: str) -> Iterator[tuple[Asked, Written, dict[str, Any]]]:
    for name in _files(*words):
        for one in asked(name):
            for way in WRITTEN:
                yield one, way, sent(one, way)


def test_each_word_has_its_conversations() -> None:
    assert all(_files(word) for word in WORDS)


@check_rows("name", _files(*WORDS))
def test_every_request_is_accepted_by_every_provider(name: str) -> None:
    for one in asked(name):
        for way in WRITTEN:
            body = sent(one, way)
            if way.provider is not None:
                WIRES[way.provider].check(Received("", HEADERS, body))
            if way.batches is not None:
                batches = list(way.batches(body["messages"]))
                assert all(called == results and called for called, results in batches)
                ids = [id_ for called, _ in batches for id_ in called]
                assert len(set(ids)) == len(ids) == len([*_calls(one.view)])


def _calls(view: View) -> Iterator[str]:
    return (call.tool for said in view.messages if isinstance(said, FromAssistant) for call in said.calls)


def test_after_the_results_the_model_continues_from_them() -> None:
    narrated = [
        one for name in _files("valid for every provider") for one in asked(name) if one.role == "narrator"
    ]

    assert len(narrated) > 8
    for one in narrated:
        if any(message.kind == "response" for message in one.state.turns[-1].messages):
            continue  # It is told, of its own, what an earlier turn had found out.
        last = one.view.messages[-1]
        assert isinstance(last, FromTools)
        called = [round_.calls for round_ in one.state.turns[-1].rounds if round_.calls]
        assert [each.call for each in last.outcomes] == called[-1]


def test_a_failed_call_has_its_error_in_place_of_the_result() -> None:
    (name,) = _files("error as a result")
    (one,) = [one for one in asked(name)[:2] if one.role == "narrator"]
    told = [message for message in sent(one, WRITTEN[0])["messages"] if message["role"] == "tool"]
    blocks = [
        block
        for message in sent(one, WRITTEN[1])["messages"]
        for block in message["content"]
        if block["type"] == "tool_result"
    ]

    assert len(told) == len(blocks) == 4
    assert all(message["content"].startswith("Error: ") for message in told)
    assert all(block["is_error"] and str(block["content"]).startswith("Error: ") for block in blocks)
    assert "the ledger is closed until noon" in told[1]["content"]


def test_no_model_reads_announcements_as_its_own_words() -> None:
    for name in _files("two views"):
        announced: list[str] = []
        for one in asked(name):
            kept = [
                message.text
                for turn in one.state.turns
                for message in turn.messages
                if message.kind == "acknowledgement"
            ]
            announced = [*announced, *kept]
            said = [message.text for message in one.view.messages if isinstance(message, FromAssistant)]
            for text in kept:
                assert not any(text in each for each in said)
        assert len(set(announced)) >= 3
        assert len([*_calls(asked(name)[-2].view)]) == 2  # what was looked up before stands in its place


def test_no_call_is_recorded_for_text_that_only_mentions_one() -> None:
    """Grok's text form writes a line for each call that was made, and no text is taken for one."""
    for one, way, body in in_every_way("text is no call"):
        if way.name == "grok as text":
            records = sum(len(CALLED_IN_TEXT.findall(message["content"])) for message in body["messages"])
            assert records == len([*_calls(one.view)])


def test_no_request_contains_tokens_of_message_boundaries() -> None:
    requests = list(in_every_way("no forged messages"))

    assert len(requests) > 20
    for _, _, body in requests:
        assert TOKENS.search(orjson.dumps(body["messages"]).decode()) is None
        assert len([message for message in body["messages"] if message["role"] == "system"]) <= 1
    whole = orjson.dumps([body["messages"] for _, _, body in requests]).decode()
    assert "< |im_end|>" in whole
    assert "Likes blue frames." in whole
