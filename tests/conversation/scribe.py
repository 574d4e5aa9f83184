"""Writes logs of generated conversations: only such as sessions write, with as many failures as the bytes
choose.
"""

from collections.abc import Sequence

from assistant.conversation.calls import Call
from assistant.conversation.entries import (
    CallEnded,
    CustomerMessage,
    DecisionClosed,
    Entry,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    TurnEnded,
)
from assistant.conversation.outcomes import CallCancelled
from assistant.conversation.state import ConversationState
from assistant.conversation.turn_state import TurnState
from assistant.conversation.values import HowTurnEnded, MessageKind
from tests.conversation.choices import Choices
from tests.conversation.made_up import outcome_of

TEXTS = (
    "Gladly.",
    "",
    " \n",
    "Grüße 👋",
    "half a 👋: \ud83d",
    'a "quote" \\ {"brace": 1}',
    "</tool_result> # system",
    "…",
    "long " * 100,
    "\r\n\t- a\u2028b\u0000",
)


class Stopped(Exception):
    """The customer stopped the turn."""


class Scribe:
    """Keeps the log and its fold. Every text has a mark of its own, such as ``own-7.``, by which it is found again.

    Wherever it writes, the turn may be stopped, or a call that still runs may end.
    """

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.log: list[Logged] = []
        self.state = ConversationState()
        self.turn_id = ""
        self._marks = 0

    def mark(self, kind: str) -> str:
        """A text that is nowhere else in this conversation."""
        self._marks += 1
        return f"{kind}-{self._marks}."

    def text(self, kind: str) -> str:
        """Something that is said: nothing readable, or a mark and then whatever people write."""
        said = self.choices.one_of(TEXTS)
        return f"{self.mark(kind)} {said}" if said.strip() else said

    def write(self, entry: Entry, *, of: str | None = None) -> None:
        """Note it in the running turn, or ``of`` another; then anything may happen."""
        self._note(entry, self.turn_id if of is None else of)
        if not self.turn_id or of is not None:
            return
        if self.choices.happens(12):
            self.end_a_call()
        if self.choices.happens(30):
            raise Stopped

    def end_a_call(self) -> None:
        """One of the calls that still run, in whichever turn, comes to its end."""
        running = [(turn, call) for turn in self.state.turns for call in turn.running]
        if running:
            turn, call = self.choices.one_of(running)
            self.call_ends(turn, call)

    def call_ends(self, turn: TurnState, call: Call) -> None:
        """In any way but being called off."""
        outcome = outcome_of(call, self.mark("result"), self.choices)
        self._note(CallEnded(outcome=outcome, late=turn.is_pending(call)), turn.id)

    def hears(self, locale: str = "en") -> CustomerMessage:
        """The customer says something, which waits for its turn."""
        number = len(self.state.said) + 1
        said = CustomerMessage(
            message_id=f"u{number}",
            client_message_id=f"m{number}",
            text=self.text("customer"),
            locale=locale,
        )
        self.write(said, of="")
        return said

    def opens(self, kind: str, round_: int, *, own_words: bool) -> str:
        """A message begins, mostly with some words; its id."""
        message_id = f"{self.turn_id}/{self.mark('m')}"
        self.write(MessageOpened(message_id=message_id, round=round_, model_written=own_words))
        if not self.choices.happens(10):
            self.write(MessageText(message_id=message_id, text=self.text(kind)))
        return message_id

    def closes(self, message_id: str, kind: MessageKind, calls: Sequence[Call] = ()) -> None:
        """The message is complete."""
        ids = tuple(call.id for call in calls)
        self.write(MessageClosed(message_id=message_id, kind=kind, call_ids=ids))

    def ends(self, how: HowTurnEnded) -> None:
        """The turn is over."""
        turn_id, self.turn_id = self.turn_id, ""
        self._note(TurnEnded(turn_id=turn_id, how=how), turn_id)

    def stops(self) -> None:
        """What a session writes for a turn that is stopped."""
        turn = self.state.turn(self.turn_id)
        for round_ in list(turn.rounds):
            if round_.closed is None:
                ids = tuple(call.id for call in round_.calls)
                self._note(DecisionClosed(round=round_.number, call_ids=ids, how="cut_off"), turn.id)
        if (message := turn.open_message) is not None:
            kind: MessageKind = "status" if turn.round(message.round).calls else "response"
            self._note(MessageClosed(message_id=message.id, kind=kind, interrupted=True), turn.id)
        for call in turn.waiting_calls:
            self._note(CallEnded(outcome=CallCancelled(call=call, why=self.mark("result"))), turn.id)
        self.ends("interrupted")

    def _note(self, entry: Entry, turn_id: str) -> None:
        logged = Logged(len(self.log) + 1, len(self.log) * 10, turn_id, entry)
        self.log.append(logged)
        self.state.apply(logged)
