"""Measures a conversation's log: waiting times, costs, repetitions, guardrails, consent."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence, Set

from pydantic import BaseModel, ConfigDict

from assistant.conversation.calls import Call
from assistant.conversation.entries import (
    CallEnded,
    CallRequested,
    CallStarted,
    ConfirmationAnswered,
    ConfirmationAsked,
    CustomerMessage,
    GuardrailName,
    Logged,
    MessageClosed,
    MessageText,
    ModelChunks,
    SentenceSuppressed,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.transcript import delivered_text
from assistant.conversation.turn_state import TurnState
from assistant.conversation.usage import Usage
from assistant.formats.json_text import json_text
from assistant.language.facts import Value, is_supported, values_in, values_of
from assistant.language.similarity import repetition
from assistant.prompts.book import PromptBook
from assistant.prompts.locale import DEFAULT_LOCALE
from assistant.replay.checks.response_checks import repeated_sentences


class _Measured(BaseModel):
    model_config = ConfigDict(frozen=True)


class TurnTimes(_Measured):
    """How long a customer waited, in ms: for the first words, for the response, for the first fact, and for
    the whole turn.

    The first words may be an acknowledgement. The first fact is a number, an amount, a date or a time from a
    result of the conversation. None: the turn had none.
    """

    first_ms: int | None
    response_ms: int | None = None
    fact_ms: int | None = None
    whole_ms: int


class Cost(_Measured):
    """Tokens and money of requests; None if a provider does not report it for each request.

    ``cached_tokens`` are part of ``input_tokens``.
    """

    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    usd: float | None = None


class Again(_Measured):
    """How much a turn's response repeated of its announcement, measured in three ways from 0 to 1.

    ``repeats`` is True if a customer would notice it. See :class:`assistant.language.similarity.Repetition`.
    """

    share: float
    run: float
    trigrams: float
    repeats: bool


class Writes(_Measured):
    """The calls of tools with side effects: how many ran, and the tools of those without a required
    confirmation.

    A call counts as unconfirmed if its tool is declared with ``confirm=``, and the customer had not agreed to
    exactly this call.
    """

    ran: int
    unagreed: tuple[str, ...] = ()


def turn_times(entries: Sequence[Logged]) -> list[TurnTimes]:
    """Returns each ended turn's times, counted from the arrival of the customer's message."""
    said: dict[str, int] = {}
    began: dict[str, int] = {}
    opened: dict[str, int] = {}  # the times of each message's first words
    texts: dict[str, str] = {}
    locale = DEFAULT_LOCALE
    known: set[Value] = set()
    first: dict[str, int] = {}
    response: dict[str, int] = {}
    fact: dict[str, int] = {}
    found: list[TurnTimes] = []
    for logged in entries:
        turn = logged.turn_id
        match logged.entry:
            case CustomerMessage(message_id=message):
                said[message], locale = logged.at_ms, logged.entry.locale
            case TurnStarted(message_id=message):
                began[turn] = said[message]
            case CallEnded(outcome=CallSucceeded(value=value)):
                known |= values_of(value, locale)
            case MessageText(message_id=message, text=text):
                first.setdefault(turn, logged.at_ms)
                opened.setdefault(message, logged.at_ms)
                texts[message] = texts.get(message, "") + text
                if turn not in fact and _states_fact(texts[message], known, locale):
                    fact[turn] = logged.at_ms
            case MessageClosed(message_id=message, kind="response") if message in opened:
                response.setdefault(turn, opened[message])
            case TurnEnded():
                start = began[turn]
                waits = [at[turn] - start if turn in at else None for at in (first, response, fact)]
                found.append(
                    TurnTimes(
                        first_ms=waits[0],
                        response_ms=waits[1],
                        fact_ms=waits[2],
                        whole_ms=logged.at_ms - start,
                    )
                )
            case _:
                pass
    return found


def _states_fact(text: str, known: Set[Value], locale: str) -> bool:
    """Whether a text states a value of the results. A name or a count is not enough."""
    stated = (value for value in values_in(text, locale) if value.kind not in ("name", "count"))
    return any(is_supported(value, known) for value in stated)


def cost_in(used: Usage) -> Cost:
    """Returns the part of the usage that a row stores."""
    return Cost(
        input_tokens=used.input_tokens,
        cached_tokens=used.cached_tokens,
        output_tokens=used.output_tokens,
        usd=used.cost_usd,
    )


def model_errors(entries: Sequence[Logged]) -> list[str]:
    """Returns the errors of failed requests."""
    return [
        logged.entry.error
        for logged in entries
        if isinstance(logged.entry, ModelChunks) and logged.entry.error is not None
    ]


def withheld(entries: Sequence[Logged]) -> list[tuple[GuardrailName, str]]:
    """Returns the sentences that guardrails suppressed, in order, each with the guardrail's name."""
    return [
        (logged.entry.guardrail, logged.entry.text)
        for logged in entries
        if isinstance(logged.entry, SentenceSuppressed)
    ]


def writes(entries: Sequence[Logged], changing: Collection[str], confirmed: Collection[str]) -> Writes:
    """Count the writes in a log, and those that ran without a required yes. It only reads the log.

    A yes allows each call of the question to run once, with exactly these arguments.

    Args:
        entries: the log.
        changing: the tools with side effects.
        confirmed: those of them that may run only after a yes.
    """
    questions: dict[str, ConfirmationAsked] = {}
    requested: dict[tuple[str, str], Call] = {}
    agreed: Counter[tuple[str, str]] = Counter()
    ran, unagreed = 0, list[str]()
    for logged in entries:
        match logged.entry:
            case ConfirmationAsked(confirmation_id=question):
                questions[question] = logged.entry
            case ConfirmationAnswered(confirmation_id=question, answer="yes", agreed_call_ids=only):
                calls = questions[question].calls
                agreed.update(_key(call) for call in calls if not only or call.id in only)
            case CallRequested(call=call):
                requested[logged.turn_id, call.id] = call
            case CallStarted(call_id=call_id, tool=tool) if tool in changing:
                ran += 1
                key = _key(requested[logged.turn_id, call_id], logged.entry)
                if tool in confirmed and not agreed[key]:
                    unagreed.append(tool)
                agreed[key] -= 1
            case _:
                pass
    return Writes(ran=ran, unagreed=tuple(unagreed))


def _key(call: Call, started: CallStarted | None = None) -> tuple[str, str]:
    arguments = call.arguments
    if started is not None and started.arguments is not None:
        arguments = started.arguments
    return call.tool, json_text({name: arguments[name] for name in sorted(arguments)})


def response_repetitions(turns: Sequence[TurnState], book: PromptBook) -> list[Again]:
    """Returns, for each turn with an announcement before a response, the response that repeats most of the
    announcement.

    Sentences that a guardrail suppressed are left out, because the customer did not get them. Repetitions are
    those that the replay check reports: "It is cancelled" after "I'll cancel it" is no repetition.
    """
    compared = (
        max(_compared(turn, book), key=lambda one: (one.repeats, one.share), default=None) for turn in turns
    )
    return [most for most in compared if most is not None]


def _compared(turn: TurnState, book: PromptBook) -> Iterator[Again]:
    locale = turn.message.locale
    words = book.words(locale).repetition
    told: list[str] = []
    for message in turn.messages:
        if message.kind != "response":
            told.append(delivered_text(message))
        elif told:
            said = delivered_text(message)
            measured = repetition(" ".join(told), said, locale)
            yield Again(
                share=measured.share,
                run=measured.run,
                trigrams=measured.trigrams,
                repeats=bool(repeated_sentences(told, said, words, locale)),
            )
