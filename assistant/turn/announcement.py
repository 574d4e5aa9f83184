"""The sentence that is built from hints, while it is being said: one for each round."""

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import MessageKind
from assistant.prompts.acknowledgement import Register
from assistant.turn.acknowledge import GrowingAcknowledgement
from assistant.turn.parts import Parts
from assistant.turn.record import Record
from assistant.turn.register import register_of
from assistant.turn.running_turn import RunningTurn
from assistant.turn.speech import Speech
from assistant.turn.waiting.own_message import is_own


class Announcement:
    """Says which calls are being made, as they become known.

    When an earlier life of this turn has begun the sentence, it is gone on with as far as the words agree;
    one that turns out another is ended as it stands, and is then all there is.
    """

    def __init__(self, turn: RunningTurn, round_: int, parts: Parts, record: Record) -> None:
        self._turn, self._round, self._parts, self._record = turn, round_, parts, record
        self._words = parts.book.acknowledgement(turn.locale)
        self._growing: GrowingAcknowledgement | None = None
        self._register: Register | None = None
        self._announced: list[str] = []
        self._speech = self._new_speech()
        self._begun = self._speech.text
        self._diverged = False

    @property
    def standing(self) -> bool:
        """Whether the sentence has begun and is not ended yet."""
        return self._speech.message_id is not None

    def forget_ids(self) -> None:
        """The next reply's calls may bear the same ids as those that were announced."""
        self._announced.clear()

    def may_come_early(self, spec: ToolSpec) -> bool:
        """Whether the name alone tells that the call will run: a lookup, allowed, and new here.

        What may be known already is not: only its arguments tell whether it is asked for again.
        """
        turn = self._turn
        return (
            spec.effect == "read"
            and not self._parts.needs_confirmation(spec)
            and spec.runs_for(turn.customer)
            and not spec.cache_s
            and (spec.name not in turn.conversation.tools_called or self._is_announced_again(spec))
        )

    def _is_announced_again(self, spec: ToolSpec) -> bool:
        return spec.acknowledge == "always" and all(call.tool != spec.name for call in self._turn.state.calls)

    async def add(self, call_id: str, spec: ToolSpec) -> None:
        """Name one more call that will run; once for each call."""
        if spec.acknowledge == "never" or call_id in self._announced:
            return
        if self._diverged or self._was_said():
            return
        if spec.effect == "write" and self._register == "request":
            return  # "Sure" stands there already, and is not said of a side effect
        self._announced.append(call_id)
        if self._growing is None:
            self._growing = self._begin(spec)
        # A hint of another language would break the sentence; what has none in this one is said neutrally.
        hint = spec.own_hint(self._words.locale)
        if piece := self._growing.announce(hint):
            await self._go_on(self._growing, piece)

    async def end(self) -> None:
        """End the sentence and complete the message; nothing when there is none."""
        if self._growing is not None:
            await self._go_on(self._growing, self._growing.close())
        if self._growing is None and (said := self._speech.text):
            # An earlier life began it, and this one does not go on with it.
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
        """Whether an earlier life of this turn has completed the sentence."""
        return any(
            message.kind is not None
            and message.round == self._round
            and not message.own_words
            and not is_own(message)
            for message in self._turn.state.messages
        )

    def _begin(self, spec: ToolSpec) -> GrowingAcknowledgement:
        self._register = register_of(
            self._turn.state.message.text,
            round_=self._round,
            has_write=spec.effect == "write",
            words=self._parts.book.words(self._turn.locale).register,
        )
        return GrowingAcknowledgement(self._words, self._register, self._last_lead())

    def _last_lead(self) -> str | None:
        """How the sentence before this one began, in whichever round or turn."""
        turn = self._turn.state
        own = [message for message in turn.messages if message.round < self._round]
        before = [*own[::-1], *(said for other in self._turn.earlier[::-1] for said in other.messages[::-1])]
        leads = (self._words.lead_of(message.text) for message in before if not message.own_words)
        return next(filter(None, leads), None)

    def _new_speech(self) -> Speech:
        guard = self._parts.book.voice.guard()
        return Speech(self._turn, self._round, self._record, guard, self._parts.clock, own_words=False)
