"""`all_outcomes_reported`: each call has one outcome, and the answer mentions each result.

If it is uncertain, it reports nothing: one relevant word in the answer is enough.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from assistant.conversation.calls import Call, round_of
from assistant.conversation.entries import CallEnded
from assistant.conversation.outcomes import (
    CallAwaitingConfirmation,
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Outcome,
    outcome_name,
)
from assistant.conversation.tool_spec import NO_HINT, Hint
from assistant.conversation.values import Json
from assistant.language.facts import is_supported, values_in, values_of
from assistant.language.sentences import sentences
from assistant.language.words import carries_meaning, content_stems, denies, stem, words
from assistant.prompts.locale import language
from assistant.prompts.words import WordList
from assistant.replay.checks.transcript import (
    CheckFailure,
    Moment,
    PlayedCall,
    PlayedTurn,
    Transcript,
    listed,
    quoted,
)


def all_outcomes_reported(transcript: Transcript, turn: PlayedTurn) -> Iterator[CheckFailure]:
    """Report calls without an outcome or with several, and results that no message mentions."""
    yield from _ended_once(turn)
    if turn.state.how in ("answered", "awaiting_confirmation"):
        yield from _told(transcript, turn)


def _ended_once(turn: PlayedTurn) -> Iterator[CheckFailure]:
    ended = [one.entry.outcome for one in turn.entries if isinstance(one.entry, CallEnded)]
    for call in turn.calls:
        names = [outcome_name(one) for one in ended if one.call.id == call.call.id]
        if len(names) != 1:
            found = listed(names, "it started and never ended" if call.started else "none")
            expected = f"one outcome of {call.call.tool}"
            last, first = call.ended or call.started, call.started or call.ended
            at = Moment(last.at_ms, first.seq) if last is not None and first is not None else None
            yield turn.failure("all_outcomes_reported", expected=expected, found=found, at=at)


@dataclass(frozen=True, slots=True)
class _Owed:
    """A result that the customer must be told: the text after it, and the stems of its subject."""

    call: PlayedCall
    outcome: Outcome
    text: str
    topic: frozenset[str]


def _told(transcript: Transcript, turn: PlayedTurn) -> Iterator[CheckFailure]:
    locale = turn.state.message.locale
    results = turn.state.results
    owed = [
        _Owed(
            call,
            call.outcome,
            _text_after(transcript, turn, call, call.ended),
            topic_of(call.call, transcript, locale),
        )
        for call in turn.calls
        if call.ended is not None and call.outcome is not None and call.outcome in results
    ]
    failed = [one for one in owed if _has_failed(one.outcome) and not _made_good(one, turn, owed)]
    for one in failed:
        if not _admitted(one, failed, locale):
            yield _silent(turn, one)
    last = max((round_of(one.call.call.id) for one in owed), default=0)
    for one in owed:
        found = isinstance(one.outcome, CallSucceeded | CallEmpty)
        # A result of an earlier round may only have been needed for the next round.
        if found and round_of(one.call.call.id) == last and not _spoken_of(one, owed, locale):
            yield _silent(turn, one)


def _text_after(transcript: Transcript, turn: PlayedTurn, call: PlayedCall, ended: Moment) -> str:
    """Returns the text after the call's end: in its turn, and in later messages that report its result."""
    ref = (turn.state.id, call.call.id)
    tellings = [
        one.state for one in transcript.turns if one.state.told is not None and ref in one.state.told.calls
    ]
    later = [state.message_said(state.told.message_id).text for state in tellings if state.told is not None]
    return "\n".join([turn.text_after(ended), *later]).strip()


def _has_failed(outcome: Outcome) -> bool:
    """Whether the customer must be told that it failed.

    A customer who declined a question knows it already.
    """
    match outcome:
        case CallFailed() | CallTimedOut() | CallUnknown():
            return True
        case CallDenied(say=say):
            return say != ""
        case CallSucceeded() | CallEmpty() | CallCancelled() | CallAwaitingConfirmation():
            return False


def _made_good(failed: _Owed, turn: PlayedTurn, owed: Sequence[_Owed]) -> bool:
    """Whether a later round called the same tool again, or found the same by another call."""
    round_ = round_of(failed.call.call.id)
    later = [call for call in turn.calls if round_of(call.call.id) > round_]
    if later and failed.call.started is None:
        return True  # the call could not run, and the model was told so
    if any(call.call.tool == failed.call.call.tool for call in later):
        return True
    return any(
        isinstance(one.outcome, CallSucceeded)
        and round_of(one.call.call.id) > round_
        and not failed.topic.isdisjoint(one.topic)
        for one in owed
    )


def _admitted(one: _Owed, failed: Sequence[_Owed], locale: str) -> bool:
    said = stems_of(one.text, locale)
    clause = _clause(one.outcome)
    reasons = stems_of(clause, locale) | stems_of(clause, "en")
    if reasons and 2 * len(reasons & said) >= len(reasons):
        return True
    if not admits(one.text, locale) and not _asked_back(one, locale):
        return False
    # "I couldn't do either" mentions none of them; but a text that mentions one has left out the others.
    named = [other for other in failed if not other.topic.isdisjoint(said)]
    others = {stem for other in named for stem in other.topic}
    return one in named or not named or not one.topic - others


def _asked_back(one: _Owed, locale: str) -> bool:
    """Whether the customer is asked for better input.

    If the tool had started, the text must contain a negation, too.
    """
    begun = one.call.started is not None
    return asks_back(one.text, locale) and (not begun or any(denies(word) for word in words(one.text)))


def _spoken_of(one: _Owed, owed: Sequence[_Owed], locale: str) -> bool:
    if not one.text.strip():
        return False
    said = stems_of(one.text, locale)
    data = one.outcome.value if isinstance(one.outcome, CallSucceeded | CallEmpty) else None
    evidence = one.topic | stems_in(data, locale)
    known = values_of(data, locale)
    if len(owed) == 1 or not evidence.isdisjoint(said):
        return True
    if isinstance(one.outcome, CallEmpty):
        return any(denies(word) for word in words(one.text))
    if any(is_supported(value, known) for value in values_in(one.text, locale)):
        return True
    return not known  # a result without values, such as true, can be reported in any words


def _clause(outcome: Outcome) -> str:
    return outcome.say if isinstance(outcome, CallFailed | CallDenied) else ""


def _silent(turn: PlayedTurn, one: _Owed) -> CheckFailure:
    clause = _clause(one.outcome)
    because = f" ({clause})" if clause else ""
    failed = _has_failed(one.outcome)
    word = "an admission of the failure of" if failed else "a statement about"
    expected = f"{word} {one.call.call.tool}, which ended {outcome_name(one.outcome)}{because}"
    text = " ".join(one.text.split())
    found = f"{quoted(text)} {'does not admit it' if failed else 'does not mention it'}"
    last = turn.messages[-1].began if turn.messages and text else None
    found = found if text else "nothing was said"
    return turn.failure("all_outcomes_reported", expected=expected, found=found, at=last or turn.ended_ms)


_EVERYDAY = frozenset(map(stem, ("get", "list", "find", "look", "check", "fetch", "show", "open", "see")))
_NO_HINTS: Mapping[str, Hint] = {}


def topic_of(call: Call, transcript: Transcript, locale: str) -> frozenset[str]:
    """Returns the stems that name a call's subject, without words such as "look up", which many tools share."""
    spec = transcript.specs.get(call.tool)
    hints = spec.hints if spec is not None else _NO_HINTS
    english = [call.tool.replace("_", " ").replace(".", " "), hints.get("en", NO_HINT).doing]
    local = [hint.doing for name, hint in hints.items() if language(name) == language(locale)]
    looking = {stem(word, locale) for word in transcript.book.words(locale).repetition.looking}
    looking |= {stem(word) for word in transcript.book.words("en").repetition.looking}
    found = {one for text in english for one in content_stems(text)}
    found |= {one for text in local for one in content_stems(text, locale)}
    return with_synonyms(found - looking - _EVERYDAY)


def stems_of(text: str, locale: str) -> frozenset[str]:
    """Returns the stems of a text in its language and in English, because names in data are mostly English."""
    return frozenset(content_stems(text, locale)) | frozenset(content_stems(text))


def stems_in(data: Json, locale: str) -> frozenset[str]:
    """Returns the stems of all words in a result, including its field names."""
    return frozenset(
        one
        for text in _texts(data)
        for word in words(text.replace("_", " "))
        if carries_meaning(word, locale)
        for one in (stem(word, locale), stem(word))
    )


def _texts(data: Json) -> Iterator[str]:
    match data:
        case None | bool() | int() | float():
            return
        case str():
            yield data
        case Mapping():
            for key, value in data.items():
                yield str(key)
                yield from _texts(value)
        case _:
            for one in data:
                yield from _texts(one)


def _each(english: str, german: str) -> frozenset[str]:
    stems = {stem(word) for word in english.split()}
    return frozenset(stems | {stem(word, locale) for word in german.split() for locale in ("en", "de")})


_SYNONYMS: Final = (
    _each(
        "invoice billing bill payment pay paid unpaid owe owed owing due balance account charge settled debt",
        "rechnung rechnungen zahlung zahlen bezahlt beglichen schulden schuldig offen konto betrag fällig",
    ),
    _each(
        "order package parcel delivery shipment shipped delivered arrive arrived",
        "bestellung paket lieferung sendung verschickt geliefert zugestellt unterwegs",
    ),
    _each(
        "appointment visit booking booked calendar",
        "termin termine besuch buchung gebucht kalender",
    ),
)


def with_synonyms(topic: AbstractSet[str]) -> frozenset[str]:
    """Returns the stems together with the stems of their synonyms; English and German.

    >>> "owe" in with_synonyms({"invoic"}), "owe" in with_synonyms({"weather"})
    (True, False)
    """
    return frozenset(topic).union(*(group for group in _SYNONYMS if not group.isdisjoint(topic)))


_FAILURES: Final[Mapping[str, WordList]] = {
    locale: WordList(tuple(part.strip() for part in text.split(",")))
    for locale, text in {
        "en": """
        couldn't, could not, can't, can not, cannot, wasn't able, was not able, weren't able, were not able,
        not been able, haven't been able, hasn't been, isn't able, am not able, i'm not able,
        we're not able, unable, didn't, did not, won't, will not, doesn't, does not, isn't available,
        is not available, isn't possible, is not possible, not possible, not allowed, not permitted,
        unavailable, unreachable, out of reach, failed, fails, failure, went wrong, gone wrong, goes wrong,
        problem, problems, trouble, error, errors, issue, issues, difficulty, difficulties, sorry,
        apologise, apologize, apologies, apology, unfortunately, regret, afraid, timed out, time out,
        too long, in time, no answer, no response, no reply, not responding, isn't responding,
        not answering, isn't answering, no luck, no access, not working, isn't working, is down, are down,
        offline, not yet, try again, try that again, later, not sure, not certain, don't know, do not know,
        don't have, do not have, denied, refused, not confirmed, no confirmation, not completed, incomplete,
        not through, not find, missed
    """,
        "de": """
        konnte nicht, kann nicht, konnten nicht, können nicht, nicht möglich, nicht erreichbar,
        nicht erreichen, nicht erreicht, nicht geklappt, nicht gelungen, nicht geschafft, nicht verfügbar,
        nicht abrufen, nicht prüfen, nicht nachsehen, nicht finden, nicht laden, nicht rechtzeitig,
        nicht funktioniert, nicht dazu, nicht sagen, nicht erledigen, nicht ansehen, nicht durchführen,
        nicht antworten, antwortet nicht, nicht geantwortet, nicht geht, geht nicht, ging nicht,
        klappt nicht, darf ich nicht, darf ich hier nicht, leider, fehler, fehlgeschlagen, schiefgegangen,
        schief gegangen, problem, probleme, störung, entschuldigung, entschuldigen, verzeihung,
        tut mir leid, bedaure, bedauern, zu lange, keine antwort, keinen zugriff, keine verbindung, gestört,
        ausgefallen, später noch einmal, später nochmal, versuchen sie es, noch einmal versuchen, unklar,
        nicht sicher, weiß nicht, weiß ich nicht, nicht abgeschlossen, verweigert, abgelehnt
    """,
    }.items()
}
"""Phrases that admit a failure, by language."""


_ASKING: Final = frozenset(
    (
        *("which", "what", "when", "who", "whose", "where", "how", "mean", "meant"),
        *("welche", "welchen", "welcher", "welches", "was", "wann", "wer", "wo", "wie", "meinen", "meinten"),
    )
)
_OFFERING: Final = frozenset(("else", "help", "sonst", "noch", "helfen"))


def admits(text: str, locale: str) -> bool:
    """Whether the text admits a failure; True in a language without word lists.

    >>> admits("I couldn't reach billing just now.", "en"), admits("You owe nothing.", "en")
    (True, False)
    >>> admits("Das hat leider nicht geklappt.", "de-AT"), admits("Helaas niet.", "nl")
    (True, True)
    """
    listed = _FAILURES.get(language(locale))
    return listed is None or text in listed


def asks_back(text: str, locale: str) -> bool:
    """Whether the text asks the customer for missing data; "what else can I do?" does not.

    >>> asks_back("November has no 31st; which day do you mean?", "en"), asks_back("Anything else?", "en")
    (True, False)
    """
    asked = [set(words(one)) for one in sentences(text, locale) if one.rstrip().endswith("?")]
    return any(not said.isdisjoint(_ASKING) and said.isdisjoint(_OFFERING) for said in asked)
