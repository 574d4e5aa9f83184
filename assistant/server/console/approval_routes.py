"""Changes and replies that wait for the approval of staff: what each would do, and the decision about it."""

from hashlib import sha256
from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    ApprovalDecided,
    ApprovalRequested,
    ConfirmationAsked,
    ReviewDecided,
)
from assistant.conversation.outcomes import CallDenied, CallEmpty, CallFailed, CallSucceeded, outcome_name
from assistant.conversation.turn_state import TurnState
from assistant.conversation.values import Json
from assistant.server.console.access import Access, ConsoleRefused, ConsoleRoute, Person
from assistant.server.console.console_context import Approvals, Console
from assistant.server.console.session_routes import Body, Text
from assistant.sessions.session import Session

LONGEST_REPLY = 8_000

_Id = Annotated[Text, Field(min_length=1, max_length=200)]


class DecideApproval(Body):
    """Approves a change, or declines it. The customer hears the reason of a refusal."""

    conversation: _Id
    turn: _Id
    call: _Id
    decision: Literal["approved", "declined"]
    why: Annotated[Text, Field(max_length=300)] = ""


class DecideReply(Body):
    """Sends a reply that waits, as it is or edited, or refuses it. ``text`` is the edited reply."""

    conversation: _Id
    turn: _Id
    decision: Literal["approved", "edited", "rejected"]
    text: Annotated[Text, Field(max_length=LONGEST_REPLY)] = ""


def approval_routes(console: Console, approvals: Approvals) -> APIRouter:
    """The routes of approvals."""
    router = APIRouter(prefix="/console/api/approvals", route_class=ConsoleRoute)

    def deciding(action: str) -> Access:
        return Access(console, "approvals.decide", action, kind="conversation")

    @router.get("")
    async def waiting(  # pyright: ignore[reportUnusedFunction] (as below)
        person: Annotated[Person, Depends(deciding("approvals.read"))],
    ) -> Response:
        found = [
            _approval_json(session, turn, call, approvals)
            for session in await _sessions(approvals)
            for turn, call in session.state.awaiting_approval
        ]
        replies = [_reply_json(session, turn) for session, turn in await _replies(approvals)]
        person.note(detail=f"{len(found) + len(replies)} shown")
        return JSONResponse({"approvals": found, "replies": replies, "mark": await _mark(approvals)})

    @router.get("/mark")
    async def mark(person: Annotated[Person, Depends(Access(console, None))]) -> Response:  # pyright: ignore[reportUnusedFunction]
        """Changes with what waits, so that a page asks for the list, which is recorded, only then."""
        may = "approvals.decide" in person.account.may
        return JSONResponse({"mark": await _mark(approvals) if may else ""})

    @router.post("")
    async def decide(  # pyright: ignore[reportUnusedFunction]
        body: DecideApproval, person: Annotated[Person, Depends(deciding("approvals.decide"))]
    ) -> Response:
        why = body.why.strip()
        session = await _session(approvals, body.conversation)
        turn = session.state.turn(body.turn) if session.state.knows_turn(body.turn) else None
        tool = turn.requested[body.call].tool if turn is not None and body.call in turn.requested else ""
        person.note(
            object_id=session.key.conversation,
            customer=session.customer.id,
            detail=f"{tool} {body.turn}/{body.call}: {body.decision}" + (f" ({why})" if why else ""),
        )
        if body.decision == "declined" and not why:
            raise ConsoleRefused(422, "why_missing", "why: say why it is declined; the customer hears it")
        account = person.account
        decided = ApprovalDecided(
            call_id=body.call, decision=body.decision, account=account.id, name=account.name, why=why
        )
        if not await session.decide_approval(body.turn, decided):
            raise ConsoleRefused(409, "decided", _told_of_other(turn, body.call))
        return JSONResponse({"decision": body.decision})

    @router.post("/reply")
    async def decide_reply(  # pyright: ignore[reportUnusedFunction]
        body: DecideReply, person: Annotated[Person, Depends(deciding("approvals.reply"))]
    ) -> Response:
        session = await _session(approvals, body.conversation)
        person.note(
            object_id=session.key.conversation,
            customer=session.customer.id,
            detail=f"{body.turn}: {body.decision}",
        )
        text = body.text.strip() if body.decision == "edited" else ""
        if body.decision == "edited" and not text:
            raise ConsoleRefused(422, "text_missing", "text: write the reply that the customer gets")
        account = person.account
        decided = ReviewDecided(decision=body.decision, account=account.id, name=account.name, text=text)
        if not await session.decide_review(body.turn, decided):
            raise ConsoleRefused(409, "decided", _reply_told_of_other(session, body.turn))
        return JSONResponse({"decision": body.decision})

    return router


async def _mark(approvals: Approvals) -> str:
    refs = (
        f"{session.key.conversation}/{turn.id}/{call.id}"
        for session in await _sessions(approvals)
        for turn, call in session.state.awaiting_approval
    )
    replies = (f"{session.key.conversation}/{turn.id}" for session, turn in await _replies(approvals))
    return sha256(" ".join(sorted((*refs, *replies))).encode()).hexdigest()[:16]


async def _replies(approvals: Approvals) -> list[tuple[Session, TurnState]]:
    """The replies that wait for a colleague, the one that ends first at the top."""
    found: list[tuple[int, Session, TurnState]] = []
    for session in await _sessions(approvals):
        turn = session.state.unfinished
        if turn is not None and turn.review is not None and turn.awaiting_review:
            found.append((turn.review.requested.until_ms, session, turn))
    return [(session, turn) for _, session, turn in sorted(found, key=lambda one: one[0])]


def _reply_told_of_other(session: Session, turn_id: str) -> str:
    turn = session.state.turn(turn_id) if session.state.knows_turn(turn_id) else None
    decided = turn.review.decided if turn is not None and turn.review is not None else None
    if decided is None:
        return (
            "this reply does not wait any more; the customer has written again, or a colleague has taken over"
        )
    if decided.decision == "expired":
        return "the time was over; the conversation is in the inbox"
    return f"{decided.name} was faster: it is {decided.decision}"


def _reply_json(session: Session, turn: TurnState) -> dict[str, Json]:
    """A reply with the question, and with the results that it rests on."""
    review = turn.review
    calls: list[Json] = []
    for outcome in turn.results:
        value = outcome.value if isinstance(outcome, CallSucceeded | CallEmpty) else None
        if isinstance(outcome, CallFailed | CallDenied):
            value = outcome.say
        arguments = dict(outcome.call.arguments)
        name = outcome_name(outcome)
        calls.append({"tool": outcome.call.tool, "arguments": arguments, "outcome": name, "result": value})
    return {
        "conversation": session.key.conversation,
        "turn": turn.id,
        "customer": {"id": session.customer.id, "name": session.customer.name},
        "level": session.customer.level,
        "question": None if turn.unasked else turn.message.text,
        "calls": calls,
        "text": review.requested.text if review is not None else "",
        "since": next((one.at_ms for one in session.entries if one.turn_id == turn.id), 0),
        "until": review.requested.until_ms if review is not None else 0,
    }


async def _sessions(approvals: Approvals) -> list[Session]:
    """The tenant's conversations that are open here, also those of other servers that staff may need, oldest first.

    A conversation with a waiting change is always open on the server that writes it.
    """
    await approvals.sessions.open_for_agents(approvals.tenant)
    found = [one for one in approvals.sessions.open_sessions().values() if not one.failed and one.entries]
    return sorted(found, key=lambda one: one.entries[-1].at_ms)


async def _session(approvals: Approvals, conversation: str) -> Session:
    def found() -> ConversationKey | None:
        keys = approvals.sessions.open_sessions()
        return next((key for key in keys if key.conversation == conversation), None)

    if found() is None:
        await approvals.sessions.open_for_agents(approvals.tenant, conversation)
    if (key := found()) is None:
        raise ConsoleRefused(404, "unknown_conversation", "no change of this conversation waits for approval")
    return await approvals.sessions.open(key, None)


def _told_of_other(turn: TurnState | None, call: str) -> str:
    approval = turn.approvals.get(call) if turn is not None else None
    if approval is None or approval.decided is None:
        return "this change does not wait any more; the customer may have withdrawn it"
    return f"{approval.decided.name} was faster: it is {approval.decided.decision}"


def _approval_json(session: Session, turn: TurnState, call: Call, approvals: Approvals) -> dict[str, Json]:
    requested = turn.approvals[call.id].requested
    asked = _question(session, turn)
    hint = session.doing(call.tool, "en")
    return {
        "conversation": session.key.conversation,
        "turn": turn.id,
        "call": call.id,
        "customer": {"id": session.customer.id, "name": session.customer.name},
        "level": session.customer.level,
        "tool": call.tool,
        "does": hint,
        "arguments": dict(requested.arguments),
        "rule": requested.rule,
        "question": asked.read_back if asked is not None else None,
        "answer": turn.message.text if asked is not None else None,
        "since": _since(session, turn, call) or approvals.clock.now_ms(),
    }


def _question(session: Session, turn: TurnState) -> ConfirmationAsked | None:
    """The question that the customer said yes to; None if there was none."""
    if turn.answered is None:
        return None
    asked = (one.asked for one in session.state.turns if one.asked is not None)
    return next((one for one in asked if one.confirmation_id == turn.answered.confirmation_id), None)


def _since(session: Session, turn: TurnState, call: Call) -> int | None:
    for logged in reversed(session.entries):
        entry = logged.entry
        if isinstance(entry, ApprovalRequested) and (logged.turn_id, entry.call_id) == (turn.id, call.id):
            return logged.at_ms
    return None
