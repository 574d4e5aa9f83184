"""Turns that staff supervise: what the assistant writes is kept back, and a person answers or approves.

The launch mode decides at the beginning of a turn, and stays the same until its end. :class:`Supervised` is the
turn's record: it keeps messages back, so no stage has to know whether its words are sent.
"""

from contextlib import suppress
from typing import Final, Literal

from assistant.conversation.entries import (
    AgentMessage,
    DecisionClosed,
    Entry,
    MessageClosed,
    MessageOpened,
    MessageText,
    ReplyWithheld,
    ReviewDecided,
    ReviewRequested,
    Supervision,
    SupervisionChosen,
)
from assistant.conversation.turn_state import NOTICE, AssistantMessage, TurnState
from assistant.conversation.values import MessageKind
from assistant.prompts.utterances import SupervisedTold
from assistant.turn.context import Decision, Record, RunningTurn, TurnDependencies
from assistant.turn.finish import cancel_waiting_calls
from assistant.turn.pausing import is_paused

_FIRST = 1

WHY_A_PERSON: Final = {
    "shadow": "the assistant's answers are not sent yet (shadow launch)",
    "people": "the customer is not among those whom the assistant answers yet",
    "rejected": "a colleague did not approve the assistant's answer",
    "expired": "no colleague approved the assistant's answer in time",
}
"""Why a person is asked for in a supervised turn, as agents read it."""

_NOT_SENT = "a person answers the customer, so it was not asked about and did not run"


class Supervised:
    """Records a turn's entries, and keeps back the messages that the customer must not get.

    A message that is kept back is only in the turn's state while it streams. When it is complete, it is recorded as
    ``ReplyWithheld``, which no view for customers shows. After a crash in between, the model is asked again.
    """

    def __init__(self, state: TurnState, record: Record) -> None:
        self._state, self._record = state, record

    async def __call__(self, entry: Entry, *, durable: bool = False) -> None:
        """Record one entry; see :class:`assistant.turn.context.Record`."""
        state = self._state
        if state.supervision is None or not isinstance(entry, MessageOpened | MessageText | MessageClosed):
            await self._record(entry, durable=durable)
        elif isinstance(entry, MessageOpened):
            if not self._keeps_back(entry):
                await self._record(entry, durable=durable)
                return
            state.apply(entry)
            state.message_said(entry.message_id).withheld = True
        elif not (message := state.message_said(entry.message_id)).withheld:
            await self._record(entry, durable=durable)
        elif isinstance(entry, MessageText):
            state.apply(entry)
        else:
            withheld = ReplyWithheld(
                message_id=message.id,
                round=message.round,
                kind=entry.kind,
                text=message.text,
                model_written=message.model_written,
            )
            await self._record(withheld, durable=durable)

    def _keeps_back(self, opened: MessageOpened) -> bool:
        if AssistantMessage(id=opened.message_id, round=opened.round).is_notice:
            return False
        return self._state.supervision == "shadow" or opened.model_written


async def supervise(turn: RunningTurn, deps: TurnDependencies, record: Record) -> Decision | None:
    """Begin a supervised turn; None if the assistant decides about the message, in secret or not.

    In a shadow launch a person is asked for at once, and the customer is told so.
    """
    state = turn.state
    if not state.rounds and state.supervision is None and (mode := await _mode(turn, deps)) is not None:
        await record(SupervisionChosen(mode=mode))
    if state.supervision not in ("shadow", "people"):
        return None
    await _leave_to_a_person(turn, state.supervision)
    if state.supervision == "shadow":
        if not state.unasked:
            await _tell(turn, _with_a_person(turn), "status", deps, record)
        return None
    await _tell(turn, _with_a_person(turn), "response", deps, record)
    round_ = state.round(_FIRST)
    if round_.closed is None:
        await record(DecisionClosed(round=_FIRST, call_ids=()))
    return Decision(_FIRST)


async def may_be_sent(turn: RunningTurn, deps: TurnDependencies, record: Record) -> bool:
    """Whether the assistant goes on with the customer after its reply; waits for a colleague who must approve it.

    Otherwise a person goes on, and calls that wait for the customer's yes will not run.
    """
    match turn.state.supervision:
        case None | "people":
            return True
        case "shadow":
            await cancel_waiting_calls(turn.state, _NOT_SENT, record)
            return False
        case "approval":
            return await _is_approved(turn, deps, record)


async def _mode(turn: RunningTurn, deps: TurnDependencies) -> Supervision | None:
    """How staff supervise a turn that begins now; a paused assistant has nothing to supervise."""
    if deps.pauses is None or await is_paused(turn, deps):
        return None
    launch = deps.pauses.known.launch
    if launch.mode == "usual" and launch.percent == 100 and not launch.levels and not launch.locales:
        return None
    answered_before = any(not one.unasked and one.supervision != "people" for one in turn.earlier)
    if not (turn.state.unasked or answered_before or launch.includes(turn.customer, turn.key.customer)):
        return "people"
    return None if launch.mode == "usual" else launch.mode


async def _is_approved(turn: RunningTurn, deps: TurnDependencies, record: Record) -> bool:
    state = turn.state
    replies = [one for one in state.messages if one.withheld and one.kind == "response"]
    if not replies:
        return True
    if state.review is None:
        if not state.unasked:
            await _tell(turn, "checking", "status", deps, record)
        text = "\n\n".join(one.text.strip() for one in replies)
        launch = deps.pauses.known.launch if deps.pauses is not None else None
        wait_s = launch.wait_s if launch is not None else 0
        until_ms = deps.clock.now_ms() + wait_s * 1000
        await record(ReviewRequested(text=text, until_ms=until_ms), durable=True)
    decided = await _decision(turn, deps, record)
    match decided.decision:
        case "approved":
            text = state.review.requested.text if state.review is not None else ""
            await _say(turn, f"{state.id}/{NOTICE}sent", text, "response", record, model_written=True)
            return True
        case "edited":
            message_id = f"{state.id}/{NOTICE}edited"
            if all(one.message_id != message_id for one in turn.conversation.remarks):
                said = AgentMessage(
                    message_id=message_id, handoff_id="", name=decided.name, text=decided.text
                )
                await record(said, durable=True)
            return True
        case "rejected" | "expired":
            await _leave_to_a_person(turn, decided.decision)
            await _tell(turn, "instead", "response", deps, record)
            await cancel_waiting_calls(state, _NOT_SENT, record)
            return False


async def _decision(turn: RunningTurn, deps: TurnDependencies, record: Record) -> ReviewDecided:
    """Wait for the decision of a colleague, and decide in their place when the time is over."""
    while (review := turn.state.review) is None or review.decided is None:
        left_ms = 0 if review is None else review.requested.until_ms - deps.clock.now_ms()
        if left_ms <= 0:
            await record(ReviewDecided(decision="expired"), durable=True)
            continue
        turn.reviewed.clear()
        with suppress(TimeoutError):
            async with deps.clock.timeout(left_ms / 1000):
                await turn.reviewed.wait()
    return review.decided


async def _leave_to_a_person(
    turn: RunningTurn, why: Literal["shadow", "people", "rejected", "expired"]
) -> None:
    if turn.ask_for_person is not None:
        await turn.ask_for_person(turn.state.id, WHY_A_PERSON[why])


def _with_a_person(turn: RunningTurn) -> Literal["asked", "waiting", "ticket", "stopped"]:
    """What the customer is told about the person whom they wait for."""
    handoff = turn.conversation.handoff
    if handoff is None:
        return "stopped"
    if handoff.state == "ticket":
        return "ticket"
    return "asked" if handoff.requested_by.startswith(f"{turn.state.id}/") else "waiting"


async def _tell(
    turn: RunningTurn,
    what: Literal["asked", "waiting", "ticket", "stopped", "checking", "instead"],
    kind: MessageKind,
    deps: TurnDependencies,
    record: Record,
) -> None:
    """Tell the customer who answers, once in a turn."""
    handoff = turn.conversation.handoff
    if what == "instead" and handoff is None:
        what = "stopped"
    ticket = handoff.ticket if handoff is not None else ""
    text = deps.book.render(SupervisedTold(what=what, ticket=ticket), turn.locale)
    await _say(turn, f"{turn.state.id}/{NOTICE}{kind}", text, kind, record)


async def _say(
    turn: RunningTurn,
    message_id: str,
    text: str,
    kind: MessageKind,
    record: Record,
    *,
    model_written: bool = False,
) -> None:
    """Send a whole message, or what a crash has left of it."""
    state = turn.state
    said = next((one for one in state.messages if one.id == message_id), None)
    if said is None:
        round_ = state.latest_round
        await record(MessageOpened(message_id=message_id, round=round_, model_written=model_written))
    if said is None or not said.text:
        await record(MessageText(message_id=message_id, text=text))
    if said is None or said.kind is None:
        await record(MessageClosed(message_id=message_id, kind=kind))
