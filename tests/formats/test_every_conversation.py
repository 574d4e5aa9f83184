"""Whatever happens in a conversation, and wherever its beginning is left out, all models get what is promised.

Each example is a whole conversation that may be cut off anywhere. More examples search longer:
``ANY_HISTORY=50000``.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from assistant.conversation.entries import Logged
from assistant.conversation.outcomes import Outcome
from assistant.conversation.state import ConversationState
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromAssistant, View
from assistant.ports import ModelOptions, ModelRequest
from assistant.turn.view_builder import ViewBuilder
from tests.conversation.plots import conversation
from tests.conversation.promised import (
    happened,
    marks_in,
    of_result,
    to_model,
)
from tests.formats.on_the_wire import WRITTEN, Written
from tests.formats.views import without_oldest
from tests.support.fake_model.replies import WIRES
from tests.support.fake_model.request_checks import Received

EXAMPLES = int(os.environ.get("ANY_HISTORY", "400"))
HEADERS = {"authorization": "Bearer k", "x-api-key": "k", "anthropic-version": "2023-06-01"}
TOOLS = tuple(
    ToolSpec(name=name, description="Does it.", parameters={})
    for name in ("look_up", "crm.find customer", "crm.change")
)
FORMATTERS = {way.name: way.make() for way in WRITTEN}
"""The same for all examples: what they remember of one conversation must not be found in another."""
SYSTEM, LATE = "Be brief.", "Today is Monday."


@dataclass(frozen=True, slots=True)
class Given:
    """A view, and the marks that it promises to show of each of its turns."""

    view: View
    promised: Sequence[Sequence[str]]
    tools: tuple[ToolSpec, ...]

    def without_oldest(self, count: int) -> "Given":
        """The same conversation without this number of turns at the beginning."""
        left = min(count, len(self.promised) - 1)
        return Given(without_oldest(self.view, count), self.promised[left:], self.tools)


LOOKS = ("answering", "telling")
OPAQUE = "mine-"
"""The mark of the data that only Anthropic gets back. Anthropic does not get other providers' data."""


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),  # explaining takes minutes
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(
    look=st.sampled_from(LOOKS),
    thinks=st.booleans(),
    broken_off=st.integers(0, 255),
    left_out=st.integers(0, 7),
    story=st.binary(min_size=80, max_size=300),
)
def test_every_model_gets_what_is_promised(
    look: str, thinks: bool, broken_off: int, left_out: int, story: bytes
) -> None:
    log = conversation(story)
    log = log[: len(log) - broken_off % len(log)]
    if (whole := given_to(look, log)) is not None:
        for way in WRITTEN:
            check(whole.without_oldest(left_out), way, thinks=thinks)


def given_to(look: str, log: Sequence[Logged]) -> Given | None:
    """What a model would be given now; None before the first turn."""
    turns, state = happened(log), ConversationState(log)
    if not turns:
        return None
    *earlier, last = state.turns
    views = ViewBuilder()
    told = [list(to_model(one)) for one in turns]
    untold = [one for turn in earlier[-2:] for one in turn.outcomes.values()]
    if look == "answering" or not untold:
        return Given(views.view(SYSTEM, earlier, last, LATE), told, TOOLS)
    *before, now = told
    view = views.telling(SYSTEM, earlier, last, untold, len(last.rounds) + 1, LATE)
    return Given(view, [*before, [*now, *marks_of_told(untold)]], TOOLS)


def marks_of_told(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for one in outcomes:
        yield from marks_in(repr(one.call.arguments))
    for one in outcomes:
        yield from of_result(one)


def check(one: Given, way: Written, *, thinks: bool) -> None:
    """A provider takes it, and it says what is promised and nothing else; only Claude ``thinks``, if at all."""
    options = ModelOptions(max_tokens=4096, formatted=way.formatted)
    if way.name == "anthropic" and thinks:
        options = replace(options, extra={"thinking": {"type": "enabled", "budget_tokens": 1024}})
    request = ModelRequest(role="decider", view=one.view, tools=one.tools, options=options)
    body = (
        FORMATTERS[way.name].format(request, way.model, "anthropic" if way.name == "anthropic" else "").body
    )
    wire: dict[str, Any] = orjson.loads(body)
    messages: list[Any] = wire["messages"]
    if way.provider is not None:
        WIRES[way.provider].check(Received("", HEADERS, wire))
    marks = marks_in(body.decode())
    said = [mark for mark in marks if not (way.name == "anthropic" and mark.startswith(OPAQUE))]
    assert in_order(said, way) == in_order([mark for turn in one.promised for mark in turn], way)
    if way.batches is not None:
        batches = list(way.batches(messages))
        assert [len(called) for called, _ in batches] == batches_of(one.view)
        assert all(called == results for called, results in batches)


def in_order(marks: Sequence[str], way: Written) -> Sequence[str]:
    """Where calls are text, each is written with its own result, not with the other calls."""
    return marks if way.batches is not None else sorted(marks)


def batches_of(view: View) -> list[int]:
    """How many calls stand together, each time."""
    return [len(said.calls) for said in view.messages if isinstance(said, FromAssistant) and said.calls]
