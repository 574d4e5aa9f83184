"""A crash after any entry: nothing shown is lost or changed, no side effect runs twice."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

import pytest

from assistant.conversation.chunks import Chunk
from assistant.conversation.entries import CallEnded, CallRequested, Logged, MessageText
from assistant.conversation.state import ConversationState
from assistant.errors import LogError
from assistant.ports import ModelRequest
from assistant.prompts.book import shipped_book
from assistant.testing.chat import Chat, StoppingLog, deps_for, open_chat
from assistant.testing.fake_tool import Broken
from assistant.testing.script import Line, calls
from assistant.testing.scripted_model import ScriptedModel
from tests.turn.conftest import Company
from tests.turn.conversations import ANSWER, CONVERSATIONS, TWO_LOOKUPS
from tests.turn.what_must_hold import memories


class RepeatingModel(ScriptedModel):
    """Gives the same line whenever it is asked the same thing: by role, turn and round, and "again" when it
    is told what was wrong with its last reply.
    """

    def __init__(self, lines: dict[str, Line], company: Company) -> None:
        super().__init__()
        self._by_need, self._company = lines, company
        self.state = ConversationState()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        turn = len(self.state.turns)
        decided = sum(round_.closed is not None for round_ in self.state.turns[-1].rounds)
        number = turn if request.role == "decider" or turn > 1 else decided
        # A nudge is a paragraph of its own behind the note.
        again = " again" if "\n\n" in request.view.late else ""
        line = self._by_need[f"{request.role} {number}{again}"]
        async with aclosing(ScriptedModel(line, clock=self._company.clock).stream(request)) as chunks:
            async for chunk in chunks:
                yield chunk


def chat_over(log: StoppingLog, entries: Sequence[Logged], lines: dict[str, Line], company: Company) -> Chat:
    model = RepeatingModel(lines, company)
    deps = deps_for(model, company.tools, shipped_book(), company.clock)
    chat = open_chat(deps, log, entries)
    model.state = chat.session.state
    return chat


async def play(chat: Chat, messages: Sequence[str]) -> None:
    """Say what has not been said yet, one message after the other, each when the last is answered."""
    chat.session.resume()
    await chat.session.answered()
    for number, message in enumerate(messages, start=1):
        if f"m{number}" not in chat.session.state.client_ids:
            await chat.says(message, number=number)


def shown(entries: Sequence[Logged]) -> list[str]:
    """What customers have been shown by then, message by message."""
    return [
        message.text for turn in ConversationState(entries).turns for message in turn.messages if message.text
    ]


@pytest.mark.parametrize("name", CONVERSATIONS)
async def test_a_conversation_continues_after_a_stop_at_any_entry(name: str, company: Company) -> None:
    messages, lines = CONVERSATIONS[name]
    if name == "two lookups":
        company.appointments.behaviour = Broken()
    whole = StoppingLog(10_000)
    uncut = chat_over(whole, [], lines, company)
    await play(uncut, messages)
    await uncut.session.close()

    for most in range(1, len(whole.kept)):
        company_again = Company()
        company_again.appointments.behaviour = company.appointments.behaviour
        before = StoppingLog(most)
        first = chat_over(before, [], lines, company_again)
        try:
            await play(first, messages)
        except LogError:
            assert first.session.failed
        await first.session.close()
        assert before.kept == whole.kept[:most]

        after = StoppingLog(10_000, kept=list(before.kept))
        second = chat_over(after, before.kept, lines, company_again)
        await play(second, messages)

        check(before.kept, after.kept, second, uncut, company_again, most)


def check(
    before: Sequence[Logged],
    after: Sequence[Logged],
    second: Chat,
    uncut: Chat,
    company: Company,
    most: int,
) -> None:
    then, now = shown(before), shown(after)
    live, told = second.session.state.turns, ConversationState(after).turns
    assert [(turn.messages, turn.rounds) for turn in live] == [(turn.messages, turn.rounds) for turn in told]
    assert len(now) >= len(then), most
    assert all(later.startswith(earlier) for earlier, later in zip(then, now, strict=False)), (
        most,
        then,
        now,
    )
    announced = [message.text for turn in live for message in turn.messages if not message.model_written]
    assert all(text.count("I'll") <= 1 and ".." not in text for text in announced), (most, announced)
    told_of = [(turn.id, m.round) for turn in live for m in turn.messages if m.kind == "acknowledgement"]
    assert len(told_of) == len(set(told_of)), most
    ended = [
        (logged.turn_id, logged.entry.outcome.call.id)
        for logged in after
        if isinstance(logged.entry, CallEnded)
    ]
    assert len(ended) == len(set(ended)), most
    requested = [(turn.id, call.id) for turn in second.session.state.turns for call in turn.calls]
    assert sorted(ended) == sorted(requested), most
    assert [*memories(after)] == [], most
    assert all(turn.how is not None for turn in second.session.state.turns)
    assert len(company.cancel.ran) <= 1, most
    assert len(company.note.ran) <= 1, most
    if nothing_was_under_way(before):
        assert second.transcript == uncut.transcript, most


def nothing_was_under_way(entries: Sequence[Logged]) -> bool:
    """Whether every decision with calls had closed, and every call that started had ended."""
    turns = ConversationState(entries).turns
    return not any(
        turn.running or any(round_.calls and round_.closed is None for round_ in turn.rounds)
        for turn in turns
    )


async def test_an_interrupted_sentence_continues_from_the_complete_calls(
    company: Company,
) -> None:
    lines = {"decider 1": TWO_LOOKUPS, "narrator 1": ANSWER}
    whole = StoppingLog(10_000)
    await play(chat_over(whole, [], lines, company), ["Check my appointments and billing"])
    last_call = max(
        place for place, logged in enumerate(whole.kept) if isinstance(logged.entry, CallRequested)
    )

    kept = whole.kept[: last_call + 1]
    again = chat_over(StoppingLog(10_000, kept=list(kept)), kept, lines, company)
    await play(again, [])

    assert [message.text for message in ConversationState(kept).turns[0].messages] == [
        "Sure, I'll look up your appointments"
    ]
    assert again.scene.splitlines()[0] == (
        "Assistant (acknowledgement): Sure, I'll look up your appointments and check your billing."
    )


async def test_a_sentence_that_would_continue_differently_is_ended(company: Company) -> None:
    three = calls("list_upcoming_appointments", "get_open_invoices", ("get_order_status", '{"order'))
    lines = {"decider 1": three, "narrator 1": ANSWER}
    whole = StoppingLog(10_000)
    await play(chat_over(whole, [], lines, company), ["Check everything"])
    first_text = next(
        place for place, logged in enumerate(whole.kept) if isinstance(logged.entry, MessageText)
    )
    shown_so_far = MessageText(
        message_id="t1/m1", text="Sure, I'll look up your appointments, check your billing"
    )
    kept = [*whole.kept[:first_text], replace(whole.kept[first_text], entry=shown_so_far)]

    lines["decider 1"] = calls("list_upcoming_appointments", "get_opening_hours")
    again = chat_over(StoppingLog(10_000, kept=list(kept)), kept, lines, company)
    await play(again, [])

    assert again.scene.splitlines()[0] == (
        "Assistant (acknowledgement): Sure, I'll look up your appointments, check your billing."
    )
