"""``hears``: the messages that the customer is to hear, each after the one before."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assistant.conversation.transcript import readable
from assistant.conversation.turn_state import is_heard_out
from assistant.replay.complaint import Complaint
from assistant.replay.expect.held import Moment, PlayedMessage, PlayedTurn
from assistant.replay.expect.matching import contains, matches
from assistant.replay.expect.part import Part
from assistant.replay.expect.phrases import a_kind, ms, quoted, the_message, took_ms
from assistant.replay.expectations import Hears


def hears(part: Part) -> Iterator[Complaint]:
    """Complain of each message that did not come, not in its order, not in time, or not to its end."""
    messages, heard = part.messages, 0
    for number, wanted in enumerate(part.expect.hears):
        left = [_compare(wanted, *message) for message in messages[heard:]]
        best = min(left, key=lambda one: (len(one.differs), len(one.otherwise)), default=None)
        if best is not None and not best.differs:
            heard += left.index(best) + 1
            if not best.otherwise:
                continue
            found = f"{best.text}: {'; '.join(best.otherwise)}"
        else:
            found = _instead(best, [_compare(wanted, *message) for message in messages[:heard]])
        began = best.began if best is not None else None
        yield part.complaint(
            "hears",
            number,
            expected=_wanted(wanted),
            found=found,
            at_ms=began.at_ms if began is not None else None,
            seq=began.seq if began is not None else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Compared:
    """A message against the wanted one: what of its words ``differs``, and what of the rest is ``otherwise``."""

    text: str
    began: Moment | None
    differs: Sequence[str]
    otherwise: Sequence[str]


def _compare(wanted: Hears, turn: PlayedTurn, message: PlayedMessage) -> _Compared:
    first, last = took_ms(turn, message)
    return _Compared(
        text=the_message(message.said),
        began=message.began,
        differs=list(_words(wanted, message)),
        otherwise=list(_rest(wanted, message, first, last)),
    )


def _words(wanted: Hears, message: PlayedMessage) -> Iterator[str]:
    said = message.said
    if wanted.kind is not None and said.kind != wanted.kind:
        yield f"it is {a_kind(said.kind)}"
    text = readable(said)
    if wanted.text is not None and text.strip() != wanted.text.strip():
        yield "its words differ"
    for words in wanted.text_contains:
        if not contains(text, words):
            yield f"without {quoted(words)}"
    if wanted.text_matches is not None and not matches(text, wanted.text_matches):
        yield f"it does not match {quoted(wanted.text_matches)}"


def _rest(wanted: Hears, message: PlayedMessage, first: int, last: int) -> Iterator[str]:
    interrupted = message.said.interrupted or not is_heard_out(message.said)
    if wanted.interrupted is not None and interrupted != wanted.interrupted:
        yield "it was interrupted" if interrupted else "it was not interrupted"
    if wanted.within_ms is not None and first > wanted.within_ms:
        yield f"its first words came after {ms(first)}"
    if wanted.complete_within_ms is not None and last > wanted.complete_within_ms:
        yield f"its last words came after {ms(last)}"


def _wanted(wanted: Hears) -> str:
    text = a_kind(wanted.kind)
    if wanted.text is not None:
        text += f" {quoted(wanted.text)}"
    if wanted.text_contains:
        text += f" with {' and '.join(map(quoted, wanted.text_contains))}"
    if wanted.text_matches is not None:
        text += f" that matches {quoted(wanted.text_matches)}"
    if wanted.interrupted is not None:
        text += ", interrupted" if wanted.interrupted else ", not interrupted"
    if wanted.within_ms is not None:
        text += f", within {ms(wanted.within_ms)}"
    if wanted.complete_within_ms is not None:
        text += f", complete within {ms(wanted.complete_within_ms)}"
    return text


def _instead(best: _Compared | None, before: Sequence[_Compared]) -> str:
    """What was said in place of the wanted message; ``best`` is the one that is most like it."""
    early = next((one for one in before if not one.differs), None)
    if early is not None:
        return f"{early.text} came before, not after what was expected before it"
    if best is None:
        return "nothing more was said"
    return f"{best.text}: {', '.join(best.differs)}"
