"""Plays answers to read-backs and judges them by what ran."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from assistant.errors import AssistantError
from assistant.testing.virtual_time import run_virtually
from benchmarks.proof.conversation import Talk, open_talk
from benchmarks.proof.questions import QUESTIONS
from benchmarks.proof.rows import AnswerRow, Call
from benchmarks.proof.trades import Trades

_SAYS = {"en": "I see. What would you like me to do?", "de": "Verstehe. Was möchten Sie?"}
_NOTHING = ("not changed anything", "left everything as it was", "nichts geändert", "alles so gelassen")
"""What may not be said of something that was done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerResult:
    """What became of an answer.

    ``ran``: the changes since the answer. ``not_agreed``: those of them that it did not allow. ``read_as``: how the
    log has it. ``closed``: no question is open any more. ``problem``: why the row could not be played.
    """

    row: AnswerRow
    understood: bool
    ran: tuple[Call, ...] = ()
    not_agreed: tuple[Call, ...] = ()
    read_as: str = ""
    closed: bool = False
    asked_again: bool = False
    model_asked: bool = False
    shown: tuple[str, ...] = ()
    problem: str = ""


def play_answer(row: AnswerRow, trades: Trades) -> AnswerResult:
    """Play one row in a conversation of its own."""
    question = QUESTIONS[row.question]
    trades.open_books(question.trade)
    try:
        return run_virtually(_play(row, trades))
    except AssistantError as error:
        return AnswerResult(row=row, understood=False, problem=str(error))


async def _play(row: AnswerRow, trades: Trades) -> AnswerResult:
    question = QUESTIONS[row.question]
    async with open_talk(trades, question.trade, row.locale) as talk:
        talk.model.plan(question.calls, _SAYS[row.locale])
        await talk.says(question.asks_for(row.locale))
        asked = talk.session.question
        if asked is None or [call.tool for call in asked.calls] != [tool for tool, _ in question.calls]:
            was = "nothing" if asked is None else repr(asked.read_back)
            return AnswerResult(row=row, understood=False, problem=f"{was} was asked")
        if row.want == "late":
            await talk.says("Ja" if row.locale == "de" else "Yes", button="yes")
        seq = talk.seq
        talk.model.plan(row.next, _SAYS[row.locale])
        turns = await talk.says(row.text, spoken=row.form == "speech")
        await talk.session.at_rest()
        ran = talk.changes_since(seq)
        again = any(turn.asked is not None for turn in turns)
        result = AnswerResult(
            row=row,
            understood=False,
            ran=tuple(ran),
            not_agreed=tuple(_beyond(ran, _allowed(row, talk))),
            read_as=next((turn.answered.answer for turn in turns if turn.answered is not None), ""),
            closed=talk.session.question is None,
            asked_again=again,
            model_asked=talk.model_asked_since(seq),
            shown=tuple(message.text for turn in turns for message in turn.messages),
        )
        return _judged(result, talk)


def _allowed(row: AnswerRow, talk: Talk) -> list[Call]:
    """What the answer agreed to."""
    asked = talk.checked(QUESTIONS[row.question].calls)
    match row.want:
        case "yes" | "yes+" | "either":
            return asked
        case "first":
            return asked[:1]
        case "second":
            return asked[1:2]
        case "correction":
            # The part of a question that is left over may run at once: the customer has just agreed to it.
            return talk.checked(row.next)
        case "no" | "hold" | "unclear" | "other" | "late":
            return []
        case _:
            assert_never(row.want)


def _judged(result: AnswerResult, talk: Talk) -> AnswerResult:
    row, ran = result.row, result.ran
    match row.want:
        case "yes" | "yes+" | "first" | "second":
            good = _same(ran, _allowed(row, talk))
        case "either":
            good = not ran or _same(ran, _allowed(row, talk))
        case "no":
            good = not ran and result.closed
        case "hold" | "unclear" | "other":
            good = not ran
        case "correction":
            good = not result.not_agreed and (bool(ran) or result.model_asked or not result.closed)
        case "late":
            good = not ran and not any(words in text for text in result.shown for words in _NOTHING)
        case _:
            assert_never(row.want)
    return replace(result, understood=good)


def _same(ran: Sequence[Call], wanted: Sequence[Call]) -> bool:
    return Counter(map(_key, ran)) == Counter(map(_key, wanted))


def _beyond(ran: Sequence[Call], allowed: Sequence[Call]) -> list[Call]:
    """Those that ran without leave, or once more than they should."""
    left = Counter(map(_key, allowed))
    beyond: list[Call] = []
    for call in ran:
        left[_key(call)] -= 1
        if left[_key(call)] < 0:
            beyond.append(call)
    return beyond


def _key(call: Call) -> str:
    tool, arguments = call
    return f"{tool} {sorted((name, str(value)) for name, value in arguments.items() if value is not None)}"
