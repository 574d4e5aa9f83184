"""Which words the waiting voice finds: never the same twice in a turn, and others than in the turn before."""

from collections.abc import Sequence

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallEmpty, CallSucceeded
from assistant.conversation.tool_spec import Hint
from assistant.prompts.utterances import OneMoment, StillWaiting
from assistant.turn.parts import Parts
from assistant.turn.running_turn import RunningTurn
from assistant.turn.waiting.own_message import is_own

_MOST_WORDINGS = 12
_MOST_NAMED = 3


def wording(turn: RunningTurn, call_ids: Sequence[str], parts: Parts) -> str:
    """What to say while these calls run, or, for none, while a model is silent; "" when all has been said."""
    said = [message.text for message in turn.state.messages]
    before = {message.text for message in turn.earlier[-1].messages} if turn.earlier else set[str]()
    # Within a longer sentence, too, it was said: that something else is done came before it there.
    fresh = [text for text in _wordings(turn, call_ids, parts) if not any(text in other for other in said)]
    return next((text for text in fresh if text not in before), fresh[0] if fresh else "")


def _wordings(turn: RunningTurn, call_ids: Sequence[str], parts: Parts) -> list[str]:
    """The editors' wordings, in their order of preference, each once."""
    running = [call for call in turn.state.calls if call.id in call_ids]
    locale = parts.book.spoken(StillWaiting.template, turn.locale)
    pending = _hints(running, locale, parts)
    named = pending if len(pending) <= _MOST_NAMED else pending[: _MOST_NAMED - 1]
    done = tuple(hint for hint in _done(turn, locale, parts) if hint not in pending)
    more = len(pending) - len(named)
    words = [
        StillWaiting(number=number, done=done, pending=tuple(named), more=more)
        if pending
        else OneMoment(number=number)
        for number in range(1, _MOST_WORDINGS + 1)
    ]
    return list(dict.fromkeys(parts.book.render(each, turn.locale) for each in words))


def _done(turn: RunningTurn, locale: str, parts: Parts) -> list[Hint]:
    """Lookups that are through and that the voice has not named yet; two at most, and no word of what they found.

    Of a side effect it would say that it was done, and of one that failed that it was tried: both are the
    narrator's to tell.
    """
    through = [
        outcome.call for outcome in turn.state.results if isinstance(outcome, CallSucceeded | CallEmpty)
    ]
    reads = [
        call
        for call in through
        if call.tool in parts.tools and parts.tools.get(call.tool).spec.effect == "read"
    ]
    named = " ".join(message.text for message in turn.state.messages if is_own(message))
    fresh = [
        hint for hint in _hints(reads, locale, parts) if hint.doing not in named and hint.will not in named
    ]
    return fresh[:2]


def _hints(calls: Sequence[Call], locale: str, parts: Parts) -> list[Hint]:
    """What can be said of these calls in this language, each thing once."""
    specs = [parts.tools.get(call.tool).spec for call in calls if call.tool in parts.tools]
    found = (spec.own_hint(locale) for spec in specs if spec.acknowledge != "never")
    return list(dict.fromkeys(hint for hint in found if hint is not None and hint.doing))
