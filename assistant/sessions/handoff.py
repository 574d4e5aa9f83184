"""Hands one conversation over to an agent and back."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any

import structlog

from assistant.conversation.codec import entry_from_json
from assistant.conversation.entries import (
    ASSISTANT_PAUSED,
    AcceptedVia,
    AgentMessage,
    ConfirmationAnswered,
    CustomerMessage,
    Entry,
    ForwardedToAgent,
    Handoff,
    HandoffState,
    Logged,
)
from assistant.conversation.staff_entries import Assigned, ConversationClosed, HandoffRouted, StaffEntry
from assistant.conversation.transcript import transcript
from assistant.conversation.values import JsonObject
from assistant.errors import LogError, ToolError
from assistant.ports import Clock, HandoffBackend, HandoffRequest, Ids, NoAgentAvailable
from assistant.sessions.escalation import RuleMatch, matching_rule
from assistant.sessions.handoff_messages import (
    Told,
    customers_wish,
    handoff_message,
    only_just_back,
    wants_assistant,
)
from assistant.sessions.session import Session

NOT_IN_TIME = "no agent accepted in time"
"""Why a handoff request ends after its waiting time."""


async def record_handoffs(
    session: Session,
    handoffs: Sequence[Handoff],
    *,
    tells: Told | None,
    before: Sequence[Entry] = (),
    say: Mapping[str, str] | None = None,
    closed: ConversationClosed | None = None,
) -> None:
    """Record these handoff entries, and the message to the customer about them: all or none, also after a crash.

    They are on disk when it returns. If there is a message to the customer, no turn may be running. ``before``
    and ``closed`` are recorded with them. ``say`` is the message's own text, by locale.
    """
    entries: list[tuple[str, Entry]] = [("", entry) for entry in (*before, *handoffs)]
    if tells is not None:
        entries += handoff_message(session.state, session.config, tells, handoffs[-1].ticket, say or {})
    if closed is not None:
        entries.append(("", closed))
    last = len(entries) - 1
    for number, (turn_id, entry) in enumerate(entries):
        # Nothing else runs in between: only the last record waits.
        await session.record(entry, turn_id, durable=number == last)


def handoff_request(session: Session, current: Handoff) -> HandoffRequest:
    """The request for the handoff backend."""
    state = session.state
    return HandoffRequest(
        key=session.key,
        handoff_id=current.handoff_id,
        why=current.why,
        locale=next(reversed(state.said.values())).locale if state.said else "en",
        transcript=transcript(state),
        customer=session.customer,
        routed=state.routed,
    )


def began_at(session: Session, handoff_id: str) -> int | None:
    """When this handoff began, in Unix ms; None if that is not on disk yet."""
    for logged in session.entries:
        if isinstance(logged.entry, Handoff) and logged.entry.handoff_id == handoff_id:
            return logged.at_ms
    return None


log = structlog.get_logger(__name__)

ANSWER_S = 3.0
"""Seconds that the caller waits for the backend's answer; a later answer counts, too."""

_A_MOMENT_S = 0.1

_WAITING: frozenset[HandoffState] = frozenset({"requested", "queued"})

_LOOP = "a colleague has just handed you back to me"
_LOOP_FOR_MODEL = (
    "The customer has just come back from a person. Answer them yourself; offer a person in words, and call this "
    "only when they ask for one."
)


class SessionHandoff:
    """Asks for an agent, keeps the assistant silent while one has the conversation, and lets it speak again.

    Only the log stores the state, so the next process that opens the conversation can continue.

    Args:
        wait_s: how long an agent may take to accept.
        hears: receives every batch of entries from the request to the end of the handoff.
    """

    def __init__(
        self,
        session: Session,
        backend: HandoffBackend,
        ids: Ids,
        wait_s: float,
        hears: Callable[[Session, Sequence[Logged]], None],
    ) -> None:
        self.session = session
        self._backend, self._ids, self._wait_s, self._hears = backend, ids, wait_s, hears
        self._tasks: set[asyncio.Task[None]] = set()
        self._acting = asyncio.Lock()
        self._requesting: asyncio.Task[None] | None = None
        self._asker_tells = False
        self._stop_listening: Callable[[], None] | None = None
        said = (logged.entry for logged in session.entries)
        self._said = {entry.message_id for entry in said if isinstance(entry, AgentMessage)}

    @property
    def current(self) -> Handoff | None:
        """The current handoff; None if no agent has the conversation or was asked."""
        return self.session.state.handoff

    @property
    def has_person(self) -> bool:
        """Whether an agent has the conversation and the assistant is silent."""
        return self.current is not None and self.current.state == "accepted"

    def id_asked_by(self, call: str) -> str | None:
        """The id of the handoff that this call asked for; None if it asked for none."""
        entries = (logged.entry for logged in self.session.entries)
        return next(
            (one.handoff_id for one in entries if isinstance(one, Handoff) and one.requested_by == call), None
        )

    async def ask(self, call: str, why: str) -> Handoff:
        """Ask for an agent; returns the state after the backend's answer, or after a short wait.

        A ``call`` that asks again after a crash asks for the same handoff. If an agent was already asked, or
        has the conversation, nothing changes. If no agent is available, a ticket is opened immediately, and the
        caller tells the customer.

        Raises:
            ToolError: the customer has just returned from an agent.
        """
        current, ours = self.current, self.id_asked_by(call)
        if current is None or (current.state == "ticket" and current.handoff_id != ours):
            # An assistant that is paused cannot answer, so this is no loop.
            loops = only_just_back(self.session.state, self.session.entries, self.session.book)
            if loops and why != ASSISTANT_PAUSED:
                raise ToolError(_LOOP, for_model=_LOOP_FOR_MODEL)
            why = customers_wish(self.session.state, self.session.book, why)
            ours = self._new_id()
            current = Handoff(handoff_id=ours, state="requested", why=why, requested_by=call)
            self._listen()
            if (routed := self._routed(ours, self._matching_rule())) is not None:
                await self.session.record(routed)
            await self.session.record(current, durable=True)
        if current.handoff_id != ours or current.state != "requested":
            return current
        self._asker_tells = True
        try:
            await self._first_answer(current)
        finally:
            self._asker_tells = False
        return self.current or current

    async def after_turn(self) -> None:
        """Bring the conversation to people if a rule of the company says so, and tell the customer.

        It is called between two turns. With a crash in between, the next turn's end finds the rule again.
        """
        match = self._matching_rule() if self.current is None else None
        if match is None:
            return
        session, rule = self.session, match.rule
        if rule.change is not None and session.question is not None:
            # People decide about the change: a yes to the assistant must not start it.
            dropped = ConfirmationAnswered(confirmation_id=session.question.confirmation_id, answer="dropped")
            await session.record(dropped)
        id_ = self._new_id()
        requested = Handoff(
            handoff_id=id_, state="requested", why=customers_wish(session.state, session.book)
        )
        routed = self._routed(id_, match)
        before = [routed] if routed is not None else []
        self._listen()
        if self._is_closed():
            ticket = self._ticket(requested)
            handoffs = [requested, _unavailable(id_, "closed"), ticket]
            await record_handoffs(session, handoffs, tells="closed", before=before)
            await self._notify_backend(self._backend.ticket(self._asked(requested), ticket.ticket))
            return
        await record_handoffs(session, [requested], tells="escalated", before=before, say=rule.say)
        self._request(requested)

    def _matching_rule(self) -> RuleMatch | None:
        session = self.session
        escalation = session.newest_config.deps.escalation
        return matching_rule(escalation, session.state, session.customer, session.book)

    def _routed(self, handoff_id: str, match: RuleMatch | None) -> HandoffRouted | None:
        """For which people a handoff is; None if it is for anyone, as usual."""
        usual = self.session.newest_config.deps.escalation
        if match is not None:
            rule = match.rule
            return HandoffRouted(
                handoff_id=handoff_id,
                rule=rule.name,
                why=match.why,
                team=rule.team,
                skill=rule.skill,
                priority=rule.priority,
            )
        routed = HandoffRouted(
            handoff_id=handoff_id, team=usual.team, skill=usual.skill, priority=usual.priority
        )
        return routed if routed != HandoffRouted(handoff_id=handoff_id) else None

    async def ask_for_person(self, turn_id: str, why: str) -> None:
        """Ask for an agent because staff supervise this turn. Does nothing if one was asked for before.

        The turn does not wait for the answer. If no agent is available, a ticket is opened after the turn, and the
        customer is told.
        """
        call = f"{turn_id}/supervision"
        if self.current is not None or self.id_asked_by(call) is not None:
            return
        asked = Handoff(handoff_id=self._new_id(), state="requested", why=why, requested_by=call)
        self._listen()
        if (routed := self._routed(asked.handoff_id, self._matching_rule())) is not None:
            await self.session.record(routed)
        await self.session.record(asked, durable=True)
        self._run(self._first_answer(asked))

    async def take_over(self, said: CustomerMessage) -> bool:
        """Forward this message to the agent who has the conversation, and record ``ForwardedToAgent``.

        Returns False, and does nothing, if no agent has the conversation.
        """
        current = self.current
        if current is None or current.state != "accepted":
            return False
        passed_on = ForwardedToAgent(message_id=said.message_id, handoff_id=current.handoff_id)
        await self.session.record(passed_on, durable=True)
        if wants_assistant(said, self.session.book):
            await self.give_back()
        else:
            await self._notify_backend(self._backend.pass_on(self.session.key, current.handoff_id))
        return True

    async def give_back(self) -> None:
        """Return the conversation to the assistant, because the customer wants that. Does nothing without an
        agent.
        """
        if self.has_person:
            await self.end_handoff()

    async def accept(self, name: str, via: AcceptedVia = "", account: str = "") -> Handoff:
        """Give this agent the conversation, requested or not; the first agent keeps it.

        ``account`` is the agent's account, if there is one: then the conversation is assigned to it. The returned
        handoff may be another agent's: see :meth:`has_it`. The running message stops, the outcomes of running
        lookups are kept, and an open question is closed.
        """
        current = self.current
        if current is not None and current.state == "accepted":
            return current
        handoff_id = current.handoff_id if current is not None else self._new_id()
        accepted = Handoff(handoff_id=handoff_id, state="accepted", name=name, via=via)
        question = self.session.state.question
        self._listen()
        await self.session.record(accepted)
        if account:
            await self.session.record(Assigned(account=account, name=name))
        if question is not None:
            # The customer's next yes will be to the agent, not to the earlier question.
            dropped = ConfirmationAnswered(confirmation_id=question.confirmation_id, answer="dropped")
            await self.session.record(dropped)
        if not self._writes_for_staff:
            await self.session.stop()
            await self.session.answered()
        await self._notify_backend(self._backend.pass_on(self.session.key, handoff_id))
        return accepted

    def has_it(self, name: str, via: AcceptedVia) -> bool:
        """Whether this agent, through this program, has the conversation."""
        current = self.current
        if current is None or (current.state, current.name) != ("accepted", name):
            return False
        return current.via in ("", via)

    def is_with(self, account: str) -> bool:
        """Whether the person with this account has the conversation, who accepted it in the console."""
        current, assigned = self.current, self.session.state.assigned
        if current is None or (current.state, current.via) != ("accepted", "console"):
            return False
        return assigned is not None and assigned.account == account

    async def annotate(self, entry: StaffEntry) -> None:
        """Record what staff say about the conversation; it is on disk when this returns."""
        await self.session.record(entry, durable=True)

    async def close_conversation(self, account: str, name: str) -> None:
        """End the handoff, if there is one, without a message to the customer: the matter is settled."""
        closed = ConversationClosed(account=account, name=name)
        current = self.current
        if current is None:
            await self.annotate(closed)
            return
        ended = Handoff(handoff_id=current.handoff_id, state="ended", name=current.name)
        await record_handoffs(self.session, [ended], tells=None, closed=closed)
        await self._notify_backend(self._backend.close(self.session.key, current.handoff_id))

    async def say(self, message_id: str, name: str, text: str) -> bool:
        """Record the agent's message; the same id is recorded once. False if no agent has the conversation."""
        current = self.current
        if current is None or current.state != "accepted":
            return False
        if message_id not in self._said:
            self._said.add(message_id)
            said = AgentMessage(message_id=message_id, handoff_id=current.handoff_id, name=name, text=text)
            await self.session.record(said, durable=True)
        return True

    async def end_handoff(self) -> bool:
        """Return the conversation to the assistant, with a message if an agent had it. False if there is
        nothing to end.
        """
        current = self.current
        if current is None:
            return False
        was_there = current.state == "accepted"
        ended = Handoff(handoff_id=current.handoff_id, state="ended", name=current.name)
        await record_handoffs(self.session, [ended], tells="back" if was_there else None)
        await self._notify_backend(self._backend.close(self.session.key, current.handoff_id))
        return True

    async def decline(self, why: str) -> bool:
        """No agent is available: open a ticket and tell the customer. False if no agent was asked."""
        current = self.current
        if current is None or current.state not in _WAITING:
            return False
        await self._give_up(current.handoff_id, why)
        return True

    async def perform_action(self, action: str, options: Mapping[str, Any]) -> None:
        """Begin the action of an agent on another server; actions of one conversation run in order.

        An action for another handoff than the current one is too late, and is skipped. So is an unknown action
        of another release: its sender sees that it had no effect.
        """
        given = dict(options)
        handoff_id = given.pop("handoff_id", None)
        actions = {
            "accept": self.accept,
            "say": self.say,
            "end": self.end_handoff,
            "decline": self.decline,
            "give_back": self.give_back,
            "close": self.close_conversation,
            "annotate": self._annotate_from,
        }
        if (begin := actions.get(action)) is not None:
            self._run(self._in_turn(begin(**given), handoff_id))

    async def _annotate_from(self, kind: str, entry: JsonObject) -> None:
        read = entry_from_json(kind, entry)
        if isinstance(read, StaffEntry):
            await self.annotate(read)

    async def _in_turn(self, action: Coroutine[None, None, object], handoff_id: str | None) -> None:
        async with self._acting:
            if handoff_id is None or self._state_of(handoff_id) is not None:
                await action
            else:
                action.close()

    def resume(self) -> None:
        """Continue the handoff that the log shows as unfinished."""
        current = self.current
        if current is None:
            return
        self._listen()
        match current.state:
            case "requested":
                self._request(current)
            case "queued":
                self._run(self._watch(current.handoff_id))
            case "accepted":
                self._run(self._hush())
                self._run(self._notify_backend(self._backend.pass_on(self.session.key, current.handoff_id)))
            case _:
                self._run(self._notify_backend(self._backend.ticket(self._asked(current), current.ticket)))

    async def close(self) -> None:
        """Stop; the next process that opens the conversation continues."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _first_answer(self, current: Handoff) -> None:
        if self._is_closed():
            await self._give_up(current.handoff_id, "closed")
            return
        requesting = self._requesting or self._request(current)
        with suppress(TimeoutError):
            async with self._clock.timeout(min(ANSWER_S, self._wait_s)):
                await asyncio.shield(requesting)

    def _request(self, current: Handoff) -> asyncio.Task[None]:
        self._run(self._watch(current.handoff_id))
        self._requesting = self._run(self._requested(current))
        return self._requesting

    async def _requested(self, current: Handoff) -> None:
        try:
            answer = await self._backend.request(self._asked(current))
        except Exception as error:
            # A backend is another system: the customer does not wait for one that does not work.
            log.exception("desk broke", conversation=self.session.key.conversation)
            answer = NoAgentAvailable(why=repr(error))
        finally:
            self._requesting = None
        if self._state_of(current.handoff_id) != "requested":
            return
        if isinstance(answer, NoAgentAvailable):
            await self._give_up(current.handoff_id, answer.why)
        else:
            await self.session.record(Handoff(handoff_id=current.handoff_id, state="queued", why=current.why))

    async def _watch(self, handoff_id: str) -> None:
        """Wait as long as an agent may take, from the time of the request, which may be in the past."""
        began_ms = began_at(self.session, handoff_id) or self._clock.now_ms()
        waited_s = (self._clock.now_ms() - began_ms) / 1000
        if self.session.key.is_sample and waited_s > 1:
            return  # an example that was stored while it waited goes on waiting
        await self._clock.sleep(max(0.0, self._wait_s - waited_s))
        await self._give_up(handoff_id, NOT_IN_TIME)

    async def _give_up(self, handoff_id: str, why: str) -> None:
        """No agent came: open a ticket and tell the customer, unless the caller that asked will do that."""
        while not self._asker_tells and self.session.state.unfinished is not None:
            await self.session.answered()
            await self._clock.sleep(_A_MOMENT_S)
        current = self.current
        if current is None or self._state_of(handoff_id) not in _WAITING:
            return
        ticket = self._ticket(current)
        tells = None if self._asker_tells else "nobody"
        await record_handoffs(self.session, [_unavailable(handoff_id, why), ticket], tells=tells)
        await self._notify_backend(self._backend.ticket(self._asked(current), ticket.ticket))

    def _is_closed(self) -> bool:
        """Whether it is outside the opening hours."""
        hours = self.session.book.voice.hours
        return hours is not None and not hours.open_at(self._clock.now())

    def _ticket(self, current: Handoff) -> Handoff:
        number = f"T-{self._ids.new().replace('-', '')[-6:].upper()}"
        return Handoff(handoff_id=current.handoff_id, state="ticket", why=current.why, ticket=number)

    async def _hush(self) -> None:
        """Prevent the continuation of a turn that was cut off before an agent came."""
        while self.has_person and self.session.state.unfinished is not None and not self._writes_for_staff:
            await self.session.stop()
            await self._clock.sleep(0)

    @property
    def _writes_for_staff(self) -> bool:
        """Whether the running turn writes an answer that only staff see. An agent who comes may want to read it."""
        running = self.session.state.unfinished
        return running is not None and running.supervision == "shadow"

    @property
    def _clock(self) -> Clock:
        return self.session.config.deps.clock

    def _new_id(self) -> str:
        # Another program may send messages only into a conversation whose handoff id it knows.
        return f"h-{self._ids.secret()}"

    def _asked(self, current: Handoff) -> HandoffRequest:
        return handoff_request(self.session, current)

    def _state_of(self, handoff_id: str) -> HandoffState | None:
        current = self.current
        return current.state if current is not None and current.handoff_id == handoff_id else None

    def _listen(self) -> None:
        if self._stop_listening is None:
            self._stop_listening = self.session.listen(self._hear)

    def _hear(self, batch: Sequence[Logged]) -> None:
        self._hears(self.session, batch)
        if self.current is None and self._stop_listening is not None:
            self._stop_listening()
            self._stop_listening = None

    async def _notify_backend(self, telling: Coroutine[None, None, None]) -> None:
        """Notify the backend; its errors must not affect the conversation."""
        try:
            await telling
        except Exception:
            log.exception("desk broke", conversation=self.session.key.conversation)

    def _run(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _guarded(self, work: Coroutine[None, None, None]) -> None:
        with suppress(LogError):
            await work


def _unavailable(handoff_id: str, why: str) -> Handoff:
    return Handoff(handoff_id=handoff_id, state="unavailable", why=why)
