"""A conversation as a model reads it that writes its calls as text: calls and results are text, too."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from assistant.conversation.calls import Call
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View, ViewMessage
from assistant.formats.call_ids import CallIds, ids_by_place
from assistant.formats.results import media_of
from assistant.formats.turns import Finished
from assistant.models.text.openings import CALLS
from assistant.sections.escape import escape
from assistant.sections.nonce import nonce
from assistant.toolchain.tool_chain import ToolChain


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a turn stands, and which media its reader can see: what it reads like depends on both."""

    conversation: str
    number: int
    seen: frozenset[str]


class TurnsAsText:
    """Writes turns as text, and remembers those that are finished.

    Everybody's words are escaped, so that nobody's can be taken for calls or results. Calls bear the ids that tell
    them from new ones, and the observations a code that nobody else knows.

    Args:
        chain: writes calls and results.
        secret: what the codes are made of.
    """

    def __init__(self, chain: ToolChain, secret: bytes) -> None:
        self._chain, self._secret = chain, secret
        self._finished: Finished[tuple[_Place, TurnView]] = Finished()

    def __len__(self) -> int:
        return len(self._finished)

    def of(self, view: View, conversation: str, seen: frozenset[str] = frozenset()) -> tuple[TurnView, ...]:
        """All turns of a view, oldest first. Media of the types in ``seen`` go with the results they came with."""
        return tuple(
            self._turn(turn, _Place(conversation, number, seen), current=number == len(view.turns) - 1)
            for number, turn in enumerate(view.turns)
        )

    def _turn(self, turn: TurnView, place: _Place, *, current: bool) -> TurnView:
        known = self._finished.get(turn)
        if known is not None and known[0] == place:
            return known[1]
        written = TurnView(tuple(self._messages(turn.messages, ids_by_place(turn, place.number), place)))
        if not current:  # The current turn still grows: next time it is another object.
            self._finished.keep(turn, (place, written))
        return written

    def _messages(self, messages: Sequence[ViewMessage], ids: CallIds, place: _Place) -> list[ViewMessage]:
        return [self._message(message, ids, place) for message in messages]

    def _message(self, message: ViewMessage, ids: CallIds, place: _Place) -> ViewMessage:
        match message:
            case FromCustomer(text=text):
                return replace(message, text=escape(text.strip()))
            case FromAssistant(text=text, calls=calls):
                asked = self._calls(calls, ids)
                return FromAssistant("\n\n".join(filter(None, (escape(text.strip()), asked))))
            case FromTools(outcomes=outcomes):
                named = (ids[outcome.call.id] for outcome in outcomes)
                code = nonce(self._secret, place.conversation, *named)
                media = (
                    each for outcome in outcomes for each in media_of(outcome) if each.mime in place.seen
                )
                return FromCustomer(self._chain.results(outcomes, code, place.seen), tuple(media))
            case _:
                assert_never(message)

    def _calls(self, calls: Sequence[Call], ids: CallIds) -> str:
        return self._chain.text_format.format(CALLS, self._chain.write(calls, ids)) if calls else ""


def earlier_calls(view: View) -> Mapping[str, Call]:
    """The calls that stand in a view, by the ids under which the model is shown them."""
    return {
        ids_by_place(turn, number)[call.id]: call
        for number, turn in enumerate(view.turns)
        for message in turn.messages
        if isinstance(message, FromAssistant)
        for call in message.calls
    }
