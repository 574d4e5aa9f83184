"""Which turns are summarised, and when: only long, ended and told ones, and never the last ones."""

from dataclasses import replace

from assistant.conversation.entries import (
    ConfirmationAnswered,
    CustomerMessage,
    Snapshot,
    Summary,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.model_views import turn_view
from assistant.memory.token_sizes import CachedTokenSizes
from assistant.models.tokens import Estimate
from assistant.sessions.summaries import HIGH, LOW, VERBATIM, OldTurns, large_results, old_turns
from assistant.testing.chat import Chat
from assistant.testing.fake_tool import Gives
from assistant.testing.script import Line, calls, says
from assistant.turn.view_builder import ViewCache
from tests.turn.conftest import Company

SIZES = CachedTokenSizes(Estimate())


def due(chat: Chat, room: int) -> OldTurns | None:
    views, tools = ViewCache(turn_view).views_of, chat.session.config.deps.tools
    return old_turns(chat.session.state, views, room, SIZES, tools)


def taken(chat: Chat, room: int = 1) -> list[str]:
    """The ids of the turns that are due, where there is hardly any room."""
    old = due(chat, room)
    return [] if old is None else [turn.id for turn in old.turns]


async def talk(company: Company, *first: Line, turns: int = 8) -> Chat:
    """A conversation whose first answers are these; others follow until there are this many turns."""
    rest = [says("Here is an answer of the usual length.") for _ in range(turns - 1)]
    ana = company.chat(*first, *rest)
    for number in range(turns):
        await ana.says(f"Here is question number {number}")
    return ana


async def test_without_space_all_but_the_last_turns_are_summarised(company: Company) -> None:
    ana = await talk(company, says("Hello."))

    assert taken(ana) == [f"t{number}" for number in range(1, 8 - VERBATIM + 1)]


async def test_between_the_marks_nothing_is_summarised_and_above_it_down_to_low(
    company: Company,
) -> None:
    ana = await talk(company, says("Hello."), turns=20)
    turns = ana.session.state.turns
    sizes = [SIZES.turn(view) for view in ViewCache(turn_view).views_of(turns)]
    enough = next(room for room in range(10_000) if sum(sizes) <= room * HIGH)

    old = due(ana, enough - 1)

    assert due(ana, enough) is None
    assert old is not None
    assert old.turns == tuple(turns[: len(old.turns)])
    assert old.tokens == sum(sizes[: len(old.turns)])
    left = sum(sizes[len(old.turns) :])
    assert left <= (enough - 1) * LOW < left + sizes[len(old.turns) - 1]


async def test_after_the_longest_summary_a_fifth_of_the_room_is_free(
    company: Company,
) -> None:
    ana = await talk(company, says("Hello."), turns=40)
    turns = ana.session.state.turns
    sizes = [SIZES.turn(view) for view in ViewCache(turn_view).views_of(turns)]
    room = int(sum(sizes) / HIGH)
    old = due(ana, room - 1)
    assert old is not None
    text = "fact " * 10_000
    while SIZES.text(text) > room // 5:
        text = text[: len(text) * 9 // 10]

    taken = SIZES.text(text) + sum(sizes[len(old.turns) :])

    assert taken + room // 5 <= room * HIGH


async def test_a_summary_is_not_summarised_again_but_counts(company: Company) -> None:
    ana = await talk(company, says("Hello."), turns=9)
    before = due(ana, 1)
    assert before is not None
    rest = sum(SIZES.turn(view) for view in ViewCache(turn_view).views_of(ana.session.state.turns[3:]))
    room = round(rest / HIGH) + 1

    await ana.session.record(Summary(last_turn_id="t3", text="They talked."), durable=True)
    short = due(ana, room + 20), taken(ana)
    await ana.session.record(Summary(last_turn_id="t3", text="They talked. " * 50), durable=True)

    assert short == (None, ["t4", "t5"])
    assert due(ana, room + 20) is not None


async def test_an_open_question_keeps_its_turn_and_all_later_ones(
    company: Company,
) -> None:
    ana = company.chat(says("Hello."), calls(("cancel_appointment", {"day": "x"})))
    await ana.says("Hi")
    await ana.says("Cancel Tuesday")
    assert ana.session.question is not None

    await more_turns(ana, 8)
    before = taken(ana)
    answered = ConfirmationAnswered(confirmation_id=ana.session.question.confirmation_id, answer="no")
    await ana.session.record(answered, "t10", durable=True)

    assert (before, taken(ana)) == (["t1"], [f"t{number}" for number in range(1, 7)])


async def test_a_turn_stays_until_its_results_were_told(company: Company) -> None:
    ana = company.chat(
        says("Hello."),
        calls("get_open_invoices"),
        says("You owe $150."),
        billing=Gives([{"amount": "150.00"}], after_s=9),
    )
    await ana.says("Hi")
    await ana.begins("Check my bill")
    await company.clock.sleep(1)
    await ana.session.stop()
    await more_turns(ana, 8)

    running = taken(ana)
    await company.clock.sleep(10)
    untold = taken(ana)
    await ana.session.at_rest()
    await ana.says("So?")

    assert (running, untold) == (["t1"], ["t1"])
    assert taken(ana) == [f"t{number}" for number in range(1, 8)]


async def test_a_running_turn_is_not_summarised(company: Company) -> None:
    ana = await talk(company, says("Hello."), turns=6)
    await ana.session.record(said(ana), durable=True)
    await ana.session.record(began(ana), "t7", durable=True)

    assert taken(ana) == ["t1", "t2"]


async def test_a_summary_replaces_only_the_removed_turns(
    company: Company,
) -> None:
    ana = company.chat(calls("get_open_invoices"), says("You owe $150."))
    await ana.says("Check my bill")
    session, whole = ana.session, ana.session.state.turns[0].snapshots["c1.1"]

    async def left(snapshot: Snapshot) -> int:
        await session.record(snapshot, "t1", durable=True)
        return len(list(large_results(session.state)))

    without_pictures = replace(whole, complete=False)
    cut = replace(without_pictures, result_summary=["…"])
    lefts = [await left(each) for each in (whole, without_pictures, cut, replace(cut, made_by="model"), cut)]
    await session.record(Summary(last_turn_id="t1", text="Ana owes $150."), durable=True)

    assert lefts == [0, 0, 1, 0, 1]
    assert list(large_results(session.state)) == []


def said(chat: Chat) -> CustomerMessage:
    number = len(chat.session.state.said) + 1
    return CustomerMessage(message_id=f"u{number}", client_message_id=f"x{number}", text="Thank you.")


def began(chat: Chat) -> TurnStarted:
    state = chat.session.state
    return TurnStarted(
        turn_id=f"t{len(state.turns) + 1}", message_id=f"u{len(state.said)}", cause="message", bundle="b"
    )


async def more_turns(chat: Chat, count: int) -> None:
    """Add this number of turns, in which nothing was said."""
    for _ in range(count):
        await chat.session.record(said(chat))
        started = began(chat)
        await chat.session.record(started, started.turn_id)
        await chat.session.record(
            TurnEnded(turn_id=started.turn_id, how="answered"), started.turn_id, durable=True
        )
