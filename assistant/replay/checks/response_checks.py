"""The checks of each response: `grounded`, `claims`, `no_repetition` and `language`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, timedelta
from functools import lru_cache
from itertools import takewhile

from assistant.conversation.calls import round_of
from assistant.conversation.entries import (
    AgentMessage,
    CallEnded,
    CallStarted,
    CustomerMessage,
    ForwardedToAgent,
    Handoff,
    LongCallProgressed,
)
from assistant.conversation.outcomes import CallDenied, CallEmpty, CallFailed, CallProgress, CallSucceeded
from assistant.conversation.turn_state import TurnState
from assistant.language.facts import Value, is_supported, values_in, values_of
from assistant.language.sentences import sentences
from assistant.language.similarity import repetition
from assistant.language.words import content_stems, denies, stem, words
from assistant.prompts.book import PromptBook
from assistant.prompts.locale import language as language_part
from assistant.prompts.locale import language_name
from assistant.prompts.words import RepetitionWords
from assistant.replay.checks.transcript import (
    CheckFailure,
    PlayedMessage,
    PlayedTurn,
    Transcript,
    listed,
    quoted,
)
from assistant.turn.guardrails.call_evidence import Receipt, receipts_of_pending
from assistant.turn.guardrails.deeds import deeds_said
from assistant.turn.guardrails.evidence import Evidence, Fault
from assistant.turn.guardrails.pipeline import Proof

_OF_THE_COMPANY = ("voice.toml", "models/_instructions.j2", "models/decider.j2", "models/narrator.j2")
"""Files with the company's statements about itself. The models receive them, so an answer may repeat them."""

_COMMENT = re.compile(r"^#[^\n]*$|\{#.*?#\}", re.MULTILINE | re.DOTALL)
"""Comments in these files, which no model receives."""

_FULL_DATE = len("2026-11-24")
_UNITS = {
    word: days
    for days, both in ((1, "day days tag tage tagen"), (7, "week weeks woche wochen"))
    for word in both.split()
}


def grounded(transcript: Transcript, turn: PlayedTurn) -> Iterator[CheckFailure]:
    """Report each response with a value that is in no result, message or prompt."""
    locale = turn.state.message.locale
    now = transcript.cassette.now + timedelta(milliseconds=turn.said_ms)
    days = [(now + timedelta(days=days)).date().isoformat() for days in (-1, 0, 1)]
    known = {*_of_the_book(transcript.book), *values_of([*days, f"{now:%H:%M}"])}
    if transcript.cassette.customer.name:
        known |= values_of(transcript.cassette.customer.name)
    for earlier in takewhile(lambda one: one.state is not turn.state, transcript.turns):
        known |= _given(earlier.state, locale)
        known |= {one for message in earlier.messages for one in values_of(message.said.text, locale)}
    known |= _given(turn.state, locale) | _by_people(transcript, turn)
    known.add(Value("count", str(len(turn.calls))))
    for message in turn.messages:
        if message.said.kind == "response":
            # Each sentence separately, because a capital after "8 pm." begins a sentence and is not a name.
            unknown = [
                one
                for part in sentences(message.said.text, locale)
                for one in values_in(part, locale)
                if not is_supported(one, known | _days_away(part, known, now.date()))
            ]
            if unknown:
                said = listed(sorted({quoted(one.said) for one in unknown}))
                yield turn.failure(
                    "grounded",
                    expected="values from the results or the conversation only",
                    found=f"{said} in {quoted(message.said.text)}",
                    at=message.began,
                )
        known |= values_of(message.said.text, locale)


def _by_people(transcript: Transcript, turn: PlayedTurn) -> set[Value]:
    """Returns facts from agents' messages, from messages that were forwarded to them, and a ticket's number."""
    known: set[Value] = set()
    said: dict[str, str] = {}
    for logged in transcript.played.entries:
        if logged.at_ms - transcript.played.began_ms > turn.said_ms:
            break
        match logged.entry:
            case CustomerMessage(message_id=id_, text=text):
                said[id_] = text
            case ForwardedToAgent(message_id=id_):
                known |= values_of(said.get(id_, ""), turn.state.message.locale)
            case AgentMessage(name=name, text=text):
                known |= values_of([name, text], turn.state.message.locale)
            case Handoff(name=name, ticket=ticket):
                known |= values_of([name, ticket], turn.state.message.locale)
            case _:
                pass
    return known


def _given(turn: TurnState, locale: str) -> set[Value]:
    """Returns facts from the customer's message, from the arguments of calls, and from their outcomes."""
    known = set(values_of(turn.message.text, locale))
    for call in turn.calls:
        known |= values_of(call.arguments, locale)
    for outcome in turn.outcomes.values():
        match outcome:
            case CallSucceeded() | CallEmpty():
                known |= values_of(outcome.value, locale)
            case CallFailed() | CallDenied():
                known |= values_of([outcome.say, outcome.for_model], locale)
            case _:
                pass
    if turn.asked is not None:
        # The clauses come from the tools. The calls may belong to the turn before.
        known |= values_of(list(turn.asked.clauses), locale)
        for call in turn.asked.calls:
            known |= values_of(call.arguments, locale)
    return known


def _days_away(sentence: str, known: AbstractSet[Value], today: date) -> set[Value]:
    """Returns the distances to all known dates, if the sentence counts days or weeks: "in ten days"."""
    units = {length for word in words(sentence) if (length := _UNITS.get(word)) is not None}
    dates = [one.form for one in known if one.kind == "day" and len(one.form) == _FULL_DATE] if units else []
    away = [abs((date.fromisoformat(form) - today).days) for form in dates]
    return {Value("count", str(days // unit)) for days in away for unit in units if days % unit == 0}


@lru_cache(maxsize=8)
def _of_the_book(book: PromptBook) -> frozenset[Value]:
    """Returns facts from the company's own texts, and its name and the assistant's."""
    texts = [_COMMENT.sub("", book.sources.get(name, "")) for name in _OF_THE_COMPANY]
    return frozenset(value for text in texts for value in values_in(text)) | values_of(
        [book.voice.company, book.voice.name]
    )


def claims(transcript: Transcript, turn: PlayedTurn) -> Iterator[CheckFailure]:
    """Report each sentence of a model with a claim for which there is no evidence."""
    proof = Proof(tuple(transcript.specs.values()), transcript.book, turn.state.message.locale)
    for message in turn.messages:
        if not message.said.model_written or message.began is None:
            continue
        evidence = _evidence(transcript, turn, message, proof)
        asked = False
        for sentence in sentences(message.said.text, proof.locale):
            said = deeds_said(sentence, proof.grammar, proof.own, after_question=asked)
            asked = sentence.rstrip().endswith("?")
            fault = evidence.fault(said) if said else None
            if fault is not None:
                found = quoted(sentence.strip())
                yield turn.failure("claims", expected=_EXPECTED[fault], found=found, at=message.began)


def _progress(transcript: Transcript, until: int, proof: Proof) -> Iterator[Receipt]:
    """Yields the progress that running long calls had reported before entry number ``until``."""
    tools: dict[tuple[str, str], str] = {}
    reported: dict[tuple[str, str], CallProgress] = {}
    for logged in transcript.played.entries:
        if logged.seq >= until:
            break
        match logged.entry:
            case CallStarted(call_id=call_id, tool=tool):
                tools[logged.turn_id, call_id] = tool
            case LongCallProgressed(call_id=call_id, done=done, total=total, unit=unit):
                reported[logged.turn_id, call_id] = CallProgress(done=done, total=total, unit=unit)
            case CallEnded(outcome=outcome):
                reported.pop((logged.turn_id, outcome.call.id), None)
            case _:
                pass
    for place, progress in reported.items():
        yield Receipt(proof.deeds_of(tools[place]), "running", progress=progress)


def _evidence(transcript: Transcript, turn: PlayedTurn, message: PlayedMessage, proof: Proof) -> Evidence:
    """Returns the evidence at the end of the message.

    The calls of the same reply count as calls that follow.
    """
    until = message.ended.seq if message.ended is not None else 0
    ended = [
        (logged.turn_id == turn.state.id, proof.receipt(logged.entry.outcome))
        for logged in transcript.played.entries
        if isinstance(logged.entry, CallEnded) and logged.seq < until
    ]
    others = list(_progress(transcript, until, proof))
    for call in turn.calls:
        its = proof.deeds_of(call.call.tool)
        if call.call.id in turn.state.pending:
            others += receipts_of_pending(its, None)
        if turn.state.asked is not None and call.call in turn.state.asked.calls:
            others.append(Receipt(its, "waiting"))
        elif round_of(call.call.id) == message.said.round:
            others.append(Receipt(its, "coming"))
    return proof.gathered(
        [one for now, one in ended if not now],
        [one for now, one in ended if now],
        others,
        turn.state.message.text,
    )


_PROVEN = "a claim that a call of this conversation proves"
_EXPECTED: Mapping[Fault, str] = {
    "not_done": _PROVEN,
    "unconfirmed": _PROVEN,
    "failed": "no claim: the call failed",
    "unsure": "no claim: it is not known whether the call went through",
    "partly": "a claim of no more than was done",
    "promise": "a promise that a running or coming call fulfils",
    "waiting": "no claim before the customer has agreed",
}


_CUSTOMER = frozenset(("you", "sie", "du"))
_TELLING = frozenset(("a", "an", "one", "some", "still", "ein", "eine", "einen", "einige", "noch"))


def repeated_sentences(
    told: Sequence[str], response: str, said: RepetitionWords, locale: str = "en"
) -> list[str]:
    """Returns the sentences that :func:`assistant.language.similarity.repetition` reports and that contain no
    fact.

    Such a sentence only says that something is looked up. "Your appointment is cancelled" is a fact, although
    "I'll cancel your appointment" came before. So is a sentence with a number, a day, a name or a negation,
    and "I've tracked your order and it was shipped", because no earlier message contained "shipped".

    Args:
        told: the texts that the customer got earlier in this turn, one for each message.
        response: the text that is compared with them.
        said: the locale's words for looking things up.
        locale: the language of both texts.

    >>> from assistant.prompts.book import shipped_book
    >>> said = shipped_book().words("en").repetition
    >>> repeated_sentences(["Sure, I'll check your billing."], "I've checked your billing. You owe $150.", said)
    ["I've checked your billing."]
    """
    looking = {stem(word, locale) for word in said.looking}
    before = " ".join(told)
    # Words without a meaning of their own do not make a sentence new.
    empty = (*said.empty, *said.beside, *said.speaker, *said.neutral)
    old = looking | {*content_stems(before, locale)}
    old |= {stem(word, locale) for phrase in empty for word in words(phrase)}
    return [
        sentence.strip()
        for sentence in sentences(response, locale)
        if old.issuperset(content_stems(sentence, locale))
        and any(stem(word, locale) in looking for word in words(sentence))
        and not _has_a_fact(before, sentence, locale)
        and repetition(before, sentence, locale).repeats
    ]


def _has_a_fact(before: str, sentence: str, locale: str) -> bool:
    said = words(sentence)
    if said and said[0] in _CUSTOMER:
        return True  # "You asked me to check" is about the customer, not about the assistant's work
    if sentence.rstrip().endswith("?") or any(denies(word) for word in said):
        return True
    # "I found an appointment" contains the fact that there is one.
    return not _TELLING.isdisjoint({*said} - {*words(before)}) or bool(values_in(sentence, locale))


def no_repetition(transcript: Transcript, turn: PlayedTurn) -> Iterator[CheckFailure]:
    """Report each response with sentences that an acknowledgement or a status in the same turn contains.

    It uses another measure than the guardrail in the turn, so that each checks the other.
    """
    locale = transcript.book.locale_for(turn.state.message.locale, "en")
    words = transcript.book.words(locale).repetition
    told: list[str] = []
    for message in turn.messages:
        text = message.said.text
        if message.said.kind != "response":
            told.append(text)
        elif again := repeated_sentences(told, text, words, locale):
            expected = f"nothing again of {quoted(' '.join(told))}"
            found = listed(map(quoted, again))
            yield turn.failure("no_repetition", expected=expected, found=found, at=message.began)


def language(transcript: Transcript, turn: PlayedTurn) -> Iterator[CheckFailure]:
    """Report each message in the wrong language. A message that is too short to recognise passes.

    The expected language is that of the customer's message. A message that is too short, or a button, counts
    as having the same language as the message before.
    """
    message = turn.state.message
    button = message.button is not None
    spoken = message.locale if button else transcript.book.language_of(message.text, otherwise=message.locale)
    for said in turn.messages:
        other = transcript.book.language_of(said.said.text, otherwise=spoken)
        if language_part(other) != language_part(spoken):
            found = f"{language_name(other) or other}: {quoted(said.said.text)}"
            expected = language_name(spoken) or spoken
            yield turn.failure("language", expected=expected, found=found, at=said.began)
