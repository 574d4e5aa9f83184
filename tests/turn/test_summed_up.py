"""Old turns are replaced by their summary, after instructions that stay the same."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from assistant.conversation.entries import (
    CustomerMessage,
    Entry,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    Summary,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.state import ConversationState
from assistant.conversation.views import FromCustomer
from assistant.memory.budget import Budget
from assistant.models.tokens import Estimate
from assistant.prompts.book import shipped_book
from assistant.prompts.filters import fenced
from assistant.prompts.instructions import Earlier
from assistant.sessions.tool_tasks import ToolTasks
from assistant.testing.chat import ANA, KEY, deps_for
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from assistant.turn.context import RunningTurn, TurnDependencies, recent_turns
from assistant.turn.decide import decision_request as decider_request
from assistant.turn.narrate import narrator_instructions
from assistant.turn.view_builder import ViewBuilder

CLOCK, BOOK = VirtualClock(), shipped_book()
DEPS = deps_for(ScriptedModel(), [], BOOK, CLOCK)
TEXT = 'Ana asked for her bill: EUR 150, due on 1 December. She said "keep it short".'


def with_budget(tokens: int) -> TurnDependencies:
    role = replace(DEPS.models["decider"], budget=Budget(tokens=tokens, counter=Estimate()))
    return replace(DEPS, models={"decider": role, "narrator": role})


def turn_of(turns: int, *summaries: Summary) -> RunningTurn:
    """The last of this number of turns; each of the others has its answer."""
    entries: list[tuple[str, Entry]] = []
    for number in range(1, turns + 1):
        id_, said = (
            f"t{number}",
            CustomerMessage(
                message_id=f"u{number}", client_message_id=f"m{number}", text=f"Question {number}?"
            ),
        )
        entries += [
            ("", said),
            (id_, TurnStarted(turn_id=id_, message_id=said.message_id, cause="message", bundle="")),
        ]
        if number < turns:
            entries += [(id_, entry) for entry in answer(id_, f"Answer {number}.")]
    entries += [("", one) for one in summaries]
    log = [
        Logged(seq=seq, at_ms=0, turn_id=id_, entry=one) for seq, (id_, one) in enumerate(entries, start=1)
    ]
    state = ConversationState(log)
    return RunningTurn(
        key=KEY, vouched=ANA, state=state.turns[-1], conversation=state, views=ViewBuilder(),
        tasks=ToolTasks(CLOCK), deadline=9,
    )  # fmt: skip


def answer(turn_id: str, text: str) -> Sequence[Entry]:
    id_ = f"a-{turn_id}"
    return (
        MessageOpened(message_id=id_, round=1),
        MessageText(message_id=id_, text=text),
        MessageClosed(message_id=id_, kind="response"),
        TurnEnded(turn_id=turn_id, how="answered"),
    )


def questions(turn: RunningTurn, deps: TurnDependencies = DEPS) -> list[str]:
    said = decider_request(turn, deps).view.messages
    return [one.text for one in said if isinstance(one, FromCustomer)]


def test_summarised_turns_are_left_out() -> None:
    told = Summary(last_turn_id="t2", text=TEXT)

    assert questions(turn_of(4)) == ["Question 1?", "Question 2?", "Question 3?", "Question 4?"]
    assert questions(turn_of(4, told)) == ["Question 3?", "Question 4?"]
    assert questions(turn_of(4, told, Summary(last_turn_id="t3", text=TEXT))) == ["Question 4?"]
    assert [one.id for one in recent_turns(turn_of(4, told))] == ["t3"]


def test_a_summary_up_to_a_missing_turn_leaves_none_out() -> None:
    assert len(recent_turns(turn_of(4, Summary(last_turn_id="t99", text=TEXT)))) == 3


@pytest.mark.parametrize("deps", [DEPS, with_budget(24_000)], ids=["no limit", "a budget"])
def test_the_summary_is_fenced_after_stable_instructions(deps: TurnDependencies) -> None:
    before = decider_request(turn_of(4), deps).view
    after = decider_request(turn_of(4, Summary(last_turn_id="t2", text=TEXT)), deps).view

    assert after.system == f"{before.system}\n\n{BOOK.render(Earlier(summary=TEXT))}"
    assert after.system.endswith(fenced(TEXT))
    assert after.late == before.late


def test_the_narrator_gets_it_too() -> None:
    system, late = narrator_instructions(turn_of(4), (), DEPS)

    told = narrator_instructions(turn_of(4, Summary(last_turn_id="t2", text=TEXT)), (), DEPS)
    assert told == (f"{system}\n\n{BOOK.render(Earlier(summary=TEXT))}", late)


@pytest.mark.parametrize("text", ["Ana wants this and that. " * 2_000, '"\\' * 5_000, "订单 " * 4_000])
def test_a_summary_never_takes_more_than_a_quarter_of_the_budget(text: str) -> None:
    deps = with_budget(4_000)
    before = decider_request(turn_of(4), deps).view
    after = decider_request(turn_of(4, Summary(last_turn_id="t2", text=text)), deps).view

    added = after.system.removeprefix(before.system)
    assert 700 < Estimate().count(added) <= 1_000
    assert text[:20] in added.replace('\\"', '"').replace("\\\\", "\\")
    assert len(after.turns) == 2
