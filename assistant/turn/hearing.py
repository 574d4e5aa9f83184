"""What is done while a decision is still streaming: words are shown, lookups announced and begun."""

from assistant.conversation.calls import Call
from assistant.conversation.entries import CallRequested
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import MessageKind
from assistant.errors import UnknownTool
from assistant.prompts.acknowledgement import AcknowledgementWords, Register
from assistant.tooling.run_call import Ready, prepare
from assistant.turn.acknowledge import GrowingAcknowledgement
from assistant.turn.parts import Parts
from assistant.turn.record import Record
from assistant.turn.register import register_of
from assistant.turn.run_tools import begin
from assistant.turn.running_turn import RunningTurn
from assistant.turn.speech import Speech


class Hearing:
    """Listens to the replies of one round.

    A model's own words win over hints: once it has spoken, nothing is announced. Words that come after its
    first call are not shown, for by then the acknowledgement is being said.
    """

    def __init__(
        self, turn: RunningTurn, round_: int, parts: Parts, record: Record, *, may_call: bool = True
    ) -> None:
        self.round = round_
        self._turn, self._parts, self._record = turn, parts, record
        self._may_call = may_call
        self._growing: GrowingAcknowledgement | None = None
        self._register: Register | None = None
        self._announced: list[str] = []
        self._calling = False
        self._spoke = False
        self._asked_again = False
        self.words = self._speech(own_words=True)
        self.sentence = self._speech(own_words=False)
        # What an earlier life of this turn has shown of the sentence.
        self._begun = self.sentence.text

    async def ask_again(self) -> None:
        """The next words are another reply: what has been shown stays a message of its own."""
        # Words that stood there before this reply are not its words: the next reply goes on in them.
        self._asked_again = self._spoke
        self._calling = False
        # The next reply's calls may bear the same ids.
        self._announced.clear()

    async def say_instead(self, text: str) -> None:
        """Say what stands in for the model's answer; what it began is completed, half an answer marked so."""
        await self._end_sentence()
        if not text.startswith(self.words.text):
            await self.words.close("status", interrupted=True)
        # A message that an earlier life of this turn began in the same words is gone on with.
        self.words = self._speech(own_words=True)
        await self.words.say(text)

    async def text(self, text: str) -> None:
        """The model said some more."""
        if self._calling:
            return
        if self._asked_again and text.strip():
            await self.words.close("status")
            self.words = self._speech(own_words=True)
            self._asked_again = False
        if self.sentence.message_id is not None and text.strip():
            # A promise from before a restart, and now no calls: end it, then let the model speak.
            await self._end_sentence()
        self._spoke = self._spoke or text.strip() != ""
        await self.words.say(text)

    async def named(self, call_id: str, tool: str) -> None:
        """A call begins; its arguments are not known yet."""
        if not self._may_call:
            return
        self._calling = True
        # Nothing the model still says is shown, so what might have become a forbidden phrase no longer can.
        await self.words.release()
        spec = self._spec(tool)
        if spec is not None and self._may_announce_early(spec):
            await self._announce(call_id, spec)

    async def requested(self, call: Call) -> None:
        """A call is complete: a lookup begins at once."""
        if not self._may_call:
            return
        await self._record(CallRequested(call=call))
        ready = prepare(call, self._parts.tools, self._turn.customer)
        if not isinstance(ready, Ready):
            return
        if not self._parts.needs_confirmation(ready.tool.spec):
            await self._announce(call.id, ready.tool.spec)
            if ready.tool.spec.effect == "read":
                await begin(ready, self._turn, self._parts, self._record)

    async def close(self, kind: MessageKind) -> None:
        """The round's words are complete."""
        known = {call.id for call in self._turn.state.round(self.round).calls}
        await self._end_sentence()
        await self.words.close(kind, tuple(sorted(known)))

    async def close_cut_off(self, kind: MessageKind) -> None:
        """Complete what an earlier life of this turn left open, as far as its calls are known."""
        if self._has_spoken():
            return
        await self._announce_runnable(confirmed=False)
        await self.close(kind)

    async def announce_confirmed(self) -> None:
        """Acknowledge calls that the customer has just agreed to; they no longer need to be asked about."""
        await self._announce_runnable(confirmed=True)
        await self._end_sentence()

    async def _announce_runnable(self, *, confirmed: bool) -> None:
        for call in self._turn.state.round(self.round).calls:
            ready = prepare(call, self._parts.tools, self._turn.customer)
            if isinstance(ready, Ready) and (
                confirmed or not self._parts.needs_confirmation(ready.tool.spec)
            ):
                await self._announce(call.id, ready.tool.spec)

    def _has_spoken(self, *, own_words: bool | None = None) -> bool:
        """Whether this round has a complete message already, of this origin or of any."""
        return any(
            message.kind is not None
            and message.round == self.round
            and own_words in (None, message.own_words)
            for message in self._turn.state.messages
        )

    async def _announce(self, call_id: str, spec: ToolSpec) -> None:
        if spec.acknowledge == "never" or self.words.message_id is not None or call_id in self._announced:
            return
        if self._has_spoken(own_words=False):
            return  # the sentence was said in an earlier life of this turn
        if spec.effect == "write" and self._register == "request":
            return  # "Sure" stands there already, and is not said of a side effect
        self._announced.append(call_id)
        if self._growing is None:
            self._growing = self._begin_sentence(spec)
        await self._go_on(self._growing, self._growing.announce(spec.hint(self._turn.state.message.locale)))

    async def _go_on(self, growing: GrowingAcknowledgement, piece: str) -> None:
        """Say the next piece, unless another sentence stands there already: then that one is all there is."""
        if self._begun.startswith(growing.text) or growing.text.startswith(self._begun):
            await self.sentence.say(piece)
        else:
            self._growing = None
            self.sentence = self._speech(own_words=False)

    def _begin_sentence(self, spec: ToolSpec) -> GrowingAcknowledgement:
        book, message = self._parts.book, self._turn.state.message
        words = book.acknowledgement(message.locale)
        register = register_of(
            message.text,
            round_=self.round,
            has_write=spec.effect == "write",
            words=book.words(message.locale).register,
        )
        self._register = register
        return GrowingAcknowledgement(words, register, self._last_lead(words))

    def _last_lead(self, words: AcknowledgementWords) -> str | None:
        """How the sentence before this one began, in whichever round or turn."""
        turn = self._turn.state
        own = [message for message in turn.messages if message.round < self.round]
        before = [*own[::-1], *(said for other in self._turn.earlier[::-1] for said in other.messages[::-1])]
        leads = (words.lead_of(message.text) for message in before if not message.own_words)
        return next(filter(None, leads), None)

    async def _end_sentence(self) -> None:
        if self._growing is not None:
            await self._go_on(self._growing, self._growing.close())
        end = self._parts.book.acknowledgement(self._turn.state.message.locale).end()
        if self._growing is None and self.sentence.text and not self.sentence.text.endswith(end):
            await self.sentence.say(end)
        kind: MessageKind = "acknowledgement" if self.round == 1 else "status"
        known = {call.id for call in self._turn.state.round(self.round).calls}
        await self.sentence.close(kind, tuple(id_ for id_ in self._announced if id_ in known))
        self._growing = None

    def _may_announce_early(self, spec: ToolSpec) -> bool:
        """Whether the name alone tells that the call will run: a lookup, allowed, and new here."""
        return (
            spec.effect == "read"
            and not self._parts.needs_confirmation(spec)
            and (self._turn.customer.known or not spec.needs_customer)
            and (spec.acknowledge == "always" or spec.name not in self._turn.conversation.tools_called())
        )

    def _spec(self, tool: str) -> ToolSpec | None:
        try:
            return self._parts.tools.get(tool).spec
        except UnknownTool:
            return None

    def _speech(self, *, own_words: bool) -> Speech:
        return Speech(
            self._turn, self.round, self._record, self._parts.book.voice.guard(), own_words=own_words
        )
