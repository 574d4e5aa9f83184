"""Handles a decision while it streams: shows text, announces and starts lookups."""

from collections.abc import Mapping, Sequence

from assistant.conversation.calls import Call
from assistant.conversation.entries import CallRequested, GuardrailName
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import MessageKind
from assistant.prompts.instructions import GoOn
from assistant.prompts.utterances import BegunAgain
from assistant.tools.references import has_references
from assistant.tools.tool import PreparedCall
from assistant.turn.acknowledge import Announcement
from assistant.turn.approval import needs_approval
from assistant.turn.confirmation_rules import must_be_confirmed, takes_untrusted_values, untrusted_in_view
from assistant.turn.context import Record, RunningTurn, TurnDependencies, rules_for
from assistant.turn.guardrails.claims import Claims, Patience
from assistant.turn.guardrails.guardrail import NamedGuardrail
from assistant.turn.guardrails.pipeline import claims_in, guardrails_for
from assistant.turn.message_stream import MessageStream
from assistant.turn.pausing import is_tool_paused
from assistant.turn.start_call import FirstCalls, ended_without_running, prepare_within_rules, start_call
from assistant.turn.waiting_voice import is_waiting_message


class _FirstWordGuards:
    """Makes the guardrails of a message with its first word, because most decisions have no text.

    It does not refer to the handler, so that nothing of a turn stays in memory after it.

    Attributes:
        deeds: the guardrail of claims, when it has been made.
    """

    def __init__(
        self, turn: RunningTurn, deps: TurnDependencies, patience: Patience, heard_before: Sequence[str]
    ) -> None:
        self._turn, self._deps = turn, deps
        self._patience: Patience = patience
        self._heard_before = heard_before
        self.deeds: Claims | None = None

    def __call__(self) -> Sequence[NamedGuardrail]:
        self.deeds = claims_in(self._turn, self._deps, self._patience)
        return guardrails_for(self._turn, self._deps, self.deeds, self._heard_before)


class DecisionStreamHandler:
    """Handles the replies of one round.

    A model's own words replace hints: after it has spoken, nothing is announced. Words after its first call
    are not shown, because the acknowledgement is shown by then.

    Args:
        may_call: the reply may contain calls.
        asks_again: if a reply claims or promises something without evidence, the model is asked once more;
            False: this is the second reply, which is shown as a whole or not shown.
        heard_before: what the customer heard of interrupted answers that this answer continues.
    """

    def __init__(
        self,
        turn: RunningTurn,
        round_: int,
        deps: TurnDependencies,
        record: Record,
        *,
        may_call: bool = True,
        asks_again: bool = False,
        heard_before: Sequence[str] = (),
    ) -> None:
        self.round = round_
        self._turn, self._deps, self._record = turn, deps, record
        self._may_call, self._heard_before = may_call, heard_before
        self._patience: Patience = "again" if asks_again else "last"
        self._calling = False
        self._asked_again = False
        self._guards: _FirstWordGuards | None = None
        self._firsts: FirstCalls | None = None
        self.words = self._new_speech()
        self._announcement = Announcement(turn, round_, deps, record)

    def ask_again(self) -> None:
        """Prepare for another reply; the text so far stays a message of its own."""
        # The text before this reply is not part of it: the next reply continues that text.
        self._asked_again = self.words.let_out
        self._calling = False
        self._patience = "last"
        if self._asked_again:
            self._heard_before = (*self._heard_before, self.words.text)
        if not self._asked_again:
            self.words = self._new_speech()
        self._announcement.forget_ids()

    def go_on(self) -> None:
        """Prepare for another reply that continues the same message without repeating anything."""
        self._calling = False
        self._patience = "last"
        if not self.shown:
            self.words = self._new_speech()
            return
        self._heard_before = (*self._heard_before, self.words.finished_text)
        self.words.go_on(self._deps.book.voice.guard(), self._new_guards(), joint=self._joint())

    async def cut_short(self) -> str:
        """Handle a reply that reached the maximum length; returns the note about it for the model."""
        await self.words.cut_short(last=self._patience == "last")
        return self._deps.book.render(GoOn(shown=self.shown))

    async def say_the_rest(self, text: str) -> None:
        """Say a fixed text in place of the rest of the model's answer, in the message that it began."""
        if not self.shown:
            await self.say_instead(text)
            return
        self._guards = None
        self.words.go_on(self._deps.book.voice.guard(), joint=self._joint())
        await self.words.say(text)

    async def say_instead(self, text: str) -> None:
        """Say a fixed text in place of the model's answer. A message that it began is completed, and marked
        if it is unfinished.
        """
        await self._announcement.finish_announcement()
        if not text.startswith(self.words.text):
            await self.words.close("status", interrupted=True)
        # If an earlier run of this turn began a message in the same words, it is continued.
        self.words = self._new_speech(guarded=False)
        await self.words.say(text)

    async def text(self, text: str) -> None:
        """Handle more text of the model."""
        if self._calling:
            return
        if self._asked_again and text.strip():
            await self.words.close("status")
            self.words = self._new_speech()
            self._asked_again = False
        if self._announcement.standing and text.strip():
            # A promise from before a restart, and now no calls: end the promise, then show the model's text.
            await self._announcement.finish_announcement()
        await self.words.say(text)

    async def heard_out(self) -> bool:
        """End the reply: show text that was held, and return whether any of its text was shown."""
        await self.words.release()
        return self.shown != ""

    @property
    def shown(self) -> str:
        """The text shown so far."""
        return self.words.text.strip()

    async def refused(self) -> Mapping[GuardrailName, str]:
        """The refused text by guardrail, about which the model must be asked again; known when the reply is
        complete.
        """
        await self.words.release()
        return self.words.refused

    async def named(self, call_id: str, tool: str) -> None:
        """A call begins; its arguments are not known yet."""
        if not self._may_call:
            return
        self._calling = True
        # No later text of the model is shown, so the held text can no longer become a forbidden phrase.
        if self._guards is not None and self._guards.deeds is not None:
            self._guards.deeds.called(tool)
        await self.words.release()
        if not self._has_own_words() and tool in self._deps.tools:
            spec = self._deps.tools.get(tool).spec
            if self._announcement.may_come_early(spec) and not is_tool_paused(spec, self._turn, self._deps):
                await self._announcement.add(call_id, spec)

    async def requested(self, call: Call) -> None:
        """A call is complete: a lookup starts immediately, unless it needs the result of another call.

        The source call is known only when the decision is complete, because the decision may have two calls of
        that tool.
        """
        if not self._may_call:
            return
        await self._record(CallRequested(call=call))
        if has_references(call.arguments):
            await self._announce_dependent(call)
            return
        turn, deps = self._turn, self._deps
        if deps.pauses is not None:
            await deps.pauses.now()
        ready = prepare_within_rules(call, turn, deps)
        if not isinstance(ready, PreparedCall) or must_be_confirmed(ready, turn, self.round, deps):
            return
        if self._firsts is None:
            self._firsts = FirstCalls(turn.state, deps.tools)
        if await ended_without_running(ready, self._firsts, turn, deps, self._record):
            return
        if ready.tool.spec.effect == "read":
            await self._announce(call, ready.tool.spec)
            await start_call(ready, turn, deps, self._record)
        elif not turn.conversation.waiting and not needs_approval(ready, turn):
            # A newer message would hold the call back, and so may a colleague: it must not be announced.
            await self._announce(call, ready.tool.spec)

    async def close(self, kind: MessageKind, *, interrupted: bool = False) -> None:
        """Complete the round's message, because no more text will come."""
        known = {call.id for call in self._turn.state.round(self.round).calls}
        await self._announcement.finish_announcement()
        await self.words.close(kind, tuple(sorted(known)), interrupted=interrupted)

    async def close_cut_off(self, kind: MessageKind) -> None:
        """Complete the message that a crash of this turn left open, as far as its calls are known."""
        said = any(
            message.kind is not None and message.round == self.round and not is_waiting_message(message)
            for message in self._turn.state.messages
        )
        if not said:
            await self._announce_runnable(confirmed=False)
            await self.close(kind)

    async def announce_confirmed(self) -> None:
        """Announce calls that the customer has just agreed to; they need no question."""
        await self._announce_runnable(confirmed=True)
        await self._announcement.finish_announcement()

    async def _announce_runnable(self, *, confirmed: bool) -> None:
        turn, deps = self._turn, self._deps
        for call in turn.state.round(self.round).calls:
            if has_references(call.arguments):
                await self._announce_dependent(call)
                continue
            ready = prepare_within_rules(call, turn, deps)
            if (
                isinstance(ready, PreparedCall)
                and not needs_approval(ready, turn)
                and (confirmed or not must_be_confirmed(ready, turn, self.round, deps))
            ):
                await self._announce(call, ready.tool.spec)

    async def _announce_dependent(self, call: Call) -> None:
        """Announce a call that waits for another's result, if nothing else keeps it from running."""
        # Whether the call breaks a rule of a policy is known only with its arguments.
        if call.tool not in self._deps.tools or rules_for(call.tool, self._turn, self._deps):
            return
        spec = self._deps.tools.get(call.tool).spec
        deps = self._deps
        untrusted = untrusted_in_view(self._turn, self.round, deps) or takes_untrusted_values(call, deps)
        asks = deps.needs_confirmation(spec, untrusted=untrusted)
        runs = spec.runs_for(self._turn.customer) and not is_tool_paused(spec, self._turn, deps)
        runs = runs and spec.approve is None
        if not asks and runs and not spec.cache_ttl_s:
            await self._announce(call, spec)

    async def _announce(self, call: Call, spec: ToolSpec) -> None:
        if not self._has_own_words():
            await self._announcement.add(call.id, spec)

    def _has_own_words(self) -> bool:
        return self.words.message_id is not None

    def _joint(self) -> str:
        return self._deps.book.render(BegunAgain(), self._turn.locale)

    def _new_speech(self, *, guarded: bool = True) -> MessageStream:
        forbidden = self._deps.book.voice.guard()
        self._guards = None
        guards = self._new_guards() if guarded else None
        clock = self._deps.clock
        return MessageStream(
            self._turn, self.round, self._record, forbidden, clock, own_words=True, guards=guards
        )

    def _new_guards(self) -> _FirstWordGuards:
        self._guards = _FirstWordGuards(self._turn, self._deps, self._patience, self._heard_before)
        return self._guards
