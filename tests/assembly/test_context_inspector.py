"""The log shows exactly what a model received."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

import pytest

from assistant.assembly.context_inspector import capture_request, inspection_dependencies, model_calls_of
from assistant.conversation.chunks import Chunk
from assistant.conversation.entries import CallEnded, Logged, ModelRole, TurnEnded
from assistant.conversation.values import Json
from assistant.errors import AssistantError
from assistant.memory.budget import Budget
from assistant.models.tokens import Estimate
from assistant.ports import ModelRequest
from assistant.prompts.book import shipped_book
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.session_registry import SessionRegistry
from assistant.settings import Settings
from assistant.testing.chat import ANA, KEY, Chat, deps_for
from assistant.testing.fake_tool import Gives
from assistant.testing.script import Line, calls, says
from assistant.testing.virtual_time import VirtualClock
from assistant.turn.context import TurnDependencies
from tests.support.rows import check_rows
from tests.turn.conftest import Company
from tests.turn.conversations import ANSWER, CONVERSATIONS, TWO_LOOKUPS
from tests.turn.test_resume import RepeatingModel, play


class Remembering(RepeatingModel):
    """Keeps what it was asked."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        self.requests.append(request)
        async with aclosing(super().stream(request)) as chunks:
            async for chunk in chunks:
                yield chunk


async def held(
    messages: Sequence[str], lines: dict[str, Line], budget: Budget | None = None, *, bills: Json = None
) -> tuple[list[Logged], list[ModelRequest], TurnDependencies]:
    """A conversation: its log, what models were asked in it, and its dependencies with models that only listen."""
    company = Company()
    if bills:
        company.billing.behaviour = Gives(bills)
    model = Remembering(lines, company)
    deps = deps_for(model, company.tools, shipped_book(), company.clock)
    roles = {role: replace(played, budget=budget) for role, played in deps.models.items()}
    deps = replace(deps, models=roles)
    session = await SessionRegistry(FixedConfig(deps), company.log, epoch="1").open(KEY, ANA)
    model.state = session.state
    await play(Chat(session), messages)
    return await company.log.read(KEY), model.requests, deps


def seen(request: ModelRequest) -> tuple[object, ...]:
    """What the model sees of a request."""
    return request.role, request.view.instructions, request.view.messages, request.tools


@check_rows("name", CONVERSATIONS)
async def test_every_past_request_of_a_conversation_can_be_rebuilt(name: str) -> None:
    entries, requests, deps = await held(*CONVERSATIONS[name])

    calls = [*model_calls_of(entries, "decider"), *model_calls_of(entries, "narrator")]
    found = [await capture_request(call, KEY, deps) for call in sorted(calls, key=lambda one: one.asked.seq)]

    assert [seen(one) for one in found] == [seen(one) for one in requests]
    assert found


async def test_a_request_is_rebuilt_within_the_budget_of_its_role() -> None:
    lines = {f"decider {turn}": says(f"Part {turn}: " + "and so on " * 200) for turn in range(1, 6)}

    entries, requests, deps = await held(
        ["Tell me", *["More"] * 4], lines, Budget(tokens=4_000, counter=Estimate())
    )

    found = [await capture_request(call, KEY, deps) for call in model_calls_of(entries, "decider")]
    assert [seen(one) for one in found] == [seen(one) for one in requests]
    assert len(requests[-1].view.turns) < len(requests), "something was left out"


async def test_a_large_result_is_shortened_in_a_rebuilt_request_as_before() -> None:
    bills: Json = [{"number": number, "text": "for what was ordered " * 9} for number in range(400)]
    lines = {
        "decider 1": calls("get_open_invoices"),
        "narrator 1": says("Many."),
        "decider 2": says("Gladly."),
    }

    entries, requests, deps = await held(
        ["What do I owe?", "Thanks"], lines, Budget(tokens=20_000, counter=Estimate()), bills=bills
    )

    of_both = [
        *model_calls_of(entries, "decider", "t1"),
        *model_calls_of(entries, "narrator"),
        model_calls_of(entries, "decider")[-1],
    ]
    assert [seen(await capture_request(call, KEY, deps)) for call in of_both] == [
        seen(one) for one in requests
    ]
    assert "result:c-1/t1/c1.1" in repr(requests[1].view)


async def test_requests_are_selected_by_role_and_turn() -> None:
    lines = {"decider 1": TWO_LOOKUPS, "narrator 1": ANSWER, "decider 2": says("Gladly.")}
    entries, *_ = await held(["Check my appointments and billing", "Thanks"], lines)

    def turns(role: ModelRole, turn: str | None = None) -> list[str]:
        return [call.asked.turn_id for call in model_calls_of(entries, role, turn)]

    assert turns("decider") == ["t1", "t2"]
    assert turns("narrator") == ["t1"]
    assert turns("decider", "t2") == ["t2"]
    assert turns("narrator", "t2") == []


@check_rows(
    ("settings", "offered"),
    [
        ({}, False),
        ({"operator_token": "x" * 32}, True),
        ({"handoff_webhook_url": "https://help.example/events"}, True),
    ],
)
def test_the_tool_for_a_person_is_offered_if_agents_can_answer(
    settings: dict[str, str], offered: bool
) -> None:
    deps = inspection_dependencies(Settings.model_validate(settings), VirtualClock(), None)

    assert any(spec.role == "hands_over" for spec in deps.tools.specs) is offered


async def test_no_tool_runs_while_a_request_is_rebuilt() -> None:
    lines = {"decider 1": calls("get_open_invoices"), "narrator 1": says("You owe $150.")}
    entries, _, deps = await held(["What do I owe?"], lines)
    [call] = model_calls_of(entries, "narrator")
    without = [logged for logged in call.before if not isinstance(logged.entry, CallEnded)]

    with pytest.raises(AssistantError, match=r"no outcome of c1\.1, which it would have to run again"):
        await capture_request(replace(call, before=without), KEY, deps)


async def test_a_turn_that_asked_no_model_is_reported() -> None:
    lines = {"decider 1": says("Hello.")}
    entries, _, deps = await held(["Hi"], lines)
    [call] = model_calls_of(entries, "decider")
    until_the_end = [logged for logged in entries if not isinstance(logged.entry, TurnEnded)]

    with pytest.raises(AssistantError, match="turn t1 ended without asking a model again"):
        await capture_request(replace(call, before=until_the_end), KEY, deps)
