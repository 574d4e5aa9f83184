"""A crash after any entry: a late or undelivered result is told anyway, and once."""

from collections.abc import Mapping, Sequence

from assistant.conversation.entries import Logged, ResultsDelivered, TurnEnded
from assistant.errors import LogError
from assistant.testing.chat import Chat, StoppingLog
from assistant.testing.fake_tool import Gives
from assistant.testing.script import Line, calls, says
from tests.turn.conftest import Company
from tests.turn.test_resume import chat_over, play, shown
from tests.turn.test_stop import stops

SLOW_S = 40
"""Longer than a turn waits."""

LINES: Mapping[str, Line] = {
    "decider 1": calls("get_open_invoices"),
    "narrator 1": says("That takes longer than usual."),
    "narrator 2": says("About your billing: this is how it stands."),
    "narrator 3": says("About your billing: this is how it stands."),
    "decider 2": says("Gladly."),
}


def slow() -> Company:
    company = Company()
    company.respec(company.billing, timeout_s=60)
    company.billing.behaviour = Gives(150, after_s=SLOW_S)
    return company


async def played(log: StoppingLog, entries: Sequence[Logged], messages: Sequence[str]) -> Chat:
    """Everything that is to be said and told, as far as the log takes it."""
    chat = chat_over(log, entries, dict(LINES), slow())
    try:
        await play(chat, messages)
        await chat.session.at_rest()
    except LogError:
        assert chat.session.failed
    await chat.session.close()
    return chat


def tellings(chat: Chat) -> list[str]:
    return [line for line in chat.transcript if "About your billing" in line]


async def test_a_late_result_is_told_once_after_a_crash_at_any_entry() -> None:
    whole = StoppingLog(10_000)
    assert len(tellings(await played(whole, [], ["My bill?"]))) == 1

    for most in range(1, len(whole.kept) + 1):
        before = StoppingLog(most)
        await played(before, [], ["My bill?"])
        after = StoppingLog(10_000, kept=list(before.kept))
        again = await played(after, before.kept, ["My bill?"])

        assert len(tellings(again)) == 1, f"after {most} entries"
        check_nothing_shown_is_lost(before.kept, after.kept)
        assert isinstance(after.kept[-1].entry, TurnEnded)


async def test_an_undelivered_result_is_told_once_after_a_crash_at_any_entry() -> None:
    company = slow()
    company.billing.behaviour = Gives(150, after_s=3)
    stopped = StoppingLog(10_000)
    ana = chat_over(stopped, [], dict(LINES), company)
    await stops(ana, "My bill?", after_s=1, company=company)
    await ana.session.at_rest()
    messages = ["My bill?", "Thanks"]
    whole = StoppingLog(10_000, kept=list(stopped.kept))
    assert len(tellings(await played(whole, stopped.kept, messages))) == 1

    for most in range(len(stopped.kept) + 1, len(whole.kept) + 1):
        before = StoppingLog(most, kept=list(stopped.kept))
        await played(before, stopped.kept, messages)
        after = StoppingLog(10_000, kept=list(before.kept))
        again = await played(after, before.kept, messages)

        assert len(tellings(again)) == 1, f"after {most} entries"
        check_nothing_shown_is_lost(before.kept, after.kept)
        told = [logged.entry for logged in after.kept if isinstance(logged.entry, ResultsDelivered)]
        assert {entry.calls for entry in told} == {(("t1", "c1.1"),)}


def check_nothing_shown_is_lost(before: Sequence[Logged], after: Sequence[Logged]) -> None:
    then, now = shown(before), shown(after)
    for was, is_ in zip(then, now, strict=False):
        assert is_ == was or (was == then[-1] and is_.startswith(was))
    assert len(now) >= len(then)
