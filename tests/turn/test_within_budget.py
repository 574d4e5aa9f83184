"""Whatever happens in a conversation, and however small a model's window: no request exceeds its budget.

Each example is a whole generated conversation that may be cut off anywhere. More examples search longer:
``ANY_HISTORY=50000``.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, cast

import orjson
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from assistant.conversation.documents import parse_result_ref
from assistant.conversation.entries import Logged, Snapshot, Summary
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.state import ConversationState
from assistant.conversation.views import FromAssistant, FromTools, TurnView, View
from assistant.memory.budget import Budget, count_pictures
from assistant.memory.token_sizes import (
    PER_CALL,
    PER_MESSAGE,
    PER_PICTURE,
    PER_REQUEST,
    PER_TOOL,
    PER_TOOL_LIST,
    tools_tokens,
    turn_tokens,
)
from assistant.models.tokens import Estimate, read_vocabulary_counter
from assistant.ports import ModelOptions, ModelRequest, TokenCounter
from assistant.prompts.book import shipped_book
from assistant.sessions.tool_tasks import ToolTasks
from assistant.testing.chat import ANA, KEY, deps_for
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from assistant.turn.context import RunningTurn, TurnDependencies
from assistant.turn.decide import decision_request as decider_request
from assistant.turn.narrate import narration_of_round, narrator_request
from assistant.turn.undelivered import UndeliveredResult, _narration
from assistant.turn.view_builder import ViewBuilder
from tests.conversation.plots import conversation
from tests.formats.on_the_wire import WRITTEN
from tests.support.fake_model.replies import WIRES
from tests.support.fake_model.request_checks import Received

EXAMPLES = int(os.environ.get("ANY_HISTORY", "120"))
HEADERS = {"authorization": "Bearer k", "x-api-key": "k", "anthropic-version": "2023-06-01"}
UNHURRIED = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
LOOKS = ("decider", "narrator", "telling")
CLOCK = VirtualClock()
FORMATTERS = {way.name: way.make() for way in WRITTEN}


class Characters:
    """Each character is a token."""

    name = "characters"

    def count(self, text: str) -> int:
        return len(text)


class Words:
    """Each word is a token, however long."""

    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())


COUNTERS: tuple[TokenCounter, ...] = (Estimate(), Characters(), Words())
SHORTENED_RESULT = bytes.fromhex(
    "0100000000000000000001000000000000000000000000000000000000000000000000000000000000"
    "000000d100000000000000000001000000000000000000000000000000000000000000000000830002"
)
"""A story in which the last turn has ended, and a result of it is shortened."""


TOOLS = [
    FakeTool(fake_spec(name, "looking it up", "look it up", required=("about",)), Gives(None), CLOCK)
    for name in ("look_up", "crm.find customer", "crm.change")
]
UNBOUND = deps_for(ScriptedModel(), TOOLS, shipped_book(), CLOCK)


def deps_with(budget: Budget | None) -> TurnDependencies:
    role = replace(UNBOUND.models["decider"], budget=budget)
    return replace(UNBOUND, models={"decider": role, "narrator": role})


def request(
    look: str, log: Sequence[Logged], deps: TurnDependencies, views: ViewBuilder
) -> ModelRequest | None:
    """What would be asked of a model now; None before the first turn."""
    state = ConversationState(log)
    if not state.turns:
        return None
    *earlier, last = state.turns
    turn = RunningTurn(
        key=KEY,
        vouched=ANA,
        state=last,
        conversation=state,
        views=views,
        tasks=ToolTasks(CLOCK),
        deadline=9,
    )
    round_ = len(last.rounds) + 1
    untold = tuple(
        UndeliveredResult(one, outcome) for one in earlier[-2:] for outcome in one.outcomes.values()
    )
    if look == "decider":
        return decider_request(turn, deps)
    if look == "narrator" or not untold:
        return narrator_request(turn, narration_of_round(turn, round_, last.standing, deps), deps)
    return narrator_request(turn, _narration(turn, round_, untold, deps), deps)


def size(asked: ModelRequest, counter: TokenCounter) -> int:
    """What it takes, counted anew and in one piece."""
    view = asked.view
    told = counter.count(view.system) + counter.count(view.late) + tools_tokens(asked.tools, counter)
    turns = sum(turn_tokens(turn, counter) for turn in view.turns)
    return PER_REQUEST + 2 * PER_MESSAGE + told + turns


def counted_by_line(asked: ModelRequest, counter: TokenCounter) -> int:
    """What it takes as the budget counts it: each line of the instructions is rounded up by itself."""
    view = asked.view
    lines = [*view.system.splitlines(keepends=True), *view.late.splitlines(keepends=True)]
    in_one_piece = counter.count(view.system) + counter.count(view.late)
    return size(asked, counter) - in_one_piece + sum(map(counter.count, lines))


def log_of(story: bytes, broken_off: int, *, snapshots: bool, summed_up: int) -> list[Logged]:
    """A made-up log, perhaps as an older release wrote it, perhaps with a summary of its first turns."""
    log = conversation(story)
    log = log[: len(log) - broken_off % len(log)]
    if not snapshots:
        log = [one for one in log if not isinstance(one.entry, Snapshot)]
    turns = ConversationState(log).turns
    if 0 < summed_up < len(turns):
        entry = Summary(last_turn_id=turns[summed_up - 1].id, text='They said: "a\\b"\n' * summed_up**6)
        log.append(Logged(seq=log[-1].seq + 1, at_ms=0, turn_id="", entry=entry))
    return log


@example(  # an ended turn in a log without snapshots: its references had no conversation
    look="telling",
    counter=COUNTERS[0],
    room=0,
    snapshots=False,
    summed_up=0,
    broken_off=0,
    story=SHORTENED_RESULT,
)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),  # explaining takes minutes
    suppress_health_check=UNHURRIED,
)
@given(
    look=st.sampled_from(LOOKS),
    counter=st.sampled_from(COUNTERS),
    room=st.integers(0, 3_000),
    snapshots=st.booleans(),
    summed_up=st.integers(0, 4),
    broken_off=st.integers(0, 255),
    story=st.binary(min_size=80, max_size=300),
)
def test_no_request_exceeds_its_budget_and_the_current_turn_stays_whole(
    look: str,
    counter: TokenCounter,
    room: int,
    snapshots: bool,
    summed_up: int,
    broken_off: int,
    story: bytes,
) -> None:
    log, views = (
        log_of(story, broken_off, snapshots=snapshots, summed_up=summed_up),
        ViewBuilder(KEY.conversation),
    )
    whole = request(look, log, deps_with(None), views)
    if whole is None:
        return
    tokens = least(look, log, counter) + room
    asked = request(look, log, deps_with(Budget(tokens=tokens, counter=counter)), views)

    assert asked is not None
    assert size(asked, counter) <= tokens
    *earlier, now = asked.view.turns
    assert in_short(now) == in_short(whole.view.turns[-1])
    assert [one.messages for one in earlier] == [
        one.messages for one in whole.view.turns[len(whole.view.turns) - len(asked.view.turns) : -1]
    ]
    assert (asked.view.late, asked.tools) == (whole.view.late, whole.tools)
    check_pairs(asked.view)
    check_references(asked.view, ConversationState(log))
    check_wire(asked)
    if counted_by_line(whole, counter) <= tokens:
        assert [one.messages for one in asked.view.turns] == [one.messages for one in whole.view.turns]


def least(look: str, log: Sequence[Logged], counter: TokenCounter) -> int:
    """The least budget that can be kept: three quarters of it hold all but the summary, which has the rest."""
    without = [one for one in log if not isinstance(one.entry, Summary)]
    asked = request(
        look, without, deps_with(Budget(tokens=0, counter=counter)), ViewBuilder(KEY.conversation)
    )
    assert asked is not None
    assert len(asked.view.turns) == 1
    return -(-size(asked, counter) * 4 // 3) + 64


def in_short(turn: TurnView) -> list[object]:
    """All of it but what results say."""
    return [
        [(one.call, type(one)) for one in said.outcomes] if isinstance(said, FromTools) else said
        for said in turn.messages
    ]


def check_pairs(view: View) -> None:
    """Each call has its result, directly behind it."""
    for turn in view.turns:
        for place, said in enumerate(turn.messages):
            if isinstance(said, FromAssistant) and said.calls:
                after = turn.messages[place + 1]
                assert isinstance(after, FromTools)
                assert [call.id for call in said.calls] == [one.call.id for one in after.outcomes]


def check_references(view: View, state: ConversationState) -> None:
    """Each reference leads to a call of its own turn."""
    told = (said for said in view.messages if isinstance(said, FromTools))
    for one in (each for said in told for each in said.outcomes):
        if isinstance(one, CallSucceeded) and one.full_ref:
            place = parse_result_ref(one.full_ref)
            assert place is not None
            conversation, turn_id, call_id = place
            whole = state.turn(turn_id).outcomes[call_id]
            assert conversation == KEY.conversation
            assert whole.call.arguments == one.call.arguments or "\ud83d" in repr(whole.call.arguments)


def check_wire(asked: ModelRequest) -> None:
    """Each provider takes what is written of it."""
    for way in WRITTEN:
        request = replace(asked, options=ModelOptions(max_tokens=4096, formatted=way.formatted))
        body = FORMATTERS[way.name].format(request, way.model).body
        if way.provider is not None:
            WIRES[way.provider].check(Received("", HEADERS, orjson.loads(body)))


@cache
def o200k() -> TokenCounter:
    return read_vocabulary_counter("o200k_base")


def texts_in(value: Any) -> Iterator[str]:
    """All that a provider reads of a request: every text, and schemas as they are written."""
    match value:
        case {"type": "image_url"} | {"type": "image"}:
            pass
        case {"parameters": schema} | {"input_schema": schema}:
            yield orjson.dumps(schema).decode()
            yield from texts_in({name: one for name, one in value.items() if one is not schema})
        case {"type": "tool_use", "input": arguments}:
            yield orjson.dumps(arguments).decode()
            yield from (value["id"], value["name"])
        case dict():
            yield from texts_in([*cast("dict[str, Any]", value).values()])
        case list():
            for one in cast("list[Any]", value):
                yield from texts_in(one)
        case str():
            yield value
        case _:
            pass


@settings(max_examples=EXAMPLES // 3, deadline=None, suppress_health_check=UNHURRIED)
@given(look=st.sampled_from(LOOKS), room=st.integers(0, 3_000), story=st.binary(min_size=80, max_size=300))
def test_the_count_is_never_below_the_sent_tokens_and_hardly_above(
    look: str, room: int, story: bytes
) -> None:
    log = log_of(story, 0, snapshots=True, summed_up=0)
    deps = deps_with(Budget(tokens=least(look, log, o200k()) + room, counter=o200k()))
    asked = request(look, log, deps, ViewBuilder(KEY.conversation))
    assert asked is not None
    calls = sum(len(said.calls) for said in asked.view.messages if isinstance(said, FromAssistant))
    pictures = sum(
        count_pictures(one)
        for said in asked.view.messages
        if isinstance(said, FromTools)
        for one in said.outcomes
    )
    around = (
        2 * PER_REQUEST
        + PER_TOOL_LIST
        + PER_TOOL * len(asked.tools)
        + PER_CALL * 2 * calls
        + PER_PICTURE * pictures
    )
    counted = size(asked, o200k())
    for way in WRITTEN:
        told = replace(asked, options=ModelOptions(max_tokens=4096, formatted=way.formatted))
        body = orjson.loads(FORMATTERS[way.name].format(told, way.model).body)
        sent = [
            *texts_in(body["messages"]),
            *texts_in(body.get("tools", [])),
            *texts_in(body.get("system", "")),
        ]
        taken = sum(map(o200k().count, sent)) + 3 * len(body["messages"]) + 3  # as OpenAI counts messages
        assert taken <= counted, way.name
        if way.name == "openai":
            assert counted <= taken + around + PER_MESSAGE * len(body["messages"])
