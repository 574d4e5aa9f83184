"""The acknowledgement: one sentence that grows with each announced call while the decision streams.

``acknowledge`` makes the whole sentence, ``GrowingAcknowledgement`` makes it piece by piece, and
``Announcement`` shows it in a running turn.
"""

import re
from collections.abc import Sequence

from assistant.conversation.tool_spec import Hint, ToolSpec
from assistant.conversation.values import MessageKind
from assistant.prompts.acknowledgement import AcknowledgementWords, Register
from assistant.prompts.book import shipped_book
from assistant.prompts.words import RegisterWords, Words, plain_words
from assistant.turn.context import Record, RunningTurn, TurnDependencies, rules_for
from assistant.turn.message_stream import MessageStream
from assistant.turn.waiting_voice import is_waiting_message


def acknowledge(hints: Sequence[str], lead: str, words: AcknowledgementWords | None = None) -> str:
    """Make a sentence that announces the work; hints are in their ``will`` form. "" if there are no hints.

    It names at most three things; from four on, it counts the third and later ones. Equal hints are named
    once, and an empty one gives the neutral phrase. The default of ``words`` is the package's English.

    >>> acknowledge(["look up your appointments", "check your billing"], "Sure, I'll")
    "Sure, I'll look up your appointments and check your billing."
    >>> acknowledge(["check your billing", "check your billing"], "Sure, I'll")
    "Sure, I'll check your billing."
    >>> acknowledge(["look up a", "look up b", "look up c"], "I'll also")
    "I'll also look up a, look up b and look up c."
    >>> acknowledge(["look up a", "look up b", "look up c", "look up d"], "I'll also")
    "I'll also look up a, look up b and take care of two more things."
    >>> acknowledge([""], "Let me see. I'll")
    "Let me see. I'll look into that."
    """
    words = words or shipped_book().acknowledgement("en")
    things = list(dict.fromkeys(hint.strip() or words.neutral for hint in hints))
    match things:
        case []:
            return ""
        case [only]:
            return f"{lead} {only}{words.end()}"
        case [first, second]:
            return f"{lead} {first}{words.last(second)}"
        case [first, second, third]:
            return f"{lead} {first}{words.next(second)}{words.last(third)}"
        case _:
            first, second, *rest = things
            return f"{lead} {first}{words.next(second)}{words.more(len(rest))}"


class GrowingAcknowledgement:
    """Builds the sentence of :func:`acknowledge` piece by piece.

    Args:
        words: the locale's words, from ``PromptBook.acknowledgement``.
        register: what the customer's message asks for, from :func:`assistant.turn.acknowledge.register_for`.
        last_lead: the lead-in that this conversation used last; this sentence does not use it again.
    """

    __slots__ = ("_held", "_named", "_words", "lead", "text")

    def __init__(self, words: AcknowledgementWords, register: Register, last_lead: str | None = None) -> None:
        self.lead = words.lead(register, last_lead)
        self.text = ""
        """The text given out so far."""
        self._words = words
        # A dict keeps the order; a hint in it has been named, is held, or is only counted.
        self._named: dict[str, None] = {}
        self._held: str | None = None

    def announce(self, hint: Hint | None) -> str:
        """Add one call; returns the piece to show now, "" if there is none."""
        will = (hint.will.strip() if hint else "") or self._words.neutral
        if will in self._named:
            return ""
        self._named[will] = None
        match len(self._named):
            case 1:
                return self._shown(f"{self.lead} {will}")
            case 2:
                # Held back until we know whether it is the last: "a, b" and "a and b" differ before b.
                self._held = will
                return ""
            case 3:
                second, self._held = self._held or "", will
                return self._shown(self._words.next(second))
            case _:
                return ""

    def close(self) -> str:
        """End the sentence; returns its end, "" if none was begun."""
        count = len(self._named)
        if count == 0:
            return ""
        if count > 3:
            return self._shown(self._words.more(count - 2))
        return self._shown(self._words.end() if self._held is None else self._words.last(self._held))

    def _shown(self, piece: str) -> str:
        self.text += piece
        return piece


def register_for(message: str, *, round_: int, has_write: bool, words: Words) -> Register:
    """Choose the register of the acknowledgement from the message, by rules.

    ``round_`` counts from 1. ``has_write``: a side effect is announced. A message that asks for a side effect
    also counts, because its call may come later in the stream than the first announced call. "Can you cancel
    it?" asks for one; "Can I get a refund?" does not.
    """
    if round_ > 1:
        return "later"
    if message in words.register.complaint:
        return "complaint"
    sentences = re.split(r"(?<=[.!?;])\s+", message.strip())
    if has_write or any(_orders(sentence, words) for sentence in sentences):
        return "effect"
    return "question" if any(_asks(sentence, words) for sentence in sentences) else "request"


def _orders(sentence: str, words: Words) -> bool:
    """Whether a sentence asks the assistant to do something, not only for information about it."""
    if sentence not in words.register.action:
        return False
    plain = without_greeting(sentence, words.register)
    return words.orders.wish.begins(plain) or not words.register.question.begins(plain)


def _asks(sentence: str, words: Words) -> bool:
    """Whether a sentence is a question: by its first words, otherwise by its question mark."""
    return sentence.endswith("?") or words.register.question.begins(
        without_greeting(sentence, words.register)
    )


def without_greeting(sentence: str, words: RegisterWords) -> str:
    """A sentence without its greetings: "hi, can you ..." begins with "can you"."""
    rest = plain_words(sentence)
    while words.polite.begins(rest):
        said = words.polite.found_in(rest)[0]
        rest = rest.removeprefix(said).lstrip(" ,.:-")
    return rest


class Announcement:
    """Announces calls as they become known.

    After a restart of the turn the sentence continues if its words still match. Otherwise it stays as it is,
    and no second sentence begins.
    """

    def __init__(self, turn: RunningTurn, round_: int, deps: TurnDependencies, record: Record) -> None:
        self._turn, self._round, self._deps, self._record = turn, round_, deps, record
        self._words = deps.book.acknowledgement(turn.locale)
        self._growing: GrowingAcknowledgement | None = None
        self._register: Register | None = None
        self._announced: list[str] = []
        self._speech = self._new_speech()
        self._begun = self._speech.text
        self._diverged = False

    @property
    def standing(self) -> bool:
        """Whether the sentence has begun and has not ended."""
        return self._speech.message_id is not None

    def forget_ids(self) -> None:
        """Forget the announced call ids, because the next reply may use the same ids."""
        self._announced.clear()

    def may_come_early(self, spec: ToolSpec) -> bool:
        """Whether the tool's name alone shows that the call will run: an allowed lookup that is new here.

        Lookups whose result may already be known are excluded: only their arguments show whether they repeat an
        earlier call.
        """
        turn = self._turn
        return (
            spec.effect == "read"
            and not self._deps.needs_confirmation(spec)
            and spec.runs_for(turn.customer)
            and not rules_for(spec.name, turn, self._deps)
            and not spec.cache_ttl_s
            and (spec.name not in turn.conversation.tools_called or self._is_announced_again(spec))
        )

    def _is_announced_again(self, spec: ToolSpec) -> bool:
        return spec.acknowledge == "always" and all(call.tool != spec.name for call in self._turn.state.calls)

    async def add(self, call_id: str, spec: ToolSpec) -> None:
        """Announce one more call that will run. Each call is announced once."""
        if spec.acknowledge == "never" or call_id in self._announced:
            return
        if self._diverged or self._was_said():
            return
        if spec.effect == "write" and self._register == "request":
            return  # "Sure" was shown already, and a side effect is not announced with it
        self._announced.append(call_id)
        if self._growing is None:
            self._growing = self._begin(spec)
        # A hint in another language would break the sentence; a call without a hint in this language gets the
        # neutral phrase.
        hint = spec.own_hint(self._words.locale)
        if piece := self._growing.announce(hint):
            await self._go_on(self._growing, piece)

    async def finish_announcement(self) -> None:
        """End the sentence and complete the message; does nothing if no sentence has begun."""
        if self._growing is not None:
            await self._go_on(self._growing, self._growing.close())
        if self._growing is None and (said := self._speech.text):
            # An earlier run of this turn began the message, and this run does not continue it.
            end = self._words.end()
            await self._speech.say("" if said.endswith(end) else end)
        kind: MessageKind = "acknowledgement" if self._round == 1 else "status"
        known = {call.id for call in self._turn.state.round(self._round).calls}
        await self._speech.close(kind, tuple(id_ for id_ in self._announced if id_ in known))
        self._growing = None

    async def _go_on(self, growing: GrowingAcknowledgement, piece: str) -> None:
        if self._begun.startswith(growing.text) or growing.text.startswith(self._begun):
            await self._speech.say(piece)
        else:
            self._growing, self._diverged = None, True
            self._speech = self._new_speech()

    def _was_said(self) -> bool:
        """Whether an earlier run of this turn has completed the sentence."""
        return any(
            message.kind is not None
            and message.round == self._round
            and not message.model_written
            and not is_waiting_message(message)
            for message in self._turn.state.messages
        )

    def _begin(self, spec: ToolSpec) -> GrowingAcknowledgement:
        self._register = register_for(
            self._turn.state.message.text,
            round_=self._round,
            has_write=spec.effect == "write",
            words=self._deps.book.words(self._turn.locale),
        )
        return GrowingAcknowledgement(self._words, self._register, self._last_lead())

    def _last_lead(self) -> str | None:
        """The lead-in of the previous acknowledgement, in any round or turn."""
        turn = self._turn.state
        own = [message for message in turn.messages if message.round < self._round]
        before = [*own[::-1], *(said for other in self._turn.earlier[::-1] for said in other.messages[::-1])]
        leads = (self._words.lead_of(message.text) for message in before if not message.model_written)
        return next(filter(None, leads), None)

    def _new_speech(self) -> MessageStream:
        guard = self._deps.book.voice.guard()
        return MessageStream(self._turn, self._round, self._record, guard, self._deps.clock, own_words=False)
